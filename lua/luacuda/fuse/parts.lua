-- parts.lua: kernels of what trace.lua recorded. A part of a plan is one kernel: { target = an
-- Elementwise or a Reduction, parameters = nodes, results = numbers of the results, reduction =
-- options of a Reduction }.

local core = require "luacuda.core"
local ufunc = require "luacuda.array.ufunc"
local fail = require("luacuda.base.arguments").fail
local mentions = require "luacuda.builder.mentions"

-- CUDA text ---------------------------------------------------------------------------------------

-- The nodes that `results` need, in order: operations, and parameters: those of arguments first.
local function needed(results)
  local seen, operations, parameters = {}, {}, {}
  local function visit(node)
    if seen[node] then return end
    seen[node] = true
    for _, arg in ipairs(node.args) do visit(arg) end
    local list = node.expr and operations or parameters
    list[#list + 1] = node
  end
  for _, node in ipairs(results) do visit(node) end
  table.sort(operations, function(a, b) return a.order < b.order end)
  return operations, parameters
end

-- The number of the argument that a parameter takes; nil for a value that is computed first.
local function argument_of(node) return node.arg or node.host and node.host.arg end

local function by_argument(a, b)
  local x, y = argument_of(a) or math.huge, argument_of(b) or math.huge
  if x ~= y then return x < y end
  return a.order < b.order
end

local function statements(operations)
  local lines = {}
  for k, node in ipairs(operations) do
    lines[k] = ("const %s %s = %s;\n"):format(node.dtype, node.var, node.expr)
  end
  return table.concat(lines)
end

local function device_functions(operations)
  local list, seen = {}, {}
  for _, node in ipairs(operations) do
    for _, text in ipairs(node.texts) do
      if not seen[text] then
        seen[text] = true
        list[#list + 1] = text
      end
    end
  end
  return table.concat(list)
end

-- Parts -------------------------------------------------------------------------------------------

local function check_count(name, inputs, outputs)
  if inputs + outputs <= core.most_params then return end
  fail(name, "%d arguments and %d results are more than the %d that a kernel takes", inputs,
    outputs, core.most_params)
end

local function elementwise_part(name, results, numbers, arrays)
  local operations, parameters = needed(results)
  local seen = {}
  for _, node in ipairs(parameters) do seen[node] = true end
  for _, node in ipairs(arrays or {}) do
    if not seen[node] then parameters[#parameters + 1] = node end
  end
  check_count(name, #parameters, #results)
  table.sort(parameters, by_argument)
  local list, types, lines = {}, {}, { statements(operations) }
  for k, node in ipairs(parameters) do
    list[k] = { name = node.shown, variable = node.var, dtype = node.dtype, raw = false }
    types[k] = node.dtype
  end
  for k, node in ipairs(results) do
    local out = #results == 1 and "out" or "out" .. k
    list[#list + 1], types[#types + 1] = { name = out, dtype = node.dtype, raw = false }, node.dtype
    lines[#lines + 1] = ("%s = %s;\n"):format(out, node.var)
  end
  local state = { name = name, params = list, nin = #parameters, variants = {},
    options = ufunc.OPTIONS, body = table.concat(lines),
    preamble = device_functions(operations), resolve = function() return types end }
  state.mentioned = mentions.named(state, { "body", "preamble" })
  local target = core.elementwise_new(state, { inputs = #parameters, outputs = #results })
  return { target = target, parameters = parameters, results = numbers }
end

local function reduction_part(name, node, number)
  local operations, parameters = needed { node.of }
  check_count(name, #parameters, 1)
  table.sort(parameters, by_argument)
  local given, inputs, names, list = {}, {}, {}, {}
  for key, value in pairs(node.reduced) do given[key] = value end
  for k, p in ipairs(parameters) do
    names[k] = "x" .. k
    inputs[k] = p.dtype .. " " .. names[k]
    list[k] = ("const %s %s"):format(p.dtype, p.var)
  end
  local value = ("_lcu_fused(%s)"):format(table.concat(names, ", "))
  given.inputs, given.name = table.concat(inputs, ", "), name
  local function of_value(map) return map and map:gsub("%f[%w_]x%f[^%w_]", value) end
  given.map = of_value(given.map)
  local fold = given.fold
  given.fold = fold and { item = fold.item, text = fold.text, map = of_value(fold.map) }
  local seek = given.seek
  given.seek = seek and { text = seek.text, map = of_value(seek.map) }
  given.preamble = ("%s%s__device__ __forceinline__ %s _lcu_fused(%s) {\n%sreturn %s;\n}\n"):format(
    given.preamble or "",
    device_functions(operations), node.of.dtype, table.concat(list, ", "), statements(operations),
    node.of.var)
  given.flags = ufunc.OPTIONS.flags
  local target = require("luacuda.builder.reduction").own(given)
  return { target = target, parameters = parameters, results = { number },
    reduction = node.options }
end

return { elementwise_part = elementwise_part, reduction_part = reduction_part,
  argument_of = argument_of }

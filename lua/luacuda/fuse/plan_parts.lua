-- plan_parts.lua: the kernels of a fused function. A part of a plan is one kernel: { target = an
-- Elementwise or a Reduction, parameters =, results = numbers of the results, reduction = options
-- of a Reduction }.
--
-- Work is what a kernel computes for each element, from nodes of a trace (here) or from a function
-- that is compiled (compiled.lua): { parameters = { name or shown, var, dtype, and arg, stage or
-- host: where the value comes from }, statements =, preamble = C++ text, values = C++ expressions
-- of the results, dtypes = of the results }.

local core = require "luacuda.core"
local ufunc = require "luacuda.array.ufunc"
local fail = require("luacuda.base.arguments").fail
local elementwise = require "luacuda.builder.elementwise"
local mentions = require "luacuda.builder.mentions"

local M = {}

-- Nodes of a trace --------------------------------------------------------------------------------

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
function M.argument_of(node) return node.arg or node.host and node.host.arg end

local function by_argument(a, b)
  local x, y = M.argument_of(a) or math.huge, M.argument_of(b) or math.huge
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

-- work_of(results, arrays) -> the work of nodes; `arrays`: nodes of arrays whose shapes count too
function M.work_of(results, arrays)
  local operations, parameters = needed(results)
  local seen, work = {}, { values = {}, dtypes = {} }
  for _, node in ipairs(parameters) do seen[node] = true end
  for _, node in ipairs(arrays or {}) do
    if not seen[node] then parameters[#parameters + 1] = node end
  end
  table.sort(parameters, by_argument)
  for k, node in ipairs(results) do work.values[k], work.dtypes[k] = node.var, node.dtype end
  work.parameters, work.statements = parameters, statements(operations)
  work.preamble = device_functions(operations)
  return work
end

-- Parts -------------------------------------------------------------------------------------------

local function check_count(name, inputs, outputs)
  if inputs + outputs <= core.most_params then return end
  fail(name, "%d arguments and %d results are more than the %d that a kernel takes", inputs,
    outputs, core.most_params)
end

-- The name of the kernel must differ from those of C++ functions of the script.
local function renamed(own)
  return setmetatable({ name = "luacuda_" .. own.name, shown = own.name }, { __index = own })
end

-- elementwise(name, work, numbers) -> part that gives the results of these numbers
function M.elementwise(name, work, numbers)
  check_count(name, #work.parameters, #work.values)
  local list, types, lines = {}, {}, { work.statements }
  for k, p in ipairs(work.parameters) do
    list[k] = { name = p.shown, variable = p.var, dtype = p.dtype, raw = false }
    types[k] = p.dtype
  end
  for k, value in ipairs(work.values) do
    local out = #work.values == 1 and "out" or "out" .. k
    list[#list + 1], types[#types + 1] = { name = out, dtype = work.dtypes[k], raw = false },
      work.dtypes[k]
    lines[#lines + 1] = ("%s = %s;\n"):format(out, value)
  end
  local state = { name = name, params = list, nin = #work.parameters, variants = {},
    options = ufunc.OPTIONS, body = table.concat(lines), preamble = work.preamble,
    resolve = function() return types end, variant = work.is_compiled and renamed or nil }
  state.mentioned = mentions.named(state, { "body", "preamble" })
  local target = elementwise.new(state, { inputs = #work.parameters, outputs = #work.values })
  return { target = target, parameters = work.parameters, results = numbers }
end

-- The declaration of a reduction with `value` in place of x.
local function with_value(made, value)
  local given = {}
  for key, text in pairs(made) do given[key] = text end
  local function of_value(map) return map and map:gsub("%f[%w_]x%f[^%w_]", value) end
  given.map = of_value(made.map)
  local fold, seek = made.fold, made.seek
  given.fold = fold and { item = fold.item, text = fold.text, map = of_value(fold.map) }
  given.seek = seek and { text = seek.text, map = of_value(seek.map) }
  return given
end

-- reduction(name, work, made, options, number) -> part that reduces the work's value; `made`: the
-- declaration of the reduction
function M.reduction(name, work, made, options, number)
  check_count(name, #work.parameters, 1)
  local inputs, names, list = {}, {}, {}
  for k, p in ipairs(work.parameters) do
    names[k] = "x" .. k
    inputs[k] = p.dtype .. " " .. names[k]
    list[k] = ("const %s %s"):format(p.dtype, p.var)
  end
  local given = with_value(made, ("_lcu_fused(%s)"):format(table.concat(names, ", ")))
  given.inputs, given.name = table.concat(inputs, ", "), name
  given.preamble = ("%s%s__device__ __forceinline__ %s _lcu_fused(%s) {\n%sreturn %s;\n}\n"):format(
    given.preamble or "", work.preamble, work.dtypes[1], table.concat(list, ", "),
    work.statements, work.values[1])
  given.flags = ufunc.OPTIONS.flags
  local target = require("luacuda.builder.reduction").own(given)
  return { target = target, parameters = work.parameters, results = { number },
    reduction = options, dtype = M.dtype_of(made) }
end

-- The dtype of a reduction's result, from its declaration.
function M.dtype_of(made) return made.outputs:match "^%s*(%S+)" end

return M

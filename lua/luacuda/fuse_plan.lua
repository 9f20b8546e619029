-- fuse_plan.lua: from what trace.lua recorded to kernels, and to the function that runs them for arguments.

local core = require "luacuda.core"
local ufunc = require "luacuda.ufunc"

local function fail(what, fmt, ...) core.misuse(what .. ": " .. fmt:format(...)) end

-- CUDA text ---------------------------------------------------------------------------------------------------------------------

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

-- Where a parameter's value comes from: the number of an argument, or nil for what has to be worked out.
local function argument_of(node) return node.arg or node.host and node.host.arg end

local function by_argument(a, b)
  local x, y = argument_of(a) or math.huge, argument_of(b) or math.huge
  if x ~= y then return x < y end
  return a.order < b.order
end

local function statements(operations)
  local lines = {}
  for k, node in ipairs(operations) do lines[k] = ("const %s %s = %s;\n"):format(node.dtype, node.var, node.expr) end
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

local function dtypes_of(operations)
  local list = {}
  for k, node in ipairs(operations) do list[k] = node.dtype end
  return list
end

-- Parts -------------------------------------------------------------------------------------------------------------------------
-- A part of a plan is one kernel: { target =, parameters = nodes, results = numbers of the results }.

local function elementwise_part(name, results, numbers, arrays)
  local operations, parameters = needed(results)
  local seen = {}
  for _, node in ipairs(parameters) do seen[node] = true end
  for _, node in ipairs(arrays or {}) do
    if not seen[node] then parameters[#parameters + 1] = node end
  end
  table.sort(parameters, by_argument)
  local list, types, lines = {}, {}, { statements(operations) }
  for k, node in ipairs(parameters) do
    list[k], types[k] = { name = node.shown, variable = node.var, dtype = node.dtype, raw = false }, node.dtype
  end
  for k, node in ipairs(results) do
    local out = #results == 1 and "out" or "out" .. k
    list[#list + 1], types[#types + 1] = { name = out, dtype = node.dtype, raw = false }, node.dtype
    lines[#lines + 1] = ("%s = %s;\n"):format(out, node.var)
  end
  local state = { name = name, params = list, nin = #parameters, variants = {}, options = ufunc.OPTIONS, body = table.concat(lines),
    preamble = device_functions(operations), mentioned = dtypes_of(operations), resolve = function() return types end }
  local target = core.elementwise_new(state, { inputs = #parameters, outputs = #results })
  return { target = target, parameters = parameters, results = numbers }
end

local function reduction_part(name, node, number)
  local operations, parameters = needed { node.of }
  table.sort(parameters, by_argument)
  local given, inputs, names, list = {}, {}, {}, {}
  for key, value in pairs(node.reduced) do given[key] = value end
  for k, p in ipairs(parameters) do
    names[k] = "x" .. k
    inputs[k] = p.dtype .. " " .. names[k]
    list[k] = ("const %s %s"):format(p.dtype, p.var)
  end
  local value = ("_lcu_fused(%s)"):format(table.concat(names, ", "))
  given.inputs, given.map, given.name = table.concat(inputs, ", "), given.map:gsub("%f[%w_]x%f[^%w_]", value), name
  given.preamble = ("%s%s__device__ __forceinline__ %s _lcu_fused(%s) {\n%sreturn %s;\n}\n"):format(given.preamble or "",
    device_functions(operations), node.of.dtype, table.concat(list, ", "), statements(operations), node.of.var)
  given.flags = ufunc.OPTIONS.flags
  local target = require("luacuda.reduction").own(given)
  return { target = target, parameters = parameters, results = { number }, reduction = node.options }
end

-- Plans -------------------------------------------------------------------------------------------------------------------------
-- A plan is what C keeps for kinds of arguments: { kinds =, parts =, target = an Elementwise that takes the arguments as they are,
-- or run = function of arguments and options }.

-- Lua expressions of a part's parameters, from arguments a1, a2 ...
local function input_codes(part)
  local codes_of_inputs = {}
  for k, node in ipairs(part.parameters) do codes_of_inputs[k] = node.host and node.host.code or "a" .. node.arg end
  return codes_of_inputs
end

local function argument_names(n)
  local names = {}
  for k = 1, n do names[k] = "a" .. k end
  return names
end

-- part.call(options, arguments ...) runs the part, part.inputs(arguments ...) gives what it runs on.
local function add_functions(name, plan, part)
  local names, inputs = argument_names(#plan.kinds), table.concat(input_codes(part), ", ")
  local text = ("local target, k = ... return function(options, %s) return target(%s, options) end, function(%s) return %s end"):format(
    table.concat(names, ", "), inputs, table.concat(names, ", "), inputs)
  part.call, part.inputs = assert(load(text, "=" .. name, "t", { math = math }))(part.target, plan.constants)
  return part
end

local function set_key(set)
  local list = {}
  for k in pairs(set) do list[#list + 1] = k end
  table.sort(list)
  return table.concat(list, " "), list
end

local EMPTY = {}

-- Options for a part, of those that the call has.
local function options_for(name, part, opts, count)
  local passed = { stream = opts.stream }
  for key, value in pairs(part.reduction or EMPTY) do passed[key] = value end
  if opts.out ~= nil then
    local outs = opts.out
    if core.type(outs) == "array" or type(outs) ~= "table" then
      if count > 1 then fail(name, "option 'out': expected a list of %d arrays", count) end
      outs = { outs }
    end
    local own = {}
    for k, number in ipairs(part.results) do own[k] = outs[number] end
    passed.out = own
  end
  return passed
end

local KNOWN = { out = true, stream = true }

local function check_options(name, opts)
  for key in pairs(opts) do
    if not KNOWN[key] then fail(name, "unknown option '%s'%s", tostring(key), core.near(tostring(key), { "out", "stream" })) end
  end
end

-- A reduction over everything is a Lua value, which is waited for, unless it goes to `out`.
local function is_value(part, opts)
  local r = part.reduction
  return r and r.axis == nil and not r.keepdims and opts.out == nil
end

local function value_of(y)
  local value = y:item()
  y:free()
  return value
end

local function run_part(name, part, opts, results, count, ...)
  local got = table.pack(part.call(options_for(name, part, opts, count), ...))
  for k, number in ipairs(part.results) do results[number] = got[k] end
  if is_value(part, opts) then results[part.results[1]] = value_of(got[1]) end
end

-- Have the arguments of these numbers one shape?
local function same_shapes(numbers, ...)
  local first = select(numbers[1], ...)
  for k = 2, #numbers do
    if not first:same_shape((select(numbers[k], ...))) then return false end
  end
  return true
end

-- A function of arguments and options that runs the parts. `apart`: parts for arrays of different shapes, or nil.
local function runner(name, plan, n, count)
  return function(...)
    local opts = select(n + 1, ...) or EMPTY
    check_options(name, opts)
    local parts, results = plan.parts, {}
    if plan.apart and not same_shapes(plan.arrays, ...) then parts = plan.apart() end
    for _, part in ipairs(parts) do run_part(name, part, opts, results, count, ...) end
    return table.unpack(results, 1, count)
  end
end

-- The same for one part of which nothing has to be chosen, without tables.
local function single_runner(name, part, n)
  local call, fixed = part.call, part.reduction
  if not fixed then return function(...) return call((select(n + 1, ...)), ...) end end
  local alone = is_value(part, EMPTY)
  return function(...)
    local opts = select(n + 1, ...)
    if opts then check_options(name, opts) end
    local y = call(opts and options_for(name, part, opts, 1) or fixed, ...)
    return alone and not (opts and opts.out) and value_of(y) or y
  end
end

-- Does the part take exactly the arguments?
local function is_straight(part, n)
  if part.reduction or #part.parameters ~= n then return false end
  for k, node in ipairs(part.parameters) do
    if argument_of(node) ~= k then return false end
  end
  return true
end

-- The results that one kernel can give, by the arrays they are made of: where shapes differ, so may those of the results.
local function groups_of(results, kept, everything)
  local groups, order = {}, {}
  for _, number in ipairs(kept) do
    local arrays = results[number].arrays
    local key = set_key(next(arrays) and arrays or everything)
    if not groups[key] then
      groups[key] = {}
      order[#order + 1] = groups[key]
    end
    table.insert(groups[key], number)
  end
  return order
end

local function pick(results, numbers)
  local list = {}
  for k, number in ipairs(numbers) do list[k] = results[number] end
  return list
end

-- The element-wise results as one part, and as several where the arrays' shapes differ.
local function add_elementwise(name, plan, results, numbers, kinds)
  local everything, list = {}, {}
  for k, kind in ipairs(kinds) do
    if kind ~= "int" and kind ~= "float" and kind ~= "boolean" and kind ~= "complex" and kind:sub(1, 1) ~= "=" then everything[k] = true end
  end
  local constant = false
  for _, number in ipairs(numbers) do constant = constant or next(results[number].arrays) == nil end
  for k in pairs(everything) do list[#list + 1] = plan.arguments[k] end
  local extra = constant and list or nil
  table.insert(plan.parts, 1, elementwise_part(name, pick(results, numbers), numbers, extra))
  local groups = groups_of(results, numbers, everything)
  if #groups == 1 then return end
  local _, arrays = set_key(everything)
  local made
  plan.arrays = arrays
  function plan.apart()
    if made then return made end
    made = table.move(plan.parts, 2, #plan.parts, 1, {})
    for _, group in ipairs(groups) do
      local own = next(results[group[1]].arrays) == nil and list or nil
      table.insert(made, add_functions(name, plan, elementwise_part(name, pick(results, group), group, own)))
    end
    return made
  end
end

-- new(name, kinds, results, arguments, constants) -> plan; the last three as trace.run gives them.
local function new_plan(name, kinds, results, arguments, constants)
  local plan = { kinds = kinds, parts = {}, arguments = arguments, constants = constants, results = {} }
  local numbers = {}
  for k, node in ipairs(results) do
    if node.reduced then
      if next(node.of.arrays) == nil then fail(name, "result %d: %s is made of numbers alone", k, node.shown) end
      plan.parts[#plan.parts + 1] = reduction_part(name, node, k)
    else
      numbers[#numbers + 1] = k
    end
    plan.results[k] = node.reduced and node.shown or node.dtype
  end
  if #numbers > 0 then add_elementwise(name, plan, results, numbers, kinds) end
  local only = #plan.parts == 1 and plan.parts[1]
  for _, part in ipairs(plan.parts) do add_functions(name, plan, part) end
  if plan.apart or not only then plan.run = runner(name, plan, #kinds, #results)
  elseif is_straight(only, #kinds) then plan.target = only.target
  else plan.run = single_runner(name, only, #kinds) end
  return plan
end

return { new = new_plan }

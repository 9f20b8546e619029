-- fuse.lua: cuda.fuse: a function of arrays becomes one kernel. trace.lua records what the function does to arguments of certain
-- kinds; this file makes kernels of that and keeps them: a call is C's work (lcul_fuse.c) once there is a plan for its kinds.

local core = require "luacuda.core"
local trace = require "luacuda.trace"
local ufunc = require "luacuda.ufunc"
local params = require "luacuda.params"
require "luacuda.elementwise"

local methods = core.class "Fused"

local MOST_VARIANTS = 100               -- traces of one function before a warning
local MOST_FAMILIES = 1000              -- values of upvalues that a function's kernels are kept for

local function fail(what, fmt, ...) core.misuse(what .. ": " .. fmt:format(...)) end

-- Families ----------------------------------------------------------------------------------------------------------------------
-- Functions with the same code and equal upvalues share their plans.

local identities, last_identity = setmetatable({}, { __mode = "k" }), 0

local function identity(v)
  if identities[v] == nil then
    last_identity = last_identity + 1
    identities[v] = last_identity
  end
  return ("%s %d"):format(type(v), identities[v])
end

-- The code of a Lua function, or which C function it is.
local function code_of(fn)
  if debug.getinfo(fn, "S").what == "C" then return identity(fn) end
  return string.dump(fn, true)
end

local function key_of(v)
  if math.type(v) == "float" then return string.pack("<zd", "float", v) end
  if v == nil or type(v) == "boolean" or type(v) == "number" then return tostring(v) end
  return type(v) == "string" and string.pack("<zs8", "string", v) or identity(v)
end

-- Upvalues of a function and of the Lua functions among them: appends to `seen` (owners, numbers, values) and to `key`.
local function look_at(fn, seen, key)
  if seen[fn] then
    key[#key + 1] = "function again " .. seen[fn]
    return
  end
  seen.functions = seen.functions + 1
  seen[fn] = seen.functions
  local code = code_of(fn)
  key[#key + 1] = string.pack("<s8", code)
  for k = 1, 255 do
    local name, value = debug.getupvalue(fn, k)
    if not name or debug.getinfo(fn, "S").what == "C" then break end
    local at = #seen.owners + 1
    seen.owners[at], seen.numbers[at], seen.values[at] = fn, k, value
    if type(value) == "function" then look_at(value, seen, key) else key[#key + 1] = key_of(value) end
  end
end

local codes = {} -- code of a function -> { count = families, traces =, [key] = plans }

local hooks = {}

-- -> the functions whose upvalues count, the numbers of these, their values; and the plans for the function as it is.
function hooks.family(state, fn)
  local seen, key = { functions = 0, owners = {}, numbers = {}, values = {} }, { state.name }
  look_at(fn, seen, key)
  local code = key[2]
  local families = codes[code]
  if not families or families.count > MOST_FAMILIES then
    families = { count = 0, traces = 0 }
    codes[code] = families
  end
  local whole = table.concat(key, "\0")
  if not families[whole] then
    families[whole] = { families = families }
    families.count = families.count + 1
  end
  return seen.owners, seen.numbers, seen.values, families[whole]
end

local function count_trace(state, fn, plans)
  local families = plans.families
  families.traces = families.traces + 1
  if families.traces ~= MOST_VARIANTS or not warn then return end
  local info = debug.getinfo(fn, "S")
  warn(("luacuda: %s (%s:%d) was traced %d times: every value of a number, boolean or string among its upvalues and every "
    .. "combination of argument types makes a kernel; pass as arguments what changes"):format(state.name, info.short_src, info.linedefined,
    MOST_VARIANTS))
end

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
    list[k], types[k] = { name = node.var, dtype = node.dtype, raw = false }, node.dtype
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

-- Values of a part's parameters, from the arguments of the call.
local function inputs_of(part, args)
  local inputs = {}
  for k, node in ipairs(part.parameters) do
    local at = argument_of(node)
    if at then inputs[k] = args[at] else inputs[k] = node.host.value(args) end
  end
  return inputs, #part.parameters
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

local function run_part(name, part, args, opts, results, count)
  local inputs, n = inputs_of(part, args)
  inputs[n + 1] = options_for(name, part, opts, count)
  local got = table.pack(part.target(table.unpack(inputs, 1, n + 1)))
  for k, number in ipairs(part.results) do results[number] = got[k] end
  if is_value(part, opts) then
    local y = got[1]
    results[part.results[1]] = y:item()
    y:free()
  end
end

local function same_shapes(args, kinds_are_arrays)
  local first
  for _, k in ipairs(kinds_are_arrays) do
    if first and not first:same_shape(args[k]) then return false end
    first = first or args[k]
  end
  return true
end

-- A function of arguments and options that runs the parts. `apart`: parts for arrays of different shapes, or nil.
local function runner(name, plan, n, count)
  return function(...)
    local args = { ... }
    local opts = args[n + 1] or EMPTY
    check_options(name, opts)
    local parts, results = plan.parts, {}
    if plan.apart and not same_shapes(args, plan.arrays) then parts = plan.apart() end
    for _, part in ipairs(parts) do run_part(name, part, args, opts, results, count) end
    return table.unpack(results, 1, count)
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
      table.insert(made, elementwise_part(name, pick(results, group), group, own))
    end
    return made
  end
end

local function new_plan(name, kinds, results, arguments)
  local plan = { kinds = kinds, parts = {}, arguments = arguments, results = {} }
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
  if only and not plan.apart and is_straight(only, #kinds) then plan.target = only.target
  else plan.run = runner(name, plan, #kinds, #results) end
  return plan
end

function hooks.plan(state, fn, kinds, plans)
  count_trace(state, fn, plans)
  local results, arguments = trace.run(state.name, fn, kinds)
  local plan = new_plan(state.name, kinds, results, arguments)
  plans.latest = plan
  return plan
end

core.fused_hooks(hooks)

-- cuda.fuse -----------------------------------------------------------------------------------------------------------------------

-- fuse(fn [, { name = }]) -> Fused
local function fuse(fn, options)
  local kind = core.type(fn)
  if type(fn) ~= "function" then fail("fuse", "expected a function, got %s", kind or type(fn)) end
  if options ~= nil and type(options) ~= "table" then
    fail("fuse", "expected options (a table), got %s", core.type(options) or type(options))
  end
  for key in pairs(options or EMPTY) do
    if key ~= "name" then fail("fuse", "unknown option '%s'%s", tostring(key), core.near(tostring(key), { "name" })) end
  end
  local name = options and options.name
  if name ~= nil then params.check_kernel_name("fuse", name) end
  return core.fused_new({ name = name or "fused" }, fn)
end

-- The plan for the arguments, else that made last.
local function plan_for(f, method, ...)
  if select("#", ...) > 0 then return core.fused_plan(f, ...) end
  local plan = core.fused_plans(f).latest
  return plan or fail(f.name, "%s: nothing is traced yet: pass arguments as in a call", method)
end

local function texts_of(f, method, ...)
  local plan, texts = plan_for(f, method, ...), {}
  local args = { ... }
  for k, part in ipairs(plan.parts) do
    if part.reduction or #args == 0 then
      texts[k] = part.target[method](part.target)
    else
      local inputs, n = inputs_of(part, args)
      texts[k] = part.target[method](part.target, table.unpack(inputs, 1, n))
    end
  end
  return table.concat(texts, "\n")
end

-- f:source(...) -> CUDA text of the kernels that a call with these arguments runs; without arguments, of those traced last
function methods.source(f, ...) return texts_of(f, "source", ...) end

-- f:ptx(...) -> PTX of these kernels
function methods.ptx(f, ...) return texts_of(f, "ptx", ...) end

-- f:cached() -> list of what was traced for the function with its upvalues as they are: { arguments =, results =, kernels = }
function methods.cached(f)
  local list = {}
  for key, plan in pairs(core.fused_plans(f)) do
    if key ~= "latest" and key ~= "families" then
      local kernels = {}
      for _, part in ipairs(plan.parts) do
        local rows = part.target:cached()
        table.move(rows, 1, #rows, #kernels + 1, kernels)
      end
      list[#list + 1] = { arguments = table.move(plan.kinds, 1, #plan.kinds, 1, {}),
        results = table.move(plan.results, 1, #plan.results, 1, {}), kernels = kernels }
    end
  end
  table.sort(list, function(a, b) return table.concat(a.arguments, " ") < table.concat(b.arguments, " ") end)
  return list
end

return { fuse = fuse }

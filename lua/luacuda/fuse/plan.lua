-- plan.lua: plans for the results that trace.lua recorded: which kernels give them, and the
-- function that runs the kernels for arguments.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"
local makers = require "luacuda.fuse.parts"

local fail = arguments.fail

local elementwise_part, reduction_part = makers.elementwise_part, makers.reduction_part
local argument_of = makers.argument_of

-- Plans -------------------------------------------------------------------------------------------
-- A plan is what C keeps for kinds of arguments: { kinds =, parts =, and target = an Elementwise
-- that takes the arguments directly, or run = function of arguments and options }.

-- so that positions in messages skip generated code as well
local SOURCE = debug.getinfo(1, "S").source

local function argument_names(n)
  local names = {}
  for k = 1, n do names[k] = "a" .. k end
  return table.concat(names, ", ")
end

-- Lua expressions of a part's parameters, from arguments a1, a2 ... Computed numbers are calls of
-- functions in a list named h; Lua's messages about them begin with `name`.
local function input_codes(name, plan, part)
  local list, computed, names = {}, {}, argument_names(#plan.kinds)
  for k, node in ipairs(part.parameters) do
    local at = argument_of(node)
    if at then
      list[k] = "a" .. at
    else
      local text = ("local k = ... return function(%s) return %s end"):format(names, node.host.code)
      local chunk = assert(load(text, "=" .. name, "t", { math = math }))
      computed[#computed + 1] = chunk(plan.constants)
      list[k] = ("h[%d](%s)"):format(#computed, names)
    end
  end
  return table.concat(list, ", "), computed
end

-- Adds part.call(options, arguments ...), which runs the part, and part.inputs(arguments ...),
-- which gives its inputs.
local function add_functions(name, plan, part)
  local names = argument_names(#plan.kinds)
  local inputs, computed = input_codes(name, plan, part)
  local text = ("local target, h = ... return function(options, %s) return target(%s, options) "
    .. "end, function(%s) return %s end"):format(
    names, inputs, names, inputs)
  part.call, part.inputs = assert(load(text, SOURCE))(part.target, computed)
  return part
end

local function set_key(set)
  local list = lists.sorted_keys(set)
  return table.concat(list, " "), list
end

local EMPTY = {}

-- Option `out` as a list of arrays, by the number of the result.
local function outputs_of(name, opts, count)
  local outs = opts.out
  if outs == nil then return EMPTY end
  if core.type(outs) ~= "array" and type(outs) == "table" then return outs end
  if count > 1 then fail(name, "option 'out': expected a list of %d arrays", count) end
  return { outs }
end

-- The options for a part, from those of the call; `outs` has the arrays that were given for
-- results.
local function options_for(part, opts, outs)
  local passed = { stream = opts.stream }
  for key, value in pairs(part.reduction or EMPTY) do passed[key] = value end
  if opts.out ~= nil then
    local own = {}
    for k, number in ipairs(part.results) do own[k] = outs[number] end
    passed.out = own
  end
  return passed
end

local OPTIONS = { "out", "stream" }

-- Is the result a Lua value, which the call waits for? That of a reduction over all axes is, unless
-- it goes to an array of `outs`.
local function is_value(part, outs)
  local r = part.reduction
  return r and r.axis == nil and not r.keepdims and outs[part.results[1]] == nil
end

local function value_of(y)
  local value = y:item()
  y:free()
  return value
end

local function run_part(part, opts, outs, results, ...)
  local got = table.pack(part.call(options_for(part, opts, outs), ...))
  for k, number in ipairs(part.results) do results[number] = got[k] end
end

-- The arrays of `outs` that cannot be written directly, because parts that run later read their
-- memory. `n`: number of arguments of the function.
local function read_later(parts, outs, n, ...)
  local list, given = {}, { ... }
  for k = 1, #parts - 1 do
    for _, number in ipairs(parts[k].results) do
      for j = 1, n do
        if outs[number] ~= nil and core.type(given[j]) == "array"
          and core.type(outs[number]) == "array"
          and operands.overlap(outs[number], given[j]) then list[number] = outs[number] end
      end
    end
  end
  return list
end

-- `outs` without those in `later`.
local function without(outs, later)
  if next(later) == nil then return outs end
  local rest = {}
  for number, out in pairs(outs) do
    if later[number] == nil then rest[number] = out end
  end
  return rest
end

-- Copies results that were computed elsewhere into the arrays that were given for them.
local function move_results(name, results, later, stream)
  for number, out in pairs(later) do
    local made = results[number]
    if out.dtype ~= made.dtype or not out:same_shape(made) then
      fail(name, "option 'out': result %d is %s %s, the array is %s %s", number, made.dtype,
        lists.shape_text(made.shape), out.dtype, lists.shape_text(out.shape))
    end
    core.copy(out, made, { stream = stream })
    made:free()
    results[number] = out
  end
end

local function run_parts(name, parts, n, count, opts, ...)
  local outs, results = outputs_of(name, opts, count), {}
  local later = next(outs) ~= nil and read_later(parts, outs, n, ...) or EMPTY
  local now = without(outs, later)
  for _, part in ipairs(parts) do run_part(part, opts, now, results, ...) end
  move_results(name, results, later, opts.stream)
  for _, part in ipairs(parts) do
    local number = part.results[1]
    if is_value(part, outs) then results[number] = value_of(results[number]) end
  end
  return table.unpack(results, 1, count)
end

-- Do the arguments of these numbers have the same shape?
local function same_shapes(numbers, ...)
  local first = select(numbers[1], ...)
  for k = 2, #numbers do
    if not first:same_shape((select(numbers[k], ...))) then return false end
  end
  return true
end

-- A function of arguments and options that runs the parts: those of plan.apart where the arrays
-- have different shapes.
local function runner(name, plan, n, count)
  return function(...)
    local opts = select(n + 1, ...) or EMPTY
    arguments.check_names(name, opts, OPTIONS)
    local parts = plan.parts
    if plan.apart and not same_shapes(plan.arrays, ...) then parts = plan.apart() end
    return run_parts(name, parts, n, count, opts, ...)
  end
end

-- The same for a single part without choices; it makes no tables.
local function single_runner(name, part, n)
  local call, fixed = part.call, part.reduction
  if not fixed then return function(...) return call((select(n + 1, ...)), ...) end end
  local alone = is_value(part, EMPTY)
  return function(...)
    local opts = select(n + 1, ...)
    if opts then arguments.check_names(name, opts, OPTIONS) end
    local y = call(opts and options_for(part, opts, outputs_of(name, opts, 1)) or fixed, ...)
    if alone and not (opts and opts.out) then return value_of(y) end
    return y
  end
end

-- Does the part take exactly the arguments, in order?
local function is_straight(part, n)
  if part.reduction or #part.parameters ~= n then return false end
  for k, node in ipairs(part.parameters) do
    if argument_of(node) ~= k then return false end
  end
  return true
end

-- Groups the results by the arrays that they are made of: a kernel can give a group, whose results
-- have one shape.
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

-- Adds the element-wise results as one part, and as several parts for arrays of different shapes.
local function add_elementwise(name, plan, results, numbers, kinds)
  local everything, list = {}, {}
  for k, kind in ipairs(kinds) do
    if dtypes.of(kind) then everything[k] = true end
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
      table.insert(made, add_functions(name, plan,
        elementwise_part(name, pick(results, group), group, own)))
    end
    return made
  end
end

-- plan.new(name, kinds, results, args, constants) -> plan; the last three are those of trace.run
local function new_plan(name, kinds, results, args, constants)
  local plan = { kinds = kinds, parts = {}, arguments = args, constants = constants, results = {} }
  local numbers = {}
  for k, node in ipairs(results) do
    if node.reduced then
      if next(node.of.arrays) == nil then
        fail(name, "result %d: %s is made of numbers only", k, node.shown)
      end
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

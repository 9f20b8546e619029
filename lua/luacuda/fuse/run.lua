-- run.lua: runs the kernels of a plan (plan.lua) for arguments.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"
local argument_of = require("luacuda.fuse.plan_parts").argument_of

local fail = arguments.fail

local M = {}

-- so that positions in messages skip generated code as well
local SOURCE = debug.getinfo(1, "S").source

local OPTIONS = { "out", "stream" }
local EMPTY = {}

-- Generated functions -----------------------------------------------------------------------------

local function argument_names(n)
  local names = {}
  for k = 1, n do names[k] = "a" .. k end
  return table.concat(names, ", ")
end

-- A function of reduced arrays r, reduced values v and arguments a1, a2 ... that computes a number.
-- Lua's messages about it begin with `name`.
local function number_function(name, plan, code)
  local text = ("local k = ... return function(r, v, %s) return %s end"):format(
    argument_names(#plan.kinds), code)
  return assert(load(text, "=" .. name, "t", { math = math }))(plan.constants)
end

-- Lua expressions of a part's parameters. Computed numbers are calls of functions in a list h.
local function input_codes(name, plan, part)
  local list, computed, names = {}, {}, argument_names(#plan.kinds)
  for k, node in ipairs(part.parameters) do
    local at = argument_of(node)
    if at then list[k] = "a" .. at
    elseif node.stage then list[k] = ("r[%d]"):format(node.stage)
    else
      computed[#computed + 1] = number_function(name, plan, node.host.code)
      list[k] = ("h[%d](r, v, %s)"):format(#computed, names)
    end
  end
  return table.concat(list, ", "), computed
end

local FUNCTIONS = [[local target, h = ...
local r, v
return function(options, r, v, ARGS) return target(INPUTS, options) end,
  function(options, ARGS) return target(INPUTS, options) end,
  function(r, v, ARGS) return INPUTS end]]

-- prepare(name, plan, part) adds part.call(options, r, v, arguments ...), which runs the part;
-- part.alone(options, arguments ...) for plans without stages; part.inputs(r, v, arguments ...),
-- which gives its inputs.
function M.prepare(name, plan, part)
  local inputs, computed = input_codes(name, plan, part)
  local text = FUNCTIONS:gsub("%u%u+", { ARGS = argument_names(#plan.kinds), INPUTS = inputs })
  part.call, part.alone, part.inputs = assert(load(text, SOURCE))(part.target, computed)
  return part
end

-- prepare_value(name, plan, value) adds value.compute(r, v, arguments ...).
function M.prepare_value(name, plan, value)
  value.compute = number_function(name, plan, value.code)
end

-- Options -----------------------------------------------------------------------------------------

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

-- Results -----------------------------------------------------------------------------------------

-- Is the result a Lua value, which the call waits for? That of a reduction over all axes is, unless
-- it goes to an array of `outs`.
local function is_value(part, outs)
  if part.is_value then return outs[part.results[1]] == nil end
  local r = part.reduction
  return r and r.axis == nil and not r.keepdims and outs[part.results[1]] == nil
end

local function value_of(y)
  local value = y:item()
  y:free()
  return value
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

-- Running -----------------------------------------------------------------------------------------

local function run_part(part, opts, outs, results, state, ...)
  local got = table.pack(part.call(options_for(part, opts, outs), state.r, state.v, ...))
  for k, number in ipairs(part.results) do results[number] = got[k] end
  if part.stage then
    state.r[part.stage] = got[1]
    if part.wants_value then state.v[part.stage] = got[1]:item() end
  end
end

-- Gives back the arrays of stages that are no results.
local function free_stages(parts, state)
  for _, part in ipairs(parts) do
    if part.stage and part.results[1] == nil then state.r[part.stage]:free() end
  end
end

local function add_values(name, plan, outs, results, state, ...)
  for _, value in ipairs(plan.values) do
    if outs[value.number] ~= nil then
      fail(name, "option 'out': result %d is a number, computed from reduced values: fill the "
        .. "array with it", value.number)
    end
    results[value.number] = value.compute(state.r, state.v, ...)
  end
end

local function run_parts(name, plan, parts, count, opts, ...)
  local outs, results, state = outputs_of(name, opts, count), {}, { r = {}, v = {} }
  local later = next(outs) ~= nil and read_later(parts, outs, #plan.kinds, ...) or EMPTY
  local now = without(outs, later)
  for _, part in ipairs(parts) do run_part(part, opts, now, results, state, ...) end
  move_results(name, results, later, opts.stream)
  free_stages(parts, state)
  add_values(name, plan, outs, results, state, ...)
  for _, part in ipairs(parts) do
    local number = part.results[1]
    if number and is_value(part, outs) then results[number] = value_of(results[number]) end
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

-- all(name, plan, count) -> a function of arguments and options that runs the parts: those of
-- plan.apart where the arrays have different shapes
function M.all(name, plan, count)
  local n = #plan.kinds
  return function(...)
    local opts = select(n + 1, ...) or EMPTY
    arguments.check_names(name, opts, OPTIONS)
    local parts = plan.parts
    if plan.apart and not same_shapes(plan.arrays, ...) then parts = plan.apart() end
    return run_parts(name, plan, parts, count, opts, ...)
  end
end

-- single(name, part, n) -> the same for a single part without choices; it makes no tables
function M.single(name, part, n)
  local call, fixed = part.alone, part.reduction
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

-- is_straight(part, n): does the part take exactly the arguments, in order?
function M.is_straight(part, n)
  if part.reduction or #part.parameters ~= n then return false end
  for k, node in ipairs(part.parameters) do
    if argument_of(node) ~= k then return false end
  end
  return true
end

return M

-- roll.lua: roll and tile: elements that come round again at the end of an axis.

local core = require "luacuda.core"
local axes = require "luacuda.array.axes"
local window = require "luacuda.array.window"
local arguments = require "luacuda.base.arguments"
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"
local plans = require "luacuda.base.plans"

local fail = arguments.fail

local function zeros(n)
  local list = {}
  for i = 1, n do list[i] = 0 end
  return list
end

-- The key of a call that makes its result from a contiguous array.
local function key_of(a, opts, ...)
  return opts.out == nil and a.is_contiguous and core.call_key(a, ...)
end

local rolls, tiles = plans.new(), plans.new()
local ROLL_OPTIONS, TILE_OPTIONS = { "axis", "out", "stream" }, { "out", "stream" }

-- roll --------------------------------------------------------------------------------------------

-- Shift of each axis: of shifts and axes one may be single and then goes with all of the other.
local function shifts_of(shifts, given, ndim)
  local list, total = axes.integers("roll", "option 'axis'", given), zeros(ndim)
  if #shifts ~= #list and #shifts ~= 1 and #list ~= 1 then
    fail("roll", "%d shifts do not go with %d axes", #shifts, #list)
  end
  for i = 1, math.max(#shifts, #list) do
    local d = axes.axis("roll", "option 'axis'", list[#list == 1 and 1 or i], ndim)
    total[d] = total[d] + shifts[#shifts == 1 and 1 or i]
  end
  return total
end

local function sum(list)
  local total = 0
  for _, n in ipairs(list) do total = total + n end
  return total
end

-- cuda.roll(a, shift [, options]), a:roll(shift [, options])
local function roll(a, shift, given)
  a = arguments.array("roll", 1, "a", a)
  local opts = arguments.options("roll", given, ROLL_OPTIONS)
  local key = key_of(a, opts, shift, opts.axis)
  local found = rolls:again(key, a, opts.stream)
  if found then return found end
  local shifts = axes.integers("roll", "argument 2 'shift'", shift)
  local before = opts.axis ~= nil and shifts_of(shifts, opts.axis, a.ndim) or { sum(shifts) }
  local out = operands.result("roll", opts, a, a.dtype, a)
  if out.size == 0 then return out end
  local src = a
  if opts.axis == nil then src = a:contiguous({ stream = opts.stream }):reshape(a.size) end
  for d, n in ipairs(src.shape) do before[d] = before[d] % n end
  local _, plan = window.into(out, src, src.shape, before, "wrap", opts.stream)
  rolls:keep(key, plan)
  return out
end

-- tile --------------------------------------------------------------------------------------------

-- cuda.tile(a, reps [, options]), a:tile(reps [, options])
local function tile(a, reps, given)
  a = arguments.array("tile", 1, "a", a)
  local opts = arguments.options("tile", given, TILE_OPTIONS)
  local key = key_of(a, opts, reps)
  local found = tiles:again(key, a, opts.stream)
  if found then return found end
  local counts = axes.integers("tile", "argument 2 'reps'", reps)
  for _, n in ipairs(counts) do
    if n < 0 then fail("tile", "argument 2 'reps': %d is negative", n) end
  end
  local ndim = math.max(a.ndim, #counts)
  axes.check_count("tile", ndim)
  local from, shape = lists.padded(a.shape, ndim), {}
  counts = lists.padded(counts, ndim)
  for d = 1, ndim do
    shape[d] = axes.times("tile", "argument 2 'reps'", from[d], counts[d])
  end
  local out = operands.result("tile", opts, shape, a.dtype, a)
  local _, plan = window.into(out, a:reshape(from), shape, zeros(ndim), "wrap", opts.stream)
  tiles:keep(key, plan)
  return out
end

return { roll = roll, tile = tile }

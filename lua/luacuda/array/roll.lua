-- roll.lua: roll and tile: elements that come round again at the end of an axis.

local axes = require "luacuda.array.axes"
local window = require "luacuda.array.window"
local arguments = require "luacuda.base.arguments"
local operands = require "luacuda.base.operands"

local fail = arguments.fail

local function zeros(n)
  local list = {}
  for i = 1, n do list[i] = 0 end
  return list
end

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
  local shifts = axes.integers("roll", "argument 2 'shift'", shift)
  local opts = arguments.options("roll", given, { "axis", "out", "stream" })
  local before = opts.axis ~= nil and shifts_of(shifts, opts.axis, a.ndim) or { sum(shifts) }
  local out = operands.result("roll", opts, a, a.dtype, a)
  if out.size == 0 then return out end
  local src = a
  if opts.axis == nil then src = a:contiguous({ stream = opts.stream }):reshape(a.size) end
  for d, n in ipairs(src.shape) do before[d] = before[d] % n end
  return window.into(out, src, src.shape, before, "wrap", opts.stream)
end

-- tile --------------------------------------------------------------------------------------------

-- A list with ones in front, of n items.
local function padded(list, n)
  local more, out = n - #list, {}
  for i = 1, n do out[i] = i > more and list[i - more] or 1 end
  return out
end

-- cuda.tile(a, reps [, options]), a:tile(reps [, options])
local function tile(a, reps, given)
  a = arguments.array("tile", 1, "a", a)
  local counts = axes.integers("tile", "argument 2 'reps'", reps)
  for _, n in ipairs(counts) do
    if n < 0 then fail("tile", "argument 2 'reps': %d is negative", n) end
  end
  local opts = arguments.options("tile", given, { "out", "stream" })
  local ndim = math.max(a.ndim, #counts)
  axes.check_count("tile", ndim)
  local from, shape = padded(a.shape, ndim), {}
  counts = padded(counts, ndim)
  for d = 1, ndim do
    shape[d] = axes.times("tile", "argument 2 'reps'", from[d], counts[d])
  end
  local out = operands.result("tile", opts, shape, a.dtype, a)
  return window.into(out, a:reshape(from), shape, zeros(ndim), "wrap", opts.stream)
end

return { roll = roll, tile = tile }

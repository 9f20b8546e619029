-- pad.lua: pad: an array with more elements before and after those of each axis.

local axes = require "luacuda.array.axes"
local core = require "luacuda.core"
local window = require "luacuda.array.window"
local arguments = require "luacuda.base.arguments"
local either = require("luacuda.base.either").either
local operands = require "luacuda.base.operands"

local fail, describe = arguments.fail, arguments.describe

local SMALL = 4 << 20 -- bytes of a result that is filled as a whole

-- Widths and values: one for each side ------------------------------------------------------------

-- Is it a list, and not a value of a struct?
local function is_list(value) return type(value) == "table" and core.type(value) == nil end

-- { before, after } from a list of one or two.
local function sides_of(label, list)
  local n = core.list_check(list, "pad: " .. label, "pad")
  if n < 1 or n > 2 then fail("pad", "%s: expected {before, after}, got %d items", label, n) end
  return { list[1], list[n] }
end

-- A pair for each axis, from one value, {before, after}, or a list of such pairs.
local function pairs_of(label, given, ndim)
  local list = {}
  if not is_list(given) then given = { given } end
  if not is_list(given[1]) then
    local sides = sides_of(label, given)
    for d = 1, ndim do list[d] = sides end
    return list
  end
  local n = core.list_check(given, "pad: " .. label, "pad")
  if n ~= 1 and n ~= ndim then
    fail("pad", "%s: %d pairs for an array of %d axes", label, n, ndim)
  end
  for d = 1, ndim do
    local item = given[n == 1 and 1 or d]
    local where = ("%s: item %d"):format(label, d)
    if not is_list(item) then
      fail("pad", "%s: expected {before, after}, got %s", where, describe(item))
    end
    list[d] = sides_of(where, item)
  end
  return list
end

local WIDTH = "argument 2 'pad_width'"

local function widths_of(given, ndim)
  if not is_list(given) then axes.integer("pad", WIDTH, given) end
  local list = pairs_of(WIDTH, given, ndim)
  for d, sides in ipairs(list) do
    list[d] = { axes.integer("pad", WIDTH, sides[1]), axes.integer("pad", WIDTH, sides[2]) }
    local least, most = math.min(table.unpack(list[d])), math.max(table.unpack(list[d]))
    if least < 0 then fail("pad", "%s: %d is negative", WIDTH, least) end
    axes.times("pad", WIDTH, 4, most)
  end
  return list
end

-- Constants ---------------------------------------------------------------------------------------

local function fill(place, value, stream)
  local ok, why = pcall(place.fill, place, value, { stream = stream })
  place:free()
  if ok then return end
  if type(why) ~= "string" or core.is_error(why) then error(why, 0) end
  fail("pad", "option 'constant_values': %s", operands.reason(why))
end

-- The part of `dst` where `a` is, along the axes from `axis` on; whole along those before.
local function inner_ranges(dst, a, widths, axis)
  local ranges = {}
  for d = 1, dst.ndim do
    ranges[d] = d < axis and {} or { widths[d][1] + 1, widths[d][1] + a.shape[d] }
  end
  return ranges
end

-- Writes the elements around `a`; those at corners belong to the last axis.
local function fill_borders(dst, a, widths, values, stream)
  for axis = 1, dst.ndim do
    local before, after = widths[axis][1], widths[axis][2]
    local n = dst.shape[axis]
    local ranges = inner_ranges(dst, a, widths, axis)
    if before > 0 then
      ranges[axis] = { 1, before }
      fill(dst:slice(table.unpack(ranges)), values[axis][1], stream)
    end
    if after > 0 then
      ranges[axis] = { n - after + 1, n }
      fill(dst:slice(table.unpack(ranges)), values[axis][2], stream)
    end
  end
end

local function write_constants(dst, a, widths, value, stream)
  if value == nil and (dst.nbytes <= SMALL or type(a.dtype) ~= "string") then
    core.memset(dst, 0, { stream = stream })
  elseif is_list(value) and type(a.dtype) == "string" then
    fill_borders(dst, a, widths, pairs_of("option 'constant_values'", value, a.ndim), stream)
  elseif dst.nbytes <= SMALL then fill(dst:slice(), value, stream)
  else
    if value == nil then value = a.dtype ~= "bool" and 0 end
    local sides, values = { value, value }, {}
    for d = 1, a.ndim do values[d] = sides end
    fill_borders(dst, a, widths, values, stream)
  end
  if a.size == 0 then return end
  local place = dst:slice(table.unpack(inner_ranges(dst, a, widths, 1)))
  place:set(a, { stream = stream })
  place:free()
end

-- pad ---------------------------------------------------------------------------------------------

local MODES = { constant = true, edge = true, wrap = true, reflect = true, symmetric = true }

local function check_mode(mode, label, opts)
  if mode == nil then mode = "constant" end
  if not MODES[mode] then
    fail("pad", "%s: expected 'constant', 'edge', 'reflect', 'symmetric' or 'wrap', got %s", label,
      type(mode) == "string" and "'" .. mode .. "'" or describe(mode))
  end
  if opts.constant_values ~= nil and mode ~= "constant" then
    fail("pad", "option 'constant_values' is for mode 'constant', not '%s'", mode)
  end
  return mode
end

-- The shape of the result, and the widths before each axis.
local function extents_of(a, widths, mode)
  local shape, before = {}, {}
  for d, n in ipairs(a.shape) do
    local more = widths[d][1] + widths[d][2]
    if n == 0 and more > 0 and mode ~= "constant" then
      fail("pad", "axis %d is empty: only mode 'constant' can extend it", d)
    end
    shape[d], before[d] = n + more, widths[d][1]
  end
  return shape, before
end

local OPTIONS = { "constant_values", "mode", "out", "stream" }

-- cuda.pad(a, pad_width [, mode] [, options]), a:pad(pad_width [, mode] [, options])
local function pad(a, width, mode, given)
  a = arguments.array("pad", 1, "a", a)
  local label
  mode, given, label = either("pad", "argument 3 'mode'", "mode", mode, given)
  local opts = arguments.options("pad", given, OPTIONS)
  mode = check_mode(mode, label, opts)
  local widths = widths_of(width, a.ndim)
  local shape, before = extents_of(a, widths, mode)
  local out = operands.result("pad", opts, shape, a.dtype, a)
  if mode ~= "constant" then
    return (window.into(out, a, shape, before, mode, opts.stream))
  end
  if out.size == 0 then return out end
  operands.into(out, { a }, opts.stream, function(dst)
    write_constants(dst, a, widths, opts.constant_values, opts.stream)
  end)
  return out
end

return { pad = pad }

-- axes.lua: checks of axes and other integers that functions of shape take, alone or in lists.
-- `label` names the argument in messages: "argument 2 'axis'".

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"

local fail, describe = arguments.fail, arguments.describe

local MOST = 16 -- axes of an array

local function integer(what, label, value)
  local n = type(value) == "number" and math.tointeger(value)
  return n or fail(what, "%s: expected an integer, got %s", label, describe(value))
end

-- An integer or a list of integers -> a list.
local function integers(what, label, value)
  if type(value) ~= "table" and core.type(value) ~= "shape" then
    if type(value) == "number" then return { integer(what, label, value) } end
    fail(what, "%s: expected an integer or a list of integers, got %s", label, describe(value))
  end
  if type(value) == "table" then core.list_check(value, what .. ": " .. label, what) end
  local list = {}
  for i = 1, #value do
    list[i] = integer(what, ("%s: item %d"):format(label, i), value[i])
  end
  return list
end

-- An axis of `ndim`, counted from 1 or from the end (-1) -> counted from 1.
local function axis(what, label, value, ndim)
  local given = integer(what, label, value)
  local at = given < 0 and given + ndim + 1 or given
  if at < 1 or at > ndim then
    fail(what, "%s: %d is not an axis of an array of %d axes", label, given, ndim)
  end
  return at
end

-- An axis or a list of axes, each at most once -> a list.
local function axes(what, label, value, ndim)
  local list, seen = integers(what, label, value), {}
  for i, given in ipairs(list) do
    local at = axis(what, label, given, ndim)
    if seen[at] then fail(what, "%s: axis %d is named twice", label, at) end
    list[i], seen[at] = at, true
  end
  return list
end

-- Raises where a result would have more axes than an array can.
local function check_count(what, ndim)
  if ndim > MOST then fail(what, "%d axes are too many (at most %d)", ndim, MOST) end
end

-- n * count, an extent; raises where that is more than any memory holds.
local function times(what, label, n, count)
  if count > 0 and n > math.maxinteger // count then
    fail(what, "%s: %d is more than any memory holds", label, count)
  end
  return n * count
end

-- part(a, d, range) -> the view of a part of axis d: an index, or { first, last }, as slice takes
-- them; empty if last < first
local function part(a, d, range)
  local ranges = {}
  for k = 1, d - 1 do ranges[k] = {} end
  ranges[d] = range
  return a:slice(table.unpack(ranges, 1, d))
end

return { part = part, integer = integer, integers = integers, axis = axis, axes = axes,
  check_count = check_count, times = times }

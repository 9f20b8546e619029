-- split.lua: split and array_split: the parts of an array along an axis, as views.

local axes = require "luacuda.array.axes"
local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"

local fail, part = arguments.fail, axes.part

-- `count` parts of n elements, of which the first n % count have one more than the others.
local function even_parts(a, axis, n, count)
  local parts, first = {}, 1
  for i = 1, count do
    local last = first + n // count - (i <= n % count and 0 or 1)
    parts[i] = part(a, axis, { first, last })
    first = last + 1
  end
  return parts
end

-- Where a part begins, from 1 to n + 1.
local function begin_of(given, n)
  if given < 0 then given = math.max(given + n + 1, 1) end
  return math.min(given, n + 1)
end

-- Parts that begin at the first element and at each of the given indices.
local function parts_from(a, axis, n, begins)
  local parts, first = {}, 1
  for i = 1, #begins + 1 do
    local following = begins[i] and begin_of(begins[i], n) or n + 1
    parts[i] = part(a, axis, { first, following - 1 })
    first = following
  end
  return parts
end

local LABEL = "argument 2 'parts'"
local MOST_EMPTY = 1 << 20 -- more parts than elements are a mistake, and need much memory

local function begins_of(what, given)
  local list = axes.integers(what, LABEL, given)
  for i, begin in ipairs(list) do
    if begin == 0 then fail(what, "%s: item %d: indices count from 1", LABEL, i) end
  end
  return list
end

local function splitter(what, equal)
  return function(a, given, options)
    a = arguments.array(what, 1, "a", a)
    local opts = arguments.options(what, options, { "axis" })
    if a.ndim == 0 then fail(what, "an array without axes cannot be split") end
    local axis = arguments.axis(what, opts.axis or 1, a.ndim)
    local n = a.shape[axis]
    if type(given) == "table" or core.type(given) == "shape" then
      return parts_from(a, axis, n, begins_of(what, given))
    end
    local count = axes.integer(what, LABEL, given)
    if count < 1 then fail(what, "%s: expected at least 1, got %d", LABEL, count) end
    if count > math.max(n, MOST_EMPTY) then
      fail(what, "%s: %d parts of %d elements are too many", LABEL, count, n)
    end
    if equal and n % count ~= 0 then
      fail(what, "%s: %d elements do not divide into %d equal parts; see array_split", LABEL, n,
        count)
    end
    return even_parts(a, axis, n, count)
  end
end

return { split = splitter("split", true), array_split = splitter("array_split", false) }

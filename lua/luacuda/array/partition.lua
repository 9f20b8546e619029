-- partition.lua: partition and argpartition, which sort along the axis, and topk, which sorts only
-- what it returns where rows are long.

local axes = require "luacuda.array.axes"
local core = require "luacuda.core"
local ranks = require "luacuda.array.ranks"
local sort_rows = require "luacuda.array.sort_rows"
local sorting = require "luacuda.array.sort"
local values = require "luacuda.array.values"
local arguments = require "luacuda.base.arguments"
local lists = require "luacuda.base.lists"
local elementwise = require("luacuda.builder.elementwise").elementwise

local fail, describe = arguments.fail, arguments.describe

local function check_order(what, a)
  if type(a.dtype) ~= "string" then
    fail(what, "elements of %s have no order", tostring(a.dtype))
  end
end

-- partition and argpartition ----------------------------------------------------------------------

-- Checks the places that the caller asks for: one integer or a list, from 1 or back from -1.
local function check_places(what, a, kth, given)
  local n = 1
  if given ~= nil or a.ndim > 0 then
    n = a.shape[arguments.axis(what, given == nil and -1 or given, a.ndim)]
  end
  if type(kth) == "table" then core.list_check(kth, what .. ": argument 2 'kth'", what) end
  for k, place in ipairs(type(kth) == "table" and kth or { kth == nil and {} or kth }) do
    local whole = math.type(place) and math.tointeger(place)
    if not whole then
      fail(what, "argument 2 'kth': expected an integer or a list of integers, got %s",
        k == 1 and describe(kth) or "a list with " .. describe(place))
    end
    if whole == 0 or whole > n or whole < -n then
      fail(what, "argument 2 'kth': %d is outside an axis of %d elements", whole, n)
    end
  end
end

local OPTIONS = { "axis", "out", "stream" }

local function partition_by(what, sort)
  return function(given, kth, options)
    local a = arguments.array(what, 1, "a", given)
    check_order(what, a)
    local opts = arguments.options(what, options, OPTIONS)
    check_places(what, a, kth, opts.axis)
    return sort(a, { axis = opts.axis, out = opts.out, stream = opts.stream })
  end
end

-- a:partition(kth [, options]) -> a
local function partition_in_place(given, kth, options)
  local what = "partition"
  local a = arguments.array(what, 0, "a", given)
  check_order(what, a)
  local opts = arguments.options(what, options, { "axis", "stream" })
  check_places(what, a, kth, opts.axis)
  return sorting.in_place(what, a, opts)
end

-- topk --------------------------------------------------------------------------------------------

local kept = {}

-- y = the element of its row of m that `place` (from 1) names; places have rows of k.
local function gather_kernel(dtype)
  kept[dtype] = kept[dtype] or elementwise {
    inputs = ("int64 place, raw %s x, int64 m, int64 k"):format(dtype), outputs = dtype .. " y",
    body = "y = x[i / k * m + place - 1];", name = "topk" }
  return kept[dtype]
end

-- A view with two axes exchanged.
local function exchanged(a, one, other)
  local order = {}
  for d = 1, a.ndim do order[d] = d end
  order[one], order[other] = other, one
  return a:transpose(order)
end

local SELECTED_SHARE = 4       -- up to this part of a row, selecting is faster than sorting

local TOP_OPTIONS = { "axis", "largest", "stream" }

local function check_number(a, k, axis)
  local n = a.shape[axis]
  local whole = math.type(k) and math.tointeger(k)
  if not whole then fail("topk", "argument 2 'k': expected an integer, got %s", describe(k)) end
  if whole < 0 or whole > n then
    fail("topk", "argument 2 'k': expected 0 to %d, the elements of the axis, got %d", n, whole)
  end
  return whole
end

-- The order of rows of m elements: the indices of the first k of each, {..., k}.
local function first_sorted(rows, k, shape, largest, stream)
  local order = sorting.argsort(rows, { descending = largest, stream = stream })
  local first = axes.part(order, #shape, { 1, k }):copy { stream = stream }
  order:free()
  return first
end

-- The same, of long rows, without sorting all.
local function first_selected(rows, m, k, shape, largest, stream)
  local count = rows.size // m
  local elements, indices = ranks.first(rows, count, m, k, largest, stream)
  local order = sorting.argsort(elements, { descending = largest, stream = stream })
  local first = core.new(rows, shape, "int64", stream)
  sort_rows.gather(indices, order, first, k, stream)
  elements:free()
  indices:free()
  order:free()
  return first
end

-- cuda.topk(a, k [, options]), a:topk(k [, options]) -> values, indices
local function topk(given, k, options)
  local what = "topk"
  local a, dtype = values.array(what, 1, "a", given)
  local opts = arguments.options(what, options, TOP_OPTIONS)
  if a.ndim == 0 then fail(what, "an array without axes has no order; a:reshape(1) has one") end
  local axis = arguments.axis(what, opts.axis or -1, a.ndim)
  k = check_number(a, k, axis)
  local stream, last = opts.stream, a.ndim
  local largest = arguments.boolean(what, opts, "largest") ~= false
  local shape = lists.copy(a.shape)
  shape[axis] = k
  if lists.product(shape, 1, last) == 0 then
    return core.new(a, shape, dtype, stream), core.new(a, shape, "int64", stream)
  end
  local rows = exchanged(a, axis, last):contiguous { stream = stream }
  local m = rows.shape[last]
  local wanted = lists.copy(rows.shape)
  wanted[last] = k
  local first
  if k <= m // SELECTED_SHARE and ranks.pays(rows, m, 1) then
    first = first_selected(rows, m, k, wanted, largest, stream)
  else
    first = first_sorted(rows, k, wanted, largest, stream)
  end
  local found = gather_kernel(dtype)(first, rows, m, k, { stream = stream })
  if rows.pointer ~= a.pointer then rows:free() end
  if axis == last then return found, first end
  return exchanged(found, axis, last):contiguous { stream = stream },
    exchanged(first, axis, last):contiguous { stream = stream }
end

return { partition = partition_by("partition", sorting.sort),
  argpartition = partition_by("argpartition", sorting.argsort),
  partition_in_place = partition_in_place, topk = topk }

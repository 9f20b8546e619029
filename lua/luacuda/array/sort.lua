-- sort.lua: sort and argsort of arrays along an axis.

local core = require "luacuda.core"
local sort_rows = require("luacuda.array.sort_rows").sort_rows
local arguments = require "luacuda.base.arguments"
local operands = require "luacuda.base.operands"

local fail = arguments.fail

-- A view with the axis last.
local function axis_last(a, axis)
  if axis == a.ndim then return a end
  local order = {}
  for i = 1, a.ndim do
    if i ~= axis then order[#order + 1] = i end
  end
  order[#order + 1] = axis
  return a:transpose(order)
end

-- Sorts a into out along an axis. What is not in rows is copied.
local function sort_axis(pairs, a, out, axis, descending, stream)
  local m = a.shape[axis]
  local from, to = axis_last(a, axis), axis_last(out, axis)
  local src = from:contiguous { stream = stream }
  local dst, own_dst = to, false
  local same = not pairs and src.pointer == to.pointer and to.is_contiguous
  if not to.is_contiguous or (not same and operands.overlap(src, to)) then
    own_dst = true
    -- a private copy is sorted in place
    if not pairs and src.pointer ~= a.pointer then dst = src
    else dst = core.new(to, to, to.dtype, stream) end
  end
  sort_rows(pairs, src, dst, m, descending, stream)
  if own_dst then to:set(dst, { stream = stream }) end
  if dst ~= src and own_dst then dst:free() end
  if src.pointer ~= a.pointer then src:free() end
end

local OPTIONS = { "axis", "descending", "out", "stream" }
local IN_PLACE = { "axis", "descending", "stream" }

-- The array and the options of a call; `at`: the number of the argument that is the array.
local function read(what, at, a, given, known)
  a = arguments.array(what, at, "a", a)
  local opts = arguments.options(what, given, known)
  if type(a.dtype) ~= "string" then
    fail(what, "elements of %s have no order", tostring(a.dtype))
  end
  local axis = a.ndim > 0 and arguments.axis(what, opts.axis or -1, a.ndim)
  return a, opts, axis, arguments.boolean(what, opts, "descending")
end

-- cuda.sort(a [, options]) -> array
local function sort(a, given)
  local opts, axis, descending
  a, opts, axis, descending = read("sort", 1, a, given, OPTIONS)
  local out = operands.result("sort", opts, a, a.dtype, a)
  if not axis then return out:set(a, { stream = opts.stream }) end
  if a.size > 0 then sort_axis(false, a, out, axis, descending, opts.stream) end
  return out
end

-- a:sort([options]) -> a
local function sort_in_place(a, given)
  local opts, axis, descending
  a, opts, axis, descending = read("sort", 0, a, given, IN_PLACE)
  if axis and a.size > 0 then sort_axis(false, a, a, axis, descending, opts.stream) end
  return a
end

-- cuda.argsort(a [, options]), a:argsort([options]) -> int64 array
local function argsort(a, given)
  local opts, axis, descending
  a, opts, axis, descending = read("argsort", 1, a, given, OPTIONS)
  local out = operands.result("argsort", opts, a, "int64", a)
  if not axis then return out:fill(1, { stream = opts.stream }) end
  if a.size > 0 then sort_axis(true, a, out, axis, descending, opts.stream) end
  return out
end

return { sort = sort, argsort = argsort, sort_in_place = sort_in_place }

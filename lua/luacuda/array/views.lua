-- views.lua: views of other shapes and orders of axes: flip, rot90, squeeze, expand_dims, ravel,
-- flatten, swapaxes, moveaxis. No element is touched, except where ravel and flatten copy.

local axes = require "luacuda.array.axes"
local arguments = require "luacuda.base.arguments"
local either = require("luacuda.base.either").either

local fail = arguments.fail

local AXIS = { "axis" }

-- flip, rot90 -------------------------------------------------------------------------------------

-- A view with the listed axes in reverse.
local function reversed(a, list)
  local ranges = {}
  for d = 1, a.ndim do ranges[d] = {} end
  for _, d in ipairs(list) do ranges[d] = { nil, nil, -1 } end
  return a:slice(table.unpack(ranges))
end

local function all_axes(a)
  local list = {}
  for d = 1, a.ndim do list[d] = d end
  return list
end

-- cuda.flip(a [, options]), a:flip([options])
local function flip(a, given)
  a = arguments.array("flip", 1, "a", a)
  local opts = arguments.options("flip", given, AXIS)
  if opts.axis == nil then return reversed(a, all_axes(a)) end
  return reversed(a, axes.axes("flip", "option 'axis'", opts.axis, a.ndim))
end

local function swapped(a, first, second)
  local order = all_axes(a)
  order[first], order[second] = second, first
  return a:transpose(order)
end

local function plane_of(given, ndim)
  if given == nil then
    if ndim < 2 then fail("rot90", "an array of %d axes cannot be rotated", ndim) end
    return 1, 2
  end
  local list = axes.axes("rot90", "option 'axes'", given, ndim)
  if #list ~= 2 then fail("rot90", "option 'axes': expected two axes, got %d", #list) end
  return list[1], list[2]
end

-- cuda.rot90(a [, k] [, options]), a:rot90([k] [, options])
local function rot90(a, k, given)
  a = arguments.array("rot90", 1, "a", a)
  local label
  k, given, label = either("rot90", "argument 2 'k'", "k", k, given)
  local turns = k == nil and 1 or axes.integer("rot90", label, k) % 4
  local opts = arguments.options("rot90", given, { "axes", "k" })
  local first, second = plane_of(opts.axes, a.ndim)
  if turns == 0 then return a:slice() end
  if turns == 1 then return swapped(reversed(a, { second }), first, second) end
  if turns == 2 then return reversed(a, { first, second }) end
  return reversed(swapped(a, first, second), { second })
end

-- Axes of one element -----------------------------------------------------------------------------

local function single_axes(a, given)
  local list = {}
  if given == nil then
    for d, n in ipairs(a.shape) do
      if n == 1 then list[#list + 1] = d end
    end
    return list
  end
  list = axes.axes("squeeze", "option 'axis'", given, a.ndim)
  for _, d in ipairs(list) do
    if a.shape[d] ~= 1 then
      fail("squeeze", "option 'axis': axis %d has %d elements, not 1", d, a.shape[d])
    end
  end
  return list
end

-- cuda.squeeze(a [, options]), a:squeeze([options])
local function squeeze(a, given)
  a = arguments.array("squeeze", 1, "a", a)
  local opts = arguments.options("squeeze", given, AXIS)
  local ranges = {}
  for d = 1, a.ndim do ranges[d] = {} end
  for _, d in ipairs(single_axes(a, opts.axis)) do ranges[d] = 1 end
  return a:slice(table.unpack(ranges))
end

-- cuda.expand_dims(a, axis), a:expand_dims(axis); the axis may be an option
local function expand_dims(a, axis, given)
  a = arguments.array("expand_dims", 1, "a", a)
  local label
  axis, given, label = either("expand_dims", "argument 2 'axis'", "axis", axis, given)
  arguments.options("expand_dims", given, AXIS)
  local added = axes.integers("expand_dims", label, axis)
  local ndim = a.ndim + #added
  axes.check_count("expand_dims", ndim)
  local shape, from = {}, 0
  for _, d in ipairs(axes.axes("expand_dims", label, added, ndim)) do shape[d] = 1 end
  for d = 1, ndim do
    if not shape[d] then
      from = from + 1
      shape[d] = a.shape[from]
    end
  end
  return a:reshape(shape)
end

-- One axis ----------------------------------------------------------------------------------------

-- cuda.ravel(a [, options]), a:ravel([options])
local function ravel(a, given)
  a = arguments.array("ravel", 1, "a", a)
  local opts = arguments.options("ravel", given, { "stream" })
  return a:contiguous({ stream = opts.stream }):reshape(a.size)
end

-- cuda.flatten(a [, options]), a:flatten([options])
local function flatten(a, given)
  a = arguments.array("flatten", 1, "a", a)
  local opts = arguments.options("flatten", given, { "stream" })
  return a:copy({ stream = opts.stream }):reshape(a.size)
end

-- Orders of axes ----------------------------------------------------------------------------------

-- cuda.swapaxes(a, axis1, axis2), a:swapaxes(axis1, axis2)
local function swapaxes(a, first, second)
  a = arguments.array("swapaxes", 1, "a", a)
  return swapped(a, axes.axis("swapaxes", "argument 2 'axis1'", first, a.ndim),
    axes.axis("swapaxes", "argument 3 'axis2'", second, a.ndim))
end

-- cuda.moveaxis(a, source, destination), a:moveaxis(source, destination)
local function moveaxis(a, source, destination)
  a = arguments.array("moveaxis", 1, "a", a)
  local from = axes.axes("moveaxis", "argument 2 'source'", source, a.ndim)
  local to = axes.axes("moveaxis", "argument 3 'destination'", destination, a.ndim)
  if #from ~= #to then
    fail("moveaxis", "%d axes cannot move to %d places", #from, #to)
  end
  local order, moved = {}, {}
  for i, d in ipairs(from) do order[to[i]], moved[d] = d, true end
  local place = 1
  for _, d in ipairs(all_axes(a)) do
    if not moved[d] then
      while order[place] do place = place + 1 end
      order[place] = d
    end
  end
  return a:transpose(order)
end

return {
  flip = flip, rot90 = rot90, squeeze = squeeze, expand_dims = expand_dims, ravel = ravel,
  flatten = flatten, swapaxes = swapaxes, moveaxis = moveaxis,
}

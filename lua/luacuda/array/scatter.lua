-- scatter.lua: scatter_add, scatter_max and scatter_min: values combined with the elements at
-- indices, which may repeat.

local elements = require "luacuda.array.elements"
local index = require "luacuda.array.indices"
local source = require "luacuda.array.scatter_source"
local take = require "luacuda.array.take"
local take_source = require "luacuda.array.take_source"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"
local find_kernel = require("luacuda.kernel.kernel").find

local NARROW, THREADS = take_source.NARROW, take_source.THREADS

local fail, product = arguments.fail, lists.product

local function check_numbers(what, a)
  local row = type(a.dtype) == "string" and dtypes.of(a.dtype)
  if not row then
    fail(what, "argument 1 'a': expected numbers, got %s", tostring(a.dtype))
  end
  if row.kind == "complex" and what ~= "scatter_add" then
    fail(what, "argument 1 'a': complex numbers have no order")
  end
  if operands.is_broadcast(a) then
    fail(what, "argument 1 'a': a broadcast view cannot be written")
  end
end

-- The place of the work: shape {outer, m, inner} of the array.
local function extents(a, axis)
  return product(a.shape, 1, axis - 1), a.shape[axis], product(a.shape, axis + 1, a.ndim)
end

local HINT = "; option 'axis' updates whole rows instead of elements in C order"

-- The values as a contiguous array of a's dtype; with an axis they broadcast to the elements that
-- the indices name.
local function value_array(what, given, a, indices, axis, stream)
  local v = operands.values(what, 3, given, a, stream)
  if not axis then
    return index.match_values(what, v, indices, a.ndim > 1 and HINT or "", stream)
  end
  local shape = take.taken_shape(a.shape, axis, indices.shape)
  if v.size == 1 and v.ndim <= #shape or lists.same(v.shape, shape) then return v end
  local ok, view = pcall(v.broadcast_to, v, shape)
  if not ok then
    fail(what, "argument 3 'values': shape %s does not broadcast to that of the elements, %s",
      lists.shape_text(v.shape), lists.shape_text(shape))
  end
  return view:contiguous { stream = stream }
end

-- Runs the kernel for updates along an axis; the indices of mode "raise" were checked.
local function launch(what, dst, indices, v, mode, axis, stream)
  local outer, m, inner = extents(dst, axis)
  local k = indices.size
  local count = outer * k * inner
  local wide = count >= NARROW or dst.size >= NARROW
  local key = ("%s %s %s %s%s"):format(what, dst.dtype, indices.dtype, mode, wide and " wide" or "")
  local run = find_kernel("luacuda_scatter", key, source.text, what, dst.dtype, indices.dtype, mode,
    wide)
  run({ grid = take.grid_of(count, dst.device), block = THREADS, stream = stream }, dst, indices, v,
    count, m, k, inner, v.size)
end

-- Arrays of one byte per element are updated in a wider copy: atomic operations take two bytes or
-- more.
local function work_copy(a, stream)
  local row = dtypes.of(a.dtype)
  if row.size == 1 and row.kind ~= "bool" then
    return a:astype(row.narrow and "float32" or "int32", { stream = stream })
  end
  return operands.dense(a, stream)
end

local few = {} -- dtype of the indices, function, dtype -> kernel

-- The same without an axis in mode "raise" for few indices; waits.
local function launch_few(what, dst, indices, owned, v, stream)
  local m, count = dst.size, indices.size
  local wide = m >= NARROW
  local key = indices.dtype .. what .. dst.dtype .. (wide and "wide" or "")
  few[key] = few[key]
    or find_kernel("luacuda_scatter_few", key, source.few, what, dst.dtype, indices.dtype, wide)
  local bad = index.new_bad("raise", dst)
  few[key]({ grid = 1, block = take_source.FEW_THREADS, stream = stream }, dst, indices, v, bad,
    count, m, v.size)
  index.check_bad(what, 2, bad, indices, owned, m)
end

local OPTIONS = { "axis", "mode", "stream" }

-- cuda.scatter_add(a, indices, values [, options]) and the like -> a
local function scatter(what)
  return function(a, given, values, options)
    a = arguments.array(what, 1, "a", a)
    check_numbers(what, a)
    local opts = arguments.options(what, options, OPTIONS)
    local mode, stream = index.check_mode(what, opts.mode), opts.stream
    local axis = opts.axis ~= nil and arguments.axis(what, opts.axis, a.ndim) or nil
    local m = axis and a.shape[axis] or a.size
    local indices, owned = index.array(what, 2, given, a, m, mode, stream)
    index.check_empty(what, 2, indices, m)
    if indices.size == 0 then return a end
    local v = value_array(what, values, a, indices, axis, stream)
    local checks = mode == "raise" and not axis and index.is_few(indices, a, stream)
    if mode == "raise" and not checks then index.check(what, indices, owned, m, stream) end
    if a.size == 0 then return a end
    local dst = work_copy(a, stream)
    if dst.dtype ~= v.dtype then v = v:astype(dst.dtype, { stream = stream }) end
    if operands.overlap(indices, dst) then
      indices, owned = indices:copy { stream = stream }, true
    end
    if checks then launch_few(what, dst, indices, owned, v, stream)
    elseif axis then launch(what, dst, indices, v, mode, axis, stream)
    else elements.scatter(what, dst, indices, v, mode, stream) end
    return take.give(a, dst, indices, owned, stream)
  end
end

return { scatter_add = scatter "scatter_add", scatter_max = scatter "scatter_max",
  scatter_min = scatter "scatter_min" }

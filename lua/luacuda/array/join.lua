-- join.lua: concatenate and stack. Parts with short rows are written by one kernel; others are
-- assigned to slices of the result, which converts them and runs at the speed of copies.

local axes = require "luacuda.array.axes"
local core = require "luacuda.core"
local source = require "luacuda.array.join_source"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"
local find_kernel = require("luacuda.kernel.kernel").find

local fail = arguments.fail

local function check_devices(what, list)
  local device = list[1].device
  for i = 2, #list do
    if list[i].device ~= device then
      arguments.apart(what, ("argument 1 'arrays': item %d is"):format(i), list[i].device,
        "item 1", device)
    end
  end
end

-- The dtype of the result.
local function result_dtype(what, list, opts)
  local kinds, struct = {}, nil
  for _, a in ipairs(list) do
    if type(a.dtype) == "string" then kinds[#kinds + 1] = a.dtype
    else struct = a.dtype end
  end
  if struct == nil then
    local common = dtypes.result(kinds)
    if opts.dtype == nil then return common end
    local dtype = dtypes.normal(opts.dtype, what .. ": option 'dtype'")
    operands.keep_parts(what, "option 'dtype'", common, dtype)
    return dtype
  end
  for i, a in ipairs(list) do
    if a.dtype ~= struct then
      fail(what, "argument 1 'arrays': item %d: %s does not combine with %s", i, tostring(a.dtype),
        tostring(struct))
    end
  end
  if opts.dtype ~= nil and opts.dtype ~= struct then
    fail(what, "option 'dtype': structs do not convert")
  end
  return struct
end

-- Do shapes agree in all axes but one (0: in all)?
local function fits(a, first, axis)
  local shape, wanted = a.shape, first.shape
  if #shape ~= #wanted then return false end
  for d = 1, #wanted do
    if d ~= axis and shape[d] ~= wanted[d] then return false end
  end
  return true
end

-- Checks that shapes are equal except in one axis (0: in all).
local function check_shapes(what, list, axis)
  local first = list[1]
  for i = 2, #list do
    local a = list[i]
    if not fits(a, first, axis) then
      fail(what, "argument 1 'arrays': item %d of shape %s does not fit item 1 of shape %s", i,
        lists.shape_text(a.shape), lists.shape_text(first.shape))
    end
  end
end

-- One kernel --------------------------------------------------------------------------------------

local MOST_PARTS = 16
-- bytes up to which one launch costs less than several, and of rows that copies write slowly
local SMALL, SHORT = 1 << 20, 512

-- Does one kernel write so many parts faster than copies?
local function pays(dst, axis, count)
  if source.SLOW_ON[dst.device.kind] or count > MOST_PARTS then return false end
  local bytes = dst.nbytes
  return bytes <= SMALL
    or bytes // (axis == 1 and 1 or lists.product(dst.shape, 1, axis - 1)) <= SHORT * count
end

local kernels = {} -- what distinguishes them, as a number -> kernel

local function find(size, access, parts, unit, wide)
  local key = ((size << 5 | access) << 5 | parts) << 2 | (unit and 1 or 0) | (wide and 2 or 0)
  kernels[key] = kernels[key]
    or find_kernel("luacuda_join", key, source.join, size, access, parts, unit, wide)
  return kernels[key]
end

-- Launches the kernel for n parts, with the results of core.join_words.
local function launch(stream, n, size, access, unit, ...)
  local count = select(n + 2, ...)
  local run = find(size, access, n, unit, count >= source.NARROW)
  local blocks = (count * size // access + source.THREADS) // source.THREADS
  run({ grid = blocks, block = source.THREADS, stream = stream }, ...)
end

-- Copies ------------------------------------------------------------------------------------------

local function copy(dst, list, axis, stacked, stream)
  local at = 0
  for i, a in ipairs(list) do
    local range = i
    if not stacked then
      range = { at + 1, at + a.shape[axis] }
      at = range[2]
    end
    if a.size > 0 then
      local place = axes.part(dst, axis, range)
      place:set(a, { stream = stream })
      place:free()
    end
  end
end

-- The functions -----------------------------------------------------------------------------------

-- Writes the parts to `dst`. `alike`: they are of its dtype and without gaps.
local function write(dst, list, alike, axis, stacked, stream)
  if alike and pays(dst, axis, #list) then
    launch(stream, core.join_words(list, dst, axis))
  else copy(dst, list, axis, stacked, stream) end
end

local function joined_shape(list, axis, stacked)
  local shape = lists.copy(list[1].shape)
  if stacked then table.insert(shape, axis, #list)
  else
    for i = 2, #list do shape[axis] = shape[axis] + list[i].shape[axis] end
  end
  return shape
end

-- The dtype of the result, and whether the arrays have it, no gaps and shapes that differ only in
-- the axis (0: in none), if at all.
local function check(what, list, axis, opts)
  if opts.dtype == nil and core.alike(list, axis) then return list[1].dtype, true end
  check_devices(what, list)
  local dtype = result_dtype(what, list, opts)
  check_shapes(what, list, axis)
  return dtype, dtype == list[1].dtype and core.alike(list, axis)
end

-- The arrays side by side along an axis, a new one where they are stacked. Written to a temporary
-- array where option `out` shares memory with one of them.
local function join(what, list, axis, stacked, opts)
  local stream = opts.stream
  local out = opts.out == nil and opts.dtype == nil and core.new_joined(list, axis, stacked, stream)
  if out then
    if out.size > 0 then write(out, list, true, axis, stacked, stream) end
    return out
  end
  local dtype, alike = check(what, list, stacked and 0 or axis, opts)
  out = operands.result(what, opts, joined_shape(list, axis, stacked), dtype, list[1])
  if out.size == 0 then return out end
  if opts.out == nil then write(out, list, alike, axis, stacked, stream)
  else
    operands.into(out, list, stream,
      function(dst) write(dst, list, alike, axis, stacked, stream) end)
  end
  return out
end

local OPTIONS = { "axis", "out", "dtype", "stream" }

-- cuda.concatenate(arrays [, options])
local function concatenate(list, given)
  list = arguments.array_list("concatenate", 1, "arrays", list)
  local opts = arguments.options("concatenate", given, OPTIONS)
  local ndim = list[1].ndim
  if ndim == 0 then
    fail("concatenate", "arrays without axes cannot be joined; cuda.stack adds an axis")
  end
  local axis = opts.axis and arguments.axis("concatenate", opts.axis, ndim) or 1
  return join("concatenate", list, axis, false, opts)
end

-- cuda.stack(arrays [, options])
local function stack(list, given)
  list = arguments.array_list("stack", 1, "arrays", list)
  local opts = arguments.options("stack", given, OPTIONS)
  local axis = opts.axis and arguments.axis("stack", opts.axis, list[1].ndim + 1) or 1
  return join("stack", list, axis, true, opts)
end

return { concatenate = concatenate, stack = stack }

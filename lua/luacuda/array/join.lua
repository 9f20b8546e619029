-- join.lua: concatenate and stack. Parts with short rows are written by one kernel; others are
-- assigned to slices of the result, which converts them and runs at the speed of copies.

local core = require "luacuda.core"
local source = require "luacuda.array.join_source"
local words = require "luacuda.array.words"
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
    if opts.dtype ~= nil then return dtypes.normal(opts.dtype, what .. ": option 'dtype'") end
    return dtypes.result(kinds)
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

-- The parts that are not empty, and the bytes of their rows, where one kernel should write them:
-- arrays that are alike and of the dtype of the result.
local function short_rows(dst, list, axis)
  local parts, rows, bytes = {}, {}, dst.nbytes
  local outer = axis == 1 and 1 or lists.product(dst.shape, 1, axis - 1)
  if #list > MOST_PARTS or bytes > SMALL and bytes // outer > SHORT * #list then return nil end
  for i = 1, #list do
    local n = list[i].nbytes
    if n > 0 then
      parts[#parts + 1] = list[i]
      rows[#rows + 1] = n // outer
    end
  end
  return parts, rows
end

local kernels = {} -- what distinguishes them, as a number -> kernel

local function find(size, access, parts, unit, wide)
  local key = ((size << 5 | access) << 5 | parts) << 2 | (unit and 1 or 0) | (wide and 2 or 0)
  kernels[key] = kernels[key]
    or find_kernel("luacuda_join", key, source.join, size, access, parts, unit, wide)
  return kernels[key]
end

-- Writes the parts, of that many bytes in each row of dst.
local function join(dst, parts, rows, stream)
  local at = dst.pointer
  local bits, width, ends, unit = at, 0, {}, true
  for j, a in ipairs(parts) do bits = bits | a.pointer | rows[j] end
  local size, access = words.widest(bits), words.widest(at)
  local count = dst.nbytes // size
  for j, bytes in ipairs(rows) do
    unit = unit and bytes == size
    width = width + bytes // size
    ends[j] = width
  end
  local n = #parts
  local run = find(size, access, n, unit, count >= source.NARROW)
  local blocks = (count * size // access + source.THREADS) // source.THREADS
  local config = { grid = blocks, block = source.THREADS, stream = stream }
  parts[n + 1], parts[n + 2], parts[n + 3] = dst, count, width
  if not unit then table.move(ends, 1, n - 1, n + 4, parts) end
  run(config, table.unpack(parts))
end

-- Copies ------------------------------------------------------------------------------------------

-- The slice of `out` for a part along an axis: { first, last } or an index, as slice takes it.
local function part(out, axis, range)
  local ranges = {}
  for i = 1, axis - 1 do ranges[i] = {} end
  ranges[axis] = range
  return out:slice(table.unpack(ranges, 1, axis))
end

local function write(dst, list, alike, axis, stream, range_of)
  if alike and not source.SLOW_ON[dst.device.kind] then
    local parts, rows = short_rows(dst, list, axis)
    if parts then return join(dst, parts, rows, stream) end
  end
  for i, a in ipairs(list) do
    if a.size > 0 then
      local place = part(dst, axis, range_of(i))
      place:set(a, { stream = stream })
      place:free()
    end
  end
end

-- Writes the parts to `out`; to a temporary array where `out` is the user's and shares memory with
-- one of them. `alike`: they are of its dtype and without gaps. range_of(i): the place of array i
-- along the axis.
local function assemble(out, list, alike, axis, opts, range_of)
  if out.size == 0 then return out end
  if opts.out == nil then write(out, list, alike, axis, opts.stream, range_of)
  else
    operands.into(out, list, opts.stream,
      function(dst) write(dst, list, alike, axis, opts.stream, range_of) end)
  end
  return out
end

local OPTIONS = { "axis", "out", "dtype", "stream" }

-- The dtype of the result, and whether the arrays have it, no gaps and shapes that differ only in
-- the axis, if at all.
local function check(what, list, axis, opts)
  if opts.dtype == nil and core.alike(list, axis) then return list[1].dtype, true end
  check_devices(what, list)
  local dtype = result_dtype(what, list, opts)
  check_shapes(what, list, axis)
  return dtype, dtype == list[1].dtype and core.alike(list, axis)
end

-- cuda.concatenate(arrays [, options])
local function concatenate(list, given)
  list = arguments.array_list("concatenate", 1, "arrays", list)
  local opts = arguments.options("concatenate", given, OPTIONS)
  local ndim = list[1].ndim
  if ndim == 0 then
    fail("concatenate", "arrays without axes cannot be joined; cuda.stack adds an axis")
  end
  local axis = opts.axis and arguments.axis("concatenate", opts.axis, ndim) or 1
  local dtype, alike = check("concatenate", list, axis, opts)
  local shape, ends, total = lists.copy(list[1].shape), {}, 0
  for i = 1, #list do
    total = total + list[i].shape[axis]
    ends[i] = total
  end
  shape[axis] = total
  local out = operands.result("concatenate", opts, shape, dtype, list[1])
  return assemble(out, list, alike, axis, opts,
    function(i) return { (ends[i - 1] or 0) + 1, ends[i] } end)
end

-- cuda.stack(arrays [, options])
local function stack(list, given)
  list = arguments.array_list("stack", 1, "arrays", list)
  local opts = arguments.options("stack", given, OPTIONS)
  local dtype, alike = check("stack", list, 0, opts)
  local shape = lists.copy(list[1].shape)
  local axis = opts.axis and arguments.axis("stack", opts.axis, #shape + 1) or 1
  table.insert(shape, axis, #list)
  local out = operands.result("stack", opts, shape, dtype, list[1])
  return assemble(out, list, alike, axis, opts, function(i) return i end)
end

return { concatenate = concatenate, stack = stack }

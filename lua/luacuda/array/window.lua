-- window.lua: new arrays whose axes repeat those of another one: roll and tile (`wrap`), and pad.
-- Along each axis element i of the result is element place(i - before) of the source, from 0;
-- `mode` says which element stands for one outside.

local source = require "luacuda.array.window_source"
local operands = require "luacuda.base.operands"
local kernels = require "luacuda.kernel.kernel"

local BLOCKS_PER_SM = 32

-- An axis: its extent in the result and in the source, elements before, stride in bytes.
local function new_axis(out, inner, before, stride)
  -- one element stands for all
  if inner == 1 then return { out = out, inner = out, before = 0, stride = 0 } end
  return { out = out, inner = inner, before = before, stride = stride }
end

local function is_whole(axis) return axis.out == axis.inner and axis.before == 0 end

-- Joins an axis with the whole axis after it where elements follow each other; nil where not.
-- Reversed positions (reflect, symmetric, edge) are those of elements, so only `wrap` joins others.
local function joined(axis, after, mode)
  if not is_whole(after) or not (mode == "wrap" or is_whole(axis)) then return nil end
  if axis.stride ~= after.stride * after.inner then return nil end
  local n = after.out
  return { out = axis.out * n, inner = axis.inner * n, before = axis.before * n,
    stride = after.stride }
end

-- The axes of a call, without those of one element; the last one counts bytes.
local function axes_of(src, shape, before, mode)
  local itemsize = src.nbytes // src.size
  local reversed = { { out = itemsize, inner = itemsize, before = 0, stride = 1 } }
  for d = #shape, 1, -1 do
    local axis = new_axis(shape[d], src.shape[d], before[d], src.strides[d])
    if axis.out > 1 or axis.inner > 1 then
      local both = joined(axis, reversed[#reversed], mode)
      reversed[both and #reversed or #reversed + 1] = both or axis
    end
  end
  local list = {}
  for i, axis in ipairs(reversed) do list[#reversed - i + 1] = axis end
  return list
end

local WORD = { 16, 8, 4, 2, 1 }

-- Makes the last axis count the widest words that all rows and addresses allow; returns their size.
local function use_words(axes, src, dst)
  local last = axes[#axes]
  local bits = last.out | last.inner | last.before | src.pointer | dst.pointer
  for i = 1, #axes - 1 do bits = bits | axes[i].stride end
  local size
  for _, bytes in ipairs(WORD) do size = size or bits % bytes == 0 and bytes end
  last.out, last.inner, last.before = last.out // size, last.inner // size, last.before // size
  for i = 1, #axes - 1 do axes[i].stride = axes[i].stride // size end
  if #axes > 1 and last.out == 1 then table.remove(axes) end
  return size
end

-- Are there more words than 32 bits count?
local function is_wide(axes, count)
  local reach = count
  for _, axis in ipairs(axes) do
    reach = math.max(reach, axis.inner * math.max(math.abs(axis.stride), 2), math.abs(axis.before))
  end
  return reach >= source.NARROW
end

local function packed(axes)
  local columns = {}
  for _, key in ipairs { "out", "inner", "before", "stride" } do
    for _, axis in ipairs(axes) do columns[#columns + 1] = axis[key] end
  end
  return ("i8"):rep(#columns):pack(table.unpack(columns))
end

-- Writes the contiguous array `dst`, read as one of these extents, from `src`.
local function fill(src, dst, extents, before, mode, stream)
  local axes = axes_of(src, extents, before, mode)
  local size = use_words(axes, src, dst)
  local count = dst.nbytes // size
  local wide = is_wide(axes, count)
  local key = ("%d %s %d%s"):format(size, mode, #axes, wide and " wide" or "")
  local run = kernels.find("luacuda_window", key, source.window, size, mode, #axes, wide)
  local blocks = math.min((count + source.THREADS - 1) // source.THREADS,
    BLOCKS_PER_SM * src.device.multiprocessor_count)
  run({ grid = blocks, block = source.THREADS, stream = stream },
    src.is_contiguous and src or kernels.raw(src), dst, count, packed(axes))
end

-- into(out, src, extents, before, mode, stream) -> out, written from `src`. `out` may have gaps,
-- overlap `src` and have another shape than `extents`; no axis of `src` may be empty unless `out`
-- is.
local function into(out, src, extents, before, mode, stream)
  if out.size == 0 then return out end
  operands.into(out, { src }, stream,
    function(dst) fill(src, dst, extents, before, mode, stream) end)
  return out
end

return { into = into }

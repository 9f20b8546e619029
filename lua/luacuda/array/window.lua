-- window.lua: new arrays whose axes repeat those of another one: roll and tile (`wrap`), and pad.
-- Along each axis element i of the result is element place(i - before) of the source, from 0;
-- `mode` says which element stands for one outside.

local source = require "luacuda.array.window_source"
local words = require "luacuda.array.words"
local operands = require "luacuda.base.operands"
local plans = require "luacuda.base.plans"
local kernel = require "luacuda.kernel.kernel"

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
  local itemsize, from, strides = src.nbytes // src.size, src.shape, src.strides
  local reversed = { { out = itemsize, inner = itemsize, before = 0, stride = 1 } }
  for d = #shape, 1, -1 do
    local axis = new_axis(shape[d], from[d], before[d], strides[d])
    if axis.out > 1 or axis.inner > 1 then
      local both = joined(axis, reversed[#reversed], mode)
      reversed[both and #reversed or #reversed + 1] = both or axis
    end
  end
  local list = {}
  for i, axis in ipairs(reversed) do list[#reversed - i + 1] = axis end
  return list
end

-- Makes the last axis count the widest words that all rows and addresses allow; returns their size.
local function use_words(axes, src, dst)
  local last = axes[#axes]
  local bits = last.out | last.inner | last.before | src.pointer | dst.pointer
  for i = 1, #axes - 1 do bits = bits | axes[i].stride end
  local size = words.widest(bits)
  last.out, last.inner, last.before = last.out // size, last.inner // size, last.before // size
  for i = 1, #axes - 1 do axes[i].stride = axes[i].stride // size end
  if #axes > 1 and last.out == 1 then table.remove(axes) end
  return size
end

local LONG = 8                 -- accesses in a row from which most of them are whole

-- The bytes that a thread writes at once: more than a word where words are small.
local function access_size(axes, size, dst)
  local access = words.widest(dst.pointer)
  local last = axes[#axes]
  local least = math.min(last.out, last.inner) * size
  return size <= 4 and least >= LONG * access and access or size
end

-- Are there more words than 32 bits count?
local function is_wide(axes, count)
  local reach = count
  for _, axis in ipairs(axes) do
    reach = math.max(reach, axis.inner * math.max(math.abs(axis.stride), 2), math.abs(axis.before))
  end
  return reach >= source.NARROW
end

-- The struct Axes of the kernel.
local function packed(axes)
  local n, columns = #axes, {}
  for i, axis in ipairs(axes) do
    columns[i], columns[n + i] = axis.out, axis.inner
    columns[2 * n + i], columns[3 * n + i] = axis.before, axis.stride
  end
  return ("i8"):rep(4 * n):pack(table.unpack(columns, 1, 4 * n))
end

local kernels = {} -- mode -> what else distinguishes them, as a number -> kernel

local function find(size, access, mode, ndim, wide)
  local key = ((ndim << 5 | size) << 5 | access) << 1 | (wide and 1 or 0)
  local of_mode = kernels[mode] or {}
  kernels[mode] = of_mode
  of_mode[key] = of_mode[key]
    or kernel.find("luacuda_window", mode .. key, source.window, size, access, mode, ndim, wide)
  return of_mode[key]
end

-- How a kernel writes the contiguous array `dst`, read as one of these extents, from `src`
-- (plans.lua).
local function plan_of(src, dst, extents, before, mode)
  local axes = axes_of(src, extents, before, mode)
  local size = use_words(axes, src, dst)
  local count = dst.nbytes // size
  local access = access_size(axes, size, dst)
  local run = find(size, access, mode, #axes, is_wide(axes, count))
  local each = source.THREADS * source.AHEAD * (access // size)
  return { run = run, grid = (count + each - 1) // each, block = source.THREADS,
    args = { count, packed(axes) } }
end

-- into(out, src, extents, before, mode, stream) -> out, written from `src`, and how (plans.lua).
-- `out` may have gaps, overlap `src` and have another shape than `extents`; no axis of `src` may be
-- empty unless `out` is.
local function into(out, src, extents, before, mode, stream)
  if out.size == 0 then return out end
  local plan
  operands.into(out, { src }, stream, function(dst)
    plan = plan_of(src, dst, extents, before, mode)
    plans.launch(plan, src.is_contiguous and src or kernel.raw(src), dst, stream)
  end)
  plan.shape, plan.dtype = out.shape, out.dtype
  return out, plan
end

return { into = into }

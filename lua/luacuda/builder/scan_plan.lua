-- scan_plan.lua: the memory layout of a scan, which of the two kernels of scan_source.lua runs it
-- and with which sizes, and the numbers passed to that kernel. All numbers to tune are here.

local product = require("luacuda.base.lists").product
local threads = require("luacuda.builder.scan_source").threads

-- adjacent elements that a thread of the flat kernel takes with one access
local MAX_VECTOR = 8
local VECTOR_BYTES = 16       -- bytes of the widest access
-- narrower accesses than this are widened where the elements of another array allow it
local NARROW_BYTES = 4
local MAX_STEPS = 16
local FLAT_ELEMENTS = 32      -- per thread
local FLAT_BYTES = 128        -- of values per thread
local LONG_BYTES = 256        -- the same without marks and with values of 8 bytes at most
local COLUMN_BYTES = 128      -- of values per thread of the column kernel
local MAX_COLUMN_ROWS = 32    -- the marks are a mask of 32 bits
-- columns per block, except where there are fewer, or more threads than their lengths need
local COLUMN_WIDTH = 32
-- from here on, the tiles above a tile are done when it starts, and a single thread looks back
local MANY_STRIPS = 256
local UNKNOWN_SIZE = 16       -- assumed bytes of an accumulator of unknown type
local SHARED_BYTES = 47 * 1024  -- of a block, for values
local MOST_BYTES = 184        -- of an accumulator: columns have a value for each thread there
local HEADER_WORDS = 2        -- of the scratch array, before the tiles' words
local GROUP = 32              -- tiles that have words in common, after those of all tiles
-- with strides from this many bytes on, an array is copied first if that gives a better layout
local SCATTERED = 32

local function power_above(n)
  local p = 1
  while p < n do p = p * 2 end
  return p
end

-- Layout ------------------------------------------------------------------------------------------

-- The single stride of the axes first to last (elements in C order); nil where they need several.
local function merged(strides, shape, first, last)
  local stride, extent
  for d = last, first, -1 do
    if shape[d] > 1 then
      if not stride then stride, extent = strides[d], shape[d]
      elseif strides[d] == stride * extent then extent = extent * shape[d]
      else return nil end
    end
  end
  return stride or 0
end

-- plan.extents(shape, axis) -> { outer, len, inner }: the axes before the scanned one as one, the
-- scanned axis, those after it as one
local function extents(shape, axis)
  return { outer = product(shape, 1, axis - 1), len = shape[axis],
    inner = product(shape, axis + 1, #shape) }
end

-- Are this array's elements far apart along the kernel's fastest axis, and closer along another
-- one?
local function scattered(lay, e)
  local fast = e.inner > 1 and lay.inner or lay.axis
  if math.abs(fast) <= SCATTERED then return false end
  local function closer(stride, extent)
    return extent > 1 and stride ~= 0 and math.abs(stride) < math.abs(fast)
  end
  return closer(lay.axis, e.len) or closer(lay.outer, e.outer)
end

-- plan.layout(array, axis, e) -> { outer, axis, inner }, strides in bytes, or nil where the kernels
-- cannot take the array directly; then: would a copy be better?
local function layout(array, axis, e)
  local shape, strides = array.shape, array.strides
  local outer, inner = merged(strides, shape, 1, axis - 1), merged(strides, shape, axis + 1, #shape)
  if not outer or not inner then return nil, true end
  local lay = { outer = outer, axis = e.len > 1 and strides[axis] or 0, inner = inner }
  return lay, scattered(lay, e)
end

-- Sizes -------------------------------------------------------------------------------------------

local function is_power(n) return n & (n - 1) == 0 end

-- The number of elements per access for arrays of these item sizes, a power of two.
local function vector_for(params)
  local most, least = 1, VECTOR_BYTES
  for _, p in ipairs(params) do
    if p.lay then most, least = math.max(most, p.size), math.min(least, p.size) end
  end
  local vector = math.min(MAX_VECTOR, math.max(VECTOR_BYTES // most, NARROW_BYTES // least, 1))
  return is_power(vector) and vector or power_above(vector) // 2
end

-- Do the elements follow each other without gaps, rows included, and are they aligned for accesses
-- of V elements?
local function is_flat(p, e, vector)
  local lay, size = p.lay, p.size
  if e.len > 1 and lay.axis ~= size or vector > 1 and not is_power(size) then return false end
  if e.outer > 1 and lay.outer ~= e.len * size then return false end
  return p.pointer % math.min(VECTOR_BYTES, vector * size) == 0
end

-- Bytes of values per thread: registers are the limit.
local function bytes_for(params, e, acc_size)
  local marks = e.outer > 1
  for _, p in ipairs(params) do marks = marks or p.segments end
  return (marks or acc_size > 8) and FLAT_BYTES or LONG_BYTES
end

local function flat_plan(params, e, acc_size)
  local vector, bytes = vector_for(params), bytes_for(params, e, acc_size)
  local steps = math.min(MAX_STEPS, FLAT_ELEMENTS // vector, bytes // (vector * acc_size))
  local p = { kind = "flat", vector = vector, steps = math.max(1, steps), rows = e.outer > 1,
    numbers = { e.outer * e.len, e.len } }
  local tile = threads * p.vector * p.steps
  p.tiles = (e.outer * e.len + tile - 1) // tile
  p.looks_back = p.tiles > 1 and not (p.rows and tile % e.len == 0)
  p.tall, p.columns = p.tiles, 1
  for _, q in ipairs(params) do
    if q.lay then
      q.class = is_flat(q, e, vector) and "flat" or "strided"
      if q.class == "strided" then
        q.slot = #p.numbers
        table.move({ q.lay.outer, q.lay.axis }, 1, 2, #p.numbers + 1, p.numbers)
      end
    end
  end
  return p
end

-- Bytes of shared memory for columns of this width: a value for each thread, two for each column.
local function shared_bytes(width, acc_size)
  return (threads + 2 * width) * ((acc_size + 3) // 4 * 4)
end

local function narrowed(width, acc_size)
  while width > 1 and shared_bytes(width, acc_size) > SHARED_BYTES do width = width // 2 end
  return width
end

local function width_for(e, rows_each)
  if e.inner < COLUMN_WIDTH then return power_above(e.inner) end
  local width = COLUMN_WIDTH
  while width < threads and width < e.inner and threads // (2 * width) * rows_each >= e.len do
    width = width * 2
  end
  return width
end

local function column_plan(params, e, acc_size)
  local p = { kind = "columns" }
  p.rows_each = math.min(MAX_COLUMN_ROWS, power_above(e.len), math.max(4, COLUMN_BYTES // acc_size))
  p.width = narrowed(width_for(e, p.rows_each), acc_size)
  local strips, height = (e.inner + p.width - 1) // p.width, threads // p.width * p.rows_each
  local across, tiles = e.outer * strips, (e.len + height - 1) // height
  p.numbers = { e.outer * e.len * e.inner, e.len, e.inner, strips, across }
  p.tiles, p.tall, p.columns = tiles * across, tiles, across * p.width
  p.looks_back = tiles > 1
  p.alone = not p.looks_back or across >= MANY_STRIPS
  for _, q in ipairs(params) do
    if q.lay then
      q.class, q.slot = "strided", #p.numbers
      table.move({ q.lay.outer, q.lay.axis, q.lay.inner }, 1, 3, #p.numbers + 1, p.numbers)
    end
  end
  return p
end

-- Places scalars and raw arrays, given as `bytes`, after the numbers in the plan.
local function place_bytes(p, params)
  local bytes, at = { ("i8"):rep(#p.numbers):pack(table.unpack(p.numbers)) }, #p.numbers
  for _, q in ipairs(params) do
    if q.bytes then
      q.slot, at = at, at + #q.bytes // 8
      bytes[#bytes + 1] = q.bytes
    end
  end
  p.plan_size, p.bytes = at, table.concat(bytes)
end

-- plan.make(params, e, acc) -> plan: kind ("flat", "columns"), tiles, tall (the number above each
-- other), columns, looks_back (does a tile need others?), plan_size and bytes (of the kernel's last
-- parameter, without the accumulator's), and the fields that scan_source.lua needs. `params`: the
-- kernel's parameters; those of arrays with lay, size (of an element) and pointer get a class, and
-- a slot where they need one. `bytes`: the accumulator's, or nil where they are not known. nil if
-- it is too large for columns.
local function make(params, e, bytes)
  local size = bytes or UNKNOWN_SIZE
  if e.inner > 1 and size > MOST_BYTES then return nil end
  local p = (e.inner > 1 and column_plan or flat_plan)(params, e, size)
  place_bytes(p, params)
  return p
end

-- plan.scratch(p, bytes) -> 64-bit words of the scratch array, for an accumulator of that many
-- bytes
local function scratch(p, bytes)
  local rows = p.tall + (p.alone and 0 or p.tall // GROUP)
  return HEADER_WORDS + rows * p.columns * ((bytes + 3) // 4)
end

-- plan.key(p, params) -> text that is equal for calls that can share a kernel, given equal types
local function key(p, params)
  local parts = { p.kind, p.vector or p.width, p.steps or p.rows_each,
    p.rows and "r" or p.alone and "a" or "" }
  for _, q in ipairs(params) do
    parts[#parts + 1] = q.rank and ("raw %d %s"):format(q.rank, q.contiguous) or q.class
  end
  return table.concat(parts, ",")
end

return { extents = extents, layout = layout, make = make, scratch = scratch, key = key,
  threads = threads, most_bytes = MOST_BYTES }

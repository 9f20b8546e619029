-- sort_rows.lua: sorts the rows of contiguous arrays, for cuda.sort and cuda.argsort.
--
-- Arrays are contiguous and consist of rows of m elements. One launch sorts all rows of up to
-- source.ROW_LIMIT elements; longer rows take a radix sort, side by side. Complex numbers are
-- sorted by integer codes of their parts.

local core = require "luacuda.core"
local codes = require "luacuda.array.sort_codes"
local source = require "luacuda.array.sort_source"
local ELEMENTS = require("luacuda.array.words").ELEMENTS
local dtypes = require "luacuda.base.dtypes"
local plans = require "luacuda.base.plans"
local find_kernel = require("luacuda.kernel.kernel").find

-- Kernels -----------------------------------------------------------------------------------------

-- Dtypes whose bits have the same order share kernels.
local function row_key(row, pairs)
  local kind = row.kind == "float" and row.name or row.kind .. row.size
  return kind .. (pairs and " pairs" or " keys")
end

local function free(...)
  for _, array in ipairs { ... } do array:free() end
end

-- Short rows --------------------------------------------------------------------------------------

local function log2_up(m)
  local log2 = 0
  while 1 << log2 < m do log2 = log2 + 1 end
  return log2
end

-- How a kernel sorts rows of m elements of `src` (plans.lua) into memory that may be the same; with
-- `pairs` into the positions of the elements in order.
local function short_plan(row, pairs, src, rows, m, mask)
  local log2 = log2_up(m)
  local units = src.device.multiprocessor_count
  local each = math.max(1, math.min(source.ROW_TARGET >> log2, (rows + units - 1) // units))
  local threads = math.max(32, math.min(source.ROW_THREADS, ((each << log2) // 2 + 31) // 32 * 32))
  return { run = find_kernel("luacuda_sort_rows", row_key(row, pairs), source.rows, row, pairs),
    grid = (rows + each - 1) // each, block = threads, args = { rows, m, log2, each, mask },
    dtype = pairs and "int64" or row.name }
end

local function sort_short(row, pairs, src, dst, rows, m, mask, stream)
  plans.launch(short_plan(row, pairs, src, rows, m, mask), src, dst, stream)
end

-- Long rows ---------------------------------------------------------------------------------------

-- The memory that a sort needs: state, and keys and indices between passes. Passes alternate
-- between two places, of which the last is the result; null where there are too few passes to need
-- one.
local function long_memory(row, pairs, like, tiles, word, rows, m, stream)
  local function scratch(needed, dtype)
    return needed and core.new(like, rows * m, dtype, stream) or core.null
  end
  local words = source.STATE_HEAD + row.size * 256 + 512 * tiles
  return {
    state = core.new(like, rows * words, word, stream),
    keys_a = scratch(pairs and row.size > 2, row.name), keys_b = scratch(row.size > 1, row.name),
    index_a = scratch(pairs and row.size > 2, word),
    index_b = scratch(pairs and row.size > 1, word),
  }
end

local function free_memory(memory)
  for _, array in next, memory do
    if not rawequal(array, core.null) then array:free() end
  end
end

-- For a single row only what is read before it is written is cleared, which excludes the second set
-- of words per tile.
local function clear_state(state, row, tiles, rows, stream)
  if rows > 1 then return state:fill(0, { stream = stream }) end
  local part = state:slice { 1, source.STATE_HEAD + row.size * 256 + 256 * tiles }
  part:fill(0, { stream = stream })
  part:free()
end

local function sort_long(row, pairs, src, dst, rows, m, mask, stream)
  local wide = m >= source.WIDE - source.MOST_TILE
  local sizes = source.pass_sizes(row, pairs, wide, src.device.max_shared_memory_per_block_optin)
  local tile = sizes.threads * sizes.items
  local tiles = (m + tile - 1) // tile
  local key = row_key(row, pairs) .. (wide and " wide" or "")
  local count = find_kernel("luacuda_sort_count", key, source.count, row, pairs, wide)
  local pass = find_kernel("luacuda_sort_pass", ("%s %d"):format(key, sizes.items), source.pass,
    row, pairs, wide, sizes)
  local memory = long_memory(row, pairs, src, tiles, wide and "uint64" or "uint32", rows, m, stream)
  local in_place, copied = not pairs and src.pointer == dst.pointer, nil
  if in_place and row.size == 1 then                 -- in place takes an even number of passes
    copied = src:copy { stream = stream }
    src, in_place = copied, false
  end
  clear_state(memory.state, row, tiles, rows, stream)
  local per_row = source.COUNT_THREADS * 16
  local blocks = math.min((m + per_row - 1) // per_row,
    (source.COUNT_BLOCKS_PER_SM * src.device.multiprocessor_count + rows - 1) // rows)
  count({ grid = { blocks, rows }, block = source.COUNT_THREADS, stream = stream }, src,
    memory.state, m, tiles, mask, in_place and 1 or 0)
  local launch = { grid = { tiles, rows }, block = sizes.threads, shared = sizes.shared,
    stream = stream }
  for p = 0, row.size - 1 do
    if pairs then
      pass(launch, src, memory.keys_a, memory.keys_b, memory.index_a, memory.index_b, dst,
        memory.state, m, p, tiles, mask)
    else
      pass(launch, src, dst, memory.keys_b, memory.state, m, p, tiles, mask)
    end
  end
  free_memory(memory)
  if copied then copied:free() end
end

local function sort_batches(row, pairs, src, dst, rows, m, mask, stream)
  if rows <= source.BATCH then return sort_long(row, pairs, src, dst, rows, m, mask, stream) end
  local from, to = src:reshape { rows, m }, dst:reshape { rows, m }
  for first = 1, rows, source.BATCH do
    local last = math.min(rows, first + source.BATCH - 1)
    local a, b = from:slice { first, last }, to:slice { first, last }
    sort_long(row, pairs, a, b, last - first + 1, m, mask, stream)
    free(a, b)
  end
  free(from, to)
end

local function mask_of(row, descending) return descending and -1 >> (64 - row.size * 8) or 0 end

-- Real dtypes: rows of src in order to dst, or the positions (int64, from 1) of their elements.
local function sort_real(row, pairs, src, dst, rows, m, descending, stream)
  local mask = mask_of(row, descending)
  local run = m <= source.ROW_LIMIT and sort_short or sort_batches
  run(row, pairs, src, dst, rows, m, mask, stream)
end

-- Complex dtypes ----------------------------------------------------------------------------------

-- Codes of complex numbers: `high` decides, `low` decides between equals. Numbers without NaN come
-- first, by real and imaginary part; then those with a NaN only in the imaginary part, only in the
-- real part, in both.
local COMPLEX_CODES = [==[
__global__ void luacuda_sort_complex(const void *in, void *high, void *low, long long n) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Code re = rank_of(((const Stored *)in)[2 * i]),
      im = rank_of(((const Stored *)in)[2 * i + 1]);
  const Code top = MOST - 2;          // MOST is the code of a NaN, that of infinity is far below
  Code h = re == MOST ? (im == MOST ? MOST : MOST - 1) : im == MOST ? top : re;
  Code l = re == MOST ? (im == MOST ? 0 : im) : im == MOST ? re : im;
#if BITS == 32
  ((unsigned long long *)high)[i] = (unsigned long long)h << 32 | l;
#else
  ((Code *)high)[i] = h;
  ((Code *)low)[i] = l;
#endif
}
]==]

local function complex_text(part) return codes.text(part) .. COMPLEX_CODES end

-- out[r, c] = in[r, places[r, c]] in rows of m.
local GATHER = [==[
__global__ void luacuda_sort_gather(const void *in, const void *places, void *out, long long n,
    long long m) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  ((Stored *)out)[i] = ((const Stored *)in)[(n == m ? 0 : i / m * m)
      + ((const long long *)places)[i] - 1];
}
]==]

local function gather_text(size)
  return ("typedef %s Stored;\n"):format(ELEMENTS[size]) .. GATHER
end

local function gather(src, places, dst, m, stream)
  local size = src.nbytes // src.size
  local run = find_kernel("luacuda_sort_gather", size, gather_text, size)
  run({ threads = src.size, stream = stream }, src, places, dst, src.size, m)
end

local UINT64 = dtypes.of "uint64"

local function argsort_complex(row, src, dst, rows, m, descending, stream)
  local part = dtypes.of(dtypes.part_of(row.name))
  local two = part.size == 8
  local n = rows * m
  local high, low = core.new(src, n, "uint64", stream), two and core.new(src, n, "uint64", stream)
    or core.null
  local run = find_kernel("luacuda_sort_complex", part.name, complex_text, part)
  run({ threads = n, stream = stream }, src, high, low, n)
  if not two then
    sort_real(UINT64, true, high, dst, rows, m, descending, stream)
    return high:free()
  end
  local first, second = core.new(src, n, "int64", stream), core.new(src, n, "int64", stream)
  sort_real(UINT64, true, low, first, rows, m, descending, stream)
  gather(high, first, low, m, stream)
  sort_real(UINT64, true, low, second, rows, m, descending, stream)
  gather(first, second, dst, m, stream)
  free(high, low, first, second)
end

local function sort_complex(row, src, dst, rows, m, descending, stream)
  local places = core.new(src, rows * m, "int64", stream)
  argsort_complex(row, src, places, rows, m, descending, stream)
  if src.pointer == dst.pointer then
    local copied = src:copy { stream = stream }
    gather(copied, places, dst, m, stream)
    copied:free()
  else
    gather(src, places, dst, m, stream)
  end
  places:free()
end

-- By the CPU device itself ------------------------------------------------------------------------

-- Returns false where kernels are needed.
local function sort_host(pairs, src, dst, m, descending, stream)
  local bytes = core.host_sort_scratch(src, m, pairs)
  if not bytes then return false end
  local scratch = bytes > 0 and core.new(src, bytes, "uint8", stream) or nil
  core.host_sort(src, m, pairs, dst, descending, scratch, stream)
  if scratch then scratch:free() end
  return true
end

-- Sorts rows of contiguous arrays. dst is src itself or does not overlap it; with `pairs` it never
-- overlaps.
local function sort_rows(pairs, src, dst, m, descending, stream)
  if sort_host(pairs, src, dst, m, descending, stream) then return end
  local row = dtypes.of(src.dtype)
  local rows = src.size // m
  if row.kind ~= "complex" then
    return sort_real(row, pairs, src, dst, rows, m, descending, stream)
  end
  local run = pairs and argsort_complex or sort_complex
  run(row, src, dst, rows, m, descending, stream)
end

-- The plan of a contiguous array where one kernel sorts its rows of m elements, else nil.
local function plan(pairs, src, m, descending)
  local row = dtypes.of(src.dtype)
  if row.kind == "complex" or m > source.ROW_LIMIT then return nil end
  if core.host_sort_scratch(src, m, pairs) then return nil end
  return short_plan(row, pairs, src, src.size // m, m, mask_of(row, descending))
end

return { sort_rows = sort_rows, plan = plan, gather = gather, find_kernel = find_kernel,
  row_key = row_key }

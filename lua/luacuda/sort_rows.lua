-- sort_rows.lua: sorts the rows of contiguous arrays: what cuda.sort and cuda.argsort run.
--
-- Work is done on rows: contiguous arrays of `rows` times m elements. Rows up to source.ROW_LIMIT take one launch for all of
-- them, longer ones a radix sort each. Complex numbers are sorted by integer codes of their parts.

local core = require "luacuda.core"
local kernel = require("luacuda.kernel").kernel
local dtypes = require "luacuda.dtypes"
local source = require "luacuda.sort_source"
local ELEMENTS = require("luacuda.select_source").ELEMENTS

-- Kernels -------------------------------------------------------------------------------------------------------------------

local kernels = {}

local function find_kernel(name, key, text, ...)
  key = name .. " " .. key
  local found = kernels[key]
  if not found then
    found = kernel(text(...), name)
    kernels[key] = found
  end
  return found
end

-- Dtypes whose bits sort alike share kernels.
local function row_key(row, pairs)
  local kind = row.kind == "float" and row.name or row.kind .. row.size
  return kind .. (pairs and " pairs" or " keys")
end

local function empty(like, n, dtype, stream) return core.empty(n, dtype, { device = like.device, stream = stream }) end

local function free(...)
  for _, array in ipairs { ... } do array:free() end
end

-- Short rows ----------------------------------------------------------------------------------------------------------------

local function log2_up(m)
  local log2 = 0
  while 1 << log2 < m do log2 = log2 + 1 end
  return log2
end

-- Rows of m elements from src to dst (the same memory is allowed), or with `pairs` the places of their elements in order.
local function sort_short(row, pairs, src, dst, rows, m, mask, stream)
  local log2 = log2_up(m)
  local units = src.device.multiprocessor_count
  local each = math.max(1, math.min(source.ROW_TARGET >> log2, (rows + units - 1) // units))
  local threads = math.max(32, math.min(source.ROW_THREADS, ((each << log2) // 2 + 31) // 32 * 32))
  local run = find_kernel("luacuda_sort_rows", row_key(row, pairs), source.rows, row, pairs)
  run({ grid = (rows + each - 1) // each, block = threads, stream = stream }, src, dst, rows, m, log2, each, mask)
end

-- Long rows -----------------------------------------------------------------------------------------------------------------

local WIDE = 1 << 30           -- from here on counts take 64-bit words

-- What the long rows of a sort share: kernels, numbers, memory that is used row after row.
local function long_sort(row, pairs, like, m, stream)
  local tile = source.PASS_THREADS * source.items(row, pairs)
  local self = { row = row, pairs = pairs, m = m, stream = stream, passes = row.size, wide = m + tile >= WIDE }
  local key = row_key(row, pairs) .. (self.wide and " wide" or "")
  local kind = like.device.kind
  self.count = find_kernel("luacuda_sort_count", key, source.count, row, pairs, self.wide)
  self.pass = find_kernel("luacuda_sort_pass", key .. " " .. kind, source.pass, row, pairs, self.wide, kind)
  self.tiles = (m + tile - 1) // tile
  local word, head = self.wide and "uint64" or "uint32", source.STATE_HEAD + self.passes * 256
  self.state = empty(like, head + 2 * self.tiles * 256, word, stream)
  self.cleared = self.state:slice { 1, head + self.tiles * 256 }
  self.count_blocks = math.min((m + source.COUNT_THREADS * 16 - 1) // (source.COUNT_THREADS * 16),
    source.COUNT_BLOCKS_PER_SM * like.device.multiprocessor_count)
  self.scratch = { self.state, self.cleared }
  self.keys_a, self.keys_b, self.index_a, self.index_b = core.null, core.null, core.null, core.null
  local function scratch(dtype)
    local array = empty(like, m, dtype, stream)
    self.scratch[#self.scratch + 1] = array
    return array
  end
  if self.passes > 1 then
    self.keys_b = scratch(row.name)
    if pairs then self.index_b = scratch(word) end
  end
  if pairs and self.passes > 2 then self.keys_a, self.index_a = scratch(row.name), scratch(word) end
  return self
end

-- One row from src to dst. In place it takes an even number of passes.
local function sort_row(self, src, dst, mask)
  local in_place = not self.pairs and src.pointer == dst.pointer
  local copied
  if in_place and self.passes == 1 then
    copied = src:copy { stream = self.stream }
    src, in_place = copied, false
  end
  self.cleared:fill(0, { stream = self.stream })
  self.count({ grid = self.count_blocks, block = source.COUNT_THREADS, stream = self.stream },
    src, self.state, self.m, mask, in_place and 1 or 0)
  local launch = { grid = self.tiles, block = source.PASS_THREADS, stream = self.stream }
  for pass = 0, self.passes - 1 do
    if self.pairs then
      self.pass(launch, src, self.keys_a, self.keys_b, self.index_a, self.index_b, dst, self.state, self.m, pass, self.tiles, mask)
    else
      self.pass(launch, src, dst, self.keys_b, self.state, self.m, pass, self.tiles, mask)
    end
  end
  if copied then copied:free() end
end

-- Real dtypes: rows of src in order to dst, or the places (int64, from 1) of their elements.
local function sort_real(row, pairs, src, dst, rows, m, descending, stream)
  local mask = descending and -1 >> (64 - row.size * 8) or 0
  if m <= source.ROW_LIMIT then return sort_short(row, pairs, src, dst, rows, m, mask, stream) end
  local long = long_sort(row, pairs, src, m, stream)
  if rows == 1 then
    sort_row(long, src, dst, mask)
  else
    local from, to = src:reshape { rows, m }, dst:reshape { rows, m }
    for r = 1, rows do
      local a, b = from:slice(r), to:slice(r)
      sort_row(long, a, b, mask)
      free(a, b)
    end
    free(from, to)
  end
  free(table.unpack(long.scratch))
end

-- Complex dtypes ------------------------------------------------------------------------------------------------------------

-- Codes of complex numbers: `high` decides, `low` decides among equals. Numbers without NaN come first, by real and imaginary
-- part, then those with a NaN only in the imaginary part, only in the real part, in both.
local COMPLEX_CODES = [==[
extern "C" __global__ void luacuda_sort_complex(const void *in, void *high, void *low, long long n) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Code re = rank_of(((const Stored *)in)[2 * i]), im = rank_of(((const Stored *)in)[2 * i + 1]);
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

local function complex_text(part) return source.codes(part) .. COMPLEX_CODES end

-- out[r, c] = in[r, places[r, c]] in rows of m.
local GATHER = [==[
extern "C" __global__ void luacuda_sort_gather(const void *in, const void *places, void *out, long long n, long long m) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  ((Stored *)out)[i] = ((const Stored *)in)[(n == m ? 0 : i / m * m) + ((const long long *)places)[i] - 1];
}
]==]

local function gather_text(size) return ("typedef %s Stored;\n"):format(ELEMENTS[size]) .. GATHER end

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
  local high, low = empty(src, n, "uint64", stream), two and empty(src, n, "uint64", stream) or core.null
  local run = find_kernel("luacuda_sort_complex", part.name, complex_text, part)
  run({ threads = n, stream = stream }, src, high, low, n)
  if not two then
    sort_real(UINT64, true, high, dst, rows, m, descending, stream)
    return high:free()
  end
  local first, second = empty(src, n, "int64", stream), empty(src, n, "int64", stream)
  sort_real(UINT64, true, low, first, rows, m, descending, stream)
  gather(high, first, low, m, stream)
  sort_real(UINT64, true, low, second, rows, m, descending, stream)
  gather(first, second, dst, m, stream)
  free(high, low, first, second)
end

local function sort_complex(row, src, dst, rows, m, descending, stream)
  local places = empty(src, rows * m, "int64", stream)
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

-- Rows of contiguous arrays. dst is src itself or apart from it; with `pairs` always apart.
local function sort_rows(pairs, src, dst, m, descending, stream)
  local row = dtypes.of(src.dtype)
  local rows = src.size // m
  if row.kind ~= "complex" then return sort_real(row, pairs, src, dst, rows, m, descending, stream) end
  local run = pairs and argsort_complex or sort_complex
  run(row, src, dst, rows, m, descending, stream)
end

return { sort_rows = sort_rows, gather = gather, find_kernel = find_kernel, row_key = row_key }

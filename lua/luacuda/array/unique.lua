-- unique.lua: the distinct values of an array, in order: sorts, marks the first of each, selects
-- those.

local core = require "luacuda.core"
local selection = require "luacuda.array.selection"
local codes = require "luacuda.array.sort_codes"
local sorting = require "luacuda.array.sort_rows"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local find_kernel = require("luacuda.kernel.kernel").find

-- A bit per sorted element: does it differ from the one before? All zeros are equal, and all NaNs.
-- Bits and counts are those of a selection (select_source.lua): a block takes a tile.
local MARK = [==[
#if PARTS == 1
__device__ bool same(const Stored *a, const Stored *b) { return rank_of(*a) == rank_of(*b); }
#else
__device__ bool is_nan(const Stored *a) { return rank_of(a[0]) == MOST || rank_of(a[1]) == MOST; }
__device__ bool same(const Stored *a, const Stored *b) {
  return (rank_of(a[0]) == rank_of(b[0]) && rank_of(a[1]) == rank_of(b[1]))
      || (is_nan(a) && is_nan(b));
}
#endif
struct Element { Stored v[PARTS]; };
extern "C" __global__ void __launch_bounds__(256)
luacuda_unique_mark(const void *sorted, void *bits, void *counts, long long n) {
  __shared__ unsigned sums[8];
  const Element *elements = (const Element *)sorted;
  const long long first = blockIdx.x * (long long)TILE;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  unsigned sum = 0;
  for (int e = threadIdx.x; e < TILE; e += 256 * BATCH) {
    Element own[BATCH], before[BATCH];
#pragma unroll
    for (int j = 0; j < BATCH; j++) {
      const long long i = min(first + e + 256 * j, n - 1);
      own[j] = elements[i];
      before[j] = elements[i > 0 ? i - 1 : 0];
    }
#pragma unroll
    for (int j = 0; j < BATCH; j++) {
      const long long i = first + e + 256 * j;
      const unsigned word = __ballot_sync(~0u,
          i < n && (i == 0 || !same(before[j].v, own[j].v)));
      if (lane == 0) ((unsigned *)bits)[i >> 5] = word;
      sum += __popc(word);
    }
  }
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < 8; w++) sum += sums[w];
  ((unsigned *)counts)[blockIdx.x] = sum;
}
]==]

local function mark_text(part, parts)
  return codes.text(part) .. ("#define PARTS %d\n#define TILE %d\n#define BATCH %d\n"):format(
    parts, selection.TILE, parts == 1 and 8 or 4) .. MARK
end

-- counts[k] = starts[k + 1] - starts[k], the last up to n + 1
local COUNTS = [==[
extern "C" __global__ void luacuda_unique_counts(const void *starts_, void *counts, long long total,
    long long n) {
  const long long *starts = (const long long *)starts_;
  long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (k < total) ((long long *)counts)[k] = (k + 1 < total ? starts[k + 1] : n + 1) - starts[k];
}
]==]

-- The first of each value.
local function mark(sorted, stream)
  local row = dtypes.of(sorted.dtype)
  local parts = row.kind == "complex" and 2 or 1
  local part = parts == 2 and dtypes.of(dtypes.part_of(row.name)) or row
  local run = find_kernel("luacuda_unique_mark", sorting.row_key(part, parts == 2),
    mark_text, part, parts)
  return selection.packed(sorted.size, sorted, stream, function(launch, bits, counts)
    run(launch, sorted, bits, counts, sorted.size)
  end)
end

-- The chosen elements of `src`, or with src nil their positions.
local function chosen_of(chosen, src, like, dtype, stream)
  local out = core.new(like, chosen.total, dtype, stream)
  selection.write(chosen, src, out)
  return out
end

local function counts_of(chosen, like, n, stream)
  local starts = chosen_of(chosen, nil, like, "int64", stream)
  local counts = core.new(like, chosen.total, "int64", stream)
  local run = find_kernel("luacuda_unique_counts", "", function() return COUNTS end)
  run({ threads = chosen.total, stream = stream }, starts, counts, chosen.total, n)
  starts:free()
  return counts
end

local function inverse_of(chosen, order, a, stream)
  local inverse = core.new(a, a, "int64", stream)
  selection.number(chosen, order, inverse)
  return inverse
end

-- A sorted copy of the contiguous array `src`, and with `ordered` the order (places from 1) that
-- gives it.
local function sorted_of(src, ordered, stream)
  local n = src.size
  local sorted = core.new(src, n, src.dtype, stream)
  if not ordered then
    sorting.sort_rows(false, src, sorted, n, false, stream)
    return sorted
  end
  local order = core.new(src, n, "int64", stream)
  sorting.sort_rows(true, src, order, n, false, stream)
  sorting.gather(src, order, sorted, n, stream)
  return sorted, order
end

local OPTIONS = { "return_index", "return_inverse", "return_counts", "stream" }

local function wanted(opts)
  local want = {}
  for _, name in ipairs { "return_index", "return_inverse", "return_counts" } do
    want[name] = arguments.boolean("unique", opts, name) or false
  end
  return want
end

local function results(want, values, index, inverse, counts)
  local list = { values }
  if want.return_index then list[#list + 1] = index end
  if want.return_inverse then list[#list + 1] = inverse end
  if want.return_counts then list[#list + 1] = counts end
  return table.unpack(list)
end

-- cuda.unique(a [, options]) -> values [, index] [, inverse] [, counts]
local function unique(a, given)
  a = arguments.array("unique", 1, "a", a)
  local opts = arguments.options("unique", given, OPTIONS)
  local want, stream, n = wanted(opts), opts.stream, a.size
  if type(a.dtype) ~= "string" then
    arguments.fail("unique", "elements of %s have no order", tostring(a.dtype))
  end
  local function none() return core.new(a, 0, "int64", stream) end
  if n == 0 then
    return results(want, core.new(a, 0, a.dtype, stream), none(),
      core.new(a, a, "int64", stream), none())
  end
  local src = a:contiguous { stream = stream }
  local sorted, order = sorted_of(src, want.return_index or want.return_inverse, stream)
  if not rawequal(src, a) then src:free() end
  local chosen = mark(sorted, stream)
  local values = chosen_of(chosen, sorted, a, a.dtype, stream)
  local index = want.return_index and chosen_of(chosen, order, a, "int64", stream)
  local inverse = want.return_inverse and inverse_of(chosen, order, a, stream)
  local counts = want.return_counts and counts_of(chosen, a, n, stream)
  selection.free(chosen)
  sorted:free()
  if order then order:free() end
  return results(want, values, index, inverse, counts)
end

return { unique = unique }

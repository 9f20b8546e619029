-- take_source.lua: the CUDA text of selection by indices.

local WORDS = require("luacuda.array.words").WORDS

local M = {}

M.THREADS = 256
M.AHEAD = 4
M.NARROW = 1 << 30             -- words up to which the kernels count with 32 bits
M.FEW = 4096                   -- indices that one block checks before it writes
M.FEW_THREADS = 1024

-- Indices count from 1, or back from -1. Outside of the axis: MODE 0 stores the position (from 1)
-- in bad[0] and skips the element, 1 takes the nearest index, 2 wraps around.
local INDEX = [==[
__device__ __forceinline__ bool normal(long long &i, long long m) {
  if (MODE == 1) i = i < 1 ? 0 : i > m ? m - 1 : i - 1;
  else if (MODE == 2) { i = (i - 1) % m; if (i < 0) i += m; }
  else { i = i < 0 ? i + m : i - 1; return i >= 0 && i < m; }
  return true;
}
]==]

-- Of element i of {outer, k, inner}: its place, and the index for it.
M.PLACE = [==[
    Int q = i, r = 0, outer = 0;
    if (inner > 1) q = i / inner, r = i - q * inner;
    Int j = q;
    if (k < count) outer = q / k, j = q - outer * k;
    long long at = ((const Index *)indices)[j];
]==]

-- in is {outer, m, inner}, out {outer, k, inner}, in words of one size. The loads of AHEAD words
-- are in flight together.
local TAKE = [==[
__global__ void __launch_bounds__(THREADS)
luacuda_take(const void *in, const void *indices, void *out, void *bad, Int count, Int m, Int k,
    Int inner) {
  const Int first = (Int)blockIdx.x * (THREADS * AHEAD) + threadIdx.x;
  Int from[AHEAD];
#pragma unroll
  for (int u = 0; u < AHEAD; u++) {
    const Int i = first + u * THREADS;
    from[u] = -1;
    if (i < count) {
]==] .. M.PLACE .. [==[
      if (normal(at, m)) from[u] = (outer * m + (Int)at) * inner + r;
      else *(long long *)bad = (long long)j + 1;
    }
  }
  Word v[AHEAD];
#pragma unroll
  for (int u = 0; u < AHEAD; u++) if (from[u] >= 0) v[u] = ((const Word *)in)[from[u]];
#pragma unroll
  for (int u = 0; u < AHEAD; u++)
    if (from[u] >= 0) ((Word *)out)[first + u * THREADS] = v[u];
}
]==]

-- a[indices[j]] = v[j], or v[0] if only one is given; elements of `inner` words.
local PUT = [==[
__global__ void __launch_bounds__(THREADS)
luacuda_put(void *a, const void *indices, const void *v, Int count, Int m, Int given, Int inner) {
  const Int stride = (Int)gridDim.x * THREADS;
  for (Int i = (Int)blockIdx.x * THREADS + threadIdx.x; i < count; i += stride) {
    Int j = i, r = 0;
    if (inner > 1) j = i / inner, r = i - j * inner;
    long long at = ((const Index *)indices)[j];
    if (normal(at, m)) ((Word *)a)[(Int)at * inner + r] =
        ((const Word *)v)[(given == 1 ? 0 : j) * inner + r];
  }
}
]==]

-- To be called by all threads of a single block: is an index wrong? Stores its position (from 1).
local ANY_WRONG = [==[
__device__ __forceinline__ bool any_wrong(const void *indices, int count, long long m, void *bad) {
  bool wrong = false;
  for (int j = threadIdx.x; j < count; j += blockDim.x) {
    long long at = ((const Index *)indices)[j];
    if (!normal(at, m)) *(long long *)bad = j + 1, wrong = true;
  }
  return __syncthreads_or(wrong);
}
]==]

-- The same as PUT for few indices, by one block, which writes nothing where an index is wrong.
local PUT_FEW = [==[
__global__ void __launch_bounds__(FEW_THREADS)
luacuda_put_few(void *a, const void *indices, const void *v, void *bad, int few, Int m, Int given,
    Int inner) {
  if (any_wrong(indices, few, m, bad)) return;
  for (Int i = threadIdx.x; i < few * inner; i += FEW_THREADS) {
    Int j = i, r = 0;
    if (inner > 1) j = i / inner, r = i - j * inner;
    long long at = ((const Index *)indices)[j];
    normal(at, m);
    ((Word *)a)[(Int)at * inner + r] = ((const Word *)v)[(given == 1 ? 0 : j) * inner + r];
  }
}
]==]

local MODES = { raise = 0, clip = 1, wrap = 2 }
M.MODES = MODES

-- The function `normal` for a mode.
function M.normal(mode) return ("#define MODE %d\n"):format(MODES[mode]) .. INDEX end

-- `index` is the dtype of the indices, int32 or int64; `wide`: more than 2^31 words.
function M.index_head(size, index, mode, wide)
  return ("typedef %s Word;\ntypedef %s Index;\ntypedef %s Int;\n#define THREADS %d\n"):format(
    WORDS[size], index == "int32" and "int" or "long long", wide and "long long" or "int",
    M.THREADS) .. M.normal(mode)
end

function M.take(...) return M.index_head(...) .. ("#define AHEAD %d\n"):format(M.AHEAD) .. TAKE end

function M.put(...) return M.index_head(...) .. PUT end

-- The head for a kernel of one block that begins with any_wrong.
function M.few_head(size, index, wide)
  return M.index_head(size, index, "raise", wide)
    .. ("#define FEW_THREADS %d\n"):format(M.FEW_THREADS) .. ANY_WRONG
end

function M.put_few(...) return M.few_head(...) .. PUT_FEW end

return M

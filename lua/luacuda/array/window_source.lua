-- window_source.lua: the CUDA text of arrays that repeat parts of another one.

local WORDS = require("luacuda.array.words").WORDS

local M = {}

M.THREADS = 256
M.NARROW = 1 << 30             -- words up to which the kernel counts with 32 bits

-- MODE -> statements that turn a position x, perhaps outside of an axis of n elements, into one of
-- its positions.
M.MODES = {
  wrap = [[
  if (x < 0) x += n;
  else if (x >= n) x -= n;
  if (x < 0 || x >= n) { x %= n; if (x < 0) x += n; }]],
  edge = "  x = x < 0 ? 0 : x < n ? x : n - 1;",
  reflect = [[
  const Int period = 2 * (n - 1);
  if (x < 0) x = -x;
  if (x >= n) { x %= period; if (x >= n) x = period - x; }]],
  symmetric = [[
  const Int period = 2 * n;
  if (x < 0) x = -1 - x;
  if (x >= n) { x %= period; if (x >= n) x = period - 1 - x; }]],
}

-- out has the extents `out`; along each axis its element i is element place(i - before) of in,
-- whose extents are `in` and whose strides are in words.
local WINDOW = [==[
struct Axes { long long out[NDIM], in[NDIM], before[NDIM], stride[NDIM]; };
__device__ __forceinline__ Int place(Int x, Int n) {
%s
  return x;
}
__global__ void __launch_bounds__(THREADS)
luacuda_window(const void *in, void *out, long long count, Axes axes) {
  const Int step = (Int)gridDim.x * THREADS;
  for (Int i = (Int)blockIdx.x * THREADS + threadIdx.x; i < (Int)count; i += step) {
    Int rest = i, at = 0;
#pragma unroll
    for (int d = NDIM - 1; d >= 0; d--) {
      Int x = rest;
      if (d > 0) rest = x / (Int)axes.out[d], x -= rest * (Int)axes.out[d];
      at += place(x - (Int)axes.before[d], (Int)axes.in[d]) * (Int)axes.stride[d];
    }
    ((Word *)out)[i] = ((const Word *)in)[at];
  }
}
]==]

-- `size`: of a word; `wide`: more than 2^30 words.
function M.window(size, mode, ndim, wide)
  return ("typedef %s Word;\ntypedef %s Int;\n#define NDIM %d\n#define THREADS %d\n"):format(
    WORDS[size], wide and "long long" or "int", ndim, M.THREADS) .. WINDOW:format(M.MODES[mode])
end

return M

-- window_source.lua: the CUDA text of arrays that repeat parts of another one.

local WORDS = require("luacuda.array.words").WORDS

local M = {}

M.THREADS = 256
M.AHEAD = 2                    -- accesses of a thread that are in flight together
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
-- whose extents are `in` and whose strides are in words. A thread writes VECTOR words of a row with
-- one access where they follow each other in the source.
local WINDOW = [==[
struct Axes { long long out[NDIM], in[NDIM], before[NDIM], stride[NDIM]; };
struct alignas(ACCESS) Vector { Word w[VECTOR]; };
__device__ __forceinline__ Int place(Int x, Int n) {
%s
  return x;
}
__device__ __forceinline__ Int start(Int row, const Axes &axes) {
  Int at = 0;
#pragma unroll
  for (int d = NDIM - 2; d >= 0; d--) {
    Int x = row;
    if (d > 0) row = x / (Int)axes.out[d], x -= row * (Int)axes.out[d];
    at += place(x - (Int)axes.before[d], (Int)axes.in[d]) * (Int)axes.stride[d];
  }
  return at;
}
// Do the words for VECTOR positions from x on follow each other, from `first` on?
__device__ __forceinline__ bool is_run(Int x, Int width, Int before, Int n, Int &first) {
  first = VECTOR == 1 || WRAP ? place(x - before, n) : x - before;
  return VECTOR == 1 || (first >= 0 && first + VECTOR <= n && x + VECTOR <= width);
}
__global__ void __launch_bounds__(THREADS)
luacuda_window(const void *in_, void *out_, long long count, Axes axes) {
  const int last = NDIM - 1;
  const Int width = (Int)axes.out[last], n = (Int)axes.in[last], before = (Int)axes.before[last];
  const Int stride = (Int)axes.stride[last];
  const Word *in = (const Word *)in_;
  Word *out = (Word *)out_;
  Vector v[AHEAD];
  bool whole[AHEAD];
#pragma unroll
  for (int u = 0; u < AHEAD; u++) {
    const Int i = ((Int)blockIdx.x * (THREADS * AHEAD) + u * THREADS + threadIdx.x) * VECTOR;
    Int row = NDIM > 1 ? i / width : 0, x = i - row * width, first;
    whole[u] = i < (Int)count && is_run(x, width, before, n, first);
    if (whole[u]) {
      const Word *from = in + (start(row, axes) + first * stride);
#pragma unroll
      for (int k = 0; k < VECTOR; k++) v[u].w[k] = from[k * stride];
    }
  }
#pragma unroll
  for (int u = 0; u < AHEAD; u++) {
    Int i = ((Int)blockIdx.x * (THREADS * AHEAD) + u * THREADS + threadIdx.x) * VECTOR;
    if (whole[u]) *(Vector *)(out + i) = v[u];
    else if (VECTOR > 1) {
      Int row = NDIM > 1 ? i / width : 0, x = i - row * width, at = start(row, axes);
#pragma unroll 1
      for (int k = 0; k < VECTOR && i < (Int)count; k++, i++) {
        out[i] = in[at + place(x - before, n) * stride];
        if (++x == width) x = 0, at = start(++row, axes);
      }
    }
  }
}
]==]

-- `size`: of a word; `access`: bytes that a thread writes; `wide`: more than 2^30 words.
function M.window(size, access, mode, ndim, wide)
  return ("typedef %s Word;\ntypedef %s Int;\n#define NDIM %d\n#define THREADS %d\n"
    .. "#define ACCESS %d\n#define VECTOR %d\n#define AHEAD %d\n#define WRAP %d\n"):format(
    WORDS[size], wide and "long long" or "int", ndim, M.THREADS, access, access // size, M.AHEAD,
    mode == "wrap" and 1 or 0) .. WINDOW:format(M.MODES[mode])
end

return M

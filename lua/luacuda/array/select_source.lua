-- select_source.lua: the CUDA text of selection by masks and by indices.
--
-- A mask is read once: the first kernel packs it to bits and counts them per tile, the second turns
-- counts into positions, the third writes. A tile is 8192 elements, 256 words of bits; the 1024
-- elements of a warp go through shared memory, so that they are written one after the other.

local ELEMENTS = require("luacuda.array.words").ELEMENTS

local M = {}

M.TILE = 8192                  -- elements per count; the kernels build on 256 words of 32
M.SCAN_THREADS = 1024         -- the kernel builds on 32 warps
M.FEW = 1 << 14                -- elements up to which one block selects
-- per block, by bytes of an element: 32 KB of shared memory at most
M.WRITE_WARPS = { 8, 8, [4] = 8, [8] = 4, [16] = 2 }
M.THREADS = 256                -- of kernels that take elements one by one

local SCAN_WARP = [==[
__device__ __forceinline__ unsigned scan_warp(unsigned v, int lane) {  // inclusive
  for (int step = 1; step < 32; step <<= 1) {
    const unsigned other = __shfl_up_sync(~0u, v, step);
    if (lane >= step) v += other;
  }
  return v;
}
]==]

-- Packing and counting ----------------------------------------------------------------------------

-- One block of 256 threads per tile; a thread packs 16 elements at a time.
M.PACK = [==[
__device__ __forceinline__ unsigned pack_four(unsigned bytes) {        // byte i is not 0 -> bit i
  unsigned high = (((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bytes) & 0x80808080u;
  return (high >> 7) * 0x10204080u >> 28;
}
__global__ void __launch_bounds__(256)
luacuda_select_pack(const void *mask_, void *bits, void *counts, long long n) {
  __shared__ unsigned sums[8];
  const unsigned char *mask = (const unsigned char *)mask_;
  const long long tile = blockIdx.x;
  const bool fast = ((unsigned long long)mask & 15) == 0;
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const long long group = tile * 512 + i * 256 + threadIdx.x, at = group * 16;
    unsigned packed = 0;
    if (fast && at + 16 <= n) {
      uint4 v = *(const uint4 *)(mask + at);
      packed = pack_four(v.x) | pack_four(v.y) << 4 | pack_four(v.z) << 8 | pack_four(v.w) << 12;
    } else {
      for (int j = 0; j < 16; j++) if (at + j < n && mask[at + j]) packed |= 1u << j;
    }
    ((unsigned short *)bits)[group] = (unsigned short)packed;
    sum += __popc(packed);
  }
  for (int step = 16; step > 0; step >>= 1) sum += __shfl_xor_sync(~0u, sum, step);
  if ((threadIdx.x & 31) == 0) sums[threadIdx.x >> 5] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < 8; w++) sum += sums[w];
  ((unsigned *)counts)[tile] = sum;
}
]==]

-- One block: places[t] = sum of counts before t; total = all. A warp takes ROWS rows of 32
-- counts.
M.SCAN = SCAN_WARP .. [==[
#define ROWS 16
__global__ void __launch_bounds__(1024)
luacuda_select_scan(const void *counts, void *places, void *total, long long tiles) {
  __shared__ unsigned sums[32];
  long long carry = 0;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (long long first = 0; first < tiles; first += 1024 * ROWS) {
    const long long at = first + warp * (32 * ROWS) + lane;
    unsigned c[ROWS], run = 0;
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      c[i] = at + i * 32 < tiles ? ((const unsigned *)counts)[at + i * 32] : 0;
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      const unsigned up = scan_warp(c[i], lane);
      c[i] = run + up - c[i];
      run += __shfl_sync(~0u, up, 31);
    }
    if (lane == 0) sums[warp] = run;
    __syncthreads();
    const unsigned of_warps = scan_warp(sums[lane], lane);
    const unsigned before = __shfl_sync(~0u, of_warps, (warp + 31) & 31),
        all = __shfl_sync(~0u, of_warps, 31);
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      if (at + i * 32 < tiles)
        ((long long *)places)[at + i * 32] = carry + (warp > 0 ? before : 0) + c[i];
    }
    carry += all;
    __syncthreads();
  }
  if (threadIdx.x == 0) *(long long *)total = carry;
}
]==]

-- Writing -----------------------------------------------------------------------------------------

-- The number of bits before each of the tile's 256 words.
local BEFORE = [==[
#define PER (256 / THREADS)
__device__ __forceinline__ void count_before(const unsigned *words, unsigned *before,
    unsigned *sums) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  unsigned own = 0, c[PER];
#pragma unroll
  for (int i = 0; i < PER; i++) own += c[i] = __popc(words[threadIdx.x * PER + i]);
  unsigned up = own;
  for (int step = 1; step < 32; step <<= 1) {
    unsigned other = __shfl_up_sync(~0u, up, step);
    if (lane >= step) up += other;
  }
  if (lane == 31) sums[warp] = up;
  __syncthreads();
  up -= own;
  for (int w = 0; w < warp; w++) up += sums[w];
#pragma unroll
  for (int i = 0; i < PER; i++) {
    before[threadIdx.x * PER + i] = up;
    up += c[i];
  }
  if (threadIdx.x == THREADS - 1) before[256] = up;
  __syncthreads();
}
]==]

-- Writes selected elements, or their positions from 1, to the output positions of the tile. A lane
-- takes VECTOR adjacent elements at a time, with one access where they are aligned and complete; a
-- step of a warp has BATCH such loads in flight, those of the first step while the mask is counted.
local WRITE = [==[
#define WARPS (THREADS / 32)
#define TAKEN (32 * VECTOR * BATCH)
#define STEPS (8192 / WARPS / TAKEN)
#define STEPS_EACH (1024 / TAKEN)
struct alignas(VECTOR * sizeof(Element) < 16 ? VECTOR * sizeof(Element) : 16) Vector {
  Element v[VECTOR];
};
__device__ __forceinline__ int element_of(int step) {     // of this lane's first in the tile
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  return (warp + step / STEPS_EACH * WARPS) * 1024 + step % STEPS_EACH * TAKEN + lane * VECTOR;
}
__device__ __forceinline__ void load(Vector *v, const Element *in, int step, long long n,
    bool whole) {
#pragma unroll
  for (int j = 0; j < BATCH; j++) {
    const long long at = blockIdx.x * 8192ll + element_of(step) + j * (32 * VECTOR);
#if PLACES
    for (int k = 0; k < VECTOR; k++) v[j].v[k] = at + k + 1;
#else
    if (whole) v[j] = *(const Vector *)(in + at);
    else {
#pragma unroll
      for (int k = 0; k < VECTOR; k++) if (at + k < n) v[j].v[k] = in[at + k];
    }
#endif
  }
}
__global__ void __launch_bounds__(THREADS)
luacuda_select_write(const void *in_, const void *bits, const void *places, void *out,
    long long n) {
  __shared__ Element staged[WARPS][1024];
  __shared__ unsigned before[257], sums[WARPS];
  const Element *in = (const Element *)in_;
  const long long tile = blockIdx.x;
  const unsigned *words = (const unsigned *)bits + tile * 256;
  const bool whole = tile * 8192 + 8192 <= n && (unsigned long long)in % sizeof(Vector) == 0;
  const int lane = threadIdx.x & 31;
  Element *own = staged[threadIdx.x >> 5];
  Vector v[BATCH];
  load(v, in, 0, n, whole);
  count_before(words, before, sums);
  for (int step = 0; step < STEPS; step++) {
    const int chunk = element_of(step) >> 10;
    const unsigned start = before[chunk * 32], count = before[chunk * 32 + 32] - start;
#pragma unroll
    for (int j = 0; j < BATCH; j++) {
      const int e = element_of(step) + j * (32 * VECTOR), word = e >> 5, bit = e & 31;
      const unsigned w = words[word];
      unsigned to = before[word] - start + __popc(w & ((1u << bit) - 1));
#pragma unroll
      for (int k = 0; k < VECTOR; k++) if (w >> (bit + k) & 1) own[to++] = v[j].v[k];
    }
    if (step + 1 < STEPS) load(v, in, step + 1, n, whole);
    if (step % STEPS_EACH < STEPS_EACH - 1) continue;
    __syncwarp();
    Element *to = (Element *)out + ((const long long *)places)[tile] + start;
    // whole lines, except the first and last
    const int shift = (int)((unsigned long long)to / sizeof(Element) & 31);
    for (int i = lane - shift; i < (int)count; i += 32) if (i >= 0) to[i] = own[i];
    __syncwarp();
  }
}
]==]

-- Text of the kernel that writes elements of `size` bytes; with size nil positions (int64).
function M.write(size)
  local vector = 16 // (size or 16)
  return ("#define PLACES %d\ntypedef %s Element;\n#define THREADS %d\n#define VECTOR %d\n"
    .. "#define BATCH %d\n"):format(size and 0 or 1,
    size and ELEMENTS[size] or "long long", 32 * M.WRITE_WARPS[size or 8], vector,
    math.min(8, 32 // vector)) .. BEFORE .. WRITE
end

-- All in one block, for few elements. `total` gets the number of selected ones.
local FEW = [==[
__global__ void __launch_bounds__(1024)
luacuda_select_few(const void *in, const void *mask, void *out, void *total, int n) {
  __shared__ unsigned sums[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  unsigned carry = 0;
  for (int i = threadIdx.x; i - (int)threadIdx.x < n; i += 1024) {
    const bool chosen = i < n && ((const unsigned char *)mask)[i];
    const unsigned votes = __ballot_sync(~0u, chosen);
    if (lane == 0) sums[warp] = __popc(votes);
    __syncthreads();
    const unsigned of_warps = scan_warp(sums[lane], lane);
    const unsigned before = __shfl_sync(~0u, of_warps, (warp + 31) & 31);
    const unsigned at = carry + (warp > 0 ? before : 0) + __popc(votes & ((1u << lane) - 1));
#if PLACES
    if (chosen) ((long long *)out)[at] = i + 1;
#else
    if (chosen) ((Element *)out)[at] = ((const Element *)in)[i];
#endif
    carry += __shfl_sync(~0u, of_warps, 31);
    __syncthreads();
  }
  if (threadIdx.x == 0) *(long long *)total = carry;
}
]==]

-- Text of the kernel for elements of `size` bytes; with size nil for positions.
function M.few(size)
  return ("#define PLACES %d\ntypedef %s Element;\n"):format(size and 0 or 1,
    size and ELEMENTS[size] or "long long") .. SCAN_WARP .. FEW
end

-- Visits every element with its number among the selected, counted from 0; ACT handles it.
local RANKED = [==[
__global__ void __launch_bounds__(THREADS)
luacuda_select_ranked(const void *bits, const void *places, const void *in, void *out,
    long long n) {
  __shared__ unsigned before[257], sums[THREADS / 32];
  const long long tile = blockIdx.x, place = ((const long long *)places)[tile];
  const unsigned *words = (const unsigned *)bits + tile * 256;
  count_before(words, before, sums);
  for (int e = threadIdx.x; e < 8192; e += THREADS) {
    const long long i = tile * 8192 + e;
    if (i >= n) return;
    const unsigned word = words[e >> 5], lane = e & 31;
    const bool selected = word >> lane & 1;
    const long long rank = place + before[e >> 5] + __popc(word & ((1u << lane) - 1));
    ACT;
  }
}
]==]

local function ranked(act) return "#define THREADS 256\n" .. act .. BEFORE .. RANKED end

-- out[k-th selected] = in[k]
function M.place(size)
  return ranked(("typedef %s Element;\n"
    .. "#define ACT if (selected) ((Element *)out)[i] = ((const Element *)in)[rank]\n"):format(
    ELEMENTS[size]))
end

-- out[in[i]] = number of selected elements up to i; indices from 1, without `in` i itself
M.NUMBER = ranked [==[
#define ACT ((long long *)out)[((const long long *)in)[i] - 1] = rank + selected
]==]

-- a[i] = v[i * step] where the mask is set; step 0 repeats one value.
local PUT_WHERE = [==[
__global__ void __launch_bounds__(THREADS)
luacuda_select_put(void *a, const void *mask, const void *v, long long n, int step) {
  const long long stride = (long long)gridDim.x * THREADS;
  for (long long i = (long long)blockIdx.x * THREADS + threadIdx.x; i < n; i += stride)
    if (((const unsigned char *)mask)[i]) ((Element *)a)[i] = ((const Element *)v)[step ? i : 0];
}
]==]

function M.put_where(size)
  return ("typedef %s Element;\n#define THREADS %d\n"):format(ELEMENTS[size], M.THREADS)
    .. PUT_WHERE
end

-- Positions from 1 in C order to one index per axis: out[axis][k].
M.UNRAVEL = [==[
struct Shape { long long n[16]; };
__global__ void luacuda_select_unravel(const void *places, void *out, long long count, int ndim,
    Shape shape) {
  long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= count) return;
  long long rest = ((const long long *)places)[k] - 1;
  for (int d = ndim - 1; d >= 0; d--) {
    const long long q = rest / shape.n[d];
    ((long long *)out)[d * count + k] = rest - q * shape.n[d] + 1;
    rest = q;
  }
}
]==]

return M

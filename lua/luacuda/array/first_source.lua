-- first_source.lua: the CUDA text that collects the first k elements of a row in order, given the
-- code of the last of them and how many with that code are among them.
--
-- A block takes a chunk of a row. The first kernel counts the elements of each chunk that come
-- before the last one, and those equal to it; the second writes, in the order of their indices, the
-- former and as many of the latter as are wanted. A row of one chunk needs no counts. `state`: that
-- of ranks_source.lua for one place.

local codes = require "luacuda.array.sort_codes"
local ranks = require "luacuda.array.ranks_source"

local M = { THREADS = 512, PER_THREAD = 8 }

local COMMON = [==[
typedef unsigned long long Word;
struct Tally { Word less, equal; };
struct Bound {
  Code code;
  Word wanted;                 // elements with that code
  __device__ Bound(const void *state_) {
    const Word *state = (const Word *)state_ + (Word)blockIdx.y * STATE_WORDS;
    code = (Code)state[FOUND], wanted = state[PLACE] + 1;
  }
};
// The sum over all threads.
__device__ Word block_sum(Word v, Word *sums) {
  for (int step = 16; step > 0; step >>= 1) v += __shfl_xor_sync(~0u, v, step);
  if ((threadIdx.x & 31) == 0) sums[threadIdx.x >> 5] = v;
  __syncthreads();
  v = 0;
  for (int w = 0; w < THREADS / 32; w++) v += sums[w];
  __syncthreads();
  return v;
}
]==]

local TALLY = [==[
__global__ void __launch_bounds__(THREADS)
luacuda_first_tally(const void *in, const void *state, void *tallies, long long m, long long chunk,
    unsigned long long mask) {
  __shared__ Word sums[THREADS / 32];
  const Bound bound(state);
  const Stored *keys = (const Stored *)in + blockIdx.y * m;
  const long long start = blockIdx.x * chunk, end = min(start + chunk, m);
  Tally own = { 0, 0 };
  for (long long i = start + threadIdx.x; i < end; i += THREADS) {
    const Code c = rank_of(keys[i]) ^ (Code)mask;
    own.less += c < bound.code;
    own.equal += c == bound.code;
  }
  own.less = block_sum(own.less, sums);
  own.equal = block_sum(own.equal, sums);
  if (threadIdx.x == 0)
    ((Tally *)tallies)[(Word)blockIdx.y * gridDim.x + blockIdx.x] = own;
}
]==]

local COLLECT = [==[
// Sum over the threads before this one, and over all of them.
__device__ __forceinline__ unsigned sum_before(unsigned own, unsigned *sums, unsigned &all) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  unsigned up = own, before = 0;
  for (int step = 1; step < 32; step <<= 1) {
    const unsigned other = __shfl_up_sync(~0u, up, step);
    if (lane >= step) up += other;
  }
  if (lane == 31) sums[warp] = up;
  __syncthreads();
  all = 0;
  for (int w = 0; w < THREADS / 32; w++) {
    if (w == warp) before = all;
    all += sums[w];
  }
  __syncthreads();
  return before + up - own;
}

__global__ void __launch_bounds__(THREADS)
luacuda_first_collect(const void *in, const void *state, const void *tallies, void *values,
    void *indices, long long m, long long chunk, long long k, unsigned long long mask) {
  __shared__ Word long_sums[THREADS / 32];
  __shared__ unsigned sums[THREADS / 32];
  const Bound bound(state);
  const Stored *keys = (const Stored *)in + blockIdx.y * m;
  const Tally *of_row = (const Tally *)tallies + (Word)blockIdx.y * gridDim.x;
  Tally before = { 0, 0 };
  for (unsigned b = threadIdx.x; b < blockIdx.x; b += THREADS)
    before.less += of_row[b].less, before.equal += of_row[b].equal;
  if (gridDim.x > 1) {
    before.less = block_sum(before.less, long_sums);
    before.equal = block_sum(before.equal, long_sums);
    const Tally own = of_row[blockIdx.x];
    if (own.less == 0 && (own.equal == 0 || before.equal >= bound.wanted)) return;
  }

  const long long start = blockIdx.x * chunk, end = min(start + chunk, m);
  for (long long first = start; first < end; first += THREADS * PER_THREAD) {
    const long long at = first + (long long)threadIdx.x * PER_THREAD;
    unsigned less = 0, equal = 0;                        // bit j: of element at + j
#pragma unroll
    for (int j = 0; j < PER_THREAD; j++) {
      if (at + j >= end) continue;
      const Code c = rank_of(keys[at + j]) ^ (Code)mask;
      less |= (unsigned)(c < bound.code) << j;
      equal |= (unsigned)(c == bound.code) << j;
    }
    if (!__syncthreads_or(less | equal)) continue;
    unsigned all;                                        // less in the lower half, equal above
    const unsigned up = sum_before(__popc(less) | __popc(equal) << 16, sums, all);
    Word less_before = before.less + (up & 0xffff), equal_before = before.equal + (up >> 16);
#pragma unroll
    for (int j = 0; j < PER_THREAD; j++) {
      const bool is_less = less >> j & 1, is_equal = equal >> j & 1;
      if (is_less || (is_equal && equal_before < bound.wanted)) {
        const Word to = (Word)blockIdx.y * k + less_before + min(equal_before, bound.wanted);
        ((Stored *)values)[to] = keys[at + j];
        ((long long *)indices)[to] = at + j + 1;
      }
      less_before += is_less, equal_before += is_equal;
    }
    before.less += all & 0xffff, before.equal += all >> 16;
  }
}
]==]

local function head(row)
  return codes.text(row) .. ("#define THREADS %d\n#define PER_THREAD %d\n#define STATE_WORDS %d\n")
    :format(M.THREADS, M.PER_THREAD, ranks.state_words(1))
    .. ("#define FOUND %d\n#define PLACE %d\n"):format(ranks.FOUND, ranks.PLACE) .. COMMON
end

-- Texts of the two kernels.
function M.tally(row) return head(row) .. TALLY end
function M.collect(row) return head(row) .. COLLECT end

return M

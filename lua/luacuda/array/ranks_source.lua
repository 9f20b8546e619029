-- ranks_source.lua: the CUDA text that finds elements by their places in the order of a row,
-- without sorting it.
--
-- One sweep over the elements per digit of 8 bits, from the highest: those whose higher digits are
-- the ones found so far are counted by digit, and the counts tell the digit of each place.

local codes = require "luacuda.array.sort_codes"

local M = {}

M.MOST = 16                    -- places at a time: each may need its own counters
M.THREADS = 512                -- 256 at least: one thread per digit
M.BLOCKS_PER_SM = 4
M.ALONE = 32768                -- elements of a row up to which one block takes it, in one launch

-- What blocks of a row pass on, in words of 64 bits, zero before the first pass: the number of
-- blocks that have counted; per place the digits found and the place among the elements that begin
-- with them; 256 counts per group. Places whose digits are equal so far are a group.
M.FOUND, M.PLACE = 1, 1 + M.MOST
function M.state_words(count) return 1 + 2 * M.MOST + 256 * count end

local PASS = [==[
typedef unsigned long long Word;
#define PASSES (BITS / 8)
#define COUNTED 0
#define COUNTS (PLACE + MOST_PLACES)
#define VECTOR (16 / (int)sizeof(Stored))
struct alignas(16) Vector { Stored v[VECTOR]; };
struct Places { Word v[MOST_PLACES]; };

// Counters of a block: 256 for each group, in as many copies as there is space for, against
// conflicts; copies are `apart` in different banks.
struct Groups {
  unsigned counts[256 * MOST_PLACES + MOST_PLACES];
  Code begin[MOST_PLACES], found[MOST_PLACES], next[MOST_PLACES];
  Word place[MOST_PLACES], rest[MOST_PLACES], sums[THREADS / 32];
  int of[MOST_PLACES], count, copies, apart;
};

// Places ascend, so those of a group are neighbors.
__device__ void make_groups(Groups &s, int count) {
  int g = -1;
  for (int t = 0; t < count; t++) {
    if (t == 0 || s.found[t] != s.found[t - 1]) s.begin[++g] = s.found[t];
    s.of[t] = g;
  }
  s.count = g + 1;
  s.copies = MOST_PLACES;
  while (s.copies * s.count > MOST_PLACES) s.copies >>= 1;
  s.apart = 256 * s.count + 1;
}

template <int N> __device__ __forceinline__ void count_keys(Groups &s, const Stored (&keys)[N],
    const int shift, const Code flip) {
  unsigned *const counts = s.counts + (threadIdx.x & (s.copies - 1)) * s.apart;
  Code c[N];
#pragma unroll
  for (int j = 0; j < N; j++) c[j] = (CODE_OF(keys[j]) ^ flip) >> shift;
  for (int g = 0; g < s.count; g++) {
    const Code begin = s.begin[g];
#pragma unroll
    for (int j = 0; j < N; j++)
      if (c[j] >> 8 == begin) atomicAdd(&counts[g << 8 | (unsigned)(c[j] & 255)], 1u);
  }
}

// Counts the elements of a row that this block takes.
__device__ __forceinline__ void count_row(Groups &s, const Stored *keys, const long long m,
    const int shift, const Code flip) {
  for (int i = threadIdx.x; i < s.copies * s.apart; i += THREADS) s.counts[i] = 0;
  __syncthreads();
  const long long at = (long long)blockIdx.x * THREADS + threadIdx.x,
      stride = (long long)gridDim.x * THREADS;
  long long head = (long long)((16 - ((Word)keys & 15)) & 15) / (long long)sizeof(Stored);
  if (head > m) head = m;
  const long long whole = (m - head) / VECTOR, rest = head + whole * VECTOR;
  const Vector *const vectors = (const Vector *)(keys + head);
  long long i = at;
  for (; i + stride < whole; i += 2 * stride) {
    const Vector v = vectors[i], w = vectors[i + stride];
    count_keys(s, v.v, shift, flip);
    count_keys(s, w.v, shift, flip);
  }
  if (i < whole) count_keys(s, vectors[i].v, shift, flip);
  if (at < head) count_keys(s, { keys[at] }, shift, flip);
  if (at < m - rest) count_keys(s, { keys[rest + at] }, shift, flip);
  __syncthreads();
}

__device__ __forceinline__ unsigned count_of(const Groups &s, int i) {
  unsigned sum = 0;
  for (int c = 0; c < s.copies; c++) sum += s.counts[c * s.apart + i];
  return sum;
}

// Adds the block's counts to those of the row; is it the last of the row's blocks?
__device__ bool join_counts(const Groups &s, Word *state) {
  __shared__ bool last;
  for (int i = threadIdx.x; i < s.count * 256; i += THREADS) {
    const unsigned sum = count_of(s, i);
    if (sum) atomicAdd(&state[COUNTS + i], (Word)sum);
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&state[COUNTED], (Word)1) == gridDim.x - 1;
  __syncthreads();
  __threadfence();
  return last;
}

// The next digit of each place, from the counts of its group: the block's own, or, where there is a
// state, those of the row, which it clears.
__device__ void find_digits(Groups &s, Word *state, int count) {
  const int d = threadIdx.x, lane = d & 31, warp = d >> 5;
  for (int g = 0; g < s.count; g++) {
    Word own = 0;
    if (d < 256 && state) {
      own = __ldcg(&state[COUNTS + 256 * g + d]);
      state[COUNTS + 256 * g + d] = 0;
    } else if (d < 256) own = count_of(s, 256 * g + d);
    Word up = own;
    for (int step = 1; step < 32; step <<= 1) {
      const Word other = __shfl_up_sync(~0u, up, step);
      if (lane >= step) up += other;
    }
    if (lane == 31) s.sums[warp] = up;
    __syncthreads();
    for (int w = 0; w < warp; w++) up += s.sums[w];
    for (int t = 0; t < count && d < 256; t++) {
      if (s.of[t] != g || s.place[t] < up - own || s.place[t] >= up) continue;
      s.next[t] = s.begin[g] << 8 | d;
      s.rest[t] = s.place[t] - (up - own);
    }
    __syncthreads();
  }
  if (d < count) s.found[d] = s.next[d], s.place[d] = s.rest[d];
  __syncthreads();
}

// Pass `first` and, where a row has one block, those up to the last.
__global__ void __launch_bounds__(THREADS)
luacuda_ranks_pass(const void *in, void *state_, void *out, long long m, int count, int first,
    unsigned long long mask, Places wanted) {
  __shared__ Groups s;
  const Stored *keys = (const Stored *)in + blockIdx.y * m;
  Word *const state = (Word *)state_ + blockIdx.y * (Word)(COUNTS + 256 * count);
  const int t = threadIdx.x;
  const bool alone = gridDim.x == 1;
  if (t < count) {
    s.found[t] = first ? (Code)state[FOUND + t] : 0;
    s.place[t] = first ? state[PLACE + t] : wanted.v[t];
  }
  int pass = first;
  do {
    __syncthreads();
    if (t == 0) make_groups(s, count);
    __syncthreads();
    count_row(s, keys, m, BITS - 8 * (pass + 1), (Code)mask);
    if (!alone && !join_counts(s, state)) return;
    find_digits(s, alone ? (Word *)0 : state, count);
  } while (++pass < PASSES && alone);
  if (t < count) {
    state[FOUND + t] = s.found[t];
    state[PLACE + t] = s.place[t];
    if (out && pass == PASSES)
      ((Stored *)out)[blockIdx.y * count + t] = stored_of(s.found[t] ^ (Code)mask);
  }
  if (t == 0) state[COUNTED] = 0;
}
]==]

-- Text of the kernel of one pass; `ties`: equal values have equal codes.
function M.pass(row, ties)
  return codes.text(row) .. ("#define CODE_OF %s\n#define THREADS %d\n#define MOST_PLACES %d\n")
    :format(ties and "rank_of" or "code_of", M.THREADS, M.MOST)
    .. ("#define FOUND %d\n#define PLACE %d\n"):format(M.FOUND, M.PLACE) .. PASS
end

return M

-- sort_source.lua: the CUDA text of the sorts.
--
-- Keys become codes: unsigned integers in the order of the values. A bitonic network in shared
-- memory sorts rows that fit in a block; a radix sort with one kernel per digit sorts longer ones,
-- after Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs"
-- (2022).

local codes = require "luacuda.array.sort_codes"
local WORDS = require("luacuda.array.words").WORDS

local M = {}

-- Numbers to tune ---------------------------------------------------------------------------------

M.ROW_LIMIT = 4096             -- elements of the longest row that one block sorts
M.ROW_THREADS = 512            -- at most
M.ROW_TARGET = 2048            -- elements that a block takes where rows are short
M.PASS_THREADS = 512           -- 256 at least: one thread per digit looks back
M.PASS_BLOCKS_PER_SM = 2       -- that registers must allow
M.PASS_ITEMS = {               -- keys per thread of a pass, by bytes of a key, where there is space
  keys = { 16, 20, [4] = 24, [8] = 14 },
  pairs = { 16, 16, [4] = 18, [8] = 14 },
}
M.WIDE_ITEMS = 8               -- at most, with indices of 64 bits
M.LOOK = { keys = 4, pairs = 1 }                -- tiles that look-back reads at a time
M.COUNT_THREADS = 512
-- copies of a block's counters, against conflicts; 16 KB at most
M.COUNT_COPIES = { 8, 4, [4] = 4, [8] = 2 }
M.COUNT_BLOCKS_PER_SM = 4
M.WIDE = 1 << 30               -- elements of a row from which on counts and indices take 64 bits
M.MOST_TILE = M.PASS_THREADS * 24
M.BATCH = 65535                -- long rows of a launch: the limit of gridDim.y

-- Rows in shared memory ---------------------------------------------------------------------------

-- Rows of m elements, padded to 1 << log2 each; a block takes `each` of them. Every comparison of
-- the network moves the lesser element first: the first step of a merge compares with the mirror
-- image. Steps within 64 elements stay within a warp.
local ROWS = [==[
__global__ void __launch_bounds__(THREADS)
luacuda_sort_rows(const void *in, void *out, long long rows, int m, int log2, int each,
    unsigned long long mask) {
  __shared__ Stored keys[LIMIT];
#if PAIRS
  __shared__ unsigned short places[LIMIT];
#endif
  const long long first = (long long)blockIdx.x * each;
  const int size = 1 << log2, here = rows - first < each ? (int)(rows - first) : each,
      count = here << log2;
  const Code flip = (Code)mask;
  for (int e = threadIdx.x; e < count; e += blockDim.x) {
    int column = e & (size - 1);
    Code code = MOST;
    if (column < m) code = CODE_OF(((const Stored *)in)[(first + (e >> log2)) * m + column]) ^ flip;
    keys[e] = (Stored)code;
#if PAIRS
    places[e] = (unsigned short)column;
#endif
  }
  bool was_wide = true;
  for (int k = 2; k <= size; k <<= 1) {
    for (int j = k >> 1; j > 0; j >>= 1) {
      const bool mirror = j == k >> 1, wide = mirror ? k > 64 : j > 32;
      if (wide || was_wide) __syncthreads(); else __syncwarp();
      was_wide = wide;
      for (int q = threadIdx.x; q < count >> 1; q += blockDim.x) {
        int low = ((q & ~(j - 1)) << 1) | (q & (j - 1)), high = mirror ? low ^ (k - 1) : low | j;
        Stored a = keys[low], b = keys[high];
#if PAIRS
        unsigned short p = places[low], r = places[high];
        if (a > b || (a == b && p > r)) {
          keys[low] = b, keys[high] = a;
          places[low] = r, places[high] = p;
        }
#else
        if (a > b) keys[low] = b, keys[high] = a;
#endif
      }
    }
  }
  __syncthreads();
  for (int e = threadIdx.x; e < count; e += blockDim.x) {
    int column = e & (size - 1);
    if (column >= m) continue;
    long long at = (first + (e >> log2)) * m + column;
#if PAIRS
    ((long long *)out)[at] = places[e] + 1;
#else
    ((Stored *)out)[at] = stored_of(keys[e] ^ flip);
#endif
  }
}
]==]

-- Text of the kernel that sorts rows. `pairs`: write positions (from 1) instead of keys.
function M.rows(row, pairs)
  return table.concat {
    codes.text(row), ("#define PAIRS %d\n"):format(pairs and 1 or 0),
    ("#define CODE_OF %s\n"):format(pairs and "rank_of" or "code_of"),
    ("#define THREADS %d\n#define LIMIT %d\n"):format(M.ROW_THREADS, M.ROW_LIMIT), ROWS,
  }
end

-- Digits ------------------------------------------------------------------------------------------

-- Rows are sorted side by side: blockIdx.y is the row; each has its own state.
--
-- The state of one row, in words (unsigned; 64 bits where counts do not fit in 30): tickets of the
-- passes, the number of blocks that have counted, the number of steps, per pass its step (-1: all
-- keys share the digit, so the pass is skipped); then per pass 256 counts, which become the
-- positions where digits start; then twice 256 words per tile.
local STATE = [==[
#define PASSES (BITS / 8)
#define TICKETS 0
#define COUNTED 8
#define STEPS 9
#define STEP 10
#define PLACES 32
#define TILES (PLACES + PASSES * 256)
#define STATE(tiles) (TILES + 512ull * (tiles))
__device__ __forceinline__ unsigned digit_of(Code c, int pass) {
#if BITS == 64
  return __byte_perm((unsigned)c, (unsigned)(c >> 32), pass) & 255;
#else
  return __byte_perm(c, 0, 0x4440 + pass);
#endif
}
// Sum over the lanes up to this one.
template <class V> __device__ __forceinline__ V warp_sum_up(V v) {
  for (int step = 1; step < 32; step <<= 1) {
    V other = __shfl_up_sync(~0u, v, step);
    if ((threadIdx.x & 31) >= step) v += other;
  }
  return v;
}
]==]
M.STATE_HEAD = 32

-- Counts the digits of all passes in one sweep. The last block to finish turns counts into
-- positions and decides which passes are needed. `in_place`: the result replaces the keys, which
-- takes an even number of steps.
local COUNT = [==[
#define VECTOR (16 / (int)sizeof(Stored))
struct alignas(16) Vector { Stored v[VECTOR]; };

__device__ __forceinline__ void count_key(unsigned (*bins)[256][COPIES], Stored s, Code flip) {
  Code c = CODE_OF(s) ^ flip;
#pragma unroll
  for (int pass = 0; pass < PASSES; pass++)
    atomicAdd(&bins[pass][digit_of(c, pass)][threadIdx.x & (COPIES - 1)], 1u);
}

// Counts to places; is one digit that of all keys?
__device__ bool place_digits(Word *places, Word *sums, Word n) {
  const int d = threadIdx.x, lane = d & 31, warp = d >> 5;
  Word own = d < 256 ? __ldcg(&places[d]) : 0, up = warp_sum_up(own);
  if (lane == 31) sums[warp] = up;
  bool one = __syncthreads_or(own == n);
  if (d < 256) {
    for (int w = 0; w < warp; w++) up += sums[w];
    places[d] = up - own;
  }
  __syncthreads();
  return one;
}

__device__ void plan_steps(Word *state, const bool *one, int in_place) {
  int steps = 0, keep = -1;
  for (int p = 0; p < PASSES; p++) steps += !one[p];
  if (in_place ? steps & 1 : steps == 0)
    for (int p = PASSES - 1; p >= 0; p--) if (one[p]) keep = p;
  steps = 0;
  for (int p = 0; p < PASSES; p++) state[STEP + p] = one[p] && p != keep ? (Word)-1 : (Word)steps++;
  state[STEPS] = steps;
}

__global__ void __launch_bounds__(THREADS)
luacuda_sort_count(const void *in, void *state_, long long count, unsigned tiles,
    unsigned long long mask, int in_place) {
  __shared__ unsigned bins[PASSES][256][COPIES];
  __shared__ Word sums[THREADS / 32];
  __shared__ bool one[PASSES], last;
  const Stored *keys = (const Stored *)in + blockIdx.y * count;
  Word *state = (Word *)state_ + blockIdx.y * STATE(tiles);
  const Word n = (Word)count;
  const Code flip = (Code)mask;
  for (int i = threadIdx.x; i < PASSES * COPIES * 256; i += THREADS) (&bins[0][0][0])[i] = 0;
  __syncthreads();
  const Word at = (Word)blockIdx.x * THREADS + threadIdx.x, stride = (Word)gridDim.x * THREADS;
  Word head = (Word)((16 - ((unsigned long long)keys & 15)) & 15) / sizeof(Stored);
  if (head > n) head = n;
  const Word whole = (n - head) / VECTOR, rest = head + whole * VECTOR;
  for (Word i = at; i < whole; i += stride) {
    Vector v = ((const Vector *)(keys + head))[i];
#pragma unroll
    for (int j = 0; j < VECTOR; j++) count_key(bins, v.v[j], flip);
  }
  if (at < head) count_key(bins, keys[at], flip);
  if (at < n - rest) count_key(bins, keys[rest + at], flip);
  __syncthreads();
  for (int i = threadIdx.x; i < PASSES * 256; i += THREADS) {
    unsigned sum = 0;
    for (int c = 0; c < COPIES; c++) sum += bins[i >> 8][i & 255][c];
    if (sum) atomicAdd(&state[PLACES + i], (Word)sum);
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&state[COUNTED], (Word)1) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  for (int p = 0; p < PASSES; p++) {
    bool same = place_digits(state + PLACES + p * 256, sums, n);
    if (threadIdx.x == 0) one[p] = same;
  }
  __syncthreads();
  if (threadIdx.x == 0) plan_steps(state, one, in_place);
}
]==]

-- One pass. Tiles are taken by ticket, so every earlier tile has started and looking back ends. The
-- keys of a tile are in the order of its warps: warp w has 32 * ITEMS in a row, lane l of it every
-- 32nd.
--
-- A word of a tile's row says for one digit how many keys of the tile have it (PART), or of the
-- tile and all earlier ones (ALL). Steps alternate between the two sets of rows; each clears those
-- of the next.
local PASS = [==[
#define TILE (THREADS * ITEMS)
#define WARPS (THREADS / 32)
#define PART ((Word)1 << (8 * sizeof(Word) - 2))
#define ALL (PART << 1)

struct Shared {
  union { struct { unsigned counts[WARPS][256], lanes[WARPS][256]; }; Stored keys[TILE];
#if PAIRS
    Index values[TILE];
#endif
  };
  Word to[256];                  // where keys of a digit go, less their place in the tile
  unsigned sums[8], tile;
};

// How many keys of the warp with this digit precede the lane's: those counted before and those of
// lower lanes. Counts them. `lanes` is zero, and left so.
__device__ __forceinline__ int take_place(unsigned *counts, unsigned *lanes, unsigned digit) {
  const int lane = threadIdx.x & 31;
  atomicOr(&lanes[digit], 1u << lane);
  __syncwarp();
  const unsigned same = lanes[digit];
  const int leader = 31 - __clz(same);
  unsigned before = 0;
  if (lane == leader) before = atomicAdd(&counts[digit], (unsigned)__popc(same));
  before = __shfl_sync(~0u, before, leader);
  if (lane == leader) lanes[digit] = 0;
  __syncwarp();
  return (int)before + __popc(same & ((1u << lane) - 1));
}

// Keys of digit `d` in all tiles before this one; publishes their number with this tile's. Reads
// the words of several tiles at a time.
__device__ __forceinline__ Word look_back(Word *rows, unsigned tile, unsigned d, Word own) {
  if (tile == 0) return 0;
  Word before = 0;
  bool done = false;
  for (int t = (int)tile - 1; !done;) {
    Word seen[LOOK];
#pragma unroll
    for (int j = 0; j < LOOK; j++)
      seen[j] = *(volatile Word *)&rows[(unsigned long long)(t > j ? t - j : 0) * 256 + d];
#pragma unroll
    for (int j = 0; j < LOOK; j++) {
      if (done || seen[j] < PART) break;
      before += seen[j] & (PART - 1);
      done = seen[j] & ALL;
      t--;
    }
  }
  *(volatile Word *)&rows[(unsigned long long)tile * 256 + d] = ALL | (before + own);
  return before;
}

__global__ void __launch_bounds__(THREADS, BLOCKS)
luacuda_sort_pass(const void *in, void *a, void *b,
#if PAIRS
                  void *va, void *vb, void *result,
#endif
                  void *state_, long long count_, int pass, unsigned tiles,
                  unsigned long long mask) {
  static_assert(sizeof(Shared) <= SHARED, "the launch gives less");
  extern __shared__ unsigned long long shared[];
  Shared &s = *(Shared *)shared;
  Word *state = (Word *)state_ + blockIdx.y * STATE(tiles);
  const int step = (int)state[STEP + pass];
  if (step < 0) return;
  const int steps = (int)state[STEPS];
  const bool first = step == 0, last = step == steps - 1, to_b = (steps - 1 - step) & 1;
  const Code flip = (Code)mask;
  const int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
  unsigned *counts = s.counts[warp];
  if (thread == 0) s.tile = (unsigned)atomicAdd(&state[TICKETS + pass], (Word)1);
  for (int i = thread; i < 2 * WARPS * 256; i += THREADS) (&s.counts[0][0])[i] = 0;
  __syncthreads();
  const unsigned tile = s.tile;
  const Word start = (Word)tile * TILE, n = (Word)count_;
  const unsigned long long row = (unsigned long long)blockIdx.y * count_;
  const int count = n - start < TILE ? (int)(n - start) : TILE, at = warp * 32 * ITEMS + lane;

  // Keys; positions after the last key have the greatest code, and no key comes after them.
  const Stored *from = (const Stored *)(first ? in : to_b ? a : b) + row + start;
  Code code[ITEMS];
  if (count == TILE) {
#pragma unroll
    for (int i = 0; i < ITEMS; i++) code[i] = from[at + 32 * i];
    if (first) {
#pragma unroll
      for (int i = 0; i < ITEMS; i++) code[i] = CODE_OF((Stored)code[i]) ^ flip;
    }
  } else {
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
      code[i] = MOST;
      if (at + 32 * i >= count) continue;
      code[i] = from[at + 32 * i];
      if (first) code[i] = CODE_OF((Stored)code[i]) ^ flip;
    }
  }

  // Counts first, so that later tiles see them early.
#pragma unroll
  for (int i = 0; i < ITEMS; i++) atomicAdd(&counts[digit_of(code[i], pass)], 1u);
  __syncthreads();
  Word *rows = state + TILES + (step & 1 ? (unsigned long long)tiles * 256 : 0);
  Word *next = state + TILES + (step & 1 ? 0 : (unsigned long long)tiles * 256);
  unsigned own = 0, up = 0;
  if (thread < 256) {
    for (int w = 0; w < WARPS; w++) {
      unsigned c = s.counts[w][thread];
      s.counts[w][thread] = own;
      own += c;
    }
    *(volatile Word *)&rows[(unsigned long long)tile * 256 + thread] = (tile == 0 ? ALL : PART)
        | own;
    next[(unsigned long long)tile * 256 + thread] = 0;
    up = warp_sum_up(own);
    if (lane == 31) s.sums[warp] = up;
  }
  __syncthreads();
  if (thread < 256) {
    up -= own;
    for (int w = 0; w < warp; w++) up += s.sums[w];
    for (int w = 0; w < WARPS; w++) s.counts[w][thread] += up;
  }
  __syncthreads();

  // Places in the tile, in order of digit, warp, item and lane.
  int place[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    place[i] = take_place(counts, s.lanes[warp], digit_of(code[i], pass));
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < ITEMS; i++) s.keys[place[i]] = (Stored)code[i];
#if PAIRS
  const Index *values = (const Index *)(to_b ? va : vb) + row + start;
  Index value[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    if (first) value[i] = (Index)(start + at + 32 * i);
    else value[i] = at + 32 * i < count ? values[at + 32 * i] : 0;
  }
#endif
  if (thread < 256) {
    Word before = look_back(rows, tile, thread, own);
    s.to[thread] = state[PLACES + pass * 256 + thread] + before - up;
  }
  __syncthreads();

  // Neighbours in the tile with the same digit are neighbours in the result.
  Stored *to = (Stored *)(to_b ? b : a) + row;
#if PAIRS
  Word where[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const int e = thread + i * THREADS;
    const Stored key = s.keys[e];
    where[i] = s.to[digit_of(key, pass)] + e;
    if (!last && e < count) to[where[i]] = key;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < ITEMS; i++) s.values[place[i]] = value[i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const int e = thread + i * THREADS;
    if (e >= count) continue;
    if (last) ((long long *)result)[row + where[i]] = (long long)s.values[e] + 1;
    else ((Index *)(to_b ? vb : va))[row + where[i]] = s.values[e];
  }
#else
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const int e = thread + i * THREADS;
    if (e >= count) continue;
    const Code key = s.keys[e];
    to[s.to[digit_of(key, pass)] + e] = last ? stored_of(key ^ flip) : (Stored)key;
  }
#endif
}
]==]

local function digits_head(row, pairs, wide)
  return codes.text(row)
    .. ("#define PAIRS %d\n#define CODE_OF %s\ntypedef %s Word, Index;\n"):format(
      pairs and 1 or 0, pairs and "rank_of" or "code_of", wide and WORDS[8] or WORDS[4]) .. STATE
end

-- Text of the kernel that counts digits. `wide`: counts of 2^30 and more.
function M.count(row, pairs, wide)
  return digits_head(row, pairs, wide)
    .. ("#define THREADS %d\n#define COPIES %d\n"):format(M.COUNT_THREADS, M.COUNT_COPIES[row.size])
    .. COUNT
end

local function kind_of(pairs) return pairs and "pairs" or "keys" end

-- The sizes of a pass on a device with so many bytes of shared memory per block: { threads, items
-- (per thread), shared (bytes) }.
function M.pass_sizes(row, pairs, wide, space)
  local kind, word = kind_of(pairs), wide and 8 or 4
  local threads, items = M.PASS_THREADS, M.PASS_ITEMS[kind][row.size]
  if pairs and wide then items = math.min(items, M.WIDE_ITEMS) end
  local each = threads * math.max(row.size, pairs and word or 0)
  local counts, rest = 2 * threads // 32 * 1024, 256 * word + 40
  while items > 1 and items * each + rest > space do items = items - 1 end
  return { threads = threads, items = items, shared = math.max(counts, items * each) + rest }
end

-- Text of the kernel of one pass.
function M.pass(row, pairs, wide, sizes)
  return digits_head(row, pairs, wide)
    .. ("#define THREADS %d\n#define ITEMS %d\n#define SHARED %d\n"):format(sizes.threads,
      sizes.items, sizes.shared)
    .. ("#define BLOCKS %d\n#define LOOK %d\n"):format(M.PASS_BLOCKS_PER_SM,
      M.LOOK[kind_of(pairs)]) .. PASS
end

return M

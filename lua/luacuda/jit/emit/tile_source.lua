-- tile_source.lua: CUDA text of tiles, parts of a warp of N lanes, and of the barrier of the grid
-- (warp_parts.lua).

local M = {}

M.laneid = [[
__device__ __forceinline__ int _lcu_laneid() {
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
]]

M.mask = [[
template <int N> __device__ __forceinline__ unsigned _lcu_tile_base() {
  return (unsigned)_lcu_laneid() & ~(N - 1u);
}
template <int N> __device__ __forceinline__ unsigned _lcu_tile_mask() {
  return N == 32 ? ~0u : ((1u << (N & 31)) - 1u) << _lcu_tile_base<N>();
}
]]

-- The driver gives a cooperative grid a word of memory, 4 bytes after the address in two registers.
-- What the blocks add to it changes its top bit when the last one has come, and that alone. CUDA's
-- cooperative groups use the same word in the same way, and 0.8 s to compile.
M.syncgrid = [[
__device__ __forceinline__ void _lcu_syncgrid() {
  __syncthreads();
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {
    unsigned low, high;
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    unsigned *word = (unsigned *)((unsigned long long)high << 32 | low) + 1;
    const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
    const bool is_first = blockIdx.x + blockIdx.y + blockIdx.z == 0;
    __threadfence();
    const unsigned before = atomicAdd(word, is_first ? 0x80000000u - (blocks - 1) : 1u);
    while (((before ^ *(volatile unsigned *)word) >> 31) == 0) {}
    __threadfence();
  }
  __syncthreads();
}
]]

-- ptxas 13.0 splits a warp where its lanes vote or match with different masks. If the result is not
-- used, it does not join the warp again, and barriers and exchanges of the whole warp go wrong. So
-- the result is always used: it has no bits but those of the mask, which ptxas does not know.
M.parts = [[
__device__ __forceinline__ unsigned _lcu_used(unsigned mask, unsigned bits) {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" :: "r"(bits & ~mask));
  return bits;
}
__device__ __forceinline__ unsigned _lcu_part_ballot(unsigned mask, bool v) {
  return _lcu_used(mask, __ballot_sync(mask, v));
}
__device__ __forceinline__ bool _lcu_part_any(unsigned mask, bool v) {
  return _lcu_part_ballot(mask, v) != 0;
}
__device__ __forceinline__ bool _lcu_part_all(unsigned mask, bool v) {
  return _lcu_part_ballot(mask, !v) == 0;
}
template <class T> __device__ __forceinline__ unsigned _lcu_part_match_any(unsigned mask, T v) {
  return _lcu_used(mask, __match_any_sync(mask, v));
}
template <class T> __device__ __forceinline__ unsigned _lcu_part_match_all(unsigned mask, T v) {
  int all;
  return _lcu_used(mask, __match_all_sync(mask, v, &all));
}
]]

M.votes = [[
template <int N> __device__ __forceinline__ uint32 _lcu_tile_ballot(bool v) {
  return _lcu_part_ballot(_lcu_tile_mask<N>(), v) >> _lcu_tile_base<N>();
}
template <int N, class T> __device__ __forceinline__ uint32 _lcu_tile_match_any(T v) {
  return _lcu_part_match_any(_lcu_tile_mask<N>(), v) >> _lcu_tile_base<N>();
}
]]

-- What two values become; the first one is of a lower lane.
local OPERATIONS = { add = "a + b", mul = "a * b", min = "b < a ? b : a", max = "a < b ? b : a",
  ["and"] = "a & b", ["or"] = "a | b", xor = "a ^ b" }

-- Each level adds the same two values in both of their lanes, so all lanes have the same result.
local REDUCE = [[
template <int N, class T> __device__ __forceinline__ T _lcu_tile_reduce_$O(T v) {
#pragma unroll
  for (int d = N / 2; d > 0; d /= 2) {
    const T other = __shfl_xor_sync(_lcu_tile_mask<N>(), v, d, N);
    const bool lower = ((unsigned)_lcu_laneid() & d) == 0;
    const T a = lower ? v : other, b = lower ? other : v;
    v = $E;
  }
  return v;
}
]]

local SCAN = [[
template <int N, class T> __device__ __forceinline__ T _lcu_tile_scan_$O(T v) {
#pragma unroll
  for (int d = 1; d < N; d *= 2) {
    const T a = __shfl_up_sync(_lcu_tile_mask<N>(), v, d, N), b = v;
    if (((unsigned)_lcu_laneid() & (N - 1u)) >= d) v = $E;
  }
  return v;
}
]]

M.reduce, M.scan = {}, {}
for name, expression in pairs(OPERATIONS) do
  local parts = { O = name, E = expression }
  M.reduce[name] = REDUCE:gsub("%$(%u)", parts)
  M.scan[name] = SCAN:gsub("%$(%u)", parts)
end

return M

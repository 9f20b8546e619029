-- segments_source.lua: the CUDA text of reductions of segments of one axis, from a declaration of
-- reductions_source.lua.

local prelude = require "luacuda.builder.prelude"

local M = {}

M.THREADS = 256

-- GROUP threads share a result. x is {outer, m, inner}, y {outer, segments, inner}; segment s has
-- the elements from offsets[s] up to, not including, offsets[s + 1]. Wrong offsets are clamped.
local KERNEL = [[
typedef TYPE_IN In; typedef TYPE_OUT Out; typedef TYPE_STATE State; typedef TYPE_OFFSET Offset;
__device__ __forceinline__ State _lcu_map(In x) { return (State)(EXPR_MAP); }
__device__ __forceinline__ State _lcu_join(State a, State b) { return (State)(EXPR_REDUCE); }
__device__ __forceinline__ State _lcu_down(State v, int d) {
  unsigned w[(sizeof(State) + 3) / 4] = { };
  memcpy(w, &v, sizeof(State));
  #pragma unroll
  for (unsigned &one : w) one = __shfl_down_sync(~0u, one, d);
  memcpy(&v, w, sizeof(State));
  return v;
}

__global__ void __launch_bounds__(THREADS) luacuda_segments(const void *_x, const void *_offsets,
    void *_y, long long count, long long m, long long segments, long long inner) {
  const In *const x = (const In *)_x;
  const Offset *const offsets = (const Offset *)_offsets;
  const int lane = threadIdx.x % GROUP;
  for (long long first = (long long)blockIdx.x * (THREADS / GROUP); first < count;
      first += (long long)gridDim.x * (THREADS / GROUP)) {
    const long long o = first + threadIdx.x / GROUP;
    State a = (State)(EXPR_IDENTITY);
    long long n = 0;
    if (o < count) {
      const long long q = inner > 1 ? o / inner : o, outer = q / segments, s = q - outer * segments;
      const long long begin = min(max((long long)offsets[s], 0ll), m);
      const long long end = min(max((long long)offsets[s + 1], begin), m);
      const In *const at = x + outer * m * inner + (o - q * inner);
      n = end - begin;
      #pragma unroll 4
      for (long long j = begin + lane; j < end; j += GROUP)
        a = _lcu_join(a, _lcu_map(at[j * inner]));
    }
    #pragma unroll
    for (int d = (GROUP < 32 ? GROUP : 32) / 2; d > 0; d /= 2) a = _lcu_join(a, _lcu_down(a, d));
#if GROUP > 32
    __shared__ unsigned long long room[GROUP / 32][(sizeof(State) + 7) / 8];
    memcpy(room[threadIdx.x / 32], &a, threadIdx.x % 32 == 0 ? sizeof(State) : 0);
    __syncthreads();
    if (lane == 0) {
      for (int k = 1; k < GROUP / 32; k++) {
        State b;
        memcpy(&b, room[k], sizeof(State));
        a = _lcu_join(a, b);
      }
    }
    __syncthreads();
#endif
    if (lane == 0 && o < count) {
      Out y;
      STATEMENT_POST;
      ((Out *)_y)[o] = y;
    }
  }
}
]]

local function identity_of(given)
  local value = given.identity
  if value == nil then value = given.neutral end
  return tostring(value)
end

-- `given`: what a maker of reductions_source.lua returns; `dtype`: of the elements; `out`: of the
-- result; `offset`: of the offsets; `group`: threads per result, a power of 2.
function M.text(given, dtype, out, offset, group)
  local texts = { TYPE_IN = prelude.stored(prelude.cname(dtype)), TYPE_OUT = prelude.cname(out),
    TYPE_STATE = prelude.cname(given.reduce_type), TYPE_OFFSET = prelude.cname(offset),
    EXPR_MAP = given.map, EXPR_REDUCE = given.reduce, EXPR_IDENTITY = identity_of(given),
    STATEMENT_POST = given.post, GROUP = tostring(group), THREADS = tostring(M.THREADS) }
  return prelude.text { dtype, out, given.reduce_type } .. (given.preamble or "")
    .. KERNEL:gsub("%u[%u_]+", texts)
end

return M

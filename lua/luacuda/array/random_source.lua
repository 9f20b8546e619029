-- random_source.lua: CUDA text of the random number kernels.
--
-- The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as
-- 1, 2, 3. SC 2011): block c of a seed is four words that depend only on c and the seed. Element e
-- of a call takes its words from block offset + e / (elements per block), so results depend neither
-- on the device nor on the division of a launch into blocks.

local prelude = require "luacuda.builder.prelude"

local PHILOX = [[
struct _lcu_block { unsigned w[4]; };
__device__ __forceinline__ _lcu_block _lcu_philox(unsigned long long at, unsigned attempt,
    unsigned k0, unsigned k1) {
  unsigned c0 = (unsigned)at, c1 = (unsigned)(at >> 32), c2 = attempt, c3 = 0;
  #pragma unroll
  for (int r = 0; r < 10; r++) {
    const unsigned long long p = 0xD2511F53ull * c0, q = 0xCD9E8D57ull * c2;
    c0 = (unsigned)(q >> 32) ^ c1 ^ k0;
    c1 = (unsigned)q;
    c2 = (unsigned)(p >> 32) ^ c3 ^ k1;
    c3 = (unsigned)p;
    k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
  }
  _lcu_block b = { { c0, c1, c2, c3 } };
  return b;
}
__device__ __forceinline__ unsigned long long _lcu_pair(unsigned lo, unsigned hi) {
  return (unsigned long long)hi << 32 | lo;
}
]]

-- Each thread takes one block; the elements of a block are stored together.
local KERNEL = [[
__global__ void NAME(T *_out, long long _n, unsigned long long _offset, unsigned _k0,
    unsigned _k1PARAMS) {
  const long long _u = (long long)blockIdx.x * blockDim.x + threadIdx.x, _e = _u * PER;
  if (_e >= _n) return;
  const _lcu_block _b = _lcu_philox(_offset + (unsigned long long)_u, 0u, _k0, _k1);
  _lcu_pack<T, PER> _r;
  BODY
  if (_e + PER <= _n) *(_lcu_pack<T, PER> *)(_out + _e) = _r;
  else {
    #pragma unroll
    for (int _k = 0; _k < PER; _k++) if (_e + _k < _n) _out[_e + _k] = _r.v[_k];
  }
}
]]

local M = {}

M.BLOCK = 256                       -- threads

-- dtype -> a number in [0, 1) with all bits of the significand, from word `k` of a block (float64:
-- from two words)
local UNIT = {
  float32 = "(float)(_b.w[k] >> 8) * 0x1p-24f",
  float16 = "(float)(_b.w[k] >> 21) * 0x1p-11f",
  bfloat16 = "(float)(_b.w[k] >> 24) * 0x1p-8f",
  float64 = "(double)(_lcu_pair(_b.w[2 * k], _b.w[2 * k + 1]) >> 11) * 0x1p-53",
}

local function unrolled(per, statement)
  return ("#pragma unroll\n  for (int k = 0; k < %d; k++) %s"):format(per, statement)
end

-- Box and Muller (1958): two words give two numbers. The angle is a signed fraction of pi, the
-- radius at most 5.8 (8.6 for float64).
local NORMAL32 = [[
#pragma unroll
  for (int k = 0; k < 4; k += 2) {
    const float u = (float)((_b.w[k] >> 8) + 1u) * 0x1p-24f;
    const float angle = (float)(int)_b.w[k + 1] * 1.4629180792671596e-9f;
    const float radius = sqrtf(fmaxf(-2.0f * __logf(u), 0.0f)) * _scale;
    _r.v[k] = (T)(radius * __cosf(angle) + _mean);
    _r.v[k + 1] = (T)(radius * __sinf(angle) + _mean);
  }]]
local NORMAL64 = [[
const double u = (double)((_lcu_pair(_b.w[0], _b.w[1]) >> 11) + 1) * 0x1p-53;
  const double part = (double)(long long)_lcu_pair(_b.w[2], _b.w[3]) * 0x1p-63;
  const double radius = sqrt(-2.0 * log(u)) * _scale;
  double s, c;
  sincospi(part, &s, &c);
  _r.v[0] = radius * c + _mean;
  _r.v[1] = radius * s + _mean;]]

-- Lemire (2019): the high half of word times range is uniform if low halves below 2^64 mod range
-- are refused; a refused element is taken from the next attempt. range 0 stands for 2^64.
local INTEGER = [[{
    unsigned long long x = _lcu_pair(_b.w[2 * k], _b.w[2 * k + 1]);
    for (unsigned t = 1; _range != 0 && x * _range < _refused; t++) {
      const _lcu_block again = _lcu_philox(_offset + (unsigned long long)_u, t, _k0, _k1);
      x = _lcu_pair(again.w[2 * k], again.w[2 * k + 1]);
    }
    _r.v[k] = (T)((_range == 0 ? x : __umul64hi(x, _range)) + (unsigned long long)_low);
  }]]

local BODIES = require "luacuda.array.random_variates_source"

function BODIES.uniform(dtype)
  local real = dtype == "float64" and "double" or "float"
  local per = dtype == "float64" and 2 or 4
  return per, unrolled(per, ("_r.v[k] = (T)(%s * _scale + _low);"):format(UNIT[dtype])),
    (", %s _low, %s _scale"):format(real, real)
end

function BODIES.normal(dtype)
  if dtype == "float64" then return 2, NORMAL64, ", double _mean, double _scale" end
  return 4, NORMAL32, ", float _mean, float _scale"
end

function BODIES.integers()
  return 2, unrolled(2, INTEGER),
    ", long long _low, unsigned long long _range, unsigned long long _refused"
end

function BODIES.bits(dtype)
  if dtype == "uint64" then
    return 2, unrolled(2, "_r.v[k] = _lcu_pair(_b.w[2 * k], _b.w[2 * k + 1]);"), ""
  end
  return 4, unrolled(4, "_r.v[k] = _b.w[k];"), ""
end

-- source.text(kind, dtype), kind "uniform" ... -> CUDA text, the kernel's name, elements per block
-- of the generator
function M.text(kind, dtype)
  local per, body, params = BODIES[kind](dtype)
  local name = ("random_%s_%s"):format(kind, dtype)
  local parts = { NAME = name, PER = tostring(per), BODY = body, PARAMS = params }
  local kernel = KERNEL:gsub("%u%u+", parts):gsub("%f[%w_]T%f[^%w_]", prelude.cname(dtype))
  return prelude.text { dtype } .. PHILOX .. kernel, name, per
end

return M

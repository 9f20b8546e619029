-- random_source.lua: CUDA text of the random number kernels.
--
-- The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as
-- 1, 2, 3. SC 2011): block c of a seed is four words that depend only on c and the seed. Element e
-- of a call takes its words from block offset + e / (elements per block), so results depend neither
-- on the device nor on the division of a launch into blocks.

local functions = require "luacuda.array.random_functions_source"
local integers = require "luacuda.array.random_integers_source"
local variates = require "luacuda.array.random_variates_source"
local dtypes = require "luacuda.base.dtypes"
local prelude = require "luacuda.builder.prelude"

local PHILOX = [[
struct _lcu_block { unsigned w[4]; };
__device__ __forceinline__ _lcu_block _lcu_philox4(unsigned c0, unsigned c1, unsigned c2,
    unsigned c3, unsigned k0, unsigned k1) {
#pragma unroll
  for (int r = 0; r < 10; r++) {
    PRODUCTS
    c0 = q1 ^ c1 ^ k0;
    c1 = q0;
    c2 = p1 ^ c3 ^ k1;
    c3 = p0;
    k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
  }
  _lcu_block b = { { c0, c1, c2, c3 } };
  return b;
}
__device__ __forceinline__ _lcu_block _lcu_philox(unsigned long long at, unsigned attempt,
    unsigned k0, unsigned k1) {
  return _lcu_philox4((unsigned)at, (unsigned)(at >> 32), attempt, 0u, k0, k1);
}
__device__ __forceinline__ unsigned long long _lcu_pair(unsigned lo, unsigned hi) {
  return (unsigned long long)hi << 32 | lo;
}
]]

-- Kinds of devices -> the halves of both products. GPUs have an instruction for all of a product,
-- which the CPU device emulates in several steps.
local PRODUCTS = {
  gpu = [[const unsigned long long p = 0xD2511F53ull * c0, q = 0xCD9E8D57ull * c2;
    const unsigned p0 = (unsigned)p, p1 = (unsigned)(p >> 32);
    const unsigned q0 = (unsigned)q, q1 = (unsigned)(q >> 32);]],
  cpu = [[const unsigned p1 = __umulhi(0xD2511F53u, c0), q1 = __umulhi(0xCD9E8D57u, c2);
    const unsigned p0 = 0xD2511F53u * c0, q0 = 0xCD9E8D57u * c2;]],
}

local PUT = [[
template <class T, int N>
__device__ __forceinline__ void _lcu_put(T *out, long long n, long long e, const T *v) {
  if (e + N <= n) *(_lcu_pack<T, N> *)(out + e) = *(const _lcu_pack<T, N> *)v;
  else {
#pragma unroll
    for (int k = 0; k < N; k++) if (e + k < n) out[e + k] = v[k];
  }
}
]]

-- Each thread takes EACH blocks, blockDim.x apart; the elements of a block are stored together.
local KERNEL = [[
__global__ void NAME(T *_out, long long _n, unsigned long long _offset, unsigned _k0,
    unsigned _k1PARAMS) {
  long long _u = (long long)blockIdx.x * (blockDim.x * EACH) + threadIdx.x;
#pragma unroll
  for (int _i = 0; _i < EACH; _i++, _u += blockDim.x) {
    const long long _e = FIRST;
    if (_e >= _n) return;
    const _lcu_block _b = _lcu_philox(_offset + (unsigned long long)_u, 0u, _k0, _k1);
    _lcu_pack<T, PER> _r;
    BODY
    STORE
  }
}
]]

-- Where the elements of block _u are stored: the first of them, and the stores. Two blocks whose
-- elements take 32 bytes each are stored in turns of 16 bytes, so that neighbours fill 32 bytes at
-- a time: less at a time takes twice as long.
local TOGETHER = { FIRST = "_u * PER", STORE = "_lcu_put<T, PER>(_out, _n, _e, _r.v);" }
local IN_TURNS = { FIRST = "(_u & ~1ll) * PER + (_u & 1) * HALF",
  STORE = [[_lcu_put<T, HALF>(_out, _n, _e, _r.v);
    _lcu_put<T, HALF>(_out, _n, _e + PER, _r.v + HALF);]] }

local M = {}

-- source.philox(kind) -> CUDA text of the generator for a kind of device: "gpu" or "cpu"
function M.philox(kind) return (PHILOX:gsub("PRODUCTS", PRODUCTS[kind])) end

M.BLOCK = 256                       -- threads
M.EACH = 4                          -- blocks of the generator per thread

-- dtype -> a number in [0, 1) with all bits of the significand, from word `k` of a block (float64:
-- from two words)
local function unit(dtype)
  local bits = dtypes.of(dtype).mantissa + 1
  if bits > 32 then
    return ("(double)(_lcu_pair(_b.w[2 * k], _b.w[2 * k + 1]) >> %d) * 0x1p-%d"):format(64 - bits,
      bits)
  end
  return ("(float)(_b.w[k] >> %d) * 0x1p-%df"):format(32 - bits, bits)
end

local function unrolled(per, statement)
  return ("#pragma unroll\n  for (int k = 0; k < %d; k++) %s"):format(per, statement)
end

-- Box and Muller (1958): two uniform numbers give two. The angle is a signed fraction of pi, the
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
const double radius = _scale
    * sqrt(2.0 * _lcu_minus_log((_lcu_pair(_b.w[0], _b.w[1]) >> 11) + 1ull));
  double s, c;
  _lcu_sincos(_b.w[2], _b.w[3], &s, &c);
  _r.v[0] = fma(radius, c, _mean);
  _r.v[1] = fma(radius, s, _mean);]]

local BODIES = {}
for _, more in ipairs { integers, variates } do
  for kind, body in pairs(more) do BODIES[kind] = body end
end

function BODIES.uniform(dtype)
  local real = dtype == "float64" and "double" or "float"
  local per = dtype == "float64" and 2 or 4
  return per, unrolled(per, ("_r.v[k] = (T)(%s * _scale + _low);"):format(unit(dtype))),
    (", %s _low, %s _scale"):format(real, real)
end

function BODIES.normal(dtype)
  if dtype == "float64" then return 2, NORMAL64, ", double _mean, double _scale" end
  return 4, NORMAL32, ", float _mean, float _scale"
end

function BODIES.bits(dtype)
  if dtype == "uint64" then
    return 2, unrolled(2, "_r.v[k] = _lcu_pair(_b.w[2 * k], _b.w[2 * k + 1]);"), ""
  end
  return 4, unrolled(4, "_r.v[k] = _b.w[k];"), ""
end

-- source.text(kind, dtype, device), kind "uniform" ..., device "gpu" or "cpu" -> CUDA text, the
-- kernel's name, and { per = elements per block of the generator, each = blocks per thread: one
-- where an element may take more, else M.EACH, group = blocks that belong together }
function M.text(kind, dtype, device)
  local per, body, params = BODIES[kind](dtype)
  local turns = per * dtypes.of(dtype).size > 16
  local name, each = ("random_%s_%s"):format(kind, dtype), per > 1 and M.EACH or 1
  local place = turns and IN_TURNS or TOGETHER
  local parts = { NAME = name, PER = tostring(per), HALF = tostring(per // 2),
    EACH = tostring(each), BODY = body, PARAMS = params }
  local kernel = KERNEL:gsub("%u%u+", place):gsub("%u%u+", parts)
    :gsub("%f[%w_]T%f[^%w_]", prelude.cname(dtype))
  return prelude.text { dtype } .. M.philox(device) .. functions .. PUT .. kernel, name,
    { per = per, each = each, group = turns and 2 or 1 }
end

return M

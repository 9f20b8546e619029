-- lua_source.lua: CUDA text of what Lua does and C++ does not: rounding to integers, shifts of any
-- distance, exact comparison of integers with floats.

local texts = {}

-- NaN and numbers beyond 64 bits give the nearest integer; NaN the smallest.
local ROUND = [[
__device__ __forceinline__ int64 _lcu_$N_int(float64 v) { return __double2ll_r$D(v); }
__device__ __forceinline__ int64 _lcu_$N_int(float32 v) { return __float2ll_r$D(v); }
]]
texts._lcu_floor_int = ROUND:gsub("%$(%u)", { N = "floor", D = "d" })
texts._lcu_ceil_int = ROUND:gsub("%$(%u)", { N = "ceil", D = "u" })

-- The same as a float, which every result fits. Adding 0 turns -0.0 into 0.0, as integers have it.
for name in ("floor ceil"):gmatch "%S+" do
  texts["_lcu_" .. name .. "_float"] = ([[
template <class F> __device__ __forceinline__ F _lcu_$N_float(F v) { return $N(v) + F(0); }
]]):gsub("%$N", name)
end

-- Equal numbers give the first. Of `x < 0.0 ? x : 0.0` NVRTC makes min.f64, for which -0.0 is
-- smaller; the empty statement prevents it.
local EXTREME = [[
template <class T> __device__ __forceinline__ T _lcu_lua_$N(T a, T b) { return $T ? b : a; }
template <> __device__ __forceinline__ float32 _lcu_lua_$N<float32>(float32 a, float32 b) {
  bool second = $T;
  asm("" : "+f"(a));
  return second ? b : a;
}
template <> __device__ __forceinline__ float64 _lcu_lua_$N<float64>(float64 a, float64 b) {
  bool second = $T;
  asm("" : "+d"(a));
  return second ? b : a;
}
]]
texts._lcu_lua_max = EXTREME:gsub("%$(%u)", { N = "max", T = "a < b" })
texts._lcu_lua_min = EXTREME:gsub("%$(%u)", { N = "min", T = "b < a" })

-- A remainder of 0 has the sign of the dividend, in NumPy that of the divisor.
texts._lcu_lua_mod = [[
template <class T> __device__ __forceinline__ T _lcu_lua_mod(T a, T b) {
  T r = _lcu_fmod(a, b);
  return r != T(0) && signbit(r) != signbit(b) ? r + b : r;
}
]]

-- Shifts are logical; a negative distance shifts the other way.
texts._lcu_shl = [[
__device__ __forceinline__ int64 _lcu_shl(int64 a, int64 n) {
  if (n <= -64 || n >= 64) return 0;
  return n >= 0 ? (int64)((uint64)a << n) : (int64)((uint64)a >> -n);
}
]]

texts._lcu_shr = [[
__device__ __forceinline__ int64 _lcu_shr(int64 a, int64 n) {
  if (n <= -64 || n >= 64) return 0;
  return n >= 0 ? (int64)((uint64)a >> n) : (int64)((uint64)a << -n);
}
]]

-- Arithmetic that wraps around.
for name, operator in pairs{ add = "+", sub = "-", mul = "*" } do
  texts["_lcu_" .. name] = ([[
__device__ __forceinline__ int64 _lcu_$N(int64 a, int64 b) {
  return (int64)((uint64)a $O (uint64)b);
}
]]):gsub("%$(%u)", { N = name, O = operator })
end

-- How often a loop runs; never with a step of 0. No loop ends that runs 2^64 times.
texts._lcu_rounds = [[
__device__ __forceinline__ uint64 _lcu_rounds(int64 first, int64 last, int64 step) {
  if (step > 0) {
    if (first > last) return 0;
    const uint64 more = ((uint64)last - (uint64)first) / (uint64)step;
    return more == ~0ull ? more : more + 1;
  }
  if (step == 0 || first < last) return 0;
  const uint64 more = ((uint64)first - (uint64)last) / (0 - (uint64)step);
  return more == ~0ull ? more : more + 1;
}
]]

-- The same with a float limit, which may be outside of 64 bits or NaN.
texts._lcu_rounds_to_float = [[
__device__ __forceinline__ uint64 _lcu_rounds_to_float(int64 first, float64 last, int64 step) {
  const float64 top = 9223372036854775808.0;
  if (step > 0) return last >= -top ? _lcu_rounds(first, _lcu_floor_int(last), step) : 0;
  return last >= top ? 0 : _lcu_rounds(first, _lcu_ceil_int(last), step);
}
]]

-- The order of an integer and a float: -1, 0, 1, or 2 for NaN. Rounding keeps the order, so the
-- rounded integer decides unless it equals the float, which then is an integer.
texts._lcu_order = [[
template <class I, class F> __device__ __forceinline__ int _lcu_order(I i, F f) {
  const F r = (F)i, top = F(9223372036854775808.0);
  if (r != f) return r < f ? -1 : r > f ? 1 : 2;
  if (f < top) return (int64)i < (int64)f ? -1 : (int64)i > (int64)f;
  if (I(-1) < I(0) || f >= F(2) * top) return -1;
  return (uint64)i < (uint64)f ? -1 : (uint64)i > (uint64)f;
}
]]

for name, test in pairs{ eq = "== 0", ne = "!= 0", lt = "== -1", le = "<= 0", gt = "== 1" } do
  texts["_lcu_exact_" .. name] = ([[
template <class I, class F> __device__ __forceinline__ bool _lcu_exact_$N(I i, F f) {
  return _lcu_order(i, f) $T;
}
]]):gsub("%$(%u)", { N = name, T = test })
end

texts._lcu_exact_ge = [[
template <class I, class F> __device__ __forceinline__ bool _lcu_exact_ge(I i, F f) {
  const int order = _lcu_order(i, f);
  return order == 0 || order == 1;
}
]]

return texts

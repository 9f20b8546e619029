-- operators_source.lua: CUDA text of the operators that need more than an expression. Rows of
-- operators.lua call them by these names; ufunc.lua adds the functions that a text needs.

local texts = {}

-- Integers: division by zero gives 0; the quotient is rounded down, the remainder has the sign of
-- the divisor. The smallest integer divided by -1 wraps around instead of trapping.
texts._lcu_floor_divide_int = [[
template <class T> __device__ __forceinline__ T _lcu_floor_divide_int(T a, T b) {
  if (b == T(0)) return T(0);
  if (T(-1) < T(0) && b == T(-1)) return _lcu_negated<T>(a);
  T q = a / b;
  return a % b != T(0) && _lcu_is_negative(a) != _lcu_is_negative(b) ? T(q - T(1)) : q;
}
]]

texts._lcu_mod_int = [[
template <class T> __device__ __forceinline__ T _lcu_mod_int(T a, T b) {
  if (b == T(0) || (T(-1) < T(0) && b == T(-1))) return T(0);
  T r = a % b;
  return r != T(0) && _lcu_is_negative(r) != _lcu_is_negative(b) ? T(r + b) : r;
}
]]

-- Floats, as in Python: the remainder is exact and has the sign of the divisor; the quotient
-- matches it. Signs are read from their bits: NVVM takes what is divided by the constant -0.0 for
-- positive, and drops a comparison with zero.
texts._lcu_mod_float = [[
template <class T> __device__ __forceinline__ T _lcu_mod_float(T a, T b) {
  T r = _lcu_fmod(a, b);
  if (r == T(0)) return copysign(r, b);
  return signbit(r) != signbit(b) ? r + b : r;
}
]]

texts._lcu_floor_divide_float = [[
template <class T> __device__ __forceinline__ T _lcu_floor_divide_float(T a, T b) {
  if (b == T(0)) return a / b;
  T r = _lcu_fmod(a, b), q = (a - r) / b;
  if (r != T(0) && signbit(r) != signbit(b)) q -= T(1);
  if (q == T(0)) return copysign(T(0), a / b);
  T f = floor(q);
  return q - f > T(0.5) ? f + T(1) : f;
}
]]

-- Power by squaring, modulo 2^bits. A negative exponent gives the truncated value of 1 / a^n.
texts._lcu_power_int = [[
template <class U, class T, class E> __device__ __forceinline__ T _lcu_power_int(T a, E n) {
  if (_lcu_is_negative(n))
    return a == T(1) ? T(1) : T(-1) < T(0) && a == T(-1) ? ((n & E(1)) != E(0) ? a : T(1)) : T(0);
  U r = 1, s = (U)a;
  for (unsigned long long k = (unsigned long long)n; k != 0; k >>= 1, s *= s) if (k & 1) r *= s;
  return T(r);
}
]]

-- Squares are exact.
texts._lcu_power_float = [[
template <class T> __device__ __forceinline__ T _lcu_power_float(T a, T n) {
  const T r = pow(a, n);
  return n == T(2) ? a * a : r;
}
]]

-- Comparison of integers of any two types. Only uint64 has values that int64 cannot hold.
local COMPARE = [[
template <class X, class Y> __device__ __forceinline__ bool _lcu_$N_int(X x, Y y) {
  const bool sx = X(-1) < X(0), sy = Y(-1) < Y(0);
  const bool wx = !sx && sizeof(X) == 8, wy = !sy && sizeof(Y) == 8;
  if (sx && wy)
    return _lcu_is_negative(x) ? -1 $O 0 : (unsigned long long)x $O (unsigned long long)y;
  if (wx && sy)
    return _lcu_is_negative(y) ? 0 $O -1 : (unsigned long long)x $O (unsigned long long)y;
  if (wx || wy) return (unsigned long long)x $O (unsigned long long)y;
  return (long long)x $O (long long)y;
}
]]

-- The order of an integer and a float: -1, 0 or 1; 2 for NaN.
texts._lcu_order = [[
template <class I> __device__ __forceinline__ int _lcu_order_of(I n, double v) {
  const bool negative = I(-1) < I(0);
  if (v != v) return 2;
  if (v >= (negative ? 9223372036854775808.0 : 18446744073709551616.0)) return -1;
  if (v < (negative ? -9223372036854775808.0 : 0.0)) return 1;
  const double whole = trunc(v);
  const I m = (I)whole;
  return n != m ? (n < m ? -1 : 1) : whole < v ? -1 : whole > v;
}
template <class X, class Y> __device__ __forceinline__ int _lcu_order(X x, Y y) {
  if (X(1) / X(2) == X(0)) return _lcu_order_of(x, (double)y);
  const int order = _lcu_order_of(y, (double)x);
  return order == 2 ? 2 : -order;
}
]]

-- A number within the bounds stays as it is, also a zero that equals a bound of the other sign.
texts._lcu_clip = [[
template <class T> __device__ __forceinline__ T _lcu_at_least(T a, T lo) {
  return a >= lo || a != a ? a : lo;
}
template <class T> __device__ __forceinline__ T _lcu_at_most(T a, T hi) {
  return a <= hi || a != a ? a : hi;
}
template <class T> __device__ __forceinline__ T _lcu_clip(T a, T lo, T hi) {
  return _lcu_at_most(_lcu_at_least(a, lo), hi);
}
]]

-- Complex numbers are ordered by their real parts, then by their imaginary parts; comparisons with
-- NaN are false.
local COMPARE_COMPLEX = [[
template <class C> __device__ __forceinline__ bool _lcu_$N_complex(C a, C b) {
  if (isnan(a) || isnan(b)) return false;
  return a.real() == b.real() ? a.imag() $O b.imag() : a.real() $O b.real();
}
]]

for name, operator in pairs { eq = "==", ne = "!=", lt = "<", le = "<=", gt = ">", ge = ">=" } do
  local values = { N = name, O = operator }
  texts["_lcu_" .. name .. "_int"] = COMPARE:gsub("%$(%u)", values)
  if name ~= "eq" and name ~= "ne" then
    texts["_lcu_" .. name .. "_complex"] = COMPARE_COMPLEX:gsub("%$(%u)", values)
  end
end

-- NaN is the result if either argument is NaN; of two equal arguments the first is, as in NumPy.
for name, order in pairs { maximum = "ge", minimum = "le" } do
  texts["_lcu_" .. name .. "_complex"] = ([[
template <class C> __device__ __forceinline__ C _lcu_$N_complex(C a, C b) {
  return isnan(a) || (!isnan(b) && _lcu_$O_complex(a, b)) ? a : b;
}
]]):gsub("%$(%u)", { N = name, O = order })
end

return texts

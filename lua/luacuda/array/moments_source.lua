-- moments_source.lua: the declarations of var and std, and of those that leave out NaN: one pass.
--
-- A thread takes up to 32 values at a time and shifts them by one of them, which bounds the loss of
-- digits by their number (Chan, Golub and LeVeque, "Algorithms for computing the sample variance",
-- 1983, section 3). Two parts are merged with the update of the same authors ("Updating formulae
-- and a pairwise algorithm for computing sample variances", 1979, equation 2.1). Means are relative
-- to an element of the part, so an offset that is large against the spread costs no digits.

local dtypes = require "luacuda.base.dtypes"
local prelude = require "luacuda.builder.prelude"
local types = require "luacuda.array.reduction_types"

-- VALUE: the type of the elements in the computation; REAL: that of their squares.
local STATE = [[
struct _lcu_moments { REAL count, squares; VALUE first, mean; };
__device__ __forceinline__ _lcu_moments _lcu_make(REAL count, REAL squares, VALUE first,
    VALUE mean) {
  _lcu_moments a;
  a.count = count, a.squares = squares, a.first = first, a.mean = mean;
  return a;
}
__device__ __forceinline__ REAL _lcu_square(const VALUE d) { return SQUARE; }
__device__ __forceinline__ float _lcu_quotient(float x, float y) { return __fdividef(x, y); }
__device__ __forceinline__ double _lcu_quotient(double x, double y) { return x / y; }
__device__ __forceinline__ _lcu_moments _lcu_merged(const _lcu_moments &a, const _lcu_moments &b) {
  if (b.count == (REAL)0) return a;
  if (a.count == (REAL)0) return b;
  const REAL count = a.count + b.count, share = _lcu_quotient(b.count, count);
  const VALUE apart = (b.first - a.first) + (b.mean - a.mean);
  return _lcu_make(count, a.squares + (b.squares + _lcu_square(apart) * (a.count * share)), a.first,
    a.mean + apart * share);
}
]]

local FOLD = [[
template <int N>
__device__ __forceinline__ _lcu_moments _lcu_fold(const _lcu_moments &a, const VALUE (&v)[N]) {
  VALUE first = (VALUE)0, sum = (VALUE)0;
  REAL count = (REAL)0, squares = (REAL)0;
  #pragma unroll
  for (int i = N - 1; i >= 0; i--) first = COUNTS ? v[i] : first;
  #pragma unroll
  for (int i = 0; i < N; i++) {
    const VALUE d = COUNTS ? v[i] - first : (VALUE)0;
    sum += d;
    squares += _lcu_square(d);
    count += COUNTS ? (REAL)1 : (REAL)0;
  }
  const VALUE mean = count == (REAL)0 ? sum : sum / count;
  return _lcu_merged(a, _lcu_make(count, squares - _lcu_square(mean) * count, first, mean));
}
]]

-- Integers of 8 bits: exact sums of the values and of their squares.
local EXACT = [[
struct _lcu_sums { long long sum, squares; };
__device__ __forceinline__ _lcu_sums _lcu_make(long long sum, long long squares) {
  _lcu_sums a;
  a.sum = sum, a.squares = squares;
  return a;
}
// the sum of squared distances from the mean: those from the nearest integer, less what that is off
__device__ __forceinline__ double _lcu_distances(const _lcu_sums &a, long long n) {
  if (n == 0) return 0.0;
  const long long mean = llrint((double)a.sum / (double)n), rest = a.sum - mean * n;
  return (double)(a.squares - mean * (a.sum + rest)) - (double)rest * ((double)rest / (double)n);
}
]]

local EXACT_FOLD = [[
template <int N>
__device__ __forceinline__ _lcu_sums _lcu_fold(const _lcu_sums &a, const int (&v)[N]) {
  int sum = 0, squares = 0;
  #pragma unroll
  for (int i = 0; i < N; i++) sum += v[i], squares += v[i] * v[i];
  return _lcu_make(a.sum + sum, a.squares + squares);
}
]]

-- The mean of the squares of n values, with `squares` as their sum.
local function result(root, real, squares, count)
  local value = ("(%s) / (%s)max((double)%s - ddof, 0.0)"):format(squares, real, count)
  return ("y = %s"):format(root and "sqrt(" .. value .. ")" or value)
end

local function declaration(what, dtype, out)
  return { inputs = dtype .. " x, float64 ddof", outputs = types.real_of(out) .. " y", name = what }
end

local function exact(what, dtype, out, root)
  local given = declaration(what, dtype, out)
  given.map = "(int)x"
  given.reduce = "_lcu_make(a.sum + b.sum, a.squares + b.squares)"
  given.identity, given.preamble = "_lcu_make(0, 0)", EXACT
  given.post = result(root, prelude.cname(out), "_lcu_distances(a, n)", "n")
  given.reduce_type, given.bytes = "_lcu_sums", 16
  given.fold = { item = "int", text = EXACT_FOLD }
  return given
end

local function general(what, dtype, out, root, without_nan)
  local given, wide = declaration(what, dtype, out), dtypes.sum_of(out)
  local value, real = prelude.cname(wide), prelude.cname(types.real_of(wide))
  local texts = { VALUE = value, REAL = real, COUNTS = without_nan and "v[i] == v[i]" or "true",
    SQUARE = types.is_complex(wide) and "norm(d)" or "d * d" }
  local function filled(text) return (text:gsub("%u%u%u+", texts)) end
  given.map = ("(%s)(x)"):format(value)
  given.reduce, given.identity = "_lcu_merged(a, b)", filled "_lcu_make(0, 0, (VALUE)0, (VALUE)0)"
  given.preamble, given.reduce_type = filled(STATE), "_lcu_moments"
  given.bytes = 2 * (types.bytes_of(wide) + types.bytes_of(types.real_of(wide)))
  given.fold = { item = value, text = filled(FOLD) }
  given.post = result(root, real, "a.squares", without_nan and "a.count" or "n")
  if without_nan then           -- NaN where no degrees of freedom are left, as in NumPy
    given.post = given.post
      .. filled "; if (!((double)a.count > ddof)) y = (REAL)__int_as_float(0x7fc00000)"
  end
  return given
end

-- spread(root, without_nan) -> the maker of the declarations of var, or, with `root`, of std
local function spread(root, without_nan)
  return function(what, dtype, asked)
    local out = types.mean_type(what, dtype, asked)
    if asked == nil and types.bytes_of(dtype) == 1 then return exact(what, dtype, out, root) end
    return general(what, dtype, out, root, without_nan and types.has_nan(dtype))
  end
end

return { var = spread(false), std = spread(true), nanvar = spread(false, true),
  nanstd = spread(true, true) }

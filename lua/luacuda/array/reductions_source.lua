-- reductions_source.lua: the declarations of NumPy's reductions: result types, CUDA text,
-- expressions.

local types = require "luacuda.array.reduction_types"
local ufunc_source = require "luacuda.array.ufunc_source"
local dtypes = require "luacuda.base.dtypes"
local prelude = require "luacuda.builder.prelude"

local kind_of, is_complex = types.kind_of, types.is_complex

-- CUDA text ---------------------------------------------------------------------------------------

-- The smaller (larger) of two values, or the NaN, without branches. Complex numbers compare by the
-- real part, then by the imaginary part; `a` goes before `b` when it is smaller (larger) or the
-- first NaN.
local PICK = {
  int = "template <class T> __device__ __forceinline__ T _lcu_pick(T a, T b) "
    .. "{ return b OP a ? b : a; }\n",
  float = "template <class T> __device__ __forceinline__ T _lcu_pick(T a, T b) "
    .. "{ return _lcu_NAMEimum(a, b); }\n",
  complex = [[
template <class T> __device__ __forceinline__ bool _lcu_before(T a, T b) {
  const bool x = a != a, y = b != b;
  if (x || y) return x && !y;
  return a.real() OP b.real() || (a.real() == b.real() && a.imag() OP b.imag());
}
template <class T> __device__ __forceinline__ T _lcu_pick(T a, T b) {
  return _lcu_before(b, a) ? b : a;
}
]],
}
PICK.bool, PICK.uint = PICK.int, PICK.int

local function pick(dtype, op)
  local kind, name = kind_of(dtype), op == "<" and "min" or "max"
  return (kind == "float" and ufunc_source["_lcu_" .. name .. "imum"] or "")
    .. PICK[kind]:gsub("%u%u%u*", { OP = op, NAME = name })
end

local function integer_text(dtype, value)
  if dtype == "uint64" then
    return ("%uULL"):format(value):gsub("^%-.*", "18446744073709551615ULL")
  end
  if value == math.mininteger then return "(-9223372036854775807LL - 1)" end
  return ("%dLL"):format(value)
end

-- The value that sorts after every other: the largest for "<", the smallest for ">".
local function last_value(dtype, op)
  local kind = kind_of(dtype)
  local infinity = (op == "<" and "" or "-") .. "__int_as_float(0x7f800000)"
  if kind == "bool" then return op == "<" and "true" or "false" end
  if kind == "float" then return infinity end
  if kind == "complex" then
    return ("%s(%s, %s)"):format(prelude.cname(dtype), infinity, infinity)
  end
  return (integer_text(dtype, (op == "<" and dtypes.max or dtypes.min)(dtype)))
end

-- Several values at a time ------------------------------------------------------------------------

-- Values that join as VALUE, pairs first, before they are added to the accumulator; `a` and `b` in
-- `join`.
local FOLD = [[
template <int N>
__device__ __forceinline__ _lcu_acc _lcu_fold(const _lcu_acc &a0, const VALUE (&v)[N]) {
  VALUE t[N];
  #pragma unroll
  for (int i = 0; i < N; i++) t[i] = v[i];
  #pragma unroll
  for (int d = 1; d < N; d *= 2) {
    #pragma unroll
    for (int i = 0; i + d < N; i += 2 * d) {
      const VALUE a = t[i], b = t[i + d];
      t[i] = JOIN;
    }
  }
  const VALUE a = t[0];
  return ADD;
}
]]

local function fold(value, join, add, map)
  return { item = value, map = map or ("(%s)(x)"):format(value),
    text = FOLD:gsub("%u%u%u+", { VALUE = value, JOIN = join, ADD = add }) }
end

-- Floats that join before they are added to the accumulator lose fewer digits there, which counts
-- where a thread adds many.
local function fold_floats(wide)
  local given = fold(prelude.cname(wide), "a + b", "a0 + a")
  given.map = nil
  return given
end

-- Sums of integers of up to 16 bits fit in 32 bits, those of 32 bits in 64.
local function fold_sum(dtype, out)
  local row, sum = dtypes.of(dtype), dtypes.sum_of(out)
  if types.has_nan(dtype) then return types.has_nan(sum) and fold_floats(sum) or nil end
  if row.size > 4 then return nil end
  if dtypes.of(out).kind == "complex" or dtypes.of(out).size < 8 then return nil end
  local value = row.size < 4 and "int" or row.kind == "uint" and "unsigned long long" or "long long"
  return fold(value, "a + b", ("a0 + (%s)a"):format(prelude.cname(out)))
end

-- The reductions ----------------------------------------------------------------------------------
-- make(what, dtype, asked [, long]) -> the declaration for `own`; asked: option dtype

local function add_up(op, identity)
  return function(what, dtype, asked)
    local out = types.sum_type(what, dtype, asked)
    return { inputs = dtype .. " x", outputs = out .. " y", map = "x", reduce = "a " .. op .. " b",
      post = "y = a", identity = identity, reduce_type = dtypes.sum_of(out), name = what,
      fold = op == "+" and fold_sum(dtype, out) or nil }
  end
end

local function mean(what, dtype, asked)
  local out = types.mean_type(what, dtype, asked)
  local wide = dtypes.sum_of(out)
  return { inputs = dtype .. " x", outputs = out .. " y", map = "x", reduce = "a + b", identity = 0,
    post = ("y = a / (%s)n"):format(prelude.cname(types.real_of(wide))), reduce_type = wide,
    name = what, fold = fold_sum(dtype, wide) }
end

-- The same for the smallest (largest) value. Of doubles, which no instruction compares with regard
-- to NaN, the function that drops NaN serves, and NaN are looked for in pairs.
local DOUBLES = [[
template <int N>
__device__ __forceinline__ double _lcu_extreme(const double (&v)[N]) {
  double t[N];
  bool nan = false;
  #pragma unroll
  for (int i = 0; i < N; i++) t[i] = v[i];
  #pragma unroll
  for (int i = 0; i < N; i += 2) {
    const double a = v[i], b = v[i + 1 < N ? i + 1 : i];
    nan |= (a != a) | (b != b);
  }
  #pragma unroll
  for (int d = 1; d < N; d *= 2) {
    #pragma unroll
    for (int i = 0; i + d < N; i += 2 * d) t[i] = fMIN(t[i], t[i + d]);
  }
  return nan ? __longlong_as_double(0x7ff8000000000000LL) : t[0];
}
]]
local OTHERS = [[
template <int N>
__device__ __forceinline__ VALUE _lcu_extreme(const VALUE (&v)[N]) {
  VALUE t[N];
  #pragma unroll
  for (int i = 0; i < N; i++) t[i] = v[i];
  #pragma unroll
  for (int d = 1; d < N; d *= 2) {
    #pragma unroll
    for (int i = 0; i + d < N; i += 2 * d) t[i] = _lcu_pick(t[i], t[i + d]);
  }
  return t[0];
}
]]
local EXTREME_FOLD = [[
template <int N>
__device__ __forceinline__ _lcu_acc _lcu_fold(const _lcu_acc &a, const _lcu_acc (&v)[N]) {
  return _lcu_pick(a, _lcu_extreme(v));
}
]]

local function extreme_text(dtype, op)
  return ((dtype == "float64" and DOUBLES or OTHERS):gsub("%u%u%u%u*", { VALUE =
    prelude.cname(dtype), MIN = op == "<" and "min" or "max" }))
end

local function extreme(op)
  return function(what, dtype)
    local wide = dtypes.sum_of(dtype)
    return { inputs = dtype .. " x", outputs = dtype .. " y", map = "x",
      reduce = "_lcu_pick(a, b)", fold = { text = extreme_text(wide, op) .. EXTREME_FOLD },
      post = "y = a",
      neutral = last_value(wide, op), preamble = pick(wide, op), reduce_type = wide, name = what }
  end
end

local ARG = [[
struct _lcu_arg {
  VALUE value;
  INDEX index;
};
__device__ __forceinline__ _lcu_arg _lcu_make(VALUE value, INDEX index) {
  _lcu_arg a;
  a.value = value, a.index = index;
  return a;
}
__device__ __forceinline__ _lcu_arg _lcu_first(const _lcu_arg &a, const _lcu_arg &b) {
  const bool later = LATER, tie = TIE, take = later | (tie & (b.index < a.index));
  return _lcu_make(take ? b.value : a.value, take ? b.index : a.index);
}
]]

-- Looks at single values only where the best of them is better than `a`.
local ARG_FOLD = [[
template <int N>
__device__ __forceinline__ _lcu_arg _lcu_fold(const _lcu_arg &a, const _lcu_arg (&v)[N]) {
  VALUE best = v[0].value;
  #pragma unroll
  for (int i = 1; i < N; i++) best = v[i].value OP best ? v[i].value : best;
  if (!(best OP a.value) && (best != a.value || (_lcu_in_order && v[0].index > a.index))) return a;
  _lcu_arg y = a;
  #pragma unroll
  for (int i = 0; i < N; i++) y = _lcu_first(y, v[i]);
  return y;
}
]]

-- Integers in the order of floats: equal for both zeros; every NaN comes last.
local KEY = [[
__device__ __forceinline__ int _lcu_key(float x) {
  const int bits = __float_as_int(x + 0.0f);
  return x != x ? NAN_INT : bits ^ ((bits >> 31) & 0x7fffffff);
}
__device__ __forceinline__ long long _lcu_key(double x) {
  const long long bits = __double_as_longlong(x + 0.0);
  return x != x ? NAN_LONG : bits ^ ((bits >> 63) & 0x7fffffffffffffffLL);
}
]]

-- The dtype in which elements of a dtype are compared.
local function key_dtype(dtype)
  local row = dtypes.of(dtype)
  if row.kind == "complex" then return dtype end
  if row.kind == "uint" and row.size >= 4 then return dtype end
  return row.size == 8 and "int64" or "int32"
end

-- CUDA text, and the C++ expression for the key of element x.
local function key_text(dtype, op)
  if kind_of(dtype) ~= "float" then return "", "x" end
  local nan = op == "<"
    and { NAN_INT = "(-0x7fffffff - 1)", NAN_LONG = "(-0x7fffffffffffffffLL - 1)" }
    or { NAN_INT = "0x7fffffff", NAN_LONG = "0x7fffffffffffffffLL" }
  return KEY:gsub("NAN_%u+", nan), "_lcu_key(x)"
end

-- Looks for the place of the extreme value, where the CPU device does that by batches.
local SEEK = [[
typedef VALUE _lcu_seen;
__device__ __forceinline__ VALUE _lcu_worst() { return WORST; }
__device__ __forceinline__ bool _lcu_beats(VALUE a, VALUE b) { return !(a NOT b) & (b == b); }
__device__ __forceinline__ _lcu_arg _lcu_found(const VALUE x, long long j) {
  return _lcu_make(KEY, (INDEX)j);
}
]]

local function seek(dtype, op, key, index)
  local wide = dtypes.sum_of(dtype)
  return { map = "x", text = pick(wide, op) .. extreme_text(wide, op)
    .. SEEK:gsub("%u%u%u+", { VALUE = prelude.cname(wide), WORST = last_value(wide, op),
      NOT = op == "<" and ">=" or "<=", KEY = key, INDEX = index }) }
end

-- long: indices need more than 32 bits
local function position(op)
  return function(what, dtype, _, long)
    local key, index = key_dtype(dtype), long and "long long" or "int"
    local complex = is_complex(key)
    local text, value = key_text(dtypes.sum_of(dtype), op)
    local preamble = (complex and pick(key, op) or text)
      .. ARG:gsub("%u%u%u+", { VALUE = prelude.cname(key), INDEX = index,
      LATER = complex and "_lcu_before(b.value, a.value)" or "b.value " .. op .. " a.value",
      TIE = complex and "!later && !_lcu_before(a.value, b.value)" or "b.value == a.value" })
    -- aligned for the wider of the two
    local bytes = math.max(2 * dtypes.of(key).size, long and 16 or 8)
    local last_index = long and "0x7fffffffffffffffLL" or "0x7fffffff"
    local neutral = ("_lcu_make(%s, %s)"):format(last_value(key, op), last_index)
    return { inputs = dtype .. " x", outputs = "int64 y",
      map = ("_lcu_make(%s, (%s)_j)"):format(value, index),
      reduce = "_lcu_first(a, b)", post = "y = (long long)a.index + 1", neutral = neutral,
      preamble = preamble,
      reduce_type = "_lcu_arg", bytes = bytes, name = what,
      seek = not complex and seek(dtype, op, value, index) or nil,
      fold = not complex and { item = "_lcu_arg",
        text = ARG_FOLD:gsub("%u%u+", { VALUE = prelude.cname(key), OP = op }) } or nil }
  end
end

local function test(op, identity)
  return function(what, dtype)
    return { inputs = dtype .. " x", outputs = "bool y", map = "bool(x)",
      reduce = "a " .. op .. " b", post = "y = a",
      identity = identity, reduce_type = "bool", name = what,
      fold = fold("bool", "a " .. op:sub(1, 1) .. " b", "a0 " .. op .. " a", "bool(x)") }
  end
end

local function count_nonzero(what, dtype)
  return { inputs = dtype .. " x", outputs = "int64 y", map = "bool(x)", reduce = "a + b",
    post = "y = a", identity = 0, reduce_type = "int64", name = what,
    fold = fold("int", "a + b", "a0 + a", "bool(x)") }
end

return {
  sum = add_up("+", 0), prod = add_up("*", 1), mean = mean,
  min = extreme "<", max = extreme ">",
  argmin = position "<", argmax = position ">", any = test("||", false), all = test("&&", true),
  count_nonzero = count_nonzero,
}

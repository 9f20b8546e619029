-- reductions_source.lua: the declarations of NumPy's reductions: result types, CUDA text,
-- expressions.

local fail = require("luacuda.base.arguments").fail
local dtypes = require "luacuda.base.dtypes"
local prelude = require "luacuda.builder.prelude"

-- Types -------------------------------------------------------------------------------------------

local function kind_of(dtype) return dtypes.of(dtype).kind end
local function is_complex(dtype) return kind_of(dtype) == "complex" end

-- Half types are accumulated in float32.
local function wide_of(dtype)
  return (dtype == "float16" or dtype == "bfloat16") and "float32" or dtype
end

local function real_of(dtype)
  if dtype == "complex64" then return "float32" end
  return dtype == "complex128" and "float64" or dtype
end

local SUM_OF = { bool = "int64", int = "int64", uint = "uint64" }
local MEAN_OF = { bool = "float64", int = "float64", uint = "float64" }

-- Option dtype; it may not drop the imaginary part.
local function result_of(what, dtype, asked, table_of_kinds)
  if asked == nil then return table_of_kinds[kind_of(dtype)] or dtype end
  local name = dtypes.normal(asked, what .. ": option 'dtype'")
  if is_complex(dtype) and not is_complex(name) then
    fail(what, "option 'dtype': %s loses the imaginary part of %s", name, dtype)
  end
  return name
end

-- CUDA text ---------------------------------------------------------------------------------------

-- The smaller (larger) of two values, or the NaN, without branches. Complex numbers compare by the
-- real part, then by the imaginary part; `a` goes before `b` when it is smaller (larger) or the
-- first NaN.
local PICK = {
  int = "template <class T> __device__ __forceinline__ T _lcu_pick(T a, T b) "
    .. "{ return b OP a ? b : a; }\n",
  float = [[
__device__ __forceinline__ double _lcu_pick(double a, double b) {
  return (b OP a) | (b != b) ? b : a;
}
__device__ __forceinline__ float _lcu_pick(float a, float b) {
#if __CUDA_ARCH__ >= 800
  float y;
  asm("NAME.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
#else
  return (b OP a) | (b != b) ? b : a;
#endif
}
]],
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
  return (PICK[kind_of(dtype)]:gsub("%u%u%u*", { OP = op, NAME = op == "<" and "min" or "max" }))
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

-- The reductions ----------------------------------------------------------------------------------
-- make(what, dtype, asked [, long]) -> the declaration for `own`; asked: option dtype

local function add_up(op, identity)
  return function(what, dtype, asked)
    local out = result_of(what, dtype, asked, SUM_OF)
    return { inputs = dtype .. " x", outputs = out .. " y", map = "x", reduce = "a " .. op .. " b",
      post = "y = a", identity = identity, reduce_type = wide_of(out), name = what }
  end
end

local function mean_type(what, dtype, asked)
  local out = result_of(what, dtype, asked, MEAN_OF)
  local kind = kind_of(out)
  if kind ~= "float" and kind ~= "complex" then
    fail(what, "option 'dtype': expected a float or complex type, got %s", out)
  end
  return out
end

local function mean(what, dtype, asked)
  local out = mean_type(what, dtype, asked)
  local wide = wide_of(out)
  return { inputs = dtype .. " x", outputs = out .. " y", map = "x", reduce = "a + b", identity = 0,
    post = ("y = a / (%s)n"):format(prelude.cname(real_of(wide))), reduce_type = wide, name = what }
end

-- The mean that var subtracts, not rounded to a half type.
local function wide_mean(what, dtype, asked)
  return mean(what, dtype, wide_of(mean_type(what, dtype, asked)))
end

-- The sum of squared distances from the mean, which is computed first (the two-pass algorithm:
-- Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983, equation 1.1).
local function spread(root)
  return function(what, dtype, asked)
    local out = mean_type(what, dtype, asked)
    local wide = wide_of(out)
    local real, ctype = real_of(wide), prelude.cname(wide)
    local square = is_complex(wide) and "norm(%s(x) - m)" or "(%s(x) - m) * (%s(x) - m)"
    local value = ("a / (%s)max((double)n - ddof, 0.0)"):format(prelude.cname(real))
    return { inputs = ("%s x, %s m, float64 ddof"):format(dtype, wide),
      outputs = real_of(out) .. " y", map = square:format(ctype, ctype), reduce = "a + b",
      post = ("y = %s"):format(root and "sqrt(" .. value .. ")" or value), identity = 0,
      reduce_type = real, name = what }
  end
end

local function extreme(op)
  return function(what, dtype)
    local wide = wide_of(dtype)
    return { inputs = dtype .. " x", outputs = dtype .. " y", map = "x", reduce = "_lcu_pick(a, b)",
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

-- long: indices need more than 32 bits
local function position(op)
  return function(what, dtype, _, long)
    local key, index = key_dtype(dtype), long and "long long" or "int"
    local complex = is_complex(key)
    local text, value = key_text(wide_of(dtype), op)
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
      reduce_type = "_lcu_arg", bytes = bytes, name = what }
  end
end

local function test(op, identity)
  return function(what, dtype)
    return { inputs = dtype .. " x", outputs = "bool y", map = "bool(x)",
      reduce = "a " .. op .. " b", post = "y = a",
      identity = identity, reduce_type = "bool", name = what }
  end
end

local function count_nonzero(what, dtype)
  return { inputs = dtype .. " x", outputs = "int64 y", map = "bool(x)", reduce = "a + b",
    post = "y = a", identity = 0, reduce_type = "int64", name = what }
end

return {
  sum = add_up("+", 0), prod = add_up("*", 1), mean = mean, wide_mean = wide_mean,
  var = spread(false), std = spread(true), min = extreme "<", max = extreme ">",
  argmin = position "<", argmax = position ">", any = test("||", false), all = test("&&", true),
  count_nonzero = count_nonzero,
}

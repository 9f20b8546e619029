-- reductions.lua: sum, prod, min, max, mean, var, std, any, all, count_nonzero, argmin and argmax
-- of arrays, with NumPy's result types and rules. Each is a reduction, made at its first use for a
-- dtype.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail
local dtypes = require "luacuda.base.dtypes"
local prelude = require "luacuda.builder.prelude"
local own = require("luacuda.builder.reduction").own

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
      post = "y = a", identity = identity,
      reduce_type = wide_of(out), name = what }
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
    return { inputs = ("%s x, %s m, float64 ddof"):format(dtype, wide), outputs = real_of(out)
      .. " y", map = square:format(ctype, ctype),
      reduce = "a + b", post = ("y = %s"):format(root and "sqrt(" .. value .. ")" or value),
        identity = 0, reduce_type = real, name = what }
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
    local neutral = ("_lcu_make(%s, %s)"):format(last_value(key, op), long
      and "0x7fffffffffffffffLL" or "0x7fffffff")
    return { inputs = dtype .. " x", outputs = "int64 y",
      map = ("_lcu_make(%s, (%s)_j)"):format(value, index),
      reduce = "_lcu_first(a, b)", post = "y = (long long)a.index + 1", neutral = neutral,
        preamble = preamble,
      reduce_type = "_lcu_arg", bytes = bytes, name = what }
  end
end

local function test(op, identity)
  return function(what, dtype)
    return { inputs = dtype .. " x", outputs = "bool y", map = "bool(x)", reduce = "a " .. op
      .. " b", post = "y = a",
      identity = identity, reduce_type = "bool", name = what }
  end
end

local function count_nonzero(what, dtype)
  return { inputs = dtype .. " x", outputs = "int64 y", map = "bool(x)", reduce = "a + b",
    post = "y = a", identity = 0,
    reduce_type = "int64", name = what }
end

-- Calls -------------------------------------------------------------------------------------------

local function describe(v) return core.type(v) or type(v) end

local _, _, ARRAY = core.class "Array"  -- the metatable
local MOST_INT = 0x7fffffff             -- elements that indices of 32 bits count

-- The dtype of an array; raises for anything but an array of numbers.
local function dtype_of(what, a)
  if getmetatable(a) ~= ARRAY then
    fail(what, "argument 1 'a': expected an Array, got %s", describe(a))
  end
  local dtype = a.dtype
  if type(dtype) ~= "string" then
    fail(what, "argument 1 'a': an array of structs has no %s", what)
  end
  return dtype
end

local function check_options(what, options)
  if options ~= nil and type(options) ~= "table" then
    fail(what, "expected a table of options such as { axis = 1 }, got %s", describe(options))
  end
end

-- The options without `key`, which C does not take.
local function without(options, key)
  if options == nil or options[key] == nil then return options end
  local rest = {}
  for k, v in pairs(options) do rest[k] = v end
  rest[key] = nil
  return rest
end

-- Finds or makes the reduction for a dtype, an option dtype and a width of indices; the second
-- result has those for a dtype alone. `takes`: "dtype", "ddof" (and dtype) or nil.
local function cached(what, make, takes)
  local kept = {}
  return function(dtype, asked, long)
    local key = asked == nil and not long and dtype or ("%s %s %s"):format(dtype, asked, long)
    local r = kept[key]
    if not r then
      local given = make(what, dtype, asked, long)
      given.takes_dtype, given.takes_ddof = takes ~= nil, takes == "ddof"
      r = own(given)
      kept[key] = r
    end
    return r
  end, kept
end

-- Is the result of the call a Lua value?
local function is_single(options)
  return options == nil or (options.axis == nil and options.out == nil and not options.keepdims)
end

-- The result for the user: the array, or the one value it holds.
local function answer(y, options)
  if not is_single(options) then return y end
  local value = y:item()
  y:free()
  return value
end

-- The function that handles the call for a traced value (fuse/trace.lua); nil for other values.
local function traced_by(a)
  local meta = type(a) == "table" and getmetatable(a)
  return type(meta) == "table" and meta.__traced or nil
end

-- a:what{ options }; `typed`: takes option dtype; `indexed`: gives indices.
local function method(what, make, typed, indexed)
  local find, kept = cached(what, make, typed and "dtype" or nil)
  local reduction = { name = what, make = make, typed = typed, indexed = indexed }
  return function(a, options)
    if type(options) == "table" and (options.axis or options.out) and options.dtype == nil
      and getmetatable(a) == ARRAY then
      -- the short path: calls like an earlier one, with an array as the result
      local r = kept[a.dtype]
      if r and not (indexed and a.size > MOST_INT) then return r(a, options) end
    end
    local traced = traced_by(a)
    if traced then return traced({ reduction = reduction }, a, options) end
    local dtype = dtype_of(what, a)
    check_options(what, options)
    local asked
    if typed and options then asked = options.dtype end
    local y = find(dtype, asked, indexed and a.size > MOST_INT or false)(a,
      without(options, asked and "dtype"))
    return answer(y, options)
  end
end

local function ddof_of(what, options)
  local ddof = options and options.ddof
  if ddof == nil then return 0.0 end
  if type(ddof) ~= "number" then
    fail(what, "option 'ddof': expected a number, got %s", describe(ddof))
  end
  return ddof + 0.0
end

-- a:var{ ddof =, ... }, a:std
local function spread_method(what, root)
  local find_mean, find = cached(what, wide_mean, "ddof"), cached(what, spread(root), "ddof")
  return function(a, options)
    local traced = traced_by(a)
    if traced then return traced({ reduction = { name = what } }, a, options) end
    local dtype = dtype_of(what, a)
    check_options(what, options)
    local ddof, asked = ddof_of(what, options), options and options.dtype
    local passed = without(without(options, "ddof"), "dtype")
    local m = find_mean(dtype, asked)(a,
      { axis = passed and passed.axis, stream = passed and passed.stream, keepdims = true })
    local y = find(dtype, asked)(a, m, ddof, passed)
    m:free()
    return answer(y, options)
  end
end

return {
  sum = method("sum", add_up("+", 0), true), prod = method("prod", add_up("*", 1), true),
    mean = method("mean", mean, true),
  min = method("min", extreme "<"), max = method("max", extreme ">"),
  argmin = method("argmin", position "<", false, true),
    argmax = method("argmax", position ">", false, true),
  any = method("any", test("||", false)), all = method("all", test("&&", true)),
    count_nonzero = method("count_nonzero", count_nonzero),
  var = spread_method("var", false), std = spread_method("std", true),
}

-- math.lua: mathematical functions of arrays, element by element: NumPy's, and C's where NumPy has
-- none. Integers become floats where the values of the function are not integers (float16 for 8
-- bits, float32 for 16 bits, else float64); float16 and bfloat16 are computed in float32.

local arguments = require "luacuda.base.arguments"
local either = require("luacuda.base.either").either
local ufunc = require "luacuda.array.ufunc"

ufunc.add_helpers(require "luacuda.array.math_source")

local ONE, TWO = { "x" }, { "x", "y" }

local rows = {}

local function define(name, row)
  row.params = row.params or ONE
  rows[name] = row
end

-- Functions that have the same name in C++ and in the prelude's complex numbers.
for name in ([[ sqrt exp log log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh
  atanh ]]):gmatch "%S+" do
  define(name, { result = "float", float = name .. "(a)", complex = name .. "(a)" })
end

-- Functions of real numbers only.
for name in ([[ cbrt erf erfc tgamma lgamma ]]):gmatch "%S+" do
  define(name, { result = "float", float = name .. "(a)" })
end
for name in ([[ hypot atan2 copysign ]]):gmatch "%S+" do
  define(name, { params = TWO, result = "float", float = name .. "(a, b)" })
end
define("deg2rad", { result = "float", float = "a * T(0.017453292519943295769)" })
define("rad2deg", { result = "float", float = "a * T(57.295779513082320877)" })

define("exp2", { result = "float", float = "exp2(a)", complex = "_lcu_exp2_complex(a)" })
define("expm1", { result = "float", float = "expm1(a)", complex = "_lcu_expm1_complex(a)" })
define("log1p", { result = "float", float = "log1p(a)", complex = "_lcu_log1p_complex(a)" })

-- Integers are unchanged.
for name in ([[ floor ceil trunc ]]):gmatch "%S+" do
  define(name, { result = "same", bool = "a", int = "a", float = name .. "(a)" })
end
define("rint", { result = "float", float = "rint(a)",
  complex = "T(rint(a.real()), rint(a.imag()))" })

define("abs", { result = "part", bool = "a", uint = "a",
  int = "a < T(0) ? _lcu_negated<T>(a) : a", float = "fabs(a)", complex = "abs(a)" })
define("sign", { result = "same", refuse = { bool = "booleans have no sign" },
  int = "T((a > T(0)) - (a < T(0)))", uint = "T(a != T(0))",
  float = "a > T(0) ? T(1) : a < T(0) ? T(-1) : a == T(0) ? T(0) : a",
  complex = "_lcu_sign_complex(a)" })
define("square", { result = "number", int = "T(U(a) * U(a))", float = "a * a",
  complex = "_lcu_squared(a)" })
define("reciprocal", { result = "number", int = "a == T(0) ? T(0) : T(1 / a)", float = "T(1) / a",
  complex = "T(1) / a" })
define("fmod", { params = TWO, result = "number", int = "_lcu_fmod_int<T>(a, b)",
  float = "_lcu_fmod<T>(a, b)" })

define("isnan", { result = "truth", bool = "false", int = "false", float = "isnan(a)",
  complex = "isnan(a)" })
define("isinf", { result = "truth", bool = "false", int = "false", float = "isinf(a)",
  complex = "isinf(a)" })
define("isfinite", { result = "truth", bool = "true", int = "true", float = "isfinite(a)",
  complex = "isfinite(a)" })
define("signbit", { result = "truth", bool = "false", int = "a < T(0)", uint = "false",
  float = "signbit(a)" })

define("real", { result = "part", bool = "a", int = "a", float = "a", complex = "a.real()" })
define("imag", { result = "part", bool = "false", int = "T(0)", float = "T(0)",
  complex = "a.imag()" })
define("conj", { result = "same", bool = "a", int = "a", float = "a", complex = "conj(a)" })
define("angle", { result = "float_part", float = "_lcu_angle<T>(a)", complex = "arg(a)" })

-- Rounding to decimals. The second parameter is the power of ten: a float for floats, an integer
-- for integers.
local POWER = { "x", "power" }
define("round", { result = "same", bool = "a", int = "a", float = "rint(a)",
  complex = "T(rint(a.real()), rint(a.imag()))" })
define("round_fraction", { name = "round", params = POWER, result = "scaled", bool = "a", int = "a",
  float = "_lcu_round_fraction<T>(a, T(y))", complex = "_lcu_round_fraction_complex(a, y)" })
define("round_tens", { name = "round", params = POWER, result = "scaled", bool = "false",
  int = "_lcu_round_tens_int<T>(a, y)",
  float = "rint(a / T(y)) * T(y)", complex = "_lcu_round_tens_complex(a, y)" })

local exports = ufunc.exports(rows)
local whole = exports.round

local function rounded(x, label, decimals, ...)
  local d = type(decimals) == "number" and math.tointeger(decimals)
  if not d or d < -18 or d > 18 then
    arguments.fail("round", "%s: expected an integer from -18 to 18, got %s", label,
      arguments.describe(decimals))
  end
  if d == 0 then return whole(x, ...) end
  return exports[d > 0 and "round_fraction" or "round_tens"](x, 10.0 ^ math.abs(d), ...)
end

-- round(x [, decimals] [, options]); decimals may be an option
function exports.round(x, decimals, ...)
  local given = type(decimals) == "table" and decimals or ...
  if type(given) == "table" and rawget(given, "decimals") ~= nil then
    local value, rest, label = either("round", "argument 2 'decimals'", "decimals", decimals, ...)
    return rounded(x, label, value, rest)
  end
  if type(decimals) ~= "number" then return whole(x, decimals, ...) end
  return rounded(x, "argument 2 'decimals'", decimals, ...)
end

return exports

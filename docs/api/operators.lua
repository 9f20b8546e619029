-- luacheck: ignore 631 (one entry, one line)
-- Operators and mathematical functions: each is a function of the module, and most are methods of arrays, too.
local OPTIONS = { "out?: Array, of the result's shape and dtype, may be one of the arguments", "stream?: Stream, in whose order (the device's current stream)", "device?: Device, where, when no argument tells" }
local MODULE_OPTIONS = { "size?: integer, elements of the result, where no argument is an array", table.unpack(OPTIONS) }
local TYPES = "a string for shapes that do not broadcast, for dtypes without this function and for numbers that do not fit"
local NUMBER = "Array|number|boolean|Complex|Scalar"

local VALUES = { x = "x: " .. NUMBER, y = "y: " .. NUMBER, lo = "lo: " .. NUMBER .. "|nil", hi = "hi: " .. NUMBER .. "|nil", condition = "condition: " .. NUMBER }

local module_entries, array_entries = {}, {}

-- names: parameters, the first of which is the array where the function is a method.
local function define(name, names, text, more)
  local params, rest = {}, {}
  for word in names:gmatch "%S+" do
    params[#params + 1] = VALUES[word]
    if #params > 1 then rest[#rest + 1] = VALUES[word] end
  end
  for _, extra in ipairs(more and more.params or {}) do
    params[#params + 1], rest[#rest + 1] = extra, extra
  end
  module_entries[#module_entries + 1] = { name, params = params, options = MODULE_OPTIONS, returns = { "Array" }, raises = TYPES, text = text }
  if more and more.no_method then return end
  array_entries[#array_entries + 1] = { name, params = rest, options = OPTIONS, returns = { "Array" }, raises = TYPES, text = text }
end

-- arithmetic
define("add", "x y", "`x + y`: the sum; or, of booleans. Shapes broadcast, dtypes are joined as in NumPy 2 (docs/design/promotion.md), integers wrap around.")
define("subtract", "x y", "`x - y`: the difference.")
define("multiply", "x y", "`x * y`: the product; and, of booleans.")
define("divide", "x y", "`x / y`: the quotient; float64 for integers.")
define("floor_divide", "x y", "`x // y`: the quotient rounded down; 0 for integers divided by zero.")
define("mod", "x y", "`x % y`: the remainder, with the sign of y; 0 for integers divided by zero.")
define("power", "x y", "`x ^ y`: x to the power of y. Integers to a negative Lua integer raise; to negative elements they give 0 (1 and -1 for the bases 1 and -1).")
define("negative", "x", "`-x`.")
define("maximum", "x y", "The greater of two; NaN where there is one.")
define("minimum", "x y", "The lesser of two; NaN where there is one.")
define("fmax", "x y", "The greater of two; of a number and NaN the number.")
define("fmin", "x y", "The lesser of two; of a number and NaN the number.")
define("clip", "x lo hi", "x, but not less than lo and not more than hi; either may be nil. NaN stays.")

-- bits
define("bitwise_and", "x y", "`x & y`, of integers or booleans.")
define("bitwise_or", "x y", "`x | y`, of integers or booleans.")
define("bitwise_xor", "x y", "`x ~ y`, of integers or booleans.")
define("bitwise_not", "x", "`~x`, of integers or booleans.")
define("left_shift", "x y", "`x << y`, of integers; 0 when y is the width of the type or more, or negative.")
define("right_shift", "x y", "`x >> y`, of integers, with their sign; 0 or -1 when y is the width of the type or more, or negative.")

-- comparisons and truth
define("eq", "x y", "x == y for each element, a bool array. (The operators ==, < and <= cannot: Lua makes one boolean of them.)")
define("ne", "x y", "x ~= y for each element, a bool array.")
define("lt", "x y", "x < y for each element, a bool array. Integers are compared exactly, complex numbers by real, then imaginary parts.")
define("le", "x y", "x <= y for each element, a bool array.")
define("gt", "x y", "x > y for each element, a bool array.")
define("ge", "x y", "x >= y for each element, a bool array.")
define("logical_and", "x y", "Are both not zero? A bool array.")
define("logical_or", "x y", "Is one not zero? A bool array.")
define("logical_xor", "x y", "Is exactly one not zero? A bool array.")
define("logical_not", "x", "Is it zero? A bool array.")
define("where", "condition x y", "x where the condition is not zero, else y.", { no_method = true })

-- mathematical functions
local UNARY = {
  { "sqrt", "The square root." }, { "cbrt", "The cube root." }, { "square", "x * x." }, { "reciprocal", "1 / x; of integers truncated, 0 for 0." },
  { "exp", "e to the power of x." }, { "exp2", "2 to the power of x." }, { "expm1", "exp(x) - 1, accurate near 0." },
  { "log", "The natural logarithm." }, { "log2", "The logarithm to base 2." }, { "log10", "The logarithm to base 10." }, { "log1p", "log(1 + x), accurate near 0." },
  { "sin", "The sine." }, { "cos", "The cosine." }, { "tan", "The tangent." }, { "asin", "The inverse sine." }, { "acos", "The inverse cosine." }, { "atan", "The inverse tangent." },
  { "sinh", "The hyperbolic sine." }, { "cosh", "The hyperbolic cosine." }, { "tanh", "The hyperbolic tangent." },
  { "asinh", "The inverse hyperbolic sine." }, { "acosh", "The inverse hyperbolic cosine." }, { "atanh", "The inverse hyperbolic tangent." },
  { "deg2rad", "Degrees as radians." }, { "rad2deg", "Radians as degrees." },
  { "floor", "Rounded down; integers stay." }, { "ceil", "Rounded up; integers stay." }, { "trunc", "Rounded towards zero; integers stay." },
  { "rint", "Rounded to the nearest integer, halves to the even one; integers become floats." },
  { "abs", "The absolute value; real for complex numbers. The least integer stays." }, { "sign", "-1, 0 or 1; NaN stays; z / abs(z) for complex numbers." },
  { "real", "The real parts." }, { "imag", "The imaginary parts." }, { "conj", "The complex conjugates." }, { "angle", "The angles of complex numbers, in radians." },
  { "isnan", "Is it NaN? A bool array." }, { "isinf", "Is it infinite? A bool array." }, { "isfinite", "Is it neither infinite nor NaN? A bool array." },
  { "signbit", "Is the sign bit set (-0 too)? A bool array." },
  { "erf", "The error function." }, { "erfc", "1 - erf(x), accurate for large x." }, { "tgamma", "The gamma function." }, { "lgamma", "log(abs(tgamma(x)))." },
}
for _, row in ipairs(UNARY) do define(row[1], "x", row[2]) end
define("round", "x", "Rounded to so many decimals, halves to the even one; integers stay, or are rounded to tens, hundreds with -1, -2.",
  { params = { "decimals?: integer, -18 to 18 (0)" } })
define("hypot", "x y", "sqrt(x * x + y * y), without overflow between.", { no_method = true })
define("atan2", "y x", "The angle of the point (x, y) seen from the origin.", { no_method = true })
define("copysign", "x y", "x with the sign of y.", { no_method = true })
define("fmod", "x y", "The remainder with the sign of x, as in C; 0 for integers divided by zero.", { no_method = true })

-- For the language server: Lua's operators that give an array.
local operators = { "unm", "bnot" }
for word in ("add sub mul div idiv mod pow band bor bxor shl shr"):gmatch "%S+" do operators[#operators + 1] = word .. "(any)" end

return {
  { name = "luacuda", entries = module_entries },
  { name = "Array", entries = array_entries, operators = operators },
}

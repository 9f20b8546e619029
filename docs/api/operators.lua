-- Operators and mathematical functions: each is a function of the module, and most are methods of
-- arrays as well.
local DEVICE = "device?: Device|integer|string (that of the arrays, else the current device)"
local METHOD_OPTIONS = {
  "out?: Array, array of the result's shape and dtype to write to; may be an argument",
  "stream?: Stream (the device's current stream), stream of the work", DEVICE,
}
local OPTIONS = {
  "size?: integer, elements of the result, if no argument is an array; not for methods",
  table.unpack(METHOD_OPTIONS),
}
local RAISES = [[a string if the shapes do not broadcast, the dtype does not have the function, or
  the dtype cannot hold a Lua number]]
local NUMBER = "Array|number|boolean|Complex|Scalar"

local PARAMETERS = {
  x = "x: " .. NUMBER, y = "y: " .. NUMBER, condition = "condition: " .. NUMBER,
  lo = "lo?: " .. NUMBER, hi = "hi?: " .. NUMBER,
    decimals = "decimals?: integer (0), from -18 to 18",
}

-- { name, parameters (`?`: optional), words, operator }. The first parameter of a method is its
-- array.
local function entries_of(rows)
  local entries = {}
  for i, row in ipairs(rows) do
    local params = {}
    for word, mark in row[2]:gmatch "(%a+)(%??)" do
      params[#params + 1] = PARAMETERS[word]:gsub("^%a+", "%0" .. mark)
    end
    entries[i] = { row[1], params = params, text = row[3], operator = row[4] }
  end
  return entries
end

local function group(title, method, text, rows)
  return { class = "luacuda", title = title, rows = true, method = method, text = text,
    entries = entries_of(rows) }
end

return {
  title = "Operators and mathematical functions",
  text = [[
    These functions compute element by element. Shapes broadcast as in NumPy, and dtypes are
    promoted as in NumPy 2 ([promotion.md](../design/promotion.md)): a Lua number takes the dtype of
    the array, and a function whose values are not integers gives float16 for 8-bit integers,
    float32 for 16-bit ones and float64 for wider ones. Floats of 8 and 16 bits are computed in
    float32 and rounded once. Integers wrap around; division and remainder by zero give 0.

    Floating-point functions are those of CUDA's math library, on the CPU device its PTX; complex
    functions are LuaCUDA's own formulas over them, the inverse ones by Kahan ("Branch cuts for
    complex elementary functions", 1987). At infinities and NaN, complex functions return the values
    of C's Annex G.

    Arguments are arrays, Lua numbers, booleans, [Complex](#complex) or typed scalars
    ([Scalar](#scalar)).]],
  options = OPTIONS, method_options = METHOD_OPTIONS, returns = { "Array" }, raises = RAISES,
  parts = {
    group("Arithmetic", true, nil, {
      { "add", "x y", "The sum; for booleans `or`.", "x + y" },
      { "subtract", "x y", "The difference.", "x - y" },
      { "multiply", "x y", "The product; for booleans `and`.", "x * y" },
      { "divide", "x y", "The quotient; float64 for integers.", "x / y" },
      { "floor_divide", "x y", "The quotient rounded down.", "x // y" },
      { "mod", "x y", "The remainder with the sign of `y`.", "x % y" },
      { "power", "x y", [[`x` to the power of `y`. Integers raise for a negative Lua integer `y`;
        negative elements of `y` give 0, or 1 and -1 for the bases 1 and -1. The Lua numbers 2, 3,
        0.5 and -1 as `y` multiply, take the root or divide.]], "x ^ y" },
      { "negative", "x", "The negative; booleans raise.", "-x" },
      { "maximum", "x y", "The greater of two; NaN if one is NaN. 0.0 is greater than -0.0." },
      { "minimum", "x y", "The lesser of two; NaN if one is NaN. -0.0 is less than 0.0." },
      { "fmax", "x y", "The greater of two; of a number and NaN the number." },
      { "fmin", "x y", "The lesser of two; of a number and NaN the number." },
      { "clip", "x lo hi",
        [[`x`, limited to the range from `lo` to `hi`; either may be nil or an option. NaN
          stays, and so does a zero that equals a bound.]] },
      { "square", "x", "`x * x`." },
      { "reciprocal", "x", "`1 / x`; truncated for integers." },
      { "abs", "x", "The absolute value; real for complex numbers. The least integer stays." },
      { "sign", "x", "-1, 0 or 1; NaN stays; `z / abs(z)` for complex numbers." },
    }),
    group("Bits", true, nil, {
      { "bitwise_and", "x y", "And, of integers or booleans.", "x & y" },
      { "bitwise_or", "x y", "Or, of integers or booleans.", "x | y" },
      { "bitwise_xor", "x y", "Exclusive or, of integers or booleans.", "x ~ y" },
      { "bitwise_not", "x", "Complement, of integers or booleans.", "~x" },
      { "left_shift", "x y",
        [[Shift to the left, of integers; 0 if `y` is negative or not less than the number of
          bits.]], "x << y" },
      { "right_shift", "x y",
        [[Arithmetic shift to the right, of integers; 0, or -1 for negative `x`, if `y` is negative
          or not less than the number of bits.]], "x >> y" },
    }),
    group("Comparison and logic", true, [[
      The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
      compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
      numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
      greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
      comparisons with NaN are false.]], {
      { "eq", "x y", "Equal." },
      { "ne", "x y", "Not equal; true for NaN." },
      { "lt", "x y", "Less than." },
      { "le", "x y", "Less than or equal." },
      { "gt", "x y", "Greater than." },
      { "ge", "x y", "Greater than or equal." },
      { "logical_and", "x y", "Both are not zero." },
      { "logical_or", "x y", "At least one is not zero." },
      { "logical_xor", "x y", "Exactly one is not zero." },
      { "logical_not", "x", "Zero." },
      { "isnan", "x", "NaN; for complex numbers in either part." },
      { "isinf", "x", "Infinite; for complex numbers in either part." },
      { "isfinite", "x", "Neither infinite nor NaN." },
      { "signbit", "x", "The sign bit is set, as in -0.0; complex numbers raise." },
    }),
    group("Choice and functions of two arguments", true, nil, {
      { "where", "condition x? y?", [[`x` where the condition is not zero, else `y`. An array alone
        gives the indices of its elements that are not zero, as `nonzero` does.]] },
      { "hypot", "x y", "`sqrt(x * x + y * y)` without overflow in between." },
      { "atan2", "y x", "The angle of the point (`x`, `y`) in radians, from -pi to pi." },
      { "copysign", "x y", "`x` with the sign of `y`." },
      { "fmod", "x y", "The remainder with the sign of `x`, as in C." },
    }),
    group("Powers and logarithms", true, nil, {
      { "sqrt", "x", "The square root." },
      { "cbrt", "x", "The cube root; complex numbers raise." },
      { "exp", "x", "e to the power of `x`." },
      { "exp2", "x", "2 to the power of `x`." },
      { "expm1", "x", "`exp(x) - 1`, accurate near 0." },
      { "log", "x", "The natural logarithm." },
      { "log2", "x", "The logarithm to base 2." },
      { "log10", "x", "The logarithm to base 10." },
      { "log1p", "x", "`log(1 + x)`, accurate near 0." },
    }),
    group("Trigonometry", true, "Angles are in radians.", {
      { "sin", "x", "The sine." }, { "cos", "x", "The cosine." }, { "tan", "x", "The tangent." },
      { "asin", "x", "The inverse sine." }, { "acos", "x", "The inverse cosine." },
      { "atan", "x", "The inverse tangent." },
      { "sinh", "x", "The hyperbolic sine." }, { "cosh", "x", "The hyperbolic cosine." },
      { "tanh", "x", "The hyperbolic tangent." },
      { "asinh", "x", "The inverse hyperbolic sine." },
      { "acosh", "x", "The inverse hyperbolic cosine." },
      { "atanh", "x", "The inverse hyperbolic tangent." },
      { "deg2rad", "x", "Degrees converted to radians." },
      { "rad2deg", "x", "Radians converted to degrees." },
    }),
    group("Rounding", true, nil, {
      { "floor", "x", "Rounded down; integers stay." },
      { "ceil", "x", "Rounded up; integers stay." },
      { "trunc", "x", "Rounded towards zero; integers stay." },
      { "rint", "x",
        "Rounded to the nearest integer, halves to the even one; integers become floats." },
      { "round", "x decimals",
        [[Rounded to so many decimals, halves to the even digit. Integers stay; -1 rounds them to
          tens, -2 to hundreds. `decimals` may be an option.]] },
    }),
    group("Complex numbers", true, nil, {
      { "real", "x", "The real part; real arrays stay." },
      { "imag", "x", "The imaginary part; 0 for real arrays." },
      { "conj", "x", "The complex conjugate; real arrays stay." },
      { "angle", "x", "The angle in radians, from -pi to pi." },
    }),
    group("Special functions", true, "Complex numbers raise.", {
      { "erf", "x", "The error function." },
      { "erfc", "x", "`1 - erf(x)`, accurate for large `x`." },
      { "tgamma", "x", "The gamma function." },
      { "lgamma", "x", "`log(abs(tgamma(x)))`." },
    }),
  },
}

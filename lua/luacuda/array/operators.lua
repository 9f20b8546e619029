-- operators.lua: arithmetic, comparison, bit and logical operators of arrays: NumPy's functions by
-- name, and the metamethods for `a + b` and the like. docs/design/promotion.md lists the types of
-- results.

local ufunc = require "luacuda.array.ufunc"
local arguments = require "luacuda.base.arguments"
local options_of = require "luacuda.base.either"

ufunc.add_helpers(require "luacuda.array.operators_source")

-- Lua's operator -> the function that it calls.
local METAMETHODS = {
  __add = "add", __sub = "subtract", __mul = "multiply", __div = "divide", __idiv = "floor_divide",
  __mod = "mod", __pow = "power", __unm = "negative", __band = "bitwise_and", __bor = "bitwise_or",
  __bxor = "bitwise_xor", __bnot = "bitwise_not", __shl = "left_shift", __shr = "right_shift",
}

local ONE, TWO = { "x" }, { "x", "y" }
local NO_DIFFERENCE = { bool = "booleans have no difference; use bitwise_xor (~) or logical_xor" }
local NO_EXPONENT = {
  y = "is not an exponent for integers, which take 0 to 4294967295; convert the base first: "
    .. "a:astype(\"float64\")" }
-- Texts for numbers as exponents: choosing between them by element would cost as much as a tenth of
-- the general function.
local EXPONENTS = { [2] = "a * a", [3] = "a * a * a", [-1] = "T(1) / a",
  [0.5] = "a > T(0) ? sqrt(a) : pow(a, b)", other = "pow(a, b)" }
local NO_NEGATIVE = { bool = "booleans have no negative; use logical_not or bitwise_not (~)" }

local rows = {
  add = { params = TWO, result = "same", bool = "a || b", int = "_lcu_wrapped<T>(U(a) + U(b))",
    float = "a + b", complex = "a + b" },
  subtract = { params = TWO, result = "same", refuse = NO_DIFFERENCE,
    int = "_lcu_wrapped<T>(U(a) - U(b))", float = "a - b", complex = "a - b" },
  multiply = { params = TWO, result = "same", bool = "a && b", int = "_lcu_wrapped<T>(U(a) * U(b))",
    float = "a * b", complex = "a * b" },
  divide = { params = TWO, result = "quotient", float = "a / b", complex = "a / b" },
  floor_divide = { params = TWO, result = "number", int = "_lcu_floor_divide_int<T>(a, b)",
    float = "_lcu_floor_divide_float<T>(a, b)" },
  mod = { params = TWO, result = "number", int = "_lcu_mod_int<T>(a, b)",
    float = "_lcu_mod_float<T>(a, b)" },
  power = { params = TWO, result = "power", misfit = NO_EXPONENT, int = "_lcu_power_int<U>(a, y)",
    float = "_lcu_power_float<T>(a, b)", complex = "pow(a, b)", numbers = EXPONENTS },
  negative = { params = ONE, result = "same", refuse = NO_NEGATIVE,
    int = "_lcu_negated<T>(a)", float = "-a", complex = "-a" },

  bitwise_and = { params = TWO, result = "same", bool = "a && b", int = "T(a & b)" },
  bitwise_or = { params = TWO, result = "same", bool = "a || b", int = "T(a | b)" },
  bitwise_xor = { params = TWO, result = "same", bool = "a != b", int = "T(a ^ b)" },
  bitwise_not = { params = ONE, result = "same", bool = "!a", int = "T(~a)" },
  left_shift = { params = TWO, result = "shift",
    int = "(unsigned long long)y < 8 * sizeof(T) ? T(U(a) << (unsigned int)y) : T(0)" },
  right_shift = { params = TWO, result = "shift",
    int = "(unsigned long long)y < 8 * sizeof(T) ? T(a >> (unsigned int)y)"
      .. " : T(_lcu_is_negative(a) ? -1 : 0)" },

  eq = { params = TWO, result = "compare", int = "_lcu_eq_int(x, y)", float = "a == b",
    mixed = "_lcu_order(x, y) == 0", complex = "a == b" },
  ne = { params = TWO, result = "compare", int = "_lcu_ne_int(x, y)", float = "a != b",
    mixed = "_lcu_order(x, y) != 0", complex = "a != b" },
  lt = { params = TWO, result = "compare", int = "_lcu_lt_int(x, y)", float = "a < b",
    mixed = "_lcu_order(x, y) == -1", complex = "_lcu_lt_complex(a, b)" },
  le = { params = TWO, result = "compare", int = "_lcu_le_int(x, y)", float = "a <= b",
    mixed = "_lcu_order(x, y) <= 0", complex = "_lcu_le_complex(a, b)" },
  gt = { params = TWO, result = "compare", int = "_lcu_gt_int(x, y)", float = "a > b",
    mixed = "_lcu_order(x, y) == 1", complex = "_lcu_gt_complex(a, b)" },
  ge = { params = TWO, result = "compare", int = "_lcu_ge_int(x, y)", float = "a >= b",
    mixed = "_lcu_order(y, x) <= 0", complex = "_lcu_ge_complex(a, b)" },

  logical_and = { params = TWO, result = "truth", any = "bool(x) && bool(y)" },
  logical_or = { params = TWO, result = "truth", any = "bool(x) || bool(y)" },
  logical_xor = { params = TWO, result = "truth", any = "bool(x) != bool(y)" },
  logical_not = { params = ONE, result = "truth", any = "!bool(x)" },

  maximum = { params = TWO, result = "same", bool = "a || b", int = "a >= b ? a : b",
    float = "_lcu_maximum(a, b)", complex = "_lcu_maximum_complex(a, b)" },
  minimum = { params = TWO, result = "same", bool = "a && b", int = "a <= b ? a : b",
    float = "_lcu_minimum(a, b)", complex = "_lcu_minimum_complex(a, b)" },
  fmax = { params = TWO, result = "same", bool = "a || b", int = "a >= b ? a : b",
    float = "fmax(a, b)" },
  fmin = { params = TWO, result = "same", bool = "a && b", int = "a <= b ? a : b",
    float = "fmin(a, b)" },

  clip = { params = { "x", "lo", "hi" }, result = "same", bool = "(a || b) && c",
    int = "a < b ? (b < c ? b : c) : (a < c ? a : c)",
    float = "_lcu_clip<T>(a, b, c)",
    complex = "_lcu_minimum_complex(_lcu_maximum_complex(a, b), c)" },
  where = { params = { "condition", "x", "y" }, result = "choice", any = "bool(x) ? b : c" },
}

local either, is_options = options_of.either, options_of.is_options

local exports = ufunc.exports(rows, METAMETHODS)

local clip, where = exports.clip, exports.where

-- The bounds and the options of a call that gives bounds as options. The options are `given`, or in
-- the place of a bound.
local function named_bounds(lo, hi, given)
  if is_options(lo) then lo, hi, given = nil, nil, given or hi or lo
  elseif is_options(hi) then hi, given = nil, given or hi
  end
  lo, given = either("clip", "argument 2 'lo'", "lo", lo, given)
  hi, given = either("clip", "argument 3 'hi'", "hi", hi, given)
  return lo, hi, given
end

local function has_bounds(options)
  return rawget(options, "lo") ~= nil or rawget(options, "hi") ~= nil
end

-- clip(x, lo, hi [, options]); a bound may be nil or an option.
function exports.clip(x, lo, hi, ...)
  local given = ...
  if is_options(lo) or is_options(hi) or type(given) == "table" and has_bounds(given) then
    return exports.clip(x, named_bounds(lo, hi, given))
  end
  if lo == nil and hi ~= nil then return exports.minimum(x, hi, ...) end
  if hi == nil and lo ~= nil then return exports.maximum(x, lo, ...) end
  return clip(x, lo, hi, ...)
end

-- where(condition, x, y [, options]); where(condition [, options]) is nonzero.
function exports.where(condition, x, y, ...)
  local alone = y == nil and (x == nil or type(x) == "table" and getmetatable(x) == nil)
  if alone and arguments.open_type(condition) == "array" then
    if select("#", ...) > 0 then arguments.fail("where", "too many arguments") end
    return require("luacuda.array.select").nonzero(condition, x)
  end
  return where(condition, x, y, ...)
end

return exports

-- Random expressions for jit_fuzz: each kind of value has forms whose operands are random.
--
-- kind   value                       in the kernel
-- I      integer                     a Lua integer
-- E      integer                     int64
-- F      float                       a Lua float
-- D      float                       float64
-- B      boolean                     bool
-- C      complex                     complex128
-- int8 ... uint32, float16, float32, that dtype; every operation is inside a conversion, with which
-- complex64                          plain Lua rounds or wraps around as the kernel does
--
-- What kernels compute in another way than Lua (docs/design/jit.md) is not generated: `>>` and
-- distances outside 0 to 63 with int64, `//` with float64, division by the integer 0.
local M = {}

M.NARROW = { "int8", "int16", "int32", "uint8", "uint16", "uint32" }
M.SMALL_FLOATS = { "float16", "float32" }
M.SMALL_OTHERS = { "float16", "float32", "complex64" }

local KINDS = { int8 = "N", int16 = "N", int32 = "N", uint8 = "N", uint16 = "N", uint32 = "N",
  float16 = "S", float32 = "S", complex64 = "Z" }

local INTEGERS = { "0", "1", "2", "3", "7", "8", "16", "63", "64", "-1", "-5", "1000",
  "2147483647", "-2147483648", "4294967296", "math.maxinteger", "math.mininteger", "i", "i", "p",
  "q", "#oi", "K", "#T" }
local FLOATS = { "0.5", "2.0", "-1.25", "1e10", "1e308", "-0.0", "3.0", "math.huge", "math.pi",
  "a", "a", "b", "b", "R" }
local DIVISORS = { "2", "3", "3", "7", "10", "-7", "16", "5", "-1", "-8", "1 << 40" }
local COMPARE = { "<", "<=", ">", ">=", "==", "~=" }

local function pick(g, list) return list[g.rng(#list) + 1] end
local function chance(g, percent) return g.rng(100) < percent end
M.pick, M.chance = pick, chance

-- The name of a variable of the kind, or nil.
function M.variable(g, kind, assignable)
  local found = {}
  for _, var in ipairs(g.vars) do
    if var.kind == kind and not (assignable and var.const) then found[#found + 1] = var.name end
  end
  return found[1] and pick(g, found)
end

local function value(g, kind, d) return M.expression(g, kind, d) end

-- An operand of int64 or float64 may be Lua's own number.
local function either(g, kind, d)
  local own = kind == "E" and "I" or kind == "D" and "F"
  return value(g, own and chance(g, 30) and own or kind, d)
end

local function infix(operators)
  return function(g, kind, d)
    return ("(%s %s %s)"):format(value(g, kind, d), pick(g, operators), either(g, kind, d))
  end
end

local function choice(g, kind, d)
  return ("(%s and %s or %s)"):format(value(g, "B", d), value(g, kind, d), either(g, kind, d))
end

local function call(names)
  return function(g, kind, d)
    return ("math.%s(%s, %s)"):format(pick(g, names), value(g, kind, d), either(g, kind, d))
  end
end

local function small(g, d)
  return ("(%s & %s)"):format(value(g, "I", d), pick(g, { "1", "3", "7" }))
end

-- An integer on one side of 0 or the other, of a known range.
local function near_zero(g, d)
  return ("(%s - %d)"):format(small(g, d), pick(g, { 1, 1, 2, 4, 7 }))
end

local function divisor(g, d)
  if chance(g, 50) then return "(" .. pick(g, DIVISORS) .. ")" end
  return ("(%s | 1)"):format(chance(g, 50) and near_zero(g, d) or value(g, "I", d))
end

local function dividend(g, kind, d)
  if chance(g, 50) then return value(g, kind, d) end
  local text = chance(g, 70) and near_zero(g, d) or "(-" .. 1 + g.rng(9) .. ")"
  return kind == "E" and ("int64(%s)"):format(text) or text
end

local function integer_division(g, kind, d)
  return ("(%s %s %s)"):format(dividend(g, kind, d), pick(g, { "//", "%" }), divisor(g, d))
end

local function sign(g, kind, d)
  return ("(%s %s)"):format(pick(g, { "-", "~" }), value(g, kind, d))
end

-- A remainder of zero has the sign of the divisor in kernels, as in arrays.
local function remainder(g, kind, d)
  return ("(%s %% %s + 0.0)"):format(value(g, kind, d), either(g, kind, d))
end

local function absolute(g, kind, d) return ("math.abs(%s)"):format(value(g, kind, d)) end

-- An atomic operation on what only this thread has: its result is known.
local function atomic(names, array, own)
  return function(g, kind, d)
    if g.of_elements then return value(g, kind, d) end
    return ("atomic_%s(%s, i, %s)"):format(pick(g, names), array, value(g, own, d))
  end
end

local forms = {}

forms.I = {
  infix{ "+", "-", "*", "&", "|", "~" }, infix{ "+", "-", "*", "&", "|", "~" }, choice, sign,
  absolute, call{ "max", "min" }, integer_division, infix{ "<<", ">>" }, infix{ "<<", ">>" },
  function(g, _, d) return ("math.fmod(%s, %s)"):format(dividend(g, "I", d), divisor(g, d)) end,
  function(g, _, d)
    return ("math.%s(math.max(-1e6, math.min(1e6, %s)))"):format(pick(g, { "floor", "ceil" }),
      value(g, chance(g, 50) and "F" or "D", d))
  end,
  function(g, _, d) return ("T[%s + 1]"):format(small(g, d)) end,
  function(g, _, d) -- powers have an error of some units in the last place
    return ("math.floor((%s ^ %s) + 0.5)"):format(small(g, d), small(g, d))
  end,
  function(g, _, d)
    return ("(%s(%s, %s))"):format(pick(g, g.functions), value(g, "I", d), value(g, "F", d))
  end,
  function(g, _, d) return ("math.tointeger(%s)"):format(value(g, "I", d)) end,
  function(g, _, d)
    if g.of_elements then return value(g, "I", d) end
    return ("%s(%s)"):format(pick(g, { "popc", "clz" }), value(g, "I", d))
  end,
}

forms.E = {
  infix{ "+", "-", "*", "&", "|", "~" }, infix{ "+", "-", "*", "&", "|", "~" }, choice, sign,
  absolute, call{ "max", "min" }, integer_division,
  function(g, _, d) return ("(%s << %d)"):format(value(g, "E", d), g.rng(64)) end,
  function(g, _, d) return ("m[i][%s + 1]"):format(small(g, d)) end,
  function(g, _, d) return ("t[%s + 1]"):format(small(g, d)) end,
  function(g, _, d)
    if not g.narrow then return value(g, "E", d) end
    return ("int64(%s)"):format(value(g, pick(g, M.NARROW), d))
  end,
  atomic({ "add", "sub", "max", "min", "and", "or", "xor", "exch" }, "s", "I"),
  function(g, _, d)
    if g.of_elements then return value(g, "E", d) end
    return ("atomic_cas(s, i, %s, %s)"):format(chance(g, 50) and "s[i]" or value(g, "E", d),
      value(g, "I", d))
  end,
}

forms.F = {
  infix{ "+", "-", "*", "/" }, infix{ "+", "-", "*", "/" }, infix{ "//" }, remainder, choice,
  absolute,
  call{ "max", "min", "fmod" },
  function(g, _, d) return ("(- %s)"):format(value(g, "F", d)) end,
  function(g, _, d) return ("math.sqrt(math.abs(%s))"):format(value(g, "F", d)) end,
  function(g, _, d) return ("(%s / %s)"):format(value(g, "I", d), value(g, "I", d)) end,
  function(g, _, d) return ("(%s %s 0.5)"):format(value(g, "I", d), pick(g, { "*", "+" })) end,
}

forms.D = {
  infix{ "+", "-", "*", "/" }, infix{ "+", "-", "*", "/" }, remainder, choice, absolute,
  call{ "max", "min" },
  function(g, _, d) return ("(- %s)"):format(value(g, "D", d)) end,
  function(g, _, d) return ("math.sqrt(math.abs(%s))"):format(value(g, "D", d)) end,
  function(g, _, d) return ("float64(%s)"):format(value(g, chance(g, 50) and "E" or "I", d)) end,
  function(g, _, d) return ("w[%s + 1]"):format(small(g, d)) end,
  function(g, _, d)
    if not g.narrow then return value(g, "D", d) end
    return ("float64(%s)"):format(value(g, pick(g, M.SMALL_FLOATS), d))
  end,
  function(g, _, d)
    return ("cuda.%s(%s)"):format(pick(g, { "real", "imag" }), value(g, "C", d))
  end,
  function(g, _, d)
    if not g.narrow or chance(g, 50) then
      return ("(%s).%s"):format(value(g, "C", d), pick(g, { "re", "im" }))
    end
    return ("float64((%s).%s)"):format(value(g, "complex64", d), pick(g, { "re", "im" }))
  end,
  atomic({ "add", "exch" }, "sf", "F"),
}

-- The other operand of an operation with a complex number.
local function real_or_complex(g, d) return value(g, pick(g, { "C", "C", "D", "F" }), d) end

local function complex_infix(g, _, d)
  local x, y = value(g, "C", d), real_or_complex(g, d)
  if chance(g, 30) then x, y = y, x end
  return ("(%s %s %s)"):format(x, pick(g, { "+", "-", "*", "/" }), y)
end

forms.C = {
  complex_infix, complex_infix, complex_infix,
  function(g, _, d)
    return ("(%s and %s or %s)"):format(value(g, "B", d), value(g, "C", d), value(g, "C", d))
  end,
  function(g, _, d) return ("(- %s)"):format(value(g, "C", d)) end,
  function(g, _, d) return ("cuda.conj(%s)"):format(value(g, "C", d)) end,
  function(g, _, d)
    return ("complex128(%s, %s)"):format(value(g, "D", d), value(g, pick(g, { "D", "F" }), d))
  end,
}

local function comparison(g, _, d)
  local op = pick(g, COMPARE)
  return ("(%s %s %s)"):format(value(g, pick(g, { "I", "E", "F", "D" }), d), op,
    value(g, pick(g, { "I", "E", "F", "D" }), d))
end

forms.B = {
  comparison, comparison, comparison, infix{ "and", "or" }, infix{ "==", "~=" },
  function(g, _, d) return ("(not %s)"):format(value(g, "B", d)) end,
  function(g, _, d) return ("math.ult(%s, %s)"):format(value(g, "I", d), value(g, "I", d)) end,
  function(g, _, d) -- a sum, since the same object of Lua equals itself even with NaN
    return ("(%s + 0.0 %s %s)"):format(value(g, "C", d), pick(g, { "==", "~=" }),
      value(g, "C", d))
  end,
  function(g, _, d)
    if not g.narrow then return comparison(g, nil, d) end
    local kind = pick(g, M.NARROW)
    return ("(%s %s %s)"):format(value(g, kind, d), pick(g, COMPARE),
      value(g, chance(g, 50) and kind or pick(g, M.NARROW), d))
  end,
}

local function converted(operators)
  return function(g, kind, d)
    return ("%s(%s %s %s)"):format(kind, value(g, kind, d), pick(g, operators), value(g, kind, d))
  end
end

forms.N = {
  converted{ "+", "-", "*", "&", "|", "~" }, converted{ "+", "-", "*" }, choice,
  function(g, kind, d)
    return ("%s(%s %s (%s | 1))"):format(kind, value(g, kind, d), pick(g, { "//", "%" }),
      value(g, kind, d))
  end,
  function(g, kind, d) return ("%s(%s)"):format(kind, value(g, pick(g, { "I", "E" }), d)) end,
  function(g, kind, d) return ("%s(%s)"):format(kind, value(g, pick(g, M.NARROW), d)) end,
  function(g, kind, d) return ("%s(- %s)"):format(kind, value(g, kind, d)) end,
}

forms.S = {
  converted{ "+", "-", "*" }, converted{ "+", "-", "*" }, choice, absolute,
  function(g, kind, d) return ("%s(- %s)"):format(kind, value(g, kind, d)) end,
}

forms.Z = {
  converted{ "+", "-" }, converted{ "+", "-" }, choice,
  function(g, kind, d) return ("%s(%s)"):format(kind, value(g, "C", d)) end,
  function(g, kind, d) return ("%s(- %s)"):format(kind, value(g, kind, d)) end,
  function(g, kind, d) return ("cuda.conj(%s)"):format(value(g, kind, d)) end,
}

local LEAVES = {
  I = function(g) return pick(g, INTEGERS) end,
  E = function(g)
    return pick(g, { "n[i]", "n[i]", "m[i][2]", "m[i][-1]", "s[i]", "t[-1]", "t[2]" })
  end,
  F = function(g) return pick(g, FLOATS) end,
  D = function(g) return pick(g, { "f[i]", "f[i]", "w[1]", "w[-2]", "sf[i]" }) end,
  B = function(g) return pick(g, { "c[i]", "(i > 5)", "true", "(p < q)" }) end,
  C = function(g) return pick(g, { "zc[i]", "zc[i]", "complex128(f[i], 2)" }) end,
}

local function leaf(g, kind)
  local name = chance(g, 60) and M.variable(g, kind)
  if name then return name end
  if LEAVES[kind] then return LEAVES[kind](g) end
  if KINDS[kind] == "N" and chance(g, 30) then return ("%s(%s)"):format(kind, pick(g, INTEGERS)) end
  return "x_" .. kind .. "[i]"
end

-- expressions.expression(g, kind, depth) -> text
function M.expression(g, kind, d)
  if d <= 0 or chance(g, 15) then return leaf(g, kind) end
  return pick(g, forms[KINDS[kind] or kind])(g, kind, d - 1)
end

return M

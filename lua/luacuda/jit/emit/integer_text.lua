-- integer_text.lua: C++ for arithmetic of Lua integers. It wraps around at 64 bits; where the
-- range of a value is known, 32 bits or plain 64-bit operators give the same.

local ufunc_source = require "luacuda.array.ufunc_source"
local nodes = require "luacuda.jit.typed.nodes"
local rows = require "luacuda.jit.typed.rows"

local M = {}

local SYMBOLS = { add = "+", sub = "-", mul = "*", band = "&", bor = "|", bxor = "~" }
local C_SYMBOLS = { add = "+", sub = "-", mul = "*", band = "&", bor = "|", bxor = "^" }

-- Is the C++ text of an integer of 32 bits?
local function is_int32(e)
  if e.op == "const" or e.op == "text" or e.op == "var" or e.op == "extent" then
    return nodes.is_narrow(e)
  end
  if e.op == "int" then
    return (e.narrow or nodes.is_narrow(e)) and is_int32(e.a) and is_int32(e.b)
  end
  if e.op == "select" then return is_int32(e.a) and is_int32(e.b) end
  if e.op == "prefix" or e.op == "convert" and e.bare then return is_int32(e.a) end
  return false
end
M.is_int32 = is_int32

-- Operands of a 64-bit operator: one of them must have 64 bits.
local function widened(em, e, plain)
  local a, b = em:operands({ e.a, e.b }, plain)
  if is_int32(e.a) and is_int32(e.b) then a = "(int64)" .. a end
  return a, b
end

local function is_const(e, value) return e.op == "const" and e.value == value end

-- What is negated in 0 - x and x * -1.
local function negated(e)
  if e.fn == "sub" then return is_const(e.a, 0) and e.b end
  if e.fn ~= "mul" then return end
  return is_const(e.b, -1) and e.a or is_const(e.a, -1) and e.b
end

local BITS = { band = true, bor = true, bxor = true }

local function infix(em, e, plain)
  local symbol, bits = C_SYMBOLS[e.fn], BITS[e.fn]
  plain = plain and not bits -- (i + i) & 7 is valid where i + i overflows
  if is_int32(e) then
    local a, b = em:operands({ e.a, e.b }, plain)
    return ("%s %s %s"):format(a, symbol, b)
  end
  local a, b = widened(em, e, plain)
  if bits or plain or nodes.is_bounded(e) then
    return ("%s %s %s"):format(a, symbol, b)
  end
  if negated(e) then
    em.unit:need{ ufunc_source._lcu_negated }
    return ("_lcu_negated<int64>(%s)"):format(negated(e) == e.a and a or b), true
  end
  em.unit:need{ "_lcu_" .. e.fn }
  return ("_lcu_%s(%s, %s)"):format(e.fn, a, b), true
end

local function power_of_two(v) return v > 0 and v & (v - 1) == 0 end

local function log2(v)
  local n = 0
  while v > 1 do v, n = v >> 1, n + 1 end
  return n
end

local ROW = { idiv = "floor_divide", mod = "mod" }
local PLAIN = { idiv = "/", mod = "%" }

-- Division rounds down; C++'s does where nothing is negative.
local function division(em, e)
  local b = e.b.op == "const" and e.b.value
  if b and power_of_two(b) then
    local a = em:operands{ e.a }
    if e.fn == "idiv" then
      local n = log2(b)
      return n == 0 and a or ("%s%s >> %d"):format(n > 31 and "(int64)" or "", a, n)
    end
    return ("%s & %s"):format(a, em:atom(nodes.const("int", b - 1)))
  end
  local lo = nodes.range(e.a)
  if b and b > 0 and lo >= 0 then
    local a, c = em:operands{ e.a, e.b }
    return ("%s %s %s"):format(a, PLAIN[e.fn], c)
  end
  local dtype = is_int32(e.a) and is_int32(e.b) and nodes.is_narrow(e) and "int32" or "int64"
  local fn, texts = rows.exact(ROW[e.fn], dtype)
  em.unit:need(texts)
  local x, y = em:operands{ e.a, e.b }
  return ("%s(%s, %s)"):format(fn, x, y), true
end

local function shift(em, e)
  local n = e.b.op == "const" and e.b.value
  local lo = nodes.range(e.a)
  if n and n >= 0 and n < 64 then
    local a = em:operands{ e.a }
    if e.fn == "shr" and lo >= 0 and (n < 31 or not is_int32(e.a)) then
      return ("%s >> %d"):format(a, n)
    end
    return ("(int64)((uint64)(int64)%s %s %d)"):format(a, e.fn == "shl" and "<<" or ">>", n)
  end
  em.unit:need{ "_lcu_" .. e.fn }
  local a, b = em:operands{ e.a, e.b }
  return ("_lcu_%s(%s, %s)"):format(e.fn, a, b), true
end

local function extreme(em, e)
  local fn = "_lcu_lua_" .. e.fn
  em.unit:need{ fn }
  local a, b = em:operands{ e.a, e.b }
  return ("%s<%s>(%s, %s)"):format(fn, is_int32(e) and "int32" or "int64", a, b), true
end

local special = { idiv = division, mod = division, shl = shift, shr = shift, min = extreme,
  max = extreme }

-- text(em, e, plain) -> C++ text, is it an atom? `plain`: overflow means an invalid index anyway.
function M.text(em, e, plain)
  if SYMBOLS[e.fn] then return infix(em, e, plain) end
  return special[e.fn](em, e)
end

return M

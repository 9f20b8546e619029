-- traced_numbers.lua: Lua's operators on numbers during a trace: what they give is computed by Lua
-- at each call.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail
local record = require "luacuda.fuse.trace_record"

local value_of, add_node, shown = record.value_of, record.add_node, record.shown
local trace_of, kind_of = record.trace_of, record.kind_of
local node_of, code_of_number = record.node_of, record.code_of_number

local M = {}

-- Metamethod -> sign, name of the function of arrays.
M.ARITHMETIC = {
  __add = { "+", "add" },
  __sub = { "-", "subtract" },
  __mul = { "*", "multiply" },
  __div = { "/", "divide" },
  __idiv = { "//", "floor_divide" },
  __mod = { "%", "mod" },
  __pow = { "^", "power" },
  __unm = { "-", "negative" },
  __band = { "&", "bitwise_and" },
  __bor = { "|", "bitwise_or" },
  __bxor = { "~", "bitwise_xor" },
  __bnot = { "~", "bitwise_not" },
  __shl = { "<<", "left_shift" },
  __shr = { ">>", "right_shift" },
}
local ONE = { __unm = true, __bnot = true }
local FLOAT = { __div = true, __pow = true }
local BITS = { __band = true, __bor = true, __bxor = true, __bnot = true, __shl = true,
  __shr = true }

-- The kind of number that Lua's operator gives for numbers of these kinds.
local function host_kind(event, a, b)
  if a == "complex" or b == "complex" then return "complex" end
  if BITS[event] then return "int" end
  return (FLOAT[event] or a == "float" or b == "float") and "float" or "int"
end

-- A Lua expression of a number, traced or not.
local function code_of(trace, v)
  local node = node_of(v)
  if node then return code_of_number(node) end
  if math.type(v) == "integer" then
    return v == math.mininteger and "math.mininteger" or ("(%d)"):format(v)
  end
  table.insert(trace.constants, v)
  return ("k[%d]"):format(#trace.constants)
end

local function number_key(v)
  local node = node_of(v)
  if node then return "#" .. node.order end
  if core.type(v) == "complex" then return ("%a,%a"):format(v.re, v.im) end
  return math.type(v) == "integer" and tostring(v) or ("%a"):format(v)
end

local function is_staged(v)
  local node = node_of(v)
  return node and node.staged
end

-- apply(event, x, y) -> the number that the operator of a metamethod gives
function M.apply(event, x, y)
  local sign, name = table.unpack(M.ARITHMETIC[event])
  local trace = trace_of(name, { x, y }, 2)
  for i, v in ipairs { x, y } do
    if kind_of(v) == "bool" then fail(name, "argument %d: expected a number, got a boolean", i) end
  end
  local key = ("%s %s %s"):format(event, number_key(x), number_key(y))
  local known = trace.known[key]
  if not known then
    local text = ONE[event] and sign .. shown(x) or ("(%s %s %s)"):format(shown(x), sign, shown(y))
    local code = ONE[event] and ("(%s%s)"):format(sign, code_of(trace, x))
      or ("(%s %s %s)"):format(code_of(trace, x), sign, code_of(trace, y))
    known = add_node(trace, { host_kind = host_kind(event, kind_of(x), kind_of(y)), name = "number",
      shown = text, code = code, staged = is_staged(x) or is_staged(y) })
    trace.known[key] = known
  end
  return value_of(known)
end

return M

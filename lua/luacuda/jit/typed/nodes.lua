-- nodes.lua: the typed tree that inference makes and emission writes as CUDA C++: its expressions,
-- conversions, and what is known about the range of integers.
--
-- An expression: { op =, type =, effect = may its evaluation change or order memory? } and
--   const      value                       text       text, lo, hi: C++ that names a value
--   var        slot                        convert    a
--   infix      symbol, a, b                prefix     symbol, a
--   int        fn ("add" ...), a, b        of Lua integers: wraps around, narrow where provable
--   call       fn, args, texts             a C++ function and the definitions it needs
--   device     instance, args, captured    a function written in Lua; `results`: their types
--   load       array, indices              row        array, indices: fewer than the axes
--   extent     array, axis                 select     cond, a, b
--   logic      symbol ("&&" or "||"), a, b field      a, name

local core = require "luacuda.core"
local dtypes = require "luacuda.base.dtypes"
local types = require "luacuda.jit.typed.value_types"

local M = {}

-- The most elements of a small array, threads along an axis of a small grid, and blocks that are
-- few (lcul_jit_scale.h).
local limits = core.jit_limits
M.SMALL, M.SMALL_GRID, M.FEW_BLOCKS = limits.array + 0.0, limits.threads + 0.0, limits.blocks + 0.0

function M.const(type, value) return { op = "const", type = type, value = value } end

local CONSTANTS = { integer = "int!", float = "float" }

-- The constant of a Lua value; nil for values that are none.
function M.literal(v)
  if type(v) == "number" then return M.const(CONSTANTS[math.type(v)], v) end
  if type(v) == "boolean" then return M.const("bool", v) end
  if type(v) == "string" then return M.const("string", v) end
end

function M.text(type, text, lo, hi)
  return { op = "text", type = type, text = text, lo = lo, hi = hi }
end

local function any_effect(args)
  for _, e in ipairs(args) do
    if e.effect then return true end
  end
end

function M.call(type, fn, args, texts, effect)
  return { op = "call", type = type, fn = fn, args = args, texts = texts, own_effect = effect,
    effect = effect or any_effect(args) }
end

local function binary(op, type, field, word, a, b)
  return { op = op, type = type, [field] = word, a = a, b = b, effect = a.effect or b.effect }
end
function M.infix(type, symbol, a, b) return binary("infix", type, "symbol", symbol, a, b) end
function M.logic(symbol, a, b) return binary("logic", "bool", "symbol", symbol, a, b) end
function M.int(type, fn, a, b) return binary("int", type, "fn", fn, a, b) end

function M.prefix(type, symbol, a)
  return { op = "prefix", type = type, symbol = symbol, a = a, effect = a.effect }
end

function M.var(slot) return { op = "var", type = slot.type, slot = slot } end

function M.select(type, cond, a, b)
  return { op = "select", type = type, cond = cond, a = a, b = b,
    effect = cond.effect or a.effect or b.effect }
end

function M.load(type, array, indices)
  return { op = "load", type = type, array = array, indices = indices,
    effect = array.effect or any_effect(indices) }
end

function M.row(type, array, indices)
  return { op = "row", type = type, array = array, indices = indices,
    effect = array.effect or any_effect(indices) }
end

-- unfolded(e) -> the array that a row is taken from, and the indices of the row
function M.unfolded(e)
  if e.op ~= "row" then return e, {} end
  return e.array, table.move(e.indices, 1, #e.indices, 1, {})
end

function M.field(type, a, name)
  return { op = "field", type = type, a = a, name = name, effect = a.effect }
end

-- The extent of an axis, an integer where it is known.
function M.extent(array, axis)
  local shape = array.type.shape
  if shape then return M.const("int!", shape[axis]) end
  return { op = "extent", type = "int", array = array, axis = axis }
end

-- Conversion --------------------------------------------------------------------------------------

local function is_wide(t) return types.dtype_of(t) == "int64" end

local function const_converted(e, t)
  local kind, value = types.kind_of(t), e.value
  if type(value) ~= "number" or kind == "complex" then return nil end
  if kind == "float" then return M.const(t, value * 1.0) end
  if math.type(value) == "integer" and (kind == "int" or kind == "uint") then
    local bits = 8 * dtypes.of(types.dtype_of(t)).size
    local v = value & (-1 >> (64 - bits))
    if kind == "int" and bits < 64 and v >> (bits - 1) ~= 0 then v = v - (1 << bits) end
    return M.const(t, v)
  end
end

-- What math.floor and math.ceil give where a float is wanted, as in Lua: NaN, infinities and
-- numbers beyond 64 bits are unchanged.
local ROUNDED = { _lcu_floor_int = "_lcu_floor_float", _lcu_ceil_int = "_lcu_ceil_float" }

-- convert(e, type) -> an expression of exactly this type; both are scalars
function M.convert(e, t)
  if e.type == t then return e end
  local rounded = e.op == "call" and ROUNDED[e.fn]
  if rounded and types.is_float(t) then
    return M.convert(M.call(e.args[1].type, rounded, e.args, { rounded }), t)
  end
  local constant = e.op == "const" and const_converted(e, t)
  if constant then return constant end
  local bare = is_wide(e.type) and is_wide(t)
    or types.dtype_of(e.type) == types.dtype_of(t)
  return { op = "convert", type = t, a = e, bare = bare, effect = e.effect }
end

-- The same for values that may be arrays or structs, which stay as they are.
function M.convert_to(e, t)
  return type(t) == "string" and M.convert(e, t) or e
end

-- A variable that only ever has the values of others.
function M.note_source(slot, source)
  slot.sources = slot.sources or {}
  slot.sources[source] = true
end

-- Ranges of integers ------------------------------------------------------------------------------

local INF = math.huge

local function dtype_range(t)
  local row = dtypes.of(types.dtype_of(t))
  local bits = 8 * row.size
  if bits == 64 then return -INF, INF end
  if row.kind == "uint" then return 0.0, 2.0 ^ bits - 1 end
  return -2.0 ^ (bits - 1), 2.0 ^ (bits - 1) - 1
end

local range
local ranges = {}

function ranges.const(e) return e.value + 0.0, e.value + 0.0 end
function ranges.text(e) return e.lo or -INF, e.hi or INF end
-- Has an array at most M.SMALL elements?
function M.is_small(e)
  while e.op == "row" do e = e.array end
  return e.type.shape ~= nil or e.slot ~= nil and e.slot.small == true
end

function ranges.extent(e) return 0.0, M.is_small(e.array) and M.SMALL or 2.0 ^ 48 end

function ranges.var(e)
  if e.slot.lo then return e.slot.lo, e.slot.hi end
  return dtype_range(e.type)
end

function ranges.convert(e)
  if not types.is_integer(e.a.type) then return dtype_range(e.type) end
  local lo, hi = range(e.a)
  local first, last = dtype_range(e.type)
  if lo >= first and hi <= last then return lo, hi end
  return first, last
end

function ranges.select(e)
  local lo, hi = range(e.a)
  local other_lo, other_hi = range(e.b)
  return math.min(lo, other_lo), math.max(hi, other_hi)
end

local of_int = {}

function of_int.add(a, b, c, d) return a + c, b + d end
function of_int.sub(a, b, c, d) return a - d, b - c end

function of_int.mul(a, b, c, d)
  local lo, hi = INF, -INF
  for _, p in ipairs{ a * c, a * d, b * c, b * d } do
    if p ~= p then return -INF, INF end
    lo, hi = math.min(lo, p), math.max(hi, p)
  end
  return lo, hi
end

function of_int.mod(_, _, c, d)
  if c > 0 then return 0.0, d - 1 end
  return -INF, INF
end

function of_int.idiv(a, b, c)
  if c > 0 and a >= 0 then return 0.0, b end
  if c > 0 then return a, math.max(b, 0.0) end
  return -INF, INF
end

function of_int.neg(a, b) return -b, -a end
function of_int.min(a, b, c, d) return math.min(a, c), math.min(b, d) end
function of_int.max(a, b, c, d) return math.max(a, c), math.max(b, d) end

function of_int.band(a, b, c, d)
  if c >= 0 then return 0.0, a >= 0 and math.min(b, d) or d end
  if a >= 0 then return 0.0, b end
  return -INF, INF
end

function ranges.int(e)
  local fn = of_int[e.fn]
  if not fn then return -INF, INF end
  local a, b = range(e.a)
  local c, d = range(e.b)
  local lo, hi = fn(a, b, c, d)
  if lo ~= lo or hi ~= hi or lo < -2.0 ^ 62 or hi > 2.0 ^ 62 then return -INF, INF end
  return lo, hi
end

-- range(e) -> the smallest and the largest value that an integer may have, as floats; infinite
-- where nothing is known
function range(e)
  local fn = ranges[e.op]
  if fn then return fn(e) end
  return dtype_range(e.type)
end
M.range = range

-- Can all values be held by a 32-bit integer?
function M.is_narrow(e)
  local lo, hi = range(e)
  return lo >= -2.0 ^ 31 and hi <= 2.0 ^ 31 - 1
end

-- Are all values far from the limits of 64 bits?
function M.is_bounded(e)
  local lo, hi = range(e)
  return lo >= -2.0 ^ 62 and hi <= 2.0 ^ 62
end

-- Does the value stay the same during the whole kernel?
function M.is_stable(e)
  if e.op == "const" or e.op == "text" then return true end
  if e.op == "var" then return not e.slot.assigned end
  if e.op == "extent" then return M.is_stable(e.array) end
  if e.op == "convert" then return M.is_stable(e.a) end
  return false
end

return M

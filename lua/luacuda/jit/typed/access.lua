-- access.lua: how elements of arrays are reached: indices, and values that are stored.

local dtypes = require "luacuda.base.dtypes"
local arithmetic = require "luacuda.jit.typed.arithmetic"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local structs = require "luacuda.jit.typed.structs"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

-- Indices -----------------------------------------------------------------------------------------

-- Operations on narrow integers whose result may be too large for them.
local WRAPS = { add = true, subtract = true, multiply = true, negative = true, power = true,
  left_shift = true }

-- `bytes[i] + 1` is a uint8, so 255 + 1 would be index 0.
local function check_width(ctx, node, k)
  if not WRAPS[k.row] or dtypes.of(types.dtype_of(k.type)).size >= 4 then return end
  fail(ctx, node, "this index is computed in %s, where it wraps around: convert first, as in "
    .. "int32(v) + 1", k.type)
end

local SUMS = { add = "add", subtract = "sub" }
local SUM_TYPES = { int32 = true, uint32 = true, int64 = true }

-- Sums of a dtype wrap around, and such an index is wrong in any case, so they are computed as
-- those of Lua: then the 1 of `counts[int32(v) + 1]` disappears.
local function of_sum(k)
  if not SUMS[k.row] or not SUM_TYPES[k.type] then return k end
  return nodes.int("int", SUMS[k.row], nodes.convert(k.args[1], "int"),
    nodes.convert(k.args[2], "int"))
end

-- index(ctx, node, k, array, axis) -> the index `k` of an axis, from 1; constant ones below 0 count
-- from the end
local function index(ctx, node, k, array, axis)
  if k.op == "const" and type(k.value) == "number" then
    local i = math.tointeger(k.value)
    if not i then fail(ctx, node, "%s is not an index: write math.floor(i)", k.value) end
    if i == 0 then fail(ctx, node, "index 0: arrays begin at 1") end
    if i > 0 then return nodes.const("int!", i) end
    return arithmetic.binary(ctx, node, "+", nodes.extent(array, axis), nodes.literal(i + 1))
  end
  if types.is_integer(k.type) then
    check_width(ctx, node, k)
    return of_sum(k)
  end
  if types.is_float(k.type) then
    fail(ctx, node, "an index is an integer, and this is %s: use // in place of /, or "
      .. "math.floor(i)", types.name(k.type))
  end
  fail(ctx, node, "an index is an integer, and this is %s", report.described(k))
end

-- Stores ------------------------------------------------------------------------------------------

local LOWER = { bool = 0, int = 1, uint = 1, float = 2, complex = 3 }

local STORE_WORDS = {
  bool = "compare it, as in v ~= 0", int = "write math.floor(v), or %s(v) to cut off the fraction",
  float = "take its part with cuda.real(v)",
}

-- The value as an element of that dtype, or as what `label` names, where no kind of information is
-- lost.
local function stored(ctx, e, dtype, node, label)
  label = label or "an element of " .. types.name(dtype)
  e = structs.value(e)
  local kind, wanted = types.kind_of(e.type), types.kind_of(dtype)
  if e.type == dtype then return e end
  if not kind or not wanted then
    fail(ctx, node, "%s cannot be %s%s", report.described(e), label,
      types.is_array(e.type) and ": write x[i]" or "")
  end
  if kind == "bool" then
    fail(ctx, node, "a boolean cannot be %s: write c and 1 or 0", label)
  end
  if LOWER[kind] > LOWER[wanted] then
    local words = STORE_WORDS[wanted == "uint" and "int" or wanted]
    fail(ctx, node, "%s cannot be %s: %s", types.name(e.type), label, words:format(dtype))
  end
  if e.op == "const" then arithmetic.check_constant(ctx, node, e, dtype) end
  return nodes.convert(e, dtype)
end

return { index = index, stored = stored }

-- extremes.lua: the least and the greatest element in one pass. A NaN is both.

local core = require "luacuda.core"
local ufunc_source = require "luacuda.array.ufunc_source"
local dtypes = require "luacuda.base.dtypes"
local prelude = require "luacuda.builder.prelude"
local own = require("luacuda.builder.reduction").own

local RANGE = [[
struct _lcu_range { VALUE low, high; };
__device__ __forceinline__ _lcu_range _lcu_make(VALUE low, VALUE high) {
  _lcu_range r;
  r.low = low, r.high = high;
  return r;
}
__device__ __forceinline__ _lcu_range _lcu_join(const _lcu_range &a, const _lcu_range &b) {
  return _lcu_make(MINIMUM(a.low, b.low), MAXIMUM(a.high, b.high));
}
]]

local FLOATS = { text = ufunc_source._lcu_minimum .. ufunc_source._lcu_maximum,
  words = { MINIMUM = "_lcu_minimum", MAXIMUM = "_lcu_maximum" } }
local OTHERS = { text = "", words = { MINIMUM = "min", MAXIMUM = "max" } }

-- The type of a pair and how two of them are joined.
local function range(dtype)
  local given = dtypes.of(dtype).kind == "float" and FLOATS or OTHERS
  return given.text .. RANGE:gsub("VALUE", prelude.cname(dtype)):gsub("M%u+", given.words)
end

-- C++ text of the values that every element replaces.
local function neutral(dtype)
  local row = dtypes.of(dtype)
  if row.kind == "float" then return "__int_as_float(0x7f800000), -__int_as_float(0x7f800000)" end
  if row.kind == "bool" then return "true, false" end
  local bits = row.size * 8
  local most = row.kind == "int" and math.maxinteger >> (64 - bits) or -1 >> (64 - bits)
  if row.kind == "uint" then return ("0x%xULL, 0"):format(most) end
  return ("0x%xLL, -0x%xLL - 1"):format(most, most)
end

-- declaration(dtype, outputs, post) -> of a reduction of elements of a real dtype to a.low and
-- a.high
local function declaration(dtype, outputs, post, name)
  local wide = dtypes.sum_of(dtype)
  return { inputs = dtype .. " x", outputs = outputs, map = "_lcu_make(x, x)",
    reduce = "_lcu_join(a, b)", post = post, neutral = ("_lcu_make(%s)"):format(neutral(dtype)),
    preamble = range(wide), reduce_type = "_lcu_range",
    bytes = 2 * dtypes.of(wide).size, name = name }
end

local kept = {}

-- of(what, a, stream) -> the least and the greatest element of an array that is not empty, as Lua
-- values; waits
local function of(what, a, stream)
  local key = what .. " " .. a.dtype
  kept[key] = kept[key] or own(declaration(a.dtype, ("%s low, %s high"):format(a.dtype, a.dtype),
    "low = a.low, high = a.high", what))
  local pair = core.new(a, 2, a.dtype, stream) -- read by one copy
  local low, high = pair:slice(1), pair:slice(2)
  kept[key](a, { out = { low, high }, stream = stream })
  local values = pair:totable()
  low:free()
  high:free()
  pair:free()
  return values[1], values[2]
end

return { declaration = declaration, of = of }

-- conversion.lua: CUDA text that converts an element of one dtype to another, for a:astype and
-- assignments.

local dtypes = require "luacuda.base.dtypes"
local prelude = require "luacuda.builder.prelude"

local INTEGER = [[
// Truncates, saturates, NaN is 0.
template <class D> __device__ D _lcu_integer(double v, double low, double high, D least, D most) {
  if (v != v) return 0;
  if (v <= low) return least;
  return v >= high ? most : (D)v;
}
]]

local function integer_limits(row)
  local bits = row.size * 8
  if row.kind == "uint" then
    return "0.0", ("%.1f"):format(2.0 ^ bits), "0", bits == 64 and "~0ull"
      or ("%du"):format((1 << bits) - 1)
  end
  local most = math.maxinteger >> (64 - bits)
  return ("%.1f"):format(-(2.0 ^ (bits - 1))), ("%.1f"):format(2.0 ^ (bits - 1)),
    ("(-%dll - 1)"):format(most), ("%dll"):format(most)
end

local function is_float(row) return row.kind == "float" or row.kind == "complex" end

-- The statement that assigns x, of dtype `from`, to y, of dtype `to`; both are rows of dtypes.lua.
-- Complex values lose their imaginary part.
local function assignment(to, from)
  local D = prelude.cname(to.name)
  local value = from.kind == "complex" and "x.real()" or "x"
  if to.name == from.name then return "y = x" end
  if to.kind == "bool" then return from.kind == "complex" and "y = (bool)x" or "y = x != 0" end
  if to.kind == "complex" then
    if from.kind == "complex" then return ("y = %s(x)"):format(D) end
    return ("y = %s((%s)%s)"):format(D, prelude.cname(dtypes.part_of(to.name)), value)
  end
  if to.kind ~= "float" and is_float(from) then
    local low, high, least, most = integer_limits(to)
    return ("y = _lcu_integer<%s>((double)%s, %s, %s, (%s)%s, (%s)%s)"):format(D, value, low, high,
      D, least, D, most)
  end
  return to.narrow and "y = " .. value or ("y = (%s)%s"):format(D, value)
end

-- functions(to, from) -> the name of a device function that converts an element, and its texts
local function functions(to, from)
  local name = ("_lcu_as_%s_%s"):format(to.short, from.short)
  return name, { INTEGER,
    ("__device__ __forceinline__ %s %s(%s x) {\n  %s y;\n  %s;\n  return y;\n}\n"):format(to.name,
    name, from.name, to.name, assignment(to, from)) }
end

return {
  assignment = assignment,
  functions = functions,
  helpers = INTEGER,                    -- functions that the statements call
}

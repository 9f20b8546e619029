-- number.lua: Lua numbers as C++ text that reads back as the same value, and what the same is.

-- Generated code always uses a decimal point, whatever the locale.
local function with_point(text) return (text:gsub("[^0-9e+-]+", ".")) end

-- The fewest digits that read back; always a floating point literal, never an integer literal.
local function float_text(v)
  if v ~= v or v == math.huge or v == -math.huge then
    return ("__longlong_as_double(0x%xLL)"):format((string.unpack("<i8", string.pack("<d", v))))
  end
  local text
  for digits = 15, 17 do
    text = ("%." .. digits .. "g"):format(v)
    if tonumber(text) == v then break end
  end
  text = with_point(text)
  return text:find "[.e]" and text or text .. ".0"
end

-- Decimal digits without a suffix: the compiler chooses the first of int, long and long long that
-- can hold the number.
local function integer_text(v)
  return v == math.mininteger and "(-9223372036854775807LL - 1)" or ("%d"):format(v)
end

-- C++ text of a number or a boolean; nil for other values.
local function text(v)
  if type(v) == "boolean" then return tostring(v) end
  local kind = math.type(v)
  return kind == "integer" and integer_text(v) or kind == "float" and float_text(v) or nil
end

-- Are they the same constant? Beside values that differ, 1 and 1.0 do, and 0.0 and -0.0; NaN is the
-- same as NaN.
local function same(a, b)
  if a ~= b then return a ~= a and b ~= b end
  return math.type(a) == math.type(b) and (a ~= 0 or 1 / a == 1 / b)
end

-- a modulo b, both unsigned, b not 0.
local function unsigned_mod(a, b)
  if b < 0 then return math.ult(a, b) and a or a - b end
  if a >= 0 then return a % b end
  local rest = a - ((a >> 1) // b << 1) * b
  return math.ult(rest, b) and rest or rest - b
end

return { unsigned_mod = unsigned_mod, same = same, text = text, float_text = float_text,
  integer_text = integer_text }

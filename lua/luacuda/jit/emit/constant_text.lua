-- constant_text.lua: constants as C++ text of exactly their type.

local numbers = require "luacuda.base.number"
local types = require "luacuda.jit.typed.value_types"

local M = {}

local function float32_text(v)
  if v ~= v then return "__int_as_float(0x7fc00000)" end
  local ok, bytes = pcall(string.pack, "<f", v)
  local rounded = ok and string.unpack("<f", bytes) or v
  if rounded == math.huge then return "__int_as_float(0x7f800000)" end
  if rounded == -math.huge then return "__int_as_float(0xff800000)" end
  local text
  for digits = 6, 9 do
    text = ("%." .. digits .. "g"):format(rounded)
    if string.unpack("<f", string.pack("<f", tonumber(text))) == rounded then break end
  end
  text = text:gsub("[^0-9e+-]+", ".")
  if not text:find "[.e]" then text = text .. ".0" end
  text = text .. "f"
  return text:sub(1, 1) == "-" and "(" .. text .. ")" or text
end

local function integer_text(v)
  local text = numbers.integer_text(v)
  if v == math.mininteger then return text end
  if v > 2147483647 or v < -2147483647 then text = text .. "LL" end
  return v < 0 and "(" .. text .. ")" or text
end

local function float_text(v)
  local text = numbers.float_text(v)
  return text:sub(1, 1) == "-" and "(" .. text .. ")" or text
end

-- Bytes that are not printable are written in octal, with three digits.
local function string_text(v)
  return '"' .. v:gsub('[^%w !#$&()*+,./:;<=>@^_`{|}~%[%]-]', function(c)
    return ("\\%03o"):format(c:byte())
  end) .. '"'
end

-- text(type, value) -> C++ text
function M.text(type, v)
  if type == "bool" then return tostring(v) end
  if type == "string" then return string_text(v) end
  local name = types.dtype_of(type)
  local kind = types.kind_of(type)
  if name == "float32" then return float32_text(v * 1.0) end
  if name == "float64" then return float_text(v * 1.0) end
  if kind == "float" then return ("%s(%s)"):format(name, float32_text(v * 1.0)) end
  if kind == "complex" then
    local part = name == "complex64" and "float32" or "float64"
    return ("%s(%s)"):format(name, M.text(part, v))
  end
  if name == "int64" or name == "int32" then return integer_text(v) end
  if name == "uint64" then return ("0x%xULL"):format(v) end
  if name == "uint32" then return ("%du"):format(v) end
  return ("%s(%s)"):format(name, integer_text(v))
end

return M

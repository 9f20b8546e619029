-- encode.lua: values of the cache as bytes: tables of strings, integers, floats and booleans.

local sorted_keys = require("luacuda.base.lists").sorted_keys

local encode

-- Writes the keys in a fixed order, so that equal values give equal bytes.
local function encode_table(t, out)
  local keys = sorted_keys(t)
  out[#out + 1] = "t" .. string.pack("<I4", #keys)
  for _, k in ipairs(keys) do
    encode(k, out)
    encode(t[k], out)
  end
end

function encode(v, out)
  local kind = math.type(v) or type(v)
  if kind == "string" then out[#out + 1] = "s" .. string.pack("<s8", v)
  elseif kind == "integer" then out[#out + 1] = "i" .. string.pack("<i8", v)
  elseif kind == "float" then out[#out + 1] = "f" .. string.pack("<d", v)
  elseif kind == "boolean" then out[#out + 1] = v and "T" or "F"
  elseif kind == "table" then encode_table(v, out)
  else error("cannot store a " .. kind) end
end

-- encode.bytes(value) -> its bytes, which cache.lua decodes
local function bytes(value)
  local out = {}
  encode(value, out)
  return table.concat(out)
end

return { bytes = bytes }

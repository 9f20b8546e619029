-- json.lua: values as JSON text.

local sorted_keys = require("luacuda.base.lists").sorted_keys
local number = require "luacuda.base.number"

-- A string of JSON, whatever its bytes: those that are not UTF-8 become U+FFFD.
local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

local function valid_utf8(text)
  local out, at = {}, 1
  while at <= #text do
    local _, bad = utf8.len(text, at)
    if not bad then break end
    out[#out + 1] = text:sub(at, bad - 1) .. "\u{FFFD}"
    at = bad + 1
  end
  return table.concat(out) .. text:sub(at)
end

local function quote(text)
  if not utf8.len(text) then text = valid_utf8(text) end
  return '"' .. text:gsub('[%c"\\\127]', function(c)
    return ESCAPES[c] or ("\\u%04x"):format(c:byte())
  end) .. '"'
end

-- JSON has no infinities and no NaN.
local function number_text(v)
  if v ~= v or v == math.huge or v == -math.huge then return "null" end
  return math.type(v) == "integer" and ("%d"):format(v) or number.float_text(v)
end

-- encode(value) -> JSON. A table with items is a list, any other an object with its keys in order.
local function encode(v)
  local kind = type(v)
  if kind == "string" then return quote(v) end
  if kind == "number" then return number_text(v) end
  if kind ~= "table" then return v == nil and "null" or tostring(v) end
  local parts = {}
  if #v > 0 then
    for i, item in ipairs(v) do parts[i] = encode(item) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  for i, key in ipairs(sorted_keys(v)) do parts[i] = quote(key) .. ":" .. encode(v[key]) end
  return "{" .. table.concat(parts, ",") .. "}"
end

return { quote = quote, encode = encode }

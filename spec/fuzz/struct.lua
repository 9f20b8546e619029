-- Descriptions of structs, and values packed by them. An input is a list of fields, one per line
-- ("name type extent ..."), a zero byte, and bytes of a value.
local helper = require "spec.support.fuzz"
local core = require "luacuda.core"
local cuda = require "luacuda"

local M = { seeds = {
  "x float32\ny float4\nm int8 3 4\np const float *\0" .. ("\1\2\3\4"):rep(16),
  "a bool\nb float16\nc complex64 2\nd pointer\ns {\0\255\255\255\255",
  "v uchar3 2\nh half\nz unsigned char 4294967296\n\0",
} }

local inner = cuda.struct { { "i", "int16" }, { "d", "double2" } }

local function field_of(line)
  local name, rest = line:match "^(%S*) ?(.*)$"
  local extents = {}
  rest = rest:gsub("%s+(%-?%d+)$",
    function(n) table.insert(extents, 1, math.tointeger(tonumber(n)) or n) return "" end)
  rest = rest:gsub("%s+(%-?%d+)$",
    function(n) table.insert(extents, 1, math.tointeger(tonumber(n)) or n) return "" end)
  return { name, rest == "{" and inner or rest, #extents > 0 and extents or nil }
end

local function fields_of(text)
  local fields = {}
  for line in text:gmatch "[^\n]+" do fields[#fields + 1] = field_of(line) end
  return fields
end

local function check_layout(s)
  local at = 0
  for _, f in ipairs(s.fields) do
    assert(f.offset >= at and f.size > 0, "a field overlaps the one before it")
    at = f.offset + f.size
  end
  assert(at <= s.size and s.size % s.align == 0 and s.size - at < s.align,
    "the size of the struct is wrong")
end

local function check_values(s, bytes)
  if s.size > 1 << 16 then return end
  bytes = bytes:sub(1, s.size) .. ("\0"):rep(s.size - #bytes)
  local packed = s:pack((s:unpack(bytes)))
  assert(s:pack((s:unpack(packed))) == packed, "packed, unpacked and packed it is another value")
end

function M.read(bytes)
  local text, rest = bytes:match "^([^\0]*)\0?(.*)$"
  local s = helper.attempt(nil, cuda.struct, fields_of(text))
  if not s then return end
  assert(core.type(s) == "struct" and tostring(s):find "^luacuda.Struct")
  check_layout(s)
  check_values(s, rest)
end

return M

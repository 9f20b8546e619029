-- Writes a PNG picture (ISO/IEC 15948) in plain Lua, without compression.
local M = {}

local crc_table = {}
for i = 0, 255 do
  local c = i
  for _ = 1, 8 do c = (c & 1 == 1) and (0xEDB88320 ~ (c >> 1)) or (c >> 1) end
  crc_table[i] = c
end

local function crc32(text)
  local crc, byte, tab = 0xFFFFFFFF, string.byte, crc_table
  for i = 1, #text do crc = tab[(crc ~ byte(text, i)) & 0xFF] ~ (crc >> 8) end
  return crc ~ 0xFFFFFFFF
end

local function adler32(text)
  local a, b, byte = 1, 0, string.byte
  for from = 1, #text, 4096 do -- sums of 4096 bytes are far below 2^63
    for i = from, math.min(from + 4095, #text) do
      a = a + byte(text, i)
      b = b + a
    end
    a, b = a % 65521, b % 65521
  end
  return b << 16 | a
end

local function chunk(kind, data)
  return (">I4"):pack(#data) .. kind .. data .. (">I4"):pack(crc32(kind .. data))
end

-- A zlib stream of stored blocks (RFC 1950, RFC 1951 section 3.2.4).
local function stored(data)
  local parts = { "\x78\x01" }
  for from = 1, #data, 65535 do
    local block = data:sub(from, from + 65534)
    local last = from + 65534 >= #data and 1 or 0
    parts[#parts + 1] = ("<I1I2I2"):pack(last, #block, ~#block & 0xFFFF) .. block
  end
  parts[#parts + 1] = (">I4"):pack(adler32(data))
  return table.concat(parts)
end

-- M.write(path, width, height, bytes): one byte per pixel (gray) or three (red, green, blue).
function M.write(path, width, height, bytes)
  local channels = #bytes // (width * height)
  local whole = (channels == 1 or channels == 3) and #bytes == width * height * channels
  assert(whole, "png: wrong number of bytes")
  local rows, stride = {}, width * channels
  for y = 0, height - 1 do rows[y + 1] = "\0" .. bytes:sub(y * stride + 1, (y + 1) * stride) end
  local header = (">I4I4I1I1I1I1I1"):pack(width, height, 8, channels == 3 and 2 or 0, 0, 0, 0)
  local file = assert(io.open(path, "wb"))
  file:write("\x89PNG\r\n\x1a\n", chunk("IHDR", header))
  file:write(chunk("IDAT", stored(table.concat(rows))), chunk("IEND", ""))
  file:close()
end

return M

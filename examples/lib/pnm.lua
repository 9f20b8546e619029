-- Reads and writes the Netpbm picture formats: PPM (color) and PGM (gray), binary or plain.
local M = {}

-- The next number of the header, after white space and comments, and the position after it.
local function header_number(text, at)
  local from = at
  repeat
    at = from
    from = text:match("^%s+()", at) or text:match("^#[^\n]*()", at) or at
  until from == at
  local digits, after = text:match("^(%d+)()", at)
  return tonumber(digits), after
end

local function plain_samples(text, at, count)
  local values = {}
  for word in text:gmatch("%d+", at) do
    values[#values + 1] = tonumber(word)
    if #values == count then break end
  end
  return values
end

local function binary_samples(text, at, count, wide)
  if not wide then return text:sub(at, at + count - 1) end
  local values = {}
  for i = 1, count do values[i] = (">I2"):unpack(text, at + 2 * (i - 1)) end
  return values
end

-- Samples as bytes; 255 is full brightness.
local function to_bytes(samples, max)
  if type(samples) == "string" then
    if max == 255 then return samples end
    local function scaled(c) return string.char(math.min(c:byte() * 255 // max, 255)) end
    return (samples:gsub(".", scaled))
  end
  for i, v in ipairs(samples) do samples[i] = string.char(math.min(v * 255 // max, 255)) end
  return table.concat(samples)
end

-- M.read(path) -> width, height, bytes: three bytes per pixel, also for gray pictures.
function M.read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  local kind = tonumber(text:match "^P([2356])")
  local width, at = header_number(text, 3)
  local height, max
  if kind and width then height, at = header_number(text, at) end
  if height then max, at = header_number(text, at) end
  if not max or max == 0 or max > 65535 then error(path .. ": not a PPM or PGM picture", 2) end
  local count = width * height * ((kind == 3 or kind == 6) and 3 or 1)
  local samples
  if kind < 4 then samples = plain_samples(text, at, count)
  else samples = binary_samples(text, at + 1, count, max > 255) end
  if #samples < count then error(path .. ": the picture is cut short", 2) end
  local bytes = to_bytes(samples, max)
  if kind == 2 or kind == 5 then bytes = bytes:gsub(".", "%0%0%0") end
  return width, height, bytes
end

-- M.write(path, width, height, bytes): writes a PPM (three bytes per pixel) or a PGM (one byte).
function M.write(path, width, height, bytes)
  local file = assert(io.open(path, "wb"))
  local kind = #bytes == width * height and "P5" or "P6"
  file:write(kind, ("\n%d %d\n255\n"):format(width, height), bytes)
  file:close()
end

return M

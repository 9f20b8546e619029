-- png_format.lua: PNG pictures (ISO/IEC 15948) as bytes. A picture is { width =, height =, channels
-- =, depth = 8 or 16, samples = bytes in the byte order of this machine }.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail

local SIGNATURE = "\137PNG\r\n\26\n"
local MOST = 0x7fffffff                       -- of a width, a height and the length of a chunk
local LITTLE = ("").pack("=I2", 1) == "\1\0"

local GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6
local CHANNELS = { [GRAY] = 1, [RGB] = 3, [PALETTE] = 1, [GRAY_ALPHA] = 2, [RGBA] = 4 }
local COLORS = { GRAY, GRAY_ALPHA, RGB, RGBA } -- by number of channels
local DEPTHS = {
  [GRAY] = "1 2 4 8 16", [RGB] = "8 16", [PALETTE] = "1 2 4 8", [GRAY_ALPHA] = "8 16",
  [RGBA] = "8 16",
}

-- Writing -----------------------------------------------------------------------------------------

local function chunk(kind, data)
  return (">I4"):pack(#data) .. kind .. data .. (">I4"):pack(core.crc32(data, core.crc32(kind)))
end

-- The bytes of a file.
local function encode(picture)
  local width, height, depth = picture.width, picture.height, picture.depth
  local samples = picture.samples
  if depth == 16 and LITTLE then samples = core.swap_bytes(samples, 2) end
  local header = (">I4I4I1I1I1I1I1"):pack(width, height, depth, COLORS[picture.channels], 0, 0, 0)
  local data = core.png_pack(samples, width, height, depth, picture.channels)
  local parts = { SIGNATURE, chunk("IHDR", header) }
  for from = 1, #data, MOST do
    parts[#parts + 1] = chunk("IDAT", data:sub(from, from + MOST - 1))
  end
  parts[#parts + 1] = chunk("IEND", "")
  return table.concat(parts)
end

-- Reading -----------------------------------------------------------------------------------------

-- The chunk at `at`: kind, data, and the position after it.
local function read_chunk(where, bytes, at)
  if at + 11 > #bytes then fail(where, "the file is cut off") end
  local length, kind = (">I4c4"):unpack(bytes, at)
  if length > #bytes - at - 11 then fail(where, "the file is cut off") end
  local data = bytes:sub(at + 8, at + 7 + length)
  local crc = core.crc32(data, core.crc32(kind))
  local wanted = (">I4"):unpack(bytes, at + 8 + length)
  if crc ~= wanted then
    fail(where, "chunk %q is damaged: its CRC-32 is %08x, not %08x", kind, crc, wanted)
  end
  return kind, data, at + 12 + length
end

local function read_header(where, data)
  if #data ~= 13 then fail(where, "the header has %d bytes, not 13", #data) end
  local width, height, depth, color, compression, filter, interlace =
    (">I4I4I1I1I1I1I1"):unpack(data)
  if width == 0 or height == 0 or width > MOST or height > MOST then
    fail(where, "a picture of %d x %d pixels is not possible", width, height)
  end
  if not (" " .. (DEPTHS[color] or "") .. " "):find(" " .. depth .. " ", 1, true) then
    fail(where, "color type %d with samples of %d bits does not exist", color, depth)
  end
  if compression ~= 0 or filter ~= 0 or interlace > 1 then
    fail(where, "its compression, filters or interlacing (%d, %d, %d) do not exist", compression,
      filter, interlace)
  end
  return { width = width, height = height, depth = depth, color = color,
    interlaced = interlace == 1, data = {} }
end

local function take_palette(where, head, data)
  if #data % 3 ~= 0 or #data > 768 or #data == 0 or head.palette then
    fail(where, "the palette is damaged")
  end
  head.palette = data
end

local function take_data(where, head, data, previous)
  if #head.data > 0 and previous ~= "IDAT" then fail(where, "the data are in several places") end
  head.data[#head.data + 1] = data
end

-- Chunks that are needed to show a picture. Others have a small first letter, and are skipped.
local TAKE = {
  IHDR = function(where) fail(where, "there are two headers") end,
  PLTE = take_palette,
  IDAT = take_data,
  tRNS = function(_, head, data) head.transparent = data end,
}

-- The header, with all that the other chunks have.
local function read_chunks(where, bytes)
  if bytes:sub(1, #SIGNATURE) ~= SIGNATURE then fail(where, "not a PNG picture") end
  local kind, data, at = read_chunk(where, bytes, #SIGNATURE + 1)
  if kind ~= "IHDR" then fail(where, "the header is missing") end
  local head, previous = read_header(where, data), kind
  kind, data, at = read_chunk(where, bytes, at)
  while kind ~= "IEND" do
    local take = TAKE[kind]
    if take then take(where, head, data, previous)
    elseif not kind:find "^%l" then fail(where, "chunk %q is not known", kind) end
    previous = kind
    kind, data, at = read_chunk(where, bytes, at)
  end
  if #head.data == 0 then fail(where, "there are no data") end
  return head
end

-- Colors ------------------------------------------------------------------------------------------

-- Entries of the palette in place of their numbers; with alpha where the file has any.
local function apply_palette(where, head, samples)
  if not head.palette then fail(where, "the palette is missing") end
  local colors, alpha = {}, head.transparent
  for i = 0, #head.palette // 3 - 1 do
    local share = alpha and (i < #alpha and alpha:sub(i + 1, i + 1) or "\255") or ""
    colors[string.char(i)] = head.palette:sub(3 * i + 1, 3 * i + 3) .. share
  end
  setmetatable(colors, { __index = function(_, number)
    fail(where, "color %d is not in the palette of %d", number:byte(), #head.palette // 3)
  end })
  return samples:gsub(".", colors), alpha and 4 or 3
end

-- Gray levels of less than 8 bits, from 0 to 255.
local function widen(depth, samples)
  local levels, most = {}, (1 << depth) - 1
  for level = 0, most do levels[string.char(level)] = string.char(level * 255 // most) end
  return (samples:gsub(".", levels))
end

-- The samples of the color that is transparent, as they are in `samples`.
local function transparent_pixel(head, channels)
  local key = {}
  for i = 1, channels do
    local level = (">I2"):unpack(head.transparent, 2 * i - 1)
    key[i] = head.depth == 16 and ("=I2"):pack(level) or string.char(level & (1 << head.depth) - 1)
  end
  return table.concat(key)
end

-- An alpha channel: 0 for the one color that is transparent. `key` is its pixel.
local function add_alpha(samples, key, bytes)
  local pixels = setmetatable({ [key] = key .. ("\0"):rep(bytes) },
    { __index = function(_, pixel) return pixel .. ("\255"):rep(bytes) end })
  return (samples:gsub(("."):rep(#key), pixels))
end

local function gray_or_rgb(where, head, samples)
  local channels, depth = CHANNELS[head.color], head.depth
  local key
  if head.transparent then
    if head.color > RGB or #head.transparent ~= 2 * channels then
      fail(where, "the transparent color is damaged")
    end
    key = transparent_pixel(head, channels)
  end
  if depth < 8 then
    samples, key = widen(depth, samples), key and widen(depth, key)
  end
  if not key then return samples, channels end
  return add_alpha(samples, key, math.max(depth // 8, 1)), channels + 1
end

-- The picture of a file's bytes. `where` begins every message.
local function decode(where, bytes)
  local head = read_chunks(where, bytes)
  local samples, why = core.png_unpack(table.concat(head.data), head.width, head.height, head.depth,
    CHANNELS[head.color], head.interlaced)
  if not samples then fail(where, "%s", why) end
  local convert = head.color == PALETTE and apply_palette or gray_or_rgb
  local pixels, channels = convert(where, head, samples)
  return { width = head.width, height = head.height, channels = channels,
    depth = math.max(head.depth, 8), samples = pixels }
end

return { encode = encode, decode = decode }

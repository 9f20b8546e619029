-- typed_bytes.lua: bytes as values of the types that debug information describes.

local dtypes = require "luacuda.base.dtypes"
local uleb = require "luacuda.profiling.dwarf".uleb

local THROUGH = { [0x16] = true, [0x26] = true, [0x35] = true, [0x37] = true }
local STRUCT = { [0x13] = true, [0x02] = true, [0x17] = true }

local function strip(entries, entry)
  while entry and THROUGH[entry.tag] do entry = entries[entry.type] end
  return entry
end

local function lengths(array)
  local list = {}
  for _, part in ipairs(array) do
    if part.tag == 0x21 then list[#list + 1] = part.count or (part.upper or -1) + 1 end
  end
  return list
end

-- ---- numbers of 8 and 16 bits, which are structs in CUDA's headers

local function value_of_bits(row, bits)
  local m, last = row.mantissa, 8 * row.size - 1
  local most = (1 << last - m) - 1
  local bias = most // 2
  local sign, exponent = bits >> last == 1 and -1.0 or 1.0, bits >> m & most
  local fraction = bits & (1 << m) - 1
  if row.finite then most = fraction == (1 << m) - 1 and most or most + 1 end
  if exponent == 0 then return sign * fraction * 2.0 ^ (1 - bias - m) end
  if exponent < most then return sign * ((1 << m) + fraction) * 2.0 ^ (exponent - bias - m) end
  return fraction == 0 and sign * math.huge or 0.0 / 0.0
end

local SMALL = {}
for _, row in ipairs(dtypes.list) do
  if row.narrow then
    local function read(bits) return value_of_bits(row, bits) end
    local small = { size = row.size, read = read }
    SMALL[row.cuda], SMALL[row.cuda .. "_raw"] = small, small
  end
end

local value

local function items(entries, element, size, dims, axis, bytes, at)
  if axis > #dims then return value(entries, element, bytes, at) end
  local list, step = {}, size
  for k = axis + 1, #dims do step = step * dims[k] end
  for i = 1, dims[axis] do
    list[i] = items(entries, element, size, dims, axis + 1, bytes, at + (i - 1) * step)
  end
  return list
end

local function size_of(entries, entry)
  entry = strip(entries, entry)
  if not entry then return 0 end
  if entry.tag ~= 0x01 then return entry.size or 8 end
  local n = size_of(entries, entries[entry.type])
  for _, k in ipairs(lengths(entry)) do n = n * k end
  return n
end

-- An integer of a type, whose lowest bits are those of n.
local function integer(entry, n, bits)
  if bits < 64 then n = n & (1 << bits) - 1 end
  if entry.encoding == 2 then return n ~= 0 end
  local signed = entry.encoding == 5 or entry.encoding == 6 or entry.tag == 0x04
  return signed and bits < 64 and n >> (bits - 1) == 1 and n - (1 << bits) or n
end

-- DWARF 2 counts from the most significant bit of the unit in which the field is. Nil for wider
-- units than Lua's integers, and for later versions.
local function bit_field(entries, member, bytes, at)
  local entry = strip(entries, entries[member.type])
  local known = member.bit_at and member.size and member.size <= 8
  if not entry or not known or at + member.size > #bytes then return nil end
  local n = ("<I" .. member.size):unpack(bytes, at + 1)
  return integer(entry, n >> (8 * member.size - member.bit_at - member.bits), member.bits)
end

local function fields(entries, struct, bytes, at)
  local out = {}
  for _, member in ipairs(struct) do
    if member.tag == 0x0d and member.name then
      local offset = member.at or 0
      if type(offset) == "table" then offset = uleb(offset.block, 1) end
      if member.bits then out[member.name] = bit_field(entries, member, bytes, at + offset)
      else out[member.name] = value(entries, entries[member.type], bytes, at + offset) end
    end
  end
  return out
end

-- The value of a type at an offset of some bytes; nil where they end before it.
function value(entries, entry, bytes, at)
  entry = strip(entries, entry)
  if not entry then return nil end
  if entry.tag == 0x01 then
    local element = entries[entry.type]
    return items(entries, element, size_of(entries, element), lengths(entry), 1, bytes, at)
  end
  local small = STRUCT[entry.tag] and SMALL[entry.name]
  if small then
    if at + small.size > #bytes then return nil end
    return small.read((("<I" .. small.size):unpack(bytes, at + 1)))
  end
  if STRUCT[entry.tag] then return fields(entries, entry, bytes, at) end
  local size = entry.size or 8 -- pointers have none
  if size > 8 or at + size > #bytes then return nil end
  if entry.encoding == 4 then return (size == 4 and "<f" or "<d"):unpack(bytes, at + 1) end
  return integer(entry, ("<I" .. size):unpack(bytes, at + 1), 8 * size)
end

return { value = value }

-- zip.lua: records of zip archives (PKWARE's APPNOTE 6.3.9). Entries are written without
-- compression; Zip64 where 32 bits are too few.
--
-- An entry: { name =, size =, crc =, at = position of its local header }; those read from an
-- archive also have `method`, `flags`, `packed` (bytes in the archive) and `limit` (the position of
-- the directory, before which they end).

local LOCAL, CENTRAL, ENDING, ENDING64, LOCATOR64 = "PK\3\4", "PK\1\2", "PK\5\6", "PK\6\6", "PK\6\7"
local FULL16, FULL32 = 0xffff, 0xffffffff     -- "see Zip64"
local PLAIN, ZIP64 = 20, 45                   -- versions of the format
local UTF8 = 1 << 11                          -- flag: the name is UTF-8
local DATE = 1 << 5 | 1                       -- 1 January 1980: equal arrays make equal files
local LOCAL_SIZE, CENTRAL_SIZE, ENDING_SIZE, ENDING64_SIZE, LOCATOR64_SIZE = 30, 46, 22, 56, 20

-- Writing -----------------------------------------------------------------------------------------

local function flags_of(name) return name:find "[\128-\255]" and UTF8 or 0 end

local function extra_field(numbers)
  if #numbers == 0 then return "" end
  return ("<I2I2"):pack(1, 8 * #numbers)
    .. ("<" .. ("i8"):rep(#numbers)):pack(table.unpack(numbers))
end

local function local_header(entry)
  local large = entry.size >= FULL32
  local extra = extra_field(large and { entry.size, entry.size } or {})
  local size = large and FULL32 or entry.size
  return LOCAL .. ("<I2I2I2I2I2I4I4I4I2I2"):pack(large and ZIP64 or PLAIN, flags_of(entry.name), 0,
    0, DATE, entry.crc, size, size, #entry.name, #extra) .. entry.name .. extra
end

local function central_header(entry)
  local large, far = entry.size >= FULL32, entry.at >= FULL32
  local numbers = large and { entry.size, entry.size } or {}
  if far then numbers[#numbers + 1] = entry.at end
  local extra, size = extra_field(numbers), large and FULL32 or entry.size
  local version = (large or far) and ZIP64 or PLAIN
  return CENTRAL .. ("<I2I2I2I2I2I2I4I4I4I2I2I2I2I2I4I4"):pack(version, version,
    flags_of(entry.name), 0, 0, DATE, entry.crc, size, size,
    #entry.name, #extra, 0, 0, 0, 0, far and FULL32 or entry.at) .. entry.name .. extra
end

-- The end of an archive whose directory starts at `at` and has `size` bytes.
local function ending(count, at, size)
  local text = ""
  if count >= FULL16 or at >= FULL32 or size >= FULL32 then
    text = ENDING64 .. ("<i8I2I2I4I4i8i8i8i8"):pack(ENDING64_SIZE - 12, ZIP64, ZIP64, 0, 0, count,
      count, size, at)
      .. LOCATOR64 .. ("<I4i8I4"):pack(0, at + size, 1)
  end
  local few = math.min(count, FULL16)
  return text .. ENDING .. ("<I2I2I2I2I4I4I2"):pack(0, 0, few, few, math.min(size, FULL32),
    math.min(at, FULL32), 0)
end

-- Reading -----------------------------------------------------------------------------------------

-- The position of the ending, as an offset in the archive's last bytes: the last one whose comment
-- reaches the end.
local function find_ending(tail)
  for at = #tail - ENDING_SIZE + 1, 1, -1 do
    if tail:sub(at, at + 3) == ENDING then
      local comment = ("<I2"):unpack(tail, at + 20)
      if at + ENDING_SIZE + comment - 1 == #tail then return at end
    end
  end
end

-- find_directory(size, read_at) -> count, position, bytes of the directory; nil and why.
-- read_at(position, n) -> n bytes.
local function find_directory(size, read_at)
  local tail_size = math.min(size, ENDING_SIZE + FULL16)
  local tail = read_at(size - tail_size, tail_size)
  local found = find_ending(tail)
  if not found then
    return nil, size == 0 and "empty, or not a file" or "not a zip archive, or its end is missing"
  end
  local ending_at = size - tail_size + found - 1
  local disk, first_disk, _, count, bytes, at = ("<I2I2I2I2I4I4"):unpack(tail, found + 4)
  if disk ~= first_disk then return nil, "the archive is in several parts" end
  if (count == FULL16 or bytes == FULL32 or at == FULL32)
    and ending_at >= LOCATOR64_SIZE + ENDING64_SIZE then
    local locator = read_at(ending_at - LOCATOR64_SIZE, LOCATOR64_SIZE)
    if locator:sub(1, 4) == LOCATOR64 then
      local at64 = ("<i8"):unpack(locator, 9)
      if at64 < 0 or at64 > ending_at - LOCATOR64_SIZE - ENDING64_SIZE then
        return nil, "the archive's directory is damaged"
      end
      local text = read_at(at64, ENDING64_SIZE)
      if text:sub(1, 4) ~= ENDING64 then return nil, "the archive's directory is damaged" end
      count, bytes, at = ("<i8i8i8"):unpack(text, 33)
      ending_at = at64
    end
  end
  if at < 0 or bytes < 0 or at > ending_at or bytes > ending_at - at then
    return nil, "the archive's directory is damaged"
  end
  return count, at, bytes
end

-- Numbers that need more than 32 bits are in field 1 of the extra text, in this order.
local function read_extra(entry, extra)
  local at = 1
  while at + 3 <= #extra do
    local id, length = ("<I2I2"):unpack(extra, at)
    local from, to = at + 4, at + 3 + length
    if id == 1 and to <= #extra then
      for _, field in ipairs { "size", "packed", "at" } do
        if entry[field] == FULL32 then
          if from + 7 > to then return false end
          entry[field], from = ("<i8"):unpack(extra, from)
        end
      end
    end
    at = to + 1
  end
  return entry.size >= 0 and entry.packed >= 0 and entry.at >= 0
end

-- One entry of the directory's text and the position after it; nil where it is damaged.
local function read_central(text, from)
  if from + CENTRAL_SIZE - 1 > #text or text:sub(from, from + 3) ~= CENTRAL then return nil end
  local flags, method, _, _, crc, packed, size, name, extra, comment =
    ("<I2I2I2I2I4I4I4I2I2I2"):unpack(text, from + 8)
  local entry = { flags = flags, method = method, crc = crc, packed = packed, size = size,
    at = (("<I4"):unpack(text, from + 42)) }
  local at = from + CENTRAL_SIZE
  if at + name + extra + comment - 1 > #text then return nil end
  entry.name = text:sub(at, at + name - 1)
  if not read_extra(entry, text:sub(at + name, at + name + extra - 1)) then return nil end
  return entry, at + name + extra + comment
end

-- directory(size, read_at) -> list of entries; nil and why.
local function directory(size, read_at)
  local count, at, bytes = find_directory(size, read_at)
  if not count then return nil, at end
  local text, entries, from = read_at(at, bytes), {}, 1
  for i = 1, count do
    entries[i], from = read_central(text, from)
    if not entries[i] then return nil, "the archive's directory is damaged" end
    if entries[i].at + LOCAL_SIZE + entries[i].packed > at then
      return nil, "the archive's directory is damaged"
    end
    entries[i].limit = at
  end
  return entries
end

-- The position of an entry's data; nil where there is no such entry, or not all of it.
local function data_position(entry, read_at)
  local text = read_at(entry.at, LOCAL_SIZE)
  if text:sub(1, 4) ~= LOCAL then return nil end
  local name, extra = ("<I2I2"):unpack(text, 27)
  local at = entry.at + LOCAL_SIZE + name + extra
  return at + entry.packed <= entry.limit and at or nil
end

return {
  local_header = local_header, central_header = central_header, ending = ending,
    directory = directory, data_position = data_position,
}

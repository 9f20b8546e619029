-- npz.lua: several arrays in NumPy's .npz archives: zip files of .npy files.
-- They are written without compression.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail
local files = require "luacuda.files.file"
local format = require "luacuda.files.npy_format"
local zip = require "luacuda.files.zip"

-- Writing -----------------------------------------------------------------------------------------

local MAX_NAME = 0xffff - #".npy"             -- bytes

local function check_name(name)
  if type(name) ~= "string" then
    local got = type(name) == "number" and tostring(name) or type(name)
    core.misuse("save_npz: argument 2 'arrays': expected strings as names, got " .. got)
  end
  if name == "" or #name > MAX_NAME or name:find "\0" or not utf8.len(name) then
    core.misuse(("save_npz: argument 2 'arrays': a name is UTF-8 text of 1 to %d bytes without "
      .. "zeros, got %q"):format(MAX_NAME,
      name:sub(1, 40)))
  end
end

local function check_array(where, array)
  array = core.foreign(array) or array
  local kind = core.type(array)
  if kind == "closed array" then core.misuse(where .. ": attempt to use a closed Array") end
  if kind ~= "array" then
    fail(where, "expected an Array, got %s", kind or type(array))
  end
  return array
end

-- The entries to write, sorted by name, so that equal arrays give equal files.
local function plan(arrays)
  if type(arrays) ~= "table" then
    core.misuse("save_npz: argument 2 'arrays': expected a table, name to array, got "
      .. (core.type(arrays) or type(arrays)))
  end
  local entries = {}
  for name, array in pairs(arrays) do
    check_name(name)
    local where = ("save_npz: array '%s'"):format(name)
    array = check_array(where, array)
    local header = format.header(where, array)
    entries[#entries + 1] = { name = name .. ".npy", array = array, header = header,
      size = #header + array.nbytes, crc = 0 }
  end
  table.sort(entries, function(a, b) return a.name < b.name end)
  return entries
end

-- Writes an entry. Its header is written again when the checksum is known.
local function write_entry(path, file, entry)
  local function put(bytes)
    entry.crc = core.crc32(bytes, entry.crc)
    files.put("save_npz", path, file, bytes)
  end
  local function seek(...)
    local at, why = file:seek(...)
    return at or files.io_error("save_npz", path, why)
  end
  entry.at = seek "cur"
  files.put("save_npz", path, file, zip.local_header(entry))
  put(entry.header)
  format.write_data(entry.array, put)
  seek("set", entry.at)
  files.put("save_npz", path, file, zip.local_header(entry))
  return seek "end"
end

-- cuda.save_npz(path, arrays): arrays is a table, name to array
local function save_npz(path, arrays)
  files.check_path("save_npz", path)
  local entries = plan(arrays)
  files.replace("save_npz", path, function(file)
    local at, directory = 0, {}
    for i, entry in ipairs(entries) do
      at = write_entry(path, file, entry)
      directory[i] = zip.central_header(entry)
    end
    local text = table.concat(directory)
    files.put("save_npz", path, file, text .. zip.ending(#entries, at, #text))
  end)
end

-- Reading -----------------------------------------------------------------------------------------

local ENCRYPTED = 1                           -- flag
local STORED, DEFLATED = 0, 8                 -- methods
-- Bytes unpacked before the header is known; also the most that may follow the array, which NumPy's
-- readers ignore.
local HEAD = 1 << 16

local function check_entry(where, entry)
  if entry.flags & ENCRYPTED ~= 0 then fail(where, "it is encrypted") end
  if entry.method ~= STORED and entry.method ~= DEFLATED then
    fail(where, "it is compressed by method %d, which cannot be read", entry.method)
  end
  if entry.method == STORED and entry.packed ~= entry.size then
    fail(where, "the archive's directory is damaged")
  end
end

-- read_at(position, n) -> bytes of the file
local function reader(path, file)
  return function(at, n)
    file:seek("set", at)
    return n == 0 and "" or files.take("load_npz", path, file, n)
  end
end

local function check_sum(where, entry, crc)
  if crc ~= entry.crc then
    fail(where, "the data are damaged: their CRC-32 is %08x, not %08x", crc, entry.crc)
  end
end

-- Data that are read piece by piece: a source for npy_format.read, and a function that checks their
-- sum.
local function stored_source(where, path, file, entry)
  local crc, source = 0, { left = entry.size, most_rest = HEAD }
  function source.take(n)
    local bytes = files.take("load_npz", path, file, n)
    crc = core.crc32(bytes, crc)
    return bytes
  end
  return source, function()
    if source.left > 0 then source.take(source.left) end
    check_sum(where, entry, crc)
  end
end

-- Compressed data. Unpacks only the header until that is known to describe the data; then unpacks
-- and checks everything.
local function packed_source(where, entry, packed)
  local source, bytes, at = { left = entry.size, most_rest = HEAD }, "", 0
  local function unpack(n)
    local part, why = core.inflate(packed, n, n < entry.size)
    bytes = part or fail(where, "%s", why)
    if n == entry.size then check_sum(where, entry, core.crc32(bytes)) end
  end
  unpack(math.min(entry.size, HEAD))
  function source.take(n)
    if at + n > #bytes then
      unpack(source.known and entry.size or math.min(entry.size, at + n))
    end
    at = at + n
    return bytes:sub(at - n + 1, at)
  end
  return source, function() if #bytes < entry.size then unpack(entry.size) end end
end

local function entry_source(where, path, file, entry, at)
  local read_at = reader(path, file)
  if entry.method == DEFLATED then return packed_source(where, entry, read_at(at, entry.packed)) end
  read_at(at, 0)
  return stored_source(where, path, file, entry)
end

local function read_entry(path, file, entry, settings)
  local where = ("load_npz: '%s': array '%s'"):format(path, entry.name:gsub("%.npy$", ""))
  check_entry(where, entry)
  local at = zip.data_position(entry, reader(path, file))
  if not at then fail(where, "the archive is damaged") end
  local source, check = entry_source(where, path, file, entry, at)
  local array = format.read(where, source, settings)
  check()
  return array
end

local function wanted_names(where, names, entries)
  local wanted = {}
  if type(names) ~= "table" then
    fail("load_npz", "option 'names': expected a list of strings, got %s",
      core.type(names) or type(names))
  end
  core.list_check(names, "load_npz: option 'names'", "load_npz")
  for _, name in ipairs(names) do
    if not entries[name] then
      local there = {}
      for other in pairs(entries) do there[#there + 1] = other end
      fail(where, "there is no array '%s'%s", tostring(name), core.near(tostring(name), there))
    end
    wanted[name] = entries[name]
  end
  return wanted
end

-- name -> entry
local function by_name(where, list)
  local entries = {}
  for _, entry in ipairs(list) do
    local name = entry.name:gsub("%.npy$", "")
    if entries[name] then fail(where, "array '%s' is there twice", name) end
    if not entry.name:find "/$" then entries[name] = entry end -- folders are not arrays
  end
  return entries
end

-- cuda.load_npz(path [, { names =, device =, stream = }]) -> table, name to array
local function load_npz(path, options)
  files.check_path("load_npz", path)
  local settings = files.settings("load_npz", options, { "names", "device", "stream" })
  local file <close>, size = files.open("load_npz", path)
  local where = ("load_npz: '%s'"):format(path)
  local list, why = zip.directory(size, reader(path, file))
  if not list then fail(where, "%s", why) end
  local entries, arrays = by_name(where, list), {}
  if settings.names then entries = wanted_names(where, settings.names, entries) end
  for name, entry in pairs(entries) do arrays[name] = read_entry(path, file, entry, settings) end
  return arrays
end

return { load_npz = load_npz, save_npz = save_npz }

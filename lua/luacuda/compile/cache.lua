-- cache.lua: compiled code, and what cuda.tune has measured, on disk and in memory. A key contains
-- everything that could change the result, so entries are never stale. A file is written under a
-- temporary name and renamed; a read file is checked against its digest. No failure here may break
-- a launch: a damaged file is removed and made again, and without a writable folder nothing is
-- kept.

local core = require "luacuda.core"
local encoding = require("luacuda.base.later") "luacuda.compile.encode"

local MAGIC = "LUACUDA-CACHE 1\n"
local MEMORY_ENTRIES = 256

local memory, order = {}, {}
local stats = { hits = 0, misses = 0, damaged = 0, written = 0, failed = 0 }
local warned = {}

local function warn_once(topic, ...)
  if warned[topic] or not warn then return end
  warned[topic] = true
  warn("luacuda: ", ...)
end

local function is_off()
  local off = core.getenv "LUACUDA_DISABLE_CACHE"
  return off ~= nil and off ~= "0"
end

-- The cache directory; nil where there is none or caching is switched off.
local function dir()
  if is_off() then return nil end
  local named = core.getenv("LUACUDA_CACHE_DIR")
  if named then return named end
  local base = core.getenv("XDG_CACHE_HOME")
  local home = core.getenv("HOME")
  base = base or home and home .. "/.cache"
  return base and base .. "/luacuda"
end

-- `folder` is one that a call names, or true for the cache directory.
local function path_of(key, folder)
  local d = dir()
  if folder ~= true then d = not is_off() and folder or nil end
  return d and ("%s/%s/%s"):format(d, key:sub(1, 2), key:sub(3))
end

-- Values, as encode.lua writes them ---------------------------------------------------------------

local decode

local function decode_table(data, at)
  local t, count = {}, string.unpack("<I4", data, at)
  at = at + 4
  for _ = 1, count do
    local k, v
    k, at = decode(data, at)
    v, at = decode(data, at)
    t[k] = v
  end
  return t, at
end

function decode(data, at)
  local tag = data:sub(at, at)
  at = at + 1
  if tag == "s" then return string.unpack("<s8", data, at) end
  if tag == "i" then return string.unpack("<i8", data, at) end
  if tag == "f" then return string.unpack("<d", data, at) end
  if tag == "T" then return true, at end
  if tag == "F" then return false, at end
  if tag == "t" then return decode_table(data, at) end
  error("damaged")
end

-- Files -------------------------------------------------------------------------------------------

local function seal(key, value)
  local payload = encoding.bytes{ key = key, value = value }
  return MAGIC .. core.sha256(payload) .. "\n" .. payload
end

-- The value in a sealed file; nil where the file is damaged or belongs to another key.
local function unseal(key, data)
  local head = #MAGIC + 65
  if data:sub(1, #MAGIC) ~= MAGIC or #data <= head then return nil end
  local payload = data:sub(head + 1)
  if core.sha256(payload) .. "\n" ~= data:sub(#MAGIC + 1, head) then return nil end
  local ok, box = pcall(decode, payload, 1)
  if not ok or type(box) ~= "table" or box.key ~= key then return nil end
  return box.value
end

-- Entries are code that will run: only files of this user are trusted and, in a folder that
-- LUACUDA_CACHE_DIR names, files of root.
local function read_trusted(path, folder)
  local named = folder ~= true or core.getenv "LUACUDA_CACHE_DIR"
  return core.file_read(path, named and "own or root" or "own")
end

local function read_file(key, folder)
  local path = path_of(key, folder)
  local data = path and read_trusted(path, folder)
  if not data then return nil end
  local value = unseal(key, data)
  if value == nil then
    stats.damaged = stats.damaged + 1
    core.file_remove(path)
    warn_once("damaged", "a damaged cache file was removed: ", path)
  end
  return value
end

local function write_file(key, value, folder)
  local path = path_of(key, folder)
  if not path then return end
  local ok, why = core.file_replace(path, seal(key, value))
  if ok then
    stats.written = stats.written + 1
  else
    stats.failed = stats.failed + 1
    warn_once("unwritable", "nothing can be kept on disk: ", why)
  end
end

local function remember(key, value)
  if memory[key] == nil then
    order[#order + 1] = key
    if #order > MEMORY_ENTRIES then memory[table.remove(order, 1)] = nil end
  end
  memory[key] = value
end

-- The stored value, or nil. `on_disk`: false searches memory only; else true or a folder.
local function get(key, on_disk)
  local value = memory[key]
  if value == nil and on_disk then
    value = read_file(key, on_disk)
    if value ~= nil then remember(key, value) end
  end
  if value == nil then stats.misses = stats.misses + 1 else stats.hits = stats.hits + 1 end
  return value
end

-- Is there such an entry? On disk it may turn out to be damaged.
local function has(key, on_disk)
  if memory[key] ~= nil then return true end
  local path = on_disk and path_of(key, on_disk)
  return path ~= nil and path ~= false and core.file_stat(path) ~= nil
end

local function put(key, value, on_disk)
  remember(key, value)
  if on_disk then write_file(key, value, on_disk) end
end

-- Records: one small value per name, not counted --------------------------------------------------

-- The record if it was stored under this key; else nil.
local function get_record(name, key)
  local d = dir()
  local data = d and read_trusted(d .. "/" .. name, true)
  return data and unseal(key, data)
end

local function put_record(name, key, value)
  local d = dir()
  if d then core.file_replace(d .. "/" .. name, seal(key, value)) end
end

-- cache.forget() empties the memory.
local function forget() memory, order = {}, {} end

return {
  dir = dir, stats = stats, forget = forget,
  get = get, has = has, put = put, read = read_file, write = write_file,
  get_record = get_record, put_record = put_record,
}

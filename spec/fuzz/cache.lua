-- Files of the kernel cache. The first byte of an input describes the rest: "R": the whole file;
-- otherwise: the contents of a file with a valid digest.
local helper = require "spec.support.fuzz"
local core = require "luacuda.core"
local cache = require "luacuda.compile.cache"

local dir = assert(cache.dir(), "LUACUDA_CACHE_DIR must name a folder")
local NAME, KEY = "fuzz-record", "key"
local path = dir .. "/" .. NAME

local function bytes_of(value)
  cache.put_record(NAME, KEY, value)
  return assert(core.file_read(path))
end

-- The bytes before the digest, and the length of a file's head, digest included.
local whole = bytes_of { 1 }
local magic = whole:match "^[^\n]*\n"
local head = #magic + 65

local function sealed(payload) return magic .. core.sha256(payload) .. "\n" .. payload end

local function payload_of(value) return (bytes_of(value):sub(head + 1)) end

assert(sealed(payload_of { 1 }) == bytes_of { 1 },
  "the format of cache files has changed")

local artifact = { kind = "ptx", arch = 80, code = ".version 8.0\n", log = "", flags = { "-I/x" },
  kernels = { { name = "k", lowered = "_Z1kv" } }, variables = {}, has_variables = false, x = 1.5 }

local M = { seeds = { "R" .. bytes_of(artifact), "P" .. payload_of(artifact), "P" .. payload_of {
  true, false, 2.5, -1, "s", {},
} } }

function M.read(bytes)
  local rest = bytes:sub(2)
  local data = bytes:sub(1, 1) == "R" and rest or sealed(rest)
  helper.write(path, data)
  helper.attempt(nil, cache.get_record, NAME, KEY)
  local key = core.sha256(bytes) -- as an entry: it belongs to another key, so it is never found
  local entry = ("%s/%s/%s"):format(dir, key:sub(1, 2), key:sub(3))
  assert(core.file_replace(entry, data))
  assert(helper.attempt(nil, cache.get, key, true) == nil, "an entry of another key was taken")
  assert(not core.file_stat(entry), "a damaged entry was kept")
end

return M

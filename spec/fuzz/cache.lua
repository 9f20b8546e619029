-- Files of the kernel cache. The first byte of an input says what the rest is: "R" the whole file,
-- else what a file with the right digest holds.
local helper = require "spec.fuzz_helper"
local core = require "luacuda.core"
local cache = require "luacuda.compile.cache"

local dir = assert(cache.cache.dir(), "LUACUDA_CACHE_DIR has to name a folder")
local NAME, KEY = "fuzz-record", "key"
local path = dir .. "/" .. NAME

local function bytes_of(value)
  cache.put_record(NAME, KEY, value)
  return assert(core.file_read(path))
end

-- What is in front of the digest, how long that is, and what a file holds besides.
local whole = bytes_of { 1 }
local magic = whole:match "^[^\n]*\n"
local head = #magic + 65

local function sealed(payload) return magic .. core.sha256(payload) .. "\n" .. payload end

local function payload_of(value) return (bytes_of(value):sub(head + 1)) end

assert(sealed(payload_of { 1 }) == bytes_of { 1 },
  "this target does not know how cache files are sealed")

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
  local key = core.sha256(bytes) -- as an entry: it is made for another key, so never found
  local entry = ("%s/%s/%s"):format(dir, key:sub(1, 2), key:sub(3))
  assert(core.file_replace(entry, data))
  assert(helper.attempt(nil, cache.get, key, true) == nil, "an entry of another key was taken")
  assert(not core.file_stat(entry), "a damaged entry was kept")
end

return M

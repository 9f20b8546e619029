-- toolchain.lua: which NVRTC and which CUDA headers would compile. Opening NVRTC takes
-- milliseconds, and a start with a warm cache needs only its version and what architectures it
-- knows. Both are kept in a small record beside the cache, valid as long as the environment that
-- decides the search and the library file itself are as they were. Before anything is compiled the
-- library is opened and asked.

local core = require "luacuda.core"
local cache = require "luacuda.compile.cache"

local SEARCH_VARIABLES = { "LUACUDA_NVRTC", "LUACUDA_CUDA_HOME", "CUDA_HOME", "CUDA_PATH",
  "LD_LIBRARY_PATH", "LUACUDA_SITE_PACKAGES" }

local opened                      -- what core.nvrtc() said

local function stamp(path)
  local size, modified = core.file_stat(path)
  return size and ("%d %.9f"):format(size, modified) or "none"
end

-- What decides which library a search would find, apart from the library's own file.
local function search_key()
  local parts = { "toolchain 2", core.version, stamp("/etc/ld.so.cache") }
  for _, name in ipairs(SEARCH_VARIABLES) do parts[#parts + 1] = core.getenv(name) or "" end
  return core.sha256(table.unpack(parts))
end

local function open()
  if opened then return opened end
  local n, why = core.nvrtc()
  if not n then
    error(core.error{ kind = "compile", name = "LUACUDA_ERROR_NOT_FOUND", message = why }, 0)
  end
  opened = n
  n.path_stamp = stamp(n.path)
  -- CUDA's own headers are taken to change only with their version: place, size and time of one of
  -- them stand for all.
  n.headers_stamp = n.include_dir .. " " .. stamp(n.include_dir .. "/cuda_fp16.h")
  cache.put_record("toolchain", search_key(), n)
  return n
end

local function recorded()
  -- raise the number in search_key when its fields change
  local n = cache.get_record("toolchain", search_key())
  if n and n.path_stamp == stamp(n.path) and n.headers_stamp == n.include_dir .. " "
    .. stamp(n.include_dir .. "/cuda_fp16.h") then
    return n
  end
end

-- The toolchain as known without opening it where that is possible: { major, minor, archs, path,
-- include_dir, cccl_dir, path_stamp, headers_stamp }. Good for finding what was compiled before.
local function known()
  return opened or recorded() or open()
end

return { known = known, open = open }

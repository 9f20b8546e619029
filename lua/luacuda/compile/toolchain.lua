-- toolchain.lua: what to compile with: nvcc (nvcc_tool.lua), or NVRTC and the CUDA headers. Opening
-- NVRTC takes milliseconds, while a start with a warm cache needs only its version and the
-- architectures it supports. A small record in the cache folder keeps both; it is valid while the
-- environment variables of the search and the library file are unchanged. Compiling always opens
-- the library.

local core = require "luacuda.core"
local cache = require "luacuda.compile.cache"

local SEARCH_VARIABLES = { "LUACUDA_NVRTC", "LUACUDA_CUDA_HOME", "CUDA_HOME", "CUDA_PATH",
  "LD_LIBRARY_PATH", "LUACUDA_SITE_PACKAGES", "LUACUDA_NVJITLINK", "VIRTUAL_ENV", "CONDA_PREFIX",
  "PYTHONUSERBASE", "HOME" }
local FORMAT = "toolchain 3" -- increase the number when the fields of the record change

local opened                      -- the result of core.nvrtc()

local function stamp(path)
  local size, modified = core.file_stat(path)
  return size and ("%d %.9f"):format(size, modified) or "none"
end

-- An upgrade in place replaces NVRTC and the library next to it that has its built-in functions.
local function library_stamp(n)
  local builtins = ("/libnvrtc-builtins.so.%d.%d"):format(n.major, n.minor)
  return stamp(n.path) .. " " .. stamp((n.path:match "^(.*)/" or ".") .. builtins)
end

-- The headers of CUDA and of CCCL are assumed to change only with their version: path, size and
-- time of a few stand for all. CCCL is upgraded separately.
local function headers_stamp(n)
  local cccl = n.cccl_dir ~= "" and n.cccl_dir or n.include_dir
  return table.concat({ n.include_dir, stamp(n.include_dir .. "/cuda_fp16.h"), cccl,
    stamp(cccl .. "/cuda/std/type_traits"), stamp(cccl .. "/cuda/std/__cccl/version.h"),
    stamp(cccl .. "/cub/version.cuh") }, " ")
end

-- Everything that decides which library a search would find, apart from the file itself. `format`:
-- of the record.
local function search_key(format)
  local parts = { format, core.version, stamp("/etc/ld.so.cache") }
  for _, name in ipairs(SEARCH_VARIABLES) do parts[#parts + 1] = core.getenv(name) or "" end
  return core.sha256(table.unpack(parts))
end

-- The nvcc of a description; nil where that does not ask for nvcc.
local function nvcc_of(spec)
  if spec and spec.backend == "nvcc" then return require("luacuda.compile.nvcc_tool").open(spec) end
end

-- toolchain.open([spec]) -> the toolchain of its option backend, with the library opened
local function open(spec)
  local nvcc = nvcc_of(spec)
  if nvcc or opened then return nvcc or opened end
  local n, why = core.nvrtc()
  if not n then
    error(core.error{ kind = "compile", name = "LUACUDA_ERROR_NOT_FOUND", message = why }, 0)
  end
  opened = n
  n.path_stamp = library_stamp(n)
  n.headers_stamp = headers_stamp(n)
  cache.put_record("toolchain", search_key(FORMAT), n)
  return n
end

local record, record_key          -- the record that was read last

local function recorded()
  local key = search_key(FORMAT)
  if key ~= record_key then record, record_key = cache.get_record("toolchain", key), key end
  local n = record
  if n and n.path_stamp == library_stamp(n) and n.headers_stamp == headers_stamp(n) then
    return n
  end
end

-- toolchain.known([spec]) -> the toolchain, if possible without opening it: { major, minor, archs,
-- path, include_dir, cccl_dir, path_stamp, headers_stamp }. That is enough to find code that was
-- compiled before.
local function known(spec)
  return nvcc_of(spec) or opened or recorded() or open()
end

return { known = known, open = open, stamp = stamp, search_key = search_key }

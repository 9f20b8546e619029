-- runtime.lua: memory pools, reports and debugging aids: the parts of the runtime that are simpler
-- in Lua.
local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local class = require "luacuda.base.class"

local fail = arguments.fail

local M = {}

-- Pools -------------------------------------------------------------------------------------------

local pool_methods = {}

local Pool = class.new("Pool", pool_methods, { "device", "stats", "trim", "limit" })

local function check_pool(pool, method, ...)
  if getmetatable(pool) ~= Pool then
    core.misuse(method .. ": expected Pool before the ':', got " .. type(pool))
  end
  if select("#", ...) > 0 then core.misuse(method .. ": too many arguments") end
end

-- An argument that is a number of bytes, or nil.
local function check_bytes(bytes, method)
  if bytes == nil then return nil end
  local n = math.type(bytes) and math.tointeger(bytes)
  if not n or n < 0 then
    fail(method, "argument 1 'bytes': expected an integer, 0 or more, got %s",
      math.type(bytes) and ("%.14g"):format(bytes) or type(bytes))
  end
  return n
end

-- pool:stats() -> its numbers: used, reserved, used_high, reserved_high and limit in bytes;
-- allocations and frees as counts.
function pool_methods:stats(...)
  check_pool(self, "stats", ...)
  return core.pool_stats(self.device)
end

-- pool:trim([keep]) returns unused memory to the system, keeping at least `keep` bytes (default 0).
function pool_methods:trim(keep, ...)
  check_pool(self, "trim", ...)
  core.pool_trim(self.device, check_bytes(keep, "trim"))
  return self
end

-- pool:limit([bytes]): the most bytes that arrays of the device may use together; 0 means no limit.
-- Without an argument it returns the current limit.
function pool_methods:limit(bytes, ...)
  check_pool(self, "limit", ...)
  bytes = check_bytes(bytes, "limit")
  if bytes then core.pool_limit(self.device, bytes) end
  return core.pool_stats(self.device).limit
end

function Pool:__tostring()
  local stats = core.pool_stats(self.device, true)
  if not stats then return "luacuda.Pool on " .. self.device.label end
  return ("luacuda.Pool on %s: %d bytes used, %d reserved"):format(self.device.label, stats.used,
    stats.reserved)
end

local pools = setmetatable({}, { __mode = "k" }) -- device -> pool

function M.pool(selector)
  local device = core.device(selector)
  pools[device] = pools[device] or setmetatable({ device = device }, Pool)
  return pools[device]
end

-- Reports -----------------------------------------------------------------------------------------

local function version_text(version)
  return version and table.concat(version, ".") or "not found"
end

local function nvcc_text()
  local major, minor = require("luacuda.compile.compile").nvcc_version()
  return version_text(major and { major, minor })
end

-- Version of CUDA's headers in a folder: { major, minor }, or nil.
local function headers_version(folder)
  local text = folder ~= "" and core.file_read(folder .. "/cuda_runtime_api.h")
  local number = text and tonumber(text:match "#define%s+CUDART_VERSION%s+(%d+)")
  return number and { number // 1000, number % 1000 // 10 }
end

-- Kernels may not compile with headers of another version than the compiler's.
local function add_headers(lines)
  local nvrtc = core.nvrtc()
  if not nvrtc then return end
  local headers = headers_version(nvrtc.include_dir)
  lines[#lines + 1] = "headers for NVRTC: "
    .. (nvrtc.include_dir == "" and "not found" or headers and version_text(headers) or "unknown")
  if headers and (headers[1] ~= nvrtc.major or headers[2] ~= nvrtc.minor) then
    lines[#lines + 1] = "  NVRTC and the headers are of different versions: set LUACUDA_CUDA_HOME "
      .. "to a toolkit that has both"
  end
end

local function zlib_text()
  local version, why = core.zlib()
  return version or ("not found (%s)"):format(why)
end

local function llvm_text()
  local version, rest = core.llvm()
  if not version then return rest and ("none (%s)"):format(rest) or "none" end
  return version .. (rest == "" and "" or ", " .. rest)
end

local function device_line(device)
  return ("  %s: %s, %s, %.1f GB"):format(device.label, device.name, device.arch,
    device.total_memory / 2^30)
end

-- Wrong settings raise an error here. The report shows it and goes on.
local function add_devices(lines)
  local ok, devices = pcall(core.devices)
  if not ok then lines[#lines + 1] = "  none: " .. tostring(devices) end
  for _, device in ipairs(ok and devices or {}) do lines[#lines + 1] = device_line(device) end
end

local function add_places(lines, title)
  lines[#lines + 1] = title
  for line in core.report():gmatch "[^\n]+" do lines[#lines + 1] = "  " .. line end
  return table.concat(lines, "\n")
end

local FORKED = {
  "luacuda " .. core.version .. ", " .. _VERSION,
  "this process was created by fork() after its parent initialized CUDA: it can use neither "
    .. "devices nor the compiler",
  "still available: closing arrays, streams and all other handles, tostring, templates, cuda.help",
  "for everything else: fork before using CUDA, or start a new process",
}

-- cuda.diagnose() -> all paths tried and versions found, as text to read or to attach to a bug
-- report.
function M.diagnose(...)
  if select("#", ...) > 0 then core.misuse "diagnose: too many arguments" end
  if core.forked() then
    return add_places({ table.unpack(FORKED) }, "places tried by the parent:")
  end
  local available, why = core.available()
  local versions = core.versions()
  local lines = {
    "luacuda " .. versions.luacuda .. ", " .. _VERSION,
    "driver: CUDA " .. version_text(versions.driver),
    "compiler (NVRTC): " .. version_text(versions.nvrtc),
  }
  add_headers(lines)
  lines[#lines + 1] = "compiler (nvcc): " .. nvcc_text()
  lines[#lines + 1] = "matrix products (cuBLAS): " .. version_text(versions.cublas)
  lines[#lines + 1] = "matrix products on the CPU device (BLAS): "
    .. (core.blas() or "none found, by LuaCUDA's own kernels")
  lines[#lines + 1] = "compiled kernels on the CPU device (libLLVM): " .. llvm_text()
  lines[#lines + 1] = "communicators of GPUs (NCCL): " .. version_text(versions.nccl)
  lines[#lines + 1] = "communicators of the CPU device (MPI): " .. (core.mpi() or "not found")
  lines[#lines + 1] = "compressed files (zlib): " .. zlib_text()
  if not available then lines[#lines + 1] = "no GPU: " .. why end
  lines[#lines + 1] = "devices:"
  add_devices(lines)
  return add_places(lines, "places tried:")
end

-- Debugging ---------------------------------------------------------------------------------------

local SWITCHES = { "sync", "launch", "api" } -- of the process
local LINES = { launch = true, api = true } -- those of them that may be functions
local DEBUG_OPTIONS = { "errors", "allocations", table.unpack(SWITCHES) }

local function check_debug(options)
  if type(options) ~= "table" then
    core.misuse("debug: expected a table of options, got " .. type(options))
  end
  arguments.check_names("debug", options, DEBUG_OPTIONS)
  for _, name in ipairs(DEBUG_OPTIONS) do
    if name ~= "errors" and not (LINES[name] and type(options[name]) == "function") then
      arguments.boolean("debug", options, name, LINES[name] and "a boolean or a function")
    end
  end
  local errors = options.errors
  if errors ~= nil and errors ~= "object" and errors ~= "string" then
    core.misuse(("debug: option 'errors': expected 'object' or 'string', got %s"):format(
      type(errors) == "string" and "'" .. errors .. "'" or type(errors)))
  end
end

-- Sets a switch if a value is given; returns the previous setting.
local function switch(set, value)
  local before = set(value == true)
  if value == nil then set(before) end
  return before
end

-- cuda.debug{ sync = true }: every launch waits for its end, so a fault is raised by the launch
-- that caused it. cuda.debug{ launch = true } and { api = true }: a line on stderr for each launch
-- or driver call; with a function instead of true, this state's lines go to it.
-- cuda.debug{ allocations = true }: see M.allocations. cuda.debug{ errors = "string" }: errors are
-- raised as their text. Returns the previous settings, which a later call can restore.
function M.debug(options, ...)
  if select("#", ...) > 0 then core.misuse "debug: too many arguments" end
  check_debug(options)
  local errors = options.errors
  if errors then errors = errors == "string" end
  local before = {}
  local delivered, problem = pcall(core._lines) -- to the functions that are set now
  for _, name in ipairs(SWITCHES) do before[name] = core._watch(name, options[name]) end
  before.allocations = core._trace_arrays(options.allocations)
  before.errors = switch(core._string_errors, errors) and "string" or "object"
  if not delivered then error(problem, 0) end
  return before
end

-- The row of an array's memory.
local function allocation(array, bytes, where)
  return { bytes = bytes, dtype = array.dtype, shape = array.shape, device = array.device.label,
    memory = array.memory, where = (where:gsub(": $", "")) }
end

-- cuda.allocations() -> a list of the arrays made since cuda.debug{ allocations = true } that are
-- still alive, the largest first; memory with several handles is one row
function M.allocations(...)
  if select("#", ...) > 0 then core.misuse "allocations: too many arguments" end
  local traced = core._traced_arrays()
  if not traced then
    core.misuse "allocations: nothing is traced: call cuda.debug{ allocations = true } first"
  end
  local largest, list = {}, {} -- by memory: its largest handle
  for array in pairs(traced) do
    local block = core._block(array)
    local other = block and largest[block]
    if block and (not other or other.nbytes < array.nbytes) then largest[block] = array end
  end
  for _, array in pairs(largest) do
    list[#list + 1] = allocation(array, select(2, core._block(array)), traced[array])
  end
  table.sort(list, function(a, b)
    if a.bytes ~= b.bytes then return a.bytes > b.bytes end
    return a.where < b.where
  end)
  return list
end

return M

-- nvcc_tool.lua: the nvcc to compile with, and one run of it.

local core = require "luacuda.core"
local cache = require "luacuda.compile.cache"

local ROOTS = { "LUACUDA_CUDA_HOME", "CUDA_HOME", "CUDA_PATH" }
local USUAL = { "/usr/local/cuda", "/opt/cuda" }
-- Folders of nvcc in a toolkit or in NVIDIA's Python packages.
local FOLDERS = { "bin", "nvidia/cu13/bin", "cu13/bin", "nvidia/cuda_nvcc/bin", "cuda_nvcc/bin" }
-- Variables that nvcc or the host compiler's preprocessor read.
local READ = { "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH",
  "CPLUS_INCLUDE_PATH" }

local function not_found(message)
  error(core.error{ kind = "compile", name = "LUACUDA_ERROR_NOT_FOUND", message = message }, 0)
end

-- Finding it --------------------------------------------------------------------------------------

local function is_file(path)
  local size, _, folder = core.file_stat(path)
  return size ~= nil and not folder
end

-- The path of a program in the folders of PATH, or nil.
local function in_path(name)
  for folder in (core.getenv "PATH" or ""):gmatch "[^:]+" do
    if is_file(folder .. "/" .. name) then return folder .. "/" .. name end
  end
end

local function in_root(root)
  for _, folder in ipairs(FOLDERS) do
    local path = ("%s/%s/nvcc"):format(root, folder)
    if is_file(path) then return path end
  end
end

local function in_roots(list)
  for _, root in ipairs(list) do
    local path = in_root(root)
    if path then return path end
  end
end

local function variables(names)
  local list = {}
  for _, name in ipairs(names) do list[#list + 1] = core.getenv(name) end
  return list
end

-- Folders of Python packages.
local function site_packages()
  local list = {}
  for root in (core.getenv "LUACUDA_SITE_PACKAGES" or ""):gmatch "[^:]+" do
    list[#list + 1] = root
  end
  return list
end

-- The program that the option nvcc or LUACUDA_NVCC names: a path, or a name in PATH.
local function named(name, source)
  local path = name:find("/", 1, true) and name or in_path(name)
  if path and is_file(path) then return path end
  not_found(("%s: there is no program '%s'"):format(source, name))
end

local function find(spec)
  if spec and spec.nvcc then return named(spec.nvcc, spec.asking or "option 'nvcc'") end
  local name = core.getenv "LUACUDA_NVCC"
  if name then return named(name, "LUACUDA_NVCC") end
  local path = in_roots(variables(ROOTS)) or in_path "nvcc" or in_roots(USUAL)
    or in_roots(site_packages())
  if path then return path end
  not_found("nvcc was not found (in LUACUDA_CUDA_HOME, CUDA_HOME, CUDA_PATH, PATH and "
    .. "/usr/local/cuda): install NVIDIA's CUDA toolkit and a C++ compiler, or set LUACUDA_NVCC to "
    .. "the program")
end

-- Running it --------------------------------------------------------------------------------------

-- How a program ended, for people; nil where it succeeded.
local function ending(result)
  if result.signal then return ("nvcc was ended by signal %d"):format(result.signal) end
  if result.code and result.code ~= 0 then
    return ("nvcc ended with exit code %d"):format(result.code)
  end
end

-- nvcc_tool.run(path, arguments...) -> { ok =, output =, ending = } for each list of arguments;
-- they run at the same time
local function run(path, ...)
  local argvs = {}
  for i, arguments in ipairs { ... } do
    argvs[i] = table.move(arguments, 1, #arguments, 2, { path })
  end
  local results = { core.child_run(table.unpack(argvs)) }
  for i, result in ipairs(results) do
    local why = ending(result)
    results[i] = { ok = why == nil, output = result.output, ending = why }
  end
  return table.unpack(results)
end

-- What it is --------------------------------------------------------------------------------------

local function stamp(path)
  local size, modified = core.file_stat(path)
  return size and ("%s %d %.9f"):format(path, size, modified) or "none"
end

local function ask(path, question)
  local result = run(path, { question })
  if result.ok then return result.output end
  error(core.error{ kind = "compile", name = "LUACUDA_ERROR_COMPILE", call = "nvcc",
    log = result.output, message = ("'%s %s' failed: %s\n%s"):format(path, question, result.ending,
      result.output:gsub("%s+$", "")) }, 0)
end

-- { text =, major =, minor =, archs = } of a program
local function describe(path)
  local text = ask(path, "--version")
  local major, minor = text:match "release (%d+)%.(%d+)"
  if not major then
    not_found(("'%s' is not nvcc: --version gives no release number"):format(path))
  end
  local archs = {}
  for number in ask(path, "--list-gpu-arch"):gmatch "compute_(%d+)%f[%s\0]" do
    archs[#archs + 1] = math.tointeger(tonumber(number))
  end
  return { text = text:gsub("%s+$", ""), major = math.tointeger(tonumber(major)),
    minor = math.tointeger(tonumber(minor)), archs = archs }
end

local known_tools = {} -- by stamp

-- Its description, from memory or from the record in the cache folder where that is possible
-- without running it.
local function described(path)
  local mark = stamp(path)
  local key = core.sha256("nvcc 1", core.version or "", mark)
  known_tools[mark] = known_tools[mark] or cache.get_record("nvcc", key)
  if not known_tools[mark] then
    known_tools[mark] = describe(path)
    cache.put_record("nvcc", key, known_tools[mark])
  end
  return known_tools[mark], mark
end

-- What decides the result besides nvcc itself: headers, the host compiler, the environment.
local function surroundings(path, text)
  local root = path:match "^(.*)/[^/]*/[^/]*$" or "."
  local parts = { text, stamp(root .. "/include/cuda_fp16.h"), stamp(in_path "gcc" or "") }
  for _, name in ipairs(READ) do parts[#parts + 1] = name .. "=" .. (core.getenv(name) or "") end
  return table.concat(parts, "\n")
end

-- nvcc_tool.open(spec) -> { path =, text =, major =, minor =, archs =, ... } with the fields of
-- toolchain.lua's. Raises where there is none.
local function open(spec)
  local path = find(spec)
  local it, mark = described(path)
  return { path = path, text = it.text, major = it.major, minor = it.minor, archs = it.archs,
    include_dir = "", cccl_dir = "", path_stamp = mark,
    headers_stamp = surroundings(path, it.text) }
end

return { open = open, run = run }

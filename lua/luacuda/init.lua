-- luacuda: the public names, nothing else. Files are loaded when one of their names is first used, so that
-- `require "luacuda"` costs little and needs no GPU, driver or compiler.
local name, path = ...
local core = require "luacuda.core"

-- Positions in messages are those of the user's code: chunks of this folder are skipped.
local folder = type(path) == "string" and path:match "^(.*[/\\])"
if folder then core.home("@" .. folder) end

-- File -> the public names its table gives.
local FILES = {
  ["luacuda.template"] = "template",
  ["luacuda.compile"] = "compile",
  ["luacuda.module"] = "module",
  ["luacuda.kernel"] = "kernel raw input output inout",
  ["luacuda.struct"] = "struct",
  ["luacuda.elementwise"] = "elementwise",
  ["luacuda.scan"] = "scan",
  ["luacuda.array_scans"] = "cumsum cumprod cummax cummin",
  ["luacuda.reduction"] = "reduction",
  ["luacuda.array_reductions"] = "sum prod min max mean var std any all count_nonzero argmin argmax",
  ["luacuda.cache"] = "cache",
  ["luacuda.core"] = "is_error type devices device use available versions synchronize mem_info stream event with_stream no_sync"
    .. " array empty zeros ones full arange linspace eye empty_like zeros_like ones_like full_like"
    .. " pinned managed host register wrap alloc alloc_pitch copy memset memset2d copy2d complex ptr null dtypes"
    .. " bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128",
  ["luacuda.npy"] = "load_npy",
  ["luacuda.sort"] = "sort argsort",
  ["luacuda.unique"] = "unique",
  ["luacuda.select"] = "compress nonzero putmask",
  ["luacuda.take"] = "take put",
  ["luacuda.join"] = "concatenate stack",
  ["luacuda.random"] = "random",
  ["luacuda.runtime"] = "pool diagnose debug",
  ["luacuda.help"] = "help",
}

-- Class -> file -> methods its table gives.
local METHODS = {
  Array = {
    ["luacuda.npy"] = "save_npy",
    ["luacuda.array_scans"] = "cumsum cumprod cummax cummin",
    ["luacuda.array_reductions"] = "sum prod min max mean var std any all count_nonzero argmin argmax",
    ["luacuda.array_sort"] = "sort",
    ["luacuda.sort"] = "argsort",
    ["luacuda.select"] = "compress nonzero putmask",
    ["luacuda.take"] = "take put",
  },
}

for class, files in pairs(METHODS) do
  local methods = core.class(class)
  for file, names in pairs(files) do
    for method in names:gmatch "%S+" do
      methods[method] = function(...)
        methods[method] = require(file)[method]
        return methods[method](...)
      end
    end
  end
end

local home = {} -- public name -> file
for file, names in pairs(FILES) do
  for public in names:gmatch "%S+" do home[public] = file end
end

local cuda = {
  VERSION = core.version,
}

local function unknown(key)
  local names = {}
  for public in pairs(home) do names[#names + 1] = public end
  core.misuse(("luacuda has no '%s'%s"):format(tostring(key), core.near(tostring(key), names)))
end

local function load_name(_, key)
  local file = home[key]
  if not file then return unknown(key) end
  local value = require(file)[key]
  if value == nil then error(("%s does not define '%s'"):format(file, key), 0) end
  cuda[key] = value
  return value
end

-- All public names, those of files not loaded yet included.
local function each_name()
  local names = { VERSION = core.version }
  for public in pairs(home) do names[public] = cuda[public] end
  return next, names, nil
end

return setmetatable(cuda, {
  __name = name or "luacuda",
  __index = load_name,
  __pairs = each_name,
  __complete = function()
    local names = { "VERSION" }
    for public in pairs(home) do names[#names + 1] = public end
    table.sort(names)
    return names
  end,
})

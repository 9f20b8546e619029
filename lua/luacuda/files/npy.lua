-- npy.lua: arrays in NumPy's .npy files: versions 1.0, 2.0 and 3.0 of the format, any byte order, C
-- and Fortran order.

local core = require "luacuda.core"
local files = require "luacuda.files.file"
local format = require "luacuda.files.npy_format"

-- a:save_npy(path) -> a
local function save_npy(array, path)
  local kind = core.type(array)
  if kind == "closed array" then core.misuse "attempt to use a closed Array" end
  if kind ~= "array" then
    core.misuse("save_npy: expected Array before the ':', got " .. (kind or type(array)))
  end
  files.check_path("save_npy", path)
  local header = format.header("save_npy", array)
  files.replace("save_npy", path, function(file)
    local function put(bytes) files.put("save_npy", path, file, bytes) end
    put(header)
    format.write_data(array, put)
  end)
  return array
end

-- cuda.load_npy(path [, { device =, stream =, out = }]) -> array
local function load_npy(path, options)
  files.check_path("load_npy", path)
  local settings = files.settings("load_npy", options, { "device", "stream", "out" })
  local file <close>, size = files.open("load_npy", path)
  return format.read(("load_npy: '%s'"):format(path), files.source("load_npy", path, file, size),
    settings)
end

return { load_npy = load_npy, save_npy = save_npy }

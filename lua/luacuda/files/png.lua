-- png.lua: arrays as PNG pictures.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local files = require "luacuda.files.file"
local format = require "luacuda.files.png_format"

-- Writing -----------------------------------------------------------------------------------------

local to_levels -- floats -> uint8

local function levels_of(array)
  to_levels = to_levels or require("luacuda.builder.elementwise").elementwise("T x", "uint8 y",
    "float v = (float)x; y = v > 0 ? (v < 1 ? (unsigned char)rintf(v * 255) : 255) : 0",
    "png_levels")
  return to_levels(array)
end

-- The samples of an array, and the bits of each.
local function samples_of(array)
  local row = type(array.dtype) == "string" and dtypes.of(array.dtype)
  if not row then
    arguments.fail("save_png", "argument 1 'array': a picture cannot have structs as levels")
  end
  if row.name == "uint8" or row.name == "uint16" then return array:tobytes(), 8 * row.size end
  if row.kind == "bool" then return (array:tobytes():gsub("[^\0]", "\255")), 8 end
  if row.kind == "float" then return levels_of(array):tobytes(), 8 end
  arguments.fail("save_png", "argument 1 'array': expected uint8, uint16, bool or floats from 0 to "
    .. "1, got %s; array:astype('uint8') converts", row.name)
end

-- height, width, channels
local function check_shape(array)
  local shape = array.shape
  local height, width, channels = shape[1], shape[2], shape[3] or 1
  if #shape < 2 or #shape > 3 or channels < 1 or channels > 4 or height < 1 or width < 1
    or height > 0x7fffffff or width > 0x7fffffff then
    arguments.fail("save_png", "argument 1 'array': expected shape {height, width} or {height, "
      .. "width, 1 to 4}, none of them 0, got {%s}", table.concat(shape, ", "))
  end
  return height, width, channels
end

-- cuda.save_png(array, path) -> array
local function save_png(array, path)
  array = arguments.array("save_png", 1, "array", array)
  files.check_path("save_png", path, 2)
  local height, width, channels = check_shape(array)
  local samples, depth = samples_of(array)
  local bytes = format.encode { width = width, height = height, channels = channels, depth = depth,
    samples = samples }
  files.replace("save_png", path, function(file) files.put("save_png", path, file, bytes) end)
  return array
end

-- Reading -----------------------------------------------------------------------------------------

-- cuda.load_png(path [, { device =, stream =, out = }]) -> array
local function load_png(path, options)
  files.check_path("load_png", path)
  local settings = files.settings("load_png", options, { "device", "stream", "out" })
  local bytes = files.whole("load_png", path)
  local where = ("load_png: '%s'"):format(path)
  local picture = format.decode(where, bytes)
  local shape = { picture.height, picture.width }
  if picture.channels > 1 then shape[3] = picture.channels end
  local dtype = picture.depth == 16 and "uint16" or "uint8"
  files.check_out(where, settings.out, dtype, shape)
  settings.shape = shape
  return core.array(picture.samples, dtype, settings)
end

return { load_png = load_png, save_png = save_png }

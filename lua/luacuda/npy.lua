-- npy.lua: arrays to and from NumPy's .npy files: versions 1.0, 2.0 and 3.0 of the format, any byte order, C and Fortran order.

local core = require "luacuda.core"

local MAGIC = "\147NUMPY"
local KINDS = { bool = "b", int = "i", uint = "u", float = "f", complex = "c" }
local NATIVE = ("").pack("=I2", 1) == "\1\0" and "<" or ">"

-- descr without byte order ("f4") -> dtype name. bfloat16 has no name in NumPy.
local BY_DESCR, TO_DESCR = {}, {}
for _, row in ipairs(core.dtypes()) do
  if row.name ~= "bfloat16" then
    local descr = KINDS[row.kind] .. row.size
    BY_DESCR[descr] = row.name
    TO_DESCR[row.name] = (row.size == 1 and "|" or NATIVE) .. descr
  end
end
local PART = { complex64 = 4, complex128 = 8 } -- bytes that are swapped together, where not the whole element

local function fail(fn, path, ...) core.misuse(("%s: '%s': %s"):format(fn, path, (...):format(select(2, ...)))) end

-- Files that cannot be opened, read or written are failures of the world: error objects.
local function fail_io(fn, path, why)
  error(core.error{ kind = "runtime", name = "LUACUDA_ERROR_IO", call = fn, message = ("%s: '%s': %s"):format(fn, path, why) }, 0)
end

local function check_path(fn, arg, path)
  if type(path) ~= "string" then
    core.misuse(("%s: argument %d 'path': expected a string, got %s"):format(fn, arg, type(path)))
  end
end

-- Writing -----------------------------------------------------------------------------------------------------------

local function shape_text(shape)
  if #shape == 1 then return ("(%d,)"):format(shape[1]) end
  return "(" .. table.concat(shape, ", ") .. ")"
end

-- Version 1.0 while the length fits 16 bits, which 16 axes always do. The data start at a multiple of 64 bytes.
local function header(descr, shape)
  local text = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }"):format(descr, shape_text(shape))
  local pad = -(#MAGIC + 4 + #text + 1) % 64
  text = text .. (" "):rep(pad) .. "\n"
  return MAGIC .. "\1\0" .. ("<s2"):pack(text)
end

-- a:save_npy(path) -> a
local function save_npy(array, path)
  local kind = core.type(array)
  if kind == "closed array" then core.misuse "attempt to use a closed Array" end
  if kind ~= "array" then core.misuse("save_npy: expected Array before the ':', got " .. (kind or type(array))) end
  check_path("save_npy", 1, path)
  local descr = type(array.dtype) == "string" and TO_DESCR[array.dtype]
  if not descr then
    core.misuse(("save_npy: .npy files have no name for %s%s"):format(tostring(array.dtype),
      array.dtype == "bfloat16" and "; a:astype('float32') keeps every value" or ""))
  end
  local bytes = array:tobytes()
  local file, why = io.open(path, "wb")
  if not file then fail_io("save_npy", path, why) end
  local ok, problem = file:write(header(descr, array.shape), bytes)
  local closed, problem2 = file:close()
  if not (ok and closed) then fail_io("save_npy", path, problem or problem2) end
  return array
end

-- Reading -----------------------------------------------------------------------------------------------------------

local function read_file(path)
  local file, why = io.open(path, "rb")
  if not file then fail_io("load_npy", path, why) end
  local bytes, problem = file:read "a"
  file:close()
  if not bytes then fail_io("load_npy", path, problem) end
  return bytes
end

-- The header's text and the position of the data.
local function find_header(path, bytes)
  if bytes:sub(1, 6) ~= MAGIC or #bytes < 10 then fail("load_npy", path, "not a .npy file") end
  local major, minor = bytes:byte(7, 8)
  if major < 1 or major > 3 then fail("load_npy", path, "version %d.%d of the format is not known", major, minor) end
  local form = major == 1 and "<I2" or "<I4"
  if #bytes < 8 + form:packsize() then fail("load_npy", path, "the header is cut off") end
  local length, at = form:unpack(bytes, 9)
  if at + length - 1 > #bytes then fail("load_npy", path, "the header is cut off") end
  return bytes:sub(at, at + length - 1), at + length
end

local function parse_shape(path, text)
  local shape = {}
  for item in text:gmatch "[^,%s]+" do
    local n = item:match "^(%d+)L?$"
    shape[#shape + 1] = n and math.tointeger(tonumber(n)) or fail("load_npy", path, "shape (%s) cannot be read", text)
  end
  return shape
end

local function parse_header(path, text)
  local descr = text:match "['\"]descr['\"]%s*:%s*['\"]([^'\"]*)['\"]"
  if not descr then fail("load_npy", path, "its elements are not of one plain type") end
  local order = text:match "['\"]fortran_order['\"]%s*:%s*(%a+)"
  local shape = text:match "['\"]shape['\"]%s*:%s*%(([^)]*)%)"
  if not shape or (order ~= "True" and order ~= "False") then fail("load_npy", path, "the header cannot be read") end
  return descr, order == "True", parse_shape(path, shape)
end

local function parse_descr(path, descr)
  local order, name = descr:match "^([<>|=]?)(%a%d+)$"
  local dtype = name and BY_DESCR[name]
  if not dtype then fail("load_npy", path, "elements of type '%s' have no dtype here", descr) end
  return dtype, order ~= "" and order ~= "|" and order ~= "=" and order ~= NATIVE
end

local function element_count(path, shape)
  local n = 1
  for _, d in ipairs(shape) do
    if d > 0 and n > math.maxinteger // d then fail("load_npy", path, "shape %s is too large", shape_text(shape)) end
    n = n * d
  end
  return n
end

local function reversed(list)
  local out = {}
  for i = #list, 1, -1 do out[#out + 1] = list[i] end
  return out
end

local OPTIONS = { "device", "stream", "out" }
local KNOWN = { device = true, stream = true, out = true }

-- A copy of the options, so that they can be added to.
local function settings_of(options)
  if options == nil then return {} end
  if type(options) ~= "table" then core.misuse("load_npy: expected a table of options, got " .. (core.type(options) or type(options))) end
  local settings = {}
  for key, value in pairs(options) do
    if key == "shape" or key == "dtype" then core.misuse "load_npy: the file has the shape and the dtype" end
    if not KNOWN[key] then core.misuse(("load_npy: unknown option '%s'%s"):format(tostring(key), core.near(tostring(key), OPTIONS))) end
    settings[key] = value
  end
  return settings
end

-- Columns that follow each other are the rows of the transposed.
local function from_columns(data, dtype, shape, settings)
  local out = settings.out
  settings.shape, settings.out = reversed(shape), nil
  if out and not settings.device and core.type(out) == "array" then settings.device = out.device end
  local rows = core.array(data, dtype, settings):transpose()
  if out then return core.array(rows, dtype, { out = out, stream = settings.stream }) end
  return rows:contiguous { stream = settings.stream }
end

-- cuda.load_npy(path [, { device =, stream =, out = }]) -> array
local function load_npy(path, options)
  check_path("load_npy", 1, path)
  local settings = settings_of(options)
  local bytes = read_file(path)
  local text, at = find_header(path, bytes)
  local descr, fortran, shape = parse_header(path, text)
  local dtype, swap = parse_descr(path, descr)
  if #shape > 16 then fail("load_npy", path, "%d axes are too many (at most 16)", #shape) end
  local size = tonumber(descr:match "%d+$")
  local wanted = element_count(path, shape)
  if wanted > (math.maxinteger // size) or #bytes - at + 1 < wanted * size then
    fail("load_npy", path, "%d elements of %s do not fit the %d bytes of data: the file is cut off", wanted, dtype, #bytes - at + 1)
  end
  local data = bytes:sub(at, at + wanted * size - 1)
  if swap then data = core.swap_bytes(data, PART[dtype] or size) end
  if fortran and #shape > 1 then return from_columns(data, dtype, shape, settings) end
  settings.shape = shape
  return core.array(data, dtype, settings)
end

return { load_npy = load_npy, save_npy = save_npy }

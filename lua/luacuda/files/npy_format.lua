-- npy_format.lua: header and data of NumPy's .npy format, read and written in pieces, for files
-- (npy.lua) and archives (npz.lua). `where` begins every message: the function, the file, and
-- perhaps a name in it.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail
local files = require "luacuda.files.file"

local MAGIC = "\147NUMPY"
local KINDS = { bool = "b", int = "i", uint = "u", float = "f", complex = "c" }
local NATIVE = ("").pack("=I2", 1) == "\1\0" and "<" or ">"
local PIECE = 1 << 22               -- bytes that are held in Lua at a time
local MAX_HEADER = 1 << 20 -- bytes
local MAX_AXES = 16

-- descr without byte order ("f4") -> dtype name. NumPy has the first dtype of a kind and size, but
-- no floats of one byte.
local BY_DESCR, TO_DESCR = {}, {}
for _, row in ipairs(core.dtypes()) do
  local descr = KINDS[row.kind] .. row.size
  if descr ~= "f1" and not BY_DESCR[descr] then
    BY_DESCR[descr] = row.name
    TO_DESCR[row.name] = (row.size == 1 and "|" or NATIVE) .. descr
  end
end
-- bytes that are swapped together, where these are not the whole element
local PART = { complex64 = 4, complex128 = 8 }

-- Writing -----------------------------------------------------------------------------------------

local function shape_text(shape)
  if #shape == 1 then return ("(%d,)"):format(shape[1]) end
  return "(" .. table.concat(shape, ", ") .. ")"
end

-- The descr of the dtype of an open array.
local function descr_of(where, array)
  local dtype = array.dtype
  if type(dtype) ~= "string" then
    fail(where, "structs cannot be saved, but their fields can: a:field('%s')",
      dtype.fields[1].name)
  end
  return TO_DESCR[dtype]
    or fail(where, ".npy files have no name for %s; a:astype('float32') keeps every value", dtype)
end

-- Always version 1.0: 16 bits can hold the length with up to 16 axes. The data start at a multiple
-- of 64 bytes.
local function header(where, array)
  local text = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }"):format(
    descr_of(where, array), shape_text(array.shape))
  local pad = -(#MAGIC + 4 + #text + 1) % 64
  text = text .. (" "):rep(pad) .. "\n"
  return MAGIC .. "\1\0" .. ("<s2"):pack(text)
end

-- Calls put(bytes) for each piece of the elements in C order. Other programs expect the bytes 0 and
-- 1 of booleans.
local function write_data(array, put)
  if array.dtype == "bool" then
    local bytes <close> = array:astype "uint8"
    return write_data(bytes, put)
  end
  if array.nbytes <= PIECE then return put(array:tobytes()) end
  local whole = array:contiguous()
  local flat, step = whole:reshape(whole.size), PIECE // (whole.nbytes // whole.size)
  for first = 1, whole.size, step do
    put(flat:slice{ first, math.min(first + step - 1, whole.size) }:tobytes())
  end
  if whole ~= array then whole:free() end
end

-- Reading -----------------------------------------------------------------------------------------

-- A source: { left = bytes that remain, take = function(n) -> the next n bytes }, n at most left.
local function take(source, n)
  n = math.min(n, source.left)
  source.left = source.left - n
  return n == 0 and "" or source.take(n)
end

local function read_header(where, source)
  local start = take(source, 8)
  if #start < 8 or start:sub(1, 6) ~= MAGIC then fail(where, "not a .npy file") end
  local major, minor = start:byte(7, 8)
  if major < 1 or major > 3 then
    fail(where, "version %d.%d of the format is not supported", major, minor)
  end
  local form = major == 1 and "<I2" or "<I4"
  local length = take(source, form:packsize())
  if #length < form:packsize() then fail(where, "the header is cut off") end
  length = form:unpack(length)
  if length > source.left then fail(where, "the header is cut off") end
  if length > MAX_HEADER then
    fail(where, "a header of %d bytes is too long (at most %d)", length, MAX_HEADER)
  end
  return take(source, length)
end

local function parse_shape(where, text)
  local shape = {}
  for item in text:gmatch "[^,%s]+" do
    local n = item:match "^(%d+)L?$"
    shape[#shape + 1] = n and math.tointeger(tonumber(n))
      or fail(where, "shape (%s) cannot be read", text)
  end
  if #shape > MAX_AXES then fail(where, "%d axes are too many (at most %d)", #shape, MAX_AXES) end
  return shape
end

local function parse_header(where, text)
  if text:find "['\"]descr['\"]%s*:%s*%[" then
    fail(where, "its elements are structs, which cannot be read; save each field in NumPy: "
      .. "numpy.savez(path, **{n: a[n] for n in a.dtype.names})")
  end
  local descr = text:match "['\"]descr['\"]%s*:%s*['\"]([^'\"]*)['\"]"
  local order = text:match "['\"]fortran_order['\"]%s*:%s*(%a+)"
  local shape = text:match "['\"]shape['\"]%s*:%s*%(([^)]*)%)"
  if not descr or not shape or (order ~= "True" and order ~= "False") then
    fail(where, "the header cannot be read")
  end
  return descr, order == "True", parse_shape(where, shape)
end

local function parse_descr(where, descr)
  local order, name = descr:match "^([<>|=]?)(%a%d+)$"
  local dtype = name and BY_DESCR[name]
  if not dtype then fail(where, "elements of type '%s' have no dtype in LuaCUDA", descr) end
  local foreign = order ~= "" and order ~= "|" and order ~= "=" and order ~= NATIVE
  return dtype, math.tointeger(tonumber(name:match "%d+")), foreign
end

local function element_count(where, shape)
  local n = 1
  for _, d in ipairs(shape) do
    if d > 0 and n > math.maxinteger // d then
      fail(where, "shape %s is too large", shape_text(shape))
    end
    n = n * d
  end
  return n
end

local function reversed(list)
  local out = {}
  for i = #list, 1, -1 do out[#out + 1] = list[i] end
  return out
end

-- `n` elements of the source as an array of one axis.
local function read_data(source, n, dtype, size, swap, settings)
  local flat = core.empty(n, dtype, { device = settings.device, stream = settings.stream })
  local step = PIECE // size
  for first = 1, n, step do
    local last = math.min(first + step - 1, n)
    local bytes = take(source, (last - first + 1) * size)
    if swap then bytes = core.swap_bytes(bytes, PART[dtype] or size) end
    core.array(bytes, dtype, { out = flat:slice{ first, last }, stream = settings.stream })
  end
  return flat
end

-- The array in a source. settings: { device =, stream =, out = }. source.most_rest: the most
-- bytes that may follow the array. Sets source.known before it takes more than the header.
local function read(where, source, settings)
  local descr, fortran, shape = parse_header(where, read_header(where, source))
  local dtype, size, swap = parse_descr(where, descr)
  local n = element_count(where, shape)
  if n > math.maxinteger // size or source.left < n * size then
    fail(where, "%d elements of %s do not fit the %d bytes of data: the file is cut off", n, dtype,
      source.left)
  end
  if source.most_rest and source.left - n * size > source.most_rest then
    fail(where, "the header says %d elements of %s, which are %d bytes of data, but there are %d",
      n, dtype, n * size, source.left)
  end
  source.known = true
  local out, stream = settings.out, settings.stream
  files.check_out(where, out, dtype, shape)
  local device = settings.device or out and core.type(out) == "array" and out.device or nil
  local flat = read_data(source, n, dtype, size, swap, { device = device, stream = stream })
  -- adjacent columns are the rows of the transposed array
  local columns = fortran and #shape > 1
  local whole = columns and flat:reshape(reversed(shape)):transpose() or flat:reshape(shape)
  if out then return core.array(whole, dtype, { out = out, stream = stream }) end
  return columns and whole:contiguous{ stream = stream } or whole
end

return { header = header, write_data = write_data, read = read }

-- value_types.lua: the types of values in kernels written in Lua, and how they join.
-- docs/design/jit.md has the rules as tables.
--
-- A type of one value is a string: the name of a dtype ("float32"), or one of Lua's own: "int!" (an
-- integer that adapts to dtypes, as literals do), "int" (any other Lua integer, 64 bits), "float"
-- (a Lua float, a double that adapts to float dtypes), "string" (known when the kernel is made).
-- All other types are tables, of which equal ones are one table:
--   { kind = "array", dtype =, ndim =, layout = "contiguous" | "strided", shape = list or nil,
--     space = }      shape: extents that are known when the kernel is made; space: "shared" or
--     "private" memory, a "member" or a "vector" of a struct, a struct passed by "value", or nil
--   { kind = "struct", struct = Struct }
--   { kind = "generator" }      of random numbers; a variable is a reference to it
--   { kind = "texture", dtype =, ndim =, channels =, linear =, layered =, cubemap =, mipmapped =,
--     surface =, element = }    a texture or surface; element: the dtype that kernels read
--   { kind = "values", dtype =, shape = { rows, columns } }    a tile of a kernel over tiles

local dtypes = require "luacuda.base.dtypes"

local M = {}

local made = {}

local function intern(key, make)
  made[key] = made[key] or make()
  return made[key]
end

local numbers, last_number = setmetatable({}, { __mode = "k" }), 0

-- The number of a Struct in keys.
local function number_of(object)
  if not numbers[object] then
    last_number = last_number + 1
    numbers[object] = last_number
  end
  return numbers[object]
end

local function element_key(dtype)
  if type(dtype) == "string" then return dtype end
  return "struct" .. number_of(dtype)
end

-- array{ dtype =, ndim =, layout =, shape =, space = } -> type
function M.array(t)
  local shape = t.shape and table.concat(t.shape, ",") or ""
  local key = ("array %s %d %s %s %s"):format(element_key(t.dtype), t.ndim, t.layout, shape,
    t.space or "")
  return intern(key, function()
    return { kind = "array", key = key, dtype = t.dtype, ndim = t.ndim, layout = t.layout,
      shape = t.shape, space = t.space }
  end)
end

function M.struct(struct)
  local key = "struct " .. number_of(struct)
  return intern(key, function() return { kind = "struct", key = key, struct = struct } end)
end

local FLAGS = { "linear", "layered", "cubemap", "mipmapped", "surface" }

-- texture(info, element) -> the type of a texture or surface (core.texture_info)
function M.texture(info, element)
  local parts = { "texture", info.dtype, info.ndim, info.channels, element }
  for _, name in ipairs(FLAGS) do parts[#parts + 1] = tostring(info[name]) end
  local key = table.concat(parts, " ")
  return intern(key, function()
    local t = { kind = "texture", key = key, element = element, dtype = info.dtype,
      ndim = info.ndim, channels = info.channels }
    for _, name in ipairs(FLAGS) do t[name] = info[name] end
    return t
  end)
end

-- tile(dtype, shape) -> the type of a tile with these extents
function M.tile(dtype, shape)
  local key = ("tile %s %s"):format(dtype, table.concat(shape, "x"))
  return intern(key, function()
    return { kind = "values", key = key, dtype = dtype, shape = shape }
  end)
end

M.generator = { kind = "generator", key = "generator" }

-- The type of an element: a dtype, or the type of a Struct.
function M.element(dtype) return type(dtype) == "string" and dtype or M.struct(dtype) end

-- Questions ---------------------------------------------------------------------------------------

local LUA = { ["int!"] = "int64", int = "int64", float = "float64" }

function M.is_lua(t) return LUA[t] ~= nil end

-- The dtype that holds values of the type; nil for types that are no dtype's.
function M.dtype_of(t)
  if type(t) ~= "string" then return nil end
  return LUA[t] or (dtypes.of(t) and t)
end

local function kind_of(t)
  local name = M.dtype_of(t)
  return name and dtypes.of(name).kind
end
M.kind_of = kind_of

local NUMERIC = { int = true, uint = true, float = true, complex = true }
local INTEGRAL = { int = true, uint = true }

function M.is_number(t) return NUMERIC[kind_of(t)] == true end
function M.is_integer(t) return INTEGRAL[kind_of(t)] == true end
function M.is_float(t) return kind_of(t) == "float" end
function M.is_array(t) return type(t) == "table" and t.kind == "array" end
function M.is_tile(t) return type(t) == "table" and t.kind == "values" end

-- The fields of arrays that kernels know.
M.ARRAY_FIELDS = { "ndim", "dtype", "shape", "size" }

function M.is_array_field(name)
  for _, field in ipairs(M.ARRAY_FIELDS) do
    if field == name then return true end
  end
  return false
end

-- Does a pointer alone represent the array: an element of an array of structs, or an array of known
-- extents?
function M.is_reference(t)
  return M.is_array(t) and (t.ndim == 0 or t.shape ~= nil and t.layout == "contiguous")
end

function M.key(t) return type(t) == "string" and t or t.key end

local AXES = { [0] = "no axes", "one axis" }

-- What a type is called in messages.
function M.name(t)
  if t == "int!" or t == "int" then return "a Lua integer" end
  if t == "float" then return "a Lua float" end
  if t == "string" then return "a string" end
  if t == "bool" then return "a boolean" end
  if type(t) == "string" then return t end
  if t.kind == "array" then
    return ("an array (%s, %s)"):format(type(t.dtype) == "string" and t.dtype
      or M.name(M.element(t.dtype)), AXES[t.ndim] or t.ndim .. " axes")
  end
  if t.kind == "generator" then return "a generator of random numbers" end
  if t.kind == "texture" then return t.surface and "a surface" or "a texture" end
  if M.is_tile(t) then
    return ("a tile (%s, %d x %d)"):format(t.dtype, t.shape[1], t.shape[2])
  end
  return ("a struct '%s'"):format(t.struct.name)
end

-- The short form that k:types() shows: "float32", "int", "float32[,]".
function M.text(t)
  if type(t) == "string" then return t end
  if t.kind == "texture" and t.surface then return "surface" end
  if M.is_tile(t) then return ("%s %dx%d"):format(t.dtype, t.shape[1], t.shape[2]) end
  if t.kind ~= "array" then return t.kind end
  local element = type(t.dtype) == "string" and t.dtype or "struct"
  return ("%s[%s]%s"):format(element, (","):rep(t.ndim - 1), t.layout == "strided" and " strided"
    or "")
end

-- of_slots(slots) -> name -> type as text, of the variables that have one
function M.of_slots(slots)
  local list = {}
  for var, slot in pairs(slots) do
    if slot.type then list[var.name] = M.text(slot.type) end
  end
  return list
end

-- Joining -----------------------------------------------------------------------------------------

-- A Lua number with a dtype.
local function join_lua(lua, dtype)
  local kind = dtypes.of(dtype).kind
  if kind == "bool" then return nil end
  if lua == "float" then return INTEGRAL[kind] and "float64" or dtype end
  if not INTEGRAL[kind] then return dtype end
  return dtype == "uint64" and "uint64" or "int64"
end

local function join_scalars(a, b)
  if LUA[a] and LUA[b] then return (a == "float" or b == "float") and "float" or "int" end
  if not M.dtype_of(a) or not M.dtype_of(b) then return nil end
  if LUA[a] then return join_lua(a, b) end
  if LUA[b] then return join_lua(b, a) end
  if a == "bool" or b == "bool" then return nil end
  return dtypes.promote(a, b)
end

-- Do two arrays have equal extents that are known?
local function same_shape(a, b)
  return a.shape and b.shape and table.concat(a.shape, ",") == table.concat(b.shape, ",")
end
M.same_shape = same_shape

-- The extents in messages: "2 x 3 elements".
function M.extents(t)
  if not t.shape then return "unknown extents" end
  return table.concat(t.shape, " x ") .. " elements"
end

local function join_arrays(a, b)
  if a.dtype ~= b.dtype or a.ndim ~= b.ndim then return nil end
  local strided = a.layout == "strided" or b.layout == "strided"
  return M.array{ dtype = a.dtype, ndim = a.ndim, layout = strided and "strided" or "contiguous",
    shape = same_shape(a, b) and a.shape or nil, space = a.space == b.space and a.space or nil }
end

local function join_tiles(a, b)
  local dtype = join_scalars(a.dtype, b.dtype)
  local same = a.shape[1] == b.shape[1] and a.shape[2] == b.shape[2]
  return same and dtype and M.tile(dtype, a.shape) or nil
end

local WEAK = { ["int!"] = "int", float = "float" }

-- join_weak(a, b) -> the promotion of a Lua number with a dtype of numbers; nil for other types
function M.join_weak(a, b)
  if WEAK[b] then a, b = b, a end
  if not WEAK[a] or LUA[b] or not M.is_number(b) then return nil end
  return dtypes.result{ WEAK[a], b }
end

-- join(a, b) -> the type of a variable that is assigned values of both types; nil: there is none
function M.join(a, b)
  if a == b then return a end
  if type(a) == "string" and type(b) == "string" then return join_scalars(a, b) end
  if M.is_array(a) and M.is_array(b) then return join_arrays(a, b) end
  if M.is_tile(a) and M.is_tile(b) then return join_tiles(a, b) end
  return nil
end

return M

-- textures.lua: the types of textures and surfaces in kernels, and the CUDA text that reads and
-- writes them.

local core = require "luacuda.core"
local types = require "luacuda.jit.typed.value_types"

local M = {}

-- Types -------------------------------------------------------------------------------------------

-- What a texture of these elements gives: halves and normalized integers are read as float32.
local function element_of(info)
  if info.normalized and not info.dtype:find "^float" then return "float32" end
  return info.dtype == "float16" and "float32" or info.dtype
end

-- type_of(value) -> the type of a Texture or Surface; nil: it is closed
function M.type_of(value)
  local info = core.texture_info(value)
  return info and types.texture(info, element_of(info))
end

local CHANNELS = require("luacuda.base.c_types").vector_of

-- problem(t) -> why kernels in Lua cannot read it, or nil
function M.problem(t)
  if not CHANNELS[t.element] then
    return ("there is no texel of %s in kernels in Lua"):format(t.dtype)
  end
  if t.surface and t.dtype == "float16" then
    return "there is no surface of float16 in kernels in Lua"
  end
  if t.cubemap or t.mipmapped then
    return ("a %s needs C++: cuda.device_function takes a function with a cudaTextureObject_t")
      :format(t.cubemap and "cubemap" or "texture with mipmaps")
  end
end

-- axes(t) -> its coordinates, for messages
function M.axes(t)
  local last = t.layered and "the layer" or nil
  local list = table.move({ "x", "y", "z" }, 1, t.ndim - (last and 1 or 0), 1, {})
  list[#list + 1] = last
  return table.concat(list, ", ")
end

-- C++ ---------------------------------------------------------------------------------------------

local WIDE = { int64 = true, uint64 = true, float64 = true }

-- ctype(t) -> the C++ type of a texel
function M.ctype(t)
  local name = CHANNELS[t.element]
  if t.channels > 1 then return name .. t.channels end
  return t.element
end

local function dimension(t)
  return t.layered and ("%dDLayered"):format(t.ndim - 1) or ("%dD"):format(t.ndim)
end

local PARAMS = { "x", "y", "z" }

-- coordinate_type(t, k) -> the C++ type of a coordinate: those of texels and layers are integers
function M.coordinate_type(t, k)
  return (t.surface or t.linear or t.layered and k == t.ndim) and "int" or "float"
end

-- handle(t) -> its type as a parameter
function M.handle(t) return t.surface and "cudaSurfaceObject_t" or "cudaTextureObject_t" end

-- The coordinates as parameters and as arguments; that of x in bytes for surfaces.
local function coordinates(t)
  local params, args = {}, {}
  for k = 1, t.ndim do
    params[k], args[k] = M.coordinate_type(t, k) .. " " .. PARAMS[k], PARAMS[k]
  end
  if t.surface then args[1] = ("x * (int)sizeof(%s)"):format(M.ctype(t)) end
  return table.concat(params, ", "), table.concat(args, ", ")
end

local function suffix(t)
  return ("%s_%s%d"):format(t.linear and "fetch" or dimension(t), t.element, t.channels)
end

function M.read(t) return ("_lcu_%s_%s"):format(t.surface and "surf_read" or "tex", suffix(t)) end
function M.write(t) return "_lcu_surf_write_" .. suffix(t) end

-- The names of CUDA's functions, and of the library's for texels of 64 bits.
local function native(t, verb)
  local space = WIDE[t.element] and "luacuda::" or "::"
  if t.surface then return ("%ssurf%s%s"):format(space, dimension(t), verb) end
  return space .. (t.linear and "tex1Dfetch" or "tex" .. dimension(t))
end

local FUNCTION = "__device__ __forceinline__ %s %s(%s) {\n  %s\n}\n"

local function read_text(t)
  local params, args = coordinates(t)
  return FUNCTION:format(M.ctype(t), M.read(t), M.handle(t) .. " t, " .. params,
    ("return %s<%s>(t, %s);"):format(native(t, "read"), M.ctype(t), args))
end

local LANES = { "x", "y", "z", "w" }

local function write_text(t)
  local params, args = coordinates(t)
  local values, lines = {}, {}
  for k = 1, t.channels do
    values[k] = ("%s v%d"):format(t.element, k)
    lines[k] = t.channels > 1 and ("v.%s = v%d; "):format(LANES[k], k) or "v = v1; "
  end
  return FUNCTION:format("void", M.write(t), ("cudaSurfaceObject_t t, %s, %s"):format(
    table.concat(values, ", "), params), ("%s v; %s%s(v, t, %s);"):format(M.ctype(t),
    table.concat(lines), native(t, "write"), args))
end

-- texts(t) -> the definitions that reading and writing need
function M.texts(t)
  local list = {}
  if WIDE[t.element] then list[1] = "#include <luacuda/texture.h>\n" end
  list[#list + 1] = read_text(t)
  if t.surface then list[#list + 1] = write_text(t) end
  return list
end

return M

-- kinds.lua: the types of the arguments of a call.

local core = require "luacuda.core"
local textures = require "luacuda.jit.typed.textures"
local types = require "luacuda.jit.typed.value_types"

local M = {}

local function new_type(dtype, ndim, contiguous)
  return types.array{ dtype = dtype, ndim = ndim,
    layout = contiguous and "contiguous" or "strided" }
end

local by_dtype = setmetatable({}, { __mode = "k" })     -- dtype -> layout -> type

-- The type of an array.
function M.array(value)
  local dtype, ndim, contiguous = value.dtype, value.ndim, value.is_contiguous
  local known = by_dtype[dtype]
  if not known then
    known = {}
    by_dtype[dtype] = known
  end
  local at = contiguous and ndim or -1 - ndim
  local t = known[at]
  if not t then
    t = new_type(dtype, ndim, contiguous)
    known[at] = t
  end
  return t
end

-- The type of a struct by value.
function M.record(value)
  return types.array{ dtype = core.record_struct(value), ndim = 0, layout = "contiguous",
    space = "value" }
end

local NUMBERS = { integer = "int!", float = "float" }

-- of(value) -> the type of an argument; nil: it cannot be one
function M.of(value)
  local kind = core.type(value)
  if kind == "array" then return M.array(value) end
  if kind == "scalar" then return value.dtype end
  if kind == "complex" then return "complex128" end
  if kind == "record" then return M.record(value) end
  if kind == "texture" or kind == "surface" then return textures.type_of(value) end
  if kind == nil then
    if type(value) == "boolean" then return "bool" end
    return NUMBERS[math.type(value)]
  end
end

return M

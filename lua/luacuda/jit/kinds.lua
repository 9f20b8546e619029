-- kinds.lua: the types of the arguments of a call.

local core = require "luacuda.core"
local types = require "luacuda.jit.types"

local M = {}

-- The type of an array.
function M.array(value)
  local ndim = value.ndim
  local contiguous = value.is_contiguous
  return types.array{ dtype = value.dtype, ndim = ndim,
    layout = contiguous and "contiguous" or "strided" }
end

local NUMBERS = { integer = "int!", float = "float" }

-- of(value) -> the type of an argument; nil: it cannot be one
function M.of(value)
  local kind = core.type(value)
  if kind == "array" then return M.array(value) end
  if kind == "scalar" then return value.dtype end
  if kind == "complex" then return "complex128" end
  if kind == nil then
    if type(value) == "boolean" then return "bool" end
    return NUMBERS[math.type(value)]
  end
end

return M

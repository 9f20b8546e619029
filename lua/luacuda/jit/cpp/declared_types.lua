-- declared_types.lua: the types of a function in CUDA C++, as the compiler reports them, and how
-- values of the library's dtypes are passed to it.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail
local dtypes = require "luacuda.base.dtypes"
local reflect = require "luacuda.compile.reflect"

local M = {}

-- A type as kernels know it: { dtype =, ctype = } of a value, { pointer = dtype or "void", const =,
-- ctype = }, or nil where they do not.
local function known_type(info)
  if not info or info.lanes > 1 or info.indirections > 1 then return nil end
  local is_reference = info.type:find "&$"
  if info.kind == "pointer" and not is_reference then
    if not info.dtype and not info.type:find "void" then return nil end
    return { pointer = info.dtype or "void", const = info.const, ctype = info.type }
  end
  if not info.dtype or is_reference and not info.const then return nil end
  return { dtype = info.dtype, ctype = info.class or info.dtype }
end

local FORMS = "a number, a boolean, or a pointer to numbers"

local function parameter_of(state, k, carrier)
  local info = core.type_info(carrier)
  local found = known_type(info)
  local name = state.entry.param_names[k] or ""
  if not found then
    fail(state.what, "'%s': parameter %d '%s' is %s, which a kernel in Lua cannot pass: it passes "
      .. "%s", state.name, k, name, info and info.type or "of an unknown type", FORMS)
  end
  found.name = name
  return found
end

local function result_of(state, carrier)
  if carrier:find "IvEvv$" then return nil end
  local info = core.type_info(carrier)
  local found = known_type(info)
  if found and found.dtype then return found end
  fail(state.what, "'%s' returns %s, which a kernel in Lua cannot take: return a number or a "
    .. "boolean, and write other results through pointers", state.name, info and info.type
    or "an unknown type")
end

-- signature(state) -> { params = list of types, result = type or nil }, asked once
function M.signature(state)
  if state.signature then return state.signature end
  local list, why = reflect.signature(state.spec, state.name, #state.entry.param_names)
  if not list then fail(state.what, "'%s': %s", state.name, why) end
  local made = { params = {}, result = result_of(state, list[1]) }
  for k = 2, #list do made.params[k - 1] = parameter_of(state, k - 1, list[k]) end
  state.signature = made
  return made
end

-- Types of CUDA's headers for narrow floats, which those of generated text do not convert to.
local NARROW = {}
for _, row in ipairs(dtypes.list) do NARROW[row.cuda] = row.narrow or nil end

-- passed(p, text) -> C++ text of a value of the dtype of `p` as an argument of its C++ type
function M.passed(p, text)
  if NARROW[p.ctype] then return ("%s(float(%s))"):format(p.ctype, text) end
  return text
end

-- taken(p, text) -> C++ text of a value of the C++ type of `p` as one of its dtype
function M.taken(p, text)
  if NARROW[p.ctype] then return ("%s(float(%s))"):format(p.dtype, text) end
  return text
end

return M

-- upvalues.lua: what kernels made of Lua functions depend on: guards and arrays among upvalues.
-- This runs before every launch of such a kernel.

local core = require "luacuda.core"
local kinds = require "luacuda.jit.typed.kinds"
local readers = require "luacuda.jit.typed.readers"
local types = require "luacuda.jit.typed.value_types"

local guards_hold = core.guards_hold

local M = {}

local function has_type(value, key)
  return core.type(value) == "array" and types.key(kinds.array(value)) == key
end

-- Have the arrays among the upvalues the types that the kernel was made for?
local function arrays_hold(hiddens)
  for _, hidden in ipairs(hiddens) do
    if not has_type(hidden.read(), hidden.key) then return false end
  end
  return true
end

-- hold(instance): do the upvalues and globals have the values that it was made for?
function M.hold(instance)
  return guards_hold(instance.guards) and arrays_hold(instance.hiddens)
end

-- flat(instance) -> what hold(instance) checks, as a list of guards for C (readers.lua)
function M.flat(instance)
  local list, hiddens = instance.guards, instance.hiddens
  if #hiddens == 0 then return list end
  local flat = table.move(list, 1, 3 * list.n, 1, { n = list.n + 1 })
  table.move({ function() return arrays_hold(hiddens) end, false, true }, 1, 3, 3 * list.n + 1,
    flat)
  return flat
end

-- The arrays from number k on, after those that are read.
local function arrays_from(hiddens, k, ...)
  local hidden = hiddens[k]
  if not hidden then return true, ... end
  local array = hidden.read()
  if not has_type(array, hidden.key) then return false end
  return arrays_from(hiddens, k - 1, array, ...)
end

-- values(instance) -> false, or true and the arrays
function M.values(instance)
  if not guards_hold(instance.guards) then return false end
  local hiddens = instance.hiddens
  return arrays_from(hiddens, #hiddens)
end

-- instance(unit) -> the part of an instance (builder/instances.lua) that a unit determines, with
-- number = 0, guards (as a list for C), and depends: can it cease to hold, or has it arrays?
function M.instance(unit)
  local hiddens = {}
  unit:finish()
  for k, hidden in ipairs(unit.hiddens) do
    local t = hidden.slot.type
    hiddens[k] = { name = hidden.slot.name, dtype = type(t.dtype) == "string" and t.dtype
      or unit:struct_name(t.dtype), ndim = t.ndim,
      contiguous = t.layout == "contiguous", read = hidden.read, key = hidden.key }
  end
  return { guards = readers.flat(unit.guards), hiddens = hiddens, dtypes = unit.dtypes, number = 0,
    options = function(own) return unit:options(own) end,
    depends = #unit.guards > 0 or #hiddens > 0 }
end

return M

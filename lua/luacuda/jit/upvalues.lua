-- upvalues.lua: what kernels made of Lua functions depend on: guards and arrays among upvalues.
-- This runs before every launch of such a kernel.

local core = require "luacuda.core"
local kinds = require "luacuda.jit.kinds"
local readers = require "luacuda.jit.readers"
local types = require "luacuda.jit.types"

local type_of, math_type = core.type, math.type

local M = {}

-- Do the numbers, booleans, tables, ... have the values that the kernel was made for?
local function guards_hold(guards)
  for k = 1, #guards do
    local guard = guards[k]
    local now = guard.read()
    if now ~= guard.value or math_type(now) ~= math_type(guard.value) then return false end
  end
  return true
end

local function has_type(value, key)
  return type_of(value) == "array" and types.key(kinds.array(value)) == key
end

-- Have the arrays among the upvalues the types that the kernel was made for?
local function arrays_hold(hiddens)
  for _, hidden in ipairs(hiddens) do
    if not has_type(hidden.read(), hidden.key) then return false end
  end
  return true
end

-- hold(made): do the upvalues and globals have the values that it was made for? made: guards,
-- hiddens
function M.hold(made)
  return guards_hold(made.guards) and arrays_hold(made.hiddens)
end

-- flat(made) -> what hold(made) checks, as a list of guards for C (readers.lua)
function M.flat(made)
  local hiddens = made.hiddens
  local list = table.move(made.guards, 1, #made.guards, 1, {})
  if #hiddens > 0 then
    list[#list + 1] = { value = true, read = function() return arrays_hold(hiddens) end }
  end
  return readers.flat(list)
end

-- The arrays from number k on, after those that are read.
local function arrays_from(hiddens, k, ...)
  local hidden = hiddens[k]
  if not hidden then return true, ... end
  local array = hidden.read()
  if not has_type(array, hidden.key) then return false end
  return arrays_from(hiddens, k - 1, array, ...)
end

-- values(made) -> false, or true and the arrays
function M.values(made)
  if not guards_hold(made.guards) then return false end
  local hiddens = made.hiddens
  return arrays_from(hiddens, #hiddens)
end

-- instance(unit) -> the part of an instance (builder/instances.lua) that a unit determines, with
-- number = 0, and depends: can it cease to hold, or has it arrays?
function M.instance(unit)
  local hiddens = {}
  unit:finish()
  for k, hidden in ipairs(unit.hiddens) do
    local t = hidden.slot.type
    hiddens[k] = { name = hidden.slot.name, dtype = t.dtype, ndim = t.ndim,
      contiguous = t.layout == "contiguous", read = hidden.read, key = hidden.key }
  end
  return { guards = unit.guards, hiddens = hiddens, dtypes = unit.dtypes, number = 0,
    options = function(own) return unit:options(own) end,
    depends = #unit.guards > 0 or #hiddens > 0 }
end

return M

-- upvalues.lua: what kernels made of Lua functions depend on: guards and arrays among upvalues.

local core = require "luacuda.core"
local kinds = require "luacuda.jit.kinds"
local types = require "luacuda.jit.types"

local M = {}

-- hold(made): do the upvalues and globals have the values that it was made for? made: guards,
-- hiddens
function M.hold(made)
  for _, guard in ipairs(made.guards) do
    local now = guard.read()
    if now ~= guard.value or math.type(now) ~= math.type(guard.value) then return false end
  end
  for _, hidden in ipairs(made.hiddens) do
    local now = hidden.read()
    if core.type(now) ~= "array" or types.key(kinds.array(now)) ~= hidden.key then return false end
  end
  return true
end

-- values(made) -> false, or true and the arrays
function M.values(made)
  if not M.hold(made) then return false end
  local list = {}
  for k, hidden in ipairs(made.hiddens) do list[k] = hidden.read() end
  return true, table.unpack(list)
end

-- instance(unit) -> the part of an instance (builder/instances.lua) that a unit determines, with
-- number = 0, and depends: can it cease to hold, or has it arrays?
function M.instance(unit)
  local hiddens = {}
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

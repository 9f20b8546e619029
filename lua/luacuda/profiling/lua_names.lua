-- lua_names.lua: the names that a stop of kernel:step has in a Lua function, in place of those of
-- the C++ that the library writes for it.

local naming = require "luacuda.source.naming"
local origins = require "luacuda.source.origins"

local M = {}

local function is_lua(file)
  local token = file:match "/luacuda/%x+%.cu$"
  local origin = token and origins.of(token)
  return origin ~= nil and origin.what == "function"
end

-- Of variables with one name in Lua the innermost has the largest number (unit.lua).
local function number(cpp) return math.tointeger(tonumber(cpp:match "_(%d+)$")) or 1 end

-- lua_names.variables(file, list) -> the variables of a stop in the compiled file, by name
function M.variables(file, list)
  if not is_lua(file) then return list end
  local own, from = {}, {}
  for cpp, value in pairs(list) do
    local name = naming.in_lua(cpp)
    if name and number(cpp) > (from[name] or 0) then
      own[name], from[name] = value, number(cpp)
    end
  end
  return own
end

-- lua_names.fn(file, name) -> the name of the function, which may be in a namespace in C++
function M.fn(file, name)
  if not is_lua(file) then return name end
  return naming.in_lua(name:match "[%w_]*$") or naming.given(name) or name
end

return M

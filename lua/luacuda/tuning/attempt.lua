-- attempt.lua: calls that may fail without ending a search.

local core = require "luacuda.core"

-- A request to stop the program, such as Ctrl-C, is not the failure of a candidate.
local function is_interruption(e)
  local object = core.last_error(e)
  if object then return object.name == "LUACUDA_ERROR_INTERRUPTED" end
  return type(e) == "string" and e:find "interrupted!$" ~= nil
end

local function answer(ok, ...)
  if not ok and is_interruption((...)) then error(..., 0) end
  return ok, ...
end

-- attempt.call(fn, ...) is pcall(fn, ...) that lets interruptions pass.
local function call(fn, ...) return answer(pcall(fn, ...)) end

return { call = call }

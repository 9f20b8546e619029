-- staging.lua: arrays that are made for one launch (cuda.input, cuda.output and cuda.inout).

local core = require "luacuda.core"

local function stage_array(value, device, stream)
  if value.device == device then return value end
  return value:to(device, { stream = stream })
end

-- An array on `device` for cuda.input, cuda.output and cuda.inout. Messages begin with `what`.
local function stage(_, value, dtype, device, stream, what)
  if type(value) == "userdata" then
    if core.type(value) ~= "array" then core.misuse(what .. ": attempt to use a closed Array") end
    return stage_array(value, device, stream)
  end
  if type(value) == "table" and next(value) == nil then
    core.misuse(what .. ": the table is empty, so its size is not known: fill it, or pass an array")
  end
  local ok, array = pcall(core.array, value, dtype, { device = device, stream = stream })
  if ok then return array end
  if type(array) == "string" and not core.is_error(array) then
    core.misuse(what .. ": " .. array:gsub("^[^\n]-:%d+: ", ""))
  end
  error(array, 0)
end

-- Copies results back into the table or array that the user gave.
local function finish(kind, value, array, stream)
  if kind == "input" or rawequal(value, array) then return end
  if type(value) == "table" then array:totable(value)
  else core.copy(value, array, { stream = stream }) end
end

return { stage = stage, finish = finish }

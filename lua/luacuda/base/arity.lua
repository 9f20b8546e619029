-- arity.lua: functions that refuse an argument more than they have parameters.

local core = require "luacuda.core"

-- the name of this chunk, so that positions in messages skip the functions made here as well
local SOURCE = debug and debug.getinfo(1, "S").source

local originals = setmetatable({}, { __mode = "k" })    -- limited function -> the function

local makers = {} -- number of parameters -> function of a function and what refuses

-- Parameters that are not in a `...` cost a call a few nanoseconds.
local function maker_for(count)
  if makers[count] then return makers[count] end
  local names = {}
  for k = 1, count do names[k] = "a" .. k end
  local list = table.concat(names, ", ")
  local text = ("local fn, refuse = ... return function(%s%smore) if more ~= nil then refuse() end "
    .. "return fn(%s) end"):format(list, count > 0 and ", " or "", list)
  makers[count] = assert(load(text, SOURCE))
  return makers[count]
end

-- ": cuda.norm(a [, ord])", the call as the manual has it; "" where it has none
local function usage(entry)
  local form = entry:find(".", 1, true) and "^%l[%w]*:" or "^cuda%."
  for _, call in ipairs(require("luacuda.manual.help_texts").signatures(entry)) do
    if call:find(form) then return ": " .. call end
  end
  return ""
end

-- limited(name, value, entry) -> for a Lua function, one that calls it and raises an error for more
-- arguments than it has parameters; any other value as it is. `entry`: the function's key in the
-- manual
local function limited(name, value, entry)
  if type(value) ~= "function" or not debug then return value end
  local info = debug.getinfo(value, "Su")
  if info.what ~= "Lua" or info.isvararg then return value end
  local made = maker_for(info.nparams)(value, function()
    core.misuse(name .. ": too many arguments" .. usage(entry))
  end)
  originals[made] = value
  return made
end

-- original(fn) -> the function that `fn` limits, or fn itself
local function original(fn) return originals[fn] or fn end

return { limited = limited, original = original }

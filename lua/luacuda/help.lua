-- cuda.help: entries of the manual, by name or by object.
local core = require "luacuda.core"
local manual = require "luacuda.manual"

local function names()
  local list = {}
  for key in pairs(manual) do list[#list + 1] = key end
  table.sort(list)
  return list
end

local function key_of(subject)
  if type(subject) == "string" then return subject end
  if core.is_error(subject) then return "Error" end
  local metatable = getmetatable(subject)
  local class = type(metatable) == "table" and metatable.__name
  if class == "luacuda" then return class end
  return type(class) == "string" and class:match "^luacuda%.(.*)$" or nil
end

local M = {}

-- help([name or object]) -> text. Names are "array", "Array", "Array.slice"; "slice" alone finds methods, too.
function M.help(subject)
  if subject == nil then return manual.luacuda end
  local key = key_of(subject)
  if not key then core.misuse("help: expected a name or an object of this library, got " .. type(subject)) end
  if manual[key] then return manual[key] end
  local found = {}
  for _, name in ipairs(names()) do
    if name:match "%.(.*)$" == key then found[#found + 1] = manual[name] end
  end
  if #found > 0 then return table.concat(found, "\n\n") end
  core.misuse(("help: there is nothing on '%s'%s"):format(key, core.near(key, names())))
end

return M

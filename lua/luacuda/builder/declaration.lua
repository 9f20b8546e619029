-- declaration.lua: the arguments of cuda.elementwise, cuda.reduction and cuda.scan: texts by
-- position and a table of options, or everything in one table.

local arguments = require "luacuda.base.arguments"

local fail = arguments.fail

-- The names of both lists.
local function joined(a, b) return table.move(b, 1, #b, #a + 1, { table.unpack(a) }) end

-- declaration.read(what, positions, options, ...) -> a new table with the names of both lists
local function read(what, positions, options, ...)
  local first, given = ..., {}
  if type(first) == "table" then
    if select("#", ...) > 1 then
      fail(what, "with everything in one table there is no second argument")
    end
    arguments.check_names(what, first, joined(positions, options))
    for key, value in pairs(first) do given[key] = value end
    return given
  end
  if select("#", ...) > #positions + 1 then fail(what, "too many arguments") end
  local last = select(#positions + 1, ...)
  if last ~= nil and type(last) ~= "table" then
    fail(what, "expected options (a table), got %s", type(last))
  end
  arguments.check_names(what, last or {}, options)
  for key, value in pairs(last or {}) do given[key] = value end
  for k, name in ipairs(positions) do given[name] = select(k, ...) end
  return given
end

-- declaration.check_text(what, value, label) -> a text that C++ can hold; messages call it `label`
local function check_text(what, value, label)
  if type(value) ~= "string" then
    fail(what, "expected %s (a string), got %s", label, type(value))
  end
  return arguments.whole_text(what, label, value)
end

-- declaration.check_flag(what, given, name) raises unless option given[name] is a boolean or nil.
local function check_flag(what, given, name)
  local value = given[name]
  if value ~= nil and type(value) ~= "boolean" then
    fail(what, "option '%s': expected boolean, got %s", name, type(value))
  end
end

return { read = read, check_text = check_text, check_flag = check_flag }

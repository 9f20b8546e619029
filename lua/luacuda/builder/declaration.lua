-- declaration.lua: the arguments of cuda.elementwise, cuda.reduction and cuda.scan: texts by position and a table of options, or
-- everything in one table.

local core = require "luacuda.core"

local function fail(what, fmt, ...) core.misuse(what .. ": " .. fmt:format(...)) end

local function check_known(what, given, ...)
  local known = {}
  for _, list in ipairs { ... } do table.move(list, 1, #list, #known + 1, known) end
  for key in pairs(given) do
    local found = false
    for _, name in ipairs(known) do found = found or name == key end
    if not found then fail(what, "unknown option '%s'%s", tostring(key), core.near(tostring(key), known)) end
  end
end

-- read(what, positions, options, ...) -> a table of the caller's no more, with the names of both lists
local function read(what, positions, options, ...)
  local first, given = ..., {}
  if type(first) == "table" then
    if select("#", ...) > 1 then fail(what, "with everything in one table there is no second argument") end
    check_known(what, first, positions, options)
    for key, value in pairs(first) do given[key] = value end
    return given
  end
  if select("#", ...) > #positions + 1 then fail(what, "too many arguments") end
  local last = select(#positions + 1, ...)
  if last ~= nil and type(last) ~= "table" then fail(what, "expected options (a table), got %s", type(last)) end
  check_known(what, last or {}, options)
  for key, value in pairs(last or {}) do given[key] = value end
  for k, name in ipairs(positions) do given[name] = select(k, ...) end
  return given
end

-- A text that C++ can hold; `label` is what messages call it.
local function check_text(what, value, label)
  if type(value) ~= "string" then fail(what, "expected %s (a string), got %s", label, type(value)) end
  if value:find("\0", 1, true) then fail(what, "%s holds a zero byte", label) end
  return value
end

return { read = read, check_text = check_text }

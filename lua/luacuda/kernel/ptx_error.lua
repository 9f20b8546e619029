-- ptx_error.lua: errors about PTX that a driver refuses: adds its log and the line that the log
-- names.

local core = require "luacuda.core"

local function line_of(text, number)
  local n = 0
  for line in (text .. "\n"):gmatch "(.-)\r?\n" do
    n = n + 1
    if n == number then return line end
  end
end

-- The line number in a log: "application ptx input, line 6; error : ...", or "line 6 of the PTX"
-- where the CPU device refuses a single kernel.
local function number_in(text)
  return tonumber(text:match "ptx input, line (%d+)" or text:match "line (%d+) of the PTX")
end

-- ptx_error.raise(code, result) raises `result`, which was raised before. A compile error gets the
-- field log, if it has none, and the line of `code` that the log names.
local function raise(code, result)
  local e = core.last_error(result)
  if not e or e.kind ~= "compile" then error(result, 0) end
  e.log = e.log or e.message
  local number = number_in(e.log)
  local line = number and line_of(code, number)
  if line then
    e.message = ("%s\nline %d: %s"):format(e.message, number, line:match "^%s*(.-)%s*$")
  end
  error(result == e and e or core.error(e), 0)
end

return { raise = raise }

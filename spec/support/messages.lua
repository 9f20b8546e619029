-- Errors that calls raise, and the places they name.
local busted = require "busted"

local M = {}

function M.error_of(fn, ...)
  local ok, e = pcall(fn, ...)
  busted.assert.is_false(ok, "nothing was raised")
  return e
end

function M.contains(text, part)
  text = tostring(text)
  busted.assert.is_truthy(text:find(part, 1, true), ("expected '%s' in '%s'"):format(part, text))
end

-- Fails unless fn raises a message that matches the pattern, position included
-- (assert.error_matches strips the position).
function M.assert_raises(fn, pattern)
  local ok, message = pcall(fn)
  busted.assert.is_false(ok, "nothing was raised")
  busted.assert.truthy(tostring(message):find(pattern), tostring(message))
end

local HERE = debug.getinfo(1, "S").short_src

-- Calls fn, which must raise a string, and returns the string without its position. The position
-- must be the spec's, or this file's if fn is a C function.
function M.misuse(fn, ...)
  local caller = debug.getinfo(2, "S").short_src
  local ok, message = pcall(fn, ...)
  busted.assert.is_false(ok, "nothing was raised")
  busted.assert.is_string(message)
  local file, text = message:match "^(.-):%d+: (.*)$"
  busted.assert.is_true(file == caller or file == HERE, message)
  return text
end

-- The path of the calling spec.
function M.this_file() return debug.getinfo(2, "S").source:sub(2) end

-- Number of the first line of the calling spec that contains `mark`.
function M.line_of(mark)
  local number = 0
  for line in io.lines(debug.getinfo(2, "S").source:sub(2)) do
    number = number + 1
    if line:find(mark, 1, true) then return number end
  end
end

return M

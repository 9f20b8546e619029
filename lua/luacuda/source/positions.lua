-- positions.lua: the file and line where the user wrote a text (origins.lua), looked up when a
-- message needs them.

local core = require "luacuda.core"
local origins = require "luacuda.source.origins"

local TOKEN_PATTERN = "/luacuda/(%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x)%.cu"

local TOO_SHORT = 8 -- bytes; shorter texts occur in files by chance

-- Index of the first byte of a line.
local function line_start(body, line)
  local at = 1
  for _ = 2, line do at = (body:find("\n", at, true) or #body) + 1 end
  return at
end

-- The places of a text in a file: indices of first bytes, in order.
local function occurrences(body, text)
  local list, at = {}, body:find(text, 1, true)
  while at do
    list[#list + 1] = at
    at = body:find(text, at + #text, true)
  end
  return list
end

-- The first of the places after the start of a call's line, if the call extends to it: the text
-- opens on that line, or parentheses or braces opened on that line are still open.
local function argument_of(body, places, start)
  for _, at in ipairs(places) do
    if at > start then
      local between = body:sub(start, at - 1):gsub("\n$", "")
      local open = between:gsub("%b()", ""):gsub("%b{}", ""):find("^[^\n]*[({]")
      return (open or not between:find("\n", 1, true)) and at or nil
    end
  end
end

-- The line of a call whose argument is a long string without parentheses: where the string begins,
-- or from Lua 5.4.7 on where it ends.
local ENDS_LINE = load("local line = ...; local at = line [[\n]]; return at")(function()
  return debug and debug.getinfo(2, "l").currentline
end) == 2

-- The place whose text is such an argument and ends on a line.
local function string_argument_of(body, places, text, line)
  local start, stop = line_start(body, line), line_start(body, line + 1)
  for _, at in ipairs(places) do
    local after = at + #text
    if after >= start and after < stop and body:sub(1, at - 1):find "[%w_%])}\"']%s*%[=*%[\n?$" then
      return at
    end
  end
end

-- Which of several equal texts the callers mean: one written inside a call, else the last one
-- before the innermost call.
local function meant(body, places, text, lines)
  for _, line in ipairs(lines) do
    local at = ENDS_LINE and string_argument_of(body, places, text, line)
      or argument_of(body, places, line_start(body, line))
    if at then return at end
  end
  local nearest, stop = places[1], line_start(body, lines[1] + 1)
  for _, at in ipairs(places) do
    if at < stop then nearest = at end
  end
  return nearest
end

-- File and first line of an origin's text, looked up once.
local function locate(origin)
  if origin.file == nil then
    origin.file, origin.first = origin.path or false, 1
    for _, caller in ipairs(origin.callers) do
      local body = #origin.text >= TOO_SHORT and core.file_read(caller.path)
      body = body and body:gsub("\r\n", "\n")
      local places = body and occurrences(body, origin.text) or {}
      if #places > 0 then
        local at = #places == 1 and places[1] or meant(body, places, origin.text, caller.lines)
        origin.file, origin.first = caller.path, origins.count_lines(body, at - 1)
        break
      end
    end
  end
  return origin.file or ("<" .. origin.what .. ">"), origin.first
end

-- (token, line) -> file and line for people; nil for a name that is not a token.
local function map(token, line)
  local hex = token:match(TOKEN_PATTERN)
  local origin = hex and origins.of("/luacuda/" .. hex .. ".cu")
  if not origin then return nil end
  local file, first = locate(origin)
  return file, line + first - 1
end

-- The user's own text of a line, or nil.
local function line_text(token, line)
  local origin = origins.of(token)
  if not origin or line < 1 then return nil end
  local n = 0
  for text in (origin.text .. "\n"):gmatch("(.-)\r?\n") do
    n = n + 1
    if n == line then return text end
  end
  return nil
end

-- Replaces every token in a message, together with a line number after it ("token(12)" and
-- "token:12").
local function map_message(text)
  if not text:find("/luacuda/", 1, true) then return text end
  local function replace(token, open, line, close)
    local number = math.tointeger(tonumber(line))
    if not number then return nil end
    local file, at = map(token, number)
    if not file then return nil end
    return close == "" and (file .. ":" .. at) or (file .. open .. at .. close)
  end
  text = text:gsub("(/luacuda/%x+%.cu)([:])(%d+)()",
    function(token, open, line) return replace(token, open, line, "") end)
  text = text:gsub("(/luacuda/%x+%.cu)(%()(%d+)(%))", replace)
  return (text:gsub("/luacuda/%x+%.cu", function(token) return (map(token, 1)) end))
end

return { map = map, map_message = map_message, line_text = line_text }

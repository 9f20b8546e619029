-- origins.lua: where kernel text comes from. The compiler sees each text under a made-up file name
-- (its token), so that compiled code does not depend on where a script lies; messages are mapped
-- back to the file and line in which the user wrote the text, found only when there is something to
-- say.

local core = require "luacuda.core"

local TOKEN_PATTERN = "/luacuda/(%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x)%.cu"

-- token -> origin; an origin lives as long as a module or template needs it
local origins = setmetatable({}, { __mode = "v" })

-- A fault may be reported after the last handle of its kernel was collected. So the origins of a
-- module are kept here, not by the module alone (a weak table forgets them before its finalizer
-- runs), and a while longer once it has ended.
local KEPT = 64
-- number of an open module -> list of origins; -1 to -KEPT: of the modules that ended last
local kept = {}
local modules, ended = 0, 0

local Hold = {}

function Hold.__gc(hold)
  ended = ended % KEPT + 1
  kept[-ended], kept[hold.number] = kept[hold.number], nil
end

local function origins_in(text, list)
  for token in text:gmatch "/luacuda/%x+%.cu" do
    local origin = origins[token]
    if origin and origin ~= list[#list] then list[#list + 1] = origin end
  end
end

-- Keeps what the text of a description of source names for as long as the value returned lives.
local function hold(spec)
  local list = { spec.origin }
  if spec.text then origins_in(spec.text, list) end
  for _, text in pairs(spec.headers or {}) do origins_in(text, list) end
  modules = modules + 1
  kept[modules] = list
  return setmetatable({ number = modules }, Hold)
end

local OWN = debug and debug.getinfo(1, "S").source:match("^@(.*[/\\])source[/\\]")

-- Files of the running script, without this library's: { path =, lines = } by file on the call
-- stack, and the lines its calls are at; innermost first.
local function script_callers(level)
  local callers, seen = {}, {}
  local getinfo = debug and debug.getinfo
  while getinfo do
    local info = getinfo(level, "Sl")
    if not info then break end
    local path = info.source:match("^@(.+)")
    if path and not (OWN and path:sub(1, #OWN) == OWN) then
      if not seen[path] then
        seen[path] = { path = path, lines = {} }
        callers[#callers + 1] = seen[path]
      end
      table.insert(seen[path].lines, info.currentline)
    end
    level = level + 1
  end
  return callers
end

-- Equal texts are one origin, wherever they stand: from now on messages speak of the one these
-- callers gave.
local function speak_of(origin, callers)
  if origin.callers ~= callers then origin.callers, origin.file = callers, nil end
end

-- Remembers `text` (written by the user) and returns its origin, { token =, text =, what =, path =
-- }, and who gave it. `what` names it where no file is found ("template", "source"); `path` says
-- that the text is that whole file.
local function register(text, what, path)
  local token = "/luacuda/" .. core.sha256(what, path or "", text):sub(1, 16) .. ".cu"
  local origin = origins[token] or { token = token, text = text, what = what, path = path }
  local callers = path and {} or script_callers(3)
  origins[token] = origin
  speak_of(origin, callers)
  return origin, callers
end

local function count_lines(text, stop)
  local n = 1
  for _ in text:sub(1, stop):gmatch("\n") do n = n + 1 end
  return n
end

local TOO_SHORT = 8 -- what stands in a file anyway, by chance

-- First byte of a line.
local function line_start(body, line)
  local at = 1
  for _ = 2, line do at = (body:find("\n", at, true) or #body) + 1 end
  return at
end

-- Where the text stands in a file: the first bytes, in order.
local function occurrences(body, text)
  local list, at = {}, body:find(text, 1, true)
  while at do
    list[#list + 1] = at
    at = body:find(text, at + #text, true)
  end
  return list
end

-- The first of the places behind the start of a call's line, if the call still goes on there: the
-- text opens on that line, or parentheses or braces opened on it are not closed before.
local function argument_of(body, places, start)
  for _, at in ipairs(places) do
    if at > start then
      local between = body:sub(start, at - 1):gsub("\n$", "")
      local open = between:gsub("%b()", ""):gsub("%b{}", ""):find("^[^\n]*[({]")
      return (open or not between:find("\n", 1, true)) and at or nil
    end
  end
end

-- Which of several equal texts the callers mean: one written into a call, else the nearest before
-- the innermost call.
local function meant(body, places, lines)
  for _, line in ipairs(lines) do
    local at = argument_of(body, places, line_start(body, line))
    if at then return at end
  end
  local nearest, stop = places[1], line_start(body, lines[1] + 1)
  for _, at in ipairs(places) do
    if at < stop then nearest = at end
  end
  return nearest
end

-- The text for the compiler, with marks that let messages point at it, and `after`, which ends what
-- the text begins: when that comes too early for the compiler it says so at the text's last line.
local function quoted(origin, after)
  local text = ('#line 1 "%s"\n%s\n'):format(origin.token, origin.text)
  if after then
    text = ('%s#line %d "%s"\n%s\n'):format(text, count_lines(origin.text, #origin.text),
      origin.token, after)
  end
  return text .. '#line 1 "luacuda"\n'
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
        local at = #places == 1 and places[1] or meant(body, places, caller.lines)
        origin.file, origin.first = caller.path, count_lines(body, at - 1)
        break
      end
    end
  end
  return origin.file or ("<" .. origin.what .. ">"), origin.first
end

-- (token, line) -> file and line for people; nil for a name that is not a token of ours.
local function map(token, line)
  local hex = token:match(TOKEN_PATTERN)
  local origin = hex and origins["/luacuda/" .. hex .. ".cu"]
  if not origin then return nil end
  local file, first = locate(origin)
  return file, line + first - 1
end

-- The user's own text of a line, or nil.
local function line_text(token, line)
  local origin = origins[token]
  if not origin or line < 1 then return nil end
  local n = 0
  for text in (origin.text .. "\n"):gmatch("(.-)\r?\n") do
    n = n + 1
    if n == line then return text end
  end
  return nil
end

-- Replaces every token in a message, with the line after it where there is one ("token(12)" and
-- "token:12").
local function map_message(text)
  if not text:find("/luacuda/", 1, true) then return text end
  local function replace(token, open, line, close)
    local file, at = map(token, tonumber(line))
    if not file then return nil end
    return close == "" and (file .. ":" .. at) or (file .. open .. at .. close)
  end
  text = text:gsub("(/luacuda/%x+%.cu)([:])(%d+)()",
    function(token, open, line) return replace(token, open, line, "") end)
  text = text:gsub("(/luacuda/%x+%.cu)(%()(%d+)(%))", replace)
  return (text:gsub("/luacuda/%x+%.cu", function(token) return (map(token, 1)) end))
end

return {
  register = register, hold = hold, quoted = quoted, speak_of = speak_of, map = map,
    map_message = map_message,
  line_text = line_text,
}

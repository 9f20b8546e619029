-- origins.lua: where kernel text comes from. The compiler sees each text under a made-up file name,
-- its token, so compiled code does not depend on the location of a script. Messages are mapped back
-- to the file and line where the user wrote the text (positions.lua).

local core = require "luacuda.core"

-- token -> origin; an origin lives as long as a module or template needs it
local origins = setmetatable({}, { __mode = "v" })

-- A fault may be reported after the last handle of its kernel was collected. Therefore this table
-- keeps the origins of a module, and keeps them for a while after the module has ended. The module
-- alone cannot: a weak table drops them before its finalizer runs.
local KEPT = 64
-- number of an open module -> list of origins; -1 to -KEPT: those of the modules that ended last
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

-- Keeps the origins that the texts of a description name for as long as the returned value lives.
local function hold(spec)
  local list = { spec.origin }
  for _, unit in ipairs(spec.link and spec.link.units or {}) do list[#list + 1] = unit.origin end
  if spec.text then origins_in(spec.text, list) end
  for _, text in pairs(spec.headers or {}) do origins_in(text, list) end
  modules = modules + 1
  kept[modules] = list
  return setmetatable({ number = modules }, Hold)
end

local OWN = debug and debug.getinfo(1, "S").source:match("^@(.*[/\\])source[/\\]")

-- The files of the running script on the call stack, without the library's own: a list of { path =,
-- lines = }, innermost first, where `lines` are the lines of its calls.
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

-- Equal texts share one origin. From now on messages refer to the place that these callers gave.
local function speak_of(origin, callers)
  if origin.callers ~= callers then origin.callers, origin.file = callers, nil end
end

-- Registers a text of the user. Returns its origin { token =, text =, what =, path = } and its
-- callers. `what` names it where no file is found ("template", "source"); `path` means that the
-- text is that whole file.
local function register(text, what, path)
  local token = "/luacuda/" .. core.sha256(what, path or "", text):sub(1, 16) .. ".cu"
  local origin = origins[token] or { token = token, text = text, what = what, path = path }
  local callers = path and {} or script_callers(3)
  origins[token] = origin
  speak_of(origin, callers)
  return origin, callers
end

-- The number of the line of text[stop].
local function count_lines(text, stop)
  local n = 1
  for _ in text:sub(1, stop):gmatch("\n") do n = n + 1 end
  return n
end

-- The text for the compiler, with marks that let messages point at it. `after` ends what the text
-- begins; its line number is that of the text's last line, so that a premature end is reported
-- there.
local function quoted(origin, after)
  local text = ('#line 1 "%s"\n%s\n'):format(origin.token, origin.text)
  if after then
    text = ('%s#line %d "%s"\n%s\n'):format(text, count_lines(origin.text, #origin.text),
      origin.token, after)
  end
  return text .. '#line 1 "luacuda"\n'
end

-- origins.of(token) -> the origin, or nil
local function of(token) return origins[token] end

return {
  register = register, hold = hold, quoted = quoted, speak_of = speak_of, of = of,
  count_lines = count_lines,
}

-- logs.lua: the compiler's log as a list of diagnostics, and as text that points at the user's own
-- lines.

local positions = require "luacuda.source.positions"

-- The diagnostics of a log: one for each "file(line): severity ...: text", with the excerpt lines
-- that follow it.
local function diagnostics(log)
  local list, current = {}, nil
  for line in (log .. "\n"):gmatch("(.-)\r?\n") do
    local file, at, severity, text = line:match("^(.-)%((%d+)%): (%l[%l ]*)(.*)$")
    at = math.tointeger(tonumber(at))
    if at and (severity:find("error") or severity:find("warning") or severity:find("remark")) then
      severity = severity:gsub("%s+$", "")
      current = { file = file, line = at, severity = severity, text = text:gsub("^:%s*", ""),
        excerpt = {} }
      list[#list + 1] = current
    elseif line == "" then
      current = nil
    elseif current then
      current.excerpt[#current.excerpt + 1] = line
    end
  end
  return list
end

-- The source line and caret below a diagnostic; the user's own line where it is known. NVRTC
-- indents both by two.
local function excerpt(d)
  local shown, caret = d.excerpt[1], nil
  for _, line in ipairs(d.excerpt) do
    if line:match("^%s*%^%s*$") then caret = line end
  end
  local own = positions.line_text(d.file, d.line)
  local generated = shown and shown:gsub("^  ", "")
  if own and own ~= generated then
    -- nvcc's has no comments
    local begins = generated and own:sub(1, #generated) == generated
    shown, caret = "  " .. own, begins and caret or nil
  end
  if not shown then return nil end
  return caret and (shown .. "\n" .. caret) or shown
end

local function format_diagnostic(d)
  local file, line = positions.map(d.file, d.line)
  local head = ("%s:%d: %s: %s"):format(file or d.file, line or d.line, d.severity, d.text)
  local body = excerpt(d)
  local notes = {}
  for i, text in ipairs(d.excerpt) do
    if i > 1 and not text:match("^%s*%^%s*$") and text:match("^%s+detected during") then
      notes[#notes + 1] = positions.map_message(text)
    end
  end
  return table.concat({ head, body, table.unpack(notes) }, "\n")
end

-- An error in a source may also be reported in the lines that were added after it, which the user
-- did not write. Where it is reported nowhere else, the first of those errors is shown; the others
-- follow from it.
local OWN_PARTS = { luacuda = true, __nv_name_map = true }
local LEFT_OPEN = "(found in text added around your source: does it leave a bracket open, or close "
  .. "one too many?)"
-- The added text checks itself. Such a check fails whatever the source is.
local OWN_FAULT = "(this is an error in LuaCUDA, not in your source: please report it)"

-- NVRTC takes a kernel with an unknown type in its parameters for a variable and reports that
-- first. The message about the unknown name is moved before these errors.
local CONSEQUENCES = { '^attribute "__%a+__" does not apply here',
  "^A namespace scope variable without memory space", '^incomplete type "void" is not allowed' }

local function is_consequence(d)
  for _, pattern in ipairs(CONSEQUENCES) do
    if d.text:find(pattern) then return true end
  end
  return false
end

local function names_cause(d)
  return d.text:find "is undefined" or d.text:find "has no member" or d.text:find "is not a t"
end

local function causes_first(list)
  local ordered, waiting = {}, {}
  local function flush()
    table.move(waiting, 1, #waiting, #ordered + 1, ordered)
    waiting = {}
  end
  for _, d in ipairs(list) do
    if is_consequence(d) then waiting[#waiting + 1] = d
    else
      if not names_cause(d) then flush() end
      ordered[#ordered + 1] = d
      flush()
    end
  end
  flush()
  return ordered
end

local function is_error(d) return d.severity:find "error" ~= nil end

local function without_own(list)
  local others, reported, first = {}, false, nil
  for _, d in ipairs(list) do
    if not OWN_PARTS[d.file] then
      others[#others + 1] = d
      reported = reported or is_error(d)
    else
      first = first or is_error(d) and d
    end
  end
  if reported or not first then return others end
  table.insert(others, 1, first)
  return others, first.text:find "^static assertion failed" and OWN_FAULT or LEFT_OPEN
end

local MOST_SHOWN = 20

-- logs.readable(log) -> the log for people: every diagnostic at the user's place, errors first. A
-- log without diagnostics is returned whole.
local function readable(log)
  local list = diagnostics(log)
  if #list == 0 then return (positions.map_message(log):gsub("%s+$", "")) end
  local errors, rest = {}, {}
  local shown, hint = without_own(list)
  for _, d in ipairs(causes_first(shown)) do
    local group = is_error(d) and errors or rest
    group[#group + 1] = d
  end
  table.move(rest, 1, #rest, #errors + 1, errors)
  local lines = {}
  for i = 1, math.min(#errors, MOST_SHOWN) do lines[i] = format_diagnostic(errors[i]) end
  if #errors > MOST_SHOWN then
    lines[#lines + 1] = ("... and %d more"):format(#errors - MOST_SHOWN)
  end
  lines[#lines + 1] = hint
  return table.concat(lines, "\n")
end

return { diagnostics = diagnostics, readable = readable }

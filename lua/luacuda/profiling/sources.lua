-- sources.lua: from the positions that compiled code has to the lines of the user's files.

local core = require "luacuda.core"
local positions = require "luacuda.source.positions"

local GAP = 12 -- lines without cost that are shown between two that have some

local function split(body)
  local list = {}
  for text in (body .. "\n"):gmatch "(.-)\r?\n" do list[#list + 1] = text end
  return list
end

local function is_generated(file) return not file or file:match "[^/]*$" == "luacuda" end

-- sources.reader() -> function (file, line): the file and line for people, and a function (line) ->
-- text or nil; nothing for generated code. It reads each file once.
local function reader()
  local files = {}
  local function text_of_file(path)
    if files[path] == nil then
      local body = core.file_read(path)
      files[path] = body and split(body) or {}
    end
    return function(line) return files[path][line] end
  end
  return function(raw, line)
    if is_generated(raw) then return nil end
    local file, mapped = positions.map(raw, line)
    if not file then return raw, line, text_of_file(raw) end
    local token, offset = raw:match "/luacuda/%x+%.cu$", mapped - line
    return file, mapped, function(n) return positions.line_text(token, n - offset) end
  end
end

-- The rows of one file: { line =, text =, cost = of profile.lines or nil }; { } stands for lines
-- that are left out.
local function rows_between(rows, text, from, to)
  if to - from > GAP then
    rows[#rows + 1] = {}
    return
  end
  for n = from, to - 1 do rows[#rows + 1] = { line = n, text = text(n) or "" } end
end

-- sources.files(lines, text_of) -> list of { file =, rows = } for lines in order; text_of[file] is
-- what the reader returned last.
local function files(lines, text_of)
  local list, last = {}, nil
  for _, cost in ipairs(lines) do
    if not last or last.file ~= cost.file then
      last = { file = cost.file, rows = {} }
      list[#list + 1] = last
    elseif cost.line then
      rows_between(last.rows, text_of[cost.file], last.line + 1, cost.line)
    end
    last.line = cost.line
    last.rows[#last.rows + 1] = { line = cost.line, text = cost.text, cost = cost }
  end
  for _, one in ipairs(list) do one.line = nil end
  return list
end

return { reader = reader, files = files }

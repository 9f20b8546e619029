-- pages.lua: the pages of docs/reference. Every function has a heading of its own, or a row of a
-- table with an anchor: "cuda.zeros" is #cudazeros, "array:slice" is #arrayslice.

local layout = require "luacuda.manual.layout"
local subjects = require "luacuda.manual.subjects"

local WIDTH = 100
local CALLABLE = subjects.CALLABLE

local function cell(text) return (text:gsub("%s+", " "):gsub("|", "\\|")) end

-- The anchor that GitHub gives to a heading: "cuda.zeros" -> "cudazeros".
local function anchor_of(heading)
  return (heading:lower():gsub("[^%w _%-]", ""):gsub(" ", "-"))
end

local function link(text, heading) return ("[%s](#%s)"):format(text, anchor_of(heading)) end

-- A place that links can name, where there is no heading.
local function place(entry) return ('<a id="%s"></a>'):format(anchor_of(layout.callee(entry))) end

-- Tables ------------------------------------------------------------------------------------------

local function field_row(entry)
  local value = entry.returns[1]
  local text = entry.text .. (value.text and " (" .. value.text .. ")" or "")
  local anchor = entry.kind == "index" and "" or place(entry)
  return ("| %s`%s` | %s | %s |"):format(anchor, layout.callee(entry), cell(value.type), cell(text))
end

local function add_table(lines, titles, rows)
  if #rows == 0 then return end
  lines[#lines + 1] = "| " .. table.concat(titles, " | ") .. " |"
  lines[#lines + 1] = "|" .. ("---|"):rep(#titles)
  table.move(rows, 1, #rows, #lines + 1, lines)
  lines[#lines + 1] = ""
end

local function add_fields(lines, entries)
  local rows = {}
  for _, entry in ipairs(entries) do
    if entry.kind == "field" or entry.kind == "index" then rows[#rows + 1] = field_row(entry) end
  end
  add_table(lines, { "field", "type", "meaning" }, rows)
end

-- A call without its options, which the rows of a table share.
local function short_call(entry)
  return layout.signatures({ class = entry.class, name = entry.name, kind = entry.kind,
    params = entry.params, options = {}, forms = {} })[1]
end

-- The text of an entry, with the parameters and results that it does not share.
local function row_words(entry)
  local parts, items = { entry.text }, {}
  for _, param in ipairs(entry.own.params and entry.params or {}) do
    if param.text then items[#items + 1] = layout.item(param) end
  end
  if #items > 0 then parts[2] = table.concat(items, "; ") .. "." end
  for _, value in ipairs(entry.own.returns and entry.returns or {}) do
    parts[#parts + 1] = "Returns " .. value.type .. (value.text and ": " .. value.text or "") .. "."
  end
  return table.concat(parts, " ")
end

local function row(entry, with_operators)
  local calls = place(entry) .. "`" .. short_call(entry) .. "`"
  if entry.twin then
    calls = calls .. (", %s`%s`"):format(place(entry.twin), short_call(entry.twin))
  end
  local operator = entry.operator and "`" .. cell(entry.operator) .. "`" or ""
  local text = cell(row_words(entry))
  if with_operators then return ("| %s | %s | %s |"):format(calls, operator, text) end
  return ("| %s | %s |"):format(calls, text)
end

local function has_operators(entries)
  for _, entry in ipairs(entries) do
    if entry.operator then return true end
  end
  return false
end

local function add_rows(lines, part)
  local rows, with_operators = {}, has_operators(part.entries)
  local titles = with_operators and { "call", "operator", "result" } or { "call", "result" }
  for i, entry in ipairs(part.entries) do rows[i] = row(entry, with_operators) end
  add_table(lines, titles, rows)
end

local function add_shared(lines, shared)
  local before = #lines
  layout.detail_lines(lines, shared, WIDTH)
  if #lines > before then lines[#lines + 1] = "" end
end

-- Rows of { name, words } under the row of their titles.
local function add_names(lines, names)
  local rows = {}
  for i = 2, #names do rows[i - 1] = ("| `%s` | %s |"):format(names[i][1], cell(names[i][2])) end
  add_table(lines, names[1], rows)
end

-- Headings ----------------------------------------------------------------------------------------

local function add_heading(lines, level, heading)
  lines[#lines + 1] = level .. " " .. heading
  lines[#lines + 1] = ""
end

local function heading_of(entry)
  return entry.kind == "call" and entry.class .. " call" or layout.callee(entry)
end

local function add_entry(lines, entry)
  add_heading(lines, "##", heading_of(entry))
  lines[#lines + 1] = "```lua"
  for _, signature in ipairs(layout.signatures(entry)) do
    local wrapped = layout.wrap_signature(signature, WIDTH)
    table.move(wrapped, 1, #wrapped, #lines + 1, lines)
  end
  lines[#lines + 1] = "```"
  lines[#lines + 1] = ""
  layout.add_text(lines, entry.text, WIDTH, true)
  layout.detail_lines(lines, entry, WIDTH)
  if lines[#lines] ~= "" then lines[#lines + 1] = "" end
end

local function add_rows_part(lines, part)
  add_heading(lines, "##", part.title)
  if part.text then layout.add_text(lines, part.text, WIDTH, true) end
  add_shared(lines, part.shared)
  add_rows(lines, part)
end

local function add_part(lines, part)
  if part.rows then return add_rows_part(lines, part) end
  if part.text then
    add_heading(lines, "##", part.class)
    layout.add_text(lines, part.text, WIDTH, true)
  end
  add_fields(lines, part.entries)
  for _, entry in ipairs(part.entries) do
    if CALLABLE[entry.kind] or entry.kind == "value" then add_entry(lines, entry) end
  end
end

-- Contents ----------------------------------------------------------------------------------------

local function name_link(entry)
  return link(entry.kind == "call" and "call" or entry.name, heading_of(entry))
end

local function contents_of(part)
  local names = {}
  for _, entry in ipairs(part.entries) do
    if CALLABLE[entry.kind] or entry.kind == "value" then names[#names + 1] = name_link(entry) end
  end
  local lead
  if part.rows then
    lead = link(part.title, part.title)
  elseif part.text then
    lead = link(part.class, part.class)
  else
    lead = "`" .. layout.receiver(part.class) .. "`"
  end
  return lead .. (#names > 0 and ": " or "") .. table.concat(names, " · ")
end

local function add_contents(lines, list)
  for _, subject in ipairs(list) do
    lines[#lines + 1] = "- " .. link(subject.title, subject.title)
    for _, part in ipairs(subject.parts) do
      for _, line in ipairs(layout.wrap("- " .. contents_of(part), WIDTH - 2, "  ")) do
        lines[#lines + 1] = "  " .. line
      end
    end
  end
  lines[#lines + 1] = ""
end

-- Pages -------------------------------------------------------------------------------------------

local function mark(source) return ("<!-- Made by tools/docgen.lua from %s. -->"):format(source) end

local function text_of(lines) return (table.concat(lines, "\n"):gsub("%s*$", "\n")) end

local INTRODUCTION = [[
One page for each subject. [The guide](../guide.md) explains how the functions fit together;
`cuda.help "zeros"` shows an entry at the prompt. Anchors are the letters of a name: `cuda.zeros` is
`#cudazeros`, `array:slice` is `#arrayslice`.]]

local function index_page(list)
  local lines = { mark "docs/api", "", "# LuaCUDA reference", "" }
  layout.add_text(lines, INTRODUCTION, WIDTH)
  add_contents(lines, list)
  return text_of(lines)
end

local function subject_page(subject)
  local lines = { mark(("docs/api/%s.lua"):format(subject.name)), "" }
  add_heading(lines, "#", subject.title)
  if subject.text then layout.add_text(lines, subject.text, WIDTH, true) end
  add_shared(lines, subject.shared)
  if subject.table then add_names(lines, subject.table) end
  for _, part in ipairs(subject.parts) do add_part(lines, part) end
  lines[#lines + 1] = "[All subjects](README.md)"
  return text_of(lines)
end

-- Links -------------------------------------------------------------------------------------------

-- Anchor -> name of its page. Links in docs/api name an anchor, so there is one of each name.
local function anchors_of(pages)
  local page_of = {}
  for name, text in pairs(pages) do
    local function add(anchor)
      if page_of[anchor] then error("docs/api: two places have the anchor #" .. anchor, 0) end
      page_of[anchor] = name
    end
    for heading in text:gmatch "\n#+ ([^\n]+)" do add(anchor_of(heading)) end
    for anchor in text:gmatch '<a id="([^"]+)">' do add(anchor) end
  end
  return page_of
end

-- The page `name` with the names of other pages in its links.
local function with_links(name, text, page_of)
  return (text:gsub("%]%(#([^%)]+)%)", function(anchor)
    local page = page_of[anchor]
    if not page then
      error(("docs/api: %s links to #%s, which no page has"):format(name, anchor), 0)
    end
    return page ~= name and ("](%s#%s)"):format(page, anchor) or nil
  end))
end

-- pages(subjects) -> name of a page -> its text
local function pages(list)
  local made, linked = { ["README.md"] = index_page(list) }, {}
  for _, subject in ipairs(list) do made[subject.name .. ".md"] = subject_page(subject) end
  local page_of = anchors_of(made)
  for name, text in pairs(made) do linked[name] = with_links(name, text, page_of) end
  return linked
end

return pages

-- help_texts.lua: the texts of cuda.help by name: "zeros", "Array.slice", "Array". Each is made
-- when it is first asked for.

local layout = require "luacuda.manual.layout"
local subjects = require "luacuda.manual.subjects"

local WIDTH = 78

local function add_lines(into, from, indent)
  for _, line in ipairs(from) do into[#into + 1] = line == "" and "" or indent .. line end
end

-- Links and code marks say nothing in a terminal.
local function plain(text)
  return (text:gsub("%[([^%]\n]+)%]%(#[^%)]*%)", "%1"):gsub("`", ""))
end

local function entry_text(entry)
  local lines, text, details = {}, {}, {}
  for _, signature in ipairs(layout.signatures(entry)) do
    add_lines(lines, layout.wrap_signature(signature, WIDTH), "")
  end
  layout.add_text(text, plain(layout.full_text(entry)), WIDTH - 2)
  layout.detail_lines(details, entry, WIDTH)
  add_lines(lines, text, "  ")
  add_lines(lines, details, "")
  return (plain(table.concat(lines, "\n")):gsub("%s*$", ""))
end

-- A class or the module: its words and the names in it.
local function class_text(class)
  local names, lines = {}, {}
  for i, entry in ipairs(class.entries) do names[i] = entry.name end
  layout.add_text(lines, plain(class.title .. ": " .. (class.text or "")), WIDTH)
  add_lines(lines, layout.wrap(table.concat(names, " "), WIDTH, ""), "")
  return table.concat(lines, "\n")
end

local function key_of(entry)
  return entry.class == subjects.MODULE and entry.name or entry.class .. "." .. entry.name
end

-- Name -> entry or class. A function that is also a method is one entry.
local function read_all()
  local all, list, classes = {}, subjects.read()
  for _, class in ipairs(classes) do
    class.title = class.name == subjects.MODULE and list[1].title or class.name
    all[class.name] = class
    for _, entry in ipairs(class.entries) do
      all[key_of(entry)] = entry.derived and entry.twin or entry
    end
  end
  return all
end

local all, texts = read_all(), {}

local M = { names = {} }                                     -- names: of all entries, sorted

for name in pairs(all) do M.names[#M.names + 1] = name end
table.sort(M.names)

-- text(name) -> the text; nil if there is no such entry
function M.text(name)
  local one = all[name]
  if one and not texts[name] then
    texts[name] = one.entries and class_text(one) or entry_text(one)
  end
  return texts[name]
end

-- signatures(name) -> the ways to write a call of a function; none for other names
function M.signatures(name)
  local one = all[name]
  return one and not one.entries and layout.signatures(one) or {}
end

return M

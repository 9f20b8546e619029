-- manual.lua: lua/luacuda/manual.lua, the texts of cuda.help by name: "zeros", "Array.slice",
-- "Array".

local read = require "tools.docgen.read"
local words = require "tools.docgen.words"

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
  for _, signature in ipairs(words.signatures(entry)) do
    add_lines(lines, words.wrap_signature(signature, WIDTH), "")
  end
  words.add_text(text, plain(words.full_text(entry)), WIDTH - 2)
  words.detail_lines(details, entry, WIDTH)
  add_lines(lines, text, "  ")
  add_lines(lines, details, "")
  return (plain(table.concat(lines, "\n")):gsub("%s*$", ""))
end

-- A class or the module: its words and the names in it.
local function class_text(class)
  local names, lines = {}, {}
  for i, entry in ipairs(class.entries) do names[i] = entry.name end
  words.add_text(lines, plain(class.title .. ": " .. (class.text or "")), WIDTH)
  add_lines(lines, words.wrap(table.concat(names, " "), WIDTH, ""), "")
  return table.concat(lines, "\n")
end

local function key_of(entry)
  return entry.class == read.MODULE and entry.name or entry.class .. "." .. entry.name
end

local function manual(subjects, classes)
  local lines, twins = { "-- Made by tools/docgen.lua from docs/api/*.lua: change those." }, {}
  lines[2] = "local manual = {"
  local function add(key, text)
    lines[#lines + 1] = ("  [%q] = %q,"):format(key, text)
  end
  for _, class in ipairs(classes) do
    for _, entry in ipairs(class.entries) do
      if entry.derived then twins[#twins + 1] = entry else add(key_of(entry), entry_text(entry)) end
    end
    class.title = class.name == read.MODULE and subjects[1].title or class.name
    add(class.name, class_text(class))
  end
  lines[#lines + 1] = "}"
  for _, entry in ipairs(twins) do
    lines[#lines + 1] = ("manual[%q] = manual[%q]"):format(key_of(entry), key_of(entry.twin))
  end
  lines[#lines + 1] = "return manual"
  return table.concat(lines, "\n") .. "\n"
end

return manual

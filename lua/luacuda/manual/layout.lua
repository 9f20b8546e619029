-- layout.lua: what cuda.help, the pages of the reference and the types share: how a function is
-- called, and lines that are not too long.

local subjects = require "luacuda.manual.subjects"

local M = {}

-- "{ device =, stream = }"
local function options_word(options)
  local words = {}
  for i, option in ipairs(options) do words[i] = option.name .. " =" end
  return "{ " .. table.concat(words, ", ") .. " }"
end

-- Does the table of options have to be given?
function M.needs_options(entry)
  if entry.needed then return true end
  for _, option in ipairs(entry.options) do
    if not option.optional then return true end
  end
  return false
end

-- "shape [, dtype]"
local function parameters(params)
  local out = ""
  for _, param in ipairs(params) do
    local word = out == "" and param.name or ", " .. param.name
    out = out .. (not param.optional and word or (out == "" and "[" or " [") .. word .. "]")
  end
  return out
end

local function arguments(params, entry)
  local positional = parameters(params)
  if #entry.options == 0 then return "(" .. positional .. ")" end
  local options = options_word(entry.options)
  if positional == "" then return M.needs_options(entry) and options or "([" .. options .. "])" end
  if M.needs_options(entry) then return "(" .. positional .. ", " .. options .. ")" end
  return "(" .. positional .. " [, " .. options .. "])"
end

-- Tables of functions, in the module.
local TABLES = { Random = true, Cache = true, Profiler = true, Gpu = true }

-- Classes whose functions are globals, those of a kernel.
local GLOBALS = { Tile = true }

-- What a name of the class is written after: "cuda", "array", "cuda.cache".
function M.receiver(class)
  if class == subjects.MODULE then return "cuda" end
  if TABLES[class] then return "cuda." .. class:lower() end
  return class:lower()
end

-- What stands before the arguments: "cuda.zeros", "array:slice", "kernel".
function M.callee(entry)
  if GLOBALS[entry.class] then return entry.name end
  local receiver = M.receiver(entry.class)
  if entry.kind == "call" then return receiver end
  if entry.kind == "index" then return receiver .. entry.name end
  return receiver .. (entry.kind == "method" and ":" or ".") .. entry.name
end

-- "cuda.kernel{ source =, name =, ... }": the form with everything in one table.
local function table_call(entry)
  local words = {}
  for i, param in ipairs(entry.params) do words[i] = param.name .. " =" end
  return M.callee(entry) .. "{ " .. table.concat(words, ", ") .. ", ... }"
end

-- All ways to write a call, one a line: other forms of its arguments and the method of arrays.
function M.signatures(entry)
  if not subjects.CALLABLE[entry.kind] then return { M.callee(entry) } end
  local lines = { M.callee(entry) .. arguments(entry.params, entry) }
  for _, form in ipairs(entry.forms) do
    lines[#lines + 1] = M.callee(entry) .. "(" .. parameters(form) .. ")"
  end
  if entry.everything then lines[#lines + 1] = table_call(entry) end
  if entry.twin then
    lines[#lines + 1] = M.callee(entry.twin) .. arguments(entry.twin.params, entry.twin)
  end
  return lines
end

-- The text in lines of at most `width` characters; `indent` stands before all but the first.
function M.wrap(text, width, indent)
  local lines, line = {}, ""
  for word in text:gmatch "%S+" do
    if line ~= "" and #line + 1 + #word > width then
      lines[#lines + 1] = line
      line = indent .. word
    else
      line = line == "" and word or line .. " " .. word
    end
  end
  lines[#lines + 1] = line
  return lines
end

-- The lines of code: with four spaces in front, or without them between fences.
local function code_lines(code, fenced)
  local lines = { fenced and "```lua" }
  for line in code:gmatch "[^\n]+" do lines[#lines + 1] = fenced and line:sub(5) or line end
  if fenced then lines[#lines + 1] = "```" end
  return lines
end

-- Appends paragraphs, wrapped, with an empty line after each. Code keeps its lines; `fenced`: it
-- goes between fences.
function M.add_text(lines, text, width, fenced)
  for paragraph in (text .. "\n\n"):gmatch "(.-)\n\n" do
    local added = paragraph:find "^    " and code_lines(paragraph, fenced)
      or M.wrap(paragraph, width, paragraph:find "^%- " and "  " or "")
    table.move(added, 1, #added, #lines + 1, lines)
    lines[#lines + 1] = ""
  end
end

-- A signature in lines; "name =" stays together.
function M.wrap_signature(text, width)
  local lines = M.wrap(text:gsub(" =", "\0="), width, "    ")
  for i, line in ipairs(lines) do lines[i] = line:gsub("%z=", " =") end
  return lines
end

-- The words on an entry where its group's do not stand above it.
function M.full_text(entry)
  return entry.text .. (entry.group and "\n\n" .. entry.group or "")
end

local function kind_words(item)
  return item.type .. (item.default and ", default " .. item.default or "")
end

-- "`shape` (integer|integer[]): elements per axis"
function M.item(item)
  local name = item.name and ("`%s` "):format(item.name) or ""
  return ("%s(%s)%s"):format(name, kind_words(item), item.text and ": " .. item.text or "")
end

-- The same in lines
function M.item_lines(lines, lead, item, width)
  local indent, words = lead:match "^%s*", lead .. M.item(item)
  for _, line in ipairs(M.wrap(words:gsub("^%s+", ""), width - #indent, "  ")) do
    lines[#lines + 1] = indent .. line
  end
end

-- Parameters, options, results and errors of an entry, one or more lines each.
function M.detail_lines(lines, entry, width)
  for _, param in ipairs(entry.params) do M.item_lines(lines, "- ", param, width) end
  if #entry.options > 0 then lines[#lines + 1] = "- options:" end
  for _, option in ipairs(entry.options) do M.item_lines(lines, "  - ", option, width) end
  local lead = entry.kind == "value" and "- type " or "- returns "
  for _, value in ipairs(entry.returns) do M.item_lines(lines, lead, value, width) end
  if entry.raises then
    local wrapped = M.wrap("- raises " .. entry.raises, width, "  ")
    table.move(wrapped, 1, #wrapped, #lines + 1, lines)
  end
end

return M

-- types.lua: the public interface as annotations for the Lua language server. Options become
-- classes of their own (luacuda.options.zeros), so that an editor shows their words.

local layout = require "luacuda.manual.layout"
local subjects = require "luacuda.manual.subjects"

local WIDTH = 100
local MODULE = subjects.MODULE

-- Types -------------------------------------------------------------------------------------------

local function class_name(name) return name == MODULE and "luacuda" or "luacuda." .. name end

-- A table literal is checked against the fields of every class in a union; "table" alone would not
-- stop that, a table of anything does.
local NAMES = { table = "table<any, any>" }

local function type_of(text, known)
  return (text:gsub('%f[%w"][%a]+%f[^%w"]', function(name)
    if known[name] then return class_name(name) end
    return NAMES[name]
  end))
end

local function known_classes(classes)
  local known = { Dtype = true }
  for _, class in ipairs(classes) do known[class.name] = true end
  return known
end

-- Checkers would want a cast wherever a result is used that may be an array, a number or a complex
-- number.
local function return_type(text, known)
  if text:find "number" and (text:find "Array" or text:find "Complex") then return "any" end
  return (type_of(text, known):gsub("table<any, any>", "table"))
end

-- Comments ----------------------------------------------------------------------------------------

local function add_comment(lines, text)
  local wrapped = {}
  layout.add_text(wrapped, text, WIDTH - 3)
  if wrapped[#wrapped] == "" then wrapped[#wrapped] = nil end
  for _, line in ipairs(wrapped) do lines[#lines + 1] = "---" .. line end
end

local function item_text(item)
  if not item.default then return item.text and " " .. item.text or "" end
  return item.text and (" %s (default %s)"):format(item.text, item.default)
    or " default: " .. item.default
end

-- An annotation cannot go on in the next line: long words stand above it.
local function add_field(lines, name, type, text)
  local line = ("---@field %s %s"):format(name, type)
  if #line + 1 + #text <= WIDTH then
    lines[#lines + 1] = line .. " " .. text
  else
    add_comment(lines, text)
    lines[#lines + 1] = line
  end
end

-- Options -----------------------------------------------------------------------------------------

local function option_lines(options, known)
  local lines = {}
  for _, option in ipairs(options) do
    add_field(lines, option.name .. (option.optional and "?" or ""), type_of(option.type, known),
      (item_text(option):gsub("^ ", "")))
  end
  return lines
end

-- A class with these options as fields; equal ones share the first one's class.
local function class_of(state, options, name)
  local text = table.concat(option_lines(options, state.known), "\n"):gsub(" +%f[\n\0]", "")
  if not state.options[text] then
    state.options[text] = name
    state.lines[#state.lines + 1] = "---@class " .. name .. "\n" .. text .. "\n"
  end
  return state.options[text]
end

local function options_class(state, entry)
  if #entry.options == 0 then return nil end
  local owner = entry.class == MODULE and "" or entry.class:lower() .. "_"
  return class_of(state, entry.options, "luacuda.options." .. owner .. entry.name:gsub("^__", ""))
end

-- The class of a table with everything: parameters and options. An option with the name of a
-- parameter describes it better there.
local function everything_class(state, entry)
  local all, options = {}, {}
  for _, option in ipairs(entry.options) do options[option.name] = true end
  for _, param in ipairs(entry.params) do
    if not options[param.name] then all[#all + 1] = param end
  end
  table.move(entry.options, 1, #entry.options, #all + 1, all)
  return class_of(state, all, "luacuda.options." .. entry.name .. "_table")
end

-- Functions ---------------------------------------------------------------------------------------

local function returns_word(entry, known)
  local types = {}
  for i, value in ipairs(entry.returns) do
    types[i] = (value.name == "..." and "...: " or "") .. return_type(value.type, known)
  end
  return #types > 0 and ": " .. table.concat(types, ", ") or ""
end

-- What comes before options has to be given; among any number of arguments they may be the last.
local function overload(params, options, entry, known)
  local list = {}
  for _, param in ipairs(params) do
    local mark = param.optional and not options and "?" or ""
    list[#list + 1] = ("%s%s: %s"):format(param.name, mark, type_of(param.type, known))
  end
  if options and list[#list] and params[#params].name == "..." then
    list[#list] = list[#list] .. "|" .. options:match "luacuda.*"
  elseif options then
    list[#list + 1] = options
  end
  return ("---@overload fun(%s)%s"):format(table.concat(list, ", "), returns_word(entry, known))
end

local function required(params)
  local n = 0
  for i, param in ipairs(params) do
    if not param.optional then n = i end
  end
  return n
end

-- Calls with the options in the place of optional parameters: the first `most` or fewer are given.
local function add_shorter(lines, params, most, options, entry, known)
  if not options or entry.fixed then return end
  for n = required(params), most do
    lines[#lines + 1] = overload(table.move(params, 1, n, 1, {}), "options: " .. options, entry,
      known)
  end
end

local function add_overloads(lines, entry, options, state)
  local known = state.known
  add_shorter(lines, entry.params, #entry.params - 1, options, entry, known)
  for _, form in ipairs(entry.forms) do
    lines[#lines + 1] = overload(form, nil, entry, known)
    add_shorter(lines, form, #form, options, entry, known)
  end
  if entry.everything then
    lines[#lines + 1] = overload({}, "everything: " .. everything_class(state, entry), entry, known)
  end
end

local function add_params(lines, entry, options, known, needed)
  local names = {}
  for i, param in ipairs(entry.params) do
    names[i] = param.name
    lines[#lines + 1] = ("---@param %s%s %s%s"):format(param.name, param.optional and "?" or "",
      type_of(param.type, known), item_text(param))
  end
  if options then
    names[#names + 1] = "options"
    lines[#lines + 1] = "---@param options" .. (needed and " " or "? ") .. options
  end
  return table.concat(names, ", ")
end

-- `reduces`: an array with options, a Lua value without.
local function add_returns(lines, entry, known)
  if entry.reduces then
    lines[#lines + 1] = "---@return luacuda.Array # " .. entry.returns[1].text
    lines[#lines + 1] = overload(entry.params, nil, entry, known)
    return
  end
  for _, value in ipairs(entry.returns) do
    local many = value.name == "..." and " ..." or ""
    local text = value.text and " # " .. value.text or ""
    lines[#lines + 1] = "---@return " .. return_type(value.type, known) .. many .. text
  end
end

local function add_function(lines, entry, state)
  local options = options_class(state, entry)
  local needed = entry.reduces or layout.needs_options(entry)
  add_comment(lines,
    layout.full_text(entry) .. (entry.raises and "\n\nRaises " .. entry.raises .. "." or ""))
  local names = add_params(lines, entry, options, state.known, needed)
  add_returns(lines, entry, state.known)
  add_overloads(lines, entry, options, state)
  local receiver = entry.class == MODULE and "cuda." or entry.class
    .. (entry.kind == "method" and ":" or entry.kind == "function" and "." or "")
  lines[#lines + 1] = ("function %s%s(%s) end"):format(receiver, entry.name, names)
  lines[#lines + 1] = ""
end

-- Classes -----------------------------------------------------------------------------------------

local FIELD = { field = true, value = true, index = true }

local function add_members(lines, class, state)
  local known = state.known
  for _, entry in ipairs(class.entries) do
    if FIELD[entry.kind] then
      local name = entry.key and "[" .. type_of(entry.key, known) .. "]" or entry.name
      add_field(lines, name, type_of(entry.returns[1].type, known), (entry.text:gsub("%s+", " ")))
    elseif entry.kind == "call" then
      lines[#lines + 1] = overload(entry.params, options_class(state, entry), entry, known)
    end
  end
  for _, operator in ipairs(class.operators or {}) do
    lines[#lines + 1] = "---@operator " .. operator:gsub(": (%a+)$", function(result)
      return ": " .. type_of(result, known)
    end)
  end
end

local function add_class(lines, class, state)
  if class.text then add_comment(lines, class.text) end
  local extends = class.extends and ": " .. type_of(class.extends, state.known) or ""
  lines[#lines + 1] = "---@class " .. class_name(class.name) .. extends
  add_members(lines, class, state)
  local variable = class.name == MODULE and "cuda" or class.name
  lines[#lines + 1] = ("local %s = {}"):format(variable)
  lines[#lines + 1] = ""
  for _, entry in ipairs(class.entries) do
    if entry.kind == "function" or entry.kind == "method" then add_function(lines, entry, state) end
  end
end

-- An editor offers these names; any string is accepted, for the short forms.
local function add_dtypes(lines, dtypes)
  lines[#lines + 1] = "---The name of an element type, or a struct type."
  lines[#lines + 1] = "---@alias luacuda.Dtype"
  for _, name in ipairs(dtypes) do lines[#lines + 1] = ('---| "%s"'):format(name) end
  table.move({ "---| string", "---| luacuda.Struct", "" }, 1, 3, #lines + 1, lines)
end

-- types(classes, names of element types) -> the text
local function types(classes, dtypes)
  local state = { known = known_classes(classes), options = {}, lines = {} }
  local lines, module = {}, nil
  for _, class in ipairs(classes) do
    if class.name == MODULE then module = class else add_class(lines, class, state) end
  end
  add_class(lines, module, state)
  local head = { "---@meta luacuda", "-- luacheck: ignore",
    "-- Made by tools/docgen.lua from docs/api/*.lua: change those.", "" }
  add_dtypes(head, dtypes)
  table.move(state.lines, 1, #state.lines, #head + 1, head)
  table.move(lines, 1, #lines, #head + 1, head)
  head[#head + 1] = "return cuda"
  return table.concat(head, "\n") .. "\n"
end

return types

-- outline.lua: finds the kernels and device variables of CUDA C++ text without compiling it. It
-- looks only for names that the compiler has to resolve; users can still give names that it misses.

local fields = require "luacuda.source.fields"
local tokenizer = require "luacuda.source.tokens"

local CLOSING, is_word = tokenizer.CLOSING, tokenizer.is_word
local skip_group, skip_angles = tokenizer.skip_group, tokenizer.skip_angles

-- Parameters --------------------------------------------------------------------------------------

local TYPE_WORDS = {}
for word in ([[void bool char short int long float double signed unsigned const volatile auto size_t
  int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t]]):gmatch "%S+" do
  TYPE_WORDS[word] = true
end

local DEPTH = { ["<"] = 1, ["("] = 1, ["{"] = 1, ["["] = 1, [">"] = -1, [")"] = -1, ["}"] = -1,
  ["]"] = -1 }

-- The last identifier of the parameter from tokens[first] to tokens[last], its default value left
-- out; that of "float (*name)(int)" is name.
local function parameter_word(tokens, first, last)
  local word, depth = nil, 0
  for i = first, last do
    local t = tokens[i]
    depth = depth + (DEPTH[t] or 0)
    if t == "=" and depth == 0 or t == "[" and depth == 1 then return word end
    if depth == 0 and is_word(t) then word = t end
    local is_pointer = t == "*" and depth == 1 and tokens[i - 1] == "(" and is_word(tokens[i + 1])
    if is_pointer then return tokens[i + 1] end
  end
  return word
end

-- The types of handles: the compiler sees `unsigned long long`.
local HANDLES = { cudaTextureObject_t = "t", CUtexObject = "t", cudaSurfaceObject_t = "s",
  CUsurfObject = "s" }

-- What the parameter from tokens[first] to tokens[last], called `name`, is declared as: "t" for a
-- texture, "s" for a surface, "-" for numbers and pointers to them, "?" for any other name.
local function parameter_kind(tokens, first, last, name)
  local kind = "-"
  for i = first, last do
    local t = tokens[i]
    if t == "=" then return kind end
    if HANDLES[t] then return HANDLES[t] end
    if is_word(t) and t ~= name and not TYPE_WORDS[t] then kind = "?" end
  end
  return kind
end

-- The names of the parameters in the group that begins with tokens[first] = "(", "" for an unnamed
-- one, and a letter of parameter_kind for each.
local function parameter_names(tokens, first)
  local names, kinds, start, depth, word = {}, {}, first + 1, 0, nil
  local stop = skip_group(tokens, first) - 1
  for i = first + 1, stop do
    if tokens[i] == "," and depth == 0 or i == stop then
      if i > start then
        word = parameter_word(tokens, start, i - 1)
        names[#names + 1] = word and not TYPE_WORDS[word] and word or ""
        kinds[#kinds + 1] = parameter_kind(tokens, start, i - 1, names[#names])
      end
      start = i + 1
    else
      depth = depth + (DEPTH[tokens[i]] or 0)
    end
  end
  if #names == 1 and word == "void" then return {}, "" end
  return names, table.concat(kinds)
end

-- Declarations ------------------------------------------------------------------------------------

-- Reads a declaration from tokens[i], which follows its qualifier: "function" or "variable", the
-- name, and the index of the "(" of a function or the index after the name of a variable.
local function declaration(tokens, i)
  local name
  while tokens[i] do
    local t = tokens[i]
    if tokenizer.is_attribute(tokens, i) then
      i = skip_group(tokens, i + 1)
    elseif t == "(" then
      local pointer = tokenizer.pointer_name(tokens, i)
      if pointer then return "variable", pointer, skip_group(tokens, i) end
      return name and "function", name, i
    elseif t == ";" or t == "=" or t == "[" or t == "{" or t == "," then
      return name and "variable", name, i
    elseif t == "<" then
      i = skip_angles(tokens, i)
      -- an explicit specialization: k<int>(...)
      if tokens[i] == "(" then return nil, nil, i end
    else
      if is_word(t) then name = t end
      i = fields.after_definition(tokens, i) or i + 1
    end
  end
end

-- A name with the namespaces around it.
local function qualified(scopes, name)
  local parts = {}
  for _, scope in ipairs(scopes) do
    if scope ~= "" then parts[#parts + 1] = scope end
  end
  parts[#parts + 1] = name
  return table.concat(parts, "::")
end

-- Parameter names and kinds of definitions count; those of several definitions only where they
-- agree.
local function merge_names(entry, names, kinds, defined)
  if entry.definitions == 0 then
    entry.param_names, entry.param_kinds = names, kinds
    return
  end
  if not defined then return end
  local agree = table.concat(names, ",") == table.concat(entry.param_names or {}, ",")
  if not agree then entry.param_names = nil end
  if kinds ~= entry.param_kinds then entry.param_kinds = nil end
end

-- Notes a function in a list of functions and in a table by name.
local function add_function(reader, name, paren, list, by_name)
  local tokens = reader.tokens
  local full = qualified(reader.scopes, name)
  local entry = by_name[full]
  if not entry then
    entry = { name = full, definitions = 0, template = reader.template }
    by_name[full] = entry
    list[#list + 1] = entry
  end
  local defined = tokens[skip_group(tokens, paren)] ~= ";"
  local names, kinds = parameter_names(tokens, paren)
  merge_names(entry, names, kinds, defined)
  if defined then entry.definitions = entry.definitions + 1 end
end

local function add_variable(reader, name, kind, typeless)
  local found, full = reader.found, qualified(reader.scopes, name)
  if found.by_variable[full] then return end
  found.by_variable[full] = kind
  found.typeless[full] = typeless
  found.unnamed = found.unnamed or kind ~= "plain"
  found.variables[#found.variables + 1] = full
end

-- "template", "managed" or "plain" for the declaration from tokens[first] to before tokens[last].
local function variable_kind(reader, first, last)
  if reader.template then return "template" end
  for i = first, last - 1 do
    if reader.tokens[i] == "__managed__" then return "managed" end
  end
  return "plain"
end

-- Does the declaration define a type that has no name?
local function is_typeless(reader, first, last)
  for i = first, last - 1 do
    if fields.defines_unnamed(reader.tokens, i) then return true end
  end
  return false
end

-- Adds the variables of a declaration that begins at tokens[first]. The first of them is `name`,
-- which ends before tokens[i]. Returns the index of the ";".
local function add_variables(reader, name, first, i)
  local tokens, kind = reader.tokens, variable_kind(reader, first, i)
  local typeless = is_typeless(reader, first, i)
  -- between a "," and the end of the next name
  local open = false
  add_variable(reader, name, kind, typeless)
  while tokens[i] and tokens[i] ~= ";" do
    local t = tokens[i]
    if open and t:find "^[=%[{(]" or t == "," then
      if open and name then add_variable(reader, name, kind, typeless) end
      name, open = nil, t == ","
    elseif open and is_word(t) then
      name = t
    end
    i = CLOSING[t] and skip_group(tokens, i) or i + 1
  end
  if open and name then add_variable(reader, name, kind, typeless) end
  return i
end

-- Reading -----------------------------------------------------------------------------------------
-- Readers by token: each gets the reader and the index of the token and returns the index to go on
-- from.

local readers = {}

function readers.template(reader, i)
  if reader.tokens[i + 1] ~= "<" then return i + 1 end
  reader.template = true
  return skip_angles(reader.tokens, i + 1)
end

function readers.extern(reader, i)
  reader.external = reader.tokens[i + 1] ~= '"'
  if not reader.external then reader.found.extern_c = true end
  return i + 1
end

function readers.__global__(reader, i)
  local kind, name, paren = declaration(reader.tokens, i + 1)
  if kind ~= "function" then return i + 1 end
  add_function(reader, name, paren, reader.found.kernels, reader.found.by_name)
  reader.template = false
  return skip_group(reader.tokens, paren)
end

function readers.__device__(reader, i)
  local kind, name, at = declaration(reader.tokens, i + 1)
  if kind == "function" then
    if name ~= "operator" then
      add_function(reader, name, at, reader.found.functions, reader.found.by_function)
    end
    reader.template = false
    return skip_group(reader.tokens, at)
  end
  if kind ~= "variable" or reader.external then return at or i + 1 end
  reader.found.device_variables = true
  return add_variables(reader, name, i, at)
end

readers.__constant__, readers.__managed__ = readers.__device__, readers.__device__

-- Does a variable that lives on the device begin at tokens[i]?
local function is_device_variable(tokens, i)
  local t = tokens[i]
  return t == "__constant__" or t == "__managed__"
    or t == "__device__" and declaration(tokens, i + 1) == "variable"
end

readers["{"] = function(reader, i)
  local tokens, scopes = reader.tokens, reader.scopes
  reader.template, reader.external = false, false
  local scope = tokenizer.scope(tokens, i)
  if scope then
    scopes[#scopes + 1] = scope
    return i + 1
  end
  local after = skip_group(tokens, i)
  for j = i, after - 1 do
    if is_device_variable(tokens, j) then reader.found.device_variables = true end
  end
  return after
end

readers["}"] = function(reader, i)
  reader.scopes[#reader.scopes] = nil
  reader.template, reader.external = false, false
  return i + 1
end

readers[";"] = function(reader, i)
  reader.template, reader.external = false, false
  return i + 1
end

local function nothing_found()
  return { kernels = {}, functions = {}, variables = {}, by_name = {}, by_function = {},
    by_variable = {}, typeless = {}, extern_c = false, device_variables = false,
    conditional = false }
end

-- outline.declarations(text [, found]) -> {
--   kernels = list of { name, template, definitions, param_names, param_kinds },
--   by_name = the same by name, functions, by_function = the same of __device__ functions,
--   variables = list of names, by_variable = name -> "plain", "managed" or "template",
--   typeless = name -> has its type no name?,
--   unnamed = is one of them not plain?, extern_c =, device_variables =, conditional = booleans }
-- Names carry their namespaces. A kernel with definitions > 1 is overloaded or, where the text has
-- an #if (conditional), defined once per branch. `found` is extended.
local function declarations(text, found)
  found = found or nothing_found()
  if tokenizer.declares_nothing(text) then return found end
  found.conditional = found.conditional or text:find "#%s*if" ~= nil
  local tokens = tokenizer.split(tokenizer.blank(text, true), true)
  local reader = { tokens = tokens, found = found, scopes = {}, template = false, external = false }
  local i = 1
  while tokens[i] do
    local read = readers[tokens[i]]
    i = read and read(reader, i) or i + 1
  end
  return found
end

return { declarations = declarations }

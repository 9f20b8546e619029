-- fields.lua: the names of the fields of structs in CUDA C++ text; the compiler gives their types
-- and offsets.

local tokenizer = require "luacuda.source.tokens"

local CLOSING, is_word = tokenizer.CLOSING, tokenizer.is_word
local skip_group, skip_angles = tokenizer.skip_group, tokenizer.skip_angles

local NO_FIELD = { static = true, using = true, typedef = true, friend = true, template = true }
local NOT_PLAIN = { virtual = true, private = true, protected = true }
local TYPE_KEYS = { struct = true, class = true, union = true, enum = true }

-- Index after the member at tokens[i] that takes no room: after its ";" or after the body of a
-- function.
local function skip_member(tokens, i, stop)
  while i < stop and tokens[i] ~= ";" do
    if tokens[i] == "{" then
      i = skip_group(tokens, i)
      return tokens[i] == ";" and i + 1 or i
    end
    i = CLOSING[tokens[i]] and skip_group(tokens, i) or i + 1
  end
  return i + 1
end

-- Reads the "struct", "class", "union" or "enum" at tokens[i]: this key, its name or nil, the index
-- of the "{" of its definition (nil where it only names a type), the index after its name or
-- attributes, and whether it has bases.
local function type_head(tokens, i)
  local key, name = tokens[i], nil
  i = i + 1
  if key == "enum" and TYPE_KEYS[tokens[i]] then i = i + 1 end
  while tokenizer.is_attribute(tokens, i) do i = skip_group(tokens, i + 1) end
  if is_word(tokens[i]) then name, i = tokens[i], i + 1 end
  local open = i
  if tokens[open] == "final" then open = open + 1 end
  if tokens[open] == ":" then
    repeat open = open + 1 until not tokens[open] or tokens[open] == "{" or tokens[open] == ";"
  end
  local defined = tokens[open] == "{" and open or nil
  return key, name, defined, i, open > i and tokens[open - 1] ~= "final"
end

local field_names

-- Reads the type at tokens[i], which members follow. Returns the index after it; the fields of a
-- struct that is defined there and cannot be named, because it or (`hidden`) a struct around it has
-- no name; whether its fields are fields of the struct around it when no member follows; whether it
-- is a union without a name.
local function member_type(tokens, i, hidden)
  local key, name, open, after, has_bases = type_head(tokens, i)
  if not open then return after end
  local fields
  if (key == "struct" or key == "class") and (hidden or not name) then
    fields = not has_bases and field_names(tokens, open, true) or { inner = {} }
  end
  return skip_group(tokens, open), fields, not name and key ~= "enum", not name and key == "union"
end

-- The names that the declarators of a member declare and the index after its ";"; nil where its
-- fields cannot be listed, because those of a union without a name overlap.
local function finish_member(member, i, inner)
  local names = member.names
  names[#names + 1] = member.name
  if #names == 0 and member.in_union then return nil end
  if #names == 0 and member.joins then                               -- its fields are fields here
    return #member.fields > 0 and member.fields or nil, i + 1
  end
  for _, field in ipairs(names) do inner[field] = member.fields end
  return names, i + 1
end

-- Reads the declarators of the member at tokens[i]: list of names and the index after its ";";
-- "function" for a member function; nil where the fields cannot be read from the text. `inner` gets
-- the fields of structs that cannot be named, by the names that are declared with them.
local function member_names(tokens, i, stop, inner, hidden)
  local member, frozen = { names = {} }, false
  while tokens[i] ~= ";" do
    local t, step = tokens[i], i + 1
    if i >= stop or t == ":" or NOT_PLAIN[t] then return nil end    -- a bit field
    if tokenizer.is_attribute(tokens, i) then step = skip_group(tokens, i + 1)
    elseif TYPE_KEYS[t] and not frozen then
      step, member.fields, member.joins, member.in_union = member_type(tokens, i, hidden)
    elseif t == "operator" then return "function"
    elseif t == "(" then
      local pointer = not frozen and tokenizer.pointer_name(tokens, i)
      if not frozen and not pointer then
        return member.name and tokens[i + 1] ~= "*" and "function" or nil
      end
      member.name, frozen, step = pointer or member.name, true, skip_group(tokens, i)
    elseif t == "{" or t == "[" then step = skip_group(tokens, i)
    elseif t == "<" and not frozen then step = skip_angles(tokens, i)
    elseif t == "=" then frozen = true
    elseif t == "," then
      member.names[#member.names + 1] = member.name
      member.name, frozen = nil, false
    elseif not frozen and is_word(t) then member.name = t end
    i = step
  end
  return finish_member(member, i, inner)
end

-- The names of the fields in the definition that begins with tokens[i] = "{"; nil where it has
-- anything but plain fields and functions.
function field_names(tokens, i, hidden)
  local names, stop = { inner = {} }, skip_group(tokens, i) - 1
  i = i + 1
  while i < stop do
    if tokens[i] == "public" and tokens[i + 1] == ":" then i = i + 2
    elseif NO_FIELD[tokens[i]] then i = skip_member(tokens, i, stop)
    else
      local member, after = member_names(tokens, i, stop, names.inner, hidden)
      if not member then return nil end
      if member == "function" then i = skip_member(tokens, i, stop)
      else
        table.move(member, 1, #member, #names + 1, names)
        for field, fields in pairs(member.inner or {}) do names.inner[field] = fields end
        i = after
      end
    end
  end
  return names
end

-- Calls found(name, i) for each struct and class that is defined from tokens[first] to
-- tokens[last]. Its name carries the scopes around it; tokens[i] is its "{".
local function each_struct(tokens, first, last, scope, found)
  local i = first
  while i <= last and tokens[i] do
    local t, step = tokens[i], i + 1
    if t == "struct" or t == "class" then
      local _, name, open, after, has_bases = type_head(tokens, i)
      step = after
      if open then
        step = skip_group(tokens, open)
        -- typedef struct { ... } Name;
        local last_name = is_word(tokens[step]) and tokens[step]
        local full = scope .. (name or last_name or "")
        if not has_bases then found(full, open) end
        each_struct(tokens, open + 1, step - 2, full .. "::", found)
      end
    elseif t == "{" then
      local namespace, after = tokenizer.scope(tokens, i), skip_group(tokens, i)
      local inside = namespace and namespace ~= "" and namespace .. "::" or ""
      each_struct(tokens, i + 1, after - 2, scope .. inside, found)
      step = after
    end
    i = step
  end
end

-- fields.of(text, class) -> names of the fields of a struct, in order, and in `inner` the same
-- lists for fields whose structs cannot be named; nil where it is not found or not a plain
-- aggregate. A struct with the whole name goes before one with the same last name.
local function of(text, class)
  local tokens = tokenizer.split(tokenizer.blank(text, true))
  local whole = class:gsub("%b<>", "")
  local plain, exact, similar = whole:match "([%w_]+)$", nil, nil
  if not plain then return nil end
  each_struct(tokens, 1, #tokens, "", function(name, open)
    if name == whole then exact = exact or open
    elseif name:match "([%w_]+)$" == plain then similar = similar or open end
  end)
  local open = exact or similar
  return open and field_names(tokens, open)
end

-- fields.after_definition(tokens, i) -> the index after the body of the struct, class, union or
-- enum that tokens[i] begins to define; nil where it defines none
local function after_definition(tokens, i)
  local open = TYPE_KEYS[tokens[i]] and select(3, type_head(tokens, i))
  return open and skip_group(tokens, open)
end

-- fields.defines_unnamed(tokens, i) -> does tokens[i] begin to define a type without a name?
local function defines_unnamed(tokens, i)
  if not TYPE_KEYS[tokens[i]] then return false end
  local _, name, open = type_head(tokens, i)
  return open ~= nil and not name
end

return { of = of, after_definition = after_definition, defines_unnamed = defines_unnamed }

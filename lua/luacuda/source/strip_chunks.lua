-- strip_chunks.lua: the declarations of a file as chunks, each with the rule by which it is kept:
--
--   "always"   device code, and what has no cost
--   "never"    host code
--   "named"    kept if something kept mentions one of its names
--   "plain"    the same, and also if it consists of known words only
--   "explicit" an explicit instantiation: kept with what it instantiates
--   "declared" a constructor of the host: declared in its class, without a body
--   "using"    a using directive: kept where something of the namespace is
--
-- Chunk: { rule =, declaration =, tokens =, names = list, parent = chunk of the class around it,
--   children = list of chunks, has_code = has it functions?,
--   scope = list of the namespaces around it, without inline ones,
--   directs = list of the namespaces that a using directive names, is_library = a library's? }

local constructors = require "luacuda.source.strip_constructors"
local read = require "luacuda.source.strip_declaration"
local signatures = require "luacuda.source.strip_signature"
local tokenizer = require "luacuda.source.tokens"

local M = {}

local DEVICE = { "__global__", "__device__", "__constant__", "__shared__", "__managed__" }
local NAMESPACES = { cooperative_groups = true, nvcuda = true, cuda = true, cub = true, nv = true,
  thrust = true }
local ACCESS = { public = true, private = true, protected = true }
local MOST_CLASSES = 60                                                -- inside one another

-- Does a word mark device code, in CUDA's own libraries too?
local function is_device_word(word)
  return word:find "^_CCCL_[%w_]*DEVICE" ~= nil or word:find "^_CCCL_[%w_]*API$" ~= nil
    or word:find "^CUB_[%w_]*RUNTIME_FUNCTION$" ~= nil
end

local function has_mark(d)
  for _, mark in ipairs(DEVICE) do
    if d.marks[mark] then return true end
  end
  for word in pairs(d.marks) do
    if is_device_word(word) then return true end
  end
  return false
end

local function is_constant(d)
  return d.marks.constexpr or d.marks.const and not d.pointer
end

-- Does a definition without marks belong to a declaration that has them? nvcc takes it as a
-- function for devices.
local function is_declared_device(d, tokens, parent, unit)
  local full, trimmed = signatures(tokens, d, parent and parent.declaration.tag)
  return unit.device[full] or unit.device[trimmed]
end

local function note_device(d, tokens, parent, unit)
  if d.body or d.operator then return end
  local full, trimmed = signatures(tokens, d, parent and parent.declaration.tag)
  unit.device[full], unit.device[trimmed] = true, true
end

-- The rule of a function.
local function function_rule(d, tokens, parent, unit)
  if d.marks.__global__ then return "always" end
  if has_mark(d) then
    note_device(d, tokens, parent, unit)
    local either = d.marks.__host__ and not d.operator and not parent
    return either and not unit.whole and "named" or "always"
  end
  if d.explicit then return d.marks.extern and "never" or "explicit" end
  if d.special == "default" or d.special == "delete" then return parent and "always" or "named" end
  -- nvcc lets device code evaluate constexpr functions of the host
  d.annotated = d.marks.constexpr or d.marks.consteval
  if d.annotated or d.guide then return "named" end
  if d.body and not d.operator and is_declared_device(d, tokens, parent, unit) then
    return "always"
  end
  return constructors.is_one(d, tokens, parent) and "declared" or "never"
end

local function variable_rule(d, parent)
  if has_mark(d) then return "always" end
  if d.marks.concept then return "plain" end
  if d.marks.extern then return "never" end
  if is_constant(d) then return "plain" end
  local is_member = parent and not d.marks.static and #d.names > 0
  return is_member and "always" or "never"
end

local function using_rule(d, parent, unit)
  if d.assigned then return "plain" end
  if d.marks.namespace then return "using" end
  if parent then return "always" end
  return unit.text_of(d, "using") ~= "std" and "named" or "never"
end

-- The index of the first token after the body of a type and its attributes.
local function after_body(d, tokens)
  local i = tokens.match[d.open] + 1
  while tokenizer.is_attribute(tokens.text, i) or tokens.text[i] == "[" do
    i = (tokens.match[tokens.text[i] == "[" and i or i + 1] or i) + 1
  end
  return i
end

-- Has a type declarators after its body?
local function has_declarators(d, tokens)
  return d.open and tokens.text[after_body(d, tokens)] ~= ";"
end

local function type_rule(d, tokens, parent)
  if has_mark(d) then return "always" end
  if has_declarators(d, tokens) then
    if parent then return not d.marks.static and "always" or "never" end
    return (d.tag or d.key == "enum" or is_constant(d)) and "plain" or "never"
  end
  return parent and not d.tag and "always" or "plain"
end

local function rule_of(d, tokens, parent, unit)
  if d.marks.using then return using_rule(d, parent, unit) end
  if d.marks.namespace or d.marks.typedef then return "plain" end
  if d.marks.friend and not d.fn then return parent and "plain" or "never" end
  if d.marks.static_assert or d.marks._Static_assert then return "plain" end
  if d.explicit and d.key then return d.marks.extern and "never" or "explicit" end
  if d.fn then return function_rule(d, tokens, parent, unit) end
  if d.key then return type_rule(d, tokens, parent) end
  if d.marks.asm then return "never" end
  return variable_rule(d, parent)
end

-- Calls found(word) for the words of a macro, those of the macros in it included.
local function each_macro_word(unit, macro, found, seen)
  seen[macro] = true
  for _, word in ipairs(macro.body) do
    found(word)
    local inner = unit.macros[word]
    if inner and not seen[inner] then each_macro_word(unit, inner, found, seen) end
  end
end

-- The names that the call of a macro pastes together with ##.
local function pasted_names(macro, tokens, open)
  local text, given, first = tokens.text, {}, open + 1
  for i = open + 1, tokens.match[open] or open do
    if text[i] == "," or i == tokens.match[open] then
      given[#given + 1] = table.concat(text, " ", first, i - 1)
      first = i + 1
    end
  end
  local names, by_parameter = {}, {}
  for name in macro.parameters:gmatch "[%a_][%w_]*" do
    by_parameter[name] = given[1] and table.remove(given, 1) or ""
  end
  local body = macro.text:sub(#macro.parameters + 1)
  for pasted in body:gmatch "[%w_]+%s*##[%w_%s#]*" do
    names[#names + 1] = pasted:gsub("[%a_][%w_]*", by_parameter):gsub("[%s#]", "")
  end
  return names
end

-- The rule of a call of a macro at the beginning of a declaration: its body tells. nil where it is
-- only a part of a declaration.
local function macro_rule(unit, chunk, macro)
  local device, whole = false, false
  each_macro_word(unit, macro, function(word)
    for _, mark in ipairs(DEVICE) do device = device or word == mark end
    whole = whole or word == "{" or word == ";"
  end, {})
  if device and not whole then chunk.declaration.marks.__device__ = true end
  if not whole then return nil end
  chunk.names = pasted_names(macro, chunk.tokens, chunk.declaration.first + 1)
  return device and "always" or "plain"
end

-- A using directive declares nothing.
local function read_directive(chunk)
  local text, d = chunk.tokens.text, chunk.declaration
  chunk.names, chunk.directs = {}, {}
  for i = d.marks.namespace + 1, d.last do
    if text[i]:find "^[%a_]" then chunk.directs[#chunk.directs + 1] = text[i] end
  end
  chunk.is_library = NAMESPACES[chunk.directs[1]]
end

local add_members

-- The variables after the body of a host's type are no part of the type.
local function cut_variables(unit, chunk)
  local d, tokens = chunk.declaration, chunk.tokens
  local cut = { first = after_body(d, tokens), last = d.last - 1 }
  if cut.first > cut.last or tokens.text[d.last] ~= ";" then return end
  local variables = { rule = "never", declaration = cut, tokens = tokens, names = {},
    children = {}, parent = chunk, scope = chunk.scope }
  chunk.children[#chunk.children + 1] = variables
  unit.chunks[#unit.chunks + 1] = variables
end

local function new_chunk(unit, tokens, d, parent, depth)
  local chunk = { declaration = d, tokens = tokens, names = d.names, parent = parent,
    children = {}, scope = unit.scope }
  local macro = unit.macros[tokens.text[d.first]]
  local is_macro = macro and macro.call and tokens.text[d.first + 1] == "("
  chunk.rule = is_macro and macro_rule(unit, chunk, macro) or rule_of(d, tokens, parent, unit)
  if chunk.rule == "using" then read_directive(chunk) end
  if d.open and d.key ~= "enum" and depth < MOST_CLASSES then
    add_members(unit, tokens, chunk, depth)
  end
  local is_variable = d.open and not parent and chunk.rule == "plain"
    and not d.marks.typedef and not d.marks.using and not is_constant(d)
  if is_variable then cut_variables(unit, chunk) end
  if d.fn and chunk.rule ~= "never" and chunk.rule ~= "declared" then
    local above = parent
    while above do above, above.has_code = above.parent, true end
  end
  unit.chunks[#unit.chunks + 1] = chunk
  return chunk
end

function add_members(unit, tokens, chunk, depth)
  local d = chunk.declaration
  local i, stop = d.open + 1, tokens.match[d.open]
  while i < stop do
    local t = tokens.text[i]
    if ACCESS[t] and tokens.text[i + 1] == ":" then i = i + 2
    elseif t == ";" or t == "}" then i = i + 1
    else
      local member = read(tokens, i, stop)
      chunk.children[#chunk.children + 1] = new_chunk(unit, tokens, member, chunk, depth + 1)
      i = member.last + 1
    end
  end
end

-- The index of the "{" that opens a namespace or extern "C" at token i, and the names that code
-- outside has to mention to reach into it; nil for anything else.
local function scope_open(unit, tokens, i)
  local text, k, names = tokens.text, i, {}
  if text[k] == "extern" then
    return text[k + 1] == '"' and text[k + 2] == "{" and k + 2 or nil, names
  end
  local is_inline = text[k] == "inline"
  if is_inline then k = k + 1 end
  if text[k] ~= "namespace" then return nil end
  k = k + 1
  while text[k] and text[k] ~= "{" and text[k] ~= ";" and text[k] ~= "=" do
    local word = text[k]:match "^[%a_].*"
    if word then
      unit.namespaces[word] = unit.namespaces[word] or {}
      unit.namespaces[word][tokens] = true
      if not is_inline then names[#names + 1] = word end
    end
    k = k + 1
  end
  return text[k] == "{" and k or nil, names
end

-- The stack of namespaces with another on top, which the "{" at token `open` opens. If the end of
-- one is unknown, as in a branch of an #if, the names of later ones are uncertain and left out.
local function inner_scope(tokens, scope, open, names)
  local stop = tokens.match[open]
  if not stop or scope.loose then
    scope.loose = not stop
    names = {}
  end
  local inner = { outer = scope, stop = stop or math.huge, names = {} }
  table.move(scope.names, 1, #scope.names, 1, inner.names)
  table.move(names, 1, #names, #inner.names + 1, inner.names)
  return inner
end

-- The first word after `after` in a declaration.
local function text_of(tokens)
  return function(d, after)
    for i = d.first, d.last do
      if tokens.text[i] == after then
        local k = tokens.text[i + 1] == "::" and i + 2 or i + 1
        return tokens.text[k]
      end
    end
  end
end

-- strip_chunks.add(unit, tokens): adds the declarations of a file to unit.chunks.
function M.add(unit, tokens)
  local i, stop = 1, #tokens.text + 1
  local scope = { stop = stop, names = {} }
  unit.text_of = text_of(tokens)
  while i < stop do
    local t = tokens.text[i]
    local open, names = scope_open(unit, tokens, i)
    while i >= scope.stop do scope = scope.outer end
    if open then
      scope = inner_scope(tokens, scope, open, names)
      i = open + 1
    elseif t == ";" or t == "}" then i = i + 1
    else
      unit.scope = scope.names
      local d = read(tokens, i, stop)
      new_chunk(unit, tokens, d, nil, 1)
      i = d.last + 1
    end
  end
end

-- strip_chunks.add_whole(unit, tokens): adds a file as one declaration that stays.
function M.add_whole(unit, tokens)
  local d = { first = 1, last = #tokens.text, names = {}, marks = {}, own = {} }
  unit.chunks[#unit.chunks + 1] = { rule = "always", declaration = d, tokens = tokens, names = {},
    children = {}, scope = {} }
end

return M

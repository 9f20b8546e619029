-- strip_constants.lua: constants that other constants are computed from. nvcc replaces a
-- `const float` by its value wherever a constant expression is wanted; NVRTC does so for integers
-- only. A `const float` that the initializer of a variable mentions becomes `constexpr`. So does a
-- variable template, because NVRTC would use it in device code as a variable of the host.

local tokenizer = require "luacuda.source.tokens"

local is_word = tokenizer.is_word

local function is_variable(d) return not (d.fn or d.key or d.operator or d.explicit) end

-- Is the declaration's type float, double or a name for one of them?
local function is_real(d, aliases)
  if d.pointer or d.key or d.fn then return false end
  for word in pairs(d.marks) do
    if word == "float" or word == "double" or aliases[word] then return true end
  end
  return false
end

-- The names of types that are float or double.
local function aliases_of(unit)
  local aliases = {}
  for _, chunk in ipairs(unit.chunks) do
    local d, alias = chunk.declaration, chunk.names[1]
    local marks = alias and chunk.rule ~= "never" and d.marks or {}
    if marks.typedef and is_real(d, aliases) then aliases[alias] = true end
    if marks.using and d.assigned then
      local text, last = chunk.tokens.text, d.last - 1
      local real = text[last] == "float" or text[last] == "double" or aliases[text[last]]
      if real and text[last - 1] == "=" then aliases[alias] = true end
    end
  end
  return aliases
end

local function is_constant(chunk)
  local marks = chunk.declaration.marks
  return chunk.kept and not chunk.parent and marks.const and not marks.constexpr
    and not marks.volatile and not marks.typedef and not marks.using
    and is_variable(chunk.declaration)
end

-- Name -> chunk of the constants of real numbers.
local function constants_of(unit)
  local found, aliases = {}, aliases_of(unit)
  for _, chunk in ipairs(unit.chunks) do
    local d = chunk.declaration
    if is_constant(chunk) and is_real(d, aliases) then
      for _, name in ipairs(d.names) do found[name] = chunk end
    end
  end
  return found
end

-- Marks the constants that the initializers in a chunk mention.
local function mark(chunk, constants)
  local text, d, declared = chunk.tokens.text, chunk.declaration, {}
  for i = d.first, d.last do
    local constant = is_word(text[i]) and text[i - 1] ~= "." and constants[text[i]]
    if constant and (constant ~= chunk or declared[text[i]]) then constant.folded = true end
    if constant == chunk then declared[text[i]] = true end
  end
end

-- strip_constants(unit): sets chunk.folded of the constants among the kept chunks in unit.chunks
-- that become constexpr.
return function(unit)
  for _, chunk in ipairs(unit.chunks) do
    local d = chunk.declaration
    if d.template and not d.pointer and is_constant(chunk) then chunk.folded = true end
  end
  local constants = constants_of(unit)
  if next(constants) == nil then return end
  for _, chunk in ipairs(unit.chunks) do
    if chunk.kept and is_variable(chunk.declaration) then mark(chunk, constants) end
  end
end

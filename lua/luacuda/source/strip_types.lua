-- strip_types.lua: the parts of a declaration that have brackets or names of their own: template
-- arguments, pointers, types that are defined in it, and the members that a constructor sets. Each
-- function gets tokens (strip_tokens.lua) and the index of the first one.

local tokenizer = require "luacuda.source.tokens"

local is_word = tokenizer.is_word

local M = {}

local TYPE_KEYS = { struct = true, class = true, union = true, enum = true }
M.KEYS = TYPE_KEYS
local BEFORE_BODY = { ["{"] = true, [":"] = true, final = true }

-- The index after the group that begins at token i; i + 1 where it is not closed.
local function after_group(tokens, i) return (tokens.match[i] or i) + 1 end

M.after_group = after_group

-- The index after the ">" that closes the "<" at token i; i + 1 where it is none of a template.
local function after_angles(tokens, i, stop)
  local text, depth, start = tokens.text, 0, i
  while i < stop do
    local t = text[i]
    if t == "<" then depth = depth + 1
    elseif t == ">" and text[i - 1] ~= "-" then
      depth = depth - 1
      if depth == 0 then return i + 1 end
    elseif t == ";" or t == "}" or t == ")" then return start + 1
    elseif tokenizer.CLOSING[t] then i = after_group(tokens, i) - 1 end
    i = i + 1
  end
  return start + 1
end

M.after_angles = after_angles

-- The name in a declarator such as "(*name)(int)" that begins at token i; nil for anything else.
function M.pointer_name(tokens, i)
  local star, name = false, nil
  for k = i + 1, (tokens.match[i] or i) - 1 do
    local t = tokens.text[k]
    if t == "*" or t == "&" then star = true
    elseif tokenizer.CLOSING[t] or t == "," then break
    elseif is_word(t) then
      if not star and tokens.text[k + 1] ~= "::" then return nil end
      name = t
    end
  end
  return star and name
end

-- Index of the token after the members that a constructor sets, from the ":" at token i.
function M.after_initializers(tokens, i, stop)
  local text = tokens.text
  i = i + 1
  while i < stop do
    local t = text[i]
    if t == "<" then i = after_angles(tokens, i, stop)
    elseif t == "(" or t == "{" then
      i = after_group(tokens, i)
      while text[i] == "." do i = i + 1 end
      if text[i] ~= "," then return i end
      i = i + 1
    elseif is_word(t) or t == "::" then i = i + 1
    else return i end
  end
  return i
end

local function add_enumerators(d, tokens)
  local i, stop, expected = d.open + 1, tokens.match[d.open], true
  while i < stop do
    local t = tokens.text[i]
    if expected and is_word(t) then d.names[#d.names + 1] = t end
    expected = t == ","
    i = tokenizer.CLOSING[t] and after_group(tokens, i) or i + 1
  end
end

-- Reads the "struct", "class", "union" or "enum" at token i. Returns the index to go on from.
function M.read(d, tokens, i, stop)
  local text = tokens.text
  local key, tag, k = text[i], nil, i + 1
  while k < stop do
    local t = text[k]
    if is_word(t) and text[k + 1] == "(" and not tag then k = after_group(tokens, k + 1)
    elseif is_word(t) then
      if tag and t ~= "final" and not BEFORE_BODY[text[k + 1]] then break end -- a declarator
      if t ~= "final" and not TYPE_KEYS[t] then tag = t end
      k = k + 1
    elseif t == "<" then
      d.specialized = tag ~= nil
      k = after_angles(tokens, k, stop)
    elseif t == "::" then k = k + 1
    elseif t == "[" then k = after_group(tokens, k)
    else break end
  end
  local open = k
  if text[open] == ":" then
    while open < stop and text[open] ~= "{" and text[open] ~= ";" do
      open = text[open] == "(" and after_group(tokens, open) or open + 1
    end
  end
  if text[open] == "{" and tokens.match[open] and open < stop then
    d.key, d.tag, d.open = key, tag, open
    d.names[#d.names + 1] = tag
    if key == "enum" then add_enumerators(d, tokens) end
    return after_group(tokens, open)
  end
  if text[open] == ";" then
    d.names[#d.names + 1], d.key, d.tag = tag, key, tag
    return open
  end
  d.word = tag
  return math.max(k, i + 1)
end

return M

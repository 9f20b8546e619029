-- strip_signature.lua: names and parameter types of functions as text, to find the declaration that
-- belongs to a definition.

local tokenizer = require "luacuda.source.tokens"

local is_word = tokenizer.is_word

local TYPE_WORDS = {}
for word in ("void bool char short int long float double signed unsigned const"):gmatch "%S+" do
  TYPE_WORDS[word] = true
end

-- Adds the text of the parameter from token `first` to `last` to both lists, the second time
-- without its name.
local function add_parameter(text, first, last, full, trimmed)
  for i = first, last do
    if text[i] == "=" then
      last = i - 1
      break
    end
  end
  local name = last > first and is_word(text[last]) and not TYPE_WORDS[text[last]] and 1 or 0
  full[#full + 1] = table.concat(text, " ", first, last)
  trimmed[#trimmed + 1] = table.concat(text, " ", first, last - name)
end

-- The class in "Class::name(" or "Class<T>::name(", whose "(" is token `fn`.
local function class_of(text, fn)
  local i = fn - 3
  if text[fn - 2] ~= "::" then return nil end
  if text[i] == ">" then
    local depth = 0
    repeat
      depth = depth + (text[i] == ">" and 1 or text[i] == "<" and -1 or 0)
      i = i - 1
    until depth == 0 or not text[i]
  end
  return text[i]
end

-- signatures(tokens, d, class) -> the text of a function's name and parameters, with and without
-- the names of parameters; `class`: the name of the class around the declaration
return function(tokens, d, class)
  local text, full, trimmed = tokens.text, {}, {}
  local first, stop, depth = d.fn + 1, tokens.match[d.fn] or d.fn, 0
  for i = d.fn + 1, stop do
    local t = text[i]
    if i == stop or t == "," and depth == 0 then
      add_parameter(text, first, i - 1, full, trimmed)
      first = i + 1
    elseif t == "<" or t == "(" then depth = depth + 1
    elseif t == ">" or t == ")" then depth = depth - 1 end
  end
  local name = ("%s::%s"):format(class or class_of(text, d.fn) or "", d.names[1] or "")
  return name .. "(" .. table.concat(full, ",") .. ")",
    name .. "(" .. table.concat(trimmed, ",") .. ")"
end

-- strip_constructors.lua: constructors of the host in types that stay. Without them the compiler
-- would generate its own, and device code that uses one would compute wrong values. So those whose
-- parameters can be read are declared without a body, and the compiler refuses code that uses one.

local tokenizer = require "luacuda.source.tokens"

local is_word = tokenizer.is_word

local M = {}

-- strip_constructors.is_one(d, tokens, parent): is it a constructor or an assignment of the class?
function M.is_one(d, tokens, parent)
  local text = tokens.text
  if not parent or d.template or d.qualified or d.marks.friend or d.marks.constexpr then
    return false
  end
  if d.operator then return text[d.fn - 1] == "=" and text[d.fn - 2] == "operator" end
  local tag = parent.declaration.tag
  return tag ~= nil and text[d.fn - 1] == tag and text[d.fn - 2] ~= "~"
end

-- Are the words from token `first` to `last` known, but for the name of a parameter at the end?
local function is_readable(text, first, last, is_known)
  for i = first, last do
    if text[i] == "=" then
      for k = i + 1, last do
        if is_word(text[k]) and not is_known(text[k]) then return false end
      end
      last = i - 1
      break
    end
  end
  for i = first, last do
    local is_name = i == last and i > first
    if is_word(text[i]) and not is_name and not is_known(text[i]) then return false end
  end
  return true
end

-- strip_constructors.is_declarable(chunk, is_known): can it be declared in device code that knows
-- the words accepted by is_known(word)?
function M.is_declarable(chunk, is_known)
  local text, d = chunk.tokens.text, chunk.declaration
  local stop, first, depth = chunk.tokens.match[d.fn], d.fn + 1, 0
  local from_macro = chunk.tokens.first[d.first] == chunk.tokens.first[d.first + 1]
  if not stop or from_macro then return false end
  for i = d.first, d.fn - 1 do
    if is_word(text[i]) and text[i] ~= "operator" and not is_known(text[i]) then return false end
  end
  for i = d.fn + 1, stop do
    local t = text[i]
    if i == stop or t == "," and depth == 0 then
      if not is_readable(text, first, i - 1, is_known) then return false end
      first = i + 1
    end
    depth = depth + ((t == "<" or t == "(") and 1 or (t == ">" or t == ")") and -1 or 0)
  end
  return true
end

-- strip_constructors.edits(chunk, add) calls add(first, last, text) for what changes in its text,
-- by tokens; `text` is nil for spaces.
function M.edits(chunk, add)
  local tokens, d = chunk.tokens, chunk.declaration
  local at, close = d.first, tokens.match[d.fn] + 1
  add(at, at, "__device__ " .. tokens.source:sub(tokens.first[at], tokens.last[at]))
  if close > d.last then return end
  add(close, close, ";")
  if close < d.last then add(close + 1, d.last) end
end

return M

-- lexer.lua: Lua text as tokens. The kind of a token is its text for keywords and marks, and else
-- "name", "number", "string" or, once at the end, "end of text".

local literals = require "luacuda.jit.read.literals"

local M = {}

local byte, find, sub = string.byte, string.find, string.sub

local KEYWORDS = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat
  return then true until while]]):gmatch "%l+" do KEYWORDS[word] = true end

local MARKS = {}
for mark in ([[+ - * / % ^ # & ~ | << >> // == ~= <= >= < > = ( ) { } [ ] :: ; : , . .. ...]])
  :gmatch "%S+" do MARKS[mark] = true end

M.KEYWORDS = KEYWORDS

-- The index after the comment at text[at].
local function skip_comment(lexer, at)
  local _, last = literals.long(lexer, at + 2, "comment")
  if last then return last + 1 end
  return find(lexer.text, "[\r\n]", at) or #lexer.text + 1
end

-- The index of the next token.
local function skip_blank(lexer, at)
  local text = lexer.text
  while true do
    at = find(text, "[^ \t\f\v]", at) or #text + 1
    local c = byte(text, at)
    if c == 10 or c == 13 then at = literals.skip_line_end(lexer, at)
    elseif c == 45 and byte(text, at + 1) == 45 then at = skip_comment(lexer, at)
    else return at end
  end
end

-- The longest mark at text[at]: its text and the index of its last byte.
local function read_mark(lexer, at)
  for length = 3, 1, -1 do
    local mark = sub(lexer.text, at, at + length - 1)
    if MARKS[mark] then return mark, at + #mark - 1 end
  end
  local c = sub(lexer.text, at, at)
  literals.fail(lexer, "unexpected symbol", find(c, "[%g ]") and c or ("<\\%d>"):format(byte(c)))
end

local function read_bracket(lexer, at)
  local contents, last = literals.long(lexer, at, "string")
  if contents then return "string", last, contents end
  if find(lexer.text, "^%[=", at) then
    literals.fail(lexer, "invalid long string delimiter", sub(lexer.text, at, at + 1))
  end
  return "[", at
end

-- Kind, index of the last byte and value of the token at text[at].
local function read_token(lexer, at)
  local text = lexer.text
  local _, last = find(text, "^[A-Za-z_][A-Za-z0-9_]*", at)
  if last then
    local word = sub(text, at, last)
    if KEYWORDS[word] then return word, last end
    return "name", last, word
  end
  local c = byte(text, at)
  if find(text, "^%.?%d", at) then
    local value, stop = literals.number(lexer, at)
    return "number", stop, value
  elseif c == 34 or c == 39 then
    local value, stop = literals.short(lexer, at)
    return "string", stop, value
  elseif c == 91 then
    return read_bracket(lexer, at)
  end
  return read_mark(lexer, at)
end

-- lexer.read(text, file, line) -> the tokens { count =, kinds =, values =, from =, to = (indices of
-- their first and last bytes), lines = (where they begin) }. `file` names the text in messages,
-- `line` is the number of its first line (default 1).
function M.read(text, file, line)
  local lexer = { text = text, file = file, line = line or 1 }
  local kinds, values, from, to, lines = {}, {}, {}, {}, {}
  local n, at = 0, 1
  repeat
    at = skip_blank(lexer, at)
    n = n + 1
    from[n], lines[n] = at, lexer.line
    if at > #text then
      kinds[n], to[n] = "end of text", at - 1
    else
      kinds[n], to[n], values[n] = read_token(lexer, at)
      at = to[n] + 1
    end
  until kinds[n] == "end of text"
  return { count = n, kinds = kinds, values = values, from = from, to = to, lines = lines }
end

return M

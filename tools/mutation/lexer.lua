-- Tokens of C and Lua, as far as mutants need them: { kind, text, at, line }. kind is "name",
-- "number", "string" or "op"; `at` is the offset of the first byte. Comments and preprocessor lines
-- are omitted.
local M = {}

-- Operators, longest first.
local OPERATORS = {
  c = { "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##" },
  lua = { "...", "..", "::", "<<", ">>", "<=", ">=", "==", "~=", "//" },
}

-- Each function takes the text and an offset, and returns the offset after the part it skips or
-- reads, or nil.
local SKIP = {
  c = {
    function(s, at) return s:match("^%s+()", at) end,
    function(s, at) return s:match("^//[^\n]*()", at) end,
    function(s, at) return s:match("^/%*.-%*/()", at) end,
    function(s, at) -- a directive with its continuation lines
      if not s:find("^#", at) or not (at == 1 or s:sub(1, at - 1):find "\n[ \t]*$") then
        return nil
      end
      repeat at = s:match("^[^\n]*()", at) + 1 until s:sub(at - 2, at - 2) ~= "\\"
      return math.min(at, #s + 1)
    end,
  },
  lua = {
    function(s, at) return s:match("^%s+()", at) end,
    function(s, at) return at == 1 and s:match("^#[^\n]*()", at) or nil end,
    function(s, at)
      local level = s:match("^%-%-%[(=*)%[", at)
      return level and (select(2, s:find("]" .. level .. "]", at, true)) or #s) + 1
    end,
    function(s, at) return s:match("^%-%-[^\n]*()", at) end,
  },
}

-- The offset after a string that begins with its quote.
local function quoted(s, at)
  local quote = s:match("^[\"']", at)
  if not quote then return nil end
  at = at + 1
  while s:sub(at, at) ~= quote and at <= #s do at = at + (s:sub(at, at) == "\\" and 2 or 1) end
  return at + 1
end

local function long_bracket(s, at)
  local level = s:match("^%[(=*)%[", at)
  return level and (select(2, s:find("]" .. level .. "]", at, true)) or #s) + 1
end

local function operator(s, at, list)
  for _, text in ipairs(list) do
    if s:sub(at, at + #text - 1) == text then return at + #text end
  end
  return at + 1
end

local function token(s, at, language)
  local after = s:match("^[%a_][%w_]*()", at)
  if after then return "name", after end
  after = s:match("^%.?%d[%w_.']*()", at)
  if after then return "number", after end
  after = quoted(s, at) or (language == "lua" and long_bracket(s, at))
  if after then return "string", after end
  return "op", operator(s, at, OPERATORS[language])
end

local function skip(s, at, language)
  local moved = true
  while moved do
    moved = false
    for _, one in ipairs(SKIP[language]) do
      local after = one(s, at)
      if after and after > at then at, moved = after, true end
    end
  end
  return at
end

-- The tokens of a text. language: "c" or "lua"; from, to: the part of the text (default all of it).
function M.tokens(text, language, from, to)
  local part = text:sub(1, to or #text)
  local list, at, line, counted = {}, from or 1, 1, 1
  while true do
    at = skip(part, at, language)
    if at > #part then return list end
    local kind, after = token(part, at, language)
    line = line + select(2, part:sub(counted, at - 1):gsub("\n", ""))
    counted = at
    list[#list + 1] = { kind = kind, text = part:sub(at, after - 1), at = at, line = line }
    at = after
  end
end

return M

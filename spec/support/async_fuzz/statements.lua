-- Reads the statements of a kernel's source, as far as the mutations of asynchronous kernels need
-- them: a statement is a table
--
--   from, to     its first and last character
--   text         these characters
--   head         { from, to } of the condition of `if`, or of what is between the parentheses of
--                `for`; nil: neither
--   keyword      "if", "for" or "while", if it has a head
--   list, at     the list of statements of its block, and its place there
--   up           the statement around it, nil: it is one of a function
local M = {}

-- The same text with comments as spaces.
function M.without_comments(text)
  return (text:gsub("//[^\n]*", function(c) return (" "):rep(#c) end))
end

-- The end of the brackets that open at `at`.
local function close_of(text, at)
  return select(2, text:find(text:sub(at, at) == "(" and "^%b()" or "^%b{}", at))
end

local function skip(text, at)
  while true do
    local next_at = text:match("^%s+()", at) or text:match("^#[^\n]*()", at)
    if not next_at then return at end
    at = next_at
  end
end

-- The semicolon that ends a plain statement, past brackets.
local function plain_end(text, at)
  while true do
    local mark = text:find("[;{(]", at)
    if not mark then return nil end
    if text:sub(mark, mark) == ";" then return mark end
    at = close_of(text, mark) + 1
  end
end

local read_block

local function read_statement(text, at, up, all)
  local s = { from = at, up = up }
  all[#all + 1] = s
  s.keyword = text:match("^(%l+)%s*%(", at)
  if s.keyword == "if" or s.keyword == "for" or s.keyword == "while" then
    local open = text:find("(", at, true)
    s.head = { open + 1, close_of(text, open) - 1 }
    local inner, last = skip(text, s.head[2] + 2), nil
    if text:sub(inner, inner) == "{" then last = read_block(text, inner, s, all)
    else
      local body = read_statement(text, inner, s, all)
      body.list, body.at, last = { body }, 1, body.to
    end
    local other = text:match("^%s*else%s+()", last + 1)
    if other and text:sub(other, other) == "{" then last = read_block(text, other, s, all)
    elseif other then
      local body = read_statement(text, other, s, all)
      body.list, body.at, last = { body }, 1, body.to
    end
    s.to = last
  elseif text:sub(at, at) == "{" then
    s.keyword = nil
    s.to = read_block(text, at, up, all)
  else
    s.keyword = nil
    s.to = plain_end(text, at)
    local lambda = text:sub(at, s.to):find "%)%s*{"
    if lambda then read_block(text, text:find("{", at + lambda - 1, true), s, all) end
  end
  s.text = text:sub(s.from, s.to)
  return s
end

-- Reads { ... } into `all`; returns its end.
function read_block(text, open, up, all)
  local close, at, list = close_of(text, open), open + 1, {}
  while true do
    at = skip(text, at)
    if at >= close then return close end
    local s = read_statement(text, at, up, all)
    list[#list + 1] = s
    s.list, s.at = list, #list
    at = s.to + 1
  end
end

-- All statements of the functions of a text without comments, in their order.
function M.read(text)
  local all, at = {}, 1
  while true do
    local open = text:find("{", at, true)
    if not open then return all end
    local close = close_of(text, open)
    if text:sub(1, open - 1):find "%)%s*$" then read_block(text, open, nil, all) end
    at = close + 1
  end
end

return M

-- tokens.lua: CUDA C++ text as a list of tokens, for reading declarations without a compiler.

local M = {}

-- Blanking ----------------------------------------------------------------------------------------

local function spaces(text) return (text:gsub("[^\n]", " ")) end

-- Is text[at] the first mark of its line?
local function is_first_of_line(text, at)
  repeat at = at - 1 until at == 0 or not text:find("^[ \t\r\f\v]", at)
  return at == 0 or text:sub(at, at) == "\n"
end

-- Last index of the line at text[first], continued lines included.
local function line_last(text, first)
  local stop = first
  repeat
    local line_end = text:find("\n", stop, true) or #text + 1
    local before = text:sub(line_end - 1, line_end - 1) == "\r" and 2 or 1
    local more = text:sub(line_end - before, line_end - before) == "\\"
    stop = more and line_end + 1 or line_end - 1
  until not more or stop > #text
  return math.min(stop, #text)
end
M.line_last = line_last

-- Last index of the comment or raw string that begins at text[first]; nil where neither does.
local function comment_end(text, first)
  local two = text:sub(first, first + 1)
  if two == "//" then return line_last(text, first) end
  if two == "/*" then return select(2, text:find("*/", first + 2, true)) or #text end
  if text:sub(math.max(first - 1, 1), first) ~= 'R"' then return nil end
  local mark = text:match('^"([^%(%s]*)%(', first) or ""
  return select(2, text:find(")" .. mark .. '"', first, true)) or #text
end

-- Index of the quote that closes the literal at text[first], or of the end of its line.
local function literal_end(text, first)
  local quote, stop = text:sub(first, first), first + 1
  while stop <= #text and text:sub(stop, stop) ~= quote and text:sub(stop, stop) ~= "\n" do
    stop = stop + (text:sub(stop, stop) == "\\" and 2 or 1)
  end
  return stop
end

-- Does the mark ' at text[at] separate digits, as in 1'000? In case'a' it follows a word.
local function is_separator(text, at)
  local first = at
  while first > 1 and text:find("^[%w_'.]", first - 1) do first = first - 1 end
  return first < at and text:find("^%d", first) ~= nil
end

-- The blanked text of what begins at text[first] with one of / " ' #, and the index after it.
local function blank_one(text, first, directives)
  local c = text:sub(first, first)
  local stop = comment_end(text, first)
  if c == "#" and directives and is_first_of_line(text, first) then
    stop = line_last(text, first)
  end
  if stop then return spaces(text:sub(first, stop)), stop + 1 end
  if c == '"' or c == "'" and not is_separator(text, first) then
    stop = literal_end(text, first)
    return c .. spaces(text:sub(first + 1, stop - 1)) .. text:sub(stop, stop), stop + 1
  end
  return c, first + 1
end

-- tokens.blank(text, directives) -> the text with comments, the contents of literals and (if asked
-- for) directives as spaces
function M.blank(text, directives)
  local out, at = {}, 1
  while true do
    local first = text:find('[/"\'#]', at)
    if not first then break end
    out[#out + 1] = text:sub(at, first - 1)
    out[#out + 1], at = blank_one(text, first, directives)
  end
  out[#out + 1] = text:sub(at)
  return table.concat(out)
end

-- Tokens ------------------------------------------------------------------------------------------

local MARKS = { "__global__", "__constant__", "__device__", "__managed__" }

-- tokens.declares_nothing(text): does it declare neither kernels nor device variables?
function M.declares_nothing(text)
  for _, mark in ipairs(MARKS) do
    if text:find(mark, 1, true) then return false end
  end
  return true
end

-- tokens.split(text, brief) -> list: identifiers, numbers, "::", single marks. With `brief`, braces
-- in which nothing is declared are taken as empty: the bodies of functions are most of a text.
function M.split(text, brief)
  local tokens, n, at = {}, 0, text:find "%S"
  while at do
    local _, last = text:find("^[%a_][%w_]*", at)
    if not last then _, last = text:find("^%d[%w_%.]*", at) end
    if not last then _, last = text:find("^::", at) end
    local body = brief and not last and text:match("^%b{}", at)
    if body and M.declares_nothing(body) then
      tokens[n + 1], tokens[n + 2] = "{", "}"
      n, last = n + 2, at + #body - 1
    else
      last = last or at
      n = n + 1
      tokens[n] = text:sub(at, last)
    end
    at = text:find("%S", last + 1)
  end
  return tokens
end

-- Is the token an identifier?
function M.is_word(token) return token ~= nil and token:find "^[%a_]" ~= nil end

-- Groups ------------------------------------------------------------------------------------------

local CLOSING = { ["("] = ")", ["{"] = "}", ["["] = "]" }
M.CLOSING = CLOSING

-- tokens.skip_group(tokens, i) -> index after the bracket that closes tokens[i]
function M.skip_group(tokens, i)
  local open, close, depth = tokens[i], CLOSING[tokens[i]], 0
  while tokens[i] do
    if tokens[i] == open then depth = depth + 1
    elseif tokens[i] == close then
      depth = depth - 1
      if depth == 0 then return i + 1 end
    end
    i = i + 1
  end
  return i
end

-- tokens.skip_angles(tokens, i) -> index after the ">" that closes the "<" at tokens[i]; brackets
-- inside are skipped whole
function M.skip_angles(tokens, i)
  local depth = 0
  while tokens[i] do
    local t = tokens[i]
    if t == "<" then depth = depth + 1
    elseif t == ">" then
      depth = depth - 1
      if depth == 0 then return i + 1 end
    elseif CLOSING[t] then i = M.skip_group(tokens, i) - 1
    elseif t == ";" then return i end
    i = i + 1
  end
  return i
end

-- Parts of declarations ---------------------------------------------------------------------------

local ATTRIBUTES = {}
for word in ([[ __launch_bounds__ __cluster_dims__ __block_size__ __maxnreg__ __attribute__
  __align__ alignas __declspec ]]):gmatch "%S+" do ATTRIBUTES[word] = true end

-- tokens.is_attribute(tokens, i): does an attribute with arguments begin at tokens[i]?
function M.is_attribute(tokens, i) return ATTRIBUTES[tokens[i]] and tokens[i + 1] == "(" end

-- tokens.pointer_name(tokens, i) -> the name in a declarator such as "(*name)(int)",
-- "(*name[2])[3]" or "(Class::*name)()" that begins with the "(" at tokens[i]; nil for anything
-- else
function M.pointer_name(tokens, i)
  local stop, star, name = M.skip_group(tokens, i) - 1, nil, nil
  for k = i + 1, stop - 1 do
    local t = tokens[k]
    if t == "*" then star = true
    elseif CLOSING[t] or t == "," then return star and name
    elseif M.is_word(t) then
      if not star and tokens[k + 1] ~= "::" then return nil end
      name = t
    end
  end
  return star and name
end

-- tokens.scope(tokens, i) -> the name of the namespace that the "{" at tokens[i] opens: "" for
-- extern "C" and a namespace without a name; nil where it opens something else
function M.scope(tokens, i)
  if tokens[i - 1] == '"' and tokens[i - 2] == '"' and tokens[i - 3] == "extern" then return "" end
  local j, parts = i - 1, {}
  while (M.is_word(tokens[j]) or tokens[j] == "::") and tokens[j] ~= "namespace" do
    table.insert(parts, 1, tokens[j])
    j = j - 1
  end
  if tokens[j] ~= "namespace" then return nil end
  return (table.concat(parts):gsub("^inline", ""))
end

return M

-- gnu.lua: translates GNU extensions that nvcc accepts and NVRTC does not, for files that are
-- compiled as they are: other spellings of keywords, and compound literals such as (float2){a, b}.

local tokenizer = require "luacuda.source.tokens"

local M = {}

-- Keyword -> what NVRTC calls it.
M.WORDS = { __const = "const", __const__ = "const", __volatile = "volatile", __signed = "signed",
  __signed__ = "signed", __asm = "asm", __asm__ = "asm", __alignof = "alignof",
  __extension__ = "", register = "" }

local TYPEOF = { "typeof", "__typeof", "__typeof__" }

-- In front of the source. typeof(x) is a type without reference, decltype(x) may be one.
local TYPEOF_TEXT = [[
namespace luacuda {
template <class T> struct no_reference { typedef T type; };
template <class T> struct no_reference<T &> { typedef T type; };
template <class T> struct no_reference<T &&> { typedef T type; };
template <class T> using type_of = typename no_reference<T>::type;
}]]
local LITERAL_TEXT = "namespace luacuda { template <class T> using literal = T; }"

-- gnu.has_word(texts, word): does one of the texts have the word?
local function has_word(texts, word)
  for _, text in ipairs(texts) do
    if text:find("%f[%w_]" .. word .. "%f[^%w_]") then return true end
  end
  return false
end

M.has_word = has_word

-- gnu.prelude(texts, add) calls add(line) for each line that these texts need in front of them.
function M.prelude(texts, add)
  for word, meaning in pairs(M.WORDS) do
    if has_word(texts, word) then add(("#define %s %s"):format(word, meaning)) end
  end
  local open = true
  for _, word in ipairs(TYPEOF) do
    if has_word(texts, word) then
      if open then add(TYPEOF_TEXT) end
      open = false
      add(("#define %s(...) ::luacuda::type_of<decltype(__VA_ARGS__)>"):format(word))
    end
  end
  if has_word(texts, "luacuda::literal") then add(LITERAL_TEXT) end
end

-- Compound literals -------------------------------------------------------------------------------

-- Words that may precede an expression in parentheses.
local BEFORE = { ["return"] = true, ["else"] = true, ["case"] = true, ["throw"] = true,
  ["co_return"] = true, ["co_yield"] = true }

-- Index of the "(" that the ")" at text[close] closes; nil if there is none nearby.
local function opening(text, close)
  local depth = 0
  for i = close, math.max(close - 300, 1), -1 do
    local c = text:sub(i, i)
    depth = depth + (c == ")" and 1 or c == "(" and -1 or 0)
    if depth == 0 then return i end
  end
end

-- Can a value begin at text[at]? After a word, a bracket or an operator's name, the parentheses
-- hold parameters.
local function begins_value(text, at)
  local before = text:sub(math.max(at - 80, 1), at - 1)
  if before:find "operator[^%w_]*$" then return false end
  local word = before:match "([%w_]+)%s*$"
  if word then return BEFORE[word] == true end
  return before:match "(%S)%s*$" == nil or not before:find "[%)%]>}]%s*$"
end

local function is_type(text)
  local bare = text:gsub("%b<>", "")
  return bare:find "^%s*[%a_]" and not bare:find "[^%w_%s:*&%[%]]"
end

-- The text with its compound literals replaced. `blanked`: the same text without comments and
-- strings.
local function literals_of(text, blanked)
  local out, at = {}, 1
  for close in blanked:gmatch "()%)%s*{" do
    local open = opening(blanked, close)
    local inner = open and text:sub(open + 1, close - 1)
    if open and open >= at and is_type(inner) and begins_value(blanked, open) then
      out[#out + 1] = text:sub(at, open - 1) .. "::luacuda::literal<" .. inner .. ">"
      at = close + 1
    end
  end
  return #out > 0 and table.concat(out) .. text:sub(at) or text
end

-- The bodies of macros.
local function literals_of_macros(text)
  local out, at = {}, 1
  for first in text:gmatch "()#[ \t]*define[ \t]" do
    local last = tokenizer.line_last(text, first)
    local body = text:match("^#[ \t]*define[ \t]+[%w_]+()", first)
    if body and body <= last and text:sub(body, body) == "(" then
      body = (text:find(")", body, true) or last) + 1
    end
    if body and body <= last and first >= at then
      local given = text:sub(body, last)
      out[#out + 1] = text:sub(at, body - 1) .. literals_of(given, tokenizer.blank(given))
      at = last + 1
    end
  end
  return #out > 0 and table.concat(out) .. text:sub(at) or text
end

-- gnu.literals(text) -> the text with luacuda::literal<T>{ } for each compound literal (T){ }
function M.literals(text)
  if not text:find "%)%s*{" then return text end
  return literals_of_macros(literals_of(text, tokenizer.blank(text, true)))
end

return M

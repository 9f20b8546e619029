-- The changes that make mutants. Each operator looks at one token of a list and adds replacements
-- for ranges of tokens: add(first, last, text). M.mutants(text, language) returns { at, stop, line,
-- old, new } in text order.
local lexer = require "lexer"

local M = {}

-- Replacements of single tokens.
local SWAPS = {
  c = { ["<"] = "<=", ["<="] = "<", [">"] = ">=", [">="] = ">", ["=="] = "!=", ["!="] = "==",
    ["&&"] = "||", ["||"] = "&&", ["<<"] = ">>", [">>"] = "<<", ["+="] = "-=", ["-="] = "+=",
    ["|="] = "&=", ["&="] = "|=", ["++"] = "--", ["--"] = "++", ["/"] = "*", ["%"] = "/",
    ["true"] = "false", ["false"] = "true" },
  lua = { ["<"] = "<=", ["<="] = "<", [">"] = ">=", [">="] = ">", ["=="] = "~=", ["~="] = "==",
    ["and"] = "or", ["or"] = "and", ["<<"] = ">>", [">>"] = "<<", ["//"] = "*", ["/"] = "*",
    ["%"] = "//", ["true"] = "false", ["false"] = "true" },
}

-- The same for tokens that follow an operand: as a prefix they mean something else.
local BINARY = { c = { ["+"] = "-", ["-"] = "+", ["&"] = "|", ["|"] = "&" },
  lua = { ["+"] = "-", ["-"] = "+", ["*"] = "//", ["&"] = "|", ["|"] = "&" } }

local OPEN, CLOSE = { ["("] = ")", ["["] = "]", ["{"] = "}" },
  { [")"] = true, ["]"] = true, ["}"] = true }

local KEYWORDS = {}
for word in ("and break do else elseif end for function goto if in local not or repeat return then"
  .. " until while case sizeof switch default typedef struct union enum static const extern inline"
  .. " continue"):gmatch "%S+" do
  KEYWORDS[word] = true
end

local function is_operand_end(token)
  return token and (token.kind == "number" or token.kind == "string"
    or (token.kind == "name" and not KEYWORDS[token.text])
    or token.text == ")" or token.text == "]")
end

-- Index of the bracket that closes the one at i, or nil.
local function closing(list, i)
  local depth = 0
  for k = i, #list do
    if list[k].kind == "op" then
      if OPEN[list[k].text] then depth = depth + 1 end
      if CLOSE[list[k].text] then depth = depth - 1 end
    end
    if depth == 0 then return k end
  end
end

local function is(token, text)
  return token ~= nil and token.kind ~= "string" and token.text == text
end

-- The source of tokens i to k.
local function source(text, list, i, k)
  return text:sub(list[i].at, list[k].at + #list[k].text - 1)
end

local function swap(_, list, i, language, add)
  local token = list[i]
  if token.kind == "string" then return end
  local other = SWAPS[language][token.text]
  if not other and is_operand_end(list[i - 1]) then other = BINARY[language][token.text] end
  if other then add(i, i, other) end
end

-- Is token i an array size in a declaration? A larger size changes nothing.
local function is_array_size(list, i)
  local before = list[i - 3]
  return is(list[i - 1], "[") and is(list[i + 1], "]") and before
    and (is(before, "*") or before.kind == "name")
    and not is(before, "return")
end

local function constant(_, list, i, language, add)
  local digits, suffix = list[i].text:match "^(%d+)([uUlL]*)$"
  if list[i].kind ~= "number" or not digits or (digits:find "^0." and language == "c")
      or is_array_size(list, i) then
    return
  end
  local value = math.tointeger(digits)
  if not value then return end
  add(i, i, ("%d%s"):format(value + 1, suffix))
  if value > 0 then add(i, i, ("%d%s"):format(value - 1, suffix)) end
end

local function negation(_, list, i, _, add)
  if is(list[i], "!") or is(list[i], "not") then add(i, i, "") end
end

local function condition_c(text, list, i, _, add)
  if not is(list[i], "if") or not is(list[i + 1], "(") then return end
  local stop = closing(list, i + 1)
  if stop then add(i + 1, stop, "(!" .. source(text, list, i + 1, stop) .. ")") end
end

local function condition_lua(text, list, i, _, add)
  if not (is(list[i], "if") or is(list[i], "elseif")) then return end
  local stop = i + 1
  while list[stop] and not is(list[stop], "then") do
    if is(list[stop], "function") then return end
    stop = stop + 1
  end
  if list[stop] then add(i + 1, stop - 1, "not (" .. source(text, list, i + 1, stop - 1) .. ")") end
end

-- Index of the last token of `a.b->c[d]:e` that begins at i.
local function path_end(list, i)
  if not list[i] or list[i].kind ~= "name" or KEYWORDS[list[i].text] then return nil end
  while list[i + 1] do
    local next_text = list[i + 1].kind == "op" and list[i + 1].text
    if (next_text == "." or next_text == "->" or next_text == ":") and list[i + 2]
      and list[i + 2].kind == "name" then i = i + 2
    elseif next_text == "[" then i = closing(list, i + 1)
    else return i end
    if not i then return nil end
  end
  return i
end

local ASSIGN = { ["="] = true, ["+="] = true, ["-="] = true, ["|="] = true, ["&="] = true }

local function begins_statement_c(list, i)
  local before = list[i - 1]
  return before and (is(before, ";") or is(before, "{") or is(before, "}") or is(before, ")")
    or is(before, "else"))
end

-- A call or an assignment that is a statement.
local function statement_c(_, list, i, _, add)
  if not begins_statement_c(list, i) then return end
  local first = is(list[i], "*") and i + 1 or i
  local last = path_end(list, first)
  if not last then return end
  if is(list[last + 1], "(") and first == i then
    local stop = closing(list, last + 1)
    if stop and is(list[stop + 1], ";") then add(i, stop, "") end
  elseif list[last + 1] and ASSIGN[list[last + 1].text] then
    local stop = last
    while list[stop + 1] and not is(list[stop + 1], ";") do
      stop = OPEN[list[stop + 1].text] and closing(list, stop + 1) or stop + 1
    end
    add(i, stop, "")
  end
end

-- In Lua, only statements of one line, whose end is certain.
local function statement_lua(_, list, i, _, add)
  local before = list[i - 1]
  if before and (before.line == list[i].line
      or not (is_operand_end(before) or is(before, "}") or KEYWORDS[before.text])) then
    return
  end
  if before and (is(before, "return") or is(before, "and") or is(before, "or") or is(before, "not")
      or is(before, "in")) then
    return
  end
  local last, stop = path_end(list, i), i
  if not last or not list[last + 1] then return end
  while list[stop + 1] and list[stop + 1].line == list[i].line do stop = stop + 1 end
  local after = list[stop + 1]
  if after and after.kind ~= "name" then return end
  if is(list[last + 1], "(") and closing(list, last + 1) == stop then add(i, stop, "") end
  if is(list[last + 1], "=") and not KEYWORDS[list[stop].text] and not OPEN[list[stop].text] then
    add(i, stop, "")
  end
end

-- Failures that are not returned or not raised.
local FAILURES = { LCU_TRY = true, lcul_status = true }

local function failure(text, list, i, _, add)
  if list[i].kind ~= "name" or not FAILURES[list[i].text] or not is(list[i + 1], "(") then
    return
  end
  local stop, from = closing(list, i + 1), i + 1
  if not stop or not is(list[stop + 1], ";") then return end
  if list[i].text == "lcul_status" then
    if not is(list[i + 3], ",") then return end
    from = i + 3
  end
  add(i, stop, "(void)(" .. source(text, list, from + 1, stop - 1) .. ")")
end

-- The ranges of a call's arguments.
local function arguments(list, open, close)
  local ranges, from, k = {}, open + 1, open + 1
  while k < close do
    if is(list[k], ",") then
      ranges[#ranges + 1] = { from, k - 1 }
      from = k + 1
    end
    k = (OPEN[list[k].text] and list[k].kind == "op") and closing(list, k) + 1 or k + 1
  end
  ranges[#ranges + 1] = { from, close - 1 }
  return ranges
end

-- Is the name at i the name in a function head, followed by its parameters?
local function is_head(list, i, stop)
  if is(list[stop + 1], "{") then return true end -- C
  while i > 2 and (is(list[i - 1], ".") or is(list[i - 1], ":")) do i = i - 2 end
  return is(list[i - 1], "function")
end

-- Swaps adjacent arguments of a call.
local function arguments_swapped(text, list, i, language, add)
  if list[i].kind ~= "name" or KEYWORDS[list[i].text] or not is(list[i + 1], "(") then return end
  -- a declaration
  if language == "c" and list[i - 1] and list[i - 1].kind == "name"
      and not KEYWORDS[list[i - 1].text] then
    return
  end
  local stop = closing(list, i + 1)
  if not stop or stop == i + 2 or is_head(list, i, stop) then return end
  local ranges = arguments(list, i + 1, stop)
  for k = 1, #ranges - 1 do
    local a, b = ranges[k], ranges[k + 1]
    if a[1] > a[2] or b[1] > b[2] then return end
    local left, right = source(text, list, a[1], a[2]), source(text, list, b[1], b[2])
    if left ~= right then add(a[1], b[2], right .. ", " .. left) end
  end
end

local SETS = {
  c = { swap, constant, negation, condition_c, failure, statement_c, arguments_swapped },
  lua = { swap, constant, negation, condition_lua, statement_lua, arguments_swapped },
  -- changes that always compile: compile errors would count as kills
  kernel = { swap, constant, negation, condition_c },
}

local function apply(text, list, language, set, out)
  for i = 1, #list do
    local function add(first, last, new)
      local at, stop = list[first].at, list[last].at + #list[last].text - 1
      out[#out + 1] = { at = at, stop = stop, line = list[first].line,
        old = text:sub(at, stop), new = new }
    end
    for _, one in ipairs(set) do one(text, list, i, language, add) end
  end
end

-- Lua strings that contain kernel code.
local function apply_to_kernels(text, list, out)
  for _, token in ipairs(list) do
    if token.kind == "string" and token.text:find "^%[=*%[" and token.text:find "[;{}]" then
      local from = token.at + #token.text:match "^%[=*%["
      local inner = lexer.tokens(text, "c", from,
        token.at + #token.text - 1 - #token.text:match "%]=*%]$")
      apply(text, inner, "c", SETS.kernel, out)
    end
  end
end

-- All mutants of a text of language "c" or "lua".
function M.mutants(text, language)
  local out, list = {}, lexer.tokens(text, language)
  apply(text, list, language, SETS[language], out)
  if language == "lua" then apply_to_kernels(text, list, out) end
  table.sort(out, function(a, b)
    if a.at ~= b.at then return a.at < b.at end
    if a.stop ~= b.stop then return a.stop < b.stop end
    return a.new < b.new
  end)
  return out
end

return M

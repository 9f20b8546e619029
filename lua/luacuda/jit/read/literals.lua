-- literals.lua: the strings and numbers of Lua text: where they end and what they are. Every
-- function takes the lexer { text =, file =, line = }, which counts lines, and the index of a first
-- byte.

local M = {}

local find, match, sub = string.find, string.match, string.sub

-- Raises an error of the text, in the form of Lua's own: "file:line: message near 'what'".
function M.fail(lexer, message, near)
  if near then message = ("%s near '%s'"):format(message, near) end
  error(("%s:%d: %s"):format(lexer.file, lexer.line, message), 0)
end

-- literals.skip_line_end(lexer, at) -> the index after the line end at text[at]; "\r\n" and "\n\r"
-- are one
function M.skip_line_end(lexer, at)
  lexer.line = lexer.line + 1
  local two = sub(lexer.text, at, at + 1)
  return at + ((two == "\r\n" or two == "\n\r") and 2 or 1)
end

-- Numbers -----------------------------------------------------------------------------------------

-- literals.number(lexer, at) -> value, index of its last byte
function M.number(lexer, at)
  local text = lexer.text
  local mark, digits, stop = "^[eE][+-]?", "^[0-9a-dfA-DF.]+", at
  if find(text, "^0[xX]", at) then
    mark, digits, stop = "^[pP][+-]?", "^[0-9a-fA-F.]+", at + 2
  end
  while true do
    local _, last = find(text, mark, stop)
    if not last then _, last = find(text, digits, stop) end
    if not last then break end
    stop = last + 1
  end
  local word = sub(text, at, stop - 1)
  if find(text, "^[A-Za-z_]", stop) then
    M.fail(lexer, "malformed number", sub(text, at, stop))
  end
  return tonumber(word) or M.fail(lexer, "malformed number", word), stop - 1
end

-- Long brackets -----------------------------------------------------------------------------------

-- The text of a long bracket: line ends become "\n".
local function with_plain_line_ends(lexer, text)
  local parts, at = {}, 1
  local inner = { text = text, line = lexer.line }
  while true do
    local stop = find(text, "[\r\n]", at)
    if not stop then break end
    parts[#parts + 1] = sub(text, at, stop - 1)
    at = M.skip_line_end(inner, stop)
  end
  lexer.line = inner.line
  parts[#parts + 1] = sub(text, at)
  return table.concat(parts, "\n")
end

-- literals.long(lexer, at, what) -> contents, index of the last byte, of the long bracket
-- "[==[ ... ]==]" at text[at]; nil where none opens
function M.long(lexer, at, what)
  local text = lexer.text
  local equals = match(text, "^%[(=*)%[", at)
  if not equals then return nil end
  local first = at + #equals + 2
  local stop, last = find(text, "]" .. equals .. "]", first, true)
  if not stop then M.fail(lexer, "unfinished long " .. what, "<eof>") end
  local contents = with_plain_line_ends(lexer, sub(text, first, stop - 1))
  if find(contents, "^\n") then contents = sub(contents, 2) end
  return contents, last
end

-- Strings -----------------------------------------------------------------------------------------

local PLAIN = { a = "\a", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", v = "\v",
  ["\\"] = "\\", ['"'] = '"', ["'"] = "'" }

local escapes = {}                      -- first byte -> function(lexer, at): bytes, index after

function escapes.x(lexer, at)
  local digits = match(lexer.text, "^x([0-9a-fA-F][0-9a-fA-F])", at)
  if not digits then M.fail(lexer, "hexadecimal digit expected", "\\x") end
  return string.char(tonumber(digits, 16)), at + 3
end

function escapes.u(lexer, at)
  local digits = match(lexer.text, "^u{([0-9a-fA-F]+)}", at)
  if not digits then M.fail(lexer, "expected '{', hexadecimal digits and '}'", "\\u") end
  local significant = match(digits, "^0*(.*)$")
  local code = #significant <= 8 and tonumber(digits, 16)
  if not code or code > 0x7FFFFFFF then M.fail(lexer, "UTF-8 value too large", digits) end
  return utf8.char(code), at + #digits + 3
end

function escapes.z(lexer, at)
  at = at + 1
  while true do
    at = find(lexer.text, "[^ \t\f\v]", at) or #lexer.text + 1
    if not find(lexer.text, "^[\r\n]", at) then return "", at end
    at = M.skip_line_end(lexer, at)
  end
end

local function line_end_escape(lexer, at) return "\n", M.skip_line_end(lexer, at) end
escapes["\n"], escapes["\r"] = line_end_escape, line_end_escape

-- The bytes of the escape whose "\" is before text[at], and the index after it.
local function escape(lexer, at)
  local c = sub(lexer.text, at, at)
  if PLAIN[c] then return PLAIN[c], at + 1 end
  if escapes[c] then return escapes[c](lexer, at) end
  local digits = match(lexer.text, "^%d%d?%d?", at)
  if not digits then M.fail(lexer, "invalid escape sequence", "\\" .. c) end
  if tonumber(digits) > 255 then M.fail(lexer, "decimal escape too large", "\\" .. digits) end
  return string.char(tonumber(digits)), at + #digits
end

local STOPS = { ['"'] = '[\\\r\n"]', ["'"] = "[\\\r\n']" }

-- literals.short(lexer, at) -> contents, index of the closing quote
function M.short(lexer, at)
  local text, quote = lexer.text, sub(lexer.text, at, at)
  local parts = {}
  at = at + 1
  while true do
    local stop = find(text, STOPS[quote], at)
    if not stop then M.fail(lexer, "unfinished string", "<eof>") end
    parts[#parts + 1] = sub(text, at, stop - 1)
    local c = sub(text, stop, stop)
    if c == quote then return table.concat(parts), stop end
    if c ~= "\\" then M.fail(lexer, "unfinished string", quote .. table.concat(parts)) end
    parts[#parts + 1], at = escape(lexer, stop + 1)
  end
end

return M

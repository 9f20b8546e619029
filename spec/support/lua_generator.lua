-- Random Lua programs from the whole grammar of Lua 5.4. Most of them compile; all of them are
-- made of the language's tokens. Names come from a small set, so that locals, upvalues and globals
-- of one name meet. Between tokens are blanks, comments and line ends of all kinds.

local M = {}

local NAMES = { "a", "b", "c", "x1", "_", "goto_", "ende" }
local NUMBERS = { "0", "1", "7", "255", "3.", ".5", "1e10", "2E-3", "0x1p4", "0xA.8p-2", "0Xff",
  "9223372036854775807", "9223372036854775808", "0xffffffffffffffff", "0x1ffffffffffffffff",
  "1e999", "5e-324", "0x.1", "00012", "0xep1" }
local STRINGS = { [["a"]], [['b"c']], [["\n\t\\\"\a\b\f\r\v\'"]], [["\x41\u{48}\u{7FFFFFFF}\065"]],
  '"line\\\nend"', "[[long]]", "[==[\nfirst ]] ]=] \r\n second]==]",
  '"\\z  \n  after"', [['\0\0009\u{0}']], "''", '"\\\r\nb"' }
local BINARY = { "+", "-", "*", "/", "//", "%", "^", "..", "==", "~=", "<", "<=", ">", ">=", "and",
  "or", "&", "|", "~", "<<", ">>" }
local UNARY = { "-", "not", "#", "~" }
local BETWEEN = { " ", " ", " ", " ", " ", " ", "\n", "\n", "\r\n", "\t", "\f\v", "\n\n",
  " --comment\n", " --[[ long\ncomment ]]", " --[==[ ]] ]==] ", " --[=x\n", "\r", "\n\r", " --\r" }

-- A generator is { rng =, tokens =, depth =, vararg =, loops =, label = number of labels }.

local function pick(g, list) return list[g.rng(#list) + 1] end

local function put(g, ...)
  for _, token in ipairs { ... } do g.tokens[#g.tokens + 1] = token end
end

local function chance(g, n) return g.rng(n) == 0 end

local expression, block

local function list_of(g, most, make)
  for i = 1, g.rng(most) + 1 do
    if i > 1 then put(g, ",") end
    make(g)
  end
end

local function name(g) put(g, pick(g, NAMES)) end

-- Expressions -------------------------------------------------------------------------------------

local function table_constructor(g)
  put(g, "{")
  for _ = 1, g.rng(4) do
    local form = g.rng(3)
    if form == 0 then
      name(g)
      put(g, "=")
    elseif form == 1 then
      put(g, "[")
      expression(g)
      put(g, "]", "=")
    end
    expression(g)
    put(g, pick(g, { ",", ";" }))
  end
  put(g, "}")
end

local function function_body(g)
  local vararg, loops = g.vararg, g.loops
  g.vararg, g.loops = chance(g, 3), 0
  put(g, "(")
  local count = g.rng(4)
  for i = 1, count do
    put(g, pick(g, NAMES), (i < count or g.vararg) and "," or nil)
  end
  if g.vararg then put(g, "...") end
  put(g, ")")
  block(g)
  put(g, "end")
  g.vararg, g.loops = vararg, loops
end

local function arguments(g)
  local form = g.rng(6)
  if form == 0 then return put(g, pick(g, STRINGS)) end
  if form == 1 then return table_constructor(g) end
  put(g, "(")
  if not chance(g, 4) then list_of(g, 3, expression) end
  put(g, ")")
end

-- A name or parentheses with indices and calls; `last`: nil, "call" or "variable".
local function suffixed(g, last)
  if chance(g, 6) then
    put(g, "(")
    expression(g)
    put(g, ")")
    if last == "variable" then put(g, ".", pick(g, NAMES)) end
  else
    name(g)
  end
  for _ = 1, g.rng(3) do
    local form = g.rng(4)
    if form == 0 then put(g, ".", pick(g, NAMES))
    elseif form == 1 then
      put(g, "[")
      expression(g)
      put(g, "]")
    elseif last ~= "variable" then
      if form == 2 then put(g, ":", pick(g, NAMES)) end
      arguments(g)
    end
  end
  if last == "call" then arguments(g) end
end

local function atom(g)
  local form = g.rng(9)
  if form < 3 then put(g, pick(g, NUMBERS))
  elseif form == 3 then put(g, pick(g, STRINGS))
  elseif form == 4 then put(g, pick(g, { "nil", "true", "false" }))
  elseif form == 5 and g.vararg then put(g, "...")
  else name(g) end
end

local compound = {
  suffixed, suffixed, table_constructor,
  function(g)
    put(g, pick(g, UNARY))
    expression(g)
  end,
  function(g)
    put(g, "function")
    function_body(g)
  end,
}
local function binary(g)
  expression(g)
  put(g, pick(g, BINARY))
  expression(g)
end
for _ = 1, 5 do compound[#compound + 1] = binary end

function expression(g)
  if g.depth <= 0 or chance(g, 3) then return atom(g) end
  g.depth = g.depth - 1
  pick(g, compound)(g)
  g.depth = g.depth + 1
end

-- Statements --------------------------------------------------------------------------------------

local statements = {}

local function add(count, make)
  for _ = 1, count do statements[#statements + 1] = make end
end

local function loop_body(g)
  g.loops = g.loops + 1
  block(g)
  g.loops = g.loops - 1
end

add(3, function(g)
  put(g, "local")
  list_of(g, 3, function()
    -- constants have names of their own, since no program assigns to them
    if chance(g, 5) then put(g, "K", "<", "const", ">") else name(g) end
  end)
  if not chance(g, 4) then
    put(g, "=")
    list_of(g, 3, expression)
  end
end)
add(1, function(g)
  put(g, "local", "K", "<", "const", ">", "=", pick(g, NUMBERS), pick(g, BINARY), pick(g, NUMBERS))
end)
add(1, function(g) put(g, "local", pick(g, NAMES), "<", "close", ">", "=", "nil") end)
add(3, function(g)
  list_of(g, 2, function() suffixed(g, "variable") end)
  put(g, "=")
  list_of(g, 2, expression)
  put(g, ";")
end)
add(2, function(g)
  suffixed(g, "call")
  put(g, ";")
end)
add(1, function(g)
  put(g, "local", "function", pick(g, NAMES))
  function_body(g)
end)
add(1, function(g)
  put(g, "function", pick(g, NAMES))
  for _ = 1, g.rng(3) do put(g, ".", pick(g, NAMES)) end
  if chance(g, 3) then put(g, ":", pick(g, NAMES)) end
  function_body(g)
end)
add(1, function(g)
  put(g, "do")
  block(g)
  put(g, "end")
end)
add(1, function(g)
  put(g, "while")
  expression(g)
  put(g, "do")
  loop_body(g)
  put(g, "end")
end)
add(1, function(g)
  put(g, "repeat")
  loop_body(g)
  put(g, "until")
  expression(g)
end)
add(2, function(g)
  put(g, "if")
  expression(g)
  put(g, "then")
  block(g)
  for _ = 1, g.rng(3) do
    put(g, "elseif")
    expression(g)
    put(g, "then")
    block(g)
  end
  if chance(g, 2) then
    put(g, "else")
    block(g)
  end
  put(g, "end")
end)
add(1, function(g)
  put(g, "for", pick(g, NAMES), "=")
  expression(g)
  put(g, ",")
  expression(g)
  if chance(g, 2) then
    put(g, ",")
    expression(g)
  end
  put(g, "do")
  loop_body(g)
  put(g, "end")
end)
add(1, function(g)
  put(g, "for")
  list_of(g, 3, name)
  put(g, "in")
  list_of(g, 2, expression)
  put(g, "do")
  loop_body(g)
  put(g, "end")
end)
add(1, function(g)
  if g.loops > 0 then put(g, "break") end
end)
-- Jumps forward out of a block, and back.
add(1, function(g)
  g.label = g.label + 1
  local label = "l" .. g.label
  put(g, "do")
  if chance(g, 2) then put(g, "goto", label) end
  block(g)
  put(g, "end", "::", label, "::")
  if chance(g, 2) then put(g, "if", pick(g, NAMES), "then", "goto", label, "end") end
end)
-- Jumps that may be wrong.
add(1, function(g)
  if chance(g, 30) then put(g, "goto", "l" .. g.rng(g.label + 1)) end
  if chance(g, 30) then put(g, "::", "l" .. g.rng(g.label + 1), "::") end
end)

local function return_statement(g)
  put(g, "return")
  if not chance(g, 3) then list_of(g, 3, expression) end
  if chance(g, 2) then put(g, ";") end
end

function block(g)
  if g.depth <= 0 then return end
  g.depth = g.depth - 1
  for _ = 1, g.rng(4) do
    local count = #g.tokens
    pick(g, statements)(g)
    -- an empty statement before "break" changes Lua's code, and the tree has none
    if #g.tokens > count and chance(g, 5) then put(g, ";") end
  end
  if chance(g, 5) then return_statement(g) end
  g.depth = g.depth + 1
end

local function new(rng, depth)
  return { rng = rng, tokens = {}, depth = depth, vararg = true, loops = 0, label = 0 }
end

-- lua_generator.tokens(rng, depth) -> list of the tokens of a program
function M.tokens(rng, depth)
  local g = new(rng, depth)
  for _ = 1, 3 do
    put(g, "do")
    block(g)
    put(g, "end")
  end
  return g.tokens
end

-- lua_generator.join(rng, tokens) -> text
function M.join(rng, tokens)
  local parts = {}
  for _, token in ipairs(tokens) do
    parts[#parts + 1] = token
    parts[#parts + 1] = BETWEEN[rng(#BETWEEN) + 1]
  end
  return table.concat(parts)
end

-- lua_generator.expression(rng, depth) -> tokens of an expression
function M.expression(rng, depth)
  local g = new(rng, depth)
  g.vararg = false
  expression(g)
  return g.tokens
end

return M

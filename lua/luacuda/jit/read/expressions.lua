-- expressions.lua: parses expressions. Its functions are methods of the parser.

local M = {}

-- Binary operators: how strongly they bind to the left and to the right.
local LEFT, RIGHT = {}, {}
local function bind(operators, left, right)
  for operator in operators:gmatch "%S+" do LEFT[operator], RIGHT[operator] = left, right end
end
bind("or", 1, 1)
bind("and", 2, 2)
bind("< > <= >= ~= ==", 3, 3)
bind("|", 4, 4)
bind("~", 5, 5)
bind("&", 6, 6)
bind("<< >>", 7, 7)
bind("..", 9, 8)
bind("+ -", 10, 10)
bind("* / // %", 11, 11)
bind("^", 14, 13)
local UNARY = 12
local IS_UNARY = { ["-"] = true, ["not"] = true, ["#"] = true, ["~"] = true }

-- Tables and calls --------------------------------------------------------------------------------

local function string_node(p)
  local node = p:begin "string"
  node.value = p.tokens.values[p.at]
  p:expect "string"
  return p:finish(node)
end

-- The name after a "." or in a constructor, as the string that it stands for.
function M.name_as_string(p)
  local node = p:begin "string"
  node.value = p:expect_name()
  return p:finish(node)
end

-- The name of a function is that of what it is assigned to.
function M.name_function(_, node, name)
  if node.kind == "function" and not node.name then node.name = name end
end

local function table_item(p)
  if p.kind == "name" and p:peek() == "=" then
    local key = p:name_as_string()
    p:next()
    local value = p:expression()
    p:name_function(value, key.value)
    return { key = key, value = value }
  elseif p:take "[" then
    local key = p:expression()
    p:expect "]"
    p:expect "="
    return { key = key, value = p:expression() }
  end
  return { value = p:expression() }
end

local function table_node(p)
  local node, line = p:begin "table", p:line()
  node.items = {}
  p:expect "{"
  while p.kind ~= "}" do
    table.insert(node.items, table_item(p))
    if not p:take "," and not p:take ";" then break end
  end
  p:expect_close("}", "{", line)
  return p:finish(node)
end

function M.expression_list(p)
  local list = { p:expression() }
  while p:take "," do list[#list + 1] = p:expression() end
  return list
end

local function arguments(p)
  if p.kind == "string" then return { string_node(p) } end
  if p.kind == "{" then return { table_node(p) } end
  local line = p:line()
  if not p:take "(" then p:fail "function arguments expected" end
  local list = p.kind == ")" and {} or p:expression_list()
  p:expect_close(")", "(", line)
  return list
end

-- Functions ---------------------------------------------------------------------------------------

local function parameters(p, node)
  if p.kind == ")" then return end
  repeat
    if p:take "..." then
      node.vararg = true
      -- Lua 5.5: a name for the table of them
      if p.release >= 5.5 and p.kind == "name" then
        node.vararg_table = p:declare(p:expect_name(), node.line)
        p:show(node.vararg_table)
      end
      return
    end
    local line = p:line()
    local var = p:declare(p:expect_name(), line)
    p:show(var)
    table.insert(node.params, var)
  until not p:take ","
end

-- p:body(node, name, is_method): the rest of a function from its "(" on. The node gets `open` and
-- `open_line` (where the "(" is), and the lines that Lua reports: `last`, and `first` unless the
-- caller has set it.
function M.body(p, node, name, is_method)
  node.params, node.vararg, node.name = {}, false, name
  node.open, node.open_line = p.tokens.from[p.at], p:line()
  node.first, node.is_method = node.first or node.open_line, is_method
  p.functions[#p.functions + 1] = node
  p:open_function(node)
  if is_method then
    local self = p:declare("self", node.line)
    p:show(self)
    node.params[1] = self
  end
  p:expect "("
  parameters(p, node)
  p:expect ")"
  node.body = p:statements()
  node.last = p:line()
  p:expect_close("end", "function", node.line)
  p:close_function()
  return p:finish(node)
end

-- Operands ----------------------------------------------------------------------------------------

local function primary(p)
  if p.kind == "name" then
    local node = p:begin "free"
    local name = p:expect_name()
    return p:finish(p:resolve(node, name))
  end
  local node, line = p:begin "paren", p:line()
  if not p:take "(" then p:fail "unexpected symbol" end
  node.inner = p:expression()
  p:expect_close(")", "(", line)
  return p:finish(node)
end

local suffixes = {}                     -- kind of the token -> function(p, what it follows): node

suffixes["."] = function(p, object)
  local node = p:begin("index", object)
  p:next()
  node.object, node.key, node.dot = object, p:name_as_string(), true
  return node
end

suffixes["["] = function(p, object)
  local node = p:begin("index", object)
  p:next()
  node.object, node.key = object, p:expression()
  p:expect "]"
  return node
end

suffixes[":"] = function(p, object)
  local node = p:begin("method", object)
  p:next()
  node.object, node.name = object, p:expect_name()
  node.args = arguments(p)
  return node
end

local function call(p, fn)
  local node = p:begin("call", fn)
  node.fn, node.args = fn, arguments(p)
  return node
end
suffixes["("], suffixes["{"], suffixes["string"] = call, call, call

-- p:suffixed() -> a name or parentheses, with the indices and calls after it
function M.suffixed(p)
  local node = primary(p)
  while suffixes[p.kind] do node = p:finish(suffixes[p.kind](p, node)) end
  return node
end

local operands = { ["{"] = table_node, ["string"] = string_node }

local function constant(p)
  local node = p:begin(p.kind)
  p:next()
  return p:finish(node)
end
operands["nil"], operands["true"], operands["false"] = constant, constant, constant

operands["number"] = function(p)
  local node = p:begin "number"
  node.value = p.tokens.values[p.at]
  p:next()
  return p:finish(node)
end

operands["..."] = function(p)
  if not p.fn.node.vararg then p:fail "cannot use '...' outside a vararg function" end
  local node = p:begin "vararg"
  p:next()
  return p:finish(node)
end

operands["function"] = function(p)
  local node = p:begin "function"
  p:next()
  return p:body(node)
end

-- Operators ---------------------------------------------------------------------------------------

local function unary(p)
  local node = p:begin "unary"
  node.op = p.kind
  p:next()
  node.operand = p:expression(UNARY)
  return p:finish(node)
end

local function binary(p, left)
  local op = p.kind
  local node = p:begin((op == "and" or op == "or") and op or "binary", left)
  if node.kind == "binary" then node.op = op end
  p:next()
  node.left, node.right = left, p:expression(RIGHT[op])
  return p:finish(node)
end

-- p:expression(limit) -> node, up to the first operator that does not bind more strongly than
-- `limit` (default 0)
function M.expression(p, limit)
  p:enter()
  local node
  if IS_UNARY[p.kind] then node = unary(p)
  else node = (operands[p.kind] or p.suffixed)(p) end
  while (LEFT[p.kind] or 0) > (limit or 0) do node = binary(p, node) end
  p:leave()
  return node
end

return M

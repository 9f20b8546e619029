-- A tree of lua/luacuda/jit/read/parser.lua as Lua text, in which parentheses surround every
-- operand. The functions are on the lines of the original, so that both compile to the same code.

local M = {}

local print_node, print_block

-- Output: { parts, line }

local function put(out, ...)
  for _, part in ipairs { ... } do out.parts[#out.parts + 1] = part end
end

-- Continues on a line, if it is still to come.
local function go_to(out, line)
  while out.line < line do
    put(out, "\n")
    out.line = out.line + 1
  end
end

local function put_list(out, nodes)
  for i, node in ipairs(nodes) do
    if i > 1 then put(out, ", ") end
    print_node(out, node)
  end
end

-- Expressions -------------------------------------------------------------------------------------

local MULTIPLE = { call = true, method = true, vararg = true, paren = true }

-- An operand, in parentheses unless they could cut off results.
local function put_operand(out, node)
  if MULTIPLE[node.kind] then return print_node(out, node) end
  put(out, "(")
  print_node(out, node)
  put(out, ")")
end

local function number_text(value)
  if value == math.huge then return "1e999" end
  if math.type(value) == "integer" then return ("0x%x"):format(value) end
  return ("%a"):format(value)
end

local function string_text(value)
  return '"' .. value:gsub(".", function(c) return ("\\x%02x"):format(c:byte()) end)
    :gsub("\n", "\\n") .. '"'
end

local expressions = {}

for _, kind in ipairs { "nil", "true", "false" } do
  expressions[kind] = function(out) put(out, kind) end
end
function expressions.vararg(out) put(out, "...") end
function expressions.number(out, node) put(out, number_text(node.value)) end
function expressions.string(out, node) put(out, string_text(node.value)) end
expressions["local"] = function(out, node) put(out, node.var.name) end
function expressions.free(out, node) put(out, node.name) end

function expressions.paren(out, node)
  put(out, "(")
  print_node(out, node.inner)
  put(out, ")")
end

-- What an index or a call follows: a name, another of these, or parentheses.
local SUFFIXED = { ["local"] = true, free = true, index = true, call = true, method = true,
  paren = true }

local function put_object(out, node)
  assert(SUFFIXED[node.kind], "no object")
  print_node(out, node)
end

function expressions.index(out, node)
  put_object(out, node.object)
  put(out, "[")
  print_node(out, node.key)
  put(out, "]")
end

function expressions.call(out, node)
  put_object(out, node.fn)
  put(out, "(")
  put_list(out, node.args)
  put(out, ")")
end

function expressions.method(out, node)
  put_object(out, node.object)
  put(out, ":", node.name, "(")
  put_list(out, node.args)
  put(out, ")")
end

function expressions.unary(out, node)
  put(out, node.op, " ")
  put_operand(out, node.operand)
end

local function put_binary(out, left, op, right)
  put_operand(out, left)
  put(out, " ", op, " ")
  put_operand(out, right)
end

function expressions.binary(out, node) put_binary(out, node.left, node.op, node.right) end
expressions["and"] = function(out, node) put_binary(out, node.left, "and", node.right) end
expressions["or"] = function(out, node) put_binary(out, node.left, "or", node.right) end

function expressions.table(out, node)
  put(out, "{")
  for _, item in ipairs(node.items) do
    if item.key then
      put(out, "[")
      print_node(out, item.key)
      put(out, "] = ")
    end
    print_node(out, item.value)
    put(out, ", ")
  end
  put(out, "}")
end

local function put_body(out, node)
  local names = {}
  for i, var in ipairs(node.params) do names[i] = var.name end
  if node.vararg then names[#names + 1] = "..." end
  put(out, "(", table.concat(names, ", "), ") ")
  print_block(out, node.body)
  go_to(out, node.last)
  put(out, " end")
end

expressions["function"] = function(out, node)
  go_to(out, node.first)
  put(out, "function")
  put_body(out, node)
end

function print_node(out, node)
  assert(expressions[node.kind], node.kind)(out, node)
end

-- Statements --------------------------------------------------------------------------------------

local statements = {}

statements["local"] = function(out, node)
  put(out, "local ")
  for i, var in ipairs(node.vars) do
    put(out, i > 1 and ", " or "", var.name, var.attrib and " <" .. var.attrib .. ">" or "")
  end
  if #node.values > 0 then
    put(out, " = ")
    put_list(out, node.values)
  end
end

function statements.localfunction(out, node)
  go_to(out, node.fn.first)
  put(out, "local function ", node.var.name)
  put_body(out, node.fn)
end

function statements.assign(out, node)
  put_list(out, node.targets)
  put(out, " = ")
  put_list(out, node.values)
end

function statements.callstat(out, node) print_node(out, node.call) end

statements["do"] = function(out, node)
  put(out, "do ")
  print_block(out, node.body)
  put(out, " end")
end

statements["while"] = function(out, node)
  put(out, "while ")
  print_node(out, node.cond)
  put(out, " do ")
  print_block(out, node.body)
  put(out, " end")
end

statements["repeat"] = function(out, node)
  put(out, "repeat ")
  print_block(out, node.body)
  put(out, " until ")
  print_node(out, node.cond)
end

statements["if"] = function(out, node)
  for i, clause in ipairs(node.clauses) do
    put(out, i == 1 and "if " or " elseif ")
    print_node(out, clause.cond)
    put(out, " then ")
    print_block(out, clause.body)
  end
  if node.orelse then
    put(out, " else ")
    print_block(out, node.orelse)
  end
  put(out, " end")
end

function statements.fornum(out, node)
  put(out, "for ", node.var.name, " = ")
  put_list(out, { node.first, node.last, node.step })
  put(out, " do ")
  print_block(out, node.body)
  put(out, " end")
end

function statements.forin(out, node)
  local names = {}
  for i, var in ipairs(node.vars) do names[i] = var.name end
  put(out, "for ", table.concat(names, ", "), " in ")
  put_list(out, node.exprs)
  put(out, " do ")
  print_block(out, node.body)
  put(out, " end")
end

statements["return"] = function(out, node)
  put(out, "return ")
  put_list(out, node.values)
end

statements["break"] = function(out) put(out, "break") end
statements["goto"] = function(out, node) put(out, "goto ", node.label) end
function statements.label(out, node) put(out, "::", node.name, "::") end

function print_block(out, list)
  for _, node in ipairs(list) do
    assert(statements[node.kind], node.kind)(out, node)
    put(out, "; ")
  end
end

-- lua_printer.text(node) -> the text of a chunk
function M.text(node)
  local out = { parts = {}, line = 1 }
  print_block(out, node.body)
  return table.concat(out.parts)
end

return M

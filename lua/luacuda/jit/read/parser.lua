-- parser.lua: Lua text as a tree. Raises errors as Lua's compiler does ("file:line: message near
-- 'token'"), and accepts what it accepts; the tree's nodes are those that expressions.lua and
-- statements.lua make, each with `kind`, `line`, `from` and `to`. Names are resolved here: a node
-- "local" has its variable, a node "free" the name of a global, or in the tree of a function alone
-- of any variable outside it.

local lists = require "luacuda.base.lists"
local lexer = require "luacuda.jit.read.lexer"

local PARTS = {
  "luacuda.jit.read.cursor",
  "luacuda.jit.read.variables",
  "luacuda.jit.read.expressions",
  "luacuda.jit.read.declarations",
  "luacuda.jit.read.statements",
}

local methods = {}
for _, name in ipairs(PARTS) do lists.unite(methods, require(name), "methods of the parser") end
methods.__index = methods

local RELEASE = tonumber(_VERSION:match "%d+%.%d+")

local M = {}

local function new(text, file, line)
  local p = setmetatable({ text = text, file = file, tokens = lexer.read(text, file, line),
    release = RELEASE, level = 0, at = 0, functions = {} }, methods)
  p:next()
  return p
end

local function expect_end(p)
  if p.kind ~= "end of text" then p:fail "'<eof>' expected" end
end

-- parser.chunk(text, file, line) -> the function node of a whole text, and the list of the function
-- nodes in it, in the order of their "("
function M.chunk(text, file, line)
  local p = new(text, file, line)
  local node = p:begin "function"
  node.params, node.vararg = {}, true
  p:open_function(node)
  node.body = p:statements()
  expect_end(p)
  p:close_function()
  return p:finish(node), p.functions
end

-- parser.fn(text, file, line) -> the node of the text of one function: "function(x) ... end", also
-- "function name(x) ... end" and "local function name(x) ... end". Names that it does not declare
-- are free.
function M.fn(text, file, line)
  local p = new(text, file, line)
  local is_local = p:take "local"
  local node = p:begin "function"
  p:expect "function"
  local name = (is_local or p.kind == "name") and p:expect_name() or nil
  if p.kind ~= "(" then p:fail "'(' expected" end
  p:body(node, name)
  expect_end(p)
  return node, p.functions
end

return M

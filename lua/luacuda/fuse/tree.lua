-- tree.lua: walks through the tree of a Lua function (jit/read/parser.lua), and what its free names
-- and their fields stand for now.

local text = require "luacuda.jit.read.function_text"

local M = {}

-- Children ----------------------------------------------------------------------------------------

-- The fields of nodes with other nodes, in the order in which these come in the text.
M.BELOW = { "object", "fn", "inner", "operand", "left", "key", "value", "right", "targets",
  "args", "items", "values", "exprs", "first", "last", "step", "call", "clauses", "cond", "body",
  "orelse" }

-- each(node, visit) calls visit(child) for the nodes directly below a node or a list of them.
function M.each(node, visit)
  for _, field in ipairs(M.BELOW) do
    local below = node[field]
    if type(below) == "table" then
      if below.kind then visit(below) else M.each(below, visit) end
    end
  end
  for _, child in ipairs(node) do
    if child.kind then visit(child) else M.each(child, visit) end
  end
end

-- Copies with replacements ------------------------------------------------------------------------

local function copy_any(value, replace)
  if type(value) ~= "table" then return value end
  if value.kind then return M.copy(value, replace) end
  local own = {}
  for key, child in pairs(value) do own[key] = copy_any(child, replace) end
  return own
end

-- copy(node, replace) -> a copy of a tree; replace(node) gives another node, or nil
function M.copy(node, replace)
  local other = replace(node)
  if other then return other end
  local own = {}
  for key, value in pairs(node) do own[key] = value end
  for _, field in ipairs(M.BELOW) do own[field] = copy_any(node[field], replace) end
  return own
end

-- Sources -----------------------------------------------------------------------------------------

local unreadable = setmetatable({}, { __mode = "k" })   -- function -> why

-- source_of(fn) -> what text.of gives; nil and the reason where the text is not known
function M.source_of(fn)
  if unreadable[fn] then return nil, unreadable[fn] end
  local ok, found = pcall(text.of, fn, "fuse")
  if ok and not (found.node.shadows_env or found.node.declares_global) then return found end
  local why = ok and "it gives globals another meaning"
    or tostring(found):match "fuse: (.*)$" or tostring(found)
  unreadable[fn] = why:match "^[^;\n]*"
  return nil, unreadable[fn]
end

-- Names -------------------------------------------------------------------------------------------

local function upvalue_number(source, name)
  for k, own in ipairs(source.upvalues) do
    if own == name then return k end
  end
end

-- The table that has the function's globals, or nil.
function M.environment(source)
  local k = upvalue_number(source, "_ENV")
  local env = k and select(2, debug.getupvalue(source.fn, k))
  return type(env) == "table" and env or nil
end

local function get(from, key) return from[key] end

-- field(from, key) -> its value; nil where there is none, or reading it raises
function M.field(from, key)
  local ok, value = pcall(get, from, key)
  if ok then return value end
end

-- free(source, name) -> the value of a free name; is it a global?
function M.free(source, name)
  local constant = source.constants[name]
  if constant then return constant.value, false end
  local k = upvalue_number(source, name)
  if k then return (select(2, debug.getupvalue(source.fn, k))), false end
  local env = M.environment(source)
  if env then return M.field(env, name), true end
end

-- The key of an index node if it is written as a string or number.
function M.constant_key(node)
  local kind = node.key.kind
  if kind == "string" or kind == "number" then return node.key.value end
end

return M

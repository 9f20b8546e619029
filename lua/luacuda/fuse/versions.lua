-- versions.lua: variables of a fused function that it assigns again in its own statements become
-- variables of their own from there on, as values of a trace would: so `local s = 0 s = s + x` has
-- the dtype of x, and a missing argument can be given a value.

local tree = require "luacuda.fuse.tree"

local M = {}

-- Counts the assignments to variables in a statement and below it.
local function count(node, counts)
  if node.kind == "assign" then
    for _, target in ipairs(node.targets) do
      if target.kind == "local" then counts[target.var] = (counts[target.var] or 0) + 1 end
    end
  end
  tree.each(node, function(child) count(child, counts) end)
  return counts
end

local function contains_jump(node)
  local found = node.kind == "goto"
  tree.each(node, function(child) found = found or contains_jump(child) end)
  return found
end

-- Does a statement assign variables only, of which no inner function knows?
local function is_simple(statement)
  if statement.kind ~= "assign" then return false end
  for _, target in ipairs(statement.targets) do
    if target.kind ~= "local" or target.var.captured then return false end
  end
  return true
end

local function new_version(var)
  return { name = var.name, line = var.line, attrib = var.attrib, fn = var.fn, assigned = 0,
    captured = var.captured, init = var.init }
end

-- The copy of a statement in which versions take the place of variables.
local function renamed(state, node)
  return tree.copy(node, function(own)
    local version = own.kind == "local" and own.var and state.now[own.var]
    if not version then return nil end
    return { kind = "local", var = version, line = own.line, from = own.from, to = own.to }
  end)
end

local function declaration(state, statement)
  local values, vars = {}, {}
  for k, node in ipairs(statement.values) do values[k] = renamed(state, node) end
  for k, target in ipairs(statement.targets) do
    vars[k] = new_version(target.var)
    state.now[target.var] = vars[k]
  end
  return { kind = "local", vars = vars, values = values, line = statement.line,
    from = statement.from, to = statement.to }
end

local function one(state, statement)
  if is_simple(statement) and #statement.values >= #statement.targets then
    return declaration(state, statement)
  end
  for var, times in pairs(count(statement, {})) do
    local version = state.now[var]
    if version then version.assigned = version.assigned + times end
  end
  return renamed(state, statement)
end

-- Variables of the function's own block that are assigned.
local function start(state, fn)
  for k, var in ipairs(fn.params) do
    state.now[var] = new_version(var)
    state.params[k] = state.now[var]
  end
end

-- of(fn) -> the parameters and the statements of a function node, with a variable for each value
function M.of(fn)
  local state, body = { now = {}, params = {} }, {}
  for _, statement in ipairs(fn.body) do
    if contains_jump(statement) then return fn.params, fn.body end
  end
  start(state, fn)
  for k, statement in ipairs(fn.body) do
    local own = one(state, statement)
    if statement.kind == "local" then
      own.vars = {}
      for i, var in ipairs(statement.vars) do
        own.vars[i] = new_version(var)
        state.now[var] = own.vars[i]
      end
    end
    body[k] = own
  end
  return state.params, body
end

return M

-- known.lua: what expressions of a fused function stand for, where that is known: functions, which
-- are read with it, and tables.
--
-- A state (levels.lua) has `records`, one for each function node: { node, source, rest = level of
-- "...", result = level of the results }, in order in `list`; `known`: VAR -> what it stands for,
-- false for parameters that are several things; `written`: names of upvalues and globals that are
-- assigned -> level.

local core = require "luacuda.core"
local tree = require "luacuda.fuse.tree"
local watch = require "luacuda.fuse.guards"

local M = {}

-- The record of a function node.
function M.record(state, node, source)
  local record = state.records[node]
  if not record then
    record = { node = node, source = source, result = 0 }
    state.records[node] = record
    state.list[#state.list + 1] = record
  end
  return record
end

-- What an expression stands for, if that is known: { value = } or { record = }.
function M.resolve(ctx, node)
  if node.kind == "paren" then return M.resolve(ctx, node.inner) end
  if node.kind == "function" then return { record = M.record(ctx.state, node, ctx.source) } end
  if node.kind == "local" then return ctx.state.known[node.var] or nil end
  if node.kind == "free" then
    if ctx.state.written[node.name] then return nil end
    return { value = (tree.free(ctx.source, node.name)) }
  end
  if node.kind ~= "index" then return nil end
  local from, key = M.resolve(ctx, node.object), tree.constant_key(node)
  if from and type(from.value) == "table" and key ~= nil then
    return { value = tree.field(from.value, key) }
  end
end

-- learn(state, var, known): a parameter stands for this in one call; in all, if it is the same.
function M.learn(state, var, known)
  local before = state.known[var]
  if var.assigned > 0 or before == false then return end
  local same = before and known and before.record == known.record and before.value == known.value
  if before ~= nil and not same then known = false end
  if before == nil or known == false then
    state.known[var], state.changed = known or false, true
  end
end

-- The record of a function value; nil for functions that are not read, and why.
function M.record_of_value(ctx, value)
  if core.type(value) == "fused" then value = core.fused_function(value) end
  if type(value) ~= "function" or not watch.is_open(value) then return nil end
  local source, why = tree.source_of(value)
  if source then return M.record(ctx.state, source.node, source) end
  ctx.state.unseen = ctx.state.unseen or why
end

return M

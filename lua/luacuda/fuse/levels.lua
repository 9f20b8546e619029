-- levels.lua: what a Lua function decides by the elements of its arguments. A trace records all
-- operators and functions of arrays, but no decision: `if`, `while`, `and`, `or`, `not` and
-- comparisons of Lua run once, when nothing has a value. decisions.lua reads the function and those
-- that it calls, and finds such decisions.
--
-- Each expression has a level:
--   0  Lua knows its value during a trace: it is the same for all elements
--   1  a number of each element, or a number among the arguments: always true, as in Lua
--   2  of each element, and perhaps a boolean

local known_of = require "luacuda.fuse.known"

-- Kind of node -> function(ctx, node); decisions.lua puts them together.
local M = { expressions = {}, statements = {} }

-- Levels of variables -----------------------------------------------------------------------------

function M.raise(state, set, key, level)
  if level > (set[key] or 0) then
    set[key], state.changed = level, true
  end
end

-- level(ctx, node) -> the level of an expression; raises those of variables that it assigns
function M.level(ctx, node)
  local fn = M.expressions[node.kind]
  return fn and fn(ctx, node) or 0
end
local level = M.level

function M.of_list(ctx, list)
  local most = 0
  for _, node in ipairs(list) do most = math.max(most, level(ctx, node)) end
  return most
end

function M.decide(ctx, node)
  local state = ctx.state
  if not state.decision then state.decision = { source = ctx.source, node = node } end
end

-- The statements of a block.
function M.block(ctx, list)
  for _, node in ipairs(list) do
    local fn = M.statements[node.kind]
    if fn then fn(ctx, node) end
  end
end

-- A condition: a decision if its value may be false for some elements.
function M.condition(ctx, node)
  if level(ctx, node) == 2 then M.decide(ctx, node) end
end

-- Parameters of functions that are not called directly may be anything.
function M.raise_params(ctx, record, of)
  for k, var in ipairs(record.node.params) do M.raise(ctx.state, ctx.state.vars, var, of(k)) end
end

function M.escapes(ctx, record)
  M.raise_params(ctx, record, function() return 2 end)
  for _, var in ipairs(record.node.params) do known_of.learn(ctx.state, var, false) end
  return record.result
end

return M

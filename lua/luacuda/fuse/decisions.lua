-- decisions.lua: does a Lua function decide by the elements of its arguments?

local lists = require "luacuda.base.lists"
local known_of = require "luacuda.fuse.known"
local levels = require "luacuda.fuse.levels"

local PARTS = { "luacuda.fuse.level_calls", "luacuda.fuse.level_expressions",
  "luacuda.fuse.level_statements" }

for _, name in ipairs(PARTS) do
  local part = require(name)
  lists.unite(levels.expressions, part.expressions, "rules")
  lists.unite(levels.statements, part.statements, "rules")
end

local M = {}

local MOST_PASSES = 100

-- The level of an argument by its kind.
local function of_kind(kind)
  if kind == nil or kind == "true" or kind == "false" then return 0 end
  return (kind == "bool" or kind == "=bool") and 2 or 1
end

local function read(state)
  local k = 1
  while k <= #state.list do
    local record = state.list[k]
    local ctx = { state = state, source = record.source, record = record,
      vararg = record.rest or 0 }
    levels.block(ctx, record.node.body)
    k = k + 1
  end
end

-- of(source, kinds) -> { decision = { source =, node = } or nil, unseen = why a function that is
-- called cannot be read, or nil } for arguments of these kinds
function M.of(source, kinds)
  local state = { vars = {}, written = {}, known = {}, records = {}, list = {} }
  local root, most = known_of.record(state, source.node, source), 0
  for k, var in ipairs(source.node.params) do state.vars[var] = of_kind(kinds[k]) end
  for k = #source.node.params + 1, #kinds do most = math.max(most, of_kind(kinds[k])) end
  root.rest = most
  for _ = 1, MOST_PASSES do
    state.changed, state.decision, state.unseen = false, nil, nil
    local known = #state.list
    read(state)
    if not state.changed and #state.list == known then break end
  end
  return state
end

return M

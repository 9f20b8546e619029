-- rules.lua: the rules for all kinds of nodes in the tree of a Lua function, a file for each part
-- of the language.

local lists = require "luacuda.base.lists"
local walk = require "luacuda.jit.infer.walk"

local PARTS = {
  "luacuda.jit.infer.terms",           -- constants, variables, indices, fields
  "luacuda.jit.infer.operator_nodes",
  "luacuda.jit.infer.logic",           -- and, or, selections
  "luacuda.jit.infer.calls",
  "luacuda.jit.infer.assignments",
  "luacuda.jit.infer.blocks",          -- branches, loops with a condition, returns, jumps
  "luacuda.jit.infer.for_loops",
}

for _, name in ipairs(PARTS) do
  local part = require(name)
  lists.unite(walk.expressions, part.expressions, "rules")
  lists.unite(walk.statements, part.statements, "rules")
end

return { body = walk.body }

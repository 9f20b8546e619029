-- language.lua: the names of the kernel's language, a file for each family. A row of a name has
-- call(ctx, node, args), which gives the expression of a call, or `fields`, or value(ctx, node);
-- of_threads: it has a meaning only where several threads run a kernel.
--
-- Values of some kinds have methods (type.kind, or `kind` of an expression that is known when the
-- kernel is made): { name = what messages call the value,
-- methods = name -> function(ctx, node, object, args) }.

local lists = require "luacuda.base.lists"

local FAMILIES = {
  "luacuda.jit.names.threads",          -- places, barriers, time
  "luacuda.jit.names.warps",            -- votes and exchanges
  "luacuda.jit.names.warp_parts",       -- tiles, the barrier of the grid
  "luacuda.jit.names.loops",            -- grid, unroll
  "luacuda.jit.names.memory",           -- shared, array, atomic operations
  "luacuda.jit.names.number_functions", -- conversions, CUDA's math library, bits
  "luacuda.jit.names.generators",       -- random
  "luacuda.jit.names.texture_calls",
}

-- of_marker: value of cuda.gpu (markers.lua) -> row
local M = { rows = {}, methods = {}, of_marker = {} }

for _, name in ipairs(FAMILIES) do
  local family = require(name)
  lists.unite(M.rows, family.rows, "names of the kernel's language")
  lists.unite(M.methods, family.methods, "kinds of values with methods")
end

for name, row in pairs(M.rows) do row.name = name end

-- The names, for suggestions.
function M.names()
  local list = {}
  for name in pairs(M.rows) do list[#list + 1] = name end
  return list
end

return M

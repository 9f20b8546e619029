-- The kinds of programs of jit_fuzz. A family has make(rng, count, narrow) -> text, data, number of
-- functions; plain and compiled, which run the program; and says if `run_in_lua` can.
local elements = require "spec.support.jit_fuzz.elements"
local exchanges = require "spec.support.jit_fuzz.exchanges"
local programs = require "spec.support.jit_fuzz.programs"
local run = require "spec.support.jit_fuzz.run"

local M = {}

M.grid = { name = "grid", plain = run.plain, compiled = run.compiled, in_lua = true }

function M.grid.make(rng, count, narrow)
  local text = programs.make(rng, count, narrow)
  return text, run.data(rng, count, narrow), count
end

M.blocks = { name = "blocks", plain = run.plain, compiled = run.compiled, in_lua = true }

-- Blocks of one and of two axes, also of sizes that no warp fits into.
local function launch_of(rng)
  local block = { rng(exchanges.MOST) + 1, 1 }
  if rng(3) == 0 then block = { rng(9) + 1, rng(8) + 1 }
  elseif rng(3) == 0 then block = { 32 * (rng(3) + 1), 1 } end
  return { grid = 1 + rng(2), block = block, shared = 8 * exchanges.MOST }
end

function M.blocks.make(rng, count, narrow)
  local launch = launch_of(rng)
  local text = programs.blocks(rng, count, narrow, launch.block[1] * launch.block[2])
  return text, run.data(rng, count, narrow, launch), count
end

M.elements = { name = "elements", plain = elements.plain, compiled = elements.compiled }

-- An elementwise kernel has at most 24 parameters, results among them.
function M.elements.make(rng, count, narrow)
  count = math.min(count, narrow and 1 or 4)
  local text, kinds = programs.elements(rng, count, narrow)
  return text, elements.data(rng, kinds, narrow), count
end

M.list = { M.grid, M.blocks, M.elements }

return M

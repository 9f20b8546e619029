-- scales.lua: how large the grid of a launch is, which decides how many bits its indices need.

local nodes = require "luacuda.jit.nodes"

-- A block of unknown size has at least so many threads, except where the grid has one block.
local LEAST_BLOCK, MOST_BLOCK = 32, 1024

local function most_of(extents)
  if type(extents) == "number" then return extents end
  local most = 1
  for axis = 1, type(extents) == "table" and 3 or 0 do
    local n = extents[axis]
    if type(n) == "number" and n > most then most = n end
  end
  return most
end

-- of(launch) -> "few" for few blocks along each axis, "small" for few threads, else "large"
local function of(launch)
  local threads, blocks = launch.threads and most_of(launch.threads), most_of(launch.grid)
  if threads then blocks = launch.block and threads or threads / LEAST_BLOCK
  else threads = blocks * MOST_BLOCK end
  if threads > nodes.SMALL_GRID then return "large" end
  return blocks <= nodes.FEW_BLOCKS and "few" or "small"
end

return { of = of }

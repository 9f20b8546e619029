-- A transpose through tiles in shared memory.   Arguments: [ROWS COLUMNS]
local cuda = require "luacuda"

local rows, columns = ...
rows, columns = math.tointeger(tonumber(rows) or 600), math.tointeger(tonumber(columns) or 500)
local TILE = 16

-- Threads next to each other should use memory next to each other. A direct transpose reads along
-- rows and writes along columns, which is slow. Here a block of threads reads a tile along rows,
-- turns it in shared memory, and writes it along rows again.
local transpose = cuda.jit(function(to, from)
  local tile = shared("float32", TILE, TILE + 1) -- one more column: no two threads share a bank
  local x, y = threadIdx.x + 1, threadIdx.y + 1  -- threadIdx and blockIdx count from 0
  local left, top = blockIdx.x * TILE, blockIdx.y * TILE
  if top + y <= rows and left + x <= columns then tile[y][x] = from[top + y][left + x] end
  syncthreads() -- wait until the whole tile is there
  if left + y <= columns and top + x <= rows then to[left + y][top + x] = tile[x][y] end
end)

local from = cuda.arange(rows * columns, "float32"):reshape{ rows, columns }
local to = cuda.zeros{ columns, rows }
transpose({
  grid = { (columns + TILE - 1) // TILE, (rows + TILE - 1) // TILE }, block = { TILE, TILE },
}, to, from)
assert(cuda.array_equal(to, from:transpose()))
print(("%d x %d on %s: %s"):format(rows, columns, to.device.name, tostring(to[columns])))

return from, to

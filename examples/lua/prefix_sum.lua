-- Prefix sums of the rows of a matrix: one thread block for each row.   Arguments: [ROWS COLUMNS]
local cuda = require "luacuda"

local rows, columns = ...
rows, columns = math.tointeger(tonumber(rows) or 64), math.tointeger(tonumber(columns) or 200)
local BLOCK = 256
assert(columns <= BLOCK, "a row must fit into a block")

-- In each round every element adds the one `step` places before it, and `step` doubles. After 8
-- rounds of 256 threads each element has met all before it.
local prefix = cuda.jit(function(y, x)
  local sums = shared("int64", BLOCK)
  local row, i = blockIdx.x + 1, threadIdx.x + 1
  sums[i] = 0
  if i <= columns then sums[i] = x[row][i] end
  local step = 1
  while step < BLOCK do
    syncthreads()
    local before = 0
    if i > step then before = sums[i - step] end
    syncthreads() -- all have read before anyone writes
    sums[i] = sums[i] + before
    step = 2 * step
  end
  if i <= columns then y[row][i] = sums[i] end -- each thread its own: no barrier needed
end)

local x = (cuda.arange(rows * columns, "int32") % 37 - 15):reshape{ rows, columns }
local y = cuda.zeros({ rows, columns }, "int64")
prefix({ grid = rows, block = BLOCK }, y, x)
assert(cuda.array_equal(y, x:cumsum{ axis = 2 }))
print(("%d rows of %d on %s: %s"):format(rows, columns, y.device.name, tostring(y[1])))

return x, y

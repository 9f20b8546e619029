-- A matrix product with tiles in shared memory.   Arguments: [M N K]: M x K times K x N
local cuda = require "luacuda"

local m, n, k = ...
m, n = math.tointeger(tonumber(m) or 200), math.tointeger(tonumber(n) or 150)
k = math.tointeger(tonumber(k) or 100)
local TILE = 16

-- Each thread computes one element of C. The threads of a block need the same rows of A and columns
-- of B, so they fetch a tile of both together, once, and then all read it from shared memory.
local matmul = cuda.jit(function(C, A, B)
  local a, b = shared("float32", TILE, TILE), shared("float32", TILE, TILE)
  local x, y = threadIdx.x + 1, threadIdx.y + 1
  local row, column = blockIdx.y * TILE + y, blockIdx.x * TILE + x
  local sum = float32(0)
  for first = 0, k - 1, TILE do
    -- Outside of the matrices the tiles are 0. Every thread takes part: a barrier waits for all.
    a[y][x] = 0
    b[y][x] = 0
    if row <= m and first + x <= k then a[y][x] = A[row][first + x] end
    if first + y <= k and column <= n then b[y][x] = B[first + y][column] end
    syncthreads() -- both tiles are complete
    for l = 1, TILE do sum = sum + a[y][l] * b[l][x] end
    syncthreads() -- nobody reads them any more
  end
  if row <= m and column <= n then C[row][column] = sum end
end)

local A = (cuda.arange(m * k, "float32") % 16):reshape{ m, k }
local B = (cuda.arange(k * n, "float32") % 11):reshape{ k, n }
local C = cuda.zeros{ m, n }
local launch = { grid = { (n + TILE - 1) // TILE, (m + TILE - 1) // TILE }, block = { TILE, TILE } }
matmul(launch, C, A, B)
assert(C:allclose(A:matmul(B)))
local ms = matmul:time_ms(launch, C, A, B)
print(("%d x %d x %d on %s in %.3f ms"):format(m, n, k, C.device.name, ms))

return A, B, C

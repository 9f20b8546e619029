-- transpose: of a square matrix, through tiles in shared memory; a thread moves four elements.
local cuda = require "luacuda"

local TILE, ROWS = 32, 8

local pair = { name = "transpose", gpu = 8192, cpu = 512 }

function pair.lua(to, from)
  local tile = shared("float32", TILE, TILE + 1)
  local x, y = threadIdx.x + 1, threadIdx.y + 1
  local left, top = blockIdx.x * TILE, blockIdx.y * TILE
  for k = 0, TILE - 1, ROWS do
    if top + y + k <= #from and left + x <= from.shape[2] then
      tile[y + k][x] = from[top + y + k][left + x]
    end
  end
  syncthreads()
  for k = 0, TILE - 1, ROWS do
    if left + y + k <= #to and top + x <= to.shape[2] then
      to[left + y + k][top + x] = tile[x][y + k]
    end
  end
end

pair.cuda = [==[
  const int TILE = 32, ROWS = 8;
  __global__ void transpose(float *__restrict__ to, const float *__restrict__ from, int rows,
                            int columns) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
      if (y + k < rows && x < columns)
        tile[threadIdx.y + k][threadIdx.x] = from[(y + k) * columns + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
      if (y + k < columns && x < rows)
        to[(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
  }]==]

function pair.arrays(n)
  return { from = cuda.random.uniform { n, n }, out = cuda.zeros { n, n } }
end

function pair.launch(n)
  local blocks = (n + TILE - 1) // TILE
  return { grid = { blocks, blocks }, block = { TILE, ROWS } }
end
function pair.for_lua(t) return t.out, t.from end
function pair.for_cuda(t, n) return t.out, t.from, n, n end

return pair

-- matmul: a product of square matrices with tiles in shared memory; a thread computes one element.
local cuda = require "luacuda"

local TILE = 16

local pair = { name = "matmul", gpu = 2048, cpu = 160, tolerance = 1e-4 }

function pair.lua(C, A, B)
  local a, b = shared("float32", TILE, TILE), shared("float32", TILE, TILE)
  local x, y = threadIdx.x + 1, threadIdx.y + 1
  local row, column = blockIdx.y * TILE + y, blockIdx.x * TILE + x
  local depth, sum = #B, float32(0)
  for first = 0, depth - 1, TILE do
    local inside = row <= #A and first + x <= depth
    a[y][x] = inside and A[row][first + x] or 0
    inside = first + y <= depth and column <= B.shape[2]
    b[y][x] = inside and B[first + y][column] or 0
    syncthreads()
    for k = 1, TILE do sum = sum + a[y][k] * b[k][x] end
    syncthreads()
  end
  if row <= #C and column <= C.shape[2] then C[row][column] = sum end
end

pair.cuda = [==[
  const int TILE = 16;
  __global__ void matmul(float *__restrict__ C, const float *__restrict__ A,
                         const float *__restrict__ B, int m, int n, int depth) {
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int first = 0; first < depth; first += TILE) {
      a[y][x] = row < m && first + x < depth ? A[row * depth + first + x] : 0;
      b[y][x] = first + y < depth && column < n ? B[(first + y) * n + column] : 0;
      __syncthreads();
      for (int k = 0; k < TILE; k++) sum += a[y][k] * b[k][x];
      __syncthreads();
    }
    if (row < m && column < n) C[row * n + column] = sum;
  }]==]

function pair.arrays(n)
  return { A = cuda.random.uniform { n, n }, B = cuda.random.uniform { n, n },
    out = cuda.zeros { n, n } }
end

function pair.launch(n)
  local blocks = (n + TILE - 1) // TILE
  return { grid = { blocks, blocks }, block = { TILE, TILE } }
end
function pair.for_lua(t) return t.out, t.A, t.B end
function pair.for_cuda(t, n) return t.out, t.A, t.B, n, n, n end

return pair

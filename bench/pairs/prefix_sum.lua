-- prefix_sum: of the rows of a matrix with BLOCK columns, a block for each row; distances double.
local cuda = require "luacuda"

local BLOCK = 256

local pair = { name = "prefix_sum", gpu = 1 << 17, cpu = 256, tolerance = 0 }

function pair.lua(y, x)
  local sums = shared("int32", BLOCK)
  local row, i = blockIdx.x + 1, threadIdx.x + 1
  local sum, step = x[row][i], 1
  sums[i] = sum
  while step < BLOCK do
    syncthreads()
    if i > step then sum = sum + sums[i - step] end
    syncthreads()
    sums[i] = sum
    step = 2 * step
  end
  y[row][i] = sum
end

pair.cuda = [==[
  const int BLOCK = 256;
  __global__ void prefix_sum(int *__restrict__ y, const int *__restrict__ x, int columns) {
    __shared__ int sums[BLOCK];
    int row = blockIdx.x, i = threadIdx.x, sum = x[row * columns + i];
    sums[i] = sum;
    for (int step = 1; step < BLOCK; step *= 2) {
      __syncthreads();
      if (i >= step) sum += sums[i - step];
      __syncthreads();
      sums[i] = sum;
    }
    y[row * columns + i] = sum;
  }]==]

function pair.arrays(rows)
  return { x = cuda.random.integers(-9, 9, { rows, BLOCK }, { dtype = "int32" }),
    out = cuda.zeros({ rows, BLOCK }, "int32") }
end
function pair.launch(rows) return { grid = rows, block = BLOCK } end
function pair.for_lua(t) return t.out, t.x end
function pair.for_cuda(t) return t.out, t.x, BLOCK end

return pair

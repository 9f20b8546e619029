-- Finds the fastest tile for a transpose in shared memory, and keeps it on disk.
-- Arguments: [ROWS [COLUMNS [PICTURE.svg]]]
local cuda = require "luacuda"

local rows, columns, picture = ...
rows, columns = math.tointeger(tonumber(rows) or 1000), math.tointeger(tonumber(columns) or 700)

local SOURCE = [==[
  // Each block transposes a tile; each of its THREADS rows of threads copies several rows of it.
  __global__ void transpose(const float *in, float *out, int rows, int columns) {
    __shared__ float tile[TILE][TILE + PAD];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE;
    for (int j = threadIdx.y; j < TILE; j += THREADS)
      if (x < columns && y + j < rows) tile[j][threadIdx.x] = in[(y + j) * columns + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE;
    for (int j = threadIdx.y; j < TILE; j += THREADS)
      if (x < rows && y + j < columns) out[(y + j) * rows + x] = tile[threadIdx.x][j];
  }]==]

local from = cuda.arange(rows * columns, "float32"):reshape{ rows, columns }
local to = cuda.empty{ columns, rows }

local result = cuda.tune{
  name = "transpose", key = { rows, columns },
  space = { TILE = { 8, 16, 32 }, THREADS = { 2, 4, 8, 16, 32 }, PAD = { 0, 1 } },
  where = function(p) return p.THREADS <= p.TILE and p.TILE * p.THREADS >= 32 end,
  make = function(p)
    local grid = { (columns + p.TILE - 1) // p.TILE, (rows + p.TILE - 1) // p.TILE }
    local launch = cuda.kernel(SOURCE, { defines = p }):prepare{ grid = grid,
      block = { p.TILE, p.THREADS } }
    return function() launch(from, to, rows, columns) end
  end,
  reset = function() to:fill(-1) end,
  check = function() return to:equals(from:transpose()) end,
  metrics = function(_, ms) return { gb_per_s = 8e-6 * rows * columns / ms } end,
}
print(result)
if picture then result:save(picture) end

to:fill(-1)
result.run()
return from, to, result

-- Builds a tree of squares over points, with kernels that launch kernels for the crowded ones.
-- Arguments: [POINTS [CROWD [SEED]]]
local cuda = require "luacuda"

local n, crowd, seed = ...
n, crowd = math.tointeger(tonumber(n) or 2000), math.tointeger(tonumber(crowd) or 16)
seed = math.tointeger(tonumber(seed) or 1)
local LEVELS = 8

-- Its points are points[first], ..., and its quarters are squares[child], ..., from 0, or there are
-- none.
local Square = cuda.struct("Square", {
  { "x", "float32" }, { "y", "float32" }, { "size", "float32" },
  { "first", "int32" }, { "count", "int32" }, { "child", "int32" },
})

local m = cuda.module([==[
  struct Square { float x, y, size; int first, count, child; };

  // Sorts the points of a square into its quarters, one block for each square.
  __global__ void split(float2 *points, float2 *other, Square *squares, int *used, int at,
                        int crowd, int levels) {
    __shared__ int counts[4], next[4], child;
    int i = threadIdx.x;
    Square s = squares[at];
    float half = s.size / 2;
    auto quarter = [&](float2 p) { return (p.x >= s.x + half) + 2 * (p.y >= s.y + half); };

    if (i < 4) counts[i] = 0;
    __syncthreads();
    for (int k = i; k < s.count; k += blockDim.x)
      atomicAdd(&counts[quarter(points[s.first + k])], 1);
    __syncthreads();
    if (i == 0) {
      child = atomicAdd(used, 4);
      squares[at].child = child;
      for (int q = 0, start = s.first; q < 4; start += counts[q], q++) {
        next[q] = start;
        squares[child + q] = { s.x + half * (q & 1), s.y + half * (q >> 1), half, start,
                               counts[q], -1 };
      }
    }
    __syncthreads();
    for (int k = i; k < s.count; k += blockDim.x) {
      float2 p = points[s.first + k];
      other[atomicAdd(&next[quarter(p)], 1)] = p;
    }
    __syncthreads();
    for (int k = i; k < s.count; k += blockDim.x) points[s.first + k] = other[s.first + k];
    __threadfence();
    __syncthreads();
    if (i < 4 && counts[i] > crowd && levels > 1)
      split<<<1, 128>>>(points, other, squares, used, child + i, crowd, levels - 1);
  }]==], { rdc = true })

-- Points that are crowded around the lower left corner.
local points = cuda.random.generator(seed):uniform{ n, 2 } ^ 2
local squares = cuda.zeros(4 * n * LEVELS + 1, Square)
squares[1] = { x = 0, y = 0, size = 1, first = 0, count = n, child = -1 }
local used = cuda.ones(1, "int32")
m.kernels.split({ grid = 1, block = 128 }, points, cuda.empty_like(points), squares, used, 0,
  crowd, LEVELS)

-- The number of quarterings down to the point.
local function level_at(x, y)
  local s, level = squares[1], 0
  while s.child >= 0 do
    local half = s.size / 2
    local right, upper = x >= s.x + half and 1 or 0, y >= s.y + half and 2 or 0
    s, level = squares[s.child + right + upper + 1], level + 1
  end
  return level
end

for row = 15, 0, -1 do
  local line = {}
  for column = 0, 31 do line[#line + 1] = level_at((column + 0.5) / 32, (row + 0.5) / 16) end
  print(table.concat(line))
end
print(("%d points in %d squares"):format(n, used[1]))

return points, squares, used, crowd, LEVELS

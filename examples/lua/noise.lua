-- Fills a box with random numbers, by fewer threads than elements.
--   Arguments: [DEPTH ROWS COLUMNS]
local cuda = require "luacuda"

local depth, rows, columns = ...
depth, rows = math.tointeger(tonumber(depth) or 30), math.tointeger(tonumber(rows) or 40)
columns = math.tointeger(tonumber(columns) or 50)

-- Each thread makes one generator and draws from it for all its elements. So the numbers depend on
-- the launch; `random(seed, i)` for each element i would give the same ones for all launches.
local fill = cuda.jit(function(box, seed)
  local width, height = gridDim.x * blockDim.x, gridDim.y * blockDim.y
  local column = blockIdx.x * blockDim.x + threadIdx.x
  local row = blockIdx.y * blockDim.y + threadIdx.y
  local layer = blockIdx.z * blockDim.z + threadIdx.z
  local r = random(seed, (layer * height + row) * width + column)
  for k, i, j in grid(#box, box.shape[2], box.shape[3]) do box[k][i][j] = r:uniform() end
end)

local box = cuda.empty { depth, rows, columns }
local again = cuda.empty_like(box)
local launch = { grid = { 2, 2, 2 }, block = { 8, 4, 2 } }
fill(launch, box, 1)
fill(launch, again, 1)

assert(cuda.array_equal(box, again) and box:min() >= 0 and box:max() < 1)
assert(math.abs(box:mean() - 0.5) < 4 / math.sqrt(box.size))
fill(launch, again, 2)
assert(not cuda.array_equal(box, again))
print(("%d numbers on %s: mean %.4f, variance %.4f"):format(box.size, box.device.name, box:mean(),
  box:var()))

return box

-- The Mandelbrot set: the kernel and the script call the same Lua function.
--   Arguments: [WIDTH [FILE.png [LIMIT]]]
local cuda = require "luacuda"

local width, path, limit = ...
width, limit = math.tointeger(tonumber(width) or 384), math.tointeger(tonumber(limit) or 100)
local height = width * 2 // 3

-- Steps until z = z * z + c leaves the circle of radius 2. It knows nothing of kernels.
local function escape(cr, ci)
  local zr, zi, steps = 0.0, 0.0, 0
  while steps < limit and zr * zr + zi * zi <= 4 do
    zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
    steps = steps + 1
  end
  return steps
end

-- The point of the plane in the middle of a pixel's upper left corner.
local function point(row, column)
  local scale = 3 / width
  return (column - 1 - width / 2) * scale - 0.7, (row - 1 - height / 2) * scale
end

-- Functions and numbers around a kernel are part of it: `width` and `limit` become constants.
local count = cuda.jit(function(steps)
  for row, column in grid(height, width) do
    steps[row][column] = escape(point(row, column))
  end
end)

local paint = cuda.jit(function(rgb, steps)
  for row, column in grid(height, width) do
    local n = steps[row][column]
    for channel = 1, 3 do
      local t = cuda.sqrt(float32(n) / limit) * 6.2831853 + 0.7 * (channel - 1)
      -- An element of uint8 takes an integer: math.floor gives one, as in Lua.
      rgb[row][column][channel] = n == limit and 0 or math.floor(127.5 - 127.5 * cuda.cos(t))
    end
  end
end)

local steps = cuda.empty({ height, width }, "int32")
local rgb = cuda.empty({ height, width, 3 }, "uint8")
count({ threads = { width, height } }, steps) -- of a launch, x comes first
paint({ threads = { width, height } }, rgb, steps)
rgb:save_png(path or "mandelbrot.png")

local row, different = steps[height // 3]:totable(), 0
for column, n in ipairs(row) do
  if n ~= escape(point(height // 3, column)) then different = different + 1 end
end
-- At the border a rounding can decide whether a point leaves a step earlier.
assert(different <= width // 50)
print(("%d x %d on %s: %s"):format(width, height, steps.device.name, path or "mandelbrot.png"))

return steps, rgb

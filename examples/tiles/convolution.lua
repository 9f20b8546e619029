-- convolution.lua: a 3 x 3 convolution of images in rows of channels. For each of the nine offsets,
-- a row of pixels times the weights of that offset; pixels outside of the image are 0.
local cuda = require "luacuda"

local W, C, F = 32, 32, 32

local convolve = cuda.tiled(function(y, x, weight)
  local image, row, part = program(1), program(2), program(3)
  local first = (part - 1) * W
  local sum = zeros("float32", W, F)
  for dy = 1, 3 do
    for dx = 1, 3 do
      local pixels = load(x, { at(image), at(row + dy - 2), at(first + dx - 1), 1 }, { W, C })
      sum = dot(pixels, load(weight, { at(dy), at(dx), 1, 1 }, { C, F }), sum)
    end
  end
  store(y, { at(image), at(row), part, 1 }, sum)
end)

local images, height, width = 2, 10, 50
local x = cuda.random.normal({ images, height, width, C }):astype "float16"
local weight = (cuda.random.normal{ 3, 3, C, F } * 0.1):astype "float16"
local y = cuda.empty({ images, height, width, F }, "float32")
convolve({ tiles = y }, y, x, weight)

local padded = cuda.pad(x:astype "float64", { { 0, 0 }, { 1, 1 }, { 1, 1 }, { 0, 0 } })
local expected = cuda.zeros({ images, height, width, F }, "float64")
for dy = 1, 3 do
  for dx = 1, 3 do
    local part = padded:slice({}, { dy, dy + height - 1 }, { dx, dx + width - 1 }, {})
    expected = expected + cuda.matmul(part, weight[dy][dx]:astype "float64")
  end
end
print(("convolution: largest error %.4f"):format(cuda.abs(y - expected):max()))

return y, expected

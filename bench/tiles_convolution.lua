-- tiles_convolution.lua: 3 x 3 convolutions of images in rows of channels, beside cuDNN through
-- torch. Each of the nine offsets is a product of a row of pixels with the weights of that offset.
local cuda = require "luacuda"
local measure = require "tiles_measure"

local W, K = 64, 64 -- pixels of a row, and channels, that one tile has
local images, height, width = 32, 56, 56
if measure.small then images, height, width = 1, 5, 56 end

-- A program computes one row of an image, and N of its channels. Pixels outside of the image are 0.
local function convolution(N, channels)
  local STEPS = channels // K
  return cuda.tiled(function(y, x, weight)
    local number, j, rows = program(1) - 1, program(2), y.shape[2]
    local image, row = number // rows + 1, number % rows + 1
    local sum = zeros("float32", W, N)
    for r = 0, 9 * STEPS - 1 do
      local offset, k = r // STEPS, r % STEPS + 1
      local dy, dx = offset // 3, offset % 3
      local pixels = load(x, { at(image), at(row + dy - 1), at(dx), k }, { W, K })
      sum = dot(pixels, load(weight, { at(dy + 1), at(dx + 1), k, j }, { K, N }), sum)
    end
    store(y, { at(image), at(row), 1, j }, sum)
  end, { warps = 4 })
end

local function expected_of(x, weight)
  local padded = cuda.pad(x:astype "float64", { { 0, 0 }, { 1, 1 }, { 1, 1 }, { 0, 0 } })
  local total = cuda.zeros(x.shape, "float64")
  for dy = 1, 3 do
    for dx = 1, 3 do
      local part = padded:slice({}, { dy, dy + height - 1 }, { dx, dx + width - 1 }, {})
      total = total + cuda.matmul(part, weight[dy][dx]:astype "float64")
    end
  end
  return total
end

-- The extents of the channels of a tile.
local function extents_of(channels)
  local list = {}
  for _, N in ipairs{ 64, 128, 256 } do
    if channels % N == 0 then list[#list + 1] = N end
  end
  return list
end

local function row(peers, channels)
  local x = cuda.random.normal({ images, height, width, channels }):astype "bfloat16"
  local weight = (cuda.random.normal{ 3, 3, channels, channels } * (9 * channels) ^ -0.5)
    :astype "bfloat16"
  local y = cuda.empty(x.shape, "bfloat16")
  local extents, calls = extents_of(channels), {}
  for at, N in ipairs(extents) do
    local kernel = convolution(N, channels)
    local launch = { programs = { images * height, channels // N } }
    calls[at] = function() kernel(launch, y, x, weight) end
  end
  if measure.small then
    for at, call in ipairs(calls) do
      call()
      print(("convolution %d channels, %d at once: error %.2g"):format(channels, extents[at],
        measure.off(y, expected_of(x, weight))))
    end
    return
  end
  local ms, which = measure.least(measure.medians(calls), 1, #calls)
  local rate = 2 * images * height * width * 9 * channels * channels / ms * 1e-9
  print(("convolution bfloat16 %3d channels  ours %4.0f  %s  (%d x %d)"):format(channels, rate,
    measure.beside("cuDNN", peers["convolution " .. channels], rate), W, extents[which]))
end

local function run()
  local peers = measure.peers("peer_tiles.py", "convolution")
  for _, channels in ipairs{ 64, 128, 256 } do row(peers, channels) end
end

return { { name = "convolution", run = run } }

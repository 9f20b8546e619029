-- tiles_convolution.lua: 3 x 3 convolutions of images in rows of channels, beside cuDNN through
-- torch. Each of the nine offsets is a product of pixels with the weights of that offset.
local cuda = require "luacuda"
local measure = require "tiles_measure"

local images, height, width = 32, 56, 56
if measure.small then images, height, width = 2, 5, 56 end
local PITCH = width + 1

-- The number of rounds comes from the array. If it were a constant, ptxas would let each wgmma wait
-- for the one before (its message C7514).
local kinds = {}

-- A program computes one row of an image, and N of its channels. Pixels outside of the image are 0.
-- A tile has 64 rows, of which 8 are outside.
kinds.rows = { name = "rows of images", extents = { { 64, 64, 64, 4 }, { 64, 128, 64, 4 },
  { 64, 128, 128, 4 }, { 64, 256, 64, 4 } } }

function kinds.rows.make(M, N, K, warps, channels)
  local STEPS = channels // K
  return cuda.tiled(function(y, x, weight)
    local number, j, rows = program(1) - 1, program(2), y.shape[2]
    local image, row = number // rows + 1, number % rows + 1
    local sum = zeros("float32", M, N)
    for r = 0, 9 * tiles(x, 4, K) - 1 do
      local offset, k = r // STEPS, r % STEPS + 1
      local dy, dx = offset // 3, offset % 3
      local pixels = load(x, { at(image), at(row + dy - 1), at(dx), k }, { M, K })
      sum = dot(pixels, load(weight, { at(dy + 1), at(dx + 1), k, j }, { K, N }), sum)
    end
    store(y, { at(image), at(row), 1, j }, sum)
  end, { warps = warps, name = "rows_of_images" })
end

function kinds.rows.array(x) return x end
function kinds.rows.image(y) return y end
function kinds.rows.programs() return images * height end

-- A pixel of zeros ends each row, so an image is one long row: a neighbour outside is such a pixel,
-- or is outside of the array. Such pixels of the result are zeros as well.
kinds.padded = { name = "rows that end with 0", extents = { { 128, 64, 64, 4 }, { 64, 128, 64, 4 },
  { 128, 128, 64, 4 }, { 128, 128, 64, 8 }, { 64, 256, 64, 4 }, { 128, 256, 64, 8 } } }

function kinds.padded.make(M, N, K, warps, channels)
  local STEPS = channels // K
  return cuda.tiled(function(y, x, weight)
    local number, j, parts = program(1) - 1, program(2), tiles(y, 2, M)
    local image, part = number // parts + 1, number % parts + 1
    local before = (part - 1) * M
    local sum = zeros("float32", M, N)
    for r = 0, 9 * tiles(x, 3, K) - 1 do
      local offset, k = r // STEPS, r % STEPS + 1
      local dy, dx = offset // 3, offset % 3
      local pixels = load(x, { at(image), at(before + (dy - 1) * PITCH + dx), k }, { M, K })
      sum = dot(pixels, load(weight, { at(dy + 1), at(dx + 1), k, j }, { K, N }), sum)
    end
    store(y, { at(image), part, j }, where((before + transpose(iota(M))) % PITCH ~= 0, sum, 0))
  end, { warps = warps, name = "padded" })
end

function kinds.padded.array(x)
  local padded = cuda.pad(x, { { 0, 0 }, { 0, 0 }, { 0, 1 }, { 0, 0 } })
  return padded:reshape(images, height * PITCH, x.shape[4])
end

function kinds.padded.image(y)
  local all = y:reshape(images, height, PITCH, y.shape[3])
  assert(cuda.abs(all:slice({}, {}, { PITCH, PITCH }, {})):max() == 0)
  return all:slice({}, {}, { 1, width }, {})
end

function kinds.padded.programs(M) return images * ((height * PITCH + M - 1) // M) end

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

-- The extents of a kind that divide the channels, and a call for each of them.
local function calls_of(kind, y, x, weight)
  local channels = weight.shape[4]
  local extents, calls = {}, {}
  for _, e in ipairs(kind.extents) do
    local M, N, K, warps = table.unpack(e)
    if channels % N == 0 and channels % K == 0 then
      local kernel = kind.make(M, N, K, warps, channels)
      local launch = { programs = { kind.programs(M), channels // N } }
      extents[#extents + 1] = e
      calls[#calls + 1] = function() kernel(launch, y, x, weight) end
    end
  end
  return extents, calls
end

local function check(kind, extents, calls, y, expected)
  for at, call in ipairs(calls) do
    y:fill(7)
    call()
    local e = extents[at]
    print(("convolution %3d channels, %s, %d x %d x %d, %d warps: error %.2g"):format(
      expected.shape[4], kind.name, e[1], e[2], e[3], e[4],
      measure.off(kind.image(y), expected)))
  end
end

local function row(peers, kind, channels)
  local image = cuda.random.normal({ images, height, width, channels }):astype "bfloat16"
  local weight = (cuda.random.normal{ 3, 3, channels, channels } * (9 * channels) ^ -0.5)
    :astype "bfloat16"
  local x = kind.array(image)
  local y = cuda.empty_like(x)
  local extents, calls = calls_of(kind, y, x, weight)
  if measure.small then return check(kind, extents, calls, y, expected_of(image, weight)) end
  local ms, which = measure.least(measure.medians(calls), 1, #calls)
  local rate = 2 * images * height * width * 9 * channels * channels / ms * 1e-9
  local e = extents[which]
  print(("convolution bfloat16 %3d channels, %-20s  ours %4.0f  %s  (%d x %d x %d, %d warps)")
    :format(channels, kind.name, rate,
      measure.beside("cuDNN", peers["convolution " .. channels], rate), e[1], e[2], e[3], e[4]))
end

local function run()
  local peers = measure.peers("peer_tiles.py", "convolution")
  for _, channels in ipairs{ 64, 128, 256 } do
    row(peers, kinds.rows, channels)
    row(peers, kinds.padded, channels)
  end
end

return { { name = "convolution", run = run } }

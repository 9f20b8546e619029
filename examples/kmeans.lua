-- Paints a photograph in a few colors, which k-means finds with array functions alone.
--   Arguments: [PHOTO.png [OUT.png [COLORS [STEPS]]]]
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local cuda = require "luacuda"

local photo, out, k, steps = ...
photo, out = photo or here .. "data/coffee.png", out or "kmeans.png"
k, steps = math.tointeger(tonumber(k) or 8), math.tointeger(tonumber(steps) or 6)

local original = cuda.load_png(photo)
local n = original.size // 3
local pixels = original:reshape({ n, 3 }):astype "float32"

-- Finds the nearest color of each pixel: the argmin of {n, k} distances. A distance sums the last
-- axis of {n, k, 3} squared differences.
local distance = cuda.reduction("float32 x, float32 y", "float32 d", "(x - y) * (x - y)", "a + b",
  "d = a", "0", "distance")
local function nearest(colors)
  return distance(pixels:reshape { n, 1, 3 }, colors, { axis = 3 }):argmin { axis = 2 }
end

-- Moves each color to the mean of its pixels. A color without pixels stays.
local function means(labels, colors)
  -- {n, k}: 1 where a pixel has a color, else 0
  local members = labels:reshape({ n, 1 }):eq(cuda.arange(1, k + 1)):astype "float32"
  local counts = members:sum { axis = 1 }:reshape { k, 1 }
  return cuda.where(counts:gt(0), members:transpose():matmul(pixels) / counts, colors)
end

local some = cuda.random.generator(1):permutation(n):slice { 1, k }
local first = pixels:take(some, { axis = 1 })
local colors, labels = first, nil
for _ = 1, steps do
  labels = nearest(colors)
  colors = means(labels, colors)
end

local picture = colors:round():astype("uint8"):take(labels, { axis = 1 })
picture:reshape(original.shape):save_png(out)
for i, c in ipairs(colors:totable()) do
  print(("%d: %3.0f %3.0f %3.0f"):format(i, table.unpack(c)))
end

return pixels, first, colors, labels, picture

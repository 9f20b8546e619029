-- layout.lua: which thread holds which elements of the tiles of a kernel: softmax(a * b), row by
-- row. Pass the name of a file that ends in .svg for a picture of the product.
local cuda = require "luacuda"

local path = ...
local M, N, K = 32, 64, 32

local kernel = cuda.tiled(function(c, a, b)
  local i = program()
  local total = zeros("float32", M, N)
  for k = 1, tiles(a, 2, K) do
    total = dot(load(a, { i, k }, { M, K }), load(b, { k, 1 }, { K, N }), total)
  end
  local e = math.exp(total - max(total, 2))
  local sums = sum(e, 2)
  store(c, { i, 1 }, e / sums)
end)

local a = cuda.random.normal({ 100, 70 }):astype "float16"
local b = cuda.random.normal({ 70, N }):astype "float16"
local c = cuda.empty{ 100, N }
kernel({ tiles = c }, c, a, b)

local layout = kernel:layout()
print(layout.total)
print(layout.sums:text{ rows = { 1, 4 } })
local thread, register = layout.total:holder(9, 20)
print(("row 9, column 20 of total: warp %d, lane %d, register %d"):format(thread // 32,
  thread % 32, register))
if path then layout.total:save(path) end

local product = cuda.matmul(a:astype "float64", b:astype "float64")
return c, cuda.softmax(product, { axis = 2 })

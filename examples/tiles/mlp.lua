-- mlp.lua: two layers in one kernel: relu(x * w1) * w2. What is between them stays in the program.
local cuda = require "luacuda"

local M, H, D = 64, 32, 64

local mlp = cuda.tiled(function(y, x, w1, w2)
  local i = program(1)
  local rows = load(x, { i, 1 }, { M, D })
  local out = zeros("float32", M, D)
  for h = 1, tiles(w1, 2, H) do
    local hidden = math.max(dot(rows, load(w1, { 1, h }, { D, H })), 0)
    out = dot(float16(hidden), load(w2, { h, 1 }, { H, D }), out)
  end
  store(y, { i, 1 }, out)
end)

local function input(...) return (cuda.random.normal{ ... } * 0.2):astype "float16" end
local x, w1, w2 = input(100, D), input(D, 256), input(256, D)
local y = cuda.empty({ 100, D }, "float32")
mlp({ tiles = y }, y, x, w1, w2)

local function wide(a) return a:astype "float64" end
local hidden = cuda.maximum(cuda.matmul(wide(x), wide(w1)), 0)
local expected = cuda.matmul(hidden, wide(w2))
print(("mlp: largest error %.4f"):format(cuda.abs(y - expected):max()))

return y, expected

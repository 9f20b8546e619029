-- attention.lua: softmax(q * k^T) * v, each row up to its own column, without the matrix of
-- scores: the softmax is kept up to date while tiles of k and v pass by.
local cuda = require "luacuda"

local M, N, D = 64, 64, 64

local attention = cuda.tiled(function(o, q, k, v, scale)
  local h, i = program(1), program(2)
  local query = load(q, { at(h), i, 1 }, { M, D })
  local row = (i - 1) * M + transpose(iota(M))
  local top, total = full("float32", -math.huge, M, 1), zeros("float32", M, 1)
  local out = zeros("float32", M, D)
  for j = 1, i do
    local s = dot(query, transpose(load(k, { at(h), j, 1 }, { N, D }))) * scale
    s = where((j - 1) * N + iota(N) <= row, s, -math.huge)
    local highest = math.max(top, max(s, 2))
    local p, old = math.exp(s - highest), math.exp(top - highest)
    total = total * old + sum(p, 2)
    out = dot(float16(p), load(v, { at(h), j, 1 }, { N, D }), out * old)
    top = highest
  end
  store(o, { at(h), i, 1 }, out / total)
end)

local heads, n = 3, 200
local function input() return cuda.random.normal{ heads, n, D }:astype "float16" end
local q, k, v = input(), input(), input()
local o = cuda.empty({ heads, n, D }, "float16")
attention({ tiles = o }, o, q, k, v, D ^ -0.5)

local function wide(x) return x:astype "float64" end
local scores = cuda.matmul(wide(q), wide(k):transpose(1, 3, 2)) * D ^ -0.5
scores = cuda.where(cuda.tril(cuda.ones{ n, n }):gt(0), scores, -math.huge)
local expected = cuda.matmul(cuda.softmax(scores, { axis = 3 }), wide(v))
print(("attention: largest error %.4f"):format(cuda.abs(o - expected):max()))

return o, expected

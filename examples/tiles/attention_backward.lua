-- attention_backward.lua: the gradients of causal attention. One kernel takes tiles of keys, one
-- tiles of queries; both compute the weights again from the logarithm of each row's sum. A product
-- that stands alone in its statement runs on until its variable is read.
local cuda = require "luacuda"

local M, N, D = 64, 128, 64

-- log2(sum(exp(scores))) of each row, and the product of the output with its gradient.
local rows = cuda.tiled(function(lse, delta, q, k, o, go, scale)
  local i, h = program(1), program(2)
  local query = load(q, { at(h), i, 1 }, { M, D })
  local row = (i - 1) * M + transpose(iota(M))
  local top, total = full("float32", -math.huge, M, 1), zeros("float32", M, 1)
  for j = 1, (i * M + N - 1) // N do
    local s = dot(query, transpose(load(k, { at(h), j, 1 }, { N, D }))) * scale
    s = where((j - 1) * N + iota(N) <= row, s, -math.huge)
    local highest = math.max(top, max(s, 2))
    total = total * cuda.exp2(top - highest) + sum(cuda.exp2(s - highest), 2)
    top = highest
  end
  store(lse, { at(h), i }, transpose(top + math.log(total, 2)))
  local product = float32(load(o, { at(h), i, 1 }, { M, D })) * load(go, { at(h), i, 1 }, { M, D })
  store(delta, { at(h), i }, transpose(sum(product, 2)))
end)

-- The weights are transposed, so that they are the left tiles of products.
local of_keys = cuda.tiled(function(gk, gv, q, k, v, go, lse, delta, scale, scale2)
  local j, h = program(1), program(2)
  local key, value = load(k, { at(h), j, 1 }, { N, D }), load(v, { at(h), j, 1 }, { N, D })
  local dk, dv = zeros("float32", N, D), zeros("float32", N, D)
  for i = (j - 1) * N // M + 1, tiles(q, 2, M) do
    local query, g = load(q, { at(h), i, 1 }, { M, D }), load(go, { at(h), i, 1 }, { M, D })
    local s = dot(key, transpose(query))
    local gp = dot(value, transpose(g))
    local p = cuda.exp2(s * scale2 - load(lse, { at(h), i }, { M }))
    if (i - 1) * M < j * N then
      p = where((j - 1) * N + transpose(iota(N)) <= (i - 1) * M + iota(M), p, 0)
    end
    local gs = p * (gp - load(delta, { at(h), i }, { M }))
    dv = dot(float16(p), g, dv)
    dk = dot(float16(gs), query, dk)
  end
  store(gk, { at(h), j, 1 }, dk * scale)
  store(gv, { at(h), j, 1 }, dv)
end, { warps = 8 })

local of_queries = cuda.tiled(function(gq, q, k, v, go, lse, delta, scale, scale2)
  local i, h = programs(1) + 1 - program(1), program(2)
  local query, g = load(q, { at(h), i, 1 }, { N, D }), load(go, { at(h), i, 1 }, { N, D })
  local l = transpose(load(lse, { at(h), i }, { N }))
  local d = transpose(load(delta, { at(h), i }, { N }))
  local dq = zeros("float32", N, D)
  for j = 1, (i * N + M - 1) // M do
    local key, value = load(k, { at(h), j, 1 }, { M, D }), load(v, { at(h), j, 1 }, { M, D })
    local s = dot(query, transpose(key))
    local gp = dot(g, transpose(value))
    local p = cuda.exp2(s * scale2 - l)
    if j * M > (i - 1) * N then
      p = where((j - 1) * M + iota(M) <= (i - 1) * N + transpose(iota(N)), p, 0)
    end
    dq = dot(float16(p * (gp - d)), key, dq)
  end
  store(gq, { at(h), i, 1 }, dq * scale)
end, { warps = 8 })

local heads, n, scale = 2, 200, D ^ -0.5
local scale2 = cuda.float32(scale / math.log(2)) -- for powers of 2
local function input() return cuda.random.normal{ heads, n, D }:astype "float16" end
local q, k, v, go = input(), input(), input(), input()
local function wide(x) return x:astype "float64" end
local function swapped(x) return x:transpose(1, 3, 2) end
local scores = cuda.matmul(wide(q), swapped(wide(k))) * scale
scores = cuda.where(cuda.tril(cuda.ones{ n, n }):gt(0), scores, -math.huge)
local p = cuda.softmax(scores, { axis = 3 })
local o = cuda.matmul(p, wide(v)):astype "float16"

local lse, delta = cuda.empty{ heads, n }, cuda.empty{ heads, n }
local gq, gk, gv = cuda.empty(q.shape), cuda.empty(q.shape), cuda.empty(q.shape)
local function programs(extent) return { programs = { (n + extent - 1) // extent, heads } } end
rows(programs(M), lse, delta, q, k, o, go, scale2)
of_keys(programs(N), gk, gv, q, k, v, go, lse, delta, cuda.float32(scale), scale2)
of_queries(programs(N), gq, q, k, v, go, lse, delta, cuda.float32(scale), scale2)

local gp = cuda.matmul(wide(go), swapped(wide(v)))
local gs = p * (gp - (p * gp):sum{ axis = 3, keepdims = true })
local expected = cuda.stack{ cuda.matmul(gs, wide(k)) * scale,
  cuda.matmul(swapped(gs), wide(q)) * scale, cuda.matmul(swapped(p), wide(go)) }
local got = cuda.stack{ gq, gk, gv }
print(("attention backward: largest error %.4f"):format(cuda.abs(got - expected):max()))

return got, expected

-- attention_backward.lua: the gradients of causal attention. One kernel takes tiles of keys, one
-- tiles of queries; both compute the scores again from the logarithm of each row's sum.
local cuda = require "luacuda"

local M, N, D = 32, 32, 64

-- log(sum(exp(scores))) of each row, and the product of the output with its gradient.
local rows = cuda.tiled(function(lse, delta, q, k, o, go, scale)
  local h, i = program(1), program(2)
  local query = load(q, { at(h), i, 1 }, { M, D })
  local row = (i - 1) * M + transpose(iota(M))
  local top, total = full("float32", -math.huge, M, 1), zeros("float32", M, 1)
  for j = 1, i do
    local s = dot(query, transpose(load(k, { at(h), j, 1 }, { N, D }))) * scale
    s = where((j - 1) * N + iota(N) <= row, s, -math.huge)
    local highest = math.max(top, max(s, 2))
    total = total * math.exp(top - highest) + sum(math.exp(s - highest), 2)
    top = highest
  end
  store(lse, { at(h), i }, transpose(top + math.log(total)))
  local product = float32(load(o, { at(h), i, 1 }, { M, D })) * load(go, { at(h), i, 1 }, { M, D })
  store(delta, { at(h), i }, transpose(sum(product, 2)))
end)

local of_keys = cuda.tiled(function(gk, gv, q, k, v, go, lse, delta, scale)
  local h, j = program(1), program(2)
  local key, value = load(k, { at(h), j, 1 }, { N, D }), load(v, { at(h), j, 1 }, { N, D })
  local column = (j - 1) * N + iota(N)
  local dk, dv = zeros("float32", N, D), zeros("float32", N, D)
  for i = j, tiles(q, 2, M) do
    local query, g = load(q, { at(h), i, 1 }, { M, D }), load(go, { at(h), i, 1 }, { M, D })
    local s = dot(query, transpose(key)) * scale
    local p = math.exp(s - transpose(load(lse, { at(h), i }, { M })))
    p = where(column <= (i - 1) * M + transpose(iota(M)), p, 0)
    dv = dot(transpose(float16(p)), g, dv)
    local ds = p * (dot(g, transpose(value)) - transpose(load(delta, { at(h), i }, { M })))
    dk = dot(transpose(float16(ds * scale)), query, dk)
  end
  store(gk, { at(h), j, 1 }, dk)
  store(gv, { at(h), j, 1 }, dv)
end)

local of_queries = cuda.tiled(function(gq, q, k, v, go, lse, delta, scale)
  local h, i = program(1), program(2)
  local query, g = load(q, { at(h), i, 1 }, { M, D }), load(go, { at(h), i, 1 }, { M, D })
  local row = (i - 1) * M + transpose(iota(M))
  local dq = zeros("float32", M, D)
  for j = 1, i do
    local key = load(k, { at(h), j, 1 }, { N, D })
    local s = dot(query, transpose(key)) * scale
    local p = math.exp(s - transpose(load(lse, { at(h), i }, { M })))
    p = where((j - 1) * N + iota(N) <= row, p, 0)
    local gp = dot(g, transpose(load(v, { at(h), j, 1 }, { N, D })))
    local ds = p * (gp - transpose(load(delta, { at(h), i }, { M })))
    dq = dot(float16(ds * scale), key, dq)
  end
  store(gq, { at(h), i, 1 }, dq)
end)

local heads, n, scale = 2, 100, D ^ -0.5
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
local programs = { programs = { heads, (n + M - 1) // M } }
rows(programs, lse, delta, q, k, o, go, scale)
of_keys(programs, gk, gv, q, k, v, go, lse, delta, scale)
of_queries(programs, gq, q, k, v, go, lse, delta, scale)

local gp = cuda.matmul(wide(go), swapped(wide(v)))
local gs = p * (gp - (p * gp):sum{ axis = 3, keepdims = true })
local expected = cuda.stack{ cuda.matmul(gs, wide(k)) * scale,
  cuda.matmul(swapped(gs), wide(q)) * scale, cuda.matmul(swapped(p), wide(go)) }
local got = cuda.stack{ gq, gk, gv }
print(("attention backward: largest error %.4f"):format(cuda.abs(got - expected):max()))

return got, expected

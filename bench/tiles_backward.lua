-- tiles_backward.lua: rows of bench/tiles.lua: the gradients of attention, bfloat16, beside cuDNN.
-- Five products count, as the peer has them; ours has seven, since two kernels compute the weights.
local cuda = require "luacuda"
local measure = require "tiles_measure"

local M, N, D = 64, 128, 128

-- log2(sum(exp(scores))) of each row, and the product of the output with its gradient.
local sums = cuda.tiled(function(lse, q, k, scale, is_causal)
  local i, h = program(1), program(2)
  local query = load(q, { at(h), i, 1 }, { N, D })
  local top, total = full("float32", -math.huge, N, 1), zeros("float32", N, 1)
  for j = 1, tiles(k, 2, N) do
    local s = dot(query, transpose(load(k, { at(h), j, 1 }, { N, D }))) * scale
    local column, row = (j - 1) * N + iota(N), (i - 1) * N + transpose(iota(N))
    s = where(column <= k.shape[2] and (column <= row or not is_causal), s, -math.huge)
    local highest = math.max(top, max(s, 2))
    total = total * cuda.exp2(top - highest) + sum(cuda.exp2(s - highest), 2)
    top = highest
  end
  store(lse, { at(h), i }, transpose(top + math.log(total, 2)))
end, { warps = 8 })

local deltas = cuda.tiled(function(delta, o, go)
  local i, h = program(1), program(2)
  local product = float32(load(o, { at(h), i, 1 }, { M, D })) * load(go, { at(h), i, 1 }, { M, D })
  store(delta, { at(h), i }, transpose(sum(product, 2)))
end)

local function of_keys(causal)
  return cuda.tiled(function(gk, gv, q, k, v, go, lse, delta, scale, scale2)
    local j, h = program(1), program(2)
    local key, value = load(k, { at(h), j, 1 }, { N, D }), load(v, { at(h), j, 1 }, { N, D })
    local dk, dv = zeros("float32", N, D), zeros("float32", N, D)
    local first = 1
    if causal then first = (j - 1) * N // M + 1 end
    for i = first, tiles(q, 2, M) do
      local query, g = load(q, { at(h), i, 1 }, { M, D }), load(go, { at(h), i, 1 }, { M, D })
      local s = dot(key, transpose(query))
      local gp = dot(value, transpose(g))
      local p = cuda.exp2(s * scale2 - load(lse, { at(h), i }, { M }))
      if causal and (i - 1) * M < j * N then
        p = where((j - 1) * N + transpose(iota(N)) <= (i - 1) * M + iota(M), p, 0)
      end
      local gs = p * (gp - load(delta, { at(h), i }, { M }))
      dv = dot(bfloat16(p), g, dv)
      dk = dot(bfloat16(gs), query, dk)
    end
    store(gk, { at(h), j, 1 }, dk * scale)
    store(gv, { at(h), j, 1 }, dv)
  end, { warps = 8, name = "of_keys" })
end

-- The programs with most rounds are the first.
local function of_queries(causal)
  return cuda.tiled(function(gq, q, k, v, go, lse, delta, scale, scale2)
    local i, h = programs(1) + 1 - program(1), program(2)
    local query, g = load(q, { at(h), i, 1 }, { N, D }), load(go, { at(h), i, 1 }, { N, D })
    local l = transpose(load(lse, { at(h), i }, { N }))
    local d = transpose(load(delta, { at(h), i }, { N }))
    local dq = zeros("float32", N, D)
    local last = tiles(k, 2, M)
    if causal then last = math.min(last, (i * N + M - 1) // M) end
    for j = 1, last do
      local key, value = load(k, { at(h), j, 1 }, { M, D }), load(v, { at(h), j, 1 }, { M, D })
      local s = dot(query, transpose(key))
      local gp = dot(g, transpose(value))
      local p = cuda.exp2(s * scale2 - l)
      if causal and j * M > (i - 1) * N then
        p = where((j - 1) * M + iota(M) <= (i - 1) * N + transpose(iota(N)), p, 0)
      end
      dq = dot(bfloat16(p * (gp - d)), key, dq)
    end
    store(gq, { at(h), i, 1 }, dq * scale)
  end, { warps = 8, name = "of_queries" })
end

local KERNELS = {
  plain = { of_keys = of_keys(false), of_queries = of_queries(false) },
  causal = { of_keys = of_keys(true), of_queries = of_queries(true) },
}

-- The gradients of q, k and v, and the output, in float64.
local function expected(q, k, v, go, scale, is_causal)
  local function wide(x) return x:astype "float64" end
  local function swapped(x) return x:transpose(1, 3, 2) end
  local scores = cuda.matmul(wide(q), swapped(wide(k))) * scale
  if is_causal then
    local n = q.shape[2]
    scores = cuda.where(cuda.tril(cuda.ones{ n, n }):gt(0), scores, -math.huge)
  end
  local p = cuda.softmax(scores, { axis = 3 })
  local gp = cuda.matmul(wide(go), swapped(wide(v)))
  local gs = p * (gp - (p * gp):sum{ axis = 3, keepdims = true })
  return cuda.matmul(gs, wide(k)) * scale, cuda.matmul(swapped(gs), wide(q)) * scale,
    cuda.matmul(swapped(p), wide(go)), cuda.matmul(p, wide(v))
end

local function row(peers, kind, heads, n)
  local function input() return cuda.random.normal({ heads, n, D }):astype "bfloat16" end
  local q, k, v, go = input(), input(), input(), input()
  local gq, gk, gv = input(), input(), input()
  local lse, delta = cuda.empty({ heads, n }, "float32"), cuda.empty({ heads, n }, "float32")
  local scale = cuda.float32(D ^ -0.5)
  local scale2 = cuda.float32(D ^ -0.5 / math.log(2)) -- for powers of 2
  local large, small = { programs = { (n + N - 1) // N, heads } },
    { programs = { (n + M - 1) // M, heads } }
  local want = measure.small and { expected(q, k, v, go, D ^ -0.5, kind == "causal") }
  local o = want and want[4]:astype "bfloat16" or input()
  sums(large, lse, q, k, scale2, kind == "causal")
  local own = KERNELS[kind]
  local function run()
    deltas(small, delta, o, go)
    own.of_keys(large, gk, gv, q, k, v, go, lse, delta, scale, scale2)
    own.of_queries(large, gq, q, k, v, go, lse, delta, scale, scale2)
  end
  local name = ("backward %-6s bfloat16 %d heads, %4d x %3d"):format(kind, heads, n, D)
  if want then
    run()
    print(("%s  errors %.2g %.2g %.2g"):format(name, measure.off(gq, want[1]),
      measure.off(gk, want[2]), measure.off(gv, want[3])))
    return
  end
  local ms = measure.medians{ run }[1]
  local rate = 10 * heads * n * n * D / (kind == "causal" and 2 or 1) / ms * 1e-9
  print(("%s  ours %4.0f  %s"):format(name, rate, measure.beside("cuDNN",
    peers[("%s %d %d %d"):format(kind, heads, n, D)], rate)))
end

local function run()
  local peers = measure.peers("peer_tiles.py", "backward")
  for _, kind in ipairs{ "plain", "causal" } do
    if measure.small then row(peers, kind, 2, 300) else row(peers, kind, 16, 4096) end
  end
end

return { { name = "backward", run = run } }

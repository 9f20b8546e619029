-- Measures kernels over tiles on a GPU beside cuBLAS and torch, in turn, on random normal data.
-- Prints TFLOP/s or GB/s, and ratios.
--   lua5.4 bench/tiles.lua [--small] [PATTERN...]
-- Patterns of names choose rows: product, float8, tf32, attention, backward, epilogue, convolution,
-- softmax, layer norm, rms norm. With --small the last six print errors of small sizes instead,
-- also on the CPU device.
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local cuda = require "luacuda"
local measure = require "tiles_measure"
local products = require("tiles_products").products

local wanted, medians = measure.wanted, measure.medians

-- Products ----------------------------------------------------------------------------------------

local SHAPES = {
  { "float16", 8192, 8192, 8192, "nn" }, { "float16", 4096, 4096, 4096, "nn" },
  { "bfloat16", 8192, 8192, 8192, "nt" }, { "bfloat16", 4096, 4096, 4096, "tn" },
  { "float16", 2048, 2048, 2048, "nn" }, { "float16", 1024, 1024, 1024, "nn" },
  { "bfloat16", 4096, 14336, 4096, "nt" }, { "bfloat16", 4096, 4096, 14336, "nt" },
  { "float16", 64, 8192, 8192, "nt" }, { "float16", 16384, 64, 8192, "nn" },
  { "float16", 5000, 3000, 2000, "nn" }, { "float16", 8192, 8192, 64, "nn" },
}

local EXTENTS = { { 128, 256, 64, 8 }, { 128, 192, 64, 8 }, { 128, 128, 64, 8 }, { 64, 128, 64, 4 },
  { 128, 64, 64, 8 }, { 64, 64, 128, 4 }, { 128, 192, 64, 4 }, { 128, 128, 64, 4 },
  { 64, 256, 64, 4 }, { 64, 192, 64, 4 }, { 256, 128, 64, 8 }, { 256, 192, 64, 8 },
  { 128, 192, 64, 4, 2 }, { 128, 256, 64, 8, 2 } }
local kernels = {}
for k, e in ipairs(EXTENTS) do kernels[k] = products(table.unpack(e)) end

local function product_row(dtype, m, n, k, layout)
  local function matrix(...) return cuda.random.normal({ ... }):astype(dtype) end
  local a = layout == "tn" and matrix(k, m) or matrix(m, k)
  local b = layout == "nt" and matrix(n, k) or matrix(k, n)
  local left = layout == "tn" and a:transpose() or a
  local right = layout == "nt" and b:transpose() or b
  local c, r = cuda.empty({ m, n }, dtype), cuda.empty({ m, n }, dtype)
  local fns = { function() cuda.matmul(left, right, { out = r }) end }
  for i in ipairs(EXTENTS) do
    local kernel = kernels[i][layout]
    fns[i + 1] = function() kernel({ tiles = c }, c, a, b) end
  end
  local times = medians(fns)
  local best, which = math.huge, 0
  for i = 1, #EXTENTS do
    if times[i + 1] < best then best, which = times[i + 1], i end
  end
  local off = cuda.abs(c:astype "float32" - r:astype "float32"):max()
  local function rate(ms) return 2 * m * n * k / ms * 1e-9 end
  print(("%-9s%6d%6d%6d %s  ours %6.0f  cuBLAS %6.0f  %.2f  (%d x %d, %d warps%s, differs by %.3g)")
    :format(dtype, m, n, k, layout, rate(best), rate(times[1]), times[1] / best, EXTENTS[which][1],
      EXTENTS[which][2], EXTENTS[which][4], EXTENTS[which][5] and ", clusters" or "", off))
  return times[1] / best
end

local logs, count, least = 0, 0, math.huge
for _, s in ipairs(SHAPES) do
  if wanted "product" and not measure.small then
    local ratio = product_row(table.unpack(s))
    logs, count, least = logs + math.log(ratio), count + 1, math.min(least, ratio)
  end
end
if count > 0 then
  print(("products: geometric mean %.2f, least %.2f"):format(math.exp(logs / count), least))
end

-- Products in other precisions --------------------------------------------------------------------

local function square_rate(n, ms) return 2 * n ^ 3 / ms * 1e-9 end

-- The lowest time of kernels for c = a b^T, which run in turn, and which one it is of.
local function fastest(list, extents, c, a, b, ...)
  local fns = { ... }
  local others = #fns
  for _, kernel in ipairs(list) do
    fns[#fns + 1] = function() kernel({ tiles = c }, c, a, b) end
  end
  local times = medians(fns)
  local best, which = math.huge, 0
  for i = others + 1, #times do
    if times[i] < best then best, which = times[i], i - others end
  end
  return best, ("%d x %d x %d"):format(table.unpack(extents[which])), times
end

local FLOAT8 = { { 128, 256, 128, 8 }, { 128, 192, 128, 8 }, { 128, 128, 128, 8 } }

local function float8_row(n)
  local list = {}
  for k, e in ipairs(FLOAT8) do list[k] = products(table.unpack(e)).nt end
  local function matrix() return cuda.random.normal({ n, n }):astype "float8_e4m3fn" end
  local a, b, c = matrix(), matrix(), cuda.empty({ n, n }, "bfloat16")
  local ms, which = fastest(list, FLOAT8, c, a, b)
  local off = cuda.abs(c:astype "float32" - cuda.matmul(a:astype "float16",
    b:astype("float16"):transpose()):astype "float32"):max()
  local peer = measure.peers("peer_tiles.py", "float8")["float8 " .. n]
  print(("float8_e4m3fn%6d nt  ours %6.0f  torch._scaled_mm %s  (%s, differs by %.3g)"):format(n,
    square_rate(n, ms), peer and ("%.0f  %.2f"):format(peer, square_rate(n, ms) / peer) or "-",
    which, off))
end

local TF32 = { { 128, 256, 32, 8 }, { 128, 128, 64, 8 }, { 128, 128, 32, 8 }, { 64, 128, 32, 4 } }
local TF32X3 = { { 64, 64, 32, 4 }, { 128, 64, 32, 4 }, { 128, 128, 32, 8 }, { 64, 128, 32, 4 } }

local function float32_product(precision, M, N, K, warps)
  return cuda.tiled(function(c, a, b)
    local i, j = program(1), program(2)
    local sum = zeros("float32", M, N)
    for k = 1, tiles(a, 2, K) do
      sum = dot(load(a, { i, k }, { M, K }), transpose(load(b, { j, k }, { N, K })), sum, precision)
    end
    store(c, { i, j }, sum)
  end, { warps = warps })
end

-- Beside cuBLAS in float32 and in TF32.
local function float32_row(precision, extents, n)
  local list = {}
  for k, e in ipairs(extents) do list[k] = float32_product(precision, table.unpack(e)) end
  local a, b = cuda.random.normal{ n, n }, cuda.random.normal{ n, n }
  local c, r, t = cuda.empty{ n, n }, cuda.empty{ n, n }, b:transpose()
  local ms, which, times = fastest(list, extents, c, a, b,
    function() cuda.matmul(a, t, { out = r }) end,
    function() cuda.matmul(a, t, { out = r, tf32 = true }) end)
  cuda.matmul(a, t, { out = r })
  print(("%-7s%6d nt  ours %6.0f  cuBLAS float32 %4.0f  %.2f  cuBLAS TF32 %4.0f  %.2f  "
    .. "(%s, differs by %.3g)"):format(precision, n, square_rate(n, ms), square_rate(n, times[1]),
    times[1] / ms, square_rate(n, times[2]), times[2] / ms, which, cuda.abs(c - r):max()))
end

if wanted "float8" and not measure.small then float8_row(8192) end
if wanted "tf32" and not measure.small then
  float32_row("tf32", TF32, 8192)
  float32_row("tf32x3", TF32X3, 4096)
end

-- Attention ---------------------------------------------------------------------------------------

local N = 128

local function plain(M, D, warps)
  return cuda.tiled(function(o, q, k, v, scale)
    local i, h = program(1), program(2)
    local query = load(q, { at(h), i, 1 }, { M, D })
    local top, total = full("float32", -math.huge, M, 1), zeros("float32", M, 1)
    local out = zeros("float32", M, D)
    for j = 1, tiles(k, 2, N) do
      local s = dot(query, transpose(load(k, { at(h), j, 1 }, { N, D })))
      local highest = math.max(top, max(s, 2) * scale)
      local p, old = cuda.exp2(s * scale - highest), cuda.exp2(top - highest)
      total = total * old + sum(p, 2)
      out = dot(bfloat16(p), load(v, { at(h), j, 1 }, { N, D }), out * old)
      top = highest
    end
    store(o, { at(h), i, 1 }, out * (1 / total))
  end, { warps = warps })
end

-- The programs with most rounds are the first.
local function causal(M, D, warps)
  return cuda.tiled(function(o, q, k, v, scale)
    local i, h = programs(1) + 1 - program(1), program(2)
    local query = load(q, { at(h), i, 1 }, { M, D })
    local top, total = full("float32", -math.huge, M, 1), zeros("float32", M, 1)
    local out = zeros("float32", M, D)
    local row = (i - 1) * M
    for j = 1, (i * M + N - 1) // N do
      local s = dot(query, transpose(load(k, { at(h), j, 1 }, { N, D })))
      if j * N > row then
        s = where((j - 1) * N + iota(N) <= row + transpose(iota(M)), s, -math.huge)
      end
      local highest = math.max(top, max(s, 2) * scale)
      local p, old = cuda.exp2(s * scale - highest), cuda.exp2(top - highest)
      total = total * old + sum(p, 2)
      out = dot(bfloat16(p), load(v, { at(h), j, 1 }, { N, D }), out * old)
      top = highest
    end
    store(o, { at(h), i, 1 }, out * (1 / total))
  end, { warps = warps })
end

-- The rows of a program, and its warps, by the columns of the heads.
local ROWS, WARPS = { [128] = 128, [64] = 192 }, { [128] = 8, [64] = 12 }

local function attention_row(peers, kind, heads, n, d)
  local function input() return cuda.random.normal({ heads, n, d }):astype "bfloat16" end
  local q, k, v, o = input(), input(), input(), cuda.empty({ heads, n, d }, "bfloat16")
  local M = ROWS[d]
  local kernel = (kind == "plain" and plain or causal)(M, d, WARPS[d])
  local scale = cuda.float32(d ^ -0.5 / math.log(2))
  local launch = { programs = { (n + M - 1) // M, heads } }
  local ms = medians{ function() kernel(launch, o, q, k, v, scale) end }[1]
  local rate = 4 * heads * (kind == "plain" and n * n or n * n / 2) * d / ms * 1e-9
  local peer = peers[("%s %d %d %d"):format(kind, heads, n, d)]
  print(("attention bfloat16 %d heads, %4d x %3d, %-6s  ours %4.0f  cuDNN %s"):format(heads, n, d,
    kind, rate, peer and ("%4.0f  %.2f"):format(peer, rate / peer) or "-"))
  return peer and rate / peer
end

if wanted "attention" and not measure.small then
  local peers = measure.peers("peer_tiles.py", "attention")
  logs, count, least = 0, 0, math.huge
  for _, s in ipairs{ { 32, 8192, 128 }, { 32, 8192, 64 }, { 32, 2048, 128 } } do
    for _, kind in ipairs{ "plain", "causal" } do
      local ratio = attention_row(peers, kind, table.unpack(s))
      if ratio then
        logs, count, least = logs + math.log(ratio), count + 1, math.min(least, ratio)
      end
    end
  end
  if count > 0 then
    print(("attention: geometric mean %.2f, least %.2f"):format(math.exp(logs / count), least))
  end
end

-- Gradients of attention, products with an epilogue, convolutions, rows ---------------------------

for _, file in ipairs{ "tiles_backward", "tiles_epilogue", "tiles_convolution", "tiles_rows" } do
  for _, group in ipairs(require(file)) do
    if wanted(group.name) then group.run() end
  end
end

-- Kernels over tiles whose copies run ahead of their products, for sm_90a: right for all layouts
-- and sizes, without a report of the checks; and what the checks, or wrong results, say of kernels
-- that lack a wait, a fence or an arrival.
local sm90 = require "spec.support.sm90"

local KERNELS = [[
local function products(M, N, K, warps, sum, cluster)
  local fns = {}
  sum = sum or "float32"
  function fns.nn(c, a, b)
    local i, j = program(1), program(2)
    local total = zeros(sum, M, N)
    for k = 1, tiles(a, 2, K) do
      total = dot(load(a, { i, k }, { M, K }), load(b, { k, j }, { K, N }), total)
    end
    store(c, { i, j }, total)
  end
  function fns.nt(c, a, b)
    local i, j = program(1), program(2)
    local total = zeros(sum, M, N)
    for k = 1, tiles(a, 2, K) do
      total = dot(load(a, { i, k }, { M, K }), transpose(load(b, { j, k }, { N, K })), total)
    end
    store(c, { i, j }, total)
  end
  function fns.tn(c, a, b)
    local i, j = program(1), program(2)
    local total = zeros(sum, M, N)
    for k = 1, tiles(a, 1, K) do
      total = dot(transpose(load(a, { k, i }, { K, M })), load(b, { k, j }, { K, N }), total)
    end
    store(c, { i, j }, total)
  end
  for name, fn in pairs(fns) do
    fns[name] = cuda.tiled(fn, { warps = warps, cluster = cluster })
  end
  return fns
end

-- Two products in a loop, one of which has its left tile in registers; another tile is loaded once.
local function attention(M, N, D, warps)
  return cuda.tiled(function(o, q, k, v, scale)
    local i, h = program(1), program(2)
    local query = load(q, { at(h), i, 1 }, { M, D })
    local top, total = full("float32", -math.huge, M, 1), zeros("float32", M, 1)
    local out = zeros("float32", M, D)
    for j = 1, tiles(k, 2, N) do
      local s = dot(query, transpose(load(k, { at(h), j, 1 }, { N, D }))) * scale
      s = where((j - 1) * N + iota(N) <= k.shape[2], s, -math.huge)
      local highest = math.max(top, max(s, 2))
      local p, old = math.exp(s - highest), math.exp(top - highest)
      total = total * old + sum(p, 2)
      out = dot(float16(p), load(v, { at(h), j, 1 }, { N, D }), out * old)
      top = highest
    end
    store(o, { at(h), i, 1 }, out / total)
  end, { warps = warps })
end

-- Rounds from `first` on of two products that overlap; the round `marked` differs from the others.
local function span(M, N, D, warps)
  return cuda.tiled(function(o, q, k, v, first, marked)
    local i = program()
    local query, out = load(q, { i, 1 }, { M, D }), zeros("float32", M, D)
    for j = first, tiles(k, 1, N) do
      local s = dot(query, transpose(load(k, { j, 1 }, { N, D })))
      if j == marked then s = where(iota(N) <= transpose(iota(M)), s, 3) end
      out = dot(float16(s * s * 0.01), load(v, { j, 1 }, { N, D }), out * 0.5)
    end
    store(o, { i, 1 }, out)
  end, { warps = warps })
end

-- The same, where the round is known only inside of it.
local function late_span(M, N, D, warps)
  return cuda.tiled(function(o, q, k, v, first, marked)
    local i = program()
    local query, out = load(q, { i, 1 }, { M, D }), zeros("float32", M, D)
    for j = first, tiles(k, 1, N) do
      local twice = 2 * j
      local s = dot(query, transpose(load(k, { j, 1 }, { N, D })))
      if twice == 2 * marked then s = where(iota(N) <= transpose(iota(M)), s, 3) end
      out = dot(float16(s * s * 0.01), load(v, { j, 1 }, { N, D }), out * 0.5)
    end
    store(o, { i, 1 }, out)
  end, { warps = warps })
end

local function distance(a, b) return cuda.abs(wide(a) - wide(b)):max() end

local function matrix_of(dtype, rows, columns)
  if not dtype:find "int" then return cuda.random.normal({ rows, columns }):astype(dtype) end
  local low = dtype == "int8" and -128 or 0
  return cuda.random.integers(low, low + 255, { rows, columns }, { dtype = dtype })
end

local function multiplied(kernel, layout, m, n, k, dtype, to)
  local function matrix(...) return matrix_of(dtype, ...) end
  local a, b = matrix(m, k), matrix(k, n)
  local left = layout == "tn" and a:transpose():copy() or a
  local right = layout == "nt" and b:transpose():copy() or b
  local c = cuda.full({ m, n }, 777, to)
  kernel({ tiles = c }, c, left, right)
  return distance(c, cuda.matmul(wide(a), wide(b)))
end

local function attended(kernel, M, heads, n, d)
  local function input() return cuda.random.normal({ heads, n, d }):astype "float16" end
  local q, k, v, o = input(), input(), input(), cuda.full({ heads, n, d }, 777, "float16")
  kernel({ programs = { (n + M - 1) // M, heads } }, o, q, k, v, cuda.float32(d ^ -0.5))
  local p = cuda.softmax(cuda.matmul(wide(q), wide(k):transpose(1, 3, 2)) * d ^ -0.5, { axis = 3 })
  return distance(o, cuda.matmul(p, wide(v)))
end
]]

-- The same in float64, tile by tile.
local SPANS = [[
local function spanned(kernel, M, N, D, first, last, marked)
  local rows = 2 * M
  local function input(n) return cuda.random.normal{ n, D }:astype "float16" end
  local q, k, v, o = input(rows), input(last * N), input(last * N), cuda.full({ rows, D }, 7)
  kernel({ programs = 2 }, o, q, k, v, first, marked)
  local expected = cuda.zeros({ rows, D }, "float64")
  local lower = cuda.tril(cuda.ones{ M, N }):gt(0)
  for j = first, last do
    local part = { (j - 1) * N + 1, j * N }
    local s = cuda.matmul(wide(q), wide(k:slice(part)):transpose())
    if j == marked then
      s = cuda.where(cuda.concatenate{ lower, lower }, s, 3)
    end
    local p = wide((s * s * 0.01):astype "float16")
    expected = expected * 0.5 + cuda.matmul(p, wide(v:slice(part)))
  end
  return distance(o, expected)
end
]]

local function run(device, code, env) return sm90.run(device, KERNELS .. SPANS .. code, env) end

local RIGHT = [[
local function ahead(kernel) return kernel:source():find "wgmma" ~= nil end
for _, e in ipairs{ { 64, 64, 64, 4 }, { 128, 128, 64, 8 }, { 128, 72, 128, 4 } } do
  local kernels = products(table.unpack(e))
  for layout, kernel in pairs(kernels) do
      for k, s in ipairs{ { 136, 144, 264 }, { 64, 8, 456 } } do
      local dtype = k % 2 == 1 and "float16" or "bfloat16"
      local off = multiplied(kernel, layout, s[1], s[2], s[3], dtype, "float32")
      assert(off < 1e-3, ("%s %d: %g"):format(layout, k, off))
      off = multiplied(kernel, layout, s[1], s[2], s[3], dtype, dtype)
      assert(off < (dtype == "float16" and 0.1 or 0.6), ("%s %d: %g"):format(layout, k, off))
    end
    -- lines of a copy are 64 elements
    local fits = e[2] % 64 == 0 or layout == "nt"
    assert(ahead(kernel) == fits, layout .. e[2])
  end
  -- an array whose rows are not aligned
  local off = multiplied(kernels.nn, "nn", 70, 71, 73, "float16", "float32")
  assert(off < 1e-3 and not ahead(kernels.nn), off)
end
-- float32 in TF32: both factors by rows of k, in lines of 32 elements.
local function tf32(M, N, K, warps)
  return cuda.tiled(function(c, a, b)
    local i, j = program(1), program(2)
    local total = zeros("float32", M, N)
    for k = 1, tiles(a, 2, K) do
      total = dot(load(a, { i, k }, { M, K }), transpose(load(b, { j, k }, { N, K })), total,
        "tf32")
    end
    store(c, { i, j }, total)
  end, { warps = warps })
end
for _, e in ipairs{ { 64, 40, 32, 4 }, { 128, 64, 64, 8 } } do
  local kernel = tf32(table.unpack(e))
  local off = multiplied(kernel, "nt", 136, 144, 268, "float32", "float32")
  assert(ahead(kernel) and off > 1e-4 and off < 0.05, off)
  off = multiplied(kernel, "nt", 64, 24, 269, "float32", "float32") -- rows that are not aligned
  assert(not ahead(kernel) and off < 0.05, off)
end
-- Elements of 8 bits: both factors by rows of k, in lines of 128 elements. Tensor cores of 9.0 add
-- products of 8-bit floats with fewer bits than float32 has.
for _, e in ipairs{ { 64, 64, 128, 4, "float8_e4m3fn" }, { 128, 24, 256, 8, "float8_e5m2" },
  { 64, 48, 128, 4, "int8" }, { 128, 96, 128, 8, "uint8" } } do
  local dtype = e[5]
  local sum = dtype:find "int" and "int32" or "float32"
  local kernels = products(e[1], e[2], e[3], e[4], sum)
  for layout, kernel in pairs(kernels) do
    for _, s in ipairs{ { 136, 144, 272 }, { 64, 16, 464 } } do
      local off = multiplied(kernel, layout, s[1], s[2], s[3], dtype, sum)
      assert(off < (sum == "int32" and 1e-9 or 0.1), ("%s %s: %g"):format(dtype, layout, off))
    end
    assert(ahead(kernel) == (layout == "nt"), dtype .. layout)
  end
  local kernel = kernels.nt
  multiplied(kernel, "nt", 64, 16, 136, dtype, sum)         -- rows that are not aligned
  assert(not ahead(kernel))
end
for _, e in ipairs{ { 64, 64, 64, 4 }, { 128, 64, 128, 8 } } do
  local kernel = attention(table.unpack(e))
  for _, n in ipairs{ 64, 456 } do
    local off = attended(kernel, e[1], 1, n, e[3])
    assert(off < 2e-3, off)
  end
  assert(ahead(kernel))
end
for _, e in ipairs{ { 64, 64, 64, 4 }, { 128, 64, 128, 8 }, { 192, 128, 64, 12 } } do
  local kernel = span(table.unpack(e))
  for _, rounds in ipairs{ { 2, 1, 1 }, { 1, 1, 2 }, { 2, 2, 2 }, { 1, 3, 1 }, { 2, 8, 5 } } do
    local off = spanned(kernel, e[1], e[2], e[3], table.unpack(rounds))
    assert(off < 0.05, ("%d rows, rounds %d to %d: %g"):format(e[1], rounds[1], rounds[2], off))
  end
  assert(ahead(kernel))
  -- the first round, later rounds with and without the `if`, and the last product
  local _, count = kernel:source():gsub("wgmma.fence", "")
  assert(count == 4, count)
end
do
  local kernel = late_span(64, 64, 64, 4)
  assert(spanned(kernel, 64, 64, 64, 1, 3, 2) < 0.05)
  local _, count = kernel:source():gsub("wgmma.fence", "")
  assert(count == 3, count)
end
-- A function in C++ for each element of a product, which the copying warp does not repeat.
local doubled = cuda.device_function("__device__ float doubled(float x) { return x + x; }")
local called = cuda.tiled(function(c, a, b)
  local total = zeros("float32", 64, 64)
  for k = 1, tiles(a, 2, 64) do
    total = dot(load(a, { program(1), k }, { 64, 64 }), load(b, { k, program(2) }, { 64, 64 }),
      total)
  end
  store(c, { program(1), program(2) }, doubled(total))
end)
local a = cuda.random.normal{ 72, 136 }:astype "float16"
local b = cuda.random.normal{ 136, 80 }:astype "float16"
local c = cuda.empty{ 72, 80 }
called({ tiles = c }, c, a, b)
assert(ahead(called) and distance(c, 2 * cuda.matmul(wide(a), wide(b))) < 1e-3)
print "right"
]]

-- Functions of whole tiles and of elements before, in and after the loop.
local FUNCTIONS = [[
local M, N, K = 64, 64, 64
local function softmax(t)
  local e = math.exp(t - max(t, 2))
  return e / sum(e, 2)
end
local function leaky(v) if v > 0 then return v end return v * 0.1 end
local function multiplied_by(a, b, i, j, k, total)
  local left = load(a, { i, k }, { M, K })
  return dot(left, load(b, { k, j }, { K, N }), total)
end
local function start(dtype) return zeros(dtype, M, N) end
local kernel = cuda.tiled(function(c, a, b)
  local i, j = program(1), program(2)
  local total = start "float32"
  for k = 1, tiles(a, 2, K) do total = multiplied_by(a, b, i, j, k, total) end
  local function scaled(s) return total * s end
  store(c, { i, j }, leaky(softmax(scaled(0.1)) - 1 / N))
end)
for _, s in ipairs{ { 64, 64, 64 }, { 200, 64, 328 } } do
  local a = cuda.random.normal{ s[1], s[3] }:astype "float16"
  local b = cuda.random.normal{ s[3], s[2] }:astype "float16"
  local c = cuda.full({ s[1], s[2] }, 777, "float32")
  kernel({ tiles = c }, c, a, b)
  assert(kernel:source():find "wgmma")
  local v = cuda.softmax(cuda.matmul(wide(a), wide(b)) * 0.1, { axis = 2 }) - 1 / N
  local off = distance(c, cuda.where(v:gt(0), v, v * 0.1))
  assert(off < 1e-5, off)
end
print "right"
]]

-- Places that numbers of the loop tell, which change before, between and after the loads.
local NUMBERS = [[
local K = 64
local function walks(M, N, warps)
  return cuda.tiled(function(c, a, b, rounds, step)
    local i, j, n, k = program(1), program(2), tiles(a, 2, K), 1
    local total = zeros("float32", M, N)
    for r = 1, rounds do
      local turn, place = r % 2, (k - 1) % n + 1
      local left = load(a, { i, place }, { M, K })
      place = (place + turn) % n + 1
      total, k = dot(left, load(b, { place, j }, { K, N }), total), k + step
    end
    store(c, { i, j }, total)
  end, { warps = warps })
end
for _, e in ipairs{ { 64, 64, 4 }, { 128, 128, 8 } } do
  local n, rounds, step = math.random(2, 5), math.random(1, 9), math.random(1, 4)
  local a = cuda.random.normal({ 130, n * K }):astype "float16"
  local b = cuda.random.normal({ n * K, 136 }):astype "float16"
  local c, expected = cuda.full({ 130, 136 }, 777, "float32"), cuda.zeros({ 130, 136 }, "float64")
  local kernel = walks(table.unpack(e))
  kernel({ tiles = c }, c, a, b, rounds, step)
  assert(kernel:source():find "wgmma")
  for r = 1, rounds do
    local from = (r - 1) * step % n + 1
    local to = (from + r % 2) % n + 1
    local left = wide(a):slice({}, { (from - 1) * K + 1, from * K })
    expected = expected + cuda.matmul(left, wide(b):slice{ (to - 1) * K + 1, to * K })
  end
  local off = distance(c, expected)
  assert(off < 1e-3, ("%d tiles, %d rounds by %d: %g"):format(n, rounds, step, off))
end
print "right"
]]

-- What is left out of the text of a kernel, or exchanged, and what must be said of it.
local MUTANTS = [[
local kernels = require "luacuda.kernel.kernel"
local own, change, changed = kernels.own, nil, false
function kernels.own(options)
  local text = change and change(options.source) or options.source
  changed, options.source = text ~= options.source, text
  return own(options)
end

local function without(pattern, nth)
  return function(text)
    local k = 0
    return (text:gsub(pattern, function(all)
      k = k + 1
      return (not nth or k == nth) and "" or all
    end))
  end
end
local function with(a, b)
  return function(text)
    local i, j = text:find(a, 1, true)
    return i and text:sub(1, i - 1) .. b .. text:sub(j + 1) or text
  end
end
-- The barriers of vectors, after those of two rings of two stages.
local VECTORS_READY = "_lcu_barrier_wait%(&_full%[4 %+ _stage%], _phase%);\n"
local VECTORS_FREE = "_lcu_barrier_wait%(&_empty%[4 %+ _stage%], _phase %^ 1%);\n"
local ARRIVE = "if %(threadIdx.x %% 128 == 0%) _lcu_barrier_arrive[^\n]*\n"
local LIST = {
  { "fence of registers", without 'asm volatile%("wgmma.fence[^\n]*\n', "wgmma.fence",
    attention = true },
  { "end of a group of products", without 'asm volatile%("wgmma.commit_group[^\n]*\n',
    "wgmma.wait" },
  { "wait for products", without 'asm volatile%("wgmma.wait_group[^\n]*\n', "wgmma.wait",
    attention = true },
  { "slots of a loop that waits late", without 'asm volatile%("wgmma.wait_group[^\n]*\n', "race" },
  { "wait for a copy", without "_lcu_barrier_wait%(&_full[^\n]*\n", "race|uninitialized",
    attention = true },
  { "wait for a slot", without "_lcu_barrier_wait%(&_empty[^\n]*\n", "barrier|race" },
  { "wait for what is loaded once", without "_lcu_barrier_wait%(&_ready[^\n]*\n", "race",
    attention = true },
  { "bytes to expect", without "_lcu_barrier_expect%(&_full[^\n]*\n", "livelock|deadlock" },
  { "bytes that are loaded once", without "_lcu_barrier_expect%(&_ready[^\n]*\n", "livelock",
    attention = true },
  { "arrivals of readers", without(ARRIVE), "livelock" },
  { "the first arrival", without(ARRIVE, 1), "livelock" },
  { "phase of copies", with("_stage], _phase);", "_stage], _phase ^ 1);"), "race|uninitialized" },
  { "phase of slots", with("_phase ^ 1)", "_phase)"), "livelock" },
  { "order after the init", without "  __syncthreads%(%);\n", "init" },
  { "arrivals of a copy", with("_full + i, 1)", "_full + i, 2)"), "livelock" },
  { "readers of a slot", with("_empty + i, 1)", "_empty + i, 2)"), "livelock" },
  { "proxy of stores", without 'asm volatile%("fence.proxy.async.shared::cta;[^\n]*\n',
    "proxy" },
  { "what a store reads", without("_lcu_group_wait%(_group%);\n", 2), "race" },
  { "what has been read", without("_lcu_group_wait%(_group%);\n", 1), "race" },
  { "wait for stores", without "if %(threadIdx.x %% 128 == 0%) _lcu_store_wait%(%);\n", "race" },
  { "wait for the last store", without "[^\n]*cp.async.bulk.wait_group 0;[^\n]*\n", "race" },
  { "swizzle of stores", with("^ (_lane / 4)) * 16", "^ 0) * 16"), "wrong" },
  { "swizzle of products", with("1ull << 62", "2ull << 62"), "layout" },
  { "parity of the round before", with("_round - 1) / ", "_round) / "), "race|uninitialized",
    attention = true },
  { "stage of the round before", with("+ (_round - 1) % ", "+ _round % "), "race|uninitialized",
    attention = true },
  { "what the round before has read", without(ARRIVE, 3), "livelock|race", attention = true },
  { "readers of what is loaded once", without "[^\n]*_lcu_barrier_arrive%(&_free[^\n]*\n",
    "livelock|deadlock", attention = true },
  { "slot of what is loaded once", without "_lcu_barrier_wait%(&_free[^\n]*\n", "race|barrier",
    attention = true },
  { "turn of a group", without 'asm volatile%("bar.sync %%0, 256;[^\n]*\n', "uninitialized|race" },
  { "end of a turn", without 'asm volatile%("bar.arrive %%0, 256;[^\n]*\n', "deadlock|livelock" },
  { "rounds of the other group", with("_round += ", "_round += 0 * "), "livelock|race|wrong" },
  { "stage of a round", with("_stage = _round % ", "_stage = (_round + 1) % "), "livelock" },
  { "wait for products that run on", without 'asm volatile%("wgmma.wait_group[^\n]* 1;[^\n]*\n',
    "wgmma.wait", vectors = true },
  { "products that ran into this round", with("wgmma.wait_group.sync.aligned 1;",
    "wgmma.wait_group.sync.aligned 3;"), "wgmma.wait|race", vectors = true },
  { "wait for vectors", without(VECTORS_READY), "race|uninitialized", vectors = true },
  { "wait for a slot of vectors", without(VECTORS_FREE), "race|barrier", vectors = true },
  { "arrivals of vectors", without "_lcu_barrier_arrive_copied%(&[^\n]*\n", "livelock",
    vectors = true },
  { "readers of vectors", without "if %(_lane == 0%) _lcu_barrier_arrive[^\n]*\n", "livelock",
    vectors = true },
  { "lanes that read vectors", without "  __syncwarp%(%);\n", "race", vectors = true },
  { "threads that copy vectors", with("_full + i, 32)", "_full + i, 31)"), "barrier|race",
    vectors = true },
  { "order before the first copy to a peer", without("_lcu_cluster_sync%(%);\n", 1), "init|barrier",
    cluster = true },
  { "order after the last copy to a peer", without("_lcu_cluster_sync%(%);\n", 2), "has ended",
    cluster = true },
  { "the peer's readers", with("if (threadIdx.x % 128 < 2)", "if (threadIdx.x % 128 < 1)"),
    "livelock", cluster = true },
  { "readers of both blocks", with("_empty + i, 2)", "_empty + i, 1)"), "race|barrier",
    cluster = true },
  { "the peer of a copy", with("(unsigned short)3", "(unsigned short)1"), "livelock",
    cluster = true },
  { "the half of a copy", with("_rank * 32 * 128", "0 * 32 * 128"), "race|uninitialized",
    cluster = true },
  { "the rows of a copy", with("+ _rank * 32, &", "+ 0 * 32, &"), "wrong", cluster = true },
  { "warps that read vectors", with("_empty + i, 4)", "_empty + i, 3)"), "barrier|race",
    vectors = true },
}

local function verdict(fn)
  local ok, off = pcall(fn)
  if not ok then return tostring(off) end
  return off < 0.1 and "right" or "wrong"
end
local function product()
  return multiplied(products(64, 128, 64, 4).nn, "nn", 64, 776, 456, "float16", "float16")
end
local function of_clusters()
  local kernel = products(64, 128, 64, 4, nil, 2).nn
  return multiplied(kernel, "nn", 136, 776, 456, "float16", "float16")
end
-- Two products that run on, and a vector.
local function with_vectors()
  local rows = 150
  local a, b, v = matrix_of("float16", rows, 456), matrix_of("float16", 456, 64),
    cuda.random.normal(450)
  local c = cuda.empty({ rows, 64 }, "float32")
  local kernel = cuda.tiled(function(c, a, b, v)
    local i = program(1)
    local one, two = zeros("float32", 64, 64), zeros("float32", 64, 64)
    for k = 1, tiles(a, 2, 64) do
      local x = load(a, { i, k }, { 64, 64 })
      local own = dot(x, load(b, { k, 1 }, { 64, 64 }))
      two = dot(x, load(b, { 8 - k + 1, 1 }, { 64, 64 }), two)
      one = one + own * load(v, { k }, { 64 })
    end
    store(c, { i, 1 }, one + two)
  end, { stages = 2 })
  kernel({ tiles = c }, c, a, b, v)
  local expected = cuda.zeros({ rows, 64 }, "float64")
  local padded = cuda.pad(wide(a), { { 0, 0 }, { 0, 56 } })
  local b2, v2 = cuda.pad(wide(b), { { 0, 56 }, { 0, 0 } }), cuda.pad(wide(v), { { 0, 62 } })
  for k = 1, 8 do
    local x, at = padded:slice({}, { k * 64 - 63, k * 64 }), 9 - k
    expected = expected + cuda.matmul(x, b2:slice{ k * 64 - 63, k * 64 })
      * v2:slice{ k * 64 - 63, k * 64 } + cuda.matmul(x, b2:slice{ at * 64 - 63, at * 64 })
  end
  return distance(c, expected)
end
local function two_products() return attended(attention(64, 64, 64, 4), 64, 1, 456, 64) end

for _, fn in ipairs{ product, two_products, with_vectors, of_clusters } do
  assert(verdict(fn) == "right")
end
for _, m in ipairs(LIST) do
  change, changed = m[2], false
  local fn = m.attention and two_products or m.vectors and with_vectors
    or m.cluster and of_clusters or product
  local said, found = verdict(fn), false
  assert(changed, m[1] .. ": nothing was changed")
  for word in m[3]:gmatch "[^|]+" do found = found or said:find(word, 1, true) ~= nil end
  assert(found, ("%s: %s"):format(m[1], said))
end
print "noticed"
]]

sm90.for_each_device(function(device)
  describe("copies that run ahead", function()
    it("leave products and attention right", function()
      assert.matches("right", run(device, RIGHT))
    end)

    it("go with functions of tiles", function()
      assert.matches("right", run(device, FUNCTIONS))
    end)

    it("are where numbers of the loop say", function()
      assert.matches("right", run(device, NUMBERS))
    end)

    if device.kind == "cpu" then
      it("are checked without a GPU", function()
        assert.matches("noticed", run(device, MUTANTS, { LUACUDA_CPU_LIVELOCK_MS = "300" }))
      end)
    end
  end)
end)

-- When the products of a loop are complete, and vectors that a warp copies ahead of it. The plans
-- are those of sm_90a.
local sm90 = require "spec.support.sm90"

local HEAD = [[
local function half(...) return cuda.random.normal({ ... }):astype "float16" end
local function count(n, extent) return (n + extent - 1) // extent end
local function check(got, expected, most)
  local off = cuda.abs(wide(got) - expected):max()
  assert(off < (most or 2e-3), off)
end
local function planned(kernel)
  local r = kernel:pipeline()
  assert(r.reason == nil, r.reason)
  return r
end
-- How many vectors run ahead.
local function vectors_of(r)
  local n = 0
  for _, copy in ipairs(r.copies) do if copy.shape[1] == 1 then n = n + 1 end end
  return n
end
-- The elements k * 64 - 63 to k * 64 of a row, 0 outside of it
local function part(row, k)
  local n = row.shape[1]
  if k * 64 <= n then return row:slice{ k * 64 - 63, k * 64 } end
  local all = cuda.zeros(64, row.dtype)
  if k * 64 - 63 <= n then all:slice{ 1, n - k * 64 + 64 }:set(row:slice{ k * 64 - 63, n }) end
  return all
end
]]

local function run(device, code) sm90.run(device, HEAD .. code) end

sm90.for_each_device(function(device)
  describe("products that run on", function()
    it("are complete before an `if` changes their sum", function()
      run(device, [[
        local a, b = half(150, 304), half(304, 72)
        local c = cuda.empty({ 150, 72 }, "float32")
        local kernel = cuda.tiled(function(c, a, b, at)
          local i, j = program(1), program(2)
          local sum = zeros("float32", 64, 64)
          for k = 1, tiles(a, 2, 64) do
            if k == at then sum = sum * 0.5 end
            sum = dot(load(a, { i, k }, { 64, 64 }), load(b, { k, j }, { 64, 64 }), sum)
          end
          store(c, { i, j }, sum)
        end)
        kernel({ tiles = c }, c, a, b, 4)
        planned(kernel)
        local early = cuda.matmul(wide(a:slice({}, { 1, 192 })), wide(b:slice{ 1, 192 }))
        local late = cuda.matmul(wide(a:slice({}, { 193, 304 })), wide(b:slice{ 193, 304 }))
        check(c, early * 0.5 + late)
      ]])
    end)

    it("add to several sums, in rounds of two kinds", function()
      run(device, [[
        local M, N, K = 128, 64, 64
        local m, n, rows = 200, 136, 264
        local a, b, d = half(m, rows), half(n, rows), half(rows, n)
        local c, e, f = cuda.empty({ m, n }, "float32"), cuda.empty({ m, n }, "float32"),
          cuda.empty({ m, 1 }, "float32")
        local kernel = cuda.tiled(function(c, e, f, a, b, d)
          local i, j = program(1), program(2)
          local one, two, most = zeros("float32", M, N), zeros("float32", M, N),
            zeros("float32", M, 1)
          for k = 1, tiles(a, 2, K) do
            local x = load(a, { i, k }, { M, K })
            local own = dot(x, transpose(load(b, { j, k }, { N, K })))
            two = dot(x, load(d, { k, j }, { K, N }), two)
            if k > 2 then own = own * 2 end
            one = one + own
            most = math.max(most, max(math.abs(own), 2))
          end
          store(c, { i, j }, one)
          store(e, { i, j }, two)
          if j == 1 then store(f, { i, 1 }, most) end
        end, { warps = 8 })
        kernel({ tiles = c }, c, e, f, a, b, d)
        planned(kernel)
        -- each kind of round has its text, with two products
        assert(select(2, kernel:source():gsub("wgmma.commit_group", "")) == 4)
        local expected, most = cuda.zeros({ m, n }, "float64"), cuda.zeros({ m }, "float64")
        for k = 1, count(rows, K) do
          local range = { (k - 1) * K + 1, math.min(k * K, rows) }
          local own = cuda.matmul(wide(a:slice({}, range)), wide(b:slice({}, range)):transpose())
          if k > 2 then own = own * 2 end
          expected = expected + own
          most = cuda.maximum(most, cuda.abs(own:slice({}, { 1, N })):max{ axis = 2 })
        end
        check(c, expected)
        check(e, cuda.matmul(wide(a), wide(d)))
        check(f:reshape(m), most)
      ]])
    end)

    it("are on their way where there are one or more `if`s", function()
      run(device, [[
        local a, b, d = half(150, 328), half(328, 64), half(328, 64)
        local c = cuda.empty({ 150, 64 }, "float32")
        local function kernel(condition)
          return cuda.tiled("function(c, a, b, d)\n  local i, n = program(1), 0\n"
            .. "  local one, two = zeros('float32', 64, 64), zeros('float32', 64, 64)\n"
            .. "  for k = 1, tiles(a, 2, 64) do\n    local x = load(a, { i, k }, { 64, 64 })\n"
            .. "    local own = dot(x, load(b, { k, 1 }, { 64, 64 }))\n"
            .. "    two = dot(x, load(d, { k, 1 }, { 64, 64 }), two)\n    " .. condition
            .. " one = one * 2 end\n    one = one + own\n  end\n"
            .. "  store(c, { i, 1 }, one + two)\nend")
        end
        local function part_of(x, axis, k)
          local range = { k * 64 - 63, math.min(k * 64, 328) }
          return wide(axis == 1 and x:slice(range) or x:slice({}, range))
        end
        local third = { true, false, false, true, false, false }
        -- in which rounds the condition holds
        for condition, rounds in pairs{
          ["n = n + k % 2 if n > 1 then"] = { false, false, true, true, true, true },
          ["local odd = k % 3 if odd == 1 then"] = third,
          ["if k % 3 == 1 then"] = third,
          ["if k % 3 ~= 1 then one = one + 0 else"] = third,
          ["if k > 90 then one = one * 0 elseif k % 3 == 1 then"] = third,
          ["if k > 90 then one = one * 0 end if k % 3 == 1 then"] = third } do
          kernel(condition)({ programs = 3 }, c, a, b, d)
          local one = cuda.zeros({ 150, 64 }, "float64")
          for k, holds in ipairs(rounds) do
            if holds then one = one * 2 end
            one = one + cuda.matmul(part_of(a, 2, k), part_of(b, 1, k))
          end
          check(c, one + cuda.matmul(wide(a), wide(d)), 1e-2)
        end
      ]])
    end)

    it("leave a loop with an `if` that is never true alone", function()
      run(device, [[
        local M, N, D, heads, n, never = 64, 64, 64, 2, 150, false
        local q, k, v = half(heads, n, D), half(heads, n, D), half(heads, n, D)
        local o = cuda.empty({ heads, n, D }, "float32")
        local kernel = cuda.tiled(function(o, q, k, v)
          local i, h = program(1), program(2)
          local query, total = load(q, { at(h), i, 1 }, { M, D }), zeros("float32", M, D)
          for j = 1, tiles(k, 2, N) do
            local s = dot(query, transpose(load(k, { at(h), j, 1 }, { N, D })))
            if never then s = s * 2 end
            total = dot(float16(s * 0.01), load(v, { at(h), j, 1 }, { N, D }), total * 1)
          end
          store(o, { at(h), i, 1 }, total)
        end)
        kernel({ programs = { count(n, M), heads } }, o, q, k, v)
        planned(kernel)
        local s = cuda.matmul(wide(q), wide(k):transpose(1, 3, 2)) * 0.01
        check(o, cuda.matmul(s, wide(v)), 2e-2)
      ]])
    end)
  end)

  describe("vectors that are copied ahead", function()
    it("need no alignment, and are 0 outside of their array", function()
      run(device, [[
        local m, rows = 150, 328
        local a, b, c = half(m, rows), half(rows, 64), cuda.empty({ m, 64 }, "float32")
        for _, n in ipairs{ 301, 384, 63 } do
          local f, g = cuda.random.normal{ 3, n }, (cuda.random.normal{ 3, n } * 9):astype "int32"
          for _, warps in ipairs{ 4, 8, 12 } do
            local M = 16 * warps
            local kernel = cuda.tiled(function(c, a, b, f, g, r)
              local i, sum = program(1), zeros("float32", M, 64)
              for k = 1, tiles(a, 2, 64) do
                local shift = load(g, { at(r), k }, { 64 })
                local own = dot(load(a, { i, k }, { M, 64 }), load(b, { k, 1 }, { 64, 64 }))
                sum = sum + own * load(f, { at(r), k }, { 64 }) + float32(shift)
              end
              store(c, { i, 1 }, sum)
            end, { warps = warps })
            kernel({ programs = count(m, M) }, c, a, b, f, g, 2)
            assert(vectors_of(planned(kernel)) == 2)
            local expected = cuda.zeros({ m, 64 }, "float64")
            for k = 1, count(rows, 64) do
              local range = { k * 64 - 63, math.min(k * 64, rows) }
              local own = cuda.matmul(wide(a:slice({}, range)), wide(b:slice(range)))
              expected = expected + own * wide(part(f[2], k)) + wide(part(g[2], k))
            end
            check(c, expected, 5e-3)
          end
        end
      ]])
    end)

    it("go with groups of warps that run programs in turn", function()
      run(device, [[
        local m, rows, n = 776, 456, 130
        local a, b, v = half(m, rows), half(rows, n), cuda.random.normal(456)
        b = cuda.pad(b, { { 0, 0 }, { 0, 6 } })
        local c = cuda.empty({ m, n + 6 }, "float32")
        local kernel = cuda.tiled(function(c, a, b, v)
          local i, j = program(1), program(2)
          local sum, other = zeros("float32", 64, 64), zeros("float32", 1, 64)
          for k = 1, tiles(a, 2, 64) do
            other = other + load(v, { k }, { 64 })
            sum = dot(load(a, { i, k }, { 64, 64 }), load(b, { k, j }, { 64, 64 }), sum)
          end
          store(c, { i, j }, sum + other)
        end)
        kernel({ tiles = c }, c, a, b, v)
        local r = planned(kernel)
        assert(r.in_turn and vectors_of(r) == 1)
        local other = cuda.zeros(64, "float64")
        for k = 1, count(rows, 64) do other = other + wide(part(v, k)) end
        local all = cuda.concatenate{ other, other, other:slice{ 1, 8 } }
        check(c, cuda.matmul(wide(a), wide(b)) + all)
      ]])
    end)

    it("go with products that overlap", function()
      run(device, [[
        local M, N, D, heads, n = 128, 64, 64, 2, 211
        local q, k, v = half(heads, n, D), half(heads, n, D), half(heads, n, D)
        local bias, o = cuda.random.normal{ heads, n }, cuda.empty({ heads, n, D }, "float32")
        local kernel = cuda.tiled(function(o, q, k, v, bias)
          local i, h = program(1), program(2)
          local query, out = load(q, { at(h), i, 1 }, { M, D }), zeros("float32", M, D)
          for j = 1, tiles(k, 2, N) do
            local s = dot(query, transpose(load(k, { at(h), j, 1 }, { N, D }))) * 0.05
            local p = float16(s + load(bias, { at(h), j }, { N }))
            out = dot(p, load(v, { at(h), j, 1 }, { N, D }), out * 1)
          end
          store(o, { at(h), i, 1 }, out)
        end, { warps = 8 })
        kernel({ programs = { count(n, M), heads } }, o, q, k, v, bias)
        local r = planned(kernel)
        assert(r.overlap and vectors_of(r) == 1)
        local s = cuda.matmul(wide(q), wide(k):transpose(1, 3, 2)) * 0.05
        s = s + wide(bias):reshape(heads, 1, n)
        check(o, cuda.matmul(s, wide(v)), 5e-2)
      ]])
    end)
  end)
end)

-- Tiles of booleans: and, or, not; sums that count; any and all. Against plain Lua.
local cuda = require "luacuda"
local helper = require "spec.helper"

local M, N = 16, 32

local mixed = cuda.tiled(function(y, x, low, high, flag)
  local t = load(x, { 1, 1 }, { M, N })
  local m = t > low and t < high or t > 1
  local third = iota(N) == 3
  m = m and not third or transpose(iota(M)) == 5
  m = (flag or t < 0) and m
  store(y, { 1, 1 }, where(m and true, t, 9))
end)

local counts = cuda.tiled(function(rows, columns, all_of, x, low)
  local m = load(x, { 1, 1 }, { M, N }) > low
  store(rows, { 1, 1 }, sum(m, 2))
  store(columns, { 1, 1 }, where(all(m or iota(N) > 8, 1), sum(m, 1), -1))
  local n = sum(m)
  store(all_of, { 1 }, full("int32", n, 1))
  store(all_of, { 2 }, full("int32", any(m) and 1 or 0, 1))
  store(all_of, { 3 }, full("int32", all(m) and not any(not m) and 1 or 0, 1))
end)

helper.for_each_device(function()
  describe("a tile of booleans", function()
    it("is combined by and, or and not", function()
      for k = 1, 4 do
        local x, y = cuda.random.normal{ M, N }, cuda.empty{ M, N }
        local low, high, flag = -math.random(), math.random(), k % 2 == 1
        mixed({ programs = 1 }, y, x, low, high, flag)
        local got, from = y:totable(), x:totable()
        for i = 1, M do
          for j = 1, N do
            local v = from[i][j]
            local m = v > low and v < high or v > 1
            m = m and j ~= 3 or i == 5
            m = (flag or v < 0) and m
            assert.equal(m and v or 9, got[i][j])
          end
        end
      end
    end)

    it("chooses what is stored", function()
      local masked = cuda.tiled(function(y, sums, row, one, x, n)
        local i, j = program(1), program(2)
        local t = load(x, { i, j }, { M, N })
        local within = (j - 1) * N + iota(N) <= n
        store(y, { i, j }, t, within and t > 0)
        atomic_add(sums, { j }, sum(t, 1), within)
        store(row, { i }, sum(t, 2), j == 1)
        store(one, { 1 }, i, i == 2 and j == 1)
      end)
      for _, dtype in ipairs{ "float32", "float16" } do
        for _, shape in ipairs{ { 40, 80 }, { 33, 70 } } do
          local x = cuda.random.normal(shape):astype(dtype)
          local y = cuda.full(shape, 7, dtype)
          local sums, row = cuda.zeros(shape[2]), cuda.full(shape[1], -1)
          local one = cuda.zeros(1)
          masked({ tiles = y }, y, sums, row, one, x, 50)
          local wide = x:astype "float32"
          local within = cuda.arange(1, shape[2] + 1):le(50)
          local chosen = cuda.logical_and(x:gt(0), within)
          assert(cuda.array_equal(y, cuda.where(chosen, x, cuda.full(shape, 7, dtype))))
          local expected = cuda.where(within, wide:sum{ axis = 1 }, 0)
          assert(cuda.allclose(sums, expected, { atol = 1e-3 }))
          local first = wide:slice({}, { 1, N }):sum{ axis = 2 }
          assert(cuda.allclose(row, first, { atol = 1e-3 }))
          assert.equal(2, one[1])
        end
      end
    end)

    it("is counted", function()
      for _, low in ipairs{ 0, -10, 10, 0.5 } do
        local x = cuda.random.normal{ M, N }
        local m = x:gt(low):astype "int32"
        local rows, columns = cuda.empty({ M, 1 }, "int32"), cuda.empty({ 1, N }, "int32")
        local all_of = cuda.empty(3, "int32")
        counts({ programs = 1 }, rows, columns, all_of, x, low)
        assert.same(m:sum{ axis = 2 }:totable(), rows:reshape(M):totable())
        local totals, got = m:sum{ axis = 1 }:totable(), columns:totable()[1]
        for j = 1, N do
          assert.equal(j > 8 and totals[j] or totals[j] == M and M or -1, got[j])
        end
        local n = m:sum()
        assert.same({ n, n > 0 and 1 or 0, n == M * N and 1 or 0 }, all_of:totable())
      end
    end)
  end)
end)

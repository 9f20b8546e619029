-- Tiles of a warp and barriers of the grid in kernels: compiled, in Lua, and computed from the
-- whole array.
local cuda = require "luacuda"
local helper = require "spec.helper"

local BLOCK = 64

-- Runs a kernel of (x, y) for 2 blocks compiled and in Lua; returns both results as tables.
local function both(fn, x, columns, dtype)
  local k, results = cuda.jit(fn), {}
  for n, run in ipairs{ k, function(...) k:run_in_lua(...) end } do
    local y = cuda.zeros({ 2 * BLOCK, columns }, dtype or x.dtype)
    run({ grid = 2, block = BLOCK }, x, y)
    results[n] = y:totable()
  end
  return results[1], results[2]
end

local function check(want, got, in_lua, columns)
  for i = 1, 2 * BLOCK do
    for c = 1, columns do
      assert.is.equal(want(i, c), got[i][c], ("element %d, column %d"):format(i, c))
      assert.is.equal(got[i][c], in_lua[i][c], ("in Lua, element %d, column %d"):format(i, c))
    end
  end
end

local function random_integers(rng)
  local list = {}
  for i = 1, 2 * BLOCK do list[i] = rng(201) - 100 end
  return list
end

-- The lanes of the tile of n that element i belongs to: the first one, and the place of i in it.
local function tile_of(i, n) return (i - 1) // n * n, (i - 1) % n end

helper.for_each_device(function()
  describe("tile", function()
    for _, n in ipairs{ 1, 2, 4, 8, 16, 32 } do
      it(("exchanges values and votes among %d lanes"):format(n), function()
        local list = random_integers(helper.random(n))
        local got, in_lua = both(function(x, y)
          local i = blockIdx.x * blockDim.x + threadIdx.x + 1
          local t = tile(n)
          y[i][1] = t:thread_rank()
          y[i][2] = t:meta_group_rank()
          y[i][3] = t:meta_group_size() * 100 + t:size()
          y[i][4] = t:shfl(x[i], n // 2)
          y[i][5] = t:shfl_xor(x[i], n // 2)
          y[i][6] = t:shfl_up(x[i], 1)
          y[i][7] = t:shfl_down(x[i], 1)
          y[i][8] = t:ballot(x[i] > 0)
          y[i][9] = t:any(x[i] > 80) and 1 or 0
          y[i][10] = t:all(x[i] > -80) and 1 or 0
          y[i][11] = t:match_any(x[i] // 50)
          t:sync()
        end, cuda.array(list, "int32"), 11, "int64")
        local wants = {
          function(_, rank) return rank end,
          function(_, _, i) return (i - 1) % BLOCK // n end,
          function() return BLOCK // n * 100 + n end,
          function(first) return list[first + n // 2 % n + 1] end,
          function(first, rank) return list[first + (rank ~ n // 2) % n + 1] end,
          function(first, rank) return list[first + math.max(rank - 1, 0) + 1] end,
          function(first, rank) return list[first + math.min(rank + 1, n - 1) + 1] end,
          function(first)
            local bits = 0
            for k = 1, n do bits = bits | (list[first + k] > 0 and 1 << k - 1 or 0) end
            return bits
          end,
          function(first)
            for k = 1, n do if list[first + k] > 80 then return 1 end end
            return 0
          end,
          function(first)
            for k = 1, n do if list[first + k] <= -80 then return 0 end end
            return 1
          end,
          function(first, _, i)
            local bits = 0
            for k = 1, n do
              bits = bits | (list[first + k] // 50 == list[i] // 50 and 1 << k - 1 or 0)
            end
            return bits
          end,
        }
        check(function(i, c)
          local first, rank = tile_of(i, n)
          return wants[c](first, rank, i)
        end, got, in_lua, 11)
      end)

      it(("reduces and scans %d lanes"):format(n), function()
        local list = random_integers(helper.random(50 + n))
        local got, in_lua = both(function(x, y)
          local i = blockIdx.x * blockDim.x + threadIdx.x + 1
          local t = tile(n)
          y[i][1] = t:reduce(x[i])
          y[i][2] = t:reduce(x[i], "max")
          y[i][3] = t:reduce(x[i], "min")
          y[i][4] = t:reduce(x[i], "xor")
          y[i][5] = t:reduce(x[i], "and") + t:reduce(x[i], "or") * 1000
          y[i][6] = t:inclusive_scan(x[i])
          y[i][7] = t:inclusive_scan(x[i], "max")
          y[i][8] = t:reduce(x[i] % 2 * 2 - 1, "mul")
        end, cuda.array(list, "int32"), 8, "int64")
        local function fold(from, to, change)
          local v = list[from]
          for k = from + 1, to do v = change(v, list[k]) end
          return v
        end
        local function add(a, b) return a + b end
        local wants = {
          function(a, b) return fold(a, b, add) end,
          function(a, b) return fold(a, b, math.max) end,
          function(a, b) return fold(a, b, math.min) end,
          function(a, b) return fold(a, b, function(p, q) return p ~ q end) end,
          function(a, b)
            return fold(a, b, function(p, q) return p & q end)
              + fold(a, b, function(p, q) return p | q end) * 1000
          end,
          function(a, _, i) return fold(a, i, add) end,
          function(a, _, i) return fold(a, i, math.max) end,
          function(a, b)
            local v = 1
            for k = a, b do v = v * (list[k] % 2 * 2 - 1) end
            return v
          end,
        }
        check(function(i, c)
          local first = tile_of(i, n)
          return wants[c](first + 1, first + n, i)
        end, got, in_lua, 8)
      end)
    end

    it("takes floats, in functions too", function()
      local function total(t, v) return t:reduce(v) end
      local x = cuda.random.generator(4):integers(0, 100, 2 * BLOCK):astype "float64"
      local got, in_lua = both(function(p, y)
        local i = blockIdx.x * blockDim.x + threadIdx.x + 1
        local t = cuda.gpu.tile(16)
        y[i][1] = total(t, p[i] / 4)
        y[i][2] = t:reduce(float32(p[i]), "min")
        y[i][3] = t:inclusive_scan(i)
      end, x, 3)
      assert.is.same(got, in_lua)
      local list = x:totable()
      for i = 1, 2 * BLOCK do
        local first, sum = tile_of(i, 16), 0
        for k = first + 1, first + 16 do sum = sum + list[k] / 4 end
        assert.is.equal(sum, got[i][1])
      end
    end)

    -- ptxas 13.0 splits a warp whose lanes name different masks, and joins it again only if the
    -- result is used.
    it("leaves barriers of the block right where a result is not used", function()
      local n = 66
      local x, y = cuda.random.generator(5):integers(0, 100, n), cuda.zeros({ n, 2 }, "int64")
      local k = cuda.jit(function(p, q)
        local values = shared("int64", 96)
        local tid, size = threadIdx.x, blockDim.x
        for j = 1, 3 do
          syncthreads()
          local lanes = tile(2):match_any((j & 3) * 0.5)
        end
        values[size - tid] = p[tid + 1]
        syncthreads()
        q[tid + 1][1] = values[(tid + 1) % size + 1]
        q[tid + 1][2] = syncthreads_count(p[tid + 1] % 2 == 1) * 4
          + (syncthreads_and(p[tid + 1] <= 100) and 2 or 0) + (syncthreads_or(tid == 1) and 1 or 0)
      end)
      for _ = 1, 20 do k({ block = n }, x, y) end
      local list, odd, got = x:totable(), 0, y:totable()
      for i = 1, n do odd = odd + list[i] % 2 end
      for i = 1, n do assert.same({ list[n - i % n], odd * 4 + 3 }, got[i]) end
      helper.contains(k:source(x, y), "_lcu_used(mask, __match_any_sync(mask, v))")
    end)

    it("refuses sizes and operations that it does not have", function()
      local function message(body)
        return helper.misuse(function()
          cuda.jit("function(x) " .. body .. " end")({ threads = 1 }, cuda.zeros(1))
        end)
      end
      local sizes = "tile: argument 1: expected 1, 2, 4, 8, 16 or 32 lanes, known when the kernel"
      helper.contains(message "local t = tile(12)", sizes)
      helper.contains(message "local t = tile(#x)", sizes)
      helper.contains(message "x[1] = tile(8):reduce(x[1], 'sum')",
        "reduce: argument 2: expected 'add', 'mul', 'min'")
      helper.contains(message "x[1] = tile(8):reduce(x[1], 'xor')",
        "reduce: 'xor' takes integers, got float32")
      helper.contains(message "x[1] = tile(8):sum(x[1])", "a tile has no method 'sum'")
      helper.contains(message "x[1] = tile(8).rank",
        "a tile has no field 'rank': call a method (all")
      helper.contains(helper.misuse(function()
        cuda.vectorize(function(v) return tile(8):reduce(v) end)(cuda.zeros(3))
      end), "'tile' is about threads")
    end)
  end)

  describe("syncgrid", function()
    local function reversed(x, y)
      for i in grid(#x) do y[i] = 2 * x[i] end
      syncgrid()
      for i in grid(#x) do x[i] = y[#x + 1 - i] end
      syncgrid()
      if blockIdx.x == 0 and threadIdx.x == 0 then
        local sum = 0
        for i = 1, #x do sum = sum + x[i] * i end
        y[1] = sum
      end
    end

    local LAUNCH = { grid = 4, block = 32 }

    it("waits for all blocks; the launch is cooperative", function()
      local rng, x = helper.random(9), {}
      for i = 1, 500 do x[i] = rng(1000) end
      local want, sum = {}, 0
      for i = 1, 500 do
        want[i] = 2 * x[501 - i]
        sum = sum + want[i] * i
      end
      local k = cuda.jit(reversed)
      local runs = { k, function(...) k:run_in_lua(...) end,
        function(...) k:prepare(...)() end, function(...) k:time_ms(...) end }
      for _, run in ipairs(runs) do
        local a, b = cuda.array(x, "int64"), cuda.zeros(500, "int64")
        run(LAUNCH, a, b)
        assert.is.same(want, a:totable())
        assert.is.equal(sum, b:item(1))
      end
    end)

    it("shares its memory with cooperative groups", function()
      local native = cuda.device_function [[
#include <cooperative_groups.h>
__device__ void wait_for_all() { cooperative_groups::this_grid().sync(); }]]
      local k = cuda.jit(function(x)
        local t = blockIdx.x * blockDim.x + threadIdx.x + 1
        for step = 1, 20 do
          if step % 2 == 0 then syncgrid() else native() end
          atomic_add(x, step, 1)
          syncgrid()
          if x[step] ~= #x then x[t] = -1000 end
        end
      end)
      local x = cuda.zeros(96, "int32")
      k({ grid = 3, block = 32 }, x)
      for step = 1, 20 do assert.is.equal(96, x:item(step)) end
      assert.is.equal(0, x:item(21))
    end)

    it("needs all blocks at the same time", function()
      local k = cuda.jit(reversed)
      local x, y = cuda.zeros(8, "int64"), cuda.zeros(8, "int64")
      helper.contains(tostring(helper.error_of(k, { grid = 1 << 20, block = 32 }, x, y)),
        "cooperative")
    end)

    it("is a deadlock in Lua where a block has ended", function()
      local k = cuda.jit(function(x)
        if blockIdx.x == 0 then syncgrid() end
        x[1] = 1
      end)
      helper.contains(helper.error_of(k.run_in_lua, k, { grid = 2, block = 2 }, cuda.zeros(1)),
        "deadlock in block (0,0,0): thread (0,0,0) waits at syncgrid")
    end)
  end)
end)

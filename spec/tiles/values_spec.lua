-- Values of kernels over tiles: variables that take a wider dtype, numbers that are stored,
-- elements at tiles of indices, random numbers; and jumps.
local cuda = require "luacuda"
local helper = require "spec.helper"

local M, N = 8, 32

local widened = cuda.tiled(function(y, x)
  local count, total = zeros("int8", N), load(x, { 1 }, { N })
  for k = 1, 3 do
    count = count + iota(N) * k
    total = total + count
  end
  store(y, { 1 }, total)
end)

local stored = cuda.tiled(function(y, n, x)
  local i = program()
  local row = load(x, { i, 1 }, { N })
  local top = max(row)
  store(y, { i, 1 }, top)
  store(y, { i, 2 }, 1)
  store(n, { i }, min(where(row == top, iota(N), N)))
  atomic_add(n, { at(#n) }, i)
end)

local gathered = cuda.tiled(function(y, x, rows, columns)
  local i = program()
  local r, c = load(rows, { i }, { M }, 1), load(columns, { 1 }, { N }, 1)
  store(y, { i, 1 }, x[transpose(r)][c] + x[i][c])
end)

local function uniform(i, seed)
  local r = cuda.gpu.random(seed, i)
  return r:uniform()
end
local noise = cuda.tiled(function(y, seed)
  local i = program()
  store(y, { i }, uniform(iota(N) + (i - 1) * N, seed))
end)

local jumping = cuda.tiled(function(c, a, b, most)
  local total = zeros("float32", 16, 16)
  for k = 1, tiles(a, 2, 16) do
    if k % 2 == 0 then goto continue end
    total = dot(load(a, { 1, k }, { 16, 16 }), load(b, { k, 1 }, { 16, 16 }), total)
    if k > most then goto done end
    ::continue::
  end
  ::done::
  store(c, { 1, 1 }, total - max(total, 2))
end)

helper.for_each_device(function(device)
  describe("a kernel over tiles", function()
    it("widens a variable of tiles", function()
      local x = cuda.random.normal{ N }:astype "float16"
      local y = cuda.empty(N, "float64")
      widened({ programs = 1 }, y, x)
      local expected = x:astype "float64"
      for _, n in ipairs{ 1, 3, 6 } do
        expected = expected + n * cuda.arange(1, N + 1)
      end
      assert(cuda.allclose(y, expected))
      assert.equal("int64 1x32", widened:types().count)
      assert.equal("float64 1x32", widened:types().total)
    end)

    it("stores numbers", function()
      local rows = math.random(2, 9)
      local x, y = cuda.random.normal{ rows, N }, cuda.full({ rows, 2 }, 7)
      local n = cuda.zeros(rows + 1, "int32")
      stored({ programs = rows }, y, n, x)
      assert.same(x:max{ axis = 2 }:totable(), y:slice({}, 1):totable())
      assert.same(cuda.ones(rows):totable(), y:slice({}, 2):totable())
      assert.same(x:argmax{ axis = 2 }:totable(), n:slice{ 1, rows }:totable())
      assert.equal(rows * (rows + 1) // 2, n[rows + 1])
    end)

    it("reads elements at tiles of indices", function()
      local x = cuda.random.normal{ 20, 50 }
      for _, dtype in ipairs{ "int32", "int64", "uint8" } do
        local rows = cuda.random.integers(1, 20, { 13 }):astype(dtype)
        local columns = cuda.random.integers(1, 50, { 25 }):astype(dtype)
        local y = cuda.empty{ 13, 25 }
        gathered({ tiles = y }, y, x, rows, columns)
        local got, from, r, c = y:totable(), x:totable(), rows:totable(), columns:totable()
        for i = 1, 13 do
          for j = 1, 25 do
            local own = from[(i - 1) // M + 1][c[j]]
            assert(math.abs(got[i][j] - from[r[i]][c[j]] - own) < 1e-6)
          end
        end
      end
    end)

    it("draws a random number for each element", function()
      local y, again, other = cuda.zeros(5000), cuda.zeros(5000), cuda.zeros(5000)
      noise({ tiles = y }, y, 5)
      noise({ programs = 160 }, again, 5)
      noise({ tiles = other }, other, 6)
      assert.same(y:totable(), again:totable())
      assert(not other:equals(y))
      assert(math.abs(y:mean() - 0.5) < 0.03 and math.abs(y:var() - 1 / 12) < 0.01)
    end)

    it("prints once for each program", function()
      local ok, out = helper.lua([[
        local cuda = require "luacuda"
        cuda.use(arg[1] == "cpu" and "cpu" or tonumber(arg[1]))
        local kernel = cuda.tiled(function(x)
          local i = program()
          local s = sum(load(x, { i }, { 32 }))
          if s > 0 then print("sum", i, s) end
        end)
        kernel({ programs = 3 }, cuda.arange(-1, 95, "float32"))
        cuda.synchronize()
      ]], { args = { device.kind == "cpu" and "cpu" or tostring(device.ordinal) } })
      assert.is_true(ok, out)
      local lines = {}
      for line in out:gmatch "[^\n]+" do lines[#lines + 1] = line end
      table.sort(lines)
      assert.same({ "sum\t1\t464", "sum\t2\t1488", "sum\t3\t2512" }, lines)
    end)

    it("jumps", function()
      for _, dtype in ipairs{ "float32", "float16" } do
        for _, most in ipairs{ 10, 1 } do
          local a = cuda.random.normal({ 16, 80 }):astype(dtype)
          local b = cuda.random.normal({ 80, 16 }):astype(dtype)
          local c = cuda.empty{ 16, 16 }
          jumping({ tiles = c }, c, a, b, most)
          local expected = cuda.zeros{ 16, 16 }
          for k = 1, 5, 2 do
            local range = { k * 16 - 15, k * 16 }
            expected = expected + cuda.matmul(a:slice({}, range):astype "float32",
              b:slice(range):astype "float32")
            if k > most then break end
          end
          expected = expected - expected:max{ axis = 2, keepdims = true }
          assert(cuda.allclose(c, expected, { atol = 1e-4 }))
        end
      end
    end)
  end)
end)

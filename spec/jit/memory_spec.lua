-- Dynamic shared memory and nested tables of numbers in kernels: compiled, in Lua, and in plain
-- Lua.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- Both ways to run a kernel.
local function runs(fn)
  local k = cuda.jit(fn)
  return { k, function(...) k:run_in_lua(...) end }, k
end

local function message(fn, launch, ...)
  local args = { ... }
  return helper.misuse(function() cuda.jit(fn)(launch, table.unpack(args)) end)
end

helper.for_each_device(function()
  describe("dynamic_shared", function()
    it("has the size that the launch gives, and is shared by the block", function()
      local ways = runs(function(x, y, sizes)
        local s = dynamic_shared "float32"
        local t = threadIdx.x + 1
        s[t] = x[t]
        sizes[t] = #s
        syncthreads()
        y[t] = s[#s + 1 - t]
      end)
      local rng = helper.random(3)
      for _, n in ipairs{ 1, 7, 64 } do
        local x, want = {}, {}
        for i = 1, n do x[i] = rng(1000) / 8 end
        for i = 1, n do want[i] = x[n + 1 - i] end
        for _, run in ipairs(ways) do
          local y, sizes = cuda.zeros(n), cuda.zeros(n, "int32")
          run({ grid = 1, block = n, shared = 4 * n + 3 }, cuda.array(x), y, sizes)
          assert.is.same(want, y:totable())
          assert.is.equal(n, sizes:item(n))
        end
      end
    end)

    it("is several arrays by offsets, of any dtype, in functions too", function()
      local function last(list) return list[#list] end
      local ways = runs(function(y, n)
        local doubles, bytes = dynamic_shared(float64), dynamic_shared("uint8", 8 * n)
        local t = threadIdx.x + 1
        if t <= n then doubles[t] = t / 4 end
        bytes[t] = 2 * t
        syncthreads()
        y[t] = doubles[1 + t % n] + last(bytes)
      end)
      for _, run in ipairs(ways) do
        local y = cuda.zeros(6, "float64")
        run({ grid = 1, block = 6, shared = 8 * 3 + 6 }, y, 3)
        assert.is.same({ 12.5, 12.75, 12.25, 12.5, 12.75, 12.25 }, y:totable())
      end
    end)

    it("is empty where the launch gives none", function()
      for _, run in ipairs(runs(function(y)
        y[1] = #dynamic_shared "int32" + #dynamic_shared("int32", 4)
      end)) do
        local y = cuda.ones(1, "int32")
        run({ grid = 1, block = 1 }, y)
        assert.is.equal(0, y:item(1))
      end
    end)

    it("refuses offsets that its elements cannot have", function()
      local y, launch = cuda.zeros(1), { grid = 1, block = 1, shared = 64 }
      helper.contains(message("function(y) y[1] = dynamic_shared('float64', 4)[1] end", launch, y),
        "dynamic_shared: argument 2: 4 is no multiple of the 8 bytes of a float64")
      helper.contains(message("function(y) y[1] = dynamic_shared(y)[1] end", launch, y),
        "dynamic_shared: argument 1: expected the name of a dtype")
      helper.contains(message("function(y) y[1] = shared('float32', #y)[1] end", launch, y),
        "dynamic_shared takes its size from the launch")
    end)
  end)

  describe("nested tables", function()
    it("are constants, at indices that only the device knows", function()
      local rng, m, deep = helper.random(8), {}, {}
      for i = 1, 4 do
        m[i], deep[i] = {}, {}
        for j = 1, 3 do
          m[i][j], deep[i][j] = rng(100) - 50, {}
          for k = 1, 2 do deep[i][j][k] = rng(1000) / 8 end
        end
      end
      local ways, k = runs(function(y, z)
        for a in grid(#y) do
          local i, j = (a - 1) % #m + 1, (a - 1) // 4 % #m[1] + 1
          local row = deep[i]
          y[a] = m[i][j] + 10 * m[2][j] + 100 * m[i][3]
          z[a] = row[j][2] + deep[i][j][1] * #row
        end
      end)
      for _, run in ipairs(ways) do
        local y, z = cuda.zeros(30, "int32"), cuda.zeros(30, "float64")
        run({ threads = 30 }, y, z)
        for a = 1, 30 do
          local i, j = (a - 1) % 4 + 1, (a - 1) // 4 % 3 + 1
          assert.is.equal(m[i][j] + 10 * m[2][j] + 100 * m[i][3], y:item(a))
          assert.is.equal(deep[i][j][2] + deep[i][j][1] * 3, z:item(a))
        end
      end
      helper.contains(k:source(), "__constant__ const int64 m_int64[12]")
    end)

    it("make another kernel when an item changes at any depth", function()
      local t = { { 1, 2 }, { 3, 4 } }
      local k = cuda.jit(function(y) for i in grid(#y) do y[i] = t[i][3 - i] end end)
      local y = cuda.zeros(2)
      k({ threads = 2 }, y)
      assert.is.same({ 2, 3 }, y:totable())
      t[2][1] = 7
      k({ threads = 2 }, y)
      assert.is.same({ 2, 7 }, y:totable())
      t[1] = { 8, 9 }
      k({ threads = 2 }, y)
      assert.is.same({ 9, 7 }, y:totable())
    end)

    it("have lists of one length, of numbers", function()
      local ragged, mixed, empty = { { 1, 2 }, { 3 } }, { { 1 }, { "a" } }, { {} }
      local y = cuda.zeros(2)
      local launch = { threads = 2 }
      helper.contains(message(function(o) for i in grid(#o) do o[i] = ragged[i][i] end end, launch,
        y), "item 2 of 'ragged' is a list of 1: with an index that is known only on the device, a "
        .. "table is a list of lists of 2 items")
      helper.contains(message(function(o) for i in grid(#o) do o[i] = mixed[i][i] end end, launch,
        y), "item 1 of 'mixed[2]' is a string")
      helper.contains(message(function(o) for i in grid(#o) do o[i] = empty[i][i] end end, launch,
        y), "'empty' is not a list of numbers")
      helper.contains(message(function(o) for i in grid(#o) do o[i] = ragged[i].x end end, launch,
        y), "item 2 of 'ragged' is a list of 1")
    end)
  end)
end)

-- Objects of the library in kernels: functions of cuda.vectorize, shapes and complex values.
-- Compiled and in Lua, compared with plain Lua.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- luacheck: read globals grid complex64

local function both(k, launch, x, ...)
  local compiled, in_lua = x:copy(), x:copy()
  k(launch, compiled, ...)
  k:run_in_lua(launch, in_lua, ...)
  assert.same(in_lua:totable(), compiled:totable())
  return compiled:totable()
end

local function refused(fn, ...)
  local k, args = cuda.jit(fn), table.pack(...)
  return helper.misuse(function() k({ threads = 1 }, table.unpack(args)) end)
end

helper.for_each_device(function()
  describe("in a kernel", function()
    it("a function of cuda.vectorize computes one element", function()
      local plain = function(x, y) return x * y + 1 end
      local score, twice = cuda.vectorize(plain), cuda.vectorize "function(x) return 2 * x end"
      local nested = cuda.vectorize(function(x) return score(x, 3) - twice(x) end)
      local k = cuda.jit(function(y)
        for i in grid(#y) do y[i] = score(y[i], i) + twice(i) + nested(i) end
      end)
      local rng, list, want = helper.random(1), {}, {}
      for i = 1, 50 do
        list[i] = rng(100)
        want[i] = plain(list[i], i) + 2 * i + plain(i, 3) - 2 * i
      end
      assert.same(want, both(k, { threads = 20 }, cuda.array(list, "int64")))
      assert.same({ 2, 3, 4 }, nested(cuda.arange(1, 4)):totable())
    end)

    it("grid takes the shape of an array", function()
      local k = cuda.jit(function(m, n)
        for i, j in grid(m.shape) do m[i][j] = m[i][j] + 10 * i + j end
        for i in grid(n.shape) do n[i] = i end
      end)
      local n = cuda.zeros(5)
      local got = both(k, { grid = { 2, 1 }, block = { 2, 2 } }, cuda.zeros { 3, 4 }, n)
      for i = 1, 3 do
        for j = 1, 4 do assert.equals(10 * i + j, got[i][j]) end
      end
      assert.same({ 1.0, 2.0, 3.0, 4.0, 5.0 }, n:totable())
      assert.matches("grid of 2 extents gives 2 indices, and 1 variables are given",
        refused(function(m) for i in grid(m.shape) do m[i][1] = 0 end end, cuda.zeros { 2, 2 }))
      assert.matches("grid takes 1 to 3 arguments, and got 4",
        refused(function(m) for i in grid(m.shape) do m[i] = 0 end end, cuda.zeros { 2, 2, 1, 1 }))
    end)

    it("a complex value has its parts as fields", function()
      local k = cuda.jit(function(y, z)
        for i in grid(#z) do
          local v = z[i] * 2
          y[i] = v.re - z[i].im
        end
      end)
      local z = cuda.array({ cuda.complex(1, 2), cuda.complex(-3, 0.5) }, "complex64")
      assert.same({ 0.0, -6.5 }, both(k, { threads = 2 }, cuda.zeros(2), z))
      assert.matches("this cannot be indexed: it is complex64, with the parts z.re and z.im",
        refused(function(a) a[1] = a[1].real end, cuda.zeros(1, "complex64")))
    end)

    it("kernels and whole arrays are refused", function()
      local inner = cuda.jit(function(x) x[1] = 0 end)
      assert.matches("'inner' is a kernel, and kernels launch no kernels: call its Lua function",
        refused(function(x) inner(x) end, cuda.zeros(1)))
      assert.matches("an array %(float32, one axis%) cannot be an element of float32: write x%[i%]",
        refused(function(x, y) x[1] = y end, cuda.zeros(1), cuda.zeros(1)))
      assert.matches("an array without axes has no index: pass x:reshape{ 1 }",
        refused(function(x) x[1] = 0 end, cuda.zeros {}))
      assert.matches("method 'sqrt' cannot be called on a device: write math.sqrt%(...%)",
        refused(function(x) x[1] = x[1]:sqrt() end, cuda.zeros(1)))
      assert.matches("method 'walk' cannot be called on a device: numbers have no methods",
        refused(function(x) x[1] = x[1]:walk() end, cuda.zeros(1)))
    end)
  end)
end)

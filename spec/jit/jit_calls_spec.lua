-- Calls of kernels written in Lua: each launches the kernel for what the call and the values around
-- the function are now.
local cuda = require "luacuda"
local helper = require "spec.helper"
local variants = require "luacuda.jit.variant"

-- How many kernels fn() makes.
local function made_times(fn)
  local make, times = variants.make, 0
  variants.make = function(...)
    times = times + 1
    return make(...)
  end
  fn()
  variants.make = make
  return times
end

helper.for_each_device(function()
  describe("a call of a kernel written in Lua", function()
    it("finds the kernel for its types, layouts and values in any order", function()
      local rng, factor, config, taps = helper.random(7), 1, { add = 0 }, { 1, 2, 3 }
      local k = cuda.jit(function(y, x, a)
        for i in grid(#y) do y[i] = a * x[i] * factor + config.add + taps[i % 3 + 1] end
      end)
      for _ = 1, 60 do
        local n, a = rng(20) + 1, rng(2) == 0 and rng(9) or rng(9) / 2
        factor, config.add, taps[2] = rng(3), rng(2), rng(3)
        local wide = cuda.arange(2 * n, rng(2) == 0 and "float32" or "int32")
        local x = rng(2) == 0 and wide:slice({ 1, 2 * n, 2 }) or wide:slice({ 1, n })
        local y, want, list = cuda.zeros(n, "float64"), {}, x:totable()
        k({ threads = n }, y, x, a)
        for i = 1, n do want[i] = a * list[i] * factor + config.add + taps[i % 3 + 1] + 0.0 end
        assert.same(want, y:totable())
      end
    end)

    it("may convert a number and leave it", function()
      local k = cuda.jit(function(y, x)
        for i in grid(#y) do
          int32(x)
          int64(i)
          float64(i)
          y[i] = i + x
        end
      end)
      local y = cuda.zeros(3, "int32")
      k({ threads = 3 }, y, 5)
      assert.same({ 6, 7, 8 }, y:totable())
    end)

    it("makes a kernel once for each", function()
      local not_a_number, zero = 0 / 0, 0.0
      local k = cuda.jit(function(y) y[1], y[2] = not_a_number, 1 / zero end)
      local y, z = cuda.zeros(2), cuda.zeros(2, "float64")
      local times = made_times(function()
        for _ = 1, 3 do
          k({ threads = 1 }, y)
          k({ threads = 1 }, z)
        end
        assert.equals(math.huge, z:item(2))
        zero = -0.0
        k({ threads = 1 }, z)
      end)
      assert.equals(3, times)
      assert.equals(-math.huge, z:item(2))
      assert.is_true(z:item(1) ~= z:item(1))
    end)

    it("makes a kernel again for a longer or a shorter table", function()
      local taps = { 1, 2 }
      local k = cuda.jit(function(y) for i in grid(#y) do y[i] = taps[i] end end)
      local function call() k({ threads = 2 }, cuda.zeros(2)) end
      assert.equals(1, made_times(call))
      assert.equals(0, made_times(call))
      taps[3] = 3
      assert.equals(1, made_times(call))
      taps[3] = nil
      assert.equals(0, made_times(call))
      taps[2] = nil
      assert.equals(1, made_times(call))
    end)

    it("sees other globals, other functions, and globals that a metamethod gives", function()
      local given = 5
      local env = setmetatable({ grid = cuda.gpu.grid },
        { __index = function(_, name) return name == "given" and given or nil end })
      local k = load("local jit = ... return jit(function(y) y[1] = given end)", nil, "t",
        env)(cuda.jit)
      local y = cuda.zeros(1)
      k({ threads = 1 }, y)
      given = 6
      k({ threads = 1 }, y)
      assert.equals(6.0, y:item(1))
      rawset(env, "given", 7)
      k({ threads = 1 }, y)
      assert.equals(7.0, y:item(1))
      local function twice(v) return 2 * v end
      local f = twice
      local call = cuda.jit(function(a) a[1] = f(a[1]) end)
      call({ threads = 1 }, y)
      f = function(v) return v + 1 end
      call({ threads = 1 }, y)
      assert.equals(15.0, y:item(1))
    end)

    it("takes arrays among the upvalues as they are now", function()
      local w = cuda.array{ 1, 2, 3 }
      local k = cuda.jit(function(y) for i in grid(#y) do y[i] = w[i] + y[i] end end)
      local y = cuda.zeros(3)
      local function step(array)
        w = array
        k({ threads = 3 }, y)
        return y:totable()
      end
      assert.same({ 1.0, 2.0, 3.0 }, step(w))
      assert.same({ 11.0, 22.0, 33.0 }, step(cuda.array{ 10, 20, 30 }))
      assert.same({ 12.0, 24.0, 36.0 }, step(cuda.array({ 1, 2, 3 }, "int32")))
      assert.same({ 13.0, 27.0, 41.0 }, step(cuda.arange(6):slice{ 2, 6, 2 }))
      assert.same({ 26.0, 54.0, 82.0 }, step(y))
      w = cuda.array{ 1, 2, 3 }
      w:free()
      local message = helper.misuse(function() k({ threads = 3 }, y) end)
      assert.matches("'w' is a closed array, which a kernel cannot use", message)
    end)

    it("computes with as many bits as the grid needs", function()
      local k = cuda.jit(function(y)
        if blockIdx.x == gridDim.x - 1 and threadIdx.x == 0 then y[1] = blockIdx.x * 2047 end
      end)
      local y, blocks = cuda.zeros(1, "int64"), 1 << 21
      local function last(launch)
        k(launch, y)
        return y:item(1)
      end
      assert.equals(6 * 2047, last{ grid = 7, block = 1 })
      assert.equals((blocks - 1) * 2047, last{ grid = blocks, block = 1 })
      assert.equals((blocks - 1) * 2047, last{ threads = blocks, block = 1 })
      assert.equals(6 * 2047, last{ threads = 7 * 32, block = 32 })
      if helper.sanitized then return end
      y:fill(0)
      k:prepare({ grid = blocks, block = 1 }, y)()
      assert.equals((blocks - 1) * 2047, y:item(1))
    end)

    it("keeps the kernel of a prepared launch to grids that it was made for", function()
      local k = cuda.jit(function(y) y[1] = blockIdx.x end, { name = "last" })
      local p = k:prepare({ grid = 4, block = 1 }, cuda.zeros(1, "int64"))
      p:with{ grid = 1 << 20 }
      local problem = "last: launch: the kernel was made for a smaller grid: prepare it "
        .. "again with this one"
      assert.equals(problem, helper.misuse(function() p:with{ grid = 1 << 21 } end))
      assert.equals(problem, helper.misuse(function() p:with{ threads = 1 << 31 } end))
      assert.equals(problem, helper.misuse(function()
        k:kernel():prepare{ grid = { 1, 1 << 21 }, block = 1 }
      end))
      k:prepare({ grid = 1 << 21, block = 1 }, cuda.zeros(1, "int64")):with{ grid = 1 << 25 }
    end)

    it("reads what other threads wrote before a barrier in a loop", function()
      local k = cuda.jit(function(y, x, n)
        local i, s = threadIdx.x + 1, 0.0
        x[i] = i
        for _ = 1, 3 do
          syncthreads()
          s = s + x[n]
        end
        y[i] = s
      end)
      for _, n in ipairs { 256, 200, 1 } do
        local x, y = cuda.zeros(256), cuda.zeros(256)
        k({ grid = 1, block = 256 }, y, x, n)
        assert.is_true(y:eq(3 * n):all())
      end
    end)

    it("reads what other threads wrote before another kind of barrier in a loop", function()
      local wait = cuda.device_function "__device__ void wait() { __syncthreads(); }"
      local warp = cuda.jit(function(y, x, n)
        local i, s = threadIdx.x + 1, 0.0
        x[i] = i
        for _ = 1, 3 do
          syncwarp()
          s = s + x[n]
        end
        y[i] = s
      end)
      local in_cpp = cuda.jit(function(y, x, n)
        local i, s = threadIdx.x + 1, 0.0
        x[i] = i
        for _ = 1, 3 do
          wait()
          s = s + x[n]
        end
        y[i] = s
      end)
      for _, k in ipairs { warp, in_cpp } do
        local x, y = cuda.zeros(32), cuda.zeros(32)
        k({ grid = 1, block = 32 }, y, x, 20)
        assert.is_true(y:eq(60):all())
        assert.is_nil(k:source():find("__restrict__", 1, true))
      end
    end)

    it("restricts pointers only where arrays are apart", function()
      local w = cuda.zeros(4)
      local k = cuda.jit(function(y, x) for i = 1, 3 do y[i + 1] = x[i] + w[i] + 1 end end)
      local function text(...)
        k({ threads = 1 }, ...)
        return k:source():find("__restrict__", 1, true) ~= nil
      end
      local x, y = cuda.zeros(4), cuda.zeros(4)
      assert.is_true(text(y, x))
      assert.is_false(text(x, x))
      assert.is_false(text(w, x))
      assert.same({ 0.0, 1.0, 3.0, 7.0 }, (function()
        w:fill(0)
        text(w, w)
        return w:totable()
      end)())
      assert.is_true(text(y, x))
      w = y
      assert.is_false(text(y, x))
    end)

    it("launches on the stream of the table, and becomes a part of a graph", function()
      local k = cuda.jit(function(y, a) for i in grid(#y) do y[i] = y[i] + a end end)
      local y, stream = cuda.zeros(4), cuda.stream()
      k({ threads = 4, stream = stream }, y, 1)
      stream:synchronize()
      local graph = cuda.graph(function()
        k({ threads = 4 }, y, 2)
        k({ threads = 4 }, y:slice{ 1, 4, 2 }, 10)
      end)
      assert.same({ 1.0, 1.0, 1.0, 1.0 }, y:totable())
      graph:launch()
      graph:launch()
      assert.same({ 25.0, 5.0, 25.0, 5.0 }, y:totable())
      stream:close()
      local message = helper.misuse(k, { threads = 4, stream = stream }, y, 1)
      assert.matches("closed Stream", message)
    end)

    it("launches nothing for 0 threads, and checks the arguments", function()
      local k = cuda.jit(function(y) for i in grid(#y) do y[i] = 1 end end)
      local y = cuda.zeros(2)
      k({ threads = 0 }, y)
      assert.same({ 0.0, 0.0 }, y:totable())
      y:free()
      assert.matches("argument 1 'y': .* got closed array", helper.misuse(k, { threads = 0 }, y))
    end)

    it("refuses wrong launches and arguments, also after right ones", function()
      local k = cuda.jit(function(y, a) y[1] = a end, { name = "one" })
      local y = cuda.zeros(1)
      k({ threads = 1 }, y, 1)
      local function refused(...) return helper.misuse(k, ...) end
      assert.equals("jit: argument 1: expected a launch table such as { threads = n }, got nil",
        refused())
      assert.equals("jit: the function takes 2 arguments, and 1 are given after the launch table",
        refused({ threads = 1 }, y))
      assert.equals("jit: argument 2 'a': expected an array, a number, a boolean or a struct, got "
        .. "nil",
        refused({ threads = 1 }, y, nil))
      assert.matches("^jit: argument 2 'a': .* got a table: pass an array", refused({ threads = 1 },
        y, {}))
      assert.matches("^one: launch: unknown key 'thread'", refused({ thread = 1 }, y, 1))
      assert.matches("^one: launch: 'grid' needs 'block'", refused({ grid = 1 }, y, 1))
      assert.matches("^one: launch: expected 'grid' and 'block'", refused({}, y, 1))
      k:kernel():close()
      assert.matches("closed Kernel", refused({ threads = 1 }, y, 1))
    end)

    it("refuses elements that are no whole number of elements apart", function()
      local Three = cuda.struct("ThreeFloats", { { "a", "float32" }, { "b", "float32" },
        { "c", "float32" } })
      local memory = cuda.zeros(12)
      local x = cuda.wrap(memory.pointer, 3, Three, { strides = { 16 } })
      local k = cuda.jit(function(y, list) for i in grid(#list) do y[i] = list[i].b end end)
      local message = helper.misuse(k, { threads = 3 }, cuda.zeros(3), x)
      assert.equals("jit: argument 2: its elements are 16 bytes apart along axis 1, no multiple of "
        .. "their 12 bytes: pass a copy, x:copy()", message)
    end)

    it("is not confused by objects of other classes", function()
      local k = cuda.jit(function(y) y[1] = 1 end)
      local v = cuda.vectorize(function(x) return x end)
      local call, other = getmetatable(k).__call, getmetatable(v).__call
      assert.matches("expected a Jit", helper.misuse(call, v, { threads = 1 }, cuda.zeros(1)))
      assert.matches("expected a Vectorized", helper.misuse(other, k, cuda.zeros(1)))
      assert.matches("expected a Jit", helper.misuse(call, 5))
      assert.matches("expected a Vectorized", helper.misuse(other))
    end)
  end)
end)

-- device:reset(): it releases the library's own objects on the device, which come back on demand;
-- the program's objects prevent it. Each test runs in its own process, because a reset would also
-- release the kernels in other specs' caches.
local helper = require "spec.helper"

local PRELUDE = [[
  local cuda, core = require "luacuda", require "luacuda.core"
  local label = ...
  local device = cuda.device(tonumber(label:match "^gpu(%d+)$") or label)
  cuda.use(device)
  local square = cuda.elementwise("T x", "T y", "y = x * x", "square")
  local norm = cuda.reduction("T x", "T y", "x * x", "a + b", "y = a", 0, "norm")
  local running = cuda.scan("T x", "T y", "x", "a + b", 0, "running")
  local fused = cuda.fuse(function(x, k) return (x * k + 1):sum { axis = 1 } end)
  local pair = cuda.struct("pair", { { "a", "int32" }, { "b", "float32" } })
  local generator = cuda.random.generator(7)

  -- An example of each feature that has kernels, and its results.
  local function use()
    local a = cuda.arange(1, 7, "float32"):reshape { 2, 3 }
    local big = cuda.full(1 << 18, 3, "float32")
    local list = {
      (a + 1):totable(), (a * a - 2):sum(), a:sum { axis = 1 }:totable(), big:sum(), big:max(),
      a:std(), a:argmax(),
      square(a):totable(), norm(a, { axis = 2 }):totable(), norm(big):item(),
      running(a:reshape { 6 }):totable(),
      cuda.cumsum(a:reshape { 6 }):totable(), fused(a, 2):totable(),
      cuda.sort(a, { axis = 2, descending = true }):totable(),
      cuda.argsort(a:reshape { 6 }):totable(), a[a:gt(2)]:totable(),
      cuda.unique(cuda.array({ 3, 1, 3 }, "int32")):totable(),
      a:take({ 1, 3 }, { axis = 2 }):totable(),
      a:matmul(a:transpose()):totable(), cuda.norm(a), a:astype("float16"):totable(),
      a:transpose():copy():totable(),
      cuda.full({ 3 }, { a = 1, b = 2 }, pair):copy():item(3).a,
      cuda.where(a:gt(2), a, 0):totable(),
      cuda.concatenate({ a, a }):totable(), (a:equals(a)),
    }
    local p = cuda.pinned(100, "float32")
    cuda.copy(p, big:slice { 1, 100 })
    list[#list + 1] = p:item(100)
    local s <close> = cuda.stream()
    list[#list + 1] = cuda.with_stream(s, function() return (big - 1):sum() end)
    return list
  end

  local function same(x, y)
    if type(x) ~= "table" then return x == y end
    if #x ~= #y then return false end
    for i = 1, #x do
      if not same(x[i], y[i]) then return false, i end
    end
    return true
  end
]]

helper.for_each_device(function(device)
  local function run(code, env)
    local ok, out = helper.lua(PRELUDE .. code,
      { args = { device.label }, env = env, timeout = 300 })
    assert.is_true(ok, out)
    return out
  end

  describe("device:reset", function()
    it("works after all features were used, and all of them work again", function()
      assert.equal("ok\n", run [[
        local before, first = use(), cuda.random.generator(7):uniform(5):totable()
        for round = 1, 3 do
          device:reset()
          local stats = cuda.pool():stats()
          assert(stats.used == 0 and stats.allocations == 0, "the pool is a new one")
          local ok, where = same(before, use())
          assert(ok, ("round %d, result %s"):format(round, where))
          assert(same(first, cuda.random.generator(7):uniform(5):totable()))
        end
        assert(#square:cached() > 0)
        print "ok"
      ]])
    end)

    it("keeps the position of a random generator", function()
      assert.equal("ok\n", run [[
        local other = cuda.random.generator(7)
        local all = other:uniform(6):totable()
        local some = generator:uniform(3):totable()
        device:reset()
        local third = other:uniform(6):totable()
        generator = cuda.random.generator(7)
        generator:uniform(6)
        assert(same(third, generator:uniform(6):totable()) and same(some, {
          table.unpack(all, 1, 3),
        }))
        print "ok"
      ]])
    end)

    it("is refused while objects of the program are alive, without harm", function()
      assert.equal("ok\n", run [[
        local before = use()
        local makers = {
          array = function() return cuda.ones(4) end,
          view = function() return cuda.ones(4):slice { 2, 3 } end,
          stream = function() return cuda.stream() end,
          event = function() return cuda.event() end,
          kernel = function()
            local k = cuda.kernel "__global__ void k(int *x) { *x = 1; }"
            k({ grid = 1, block = 1 }, cuda.zeros(1, "int32"))
            return k
          end,
          module = function()
            return cuda.module("__device__ int v; __global__ void k() {}"):compile()
          end,
        }
        for name, make in pairs(makers) do
          local object = make()
          local ok, e = pcall(device.reset, device)
          assert(not ok and cuda.is_error(e, "logic"), name)
          assert(tostring(e):find("in use", 1, true), tostring(e))
          if name == "array" then assert((object + 1):sum() == 8) end
          if name == "kernel" then
            local x = cuda.zeros(1, "int32")
            object({ grid = 1, block = 1 }, x)
            assert(x:item(1) == 1)
            x:free()
          end
          object:close()
          object = nil
          collectgarbage()
          device:reset()
        end
        assert(same(before, use()))
        print "ok"
      ]])
    end)

    it("of a device that was never used does nothing", function()
      assert.equal("ok\n", run [[
        device:reset()
        use()
        print "ok"
      ]])
    end)

    it("redirects handles of the null stream to the new one", function()
      assert.equal("ok\n", run [[
        local null, n = device.null_stream, 1 << 14
        local a = cuda.zeros(n, "int32")
        local s = cuda.stream()
        a:fill(1, { stream = s }):fill(2, { stream = null })
        assert(a:item(n) == 2)
        a, s = a:free(), s:close()
        device:reset()
        a, s = cuda.zeros(n, "int32"), cuda.stream()
        a:fill(3, { stream = s }):fill(4, { stream = null }):fill(5, { stream = s })
        assert(a:item(n) == 5 and null:synchronize():is_done() and null.is_null)
        local b = cuda.with_stream(null, function() return cuda.full(n, 7, "int32") end)
        assert(b:item(n) == 7)
        b:free()
        assert(cuda.pool():stats().used == a.nbytes)
        print "ok"
      ]])
    end)

    it("is refused while a launch is being prepared", function()
      assert.equal("ok\n", run [[
        local before, tried = use(), 0
        local k = cuda.kernel "struct P { int a; }; __global__ void k(P p, int *x) { *x = p.a; }"
        local x = cuda.zeros(1, "int32")
        local p = setmetatable({}, { __index = function(_, key)
          if key == "a" then
            tried = tried + 1
            assert(not pcall(device.reset, device))
            return 5
          end
        end })
        pcall(k, { grid = 1, block = 1 }, p, x)
        x:free()
        assert(same(before, use()))
        print "ok"
      ]])
    end)
  end)
end)

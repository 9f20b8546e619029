-- Two GPUs, real or fake (tools/test --fake-gpu).
local helper = require "spec.helper"
local limits = require "spec.support.limits"
local cuda = require "luacuda"

local SOURCE = [==[
extern "C" __global__ void twice(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
extern "C" __global__ void gate(volatile int *word, long long limit) {
  long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (word[0] == 0 && now - start < limit);
  word[1] = word[0] == 0;
}]==]

local N = 1 << 16 -- above the size that the pool serves as plain memory

helper.for_each_pair("two GPUs", function(here, there)
  after_each(function()
    here:enable_peer(there)
    there:enable_peer(here)
  end)

  local function on(device, v) return cuda.full(N, v, "float32", { device = device }) end

  it("copy by :to and cuda.copy, in both directions, small and large", function()
    for _, n in ipairs { 0, 1, 3, 1000, N, 1 << 20 } do
      local a = cuda.arange(n, "float32")
      assert.equal(here, a.device)
      local b = a:to(there)
      assert.equal(there, b.device)
      assert.is_true(n == 0 or b:item(n) == n - 1)
      local back = cuda.copy(cuda.empty(n, "float32"), b)
      assert.is_true(a:equals(back))
      assert.equal(b, b:to(there))
    end
  end)

  -- Kernels that receive only addresses show which memory the devices can access: nothing enables
  -- access for addresses.
  it("access each other's memory from the first copy between them on", function()
    local ok, out = helper.lua(([=[
      local cuda = require "luacuda"
      local here, there = cuda.device(%d), cuda.device(%d)
      local enforced = %s -- a real GPU is lost after a forbidden access
      local k = cuda.kernel "__global__ void get(const float *x, float *y) { *y = *x; }"
      local small, large = 16, 1 << 16 -- plain memory, and the pool's
      local function make(device)
        return { cuda.full(small, device.ordinal + 1, "float32", { device = device }),
                 cuda.full(large, device.ordinal + 1, "float32", { device = device }) }
      end
      local function sees(device, arrays)
        cuda.use(device)
        local y, can = cuda.zeros(1, "float32", { device = device }), 0
        for _, x in ipairs(arrays) do
          local ok = pcall(k, { grid = 1, block = 1 }, cuda.ptr(x.pointer), y)
          if ok and y:item(1) == x:item(1) then can = can + 1 end
          y:fill(0)
        end
        y:free()
        return can
      end
      if not here:can_access_peer(there) then print "ok" return end
      for round = 1, 2 do
        local mine, theirs = make(here), make(there)
        if enforced then
          assert(sees(here, theirs) == 0 and sees(there, mine) == 0, "not turned on yet")
        end
        if round == 2 then here:disable_peer(there) end
        local copy = mine[round]:to(there)
        if enforced and round == 2 then
          assert(sees(here, theirs) == 0, "turned on against the program's will")
        end
        if round == 2 then here:enable_peer(there) end
        assert(sees(here, theirs) == 2, "the destination's memory")
        assert(sees(there, mine) == 2, "the source's memory")
        here:disable_peer(there)
        cuda.copy(copy, mine[round])
        if enforced then assert(sees(here, theirs) == 0, "turned off") end
        assert(sees(there, mine) == 2, "only the other way was turned off")
        for _, x in ipairs { mine[1], mine[2], theirs[1], theirs[2], copy } do x:free() end
        mine, theirs, copy, k = nil, nil, nil, nil
        collectgarbage() collectgarbage()
        here:reset()
        there:reset()
        k = cuda.kernel "__global__ void get(const float *x, float *y) { *y = *x; }"
      end
      print "ok"
    ]=]):format(here.ordinal, there.ordinal, helper.fake_gpu))
    assert.is_true(ok, out)
    assert.equal("ok\n", out)
  end)

  it("copy views", function()
    local a = cuda.arange(12, "int32"):reshape { 3, 4 }
    local b = a:slice({}, { 2, 3 }):to(there)
    assert.same({ { 1, 2 }, { 5, 6 }, { 9, 10 } }, b:totable())
    assert.same({ { 0, 4, 8 }, { 1, 5, 9 }, { 2, 6, 10 }, { 3, 7, 11 } },
      a:transpose():to(there):totable())
  end)

  it("also copy without access to each other's memory", function()
    here:disable_peer(there)
    there:disable_peer(here)
    local a = on(here, 3)
    local b = a:to(there)
    assert.equal(3, b:item(N))
    assert.equal(3, b:to(here):item(1))
  end)

  it("run kernels on one with arrays of the other", function()
    local k = cuda.kernel(SOURCE, "twice")
    local x, y = on(there, 4), on(here, 0)
    local s <close> = cuda.stream()
    if here:can_access_peer(there) then
      k({ threads = N, stream = s }, x, y, N)
      assert.equal(8, y:item(N))
      here:disable_peer(there)
    end
    helper.assert_raises(function() k({ threads = N, stream = s }, x, y, N) end,
      "cannot be reached from " .. here.label)
    x:to(here) -- a copy does not override the program's setting
    helper.assert_raises(function() k({ threads = N, stream = s }, x, y, N) end,
      "cannot be reached from " .. here.label)
    here:enable_peer(there)
    y:fill(0)
    k({ threads = N, stream = s }, x, y, N)
    assert.equal(8, y:item(N))
  end)

  it("do not mix in operators, reductions and launches unless a stream is given", function()
    local a, b = on(here, 1), on(there, 2)
    local scan = cuda.scan("T x", "T y", "x", "a + b", 0, "running")
    local dot = cuda.reduction("float32 x, float32 y", "float32 z", "x * y", "a + b",
      "z = a", 0, "dot")
    local fused = cuda.fuse(function(x, y) return x * y + 1 end)
    local s <close> = cuda.stream { device = there }
    for what, f in pairs {
      operator = function() return a + b end,
      comparison = function() return a:lt(b) end,
      out = function() return cuda.add(a, 1, { out = b }) end,
      where = function() return cuda.where(a:gt(0), a, b) end,
      join = function() return cuda.concatenate { a, b } end,
      scan = function() return scan(a, b) end,
      reduction = function() return dot(a, b) end,
      ["reduction into it"] = function()
        return a:sum { axis = 1, out = b:slice { 1, 1 }:reshape {} }
      end,
      fused = function() return fused(a, b) end,
      matmul = function() return a:reshape { 256, 256 }:matmul(b:reshape { 256, 256 }) end,
      selection = function() return b:take(cuda.array({ 1 }, "int64")) end,
      mask = function() return b[a:gt(0)] end,
      sort = function() return cuda.sort(a, { out = b }) end,
      stream = function() return cuda.add(a, 1, { stream = s }) end,
      ["fill on a stream"] = function() return a:fill(1, { stream = s }) end,
    } do
      local ok, e = pcall(f)
      e = tostring(e)
      assert.is_false(ok, what)
      assert.truthy(e:find(here.label, 1, true) and e:find(there.label, 1, true),
        what .. ": " .. e)
    end
    assert.same({ 1, 1, 2, 2 }, { a:min(), a:max(), b:min(), b:max() })
    assert.is_false(a:equals(b))
    assert.is_true(a:set(b):equals(b)) -- copies may mix them
    local k = cuda.kernel(SOURCE, "twice")
    helper.assert_raises(function() k({ threads = N }, a, b, N) end, "needs all on one device")
  end)

  it("run work on the device of the arrays, whichever is current", function()
    local b = on(there, 2)
    local c = b + 1
    assert.equal(there, c.device)
    assert.equal(3, c:item(N))
    assert.equal(3 * N, c:sum())
    assert.equal(there, cuda.sort(c).device)
    local k, out = cuda.kernel(SOURCE, "twice"), on(there, 0)
    k({ threads = N }, c, out, N)
    assert.equal(6, out:item(N))
    assert.equal(here, cuda.device())
    assert.equal(1, (cuda.ones(4)):item(4))
  end)

  it("order streams and events across devices", function()
    local s <close> = cuda.stream()
    local t <close> = cuda.stream { device = there }
    assert.equal(there, t.device)
    local a, b = cuda.zeros(N, "int32"), cuda.zeros(N, "int32", { device = there })
    for i = 1, 50 do
      a:fill(i, { stream = s })
      cuda.copy(b, a)
      b:fill(-i, { stream = t })
      cuda.copy(a, b, { stream = s })
      assert.equal(-i, a:item(N))
    end
    local e = cuda.event():record(s)
    t:wait(e):wait(s):synchronize()
    assert.is_true(e:is_done())
    assert.error(function() cuda.event { device = there }:record(s) end)
  end)

  -- A kernel that spins until a word is set holds back streams of both.
  describe("with a stream held back", function()
    local word, held, other, gate
    local LIMIT_NS = limits.seconds(3) * 1000000000

    before_each(function()
      word, held, other = cuda.pinned(2, "int32"):fill(0), cuda.stream(),
        cuda.stream { device = there }
      gate = cuda.kernel { source = SOURCE, name = "gate" }
      word[1] = 1
      gate({ grid = 1, block = 1, stream = held }, cuda.ptr(word.pointer), LIMIT_NS)
      cuda.full(N, 1, "int32", { device = there }):fill(2, { stream = other })
      held:synchronize()
      other:synchronize()
    end)

    after_each(function()
      word[1] = 1
      held:synchronize()
      other:synchronize()
      assert.equal(0, word[2], "a call waited for work that was held back")
      held:close()
      other:close()
    end)

    local function close_gate()
      word[1] = 0
      gate({ grid = 1, block = 1, stream = held }, cuda.ptr(word.pointer), LIMIT_NS)
    end

    it("order the work of the other's streams", function()
      local a, b = cuda.zeros(N, "int32"), cuda.full(N, 3, "int32", { device = there })
      local c = a:to(there)
      c:item(1)
      a:item(1)
      close_gate()
      cuda.copy(a, b, { stream = held })
      c:fill(4, { stream = other })
      other:synchronize() -- c is unrelated
      b:fill(-1, { stream = other })
      assert.is_false(other:is_done())
      cuda.copy(c, a, { stream = other })
      assert.is_false(held:is_done())
      word[1] = 1
      assert.same({ 3, 3, -1, -1 }, { c:min(), c:max(), b:min(), b:max() })
    end)

    it("are ordered by an event of the other", function()
      close_gate()
      local e = cuda.event():record(held)
      other:wait(e)
      local b = cuda.zeros(N, "int32", { device = there })
      b:fill(7, { stream = other })
      assert.is_false(e:is_done())
      assert.is_false(other:is_done())
      word[1] = 1
      assert.equal(7, b:item(N))
    end)

    it("free memory that the other is about to read", function()
      local a, b = cuda.full(N, 3, "int32"), cuda.zeros(N, "int32", { device = there })
      cuda.copy(b, a)
      b:item(1)
      close_gate()
      other:wait(held)
      cuda.copy(b, a, { stream = other })
      a:free()
      local c = cuda.full(N, -1, "int32")
      assert.is_false(here.null_stream:is_done()) -- the memory returns after the copy
      word[1] = 1
      assert.same({ 3, 3, -1, -1 }, { b:min(), b:max(), c:min(), c:max() })
    end)

    it("order uses of managed memory", function()
      if there.concurrent_managed_access ~= 1 or here.concurrent_managed_access ~= 1 then
        return
      end
      local m = cuda.managed(N, "float32"):fill(2)
      local x, y = on(here, 5), on(there, 0)
      local twice = cuda.kernel { source = SOURCE, name = "twice" }
      twice({ threads = N, stream = other }, m, y, N)
      twice({ threads = N, stream = held }, x, x, N)
      x:item(1)
      y:item(1)
      close_gate()
      twice({ threads = N, stream = held }, x, m, N)
      twice({ threads = N, stream = other }, m, y, N)
      assert.is_false(other:is_done())
      word[1] = 1
      assert.same({ 40, 20 }, { y:item(N), m:item(N) })
    end)
  end)

  it("free memory that the other still reads", function()
    for i = 1, 20 do
      local a = on(here, i)
      local b = a:to(there)
      a:free()
      local c = on(here, -1)
      assert.equal(i, b:item(N))
      c:free()
    end
  end)

  it("share pinned and managed memory", function()
    local p = cuda.pinned(N, "float32"):fill(5)
    local a, b = p:to(here), p:to(there)
    assert.equal(10, (a + b:to(here)):item(N))
    if there.concurrent_managed_access == 1 then
      local m = cuda.managed(N, "float32"):fill(2)
      local k, out = cuda.kernel(SOURCE, "twice"), on(there, 0)
      k({ threads = N }, m, out, N)
      assert.equal(4, out:item(N))
    end
  end)

  it("have their own kernels, constants and attributes", function()
    local m = cuda.module "__device__ int v = 3; __global__ void set(int x) { v = x; }"
    m.kernels.set({ grid = 1, block = 1 }, 7)
    local mine = m:global "v"
    local before = cuda.use(there)
    local theirs = m:global "v"
    cuda.use(before)
    assert.same({ 7, 3 }, { mine:item(), theirs:item() })
    assert.not_equal(here.pci_bus_id, there.pci_bus_id)
    assert.not_equal(here.uuid, there.uuid)
    assert.equal(there, cuda.device(there.pci_bus_id))
  end)

  it("can enable and disable access twice", function()
    for _ = 1, 2 do assert.equal(here, here:enable_peer(there)) end
    for _ = 1, 2 do assert.equal(here, here:disable_peer(there)) end
    assert.equal(here, here:enable_peer(there.ordinal))
    assert.is_true(here:can_access_peer(here))
  end)

  it("copy another way if access cannot be enabled", function()
    local ok, out = helper.lua(([[
      local cuda, core = require "luacuda", require "luacuda.core"
      local here, there = cuda.device(%d), cuda.device(%d)
      local met = {}
      local n, failed = 0, nil
      repeat
        n = n + 1
        here:reset()
        local a = cuda.full(1 << 16, n, "float32", { device = here })
        a:item(1)
        core._fail_at(n, "NOT_PERMITTED")
        local ok, b = pcall(a.to, a, there)
        failed = select(2, core._calls())
        core._fail_at(0)
        if failed and (failed:find "Peer" and failed ~= "cuMemcpyPeerAsync"
            or failed == "cuMemPoolSetAccess") then
          met[failed] = true
          assert(ok and b:item(1 << 16) == n, failed .. ": " .. tostring(b))
          assert(a:to(there):item(1) == n)
        end
        a:free()
        if ok then b:free() end
        a, b = nil, nil
        for _ = 1, 2 do pcall(here.synchronize, here) pcall(there.synchronize, there) end
      until not failed
      assert(n > 4, "few calls were made to fail")
      assert(met.cuDeviceCanAccessPeer, "the driver was not queried")
      if here:can_access_peer(there) then
        assert(met.cuCtxEnablePeerAccess, "nothing was enabled")
      end
      print "ok"
    ]]):format(here.ordinal, there.ordinal), { env = { LUACUDA_SHIM = 1 }, timeout = 300 })
    assert.is_true(ok, out)
    assert.equal("ok\n", out)
  end)

  it("are reset one at a time", function()
    local ok, out = helper.lua(([[
      local cuda = require "luacuda"
      local here, there = cuda.device(%d), cuda.device(%d)
      local a = cuda.full(1000, 2, "float32", { device = there })
      for round = 1, 2 do
        local b = a:to(here)
        assert((b + 1):sum() == 3000)
        b:free()
        b = nil
        here:reset()
        assert((a + 1):sum() == 3000)
        local x = cuda.full(1 << 20, round, "float32", { device = here })
        assert(x:to(there):item(1 << 20) == round and a:to(here):item(7) == 2)
        x:free()
        x = nil
      end
      print "ok"
    ]]):format(here.ordinal, there.ordinal))
    assert.is_true(ok, out)
    assert.equal("ok\n", out)
  end)
end)

-- Managed memory: advice, prefetching, attachment, access by the host; what an address is.
local helper = require "spec.helper"
local cuda = require "luacuda"

local contains, error_of = helper.contains, helper.error_of

local BUSY = [==[
  __global__ void busy(int *out, int rounds) {
    unsigned x = 1;
    for (int i = 0; i < rounds; i++) x = x * 1664525u + 1013904223u;
    *out = (int)x;
  }
  __global__ void add(int *p, int by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += by;
  }
  __device__ int variable[5];
  __managed__ int shared_by_both;
]==]

helper.for_each_device(function(device)
  local function fails(part, fn, ...) contains(error_of(fn, ...), part) end

  describe("managed arrays", function()
    it("take advice that changes nothing they hold", function()
      local m = cuda.managed(5000, "int32", { zeros = true })
      for _, what in ipairs { "read_mostly", "unset_read_mostly", "unset_preferred_location" } do
        assert.are.equal(m, m:advise(what))
      end
      for _, place in ipairs { device, "cpu" } do
        m:advise("preferred_location", place):advise("accessed_by", place)
        m:advise("unset_accessed_by", place)
      end
      m:advise "accessed_by":advise "unset_accessed_by":advise "unset_preferred_location"
      m:slice { 10, 20 }:advise "read_mostly"
      m:slice { 1, 0 }:advise "read_mostly"
      cuda.managed(0):advise "read_mostly"
      assert.are.equal(0, m:sum())
    end)

    it("move to a device and back in the order of a stream", function()
      local n = 100000
      local add = cuda.kernel(BUSY, "add")
      local m = cuda.managed(n, "int32", { zeros = true })
      local s <close> = cuda.stream()
      assert.are.equal(m, m:prefetch(device, { stream = s }))
      add({ threads = n, stream = s }, m, 3, n)
      m:prefetch("cpu", { stream = s })
      assert.are.equal(3, m:item(n))
      m:prefetch():prefetch { stream = s }
      m:prefetch(device.ordinal and device.kind ~= "cpu" and device.ordinal or "cpu")
      m:slice { 1, n, 7 }:prefetch()
      cuda.managed(0):prefetch()
      add({ threads = n }, m, 4, n)
      assert.are.equal(7 * n, m:sum())
      m:free()
    end)

    it("are attached to all, to the host, or to one stream", function()
      local n = 1000
      local add = cuda.kernel(BUSY, "add")
      local m = cuda.managed(n, "int32", { zeros = true, attach = "host" })
      local s <close> = cuda.stream()
      m[1] = 5
      assert.are.equal(m, m:attach(s))
      add({ threads = n, stream = s }, m, 3, n)
      assert.are.equal(8, m:item(1))
      m:attach("single", s):attach "global"
      add({ threads = n }, m, 1, n)
      assert.are.equal(4, m:attach "host":item(2))
      m:slice { 5, 6 }:attach "global"
      cuda.managed(0):attach "global"
      m:free()
    end)

    it("may end before or after the stream that they are attached to", function()
      local a, b = cuda.managed(10), cuda.managed(10)
      local s = cuda.stream()
      a:attach(s)
      b:attach(s)
      a:free()
      s:close()
      assert.is_number(b:fill(3):item(10))
      b:attach "global"
      b:free()
    end)

    it("check what they are asked", function()
      local m = cuda.managed(10, "int32")
      local other <close> = cuda.stream()
      fails("advise: expected 'read_mostly', 'preferred_location' or 'accessed_by'", m.advise, m,
        "read")
      fails("advise: 'read_mostly' takes no device", m.advise, m, "read_mostly", device)
      fails("expected a string", m.advise, m, 5)
      fails("attach: expected a Stream, \"single\", \"global\" or \"host\"", m.attach, m, "all")
      fails("attach: expected a Stream", m.attach, m)
      fails("attach: \"single\" needs the stream", m.attach, m, "single")
      fails("attach: too many arguments", m.attach, m, other, other)
      fails("attach: the null stream cannot", m.attach, m, device.null_stream)
      fails("unknown option", m.prefetch, m, { strem = other })
      for _, a in ipairs { cuda.zeros(3), cuda.pinned(3), cuda.host(3) } do
        for method, argument in pairs { advise = "read_mostly", attach = "global",
          prefetch = "cpu" } do
          fails(("%s: expected an array of managed memory (cuda.managed), got %s memory"):format(
            method, a.memory), a[method], a, argument)
        end
      end
      m:free()
      for _, method in ipairs { "advise", "attach", "prefetch" } do
        fails("attempt to use a closed Array", m[method], m, "global")
      end
    end)

    it("refuse a stream of another device", function()
      if device.kind == "cpu" then return end
      local m = cuda.managed(10)
      local s <close> = cuda.stream { device = "cpu" }
      fails("expected a stream of " .. device.label
        .. ", which manages the memory, got one of cpu", m.attach, m, s)
      fails("the stream belongs to cpu", m.prefetch, m, device, { stream = s })
    end)
  end)

  -- A GPU that cannot use managed memory while the host does: the fake one plays it.
  describe("without concurrent access", function()
    local function run(attach)
      if not helper.fake_gpu then return end
      local ok, out = helper.lua([==[
        local cuda = require "luacuda"
        local source, attach = ...
        cuda.use(0)
        assert(cuda.device().concurrent_managed_access == 0)
        local busy = cuda.kernel(source, "busy")
        local m, out = cuda.managed(10, "int32", { zeros = true }), cuda.zeros(1, "int32")
        local s, t = cuda.stream(), cuda.stream()
        if attach == "single" then m:attach(t) elseif attach ~= "" then m:attach(attach) end
        busy({ grid = 1, block = 1, stream = s }, out, 10)
        s:synchronize()
        busy({ grid = 1, block = 1, stream = s }, out, 3000000)
        assert(m:item(10) == 0)
        print(s:is_done())
        cuda.synchronize()
      ]==], { env = { LUACUDA_CPU_GPUS = "1,exclusive" }, args = { BUSY, attach } })
      assert.is_true(ok, out)
      return out:match "%a+"
    end

    it("the host waits for all work of the device", function()
      local done = run ""
      assert.is_true(done == nil or done == "true")
    end)

    it("attached memory waits for its stream only", function()
      for _, attach in ipairs { "host", "single" } do
        local done = run(attach)
        assert.is_true(done == nil or done == "false")
      end
    end)
  end)

  describe("pinned_like, managed_like and host_like", function()
    it("take shape and dtype of an array", function()
      local a = cuda.arange(6, "int16"):reshape { 2, 3 }
      for _, kind in ipairs { "pinned", "managed", "host" } do
        local b = cuda[kind .. "_like"](a, { zeros = true })
        assert.are.equal(kind, b.memory)
        assert.are.same({ 2, 3 }, b.shape)
        assert.are.equal("int16", b.dtype)
        assert.are.equal(0, b:sum())
        assert.are.same(a:totable(), cuda.copy(b, a):totable())
        assert.are.equal("float64", cuda[kind .. "_like"](a:transpose(), "float64").dtype)
        assert.are.same({ 3, 2 }, cuda[kind .. "_like"](a:transpose()).shape)
        assert.are.equal(0, cuda[kind .. "_like"](cuda.zeros(0)).size)
        fails("unknown option", cuda[kind .. "_like"], a, { zero = true })
        fails("expected Array", cuda[kind .. "_like"], 5)
      end
      local Pair = cuda.struct("LikePair", { { "a", "int32" }, { "b", "float32" } })
      assert.are.equal(Pair, cuda.pinned_like(cuda.zeros(3, Pair)).dtype)
    end)
  end)

  describe("flags", function()
    it("are those of pinned memory", function()
      assert.are.same({ portable = true, mapped = true, write_combined = false },
        cuda.pinned(10).flags)
      assert.is_true(cuda.pinned(10, { write_combined = true }).flags.write_combined)
      assert.is_true(cuda.pinned(10):slice { 3, 4 }.flags.mapped)
      for _, a in ipairs { cuda.zeros(3), cuda.managed(3), cuda.host(3), cuda.pinned(0) } do
        assert.is_nil(a.flags)
      end
    end)
  end)

  describe("pointer_info", function()
    local function info(...) return cuda.pointer_info(...) end

    it("says what an address is", function()
      local a = cuda.zeros(100, "int32")
      local i = info(a.pointer + 40)
      assert.are.equal("device", i.memory)
      assert.are.equal(device, i.device)
      assert.are.equal(a.pointer + 40, i.address)
      assert.is_true(i.base <= a.pointer and i.base + i.size >= a.pointer + 400)
      assert.are.equal(i.address - i.base, i.offset)
      assert.is_false(i.managed or i.read_only)
      assert.are.same(i, info(cuda.ptr(a.pointer + 40)))
      assert.are.same(i, info(a:slice { 11, 12 }))
    end)

    it("knows the kinds of memory", function()
      local big = cuda.zeros(1 << 20, "uint8")
      assert.is_boolean(info(big).pooled)
      local m = cuda.managed(1000, "float32")
      local i = info(m)
      assert.are.equal("managed", i.memory)
      assert.is_true(i.managed)
      assert.are.equal(device, i.device)
      assert.are.equal("pinned", info(cuda.pinned(10)).memory)
      local h = cuda.host(4096, "uint8")
      local r = cuda.register(h)
      assert.are.equal("registered", info(r).memory)
      local module = cuda.module(BUSY)
      assert.are.equal("device", info(module:global "variable").memory)
      assert.is_truthy(info(module:global "shared_by_both"))
    end)

    it("is nil for what no driver knows", function()
      local _ = cuda.zeros(1)
      assert.is_nil(info(16))
      assert.is_nil(info(cuda.null))
    end)

    it("checks its argument", function()
      fails("pointer_info: expected an address (an integer or a Pointer) or an Array, got string",
        info, "x")
      fails("pointer_info: expected an address", info)
      fails("pointer_info: expected an address", info, 1.5)
      local a = cuda.zeros(1)
      a:free()
      fails("attempt to use a closed Array", info, a)
    end)
  end)
end)

-- device:context: contexts beside the primary one, and the stack of current devices.
local helper = require "spec.helper"
local cuda = require "luacuda"

local SOURCE = [[
  extern "C" __global__ void scale(int *v, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] *= by;
  }
  extern "C" __global__ void astray(int *v, int n) { v[n + threadIdx.x] = 1; }
  extern "C" __global__ void late(int *v, int n, int spin, int value) {
    long long start = clock64();
    while (clock64() - start < spin) { }
    for (int i = threadIdx.x; i < n; i += blockDim.x) v[i] = value;
  }
]]

helper.for_each_device(function(device)
  local module, scale, late
  -- A GPU takes a large part of a second to make a context.
  local quick = device.kind == "cpu" or helper.fake_gpu
  local many = quick and 100 or 10

  setup(function()
    module = cuda.module(SOURCE)
    scale, late = module:kernel "scale", module:kernel "late"
  end)
  teardown(function() module, scale, late = nil, nil, nil end)

  local function is_closed(ctx_label, fn, ...)
    local e = helper.error_of(fn, ...)
    assert.is_true(cuda.is_error(e, "logic"), tostring(e))
    helper.contains(e, ctx_label .. " is closed: its arrays, streams, events and modules ended")
  end

  describe("a context", function()
    it("is a Device of its own", function()
      local ctx <close> = device:context()
      assert.equal("device", cuda.type(ctx))
      assert.not_equal(device, ctx)
      assert.equal(device, ctx.parent)
      assert.is_nil(device.parent)
      assert.matches("^" .. device.label .. "%.%d+$", ctx.label)
      assert.equal(device.name, ctx.name)
      assert.equal(device.kind, ctx.kind)
      assert.equal(device.ordinal, ctx.ordinal)
      assert.equal(device.cc, ctx.cc)
      assert.equal(device.warp_size, ctx.warp_size)
      assert.matches(ctx.label .. ": a context of ", tostring(ctx), 1, true)
      assert.equal(device, cuda.device())
      local inner <close> = ctx:context()
      assert.equal(device, inner.parent)
      assert.is_true(ctx:memory_info() > 0)
      assert.equal(ctx, cuda.zeros(4, { device = ctx }).device)
    end)

    it("has flags, limits and a cache preference of its own", function()
      local flags, stack = device:flags(), device:limit "stack_size"
      local ctx <close> = device:context { schedule = "yield", lmem_resize = true, map_host = true }
      local other <close> = device:context()
      assert.same({ schedule = "yield", lmem_resize = true }, ctx:flags())
      assert.same({ schedule = "auto", lmem_resize = false }, other:flags())
      assert.same(flags, device:flags())
      assert.is_true(ctx:limit("stack_size", 2 * stack) >= 2 * stack)
      assert.equal(stack, device:limit "stack_size")
      assert.equal(stack, other:limit "stack_size")
      ctx:cache_config "l1"
      assert.equal("l1", ctx:cache_config())
      assert.equal("none", other:cache_config())
      assert.is_true(ctx.api_version >= 3020)
      helper.assert_raises(function() device:context { schedule = "slow" } end,
        "context: option 'schedule': there is no way to wait named 'slow'")
      helper.assert_raises(function() device:context { flags = 1 } end, "flags")
    end)

    it("has arrays, streams, events and kernels of its own", function()
      local ctx <close> = device:context()
      local own = cuda.arange(100, "int32")
      ctx:push()
      local a = cuda.arange(100, "int32")
      local s, e = cuda.stream(), cuda.event()
      assert.equal(ctx, a.device)
      assert.equal(ctx, s.device)
      assert.not_equal(device.null_stream, ctx.null_stream)
      scale({ threads = 100, stream = s }, a, 100, 3)
      e:record(s)
      assert.equal(99 * 50 * 3, a:sum())
      assert.is_true(e:synchronize():is_done())
      scale({ threads = 100 }, own, 100, 2) -- runs where its array is
      assert.equal(99 * 100, own:sum())
      helper.assert_raises(function() return own + a end, "needs all on one device")
      helper.contains(helper.error_of(function() cuda.event():record(device.null_stream) end),
        "the event belongs to " .. ctx.label)
      ctx:pop()
      assert.equal(99 * 50 * 3, a:sum())
      assert.equal(297, a:item(100))
    end)

    it("reaches the memory of its device, and the other way round", function()
      local ctx <close> = device:context()
      local other <close> = device:context()
      local a = cuda.arange(1000, "int32")
      local b, c = a:to(ctx), cuda.empty(1000, "int32", { device = other })
      assert.equal(ctx, b.device)
      cuda.copy(c, b)
      assert.is_true(a:equals(c:to(device)))
      assert.is_true(a:equals(cuda.copy(cuda.empty(1000, "int32"), b)))
      assert.is_false(not ctx:can_access_peer(device))
      assert.equal(ctx, ctx:enable_peer(other))
      local s = cuda.stream { device = ctx }
      scale({ threads = 1000, stream = s }, cuda.raw(a), 1000, 2) -- the stream decides
      assert.equal(2 * 999, a:item(1000))
    end)

    it("orders work of two contexts on one array", function()
      local ctx <close> = device:context()
      local a, n = cuda.zeros(64, "int32", { device = ctx }), 64
      local s, t = cuda.stream { device = ctx }, cuda.stream()
      for i = 1, 10 do
        late({ grid = 1, block = 64, stream = s }, a, n, 20000, i)
        local b = cuda.empty(64, "int32")
        cuda.copy(b, a)
        assert.equal(i, b:item(64))
        late({ grid = 1, block = 64, stream = t }, a, n, 20000, -i) -- reached from the device
        assert.equal(-i, a:item(1))
      end
    end)

    it("frees memory while another one is current", function()
      local ctx <close> = device:context()
      local other <close> = device:context()
      for i = 1, 30 do
        local a = cuda.full(1000, i, "int32", { device = ctx })
        local b = cuda.full(1000, i, "int32", { device = device })
        other:push()
        scale({ threads = 1000 }, a, 1000, 2)
        scale({ threads = 1000 }, b, 1000, 3)
        if i % 2 == 0 then assert.equal(2 * i, a:item(7)) end
        a:free()
        assert.equal(3 * i, b:item(9))
        b:free()
        other:pop()
      end
      ctx:synchronize() -- frees are in the order of the stream
      assert.equal(0, cuda.pool(ctx):stats().used)
    end)
  end)

  describe("the stack of devices", function()
    it("is what push, pop and use say", function()
      local a <close> = device:context()
      local b <close> = device:context()
      assert.equal(a, a:push())
      assert.equal(a, b:push() == b and cuda.use(a) == b and cuda.device() or nil)
      helper.contains(helper.error_of(b.pop, b), "pop: " .. b.label
        .. " is not the current device, which is " .. a.label)
      assert.equal(a, a:pop())
      assert.equal(a, cuda.device())
      device:push()
      assert.equal(device, cuda.device())
      assert.equal(a, device:pop())
      assert.equal(device, a:pop())
      helper.contains(helper.error_of(device.pop, device), "pop: no device was pushed before "
        .. device.label)
    end)

    it("loses a context that is closed", function()
      local a, b = device:context(), device:context()
      a:push() b:push() a:push() b:push()
      a:close()
      assert.equal(b, cuda.device())
      assert.equal(b, b:pop())
      b:close()
      assert.equal(device, cuda.device())
      do
        local c <close> = device:context()
        cuda.use(c)
      end
      assert.equal(device, cuda.device())
      helper.contains(helper.error_of(device.pop, device), "no device was pushed")
    end)
  end)

  describe("closing", function()
    it("ends everything made in the context", function()
      local ctx = device:context()
      local label = ctx.label
      ctx:push()
      local a, s, e = cuda.ones(100, "int32"), cuda.stream(), cuda.event():record()
      local m = cuda.module { source = SOURCE }
      local f = m:kernel("scale"):prepare { threads = 100, stream = s }
      local never, null = cuda.event(), ctx.null_stream
      local g = cuda.graph(function() a:add(1, { out = a }) end)
      local big = cuda.empty(1 << 22, "uint8")
      f(a, 100, 3)
      local kept = cuda.ones(100, "int32", { device = device })
      ctx:close()
      ctx:close()
      ctx:free()
      assert.equal("luacuda.Device (closed)", tostring(ctx))
      helper.contains(helper.error_of(cuda.use, ctx), "attempt to use a closed Device")
      for _, use in ipairs {
        function() return a:sum() end, function() return a:totable() end,
        function() return a:tobytes() end, function() return a[1] end,
        function() a[1] = 2 end, function() a:fill(1) end, function() return a:copy() end,
        function() a:set(cuda.zeros(100)) end, function() return a:to(device) end,
        function() return a + 1 end, function() return a:to "cpu" + 0 end,
        function() cuda.copy(kept, a) end, function() cuda.copy(a, kept) end,
        function() scale({ threads = 100 }, a, 100, 2) end,
        function() scale({ threads = 100, stream = device.null_stream }, a, 100, 2) end,
        function() return s:synchronize() end, function() return s:is_done() end,
        function() s:use() end, function() cuda.with_stream(s, print) end,
        function() return s:wait(e) end, function() cuda.stream():wait(e) end,
        function() cuda.stream():wait(s) end, function() return null:synchronize() end,
        function() return e:synchronize() end, function() return e:record(s) end,
        function() return never:record(null) end, function() g:launch() end,
        function() cuda.use(a.device) end, function() return big:item(1) end,
        function() return a.device:memory_info() end, function() return a:dlpack() end,
        function() cuda.zeros(4, { device = a.device }) end,
        function() cuda.synchronize(a.device) end,
      } do is_closed(label, use) end
      helper.contains(helper.error_of(f, kept, 100, 3), "attempt to use a closed Prepared")
      assert.matches(label .. " is closed", tostring(a), 1, true)
      assert.equal("luacuda.Device " .. label .. " (closed)", tostring(a.device))
      m:kernel("scale")({ threads = 100 }, kept, 100, 2)
      assert.equal(200, kept:sum())
      for _, object in ipairs { a, s, e, m, f, never, g, big } do object:close() end
    end)

    it("gives the memory back", function()
      local ok, out = helper.lua([[
        local cuda = require "luacuda"
        local device, kept = cuda.device(...), {}
        local n = device.total_memory // 8
        for i = 1, 12 do -- more than fit together
          local ctx <close> = device:context()
          kept[2 * i] = cuda.full(n, i, "uint8", { device = ctx })
          kept[2 * i + 1] = cuda.empty(100, "int32", { device = ctx })
          assert(kept[2 * i]:item(n) == i and cuda.pool(ctx):stats().used == n + 400)
        end
      ]], { args = { device.label },
        env = { LUACUDA_CPU_MEMORY = "128M" } })
      assert.is_true(ok, out)
    end)

    it("leaves other memory that the context used", function()
      local a = cuda.zeros(1000, "int32")
      local ctx = device:context()
      local host
      do
        ctx:push()
        host = cuda.pinned(10, "int32")
        host:fill(3)
        local s = cuda.stream()
        late({ grid = 1, block = 32, stream = s }, a, 1000, 100000, 7)
      end
      ctx:close()
      assert.equal(7000, a:sum())
      scale({ threads = 1000 }, a, 1000, 2)
      assert.equal(14, a:item(1000))
      assert.same({ 3, 3 }, { host:item(1), host:item(10) })
      assert.equal(30, host:to(device):sum())
    end)

    it("waits for what others do with its memory", function()
      local ctx = device:context()
      local a = cuda.zeros(1000, "int32", { device = ctx })
      late({ grid = 1, block = 32, stream = cuda.stream() }, a, 1000, 200000, 7)
      local b = cuda.empty(1000, "int32")
      cuda.copy(b, a)
      ctx:close()
      assert.equal(7000, b:sum())
    end)

    it("is refused for devices, and while work is recorded", function()
      helper.contains(helper.error_of(device.close, device), "close: " .. device.label
        .. " is a device, not a context")
      local ctx <close> = device:context()
      helper.contains(helper.error_of(ctx.reset, ctx), ctx.label .. " is a context: close it, or "
        .. "reset " .. device.label)
      helper.contains(helper.error_of(ctx.partition, ctx), ctx.label .. " is a context")
      helper.contains(helper.error_of(device.reset, device), "cannot be reset")
      helper.contains(helper.error_of(cuda.no_sync, function() ctx:close() end), "no_sync")
      local a, b = cuda.zeros(4, "int32", { device = ctx }), cuda.zeros(4, "int32")
      cuda.use(ctx)
      local e
      local g = cuda.graph(function()
        a:add(1, { out = a })
        e = helper.error_of(function() ctx:close() end)
      end)
      helper.contains(e, "recorded")
      g:launch()
      assert.equal(4, a:sum())
      e = helper.error_of(cuda.graph, function() b:add(1, { out = b }) end)
      helper.contains(e, "cannot be recorded in a graph of " .. ctx.label)
      cuda.use(device)
    end)

    it("keeps the times of a profile", function()
      local ctx = device:context()
      local p = cuda.profile(function()
        local a = cuda.zeros(100, "int32", { device = ctx })
        for _ = 1, 5 do scale({ threads = 100 }, a, 100, 2) end
        cuda.copy(cuda.empty(100, "int32"), a)
        ctx:close()
      end)
      collectgarbage()
      assert.matches("scale", tostring(p))
    end)
  end)

  describe("contexts", function()
    it("come and go without end", function()
      local f = scale:prepare { threads = 8 }
      for i = 1, many do
        local ctx <close> = device:context()
        ctx:push()
        local a = cuda.full(8, i, "int32")
        scale({ threads = 8 }, a, 8, 2)
        assert.equal(2 * i, a:item(8))
        if i % 10 == 0 then
          local own = scale:prepare { threads = 8 }
          own(a, 8, 2)
          assert.equal(4 * i, a:item(8))
        end
      end
      local a = cuda.ones(8, "int32")
      f(a, 8, 5)
      assert.equal(5, a:item(8))
    end)

    if quick then
      it("are limited in number", function()
        local open, e = {}, nil
        for i = 1, 64 do
          local ok, ctx = pcall(device.context, device)
          if not ok then e = ctx break end
          open[i] = ctx
        end
        helper.contains(e, device.label .. " cannot have another context")
        assert.is_true(#open >= 32)
        for i = #open, 1, -1 do table.remove(open, (i * 7) % #open + 1):close() end
        local ctx <close> = device:context()
        assert.equal(3, cuda.full(1, 3, "int32", { device = ctx }):item(1))
      end)
    end

    it("are closed after they were collected", function()
      local ok, out = helper.lua([[
        local cuda, core = require "luacuda", require "luacuda.core"
        local label, many = ...
        local device = cuda.use(label) and cuda.device()
        local twice = cuda.elementwise("int32 x", "int32 y", "y = 2 * x", "twice")
        local kept = cuda.ones(4, "int32", { device = device:context() })
        collectgarbage()
        for i = 1, tonumber(many) do
          local ctx = device:context()
          assert(twice(cuda.full(4, i, "int32", { device = ctx })):item(4) == 2 * i)
          if i % 3 == 0 then collectgarbage() collectgarbage() end
        end
        assert(twice(kept):item(1) == 2)
        assert(core._live().device < 45, core._live().device)
        local open = device:context():push()       -- left to the end of the state
        local a = cuda.zeros(5)
      ]], { args = { device.label, tostring(many) } })
      assert.is_true(ok, out)
    end)

    it("may be closed by what is called while they are used", function()
      helper.goes_well([[
        local cuda = require "luacuda"
        cuda.use(...)
        local device = cuda.device()
        local function asking(ctx)
          return setmetatable({}, { __index = function(_, k)
            if k ~= "device" then ctx:close() ctx = device:context():close() end
          end })
        end
        for _, call in ipairs {
          function(a, options) return a:fill(1, options) end,
          function(a, options) return a:copy(options) end,
          function(a, options) return a:add(1, options) end,
          function(a, options) return a:set({ 1, 2, 3, 4 }, options) end,
          function(a, options) return cuda.zeros(4, options) end,
          function(a, options) return cuda.stream(options) end,
          function(a, options) return cuda.event(options) end,
          function(a, options) return cuda.random(1, options) end,
          function(a, options) return a.device:context(options) end,
        } do
          local ctx = device:context():push()
          pcall(call, cuda.ones(4), asking { close = function() ctx:close() end })
          if pcall(tostring, ctx) then ctx:close() end
          assert(cuda.device() == device)
        end
      ]], device)
    end)

    -- Against a model: which device is current, what each array holds, what is closed.
    it("agree with a model in random order", function()
      local random = helper.random(20)
      local contexts, arrays, stack = {}, {}, { device }
      local function forget(ctx)
        for i = #stack, 1, -1 do
          if stack[i] == ctx then table.remove(stack, i) end
        end
        if #stack == 0 then stack[1] = device end
        for i = #arrays, 1, -1 do
          if arrays[i].device == ctx then table.remove(arrays, i) end
        end
      end
      local steps = {
        function(slot) contexts[slot] = contexts[slot] or device:context() end,
        function(slot)
          local ctx = contexts[slot]
          if ctx and #stack < 12 then stack[#stack + 1] = ctx:push() end
        end,
        function()
          if #stack > 1 then
            table.remove(stack):pop()
          else
            assert.is_false(pcall(device.pop, cuda.device()))
          end
        end,
        function(slot)
          stack[#stack] = contexts[slot] or device
          cuda.use(stack[#stack])
        end,
        function()
          arrays[#arrays + 1] = { device = stack[#stack], value = random(1000) }
          arrays[#arrays].array = cuda.full(50, arrays[#arrays].value, "int32")
        end,
        function()
          local one = arrays[random(#arrays + 1)]
          if not one then return end
          local by = random(5)
          scale({ threads = 50 }, one.array, 50, by)
          one.value = one.value * by % (1 << 31)
          if one.value > 1 << 20 then
            one.array:fill(1)
            one.value = 1
          end
        end,
        function()
          local from, to = arrays[random(#arrays + 1)], arrays[random(#arrays + 1)]
          if not (from and to) then return end
          cuda.copy(to.array, from.array)
          to.value = from.value
        end,
        function()
          local i = random(#arrays + 1)
          if not arrays[i] then return end
          assert.equal(arrays[i].value, arrays[i].array:item(50))
          table.remove(arrays, i).array:free()
        end,
        function(slot)
          local ctx = contexts[slot]
          if not ctx or random(3) > 0 then return end
          forget(ctx)
          ctx:close()
          contexts[slot] = nil
        end,
      }
      for _ = 1, quick and 400 or 150 do
        steps[random(#steps) + 1](random(3) + 1)
        assert.equal(stack[#stack], cuda.device())
      end
      for _, one in ipairs(arrays) do
        assert.equal(one.device, one.array.device)
        assert.equal(one.value, one.array:item(1))
      end
      for slot = 1, 3 do
        if contexts[slot] then contexts[slot]:close() end
      end
      while #stack > 1 and pcall(cuda.device().pop, cuda.device()) do end
      cuda.use(device)
    end)
  end)

  it("work on two devices names the one that is closed", function()
    local ctx = device:context()
    local a, b = cuda.ones(3), cuda.ones(3, "float32", { device = ctx })
    local i = b:astype "int64"
    local calls = {
      function() return a + b end, function() return cuda.where(b, a, a) end,
      function() return cuda.add(a, a, { out = b }) end, function() return a:dot(b) end,
      function() return cuda.concatenate { a, b } end, function() return cuda.convolve(b, a) end,
      function() return cuda.einsum("i,i", a, b) end, function() return a:take(i) end,
      function() return a:sum { axis = 1, out = b } end, function() return cuda.kron(a, b) end,
      function() return cuda.histogram(a, { weights = b }) end,
      function() return cuda.interp(a, a, b) end, function() return a:cumsum { out = b } end,
      function() return cuda.random.choice(3, 2, { p = b }) end,
    }
    helper.contains(helper.misuse(calls[4]), ("dot: argument 1 'a' is on %s, argument 2 'b' on %s; "
      .. "copy one with :to()"):format(device.label, ctx.label))
    helper.contains(helper.misuse(calls[1]), "a launch needs all on one device (:to())")
    local label = ctx.label
    ctx:close()
    for _, call in ipairs(calls) do
      helper.contains(helper.error_of(call), label .. " is closed: its arrays, streams")
    end
  end)

  if device.kind == "cpu" then
    describe("a fault", function()
      it("belongs to its context", function()
        local ctx <close> = device:context()
        local a, b = cuda.zeros(4, "int32", { device = ctx }), cuda.ones(4, "int32")
        module:kernel "astray"({ threads = 1 }, a, 4)
        scale({ threads = 4 }, b, 4, 3)
        device:synchronize()
        assert.equal(12, b:sum())
        local e = helper.error_of(ctx.synchronize, ctx)
        helper.contains(e, "astray")
        assert.equal(ctx.label, e.device)
        scale({ threads = 4 }, a, 4, 3)
        assert.equal(0, a:sum())
      end)

      it("that no call raised passes to the device", function()
        local ctx = device:context()
        local a = cuda.zeros(4, "int32", { device = ctx })
        module:kernel "astray"({ threads = 1 }, a, 4)
        ctx:close()
        helper.contains(helper.error_of(device.synchronize, device), "astray")
        device:synchronize()
      end)
    end)
  end
end)

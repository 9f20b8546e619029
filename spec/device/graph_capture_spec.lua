-- cuda.graph: what is recorded, when it runs, what it keeps, and what it refuses.
local helper = require "spec.helper"
local cuda = require "luacuda"
local core = require "luacuda.core"

local SOURCE = [[
extern "C" __global__ void scale(float *x, float k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= k;
}
extern "C" __global__ void add(float *out, const float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
extern "C" __global__ void slow(int *x, int rounds) {
  int v = x[0];
  for (int i = 0; i < rounds; i++) v = v * 1664525 + 1013904223;
  x[1] = v;
  x[0] = x[0] + 1;
}
]]

local function list(a) return a:totable() end

-- Runs nothing, and leaves everything usable.
local function is_usable(device)
  assert.same({ 2, 2 }, cuda.ones(2):set(2):totable())
  assert.is_true(device.stream.is_null)
  local g <close> = cuda.graph(function() end)
  g:launch()
  device:synchronize()
end

helper.for_each_device(function(device)
  describe("cuda.graph", function()
    local k
    helper.each_module(SOURCE, function(m) k = m and m.kernels end)

    it("records kernels, which run at each launch", function()
      local x = cuda.ones(1000)
      local g <close> = cuda.graph(function() k.scale({ threads = 1000 }, x, 3, 1000) end)
      assert.equal(1, x:item(1000))
      g:launch()
      assert.equal(3, x:item(1000))
      assert.equal(g, g:launch():launch())
      assert.equal(27, x:item(1))
    end)

    it("passes the stream that records, and returns the results of the function", function()
      local x, seen = cuda.ones(4), nil
      local g, a, b = cuda.graph(function(stream)
        seen = stream
        assert.equal(stream, device.stream)
        k.scale({ threads = 4, stream = stream }, x, 2, 4)
        return 5, "six"
      end)
      assert.same({ 5, "six" }, { a, b })
      assert.is_true(device.stream.is_null)
      g:launch()
      assert.equal(2, x:item(4))
      seen:synchronize()
      k.scale({ threads = 4, stream = seen }, x, 2, 4)
      assert.equal(4, x:item(4))
      g:close()
    end)

    it("records everything that queues work", function()
      local n = 100
      local x, y = cuda.arange(n, "float32"), cuda.zeros(n)
      local q = cuda.ones { n, 2 }
      local p = cuda.pinned(n):fill(7)
      local out = cuda.pinned(n):fill(0)
      local f = cuda.fuse(function(a, b) return a * 2 + b, (a + b):sum { axis = 1 } end)
      local prepared = k.scale:prepare { threads = n }
      local g, r = cuda.graph(function()
        local t = {}
        t.sum = x + y                                    -- elementwise
        t.fused, t.total = f(q, q)                       -- fused
        t.max = q:max { axis = 2 }                       -- reduction
        t.scan = x:cumsum()
        t.copy = x:slice { 1, n, 2 }:copy()              -- of a strided view
        t.fill = cuda.full({ 3, 5 }, 4, "float64")       -- allocation, fill
        t.wide = cuda.full(300, cuda.complex(1, 2), "complex128")
        t.data = cuda.array({ 1, 2, 3 }, "int32")        -- data of the host
        t.from = p:to(device)
        t.matrix = cuda.ones { 8, 4 }:matmul(cuda.ones { 4, 3 })
        t.sorted = (-x):sort()
        cuda.copy(out, x)
        prepared(y, 2, n)
        y:slice({ 1, n, 2 }):fill(5)
        y[2] = 9
        return t
      end)
      -- what is read at each launch: memory, not what it held when it was recorded
      x:fill(1)
      p:fill(8)
      y:fill(3)
      g:launch()
      assert.same({ 4, 3, 100, 2 },
        { r.sum:item(50), r.fused:item(n, 2), r.scan:item(100), r.total:item(2) // 100 })
      assert.equal(1, r.max:item(n))
      assert.equal(50, r.copy.size)
      assert.equal(1, r.copy:item(50))
      assert.equal(4, r.fill:item(3, 5))
      assert.equal(cuda.complex(1, 2), r.wide:item(300))
      assert.same({ 1, 2, 3 }, list(r.data))
      assert.equal(8, r.from:item(n))
      assert.equal(4, r.matrix:item(8, 3))
      assert.equal(-1, r.sorted:item(1))
      device:synchronize()
      assert.equal(1, out:item(n))
      assert.same({ 5, 9, 5, 6 }, list(y:slice { 1, 4 }))
      r.data:fill(0)
      q:fill(2)
      g:launch()
      assert.same({ 1, 2, 3 }, list(r.data))
      assert.equal(2, r.max:item(1))
      g:close()
      assert.equal(2, r.max:item(1)) -- arrays made inside stay
    end)

    it("gives the sums of random additions", function()
      local rng = helper.random(5)
      for _ = 1, 5 do
        local arrays, want = {}, {}
        for i = 1, 6 do arrays[i], want[i] = cuda.full(64, i), i end
        local streams = {}
        for i = 1, 3 do streams[i] = cuda.stream() end
        local steps = {}
        for i = 1, 30 do
          steps[i] = { rng(6) + 1, rng(6) + 1, rng(6) + 1, rng(4) }
        end
        local g <close> = cuda.graph(function(stream)
          for _, s in ipairs(steps) do
            k.add({ threads = 64, stream = s[4] > 0 and streams[s[4]] or stream },
              arrays[s[1]], arrays[s[2]], arrays[s[3]], 64)
          end
          for i = 1, 6 do
            k.scale({ threads = 64, stream = streams[i % 3 + 1] }, arrays[i], 0.5, 64)
          end
        end)
        for i = 1, 3 do streams[i]:close() end
        for _ = 1, 2 do
          g:launch()
          for _, s in ipairs(steps) do want[s[1]] = want[s[2]] + want[s[3]] end
          for i = 1, 6 do want[i] = want[i] * 0.5 end
        end
        for i = 1, 6 do
          helper.assert_close(want[i], arrays[i]:item(64), { dtype = "float32", rtol = 1e-5 })
        end
      end
    end)

    it("compiles and loads a kernel inside", function()
      local x, extra = cuda.ones(8), os.time() % 1000
      local g <close> = cuda.graph(function()
        local cold = cuda.kernel {
          source = ("%s// %d %f"):format(SOURCE, extra, os.clock()), name = "scale",
        }
        cold({ threads = 8 }, x, 4, 8)
        cuda.elementwise("float32 a", "float32 b", ("b = a + %d.0f"):format(extra), "cold")(x, x)
      end)
      collectgarbage()
      collectgarbage()
      g:launch()
      assert.equal(4 + extra, x:item(8))
    end)

    it("keeps arrays, kernels, modules, events and host memory alive", function()
      local y = cuda.zeros(1000)
      local g
      do
        local x = cuda.ones(1000)
        local p = cuda.pinned(1000):fill(3)
        local own = cuda.module { source = SOURCE }
        local e = cuda.event()
        g = cuda.graph(function(stream)
          local t = x:copy()
          cuda.copy(x, p)
          e:record(stream)
          own.kernels.add({ threads = 1000 }, y, x, t, 1000)
          t:free()
        end)
        x:free()
        p:free()
        own:close()
        e:close()
      end
      collectgarbage()
      collectgarbage()
      for _ = 1, 20 do cuda.ones(1000):fill(9):free() end
      g:launch()
      assert.equal(4, y:item(1000))
      g:launch()
      assert.equal(6, y:item(1))
      g:launch():close()
      assert.equal(6, y:item(1))
    end)

    it("may be closed while it runs", function()
      local x = cuda.zeros(2, "int32")
      local s <close> = cuda.stream()
      local g = cuda.graph(function()
        for _ = 1, 20 do k.slow({ grid = 1, block = 1 }, x, 1000) end
      end)
      for _ = 1, 5 do g:launch(s) end
      g:close()
      assert.equal(100, x:item(1))
      assert.equal("luacuda.Graph (closed)", tostring(g))
      helper.contains(helper.misuse(function() g:launch() end), "closed Graph")
      g:close()
    end)

    it("is ordered with other work on what it uses", function()
      local n = 1 << 14
      local a, b = cuda.zeros(n, "int32"), cuda.zeros(n, "int32")
      local s <close> = cuda.stream()
      local t <close> = cuda.stream()
      local first <close> = cuda.graph(function() cuda.copy(b, a) end)
      local second <close> = cuda.graph(function() b:add(1, { out = a }) end)
      for i = 1, 100 do
        cuda.with_stream(s, function() a:fill(i) end)
        first:launch(t)
        second:launch(s)
        a:add(1, { out = b, stream = t })
        assert.same({ i + 1, i + 2 }, { a:item(n), b:item(1) })
      end
    end)

    it("records events, and waits for them within and outside", function()
      local x = cuda.zeros(2, "int32")
      local s <close> = cuda.stream()
      local e, before = cuda.event(), cuda.event { timing = false }
      local g <close> = cuda.graph(function(stream)
        stream:wait(before)
        k.slow({ grid = 1, block = 1 }, x, 100)
        e:record(stream)
        s:wait(e)
        k.slow({ grid = 1, block = 1, stream = s, ordered = false }, x, 100)
        stream:wait(s)
        k.slow({ grid = 1, block = 1, ordered = false }, x, 100)
      end)
      assert.is_false(e.recorded)
      before:record()
      g:launch()
      assert.is_true(e.recorded)
      e:synchronize()
      assert.equal(3, x:item(1))
      g:launch(s)
      assert.equal(6, x:item(1))
      assert.is_true(e:is_done())
    end)

    it("refuses what waits for the device or cannot be recorded", function()
      local x, p = cuda.ones(4), cuda.pinned(4)
      local s <close> = cuda.stream()
      local e = cuda.event():record()
      local g0 <close> = cuda.graph(function() x:fill(1) end)
      for what, fn in pairs {
        ["stream:synchronize"] = function(stream) stream:synchronize() end,
        ["event:synchronize"] = function() e:synchronize() end,
        ["device:synchronize"] = function() device:synchronize() end,
        ["device:reset"] = function() device:reset() end,
        ["synchronize"] = function() cuda.synchronize() end,
        ["elapsed_ms"] = function() e:elapsed_ms(e) end,
        ["item"] = function() return x:item(1) end,
        ["totable"] = function() return x:totable() end,
        ["kernel:time_ms"] = function() k.scale:time_ms({ threads = 4 }, x, 1, 4) end,
        ["kernel:benchmark"] = function() k.scale:benchmark({ threads = 4 }, x, 1, 4) end,
        ["stream:is_done"] = function() return s:is_done() end,
        ["graph:launch"] = function() g0:launch() end,
        ["stream:call"] = function(stream) stream:call(print) end,
        ["dlpack"] = function() x:dlpack() end,
        ["from_dlpack"] = function() cuda.from_dlpack(x) end,
        ["option 'stream'"] = function(stream)
          cuda.wrap(x.pointer, 4, { stream = stream, device = device })
        end,
        ["profile"] = function() cuda.profile(function() end) end,
        ["graph"] = function() cuda.graph(function() end) end,
        ["counting the elements of the result"] = function() return x:nonzero() end,
        ["mode 'raise'"] = function() return x:take(cuda.array({ 1 }, "int64")) end,
      } do
        local err = helper.error_of(cuda.graph, function(stream)
          x:fill(3)
          return fn(stream)
        end)
        assert.is_true(cuda.is_error(err, "logic"), what)
        helper.contains(err, what .. " ")
        helper.contains(err, "cannot be recorded in a graph")
        assert.equal(1, x:item(1))
        is_usable(device)
      end
      assert.equal(4, p.size)
    end)

    it("goes on where the function catches a refusal", function()
      local x = cuda.ones(4)
      local g <close> = cuda.graph(function()
        assert.is_false(pcall(x.item, x, 1))
        assert.is_false(pcall(device.synchronize, device))
        x:fill(2)
        assert.equal("", tostring(x):match " on %w+(.*)") -- no elements
      end)
      assert.equal(1, x:item(1))
      g:launch()
      assert.equal(2, x:item(4))
    end)

    it("passes on errors of the function and throws the recording away", function()
      local x = cuda.ones(4)
      local thrown = {}
      local s <close> = cuda.stream()
      for _, fn in ipairs {
        function() error(thrown) end, function() x:fill(5) error(thrown) end,
        function() x:fill(5, { stream = s }) error(thrown) end,
        function() s:use() x:fill(5) error(thrown) end,
      } do
        local ok, err = pcall(cuda.graph, fn)
        assert.is_false(ok)
        assert.equal(thrown, err)
        assert.equal(1, x:item(1))
        is_usable(device)
      end
      helper.contains(helper.error_of(cuda.graph, function() coroutine.yield() end), "yield")
      local co = coroutine.create(function() cuda.graph(function() coroutine.yield() end) end)
      assert.is_false(coroutine.resume(co))
      is_usable(device)
    end)

    it("is made in a coroutine too", function()
      local x = cuda.ones(4)
      local g <close> = coroutine.wrap(function()
        return (cuda.graph(function() x:fill(2) end))
      end)()
      g:launch()
      assert.equal(2, x:item(1))
    end)

    it("restores the current streams", function()
      local s <close> = cuda.stream()
      local t <close> = cuda.stream()
      local x = cuda.zeros(2, "int32")
      s:use()
      local g <close> = cuda.graph(function(stream)
        assert.equal(stream, t:use())
        assert.equal(t, device.stream)
        x:fill(1)
        cuda.with_stream(stream, function() x:add(1, { out = x }) end)
        assert.equal(t, device.stream)
      end)
      assert.equal(s, device.stream)
      device.null_stream:use()
      g:launch()
      assert.equal(2, x:item(2))
    end)

    it("leaves work of other streams running meanwhile", function()
      local x, y = cuda.zeros(2, "int32"), cuda.zeros(2, "int32")
      local s <close> = cuda.stream()
      for _ = 1, 10 do k.slow({ grid = 1, block = 1, stream = s }, x, 1000) end
      local g <close> = cuda.graph(function()
        for _ = 1, 50 do
          k.slow({ grid = 1, block = 1 }, y, 10)
          cuda.ones(1000):free()
          cuda.module { source = SOURCE }:close()
        end
        collectgarbage()
      end)
      assert.equal(10, x:item(1))
      g:launch()
      assert.equal(50, y:item(1))
    end)

    it("refuses work of another kind of device", function()
      if device == cuda.device "cpu" then return end
      local h = cuda.ones(4, { device = "cpu" })
      for _, fn in ipairs {
        function() h:fill(2) end, function() return h + 1 end,
        function() return cuda.zeros(3, { device = "cpu" }) end,
      } do
        helper.contains(helper.error_of(cuda.graph, fn), "work of cpu cannot be recorded")
        is_usable(device)
      end
    end)

    it("checks its arguments", function()
      helper.contains(helper.misuse(function() cuda.graph() end), "expected a function")
      helper.contains(helper.misuse(function() cuda.graph(5) end), "got integer")
      local g <close> = cuda.graph(function() end)
      helper.misuse(function() g:launch(5) end)
      helper.misuse(function() g.launch() end)
      assert.matches("^luacuda.Graph %S+ on " .. tostring(device.label or ""), tostring(g))
      assert.equal(device, g.device)
      assert.equal("graph", cuda.type(g))
    end)

    it("leaves nothing behind", function()
      local before = core._live().graph
      for _ = 1, 20 do
        local x = cuda.ones(100)
        cuda.graph(function() x:fill(3) end):launch()
        pcall(cuda.graph, function() x:fill(3) error "x" end)
      end
      collectgarbage()
      collectgarbage()
      device:synchronize()
      assert.equal(before, core._live().graph)
    end)
  end)
end)

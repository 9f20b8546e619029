-- What the caller's code may do during a call: metamethods of passed tables, and finalizers, close
-- and free objects that the call uses. The call then fails or succeeds, but never touches freed
-- memory.
local helper = require "spec.helper"

local PRELUDE = [==[
  local cuda, core = require "luacuda", require "luacuda.core"
  cuda.use(...)
  local Pair = cuda.struct("Pair", { { "x", "float32" }, { "y", "float32" } })
  local source = [[
    struct Box { float *p; int n; };
    struct Other { float *p; int n; };
    struct Tag { int n; };
    __global__ void two(const float *x, float *y, int n) {
      if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x];
    }
    __global__ void box(Box b, const float *x, float *y) { y[0] = b.p[0] + x[0]; }
    __global__ void boxes(Box b, Other c, float *y) { y[0] = b.p[0] + c.p[0]; }
  ]]

  -- A list read through metamethods; the first one calls fn.
  local function proxy(list, fn)
    local function once() if fn then fn, done = nil, fn() end end
    return setmetatable({}, {
      __len = function() once() return #list end,
      __index = function(_, k) once() return list[k] end,
    })
  end

  -- Options; reading one that is not set calls fn first (with `name`: only reading that one).
  local function asking(options, fn, name)
    return setmetatable(options, {
      __index = function(_, k) if name == nil or k == name then fn() end end,
    })
  end

  local function closed(ok, why) assert(ok or tostring(why):find "closed", why) end
  local function must_fail(...)
    local ok, why = pcall(...)
    assert(not ok and tostring(why):find "closed", tostring(why))
  end

  local function end_it(object) if core.type(object) then object:close() end end
]==]

local function run(code, device) helper.goes_well(PRELUDE .. code, device) end

helper.for_each_device(function(device)
  describe("during a call", function()
    it("metamethods of options may free the array", function()
      run([[
        for _, call in ipairs {
          function(a, options) return a:set(("x"):rep(40), options) end,
          function(a, options) return a:fill(1, options) end,
          function(a, options) return a:set({ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, options) end,
          function(a, options) return a:copy(options) end,
          function(a, options) return a:contiguous(options) end,
          function(a, options) return a:to(a.device, options) end,
          function(a, options) return a:astype("int32", options) end,
          function(a, options) return cuda.memset(a, 1, options) end,
          function(a, options)
            options.columns, options.height = 2, 2
            return cuda.memset2d(a, 1, options)
          end,
        } do
          local a = cuda.ones(10)
          must_fail(call, a, asking({}, function() a:free() end))
        end
        local a, out = cuda.ones(10), cuda.ones(10)
        must_fail(a.copy, a, setmetatable({}, {
          __index = function(_, k) a:free() return k == "out" and out or nil end,
        }))
        local host = cuda.host(10)
        must_fail(cuda.register, host, asking({}, function() host:free() end))
      ]], device)
    end)

    it("metamethods of options may close the CUDA array", function()
      run([[
        for _, call in ipairs {
          function(a, options) return a:set(1, options) end,
          function(a, options) return a:set({ { 1, 2 }, { 3, 4 } }, options) end,
          function(a, options) return a:array(options) end,
          function(a, options) return cuda.copy(a, cuda.zeros { 2, 2 }, options) end,
          function(a, options) return cuda.copy(cuda.zeros { 2, 2 }, a, options) end,
          function(a, options) return cuda.texture(a, options) end,
          function(a, options)
            options.dst, options.src = a, cuda.zeros { 2, 2 }
            return cuda.copy3d(options)
          end,
        } do
          local a = cuda.cuda_array { 2, 2 }
          must_fail(call, a, asking({}, function() a:free() end))
        end
        local x = cuda.zeros { 2, 2 }
        must_fail(cuda.copy, cuda.cuda_array { 2, 2 }, x, asking({}, function() x:free() end))
        x = cuda.zeros { 2, 2 }
        must_fail(cuda.cuda_array, x, asking({}, function() x:free() end))
        x = cuda.zeros(256)
        must_fail(cuda.texture, x, asking({}, function() x:free() end))
      ]], device)
    end)

    it("metamethods of options may close the stream", function()
      run([[
        for name, call in pairs {
          endpoint = function(options) return cuda.linspace(0, 1, 5, options) end,
          columns = function(options) return cuda.eye(5, options) end,
        } do
          local s = cuda.stream()
          must_fail(call, asking({ stream = s }, function() s:close() end, name))
          s = cuda.stream()
          s:use()
          call(asking({}, function() s:close() end, name))
          cuda.synchronize()
        end
      ]], device)
    end)

    it("metamethods of data may close the stream", function()
      run([[
        local list = { 1, 2, 3 }
        for _, call in ipairs {
          function(data, options) return cuda.array(data, "float32", options) end,
          function(data, options)
            return cuda.array(data, "float32",
              { out = cuda.zeros(3), stream = options and options.stream })
          end,
          function(data, options) return cuda.zeros(3):set(data, options) end,
          function(data, options) return cuda.zeros(6):slice({ 1, 6, 2 }):set(data, options) end,
        } do
          local s = cuda.stream()
          closed(pcall(call, proxy(list, function() s:close() end), { stream = s }))
          s = cuda.stream()
          s:use()
          closed(pcall(call, proxy(list, function() s:close() end)))
          cuda.synchronize()
        end
      ]], device)
    end)

    it("metamethods of data for a launch may close its stream", function()
      run([[
        local k = cuda.kernel(source, "two")
        local x, y = cuda.ones(3), cuda.zeros(3)
        for _, prepared in ipairs { false, true } do
          local s = cuda.stream()
          local f = prepared and k:prepare { threads = 3, stream = s }
          local data = cuda.input {
            proxy({ 1, 2, 3 }, function() s:close() if f then f:free() end end),
          }
          if f then
            closed(pcall(f, data, y, 3))
          else
            closed(pcall(k, { threads = 3, stream = s }, data, y, 3))
          end
          s = cuda.stream()
          s:use()
          closed(pcall(k, { threads = 3 },
            cuda.input { proxy({ 1, 2, 3 }, function() s:close() end) }, y, 3))
          closed(pcall(k, { threads = 3 }, cuda.input { 1, 2, 3 },
            cuda.inout { proxy({ 1, 2, 3 }, function() s:close() end) }, 3))
          cuda.synchronize()
        end
        collectgarbage()
        assert(core._live().stream == 0)
      ]], device)
    end)

    it("metamethods of data for a launch may free its other arguments", function()
      run([[
        local k, b = cuda.kernel(source, "two"), cuda.kernel(source, "box")
        local y = cuda.ones(3)
        must_fail(k, { threads = 3 },
          cuda.input { proxy({ 1, 2, 3 }, function() y:free() end) }, y, 3)
        local x = cuda.ones(3)
        y = cuda.ones(3)
        must_fail(k, { threads = 3 }, cuda.input(x),
          cuda.inout { proxy({ 1, 2, 3 }, function() x:free() end) }, 3)
        x = cuda.ones(3)
        must_fail(b, { threads = 1 }, { p = x, n = 3 },
          cuda.input { proxy({ 1, 2, 3 }, function() x:free() end) }, y)
      ]], device)
    end)

    it("metamethods of data for a launch may launch and free its kernel", function()
      run([[
        local k = cuda.kernel(source, "two")
        local x, y = cuda.ones(3), cuda.ones(3)
        k({ threads = 3 }, cuda.input { proxy({ 4, 5, 6 }, function()
          k({ threads = 3 }, cuda.input { 1, 2, 3 }, y, 3)
          k:free()
        end) }, y, 3)
        assert(y:item(3) == 6)
        must_fail(k, { threads = 3 }, x, y, 3)
      ]], device)
    end)

    it("reading the layout of a class may free arrays in other structs", function()
      run([[
        local k = cuda.kernel(source, "boxes")
        local x, y = cuda.ones(3), cuda.ones(3)
        local reflection = require "luacuda.compile.reflect"
        local struct = require "luacuda.kernel.struct"
        local reflect = reflection.struct
        reflection.struct = function(spec, class)
          if class == "Other" then x:free() end
          return reflect(spec, class)
        end
        must_fail(k, { threads = 1 }, { p = x, n = 3 }, { p = y, n = 3 }, y)
      ]], device)
    end)

    it("the stream of a prepared launch may be closed", function()
      run([[
        local k, s = cuda.kernel(source, "two"), cuda.stream()
        local done = false
        debug.sethook(function()
          if not done and debug.getinfo(2, "S").source:find "luacuda/kernel/loading.lua$" then
            done = true
            s:close()
          end
        end, "c")
        must_fail(k.prepare, k, { threads = 3, stream = s })
      ]], device)
    end)

    it("a prepared launch, its stream and its kept arguments may be closed", function()
      run([[
        local k = cuda.kernel(source, "two")
        for _, victim in ipairs { "prepared", "stream", "array", "kernel" } do
          local s, x, y = cuda.stream(), cuda.ones(3), cuda.ones(3)
          local own = cuda.kernel(source, "two")
          local f = own:prepare { threads = 3, stream = s }:keep(x, y, 3)
          local all = { prepared = f, stream = s, array = x, kernel = own }
          local done = false
          local list = setmetatable({}, { __len = function() return 1 end, __index = function()
            if not done then done = true all[victim]:close() end
            return 2
          end })
          pcall(f.with, f, { grid = list, block = 3 })
          pcall(f)
          pcall(f.set, f, 1, y)
          pcall(f.time_ms, f)
        end
        cuda.synchronize()
        assert(k)
      ]], device)
    end)

    it("a linker may be closed by options, by a callback and by what it links", function()
      run([[
        local one, other = "__global__ void k(int *p) { *p = 1; }", "__device__ int v;"
        local l = cuda.linker()
        closed(pcall(l.add, l, one, asking({}, function() l:close() end)))
        must_fail(l.complete, l)

        l = cuda.linker { on_message = function() l:close() end }
        assert(#l:add(one):add(other):complete() > 0)
        must_fail(l.complete, l)
        must_fail(l.module, l)

        l = cuda.linker { on_message = function() l:add(one) end }
        l:add(other):complete()
        assert(#l:complete() > 0)        -- with what was added meanwhile
        local ok, why = pcall(l.complete, l)
        assert(not ok and tostring(why):find "defined", tostring(why))
      ]], device)
    end)

    it("a module may be closed and used by its own callbacks", function()
      run([[
        local calls = 0
        local m
        m = cuda.module { source = source, on_load = function(module)
          calls = calls + 1
          module:close()
        end }
        closed(pcall(m.compile, m))
        must_fail(m.kernel, m, "two")
        m = cuda.module { source = source, jit = { optimization = 2 },
          on_message = function() m:close() end }
        closed(pcall(m.compile, m))
        m = cuda.module { source = source, on_load = function(module)
          calls = calls + 1
          local x, y = cuda.ones(3), cuda.zeros(3)
          module.kernels.two({ threads = 3 }, x, y, 3)
          assert(y:item(3) == 1)
        end }
        m:compile()
        assert(calls == 2)
        m = cuda.module { source = source, on_load = function() error "no" end }
        for _ = 1, 2 do
          local ok, why = pcall(m.compile, m)
          assert(not ok and tostring(why):find "no$")
        end
        m:close()
        collectgarbage()
      ]], device)
    end)

    it("a growing array may be closed while it grows", function()
      run([[
        for _ = 1, 20 do
          local a = cuda.empty(10, { reserve = 100000 }):fill(1)
          local view = a:slice { 1, 2 }
          setmetatable({}, { __gc = function() a:free() end })
          pcall(a.resize, a, 50000)
          pcall(a.resize, a, 3) -- collects garbage, because a view exists
          assert(view:sum() == 2)
        end
        cuda.synchronize()
      ]], device)
    end)

    it("a finalizer cannot reset the device", function()
      run([[
        local done, why
        setmetatable({},
          { __gc = function() done, why = pcall(function() cuda.device():reset() end) end })
        collectgarbage()
        assert(done == false and cuda.is_error(why, "logic"), tostring(why))
        assert(tostring(why):find "cannot be reset by a finalizer")
      ]], device)
    end)

    -- The collector runs a full cycle at every chance; the n-th finalizer closes everything.
    it("finalizers may close and free everything", function()
      run([[
        local ew = cuda.elementwise("T x, T y", "T z, T w", "z = x + y; w = x - y", "ew")
        local total = cuda.reduction("T x", "T y", "x", "a + b", "y = a", 0, "total")
        local module = cuda.module(source)
        local makers = {              -- by the letter that selects it in a case
          s = function() return cuda.stream() end,
          x = function() return cuda.ones(10) end,
          y = function() return cuda.ones(10) end,
          m = function() return cuda.ones { 2, 5 } end,
          p = function() return cuda.zeros(3, Pair) end,
          h = function() return cuda.host(10) end,
          f = function() return cuda.ones(1, "int32") end,
          g = function() return (cuda.graph(function() end)) end,
          k = function() return cuda.kernel(source, "two"):compile() end,
          b = function() return module:kernel "box":compile() end,
        }
        local function with(c, fn)
          c.s:use()
          return fn()
        end
        local calls = {
          { "sx", function(c) return cuda.zeros(10, { stream = c.s }), cuda.full_like(c.x, 2) end },
          { "sx", function(c)
            return cuda.array({ { 1, 2 }, { 3, 4 } }, { stream = c.s }),
              cuda.array(c.x, "int32", { stream = c.s })
          end },
          { "s", function(c) return with(c, function() return cuda.zeros(10) end) end },
          { "s", function(c)
            return cuda.with_stream(c.s, function() return cuda.device().stream end)
          end },
          { "sm", function(c)
            return c.m:transpose():copy { stream = c.s }, c.m:astype("int32", { stream = c.s })
          end },
          { "sxy", function(c)
            return c.x:set(c.y, { stream = c.s }), cuda.copy(c.x, c.y, { stream = c.s })
          end },
          { "m", function(c)
            return c.m[1], c.m:slice { 1, 2 }, c.m:reshape { 10 }, c.m:view "int32",
              c.m:broadcast_to { 3, 2, 5 }
          end },
          { "my", function(c)
            return c.m:totable(), c.m:transpose():tobytes(), c.m:equals(c.m), tostring(c.m)
          end },
          { "p", function(c) return c.p[2], c.p:totable() end },
          { "g", function(c) return c.g:launch(), c.g.nodes, c.g:dot(), c.g:clone() end },
          { "gfsx", function(c)
            c.g:update(function()
              c.s:when(c.f, function() c.x:fill(2) end, function() end)
            end)
          end },
          { "fsx", function(c)
            local made <close> = cuda.graph(function(s)
              s:loop(c.f, function()
                c.f:set { 0 }
                c.s:switch(c.f, { function() c.x:fill(1) end })
              end)
            end)
            made:launch()
          end },
          {
            "sx",
            function(c) cuda.memset(c.x, 1, { stream = c.s }) cuda.alloc(100, { stream = c.s }) end,
          },
          { "h", function(c) return cuda.register(c.h) end },
          { "sxy", function(c) return ew(c.x, c.y, { stream = c.s }) end },
          { "sxy", function(c) return with(c, function() return ew(c.x, c.y) end) end },
          { "sm", function(c)
            return total(c.m, { stream = c.s }), total(c.m, { axis = 1, stream = c.s })
          end },
          { "sk", function(c)
            c.k({ threads = 3, stream = c.s }, cuda.input { 1, 2, 3 }, cuda.output { 1, 2, 3 }, 3)
          end },
          { "skxy",
            function(c) return c.k:prepare { threads = 3, stream = c.s } (c.x, c.y, 3) end },
          { "bxy",
            function(c) c.b({ threads = 1 }, { p = c.x, n = 3 }, cuda.input { 1, 2, 3 }, c.y) end },
          { "bxy",
            function(c) c.b({ threads = 1 }, setmetatable({ p = c.x, n = 3 }, {}), c.x, c.y) end },
          { "k", function(c) return c.k:attributes(), c.k.signature, c.k:occupancy(32) end },
          { "kxy", function(c) return c.k:benchmark({ threads = 3, runs = 2 }, c.x, c.y, 3) end },
        }
        local armed
        local function end_all(c)
          for _, object in pairs(c) do end_it(object) end
        end
        local function try(names, call, n)
          local c, meta = {}, {}
          for name, make in pairs(makers) do
            if names:find(name) then c[name] = make() end
          end
          function meta.__gc()
            if not armed then return end
            n = n - 1
            if n == 0 then end_all(c) else setmetatable({}, meta) end
          end
          collectgarbage "generational" -- and back: the next cycle begins immediately
          collectgarbage "incremental"
          local ok, why = require("spec.support.collector").eagerly(function()
            collectgarbage()
            armed = true
            setmetatable({}, meta)
            return call(c)
          end)
          armed = false
          closed(ok, why)
          cuda.device().null_stream:use()
          return n <= 0
        end
        for _, case in ipairs(calls) do
          try(case[1], case[2], 1000000)         -- kernels are compiled
          local n = 1
          while try(case[1], case[2], n) do n = n + 1 end

          collectgarbage()
          collectgarbage()
          local live = core._live()
          assert(live.stream == 0 and live.block == 0 and live.graph == 0,
            live.stream .. " streams, " .. live.block .. " blocks, " .. live.graph .. " graphs")
        end
      ]], device)
    end)

    it("functions whose work is recorded may close what it uses", function()
      run([[
        local flag, x, t = cuda.ones(1, "int32"), cuda.ones(4), cuda.stream()
        local kept
        local g = cuda.graph(function(s)
          kept = s
          t:when(flag, function(inner)
            assert(inner == t)
            flag:free()
            t:close()
            x:fill(3)
            setmetatable({}, { __gc = function()
              local ok, why = pcall(s.when, s, x, print)
              assert(not ok and tostring(why):find "belongs to the work of a graph", why)
            end })
            collectgarbage()
            must_fail(t.when, t, flag, print)
            must_fail(s.loop, s, flag, print)
          end)
          local n = cuda.ones(1, "int32")
          s:loop(n, function()
            n:fill(0)
            n:free()
          end)
          coroutine.wrap(function()
            s:when(cuda.ones(1, "int32"), function()
              coroutine.wrap(function() x:add(1, { out = x }) end)()
            end)
          end)()
        end)
        g:launch()
        assert(x:item(4) == 4)
        assert(not pcall(kept.when, kept, x, print))
        must_fail(g.update, g, function(s)
          s:when(cuda.ones(1, "int32"), function() g:close() x:fill(9) end)
        end)
        assert(x:item(1) == 4)
        for _, name in ipairs { "when", "loop" } do
          local y = cuda.ones(1, "int32")
          pcall(cuda.graph, function(s)
            pcall(s[name], s, y, function() s[name](s, y, function() y:free() error "x" end) end)
          end)
        end
      ]], device)
    end)
  end)
end)

-- What the caller's code may do during a call, for objects other than arrays and kernels: the hooks
-- of objects of other libraries (__cuda, __dlpack) and the metamethods of options close what the
-- call uses. The call then fails or succeeds, but never touches freed memory.
local helper = require "spec.helper"

local PRELUDE = [==[
  local cuda, core = require "luacuda", require "luacuda.core"
  cuda.use(...)

  -- Options; reading one that is not set calls fn first.
  local function asking(options, fn)
    return setmetatable(options, { __index = function() fn() end })
  end

  -- An object of another library over the array; the library is asked for it, and calls fn.
  local function foreign(a, fn)
    return setmetatable({}, { __cuda = function()
      local d = { pointer = a.pointer, shape = a.shape, dtype = a.dtype, device = a.device,
        owner = a }
      fn()
      return d
    end })
  end

  local function closed(what, ok, why)
    assert(ok or tostring(why):find "close" or tostring(why):find "consumed",
      what .. ": " .. tostring(why))
  end
  local function end_it(object) if core.type(object) then object:close() end end
  local function ends(...)
    local list = { ... }
    return function() for _, object in ipairs(list) do end_it(object) end end
  end
]==]

local function run(code, device) helper.goes_well(PRELUDE .. code, device) end

helper.for_each_device(function(device)
  describe("during a call", function()
    it("an object of another library may close the arrays and the stream", function()
      run([[
        local square = cuda.elementwise("T x, T y", "T z", "z = x * y", "product")
        local total = cuda.reduction("T x, T y", "T z", "x * y", "a + b", "z = a", "0", "total")
        local running = cuda.scan("T x", "T y", "x", "a + b", 0, "running")
        local fused = cuda.fuse(function(x, y) return x * y + 1 end)
        local calls = {
          function(a, f, s) return square(a, f, { stream = s }) end,
          function(a, f, s) return square(a, a, { out = f, stream = s }) end,
          function(a, f, s) return total(a, f, { stream = s }) end,
          function(a, f, s) return total(a, a, { axis = {}, out = f, stream = s }) end,
          function(a, f, s) return running(f, { stream = s, segments = a:gt(0) }) end,
          function(a, f, s) return running(a, { out = f, stream = s }) end,
          function(a, f, s) return fused(a, f, { stream = s }) end,
          function(a, f, s) return fused(a, a, { out = f, stream = s }) end,
          function(a, f) return cuda.sum(f) end,
          function(a, f, s) return cuda.concatenate({ a, f, a }, { stream = s }) end,
          function(a, f, s) return cuda.zeros(100, { out = f, stream = s }) end,
          function(a, f, s) return a:copy { out = f, stream = s } end,
          function(a, f, s) return a:astype("float32", { out = f, stream = s }) end,
          function(a, f) return a:equals(f), a:same_shape(f) end,
          function(a, f, s) return cuda.sort(a, { out = f, stream = s }) end,
          function(a, f, s) return cuda.dot(a, f, { stream = s }) end,
          function(a, f) return cuda.memset(f, 0), cuda.full_like(f, 1) end,
          function(a, f) return cuda.raw(f), cuda.input(f), cuda.pointer_info(f) end,
        }
        for i, call in ipairs(calls) do
          for _ = 1, 2 do -- the second time the kernels are there
            local a, b, s = cuda.ones(100), cuda.ones(100), cuda.stream()
            closed(i, pcall(call, a, foreign(b, ends(a, s)), s))
            end_it(s)
          end
        end
      ]], device)
    end)

    it("options may close arrays and handles of several processes", function()
      run([[
        local a = cuda.ones(100, { ipc = true })
        local handle = a:ipc_handle()
        closed("open_ipc", pcall(cuda.open_ipc, handle, asking({}, ends(a))))
        local s, b = cuda.stream(), cuda.ones(5)
        closed("ipc", pcall(cuda.array, b, asking({ ipc = true, stream = s }, ends(s, b))))
        closed("ipc", pcall(cuda.full, 5, 2, asking({ ipc = true, stream = s }, ends(s))))
        local e = cuda.event { interprocess = true }
        local text = e:ipc_handle()
        local ok, why = pcall(cuda.open_ipc, text, asking({}, ends(e)))
        assert(not ok and tostring(why):find "this process made the event", why)
        closed("event", pcall(e.ipc_handle, e))
      ]], device)
    end)

    it("hooks and options may close a tensor and its array", function()
      run([[
        local a = cuda.ones(100)
        closed("dlpack", pcall(a.dlpack, a, asking({}, ends(a))))
        local c = cuda.ones(100):dlpack()
        closed("from_dlpack", pcall(cuda.from_dlpack, c, asking({}, ends(c))))
        local d = cuda.ones(100):dlpack()
        closed("__dlpack", pcall(cuda.from_dlpack, setmetatable({}, { __dlpack = function()
          d:close()
          return d
        end })))
      ]], device)
    end)

    it("options may close CUDA arrays, textures, surfaces and partitions", function()
      run([[
        local function array() return cuda.cuda_array({ 8, 8 }, "float32", { surface = true }) end
        local c = array()
        closed("texture", pcall(cuda.texture, c, asking({ filter = "point" }, ends(c))))
        c = array()
        closed("array", pcall(c.array, c, asking({}, ends(c))))
        local whole = cuda.ones { 8, 8 }
        closed("linear texture", pcall(cuda.texture, whole, asking({}, ends(whole))))
        local dev = cuda.device()
        local ok, parts = pcall(dev.partition, dev, { 1 })
        if ok then
          local p = parts[1] or parts
          closed("partition", pcall(cuda.stream, asking({ partition = p }, ends(p))))
        end
      ]], device)
    end)

    it("options may close a linker and an event", function()
      run([[
        local l = cuda.linker()
        closed("add", pcall(l.add, l, "__global__ void k(int *x) { *x = 1; }", asking({}, ends(l))))
        l = cuda.linker(asking({}, function() collectgarbage() end))
        l:add "__global__ void k(int *x) { *x = 1; }"
        assert(#l:complete() > 100)
        l:close()
        local e, s = cuda.event(), cuda.stream()
        closed("event", pcall(cuda.event, asking({}, ends(e))))
        closed("record", pcall(e.record, e, s))
        local g = cuda.graph(function(stream) cuda.zeros(4):fill(1, { stream = stream }) end)
        closed("graph", pcall(g.update, g, function(stream)
          g:close()
          cuda.zeros(4):fill(2, { stream = stream })
        end))
        closed("launch", pcall(g.launch, g, s))
        s:close()
      ]], device)
    end)
  end)
end)

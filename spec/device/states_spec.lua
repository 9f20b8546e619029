-- Several Lua states, several threads, Lua out of memory, lua_close in any order.
local helper = require "spec.helper"

local run = helper.run_host

local WORK = [[
  local cuda = require "luacuda"
  cuda.use(arg[1])
  local id = arg.thread
  local a, s = cuda.full(1000, id, "int32"), cuda.stream()
  for i = 1, 20 do
    local b = cuda.with_stream(s, function() return a:copy() end)
    assert(b:item(1000) == id)
    local c = cuda.with_stream(s, function() return cuda.cuda_array(1000, "int32"):set(b) end)
    assert(c:array():item(1000) == id)
    if i % 3 == 0 then b:free() end
  end
  local e = cuda.event():record(s)
  assert(e:synchronize():is_done())
  local l = cuda.linker():add("__global__ void k(int *p) { *p = 1; }")
  if id == 1 then assert(#l:complete() > 0) end
  local g = cuda.graph(function() a:add(id, { out = a }) end)
  for _ = 1, 5 do g:launch(s) end
  assert(a:item(1000) == 6 * id)
]]

-- Everything together, in random order, including faults if the device survives them.
local MIXED = [==[
  local cuda = require "luacuda"
  cuda.use(arg[1])
  local id, salt = arg.thread, (arg.thread * 7919 + os.time()) % 1000
  math.randomseed(id, os.time() * 1000 + salt)
  local function pick(n) return math.random(n) end

  -- Few different texts, so that threads meet in the disk cache. One kernel in three writes past
  -- the end of its array.
  local source = [[
    extern "C" __global__ void scale(int *v, int n, int by) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) v[i] = v[i] * by + KIND;
    }
    extern "C" __global__ void astray(int *v, int n) { v[n + threadIdx.x] = 1; }
  ]]
  local kind = pick(4)
  local m = cuda.module(source, { defines = { KIND = kind } })
  local scale, astray = m:kernel "scale", m:kernel "astray"
  local streams = { cuda.stream(), cuda.stream { blocking = false }, cuda.device().null_stream }

  local N = 500
  local kept = {}
  for round = 1, tonumber(arg[2]) do
    local s = streams[pick(3)]
    local what = pick(6)
    if what <= 3 then
      local a = cuda.full(N, id, "int32")
      scale({ threads = N, stream = s }, a, N, id + 1)
      if what == 2 then a = a:copy() end
      if what == 3 then kept[pick(5)] = a end -- dropped later, or at the end with work in flight
      if pick(2) == 1 then assert(a:item(pick(N)) == id * (id + 1) + kind) end
    elseif what == 4 then
      local own = cuda.stream { blocking = false }
      local a = cuda.zeros(N, "int32")
      astray({ threads = 1, stream = own }, a, N)
      local ok, err = pcall(own.synchronize, own)
      assert(not ok and tostring(err):find("astray"), tostring(err))
      if pick(2) == 1 then own:close() end
    elseif what == 5 then
      local host = cuda.pinned(N, "int32")
      host:fill(id)
      local a = cuda.zeros(N, "int32")
      cuda.with_stream(s, function() cuda.copy(a, host) end)
      local e = cuda.event():record(s)
      host = nil
      if pick(2) == 1 then e:synchronize() assert(a:item(1) == id) end
      kept[pick(5)] = e
    else
      streams[pick(2)] = cuda.stream()
      collectgarbage(pick(2) == 1 and "step" or "collect")
    end
  end
]==]

for _, device in ipairs(helper.device_names()) do
  describe("states on " .. device, function()
    teardown(helper.forget_host)

    it("coexist in threads, and close with work in flight", function()
      run("threads 4 10",
        WORK .. "cuda.with_stream(s, function() for i = 1, 10 do a:fill(i) end end)", device)
    end)

    it("record graphs while others unload modules and synchronize", function()
      run("threads 4 3", [==[
        local cuda = require "luacuda"
        cuda.use(arg[1])
        local a = cuda.zeros(10, "int32")
        for i = 1, 50 do
          if arg.thread % 2 == 0 then
            cuda.graph(function() a:add(1, { out = a }) end):launch()
          else
            cuda.module('extern "C" __global__ void f() {}'):close()
            local function profile() cuda.profile(function() a:fill(i) end) end
            for _, call in ipairs { cuda.synchronize, profile } do
              local ok, err = pcall(call)
              assert(ok or tostring(err):find("being recorded in a graph", 1, true), err)
            end
          end
        end
        if arg.thread % 2 == 0 then assert(a:item(1) == 50) end
      ]==], device)
    end)

    if device == "cpu" then
      it("compile, launch, copy, drop and close in parallel; each sees its own faults", function()
        run("threads 4 12", MIXED, device .. " 40")
      end)
    end

    it("open and close the devices repeatedly", function()
      run("threads 1 30", WORK, device)
    end)

    it("close in any order handles of finalizers, globals, the registry and coroutines", function()
      run("threads 2 10", WORK .. [[
        held = setmetatable({}, {
          __gc = function() pcall(a.item, a, 1); pcall(s.synchronize, s); pcall(cuda.zeros, 3) end,
        })
        debug.getregistry().kept = { a, s, e }
        co = coroutine.wrap(function() local b <close> = cuda.zeros(5); coroutine.yield(b) end)
        co()
      ]], device)
    end)

    it("with finalizers older than the library get clear errors, not freed memory", function()
      run("threads 1 3", [[
        local cuda, a
        late = setmetatable({}, { __gc = function()
          for _, f in ipairs {
            function() return cuda.zeros(3) end, function() return a:item(1) end, cuda.devices,
            function() return cuda.stream() end, cuda.synchronize,
          } do
            local ok, err = pcall(f)
            if ok then print("a late call went through") os.exit(3) end
            if not tostring(err):find("clos") then print(err) os.exit(4) end
          end
          a:free()
          assert(type(tostring(a)) == "string")
        end })
        cuda = require "luacuda"
        cuda.use(arg[1])
        a = cuda.zeros(10)
      ]], device)
    end)

    it("release objects that finalizers create while they close", function()
      local out = run("ended", [[
        local cuda = require "luacuda"
        cuda.use(arg[1])
        kept = setmetatable({}, { __gc = function()
          a, s, e = cuda.ones(10), cuda.stream(), cuda.event()
          k = cuda.kernel("__global__ void f(int *p) {}", "f"):compile()
          s:use()
          b = cuda.with_stream(cuda.stream(), function() return a:copy() end)
          g = cuda.graph(function() b:fill(1) end):launch()
        end })
      ]], device)
      assert.is_nil(out:match "%d+ %l+ left", out)
    end)

    it("survive every failed allocation of Lua", function()
      -- opening a GPU takes a tenth of a second
      local out = run(device == "cpu" and "memory 100000" or "memory 40", [[
        local cuda = require "luacuda"
        cuda.use(arg[1])
        local a = cuda.array({ 1, 2, 3 }, "int32")
        local s = cuda.stream { priority = 0 }
        local b = cuda.with_stream(s, function() return a:copy() end)
        local e = cuda.event():record(s):synchronize()
        assert(b:item(3) == 3 and e:is_done())
        assert(#b:totable() == 3 and tostring(b))
        pcall(cuda.stream, { wrong = 1 })
        local g = cuda.graph(function(stream)
          a:fill(2)
          e:record(stream)
          return a:copy { stream = s }
        end)
        g:launch():launch(s):close()
        assert(a:item(1) == 2)
        b:free()
        s:close()
      ]], device)
      assert.matches("ran through at allocation %d+", out)
    end)

    it("without io, os and debug have all else, and clear errors for the rest", function()
      local ok, out = helper.lua([[
        local cuda = require "luacuda"
        io, os, debug = nil, nil, nil
        local function refuses(text, f, ...)
          local ok, message = pcall(f, ...)
          assert(not ok and tostring(message):find(text, 1, true), tostring(message))
        end
        local x = cuda.random.uniform(4)
        assert((x + x):max() > 0 and #cuda.sort(x) == 4)
        cuda.kernel(cuda.template "__global__ void set(float *x) { *x = $(v); }"{ v = 2 })(
          { grid = 1, block = 1 }, x)
        assert(x[1] == 2)
        refuses("<source>:1: error: ", function()
          cuda.kernel "__global__ void f() { x; }":compile()
        end)
        refuses("fuse: needs Lua's debug library", function()
          cuda.fuse(function(a) return a end)
        end)
        refuses("files of arrays need Lua's io library", function() cuda.load_npy "x.npy" end)
      ]], { env = { LUACUDA_DEVICE = device:gsub("^gpu", "") } })
      assert.is_true(ok, out)
    end)

    it("share one record if the library is loaded under two names", function()
      local ok, out = helper.lua([[
        local core = require "luacuda.core"
        package.loaded["luacuda.core"] = nil
        assert(require "luacuda.core" == core)
        print "ok"
      ]], { env = { LUACUDA_DEVICE = device:gsub("^gpu", "") } })
      assert.is_true(ok, out)
    end)
  end)
end

-- Makes the n-th driver call or host allocation fail, for every n that a scenario reaches. Nothing
-- must leak, and the same scenario must work right afterwards. A failing driver call is reported
-- once: by the library call that made it or, if a finalizer made it, by the next library call that
-- can fail. Each exception is listed with its reason.
local helper = require "spec.helper"

-- The scenarios run in processes of their own, which the stressed collector does not reach.
if os.getenv "LUACUDA_TEST_GC" == "1" then return end

-- Driver calls whose failure need not be reported, by the code they fail with ("any": every code).
local IGNORED = {
  any = {
    cuCtxGetCurrent = "where it is not known which context is current, ours is made current",
  },
  OUT_OF_MEMORY = {
    cuMemAlloc = "garbage is collected, the pool trimmed, and it is tried once more",
    cuMemAllocFromPoolAsync = "the same",
    cuArray3DCreate = "the same",
    cuMipmappedArrayCreate = "the same",
    cuMemCreate = "the same",
  },
}

local SCENARIOS = {
  arrays = [[
    local a = cuda.array({ 1, 2, 3 }, "float32")
    local b = a:copy()
    b:fill(4)
    cuda.copy(a, b)
    assert(a:item(3) == 4)
    a:free()
    b:free()
  ]],
  streams = [[
    local a = cuda.zeros(1000, "int32")
    local s <close> = cuda.stream()
    local t <close> = cuda.stream { priority = -1 }
    local e = cuda.event():record(s)
    cuda.with_stream(s, function() a:fill(3) end)
    cuda.with_stream(t, function() a:fill(5) end)
    local f = cuda.event():record(t)
    t:wait(e)
    s:wait(t)
    assert(f:elapsed_ms(e) >= 0)
    assert(a:item(1000) == 5)
  ]],
  memory = [[
    local h = cuda.pinned(100, "int32")
    h:fill(2)
    local a, m = cuda.empty(100, "int32"), cuda.managed(10, "float32")
    cuda.copy(a, h)
    do
      local s <close> = cuda.stream { device = cuda.pointer_info(m).device }
      m:advise "read_mostly":prefetch { stream = s }:attach(s):attach "global"
      assert(h.flags.mapped)
    end
    m:fill(1)
    assert(a:item(100) == 2 and m:item(10) == 1)
    cuda.pool():trim()
    cuda.mem_info()
  ]],
  profiles = [[
    local a, s <close> = cuda.zeros(100), cuda.stream()
    local p = cuda.profile(function()
      local r <close> = cuda.range "r"
      a:fill(3)
      local b = a:copy()
      cuda.with_stream(s, function() b:fill(1) end)
      assert(b:item(100) == 1)
      cuda.synchronize()
    end)
    assert(#p.entries >= 4 or p.dropped > 0)
    cuda.profiler.start()
    cuda.profiler.stop()
    cuda.benchmark(function() a:fill(1) end, { runs = 1, warmup = 0 })
  ]],
  growing = [[
    local a = cuda.empty({ 3, 4 }, "int32", { reserve = 100000 })
    a:fill(2)
    a:resize(50000)
    a:slice { 4, -1 }:fill(3)
    assert(a:item(3, 4) == 2 and a:item(50000, 1) == 3)
    a:resize(2)
    assert(a:item(2, 1) == 2)
    a:free()
  ]],
  ipc = [[
    local theirs = cuda.open_ipc((handle:gsub("%x%x", function(c)
      return string.char(tonumber(c, 16))
    end)))
    assert(theirs:item(9) == 8)
    local a = cuda.full(10, 3, "int32", { ipc = true })
    local b = cuda.open_ipc(a:slice({ 2, 3 }):ipc_handle())
    assert(b:item(2) == 3 and #theirs:ipc_handle() > 100)
    cuda.copy(a:slice { 1, 9 }, theirs)
    a:close()
    assert(b:item(1) == 1)
    b:close()
    theirs:close()
  ]],
  linkers = [[
    CODE = CODE or { cuda.compile("__device__ int f(); __global__ void k(int *x) { *x = f(); }",
      { rdc = true }), (cuda.compile("__device__ int f() { return 7; }", { rdc = true })) }
    local l <close> = cuda.linker()
    l:add(CODE[1], { kind = "ptx" }):add(CODE[#CODE], { kind = "ptx" })
    local m <close> = l:module()
    local x = cuda.zeros(1, "int32")
    m:kernel "k" ({ grid = 1, block = 1 }, x)
    assert(x:item(1) == 7)
  ]],
  tensors = [[
    local a = cuda.arange(10, "int32")
    local b = cuda.from_dlpack(a:slice({ 2, 5 }):dlpack())
    b:fill(3)
    local s <close> = cuda.stream()
    local d <close> = a:dlpack { stream = s, versioned = false }
    assert(d.name == "dltensor" and a:item(5) == 3)
    local c <close> = cuda.from_dlpack(d, { stream = s })
    assert(c:item(1) == 0)
  ]],
  reductions = [[
    local r = cuda.reduction("float32 x", "float32 y", "x", "a + b", "y = a", 0, "total")
    local a = cuda.ones(40000)
    assert(r(a):item() == 40000)
    assert(a:sum { axis = 1, out = a:slice { 1, 1 }:reshape {} }:item() == 40000)
  ]],
  elementwise = [[
    local f = cuda.elementwise("T x, raw T y, T s", "T z", "z = x + y[i] * s", "weighed")
    local a, b = cuda.ones { 40, 40 }, cuda.ones(1600)
    assert(f(a:transpose(), b, 2):item(40, 40) == 3)
    f(a:slice { 1, 39 }, b, 1, a:slice { 2, 40 })
    assert(a:item(40, 1) == 2)
  ]],
  fused = [[
    local f = cuda.fuse(function(x, k) return x * k, (x + k):sum { axis = 1 }, x:max() end)
    local a = cuda.ones { 30, 50 }
    local b, sums, most = f(a, 3, { out = { a } })
    assert(b == a and a:item(1, 1) == 3 and sums:item(50) == 120 and most == 1)
  ]],
  scans = [[
    local s = cuda.scan("T x", "T y", "x", "a + b", 0, "running")
    assert(s(cuda.ones(5000)):item(5000) == 5000)
    assert(s(cuda.ones { 30, 50 }, { axis = 1 }):item(30, 50) == 30)
  ]],
  order = [[
    local n, streams = 1 << 14, {}
    local a = cuda.zeros(n, "int32")
    for i = 1, 6 do streams[i] = cuda.stream() end
    for i = 1, 6 do cuda.with_stream(streams[i], function() a:fill(i) end) end
    local b = cuda.with_stream(streams[1], function() return cuda.full(n, 3, "int32") end)
    cuda.copy(a, b, { stream = streams[2] })
    b:free()
    local foreign <close> = cuda.stream { pointer = cuda.ptr(streams[3].pointer) }
    a:fill(8, { stream = foreign })
    foreign:synchronize():close()
    for i = 1, 6 do streams[i]:close() end
    assert(a:item(n) == 8)
  ]],
  ends = [[
    local s, t, e = cuda.stream(), cuda.stream(), cuda.event()
    local a, h = cuda.with_stream(s, function() return cuda.full(1 << 14, 3, "int32") end),
      cuda.pinned(10, "int32"):fill(1)
    e:record(s)
    a:fill(4, { stream = t })
    cuda.copy(a:slice { 1, 10 }, h, { stream = t })
    a:free()
    h:free()
    e:close()
    s:close()
    t:synchronize():close()
    local m = cuda.module { source = SOURCE }
    assert(m.kernels.twice:attributes().num_regs and m.kernels.twice.max_threads_per_block > 0)
    m:close()
  ]],
  settings = [[
    local d = cuda.device()
    d:flags(d:flags { schedule = "blocking" })
    assert(d:cache_config(d:cache_config "l1") == "l1" and d:cache_config "none" == "none")
    assert(d:limit("stack_size", d:limit "stack_size") >= 1024 and d.api_version >= 3020)
    assert(cuda.ones(4):item(4) == 1)
  ]],
  contexts = [[
    local d = cuda.device()
    local c <close> = d:context { schedule = "yield" }
    local e = d:context():push()
    local a = cuda.zeros(100, "int32")
    a:fill(3)
    local b = a:to(c)
    assert(b:item(100) == 3 and cuda.copy(b, a):item(1) == 3)
    assert(c:flags().schedule == "yield" and c:limit "stack_size" > 0)
    e:pop()
    e:close()
    assert(b:item(2) == 3 and cuda.device() == d)
  ]],
  partitions = [[
    local parts, rest = cuda.device():partition { sms = 1 }
    local s <close> = cuda.stream { partition = parts[1] }
    local a = cuda.zeros(100, "int32")
    cuda.with_stream(s, function() a:fill(3) end)
    assert(a:item(100) == 3)
    parts[1]:close()
    if rest then rest:close() end
  ]],
  reset = [[
    local d, n = cuda.device(tonumber(device:match "%%d+") or device), 1 << 17
    local a = cuda.zeros(n, "int32"):set(string.pack("<i4", 7):rep(n))
    assert(a:item(n) == 7)
    a:free()
    a = nil
    collectgarbage()
    collectgarbage()
    d:reset()
  ]],
  staging = [[
    local bytes, a = string.pack("<i4", 7):rep(1 << 17), {}
    for i = 1, 20 do a[i] = cuda.zeros(1 << 17, "int32"):set(bytes) end
    for i = 1, 20 do assert(a[i]:item(1 << 17) == 7) end
  ]],
  host = [[
    local h = cuda.register(cuda.host(1000, "int32"))
    h:fill(4)
    local a = h:to(device)
    local w = cuda.wrap(a.pointer, 1000, "int32", { owner = a, device = device })
    assert(w:item(1000) == 4 and cuda.copy(h, w):item(1) == 4)
    local k, x = cuda.kernel { source = SOURCE, name = "twice" },
      cuda.register(cuda.host(64)):fill(3)
    k({ threads = 64 }, x, 64)
    assert(x:item(64) == 6)
    local d = cuda.device(tonumber(device:match "%%d+") or device)
    d:limit("stack_size", d:limit "stack_size")
    assert(d.total_memory > 0 and d:attributes().warp_size == 32 and d.warp_size == 32
      and d:memory_info())
    local _ = d.uuid, d.pci_bus_id, d:can_access_peer(d)
    cuda.pool():stats()
    local e <close> = cuda.event { timing = false, blocking = true }
    assert(e:record(d.null_stream):synchronize():is_done())
  ]],
  shared = [[
    local a, s = cuda.full(100, 3, "int32"), cuda.stream()
    local b = cuda.from_dlpack(a:dlpack { stream = s })
    b:fill(4, { stream = s })
    assert(a:item(100) == 4)
    local owner = { a }
    local w = cuda.wrap(a.pointer, 100, "int32", { owner = owner, stream = s })
    local c = cuda.from_dlpack(w:dlpack(), { stream = s })
    assert(c:sum() == 400)
    c:free()
    local h = cuda.from_dlpack(cuda.pinned(10, "int32"):fill(2):dlpack { versioned = false })
    assert((h + cuda.wrap { __cuda = function()
      return { pointer = h.pointer, shape = 10, dtype = "int32", memory = "host" }
    end }):item(10) == 4)
    a:dlpack():close()
    local called
    s:call(function() called = true end):synchronize()
    assert(called)
    local e = cuda.event():record(s)
    assert(e:fd() == e:record(s):fd())
    e:close()
    cuda.register(cuda.host(10), { read_only = device == "cpu" }):free()
    s:close()
  ]],
  modules = [[
    local m = cuda.module {
      source = SOURCE .. "__device__ int v[4]; __global__ void set(int x) { v[threadIdx.x] = x; }",
    }
    m.kernels.set({ grid = 1, block = 4 }, 5)
    local v = m:global "v"
    assert(v:item(4) == 5)
    local k = m.kernels.twice
    k.max_dynamic_shared_size_bytes = 1024
    assert(k.num_regs > 0 and k:attributes().num_regs and k:occupancy(64))
    k.cache_config = "l1"
    assert(k:suggested_block() > 0 and k:max_cooperative_blocks(64) > 0)
    k({ threads = 4, priority = -1, programmatic = true }, cuda.ones(4), 4)
    k({ grid = 1, block = 1, cooperative = true }, cuda.ones(4), 4)
    local x, f = cuda.ones(64), nil
    f = k:prepare { threads = 64 }
    f(x, 64)
    assert(x:item(64) == 2 and k:time_ms({ threads = 64 }, x, 64) >= 0)
    do
      local s <close> = cuda.stream()
      local g <close> = f:with { stream = s }:keep(x, 64)
      g()
      assert(x:item(64) == 8 and g:set(2, 1):time_ms() >= 0)
    end
    k, f, v = nil, nil, nil
    m:close()
  ]],
  linking = [[
    parts = parts or { -- compiled once, before a call fails
      cuda.compile("extern __device__ int v; __global__ void k(int *x) { *x = v; }",
        { rdc = true, target = "ptx" }),
      (cuda.compile("__device__ int v = 3;", { rdc = true, target = "ptx" })),
    }
    local m = cuda.module { cache = false, jit = { optimization = 3 }, binaries = parts }
    local x = cuda.zeros(1, "int32")
    m.kernels.k({ grid = 1, block = 1 }, x)
    assert(x:item(1) == 3)
    m:close()
  ]],
  callbacks = [[
    local told, ready = 0, 0
    local m = cuda.module { source = SOURCE, cache = false, jit = { optimization = 3 },
      on_message = function(ok) assert(ok) told = told + 1 end,
      on_load = function(module)
        local x = cuda.ones(64)
        module.kernels.twice({ threads = 64 }, x, 64)
        assert(x:item(64) == 2)
        ready = ready + 1
      end }
    m:compile()
    assert(told == 1 and ready == 1)
    m:close()
    local l <close> = cuda.linker { cache = false }
    ptx = ptx or cuda.compile(SOURCE, { target = "ptx" })
    assert(#l:add(ptx):complete() > 0)
  ]],
  programs = [[
    local box <close>, path = core.temporary_folder()
    assert(core.file_replace(path .. "/a/b", "x"))
    assert(core.child_run({ "/bin/echo", path }).output == path .. "\n")
    assert(cuda.ones(4):item(4) == 1)
  ]],
  nvjitlink = [[
    assert(cuda.ones(4):item(4) == 1)
    local found, why = pcall(core.jitlink)
    if not found and why.name ~= "LUACUDA_ERROR_NOT_FOUND" then error(why, 0) end
    if not found then return end
    IR = IR or cuda.compile(SOURCE, { target = "ltoir", rdc = true, arch = "compute_80" })
    local input = { kind = require("luacuda.source.parts").kinds.ltoir, data = IR, name = "twice" }
    local ptx = core.lto({ input }, { "-lto", "-arch=compute_80", "-ptx" }, true)
    assert(ptx:find "twice")
    assert(not pcall(core.lto, { input }, { "-lto", "-arch=nothing" }, true))
  ]],
  textures = [[
    local a = cuda.cuda_array({ 4, 8 }, { surface = true }):set(3)
    local level = cuda.cuda_array({ 8, 8 }, { mipmaps = true }):level(2):set(2)
    cuda.copy3d { dst = a, src = level, width = 8, height = 2, dst_x = 8, dst_y = 1 }
    local k = cuda.kernel [=[__global__ void k(float *y, cudaTextureObject_t t,
                                               cudaSurfaceObject_t s) {
      surf2Dwrite(tex2D<float>(t, 2.5f, 1.5f) + 1, s, 0, 0);
      y[0] = tex2D<float>(t, 3.5f, 1.5f);
    }]=]
    local tex, surf, y = cuda.texture(a), cuda.surface(a), cuda.zeros(1)
    k({ threads = 1 }, y, tex, surf)
    assert(y:item(1) == 2 and a:array():item(1, 1) == 3)
    local rows = cuda.texture((cuda.alloc_pitch { width = 64, height = 4 }):view "float32")
    rows:close()
    a:free()
    tex:close()
    surf:close()
  ]],
  library = [[
    local a = cuda.array({ 3, 1, 2 }, "float32")
    assert(cuda.sort(a):item(1) == 1 and a[a:gt(1)].size == 2)
    assert(cuda.argsort(cuda.arange(40)):item(40) == 40)
    assert(a:reshape { 1, 3 }:matmul(a:reshape { 3, 1 }):item() == 14)
    assert(cuda.random.uniform(10).size == 10)
  ]],
  graphs = [[
    local k = cuda.kernel { source = SOURCE, name = "twice" }
    local x, y, e = cuda.full(64, 3, "float32"), cuda.zeros(64), cuda.event()
    local s <close> = cuda.stream()
    local e2 = cuda.event():record(s)
    local g, made = cuda.graph(function(stream)
      k({ threads = 64 }, x, 64)
      e:record(stream)
      s:wait(e):wait(e2)
      y:set(x, { stream = s })
      local t = cuda.array({ 1, 2, 3 }, "float32")
      return t + 1
    end)
    g:launch()
    g:launch(s)
    assert(y:item(64) == 12 and made:item(3) == 4)
    g:update(function(stream)
      k({ threads = 64 }, y, 64)
      e:record(stream)
      s:wait(e):wait(e2)
      y:set(x, { stream = s })
      local t = cuda.array({ 1, 2, 3 }, "float32")
      return t + 1
    end)
    local c = g:clone()
    c:set(1, x, 64):launch()
    assert(#c.nodes == #g.nodes and c:dot() and y:item(64) == 24)
    c:close()
    g:close()
    local _, why = pcall(cuda.graph, function() x:fill(1) x:item(1) end)
    if not tostring(why):find "cannot be recorded" then error(why, 0) end
  ]],
  lines = [[
    local lines, a = {}, cuda.zeros(10)
    local before = cuda.debug { launch = function(line) lines[#lines + 1] = line end }
    local ok, e = pcall(function() return (a + 1):item(1) end)
    cuda.debug(before)
    if not ok then error(e, 0) end
    assert(e == 1 and #lines > 0)
  ]],
  conditions = [[
    local x, n = cuda.zeros(1, "int32"), cuda.zeros(1, "int32")
    local s <close> = cuda.stream()
    local function work(stream)
      local own = stream:condition(1)
      n:fill(1)
      stream:loop(n, function()
        x:add(1, { out = x, stream = s })
        n:set({ 0 })
      end)
      stream:when(x, function(inner)
        inner:switch(x, { function() x:fill(5) end, function() x:fill(6) end })
      end, function() x:fill(7) end)
      stream:when(own, function() x:add(10, { out = x }) end)
    end
    local g = cuda.graph(work)
    g:launch()
    assert(x:item(1) == 15)
    x:fill(-1)
    g:update(work):launch(s)
    assert(x:item(1) == 17 and #g.nodes == 15, #g.nodes)
    g:close()
    local _, why = pcall(cuda.graph, function(stream)
      stream:when(x, function() x:item(1) end)
    end)
    if not tostring(why):find "cannot be recorded" then error(why, 0) end
  ]],
  prepared = [[
    local k = cuda.kernel { source = SOURCE, name = "twice" }
    local x, s <close> = cuda.full(64, 3, "float32"), cuda.stream()
    local run = k:prepare { threads = 64, stream = s }
    run(x, 64)
    k:prepare { threads = 64 } (x, 64)
    assert(x:item(64) == 12)
  ]],
  kernels = [[
    local k = cuda.kernel { source = SOURCE, name = "twice" }
    local x = cuda.full(64, 3, "float32")
    k({ threads = 64 }, x, 64)
    assert(x:item(64) == 6)
  ]],
}

-- Scenarios that make contexts -> of how many driver calls one fails on a GPU.
local SLOW = { contexts = 5, reset = 3 }

local PRELUDE = [[
  local cuda, core = require "luacuda", require "luacuda.core"
  SOURCE = "__global__ void twice(float *x, int n) { int i = blockIdx.x * blockDim.x + "
    .. "threadIdx.x; if (i < n) x[i] *= 2; }"
  local device, code, step, handle = ...
  local function scenario()
    cuda.use(device)
    %s
  end

  local function counts()
    require("luacuda.base.notes").forget()
    collectgarbage()
    collectgarbage()
    local live = core._live()
    return { block = live.block, stream = live.stream, event = live.event, graph = live.graph }
  end

  local function check(n, ok, e, before)
    assert(ok or cuda.is_error(e) or type(e) == "string",
      "call " .. n .. ": not one of our errors: " .. tostring(e))
    local now = counts()
    for kind, count in pairs(now) do
      assert(count <= before[kind],
        ("call %%d: %%d live %%s object(s); %%s"):format(n, count, kind, tostring(e)))
    end
  end
]]

local DRIVER = PRELUDE .. [[
  cuda.devices() -- a driver that fails to start is tested below

  -- Is this the error that the injected failure must become?
  local function is_injected(e, failed)
    return cuda.is_error(e) and e.name == "CUDA_ERROR_" .. code and e.call == failed
  end

  -- Did the scenario report the failure of call n once, or, if a finalizer made it, a later call?
  local function is_reported(ok, e, failed)
    local errors = not ok and { e } or {}
    for _, name in ipairs { device, "cpu" } do
      for _ = 1, 2 do
        local went, why = pcall(function()
          cuda.device(tonumber(name:match "%%d+") or name):synchronize()
        end)
        if not went then table.insert(errors, why) end
      end
    end
    return #errors == 1 and is_injected(errors[1], failed), errors
  end

  local failures, none, kept = 0, 0, {}
  for n = 1, 5000, tonumber(step) do
    local before = { block = 0, stream = 0, event = 0, graph = 0 }
    core._fail_at(n, code)
    local ok, e = pcall(scenario)
    local _, failed = core._calls()
    core._fail_at(0)
    if not ok then failures = failures + 1 end
    local reported, errors = is_reported(ok, e, failed)
    if failed and not reported then
      for i = 1, #errors do errors[i] = tostring(errors[i]) end
      kept[#kept + 1] = failed .. " as call " .. n .. ": "
        .. (errors[1] and table.concat(errors, " | ") or "nothing")
    end
    check(n, ok, e, before)
    local again, why = pcall(scenario)
    assert(again, ("after call %%d (%%s) failed: %%s"):format(n, tostring(failed), tostring(why)))
    if not failed then none = none + 1 end
    if none == 3 then print(table.concat(kept, "\n")) print("ok", failures > 0) return end
  end
]]

local HOST = PRELUDE .. [[
  scenario()
  local none, failures = 0, 0
  for n = 1, 5000 do
    core._mem_fail_at(n)
    local ok, e = pcall(scenario)
    core._mem_fail_at(0)
    if ok then none = none + 1 else none, failures = 0, failures + 1 end
    for _ = 1, 2 do pcall(cuda.synchronize) end
    check(n, ok, e, { block = 0, stream = 0, event = 0, graph = 0 })
    local again, why = pcall(scenario)
    assert(again, ("after allocation %%d failed: %%s"):format(n, tostring(why)))
    if none == 40 then print("ok", failures > 0) return end
  end
]]

for _, device in ipairs(helper.device_names()) do
  local is_cpu = device == "cpu"
  describe("faults on " .. device, function()
    local names = {}
    for name in pairs(SCENARIOS) do names[#names + 1] = name end
    table.sort(names)

    -- A process whose array the scenario opens.
    local function start_peer()
      return helper.peer([[
        local a = require("luacuda").arange(9, "int32", { ipc = true })
        answer(require("spec.support.handles").hex(a:ipc_handle()))
        ask()
      ]], { env = { LUACUDA_DEVICE = device:match "%d+$" or device, LUACUDA_SHIM = "" },
        timeout = 600 })
    end

    -- A context takes a GPU a third of a second, so only some calls fail there.
    local function step_of(name)
      return tostring(not is_cpu and not helper.fake_gpu and SLOW[name] or 1)
    end

    local function run(template, name, code)
      local env = { LUACUDA_SHIM = 1 }
      -- One scenario has its kernel compiled from CUDA C++ each time, and another, where that is
      -- asked for, loses host memory while the CPU device compiles.
      if name == "kernels" then env.LUACUDA_DISABLE_CACHE = 1 end
      if name == "kernels" or template == HOST and name ~= "prepared" then
        env.LUACUDA_CPU_JIT = "off"
      end
      local peer = name == "ipc" and start_peer()
      local ok, out = helper.lua(template:format(SCENARIOS[name]),
        { env = env, args = { device, code, step_of(name), peer and peer:hear() or nil },
          timeout = 240 })
      if peer then peer:close() end
      assert.is_true(ok, out)
      local swallowed, rest = out:match "^(.-)\n?(ok\ttrue\n)$"
      assert.equal("ok\ttrue\n", rest, out)
      for line in swallowed:gmatch "[^\n]+" do
        local call = line:match "^%w+"
        assert.truthy(IGNORED.any[call] or (IGNORED[code] or {})[call], line)
      end
    end

    for _, name in ipairs(names) do
      it("any driver call of " .. name .. " may run out of memory", function()
        run(DRIVER, name, "OUT_OF_MEMORY")
      end)
      it("any driver call of " .. name .. " may be refused", function()
        run(DRIVER, name, "NOT_PERMITTED")
      end)
      -- A GPU takes minutes for as many contexts, and host memory is the same everywhere.
      if is_cpu or helper.fake_gpu or name ~= "contexts" then
        it("any host allocation of " .. name .. " may fail", function() run(HOST, name, "") end)
      end
    end

    it("registered memory can be registered again after any call of its release failed", function()
      local ok, out = helper.lua([[
        local cuda, core = require "luacuda", require "luacuda.core"
        cuda.use(...)
        local host = cuda.host(10)
        local none, devices = 0, { cuda.device(), cuda.device "cpu" }
        for n = 1, 100 do
          core._fail_at(n, "OUT_OF_MEMORY")
          pcall(function() cuda.register(host):free() end)
          local _, failed = core._calls()
          core._fail_at(0)
          for _, d in ipairs(devices) do pcall(d.synchronize, d) end
          collectgarbage()
          cuda.register(host):free()
          none = failed and 0 or none + 1
          if none == 3 then print("ok", n) return end
        end
      ]], { env = { LUACUDA_SHIM = 1 }, args = { device } })
      assert.is_true(ok, out)
      assert.truthy(out:find "^ok\t%d+\n$", out)
    end)

    if not is_cpu then
      it("a driver that does not start leaves the CPU device and the reason", function()
        local ok, out = helper.lua([[
          local cuda, core = require "luacuda", require "luacuda.core"
          core._fail_at(2, "SYSTEM_DRIVER_MISMATCH")
          local available, why = cuda.available()
          assert(not available and why:find("SYSTEM_DRIVER_MISMATCH"), why)
          assert(cuda.full(3, 2):item(1) == 2)
          assert(cuda.device().label == "cpu")
        ]], { env = { LUACUDA_SHIM = 1, LUACUDA_DEVICE = "" } })
        assert.is_true(ok, out)
      end)
    end

    if is_cpu then
      it("a fault code without a fault is an ordinary error", function()
        run(DRIVER, "streams", "ILLEGAL_ADDRESS")
      end)
    end
  end)
end

-- cuda.profile, cuda.range, cuda.profiler and cuda.benchmark.
local cuda = require "luacuda"
local core = require "luacuda.core"
local helper = require "spec.helper"

local misuse, read_json = helper.misuse, helper.read_json

local KERNEL = [[
__global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
__global__ void spin(float *x, int n) {
  for (int i = 0; i < n; i++) x[0] = x[0] * 0.5f + 1;
}
]]
local N = 10000

-- The entries of a name.
local function named(profile, name)
  local list = {}
  for _, entry in ipairs(profile.entries) do
    if entry.name == name then list[#list + 1] = entry end
  end
  return list
end

local function total(profile, name)
  for _, row in ipairs(profile.totals) do
    if row.name == name then return row end
  end
end

helper.for_each_device(function(_, name)
  local m = cuda.module(KERNEL)

  describe("a profile", function()
    it("has kernels with their grid, block, stream and device", function()
      local a, s = cuda.zeros(N), cuda.stream()
      m.kernels.scale({ threads = N }, a, N)
      local p = cuda.profile(function()
        m.kernels.scale({ grid = { 2, 3 }, block = { 32, 2 } }, a, N)
        m.kernels.scale({ threads = N, stream = s }, a, N)
      end)
      local found = named(p, "scale")
      assert.equals(2, #found)
      assert.same({ 2, 3, 1 }, found[1].grid)
      assert.same({ 32, 2, 1 }, found[1].block)
      assert.equals(0, found[1].stream)
      assert.is_true(found[2].stream > 0)
      for _, entry in ipairs(found) do
        assert.equals("kernel", entry.kind)
        assert.equals(name, entry.device)
        assert.is_true(entry.duration_ms >= 0 and entry.start_ms >= 0)
      end
      s:close()
    end)

    it("keeps the order of a stream, without overlap", function()
      local a = cuda.ones(1)
      m.kernels.spin({ grid = 1, block = 1 }, a, 1)
      local p = cuda.profile(function()
        for _ = 1, 5 do m.kernels.spin({ grid = 1, block = 1 }, a, 2000) end
      end)
      local found = named(p, "spin")
      assert.equals(5, #found)
      for i = 1, 5 do assert.is_true(found[i].duration_ms > 0) end
      for i = 2, 5 do
        -- events are rounded to about a microsecond
        assert.is_true(found[i].start_ms >= found[i - 1].start_ms + found[i - 1].duration_ms - 0.01)
      end
      assert.equals(5, total(p, "spin").count)
      assert.is_true(p.length_ms > 0)
    end)

    it("measures more for more work", function()
      local a = cuda.ones(1)
      m.kernels.spin({ grid = 1, block = 1 }, a, 1)
      local p = cuda.profile(function()
        m.kernels.spin({ grid = 1, block = 1 }, a, 100000)
        for _ = 1, 5 do m.kernels.spin({ grid = 1, block = 1 }, a, 100) end
      end)
      local found, least = named(p, "spin"), math.huge
      -- a busy machine may have interrupted some of them
      for i = 2, 6 do least = math.min(least, found[i].duration_ms) end
      assert.is_true(found[1].duration_ms > 5 * least)
    end)

    it("has copies and fills with their bytes and rate", function()
      local a, b = cuda.zeros(N), cuda.zeros(N)
      local p = cuda.profile(function()
        cuda.copy(a, b)
        a:fill(3)
      end)
      local copy = assert(named(p, "copy " .. name)[1])
      assert.equals("copy", copy.kind)
      assert.equals(4 * N, copy.bytes)
      local fill = assert(named(p, "fill")[1])
      assert.equals("fill", fill.kind)
      assert.equals(4 * N, fill.bytes)
      for _, entry in ipairs { copy, fill } do
        if entry.duration_ms > 0 then
          helper.close(4 * N / entry.duration_ms / 1e6, entry.gb_per_s, "float32")
        end
      end
      assert.equals(4 * N, total(p, "fill").bytes)
    end)

    it("names the direction of copies to and from the host", function()
      if name == "cpu" then return end -- the host uses its arrays in place
      local a, bytes = cuda.zeros(N), ("\0"):rep(4 * N)
      local p = cuda.profile(function()
        a:set(bytes)
        a:tobytes()
      end)
      assert.equals(4 * N, assert(named(p, "copy host to " .. name)[1]).bytes)
      assert.equals(4 * N, assert(named(p, ("copy %s to host"):format(name))[1]).bytes)
    end)

    it("has the waits of the host", function()
      local a = cuda.ones(1)
      m.kernels.spin({ grid = 1, block = 1 }, a, 1)
      local p = cuda.profile(function()
        local e = cuda.event()
        m.kernels.spin({ grid = 1, block = 1 }, a, 20000)
        e:record():synchronize()
        cuda.device().null_stream:synchronize()
        cuda.synchronize()
      end)
      local sum = 0
      for _, what in ipairs { "event", "stream", "device" } do
        local wait = assert(named(p, "wait for " .. what)[1], what)
        assert.equals("host", wait.device)
        sum = sum + wait.duration_ms
      end
      helper.close(sum, p.wait_ms, "float32")
      assert.is_true(p.wait_ms > 0)
    end)

    it("has the library's own kernels, and none from before or after", function()
      local a = cuda.ones(N)
      a:sum()
      local p = cuda.profile(function() return a:sum() end)
      a:sum()
      local kernels = 0
      for _, entry in ipairs(p.entries) do
        if entry.kind == "kernel" then kernels = kernels + 1 end
      end
      assert.is_true(kernels >= 1 and kernels <= 2)
      assert.equals(0, #cuda.profile(function() end).entries)
    end)

    it("has the compiling and loading of new kernels", function()
      local a = cuda.zeros(1)
      local source = "__global__ void k(float *x) { *x = 1; } // " .. os.time() .. name
      local p = cuda.profile(function()
        cuda.kernel(source, { cache = false })({ grid = 1, block = 1 }, a)
      end)
      for _, what in ipairs { "compile", "load" } do
        local entry = assert(named(p, what)[1], what)
        assert.equals("compile", entry.kind)
        assert.equals("host", entry.device)
        assert.is_true(entry.duration_ms > 0)
      end
      assert.equals(1, #named(p, "k"))
    end)

    it("has ranges around what they contain", function()
      local p = cuda.profile(function()
        local _ <close> = cuda.range "outer"
        assert.equals(7, cuda.range("inner", function(a, b) return a + b end, 3, 4))
        cuda.range "open"
      end)
      local outer, inner = named(p, "outer")[1], named(p, "inner")[1]
      assert.equals("range", outer.kind)
      assert.is_true(outer.start_ms <= inner.start_ms)
      assert.is_true(outer.start_ms + outer.duration_ms >= inner.start_ms + inner.duration_ms)
      assert.is_true(named(p, "open")[1].duration_ms >= 0)
    end)

    it("reads the times of many entries while it records", function()
      local a = cuda.zeros(4)
      local p = cuda.profile(function()
        for i = 1, 5000 do
          a:fill(i)
          if i % 500 == 0 then cuda.synchronize() end
        end
      end)
      assert.equals(5000, total(p, "fill").count)
      local before = 0
      for _, entry in ipairs(named(p, "fill")) do
        assert.is_true(entry.start_ms >= before and entry.duration_ms >= 0)
        before = entry.start_ms
      end
    end)

    it("keeps at most as many entries as its limit", function()
      local a = cuda.zeros(4)
      local p = cuda.profile(function() for i = 1, 10 do a:fill(i) end end, { limit = 4 })
      assert.equals(4, #p.entries)
      assert.equals(6, p.dropped)
      assert.matches("6 more entries were not recorded", tostring(p), 1, true)
    end)

    it("ends when its function raises, also in a coroutine", function()
      local function fails() error("oops", 0) end
      assert.same({ false, "oops" }, { pcall(cuda.profile, fails) })
      local co = coroutine.wrap(function() return pcall(cuda.profile, fails) end)
      assert.same({ false, "oops" }, { co() })
      local ok, e = pcall(cuda.profile, function() cuda.profile(print) end)
      assert.is_false(ok)
      assert.matches("a profile is being recorded already", tostring(e))
      assert.equals(0, #cuda.profile(function() end).entries)
    end)

    it("keeps its devices from being reset", function()
      local p = cuda.profile(function()
        local a = cuda.empty(4)
        a:fill(1)
        a:close()
        local ok, e = pcall(cuda.device().reset, cuda.device())
        assert.is_false(ok)
        helper.contains(e, "cannot be reset")
      end)
      assert.equals(1, total(p, "fill").count)
    end)

    it("is printed as a table", function()
      local a = cuda.zeros(N)
      m.kernels.scale({ threads = N }, a, N)
      local p = cuda.profile(function()
        m.kernels.scale({ threads = N }, a, N)
        a:fill(2)
      end)
      local text = tostring(p)
      assert.matches("^kind +name +device +count +total ms +mean ms +min ms +max ms +MB +GB/s\n",
        text)
      assert.matches("\nkernel +scale +" .. name .. " +1 +%d", text)
      assert.matches("%d ms in all, %d+%.%d+ ms of waiting, %d+ entries$", text)
      assert.is_nil(text:find "[ \t]\n")
    end)

    it("is a trace that Chrome and Perfetto read", function()
      local a, s = cuda.zeros(N), cuda.stream()
      m.kernels.scale({ threads = N }, a, N)
      local p = cuda.profile(function()
        m.kernels.scale({ threads = N, stream = s }, a, N)
        cuda.range("a \"quote\", \\ and \n \1 \xff\u{e4}", cuda.synchronize)
        cuda.copy(a, cuda.ones(N))
      end)
      local trace = read_json(p:chrome())
      local spans, processes, threads = {}, {}, {}
      for _, event in ipairs(trace.traceEvents) do
        if event.ph == "X" then spans[#spans + 1] = event
        elseif event.name == "process_name" then processes[event.pid] = event.args.name
        elseif event.name == "thread_name" then
          threads[event.pid .. " " .. event.tid] = event.args.name
        end
      end
      assert.equals(#p.entries, #spans)
      for i, event in ipairs(spans) do
        local entry = p.entries[i]
        assert.equals(entry.kind, event.cat)
        assert.equals(entry.device, processes[event.pid])
        assert.is_string(threads[event.pid .. " " .. event.tid])
        assert.is_true(math.abs(event.ts - entry.start_ms * 1000) < 0.01)
        assert.is_true(math.abs(event.dur - entry.duration_ms * 1000) < 0.01)
        assert.equals(entry.bytes, event.args.bytes)
        assert.same(entry.grid, event.args.grid)
      end
      helper.contains(p:chrome(), '"a \\"quote\\", \\\\ and \\n \\u0001 \u{fffd}\u{e4}"')
      local path = helper.tmpdir() .. "/trace.json"
      assert.equals(p, p:save(path))
      assert.equals(p:chrome(), helper.read_file(path))
      s:close()
    end)

    it("of nothing is a trace, too", function()
      assert.same({}, read_json(cuda.profile(function() end):chrome()).traceEvents)
    end)
  end)

  describe("cuda.benchmark", function()
    it("runs a function as often as it says, and orders its numbers", function()
      local calls, a = 0, cuda.ones(N)
      local r = cuda.benchmark(function()
        calls = calls + 1
        return a + a
      end, { runs = 7, warmup = 2 })
      assert.equals(9, calls)
      for _, t in ipairs { r, r.gpu } do
        assert.equals(7, t.runs)
        assert.is_true(t.min_ms >= 0 and t.min_ms <= t.median_ms and t.min_ms <= t.mean_ms)
        assert.is_true(t.spread_ms >= 0)
      end
      assert.equals(23, (function()
        local n = 0
        cuda.benchmark(function() n = n + 1 end)
        return n
      end)())
    end)

    it("measures waiting for the work", function()
      local a = cuda.ones(1)
      local function time(n)
        return cuda.benchmark(function() m.kernels.spin({ grid = 1, block = 1 }, a, n) end,
          { runs = 20 })
      end
      -- On a device that other processes use, even the shortest run takes long.
      local short, long, n = time(100), nil, 1000000
      repeat
        long, n = time(n), 4 * n
      until long.gpu.min_ms > 5 * short.gpu.min_ms and long.min_ms > 5 * short.min_ms or n > 1e9
      assert.is_true(long.min_ms > 5 * short.min_ms)
      assert.is_true(long.gpu.min_ms > 5 * short.gpu.min_ms)
    end)

    it("makes its stream current", function()
      local s <close> = cuda.stream()
      local before = cuda.device().stream
      cuda.benchmark(function() assert.equals(s, cuda.device().stream) end,
        { runs = 1, warmup = 0, stream = s })
      assert.equals(before, cuda.device().stream)
    end)

    it("lets the function close the stream", function()
      local s = cuda.stream()
      cuda.benchmark(function() s:close() end, { runs = 3, stream = s })
    end)

    it("passes errors on", function()
      local ok, e = pcall(cuda.benchmark, function() error("oops", 0) end)
      assert.is_false(ok)
      assert.equals("oops", e)
    end)

    it("passes arguments before the options", function()
      local calls = {}
      local function note(...) calls[#calls + 1] = table.pack(...) end
      local a = cuda.zeros(3)
      assert.equals(2, cuda.benchmark(note, a, nil, { 1, 2 }, { runs = 2, warmup = 1 }).runs)
      assert.same({ 3, 3, 3 }, { calls[1].n, calls[2].n, calls[3].n })
      assert.is_true(calls[3][1] == a and calls[3][2] == nil and calls[3][3][2] == 2)
      cuda.benchmark(note, 5)
      assert.same({ n = 1, 5 }, calls[#calls])
      cuda.benchmark(note, { x = 1 }, {})
      assert.same({ n = 1, { x = 1 } }, calls[#calls])
      cuda.benchmark(note, nil)
      assert.same({ n = 0 }, calls[#calls])
      assert.matches("^benchmark: unknown option 'x'", misuse(cuda.benchmark, note, { x = 1 }))
    end)

    it("has the fields of kernel:benchmark", function()
      local r = m.kernels.scale:benchmark({ threads = N, runs = 3 }, cuda.zeros(N), N)
      assert.is_true(r.spread_ms >= 0 and r.median_ms >= r.min_ms and r.runs == 3)
    end)
  end)

  it("profilers can be started and stopped where there are none", function()
    cuda.profiler.start()
    cuda.profiler.stop()
  end)
end)

describe("ranges", function()
  before_each(function() cuda.use "cpu" end)

  it("are objects with a name, closed once", function()
    local r = cuda.range "part"
    assert.equals("part", r.name)
    assert.equals("luacuda.Range 'part'", tostring(r))
    assert.equals("range", cuda.type(r))
    r:close()
    r:close()
    assert.equals("luacuda.Range 'part' (closed)", tostring(r))
    assert.equals("closed range", cuda.type(r))
  end)

  it("pass results, nils and errors of functions through", function()
    assert.same({ 3, 1, nil, 2 }, { select("#", cuda.range("r", function() return 1, nil, 2 end)),
      cuda.range("r", function() return 1, nil, 2 end) })
    local ok, e = pcall(cuda.range, "r", error, "oops", 0)
    assert.is_false(ok)
    assert.equals("oops", e)
  end)

  it("reach a profiler that the environment names", function()
    local library = package.cpath:match "([^;]*)/%?"
    local out = helper.tmpdir() .. "/ranges"
    local ok, output = helper.lua([[
      local cuda = require "luacuda"
      cuda.range("outer", function()
        local a = cuda.range "a"
        local b = cuda.range "b"
        a:close()
        cuda.range("inner", function() end)
        b:close()
        b:close()
      end)
      pcall(cuda.range, "fails", error)
      coroutine.wrap(function() pcall(cuda.range, "in a coroutine", error) end)()
      do local r <close> = cuda.range "scope" end
      cuda.range "dropped"
      collectgarbage()
    ]], { env = { NVTX_INJECTION64_PATH = library .. "/spec/fake_nvtx.so", FAKE_NVTX_FILE = out } })
    assert.is_true(ok, output)
    assert.equals(table.concat({ "push outer", "start a 1", "start b 2", "end 1", "push inner",
      "pop", "end 2", "pop", "push fails", "pop", "push in a coroutine", "pop", "start scope 3",
      "end 3", "start dropped 4", "end 4", "" }, "\n"), helper.read_file(out))
  end)

  it("do nothing where that library is missing or not a tool", function()
    for _, path in ipairs { "", "/no/such/library.so", "/usr/lib/x86_64-linux-gnu/libm.so.6" } do
      local ok, output = helper.lua([[
        print(require "luacuda".range("r", function() return "done" end))
      ]], { env = { NVTX_INJECTION64_PATH = path } })
      assert.is_true(ok, output)
      assert.equals("done\n", output)
    end
  end)
end)

describe("wrong arguments of", function()
  before_each(function() cuda.use "cpu" end)

  it("cuda.profile", function()
    assert.equals("profile: expected a function, got nil", misuse(cuda.profile))
    assert.equals("profile: option 'limit': 0 is outside 1 to 100000000",
      misuse(cuda.profile, print, { limit = 0 }))
    assert.equals("profile: option 'limit': expected an integer, got string",
      misuse(cuda.profile, print, { limit = "4" }))
    assert.matches("^profile: unknown option 'limits'; did you mean 'limit'",
      misuse(cuda.profile, print, { limits = 4 }))
    local p = cuda.profile(function() end)
    assert.matches("^Profile has no field or method 'entry'", misuse(function() return p.entry end))
    assert.equals("save: expected Profile before the ':', got 3", misuse(p.save, 3, "x"))
    assert.equals("save: argument 1 'path': expected a string, got nil", misuse(p.save, p))
    local ok, e = pcall(p.save, p, "/no/such/folder/x.json")
    assert.is_false(ok)
    assert.equals("runtime", e.kind)
  end)

  it("cuda.benchmark", function()
    assert.equals("benchmark: expected a function, got integer", misuse(cuda.benchmark, 3))
    assert.equals("benchmark: option 'runs': 0 is outside 1 to 1000000",
      misuse(cuda.benchmark, print, { runs = 0 }))
    assert.equals("benchmark: option 'runs': 1000001 is outside 1 to 1000000",
      misuse(cuda.benchmark, function() end, { runs = 1000001 }))
    assert.equals("benchmark: option 'stream': expected a Stream, got number",
      misuse(cuda.benchmark, print, { stream = 1.5 }):gsub("1%.5", "number"))
  end)

  it("cuda.range", function()
    assert.equals("range: argument 1: expected a string, got integer", misuse(cuda.range, 1))
    assert.equals("range: expected a function, got integer", misuse(cuda.range, "r", 1))
  end)

  it("calls inside cuda.no_sync", function()
    for _, fn in ipairs { cuda.profile, cuda.benchmark } do
      local ok, e = pcall(cuda.no_sync, function() fn(function() end) end)
      assert.is_false(ok)
      assert.matches("waits for the device, which cuda.no_sync forbids", tostring(e))
    end
  end)
end)

it("a profile leaves devices alone that its function does not use", function()
  local ok, output = helper.lua([[
    local cuda, core = require "luacuda", require "luacuda.core"
    for _, device in ipairs(cuda.devices()) do device:synchronize() end
    cuda.use "cpu"
    local a = cuda.zeros(4)
    local function calls(fn)
      core._fail_at(0)
      fn()
      return (core._calls())
    end
    cuda.profile(function() end)
    print(calls(function() cuda.profile(function() end) end) - calls(cuda.synchronize))
    assert(calls(cuda.synchronize) > 0)
  ]], { env = { LUACUDA_SHIM = "1" } })
  assert.is_true(ok, output)
  assert.equals("0\n", output)
end)

it("work that is not profiled records no event", function()
  cuda.use "cpu"
  local ok, output = helper.lua([[
    local cuda, core = require "luacuda", require "luacuda.core"
    cuda.use "cpu"
    local a = cuda.zeros(4)
    local k = cuda.kernel "__global__ void k(float *x) { *x = 1; }"
    k({ grid = 1, block = 1 }, a)
    local function calls(fn)
      core._fail_at(0)
      fn()
      return (core._calls())
    end
    local function launch() k({ grid = 1, block = 1 }, a) end
    local before = calls(launch)
    cuda.profile(function() end)
    print(calls(launch) - before)
    assert(calls(cuda.synchronize) > 0)
  ]], { env = { LUACUDA_SHIM = "1" } })
  assert.is_true(ok, output)
  assert.equals("0\n", output)
  assert.is_function(core._profile)
end)

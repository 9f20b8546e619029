-- The n-th driver call or host allocation fails, for every n that a scenario reaches: each time there is one clear
-- error or none, nothing is left behind, and the same scenario works right afterwards.
local helper = require "spec.helper"

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
    m:fill(1)
    assert(a:item(100) == 2 and m:item(10) == 1)
    cuda.pool():trim()
    cuda.mem_info()
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
  kernels = [[
    local k = cuda.kernel { source = SOURCE, name = "twice" }
    local x = cuda.full(64, 3, "float32")
    k({ threads = 64 }, x, 64)
    assert(x:item(64) == 6)
  ]],
}

local PRELUDE = [[
  local cuda, core = require "luacuda", require "luacuda.core"
  SOURCE = "__global__ void twice(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }"
  local device, code = ...
  local function scenario()
    cuda.use(device)
    %s
  end

  local function counts()
    collectgarbage()
    collectgarbage()
    local live = core._live()
    return { block = live.block, stream = live.stream, event = live.event }
  end

  local function check(n, ok, e, before)
    assert(ok or cuda.is_error(e) or type(e) == "string", "call " .. n .. ": not one of our errors: " .. tostring(e))
    local now = counts()
    for kind, count in pairs(now) do
      assert(count <= before[kind], ("call %%d: %%d live %%s object(s); %%s"):format(n, count, kind, tostring(e)))
    end
  end
]]

local DRIVER = PRELUDE .. [[
  cuda.devices() -- what a driver that fails to start means is another matter, below
  local failures, none = 0, 0
  for n = 1, 5000 do
    local before = { block = 0, stream = 0, event = 0 }
    core._fail_at(n, code)
    local ok, e = pcall(scenario)
    local _, failed = core._calls()
    core._fail_at(0)
    if not ok then failures = failures + 1 end
    -- a failure that a finaliser met is told by the next call, once
    for _ = 1, 2 do pcall(cuda.synchronize) end
    check(n, ok, e, before)
    local again, why = pcall(scenario)
    assert(again, ("after call %%d (%%s) failed: %%s"):format(n, tostring(failed), tostring(why)))
    if not failed then none = none + 1 end
    if none == 3 then print("ok", failures > 0) return end
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
    check(n, ok, e, { block = 0, stream = 0, event = 0 })
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

    local function run(template, name, code)
      local env = { LUACUDA_SHIM = 1, LUACUDA_DISABLE_CACHE = 1 }
      local ok, out = helper.lua(template:format(SCENARIOS[name]), { env = env, args = { device, code }, timeout = 240 })
      assert.is_true(ok, out)
      assert.equal("ok\ttrue\n", out)
    end

    for _, name in ipairs(names) do
      it("any driver call of " .. name .. " may find no memory", function() run(DRIVER, name, "OUT_OF_MEMORY") end)
      it("any driver call of " .. name .. " may be refused", function() run(DRIVER, name, "NOT_PERMITTED") end)
      it("any host allocation of " .. name .. " may fail", function() run(HOST, name, "") end)
    end

    if not is_cpu then
      it("a driver that does not start leaves the CPU device, and says why", function()
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
      it("a fault code without a fault is an error like others", function() run(DRIVER, "streams", "ILLEGAL_ADDRESS") end)
    end
  end)
end

-- Signals while the compiler runs and while Lua waits for the CPU device, and the time limit for
-- kernels there.
local helper = require "spec.helper"

local LUA = os.getenv "LUACUDA_LUA" or "/usr/bin/lua5.4"

-- Runs `code` in its own process and sends it a signal once it has printed "ready". Returns its
-- output (with stderr) and its exit status, 128 + n for signal n. `before`: shell words before
-- lua5.4. A signal that arrives before Lua waits has the same outcome.
local function signalled(code, signal, before)
  local dir = helper.tmpdir()
  helper.write_file(dir .. "/code.lua", code)
  local words = { "LUA_PATH=" .. helper.shell_quote(package.path), "LUA_CPATH="
    .. helper.shell_quote(package.cpath), "LUACUDA_DEVICE=cpu", "LUACUDA_DISABLE_CACHE=1" }
  -- a non-interactive shell ignores SIGINT in its children: env restores it
  helper.write_file(dir .. "/run.sh", ([[
    cd %s
    env --default-signal=INT %s timeout --foreground 120 %s %s code.lua >out 2>&1 &
    timeout_pid=$!
    for i in $(seq 1 1200); do
      grep -q ready out && break
      sleep 0.05
    done
    sleep 0.3
    read lua_pid rest < /proc/$timeout_pid/task/$timeout_pid/children
    kill -%s $lua_pid
    wait $timeout_pid
    echo $? >status
  ]]):format(dir, table.concat(words, " "), before or "", LUA, signal))
  os.execute("bash " .. dir .. "/run.sh")
  return helper.read_file(dir .. "/out"), tonumber(helper.read_file(dir .. "/status"))
end

-- Source that keeps NVRTC busy for seconds, in its front end as much as in its back end.
local SLOW = [==[
local text = {}
for i = 1, 60 do
  text[i] = ("__global__ void k%d(float *p) { float s = %d; "
    .. "for (int i = 0; i < 100; i++) { s += F<16>::go(p[i] + %d); p[i] = s; } }"):format(i, i, i)
end
local source = [[
  template <int N> struct F {
    static __device__ float go(float x) { return F<N - 1>::go(x) * x + F<N - 2>::go(x + N); }
  };
  template <> struct F<0> { static __device__ float go(float x) { return x; } };
  template <> struct F<1> { static __device__ float go(float x) { return x + 1; } };
]] .. table.concat(text, "\n")
]==]

describe("a signal during a compilation", function()
  local function compile(signal, before)
    return signalled((before or "") .. SLOW .. [[
      local cuda = require "luacuda"
      local compile = cuda.compile
      print "ready" io.stdout:flush()
      local ok, e = pcall(compile, source)
      print("result", ok, e)
      print("usable", #cuda.compile "__global__ void k() {}" > 0)
    ]], signal)
  end

  it("reaches lua's handler, which raises; the compiler keeps working", function()
    local out, status = compile "INT"
    assert.equal(0, status, out)
    assert.truthy(out:find "result\tfalse\t.*interrupted!", out)
    assert.truthy(out:find "usable\ttrue", out)
  end)

  it("ends a process that does not handle it, as that signal does", function()
    local out, status = compile "TERM"
    assert.equal(128 + 15, status, out)
    assert.is_nil(out:find "result")
  end)

  it("has no effect if the program ignores it", function()
    local out, status = signalled(SLOW:gsub("1, 60", "1, 10") .. [[
      local cuda = require "luacuda"
      print "ready" io.stdout:flush()
      print("result", pcall(cuda.compile, source))
    ]], "TERM", "env --ignore-signal=TERM")
    assert.equal(0, status, out)
    assert.truthy(out:find "result\ttrue")
  end)
end)

describe("a signal while nvcc runs", function()
  it("ends the compilation, nvcc and the programs that it started", function()
    local dir = helper.tmpdir()
    helper.write_file(dir .. "/nvcc", ([[#!/bin/sh
      case $1 in
        --version) echo "release 13.0"; exit ;;
        --list-gpu-arch) echo compute_80; exit ;;
      esac
      sleep 1000 &
      echo $! >%s/pid
      wait
    ]]):format(dir))
    os.execute("chmod +x " .. dir .. "/nvcc")
    local out, status = signalled(([[
      local cuda = require "luacuda"
      print "ready" io.stdout:flush()
      print("result", pcall(cuda.compile, "x", { backend = "nvcc", nvcc = "%s/nvcc",
        arch = "sm_80" }))
      print("usable", #cuda.compile "__global__ void k() {}" > 0)
    ]]):format(dir), "INT")
    assert.equal(0, status, out)
    assert.truthy(out:find "result\tfalse\t.*interrupted!", out)
    assert.truthy(out:find "usable\ttrue", out)
    local file = io.open(dir .. "/pid")    -- none where the signal came before nvcc
    local state = file and io.open("/proc/" .. file:read "l" .. "/stat")
    if state then          -- the system may remember it for a while
      assert.matches("%) Z ", state:read "a")
      state:close()
    end
    if file then file:close() end
  end)
end)

describe("signal dispositions", function()
  it("are restored after a compilation", function()
    local ok, out = helper.lua([[
      local cuda = require "luacuda"
      local text
      local function set(name) -- signals 1 to 31: the C library reserves some above
        return tonumber(text:match(name .. ":%s*(%x+)"), 16) & 0x7fffffff
      end
      local function caught()
        text = io.open("/proc/self/status"):read "a"
        return ("%x %x %x"):format(set "SigCgt", set "SigIgn", set "SigBlk")
      end
      local before = caught()
      cuda.compile "__global__ void k() {}"
      print(before == caught(), before, caught())
    ]], { env = { LUACUDA_DISABLE_CACHE = "1", LUACUDA_DEVICE = "cpu" } })
    assert.is_true(ok, out)
    assert.truthy(out:find "^true")
  end)
end)

local SPIN = [==[
local cuda = require "luacuda"
local k = cuda.kernel [[
__global__ void spin(volatile int *p, int all) {
  unsigned x = 1;
  while (all || blockIdx.x == 1) {
    x = x * 1664525u + 1013904223u;
    p[0] = x;
  }
}]]
local a = cuda.zeros(1, "int32")
cuda.synchronize()
-- without finalizers, which would wait for a kernel if the signal came too early
local function report(...)
  print("result", ...)
  io.stdout:flush()
  os.exit(0, false)
end
local function ready() print "ready" io.stdout:flush() end
]==]

describe("Ctrl-C on the CPU device", function()
  local function interrupted(code)
    local out, status = signalled(SPIN .. code, "INT")
    assert.equal(0, status, out)
    return out
  end

  it("stops the kernel that Lua waits for and raises", function()
    local out = interrupted [[
      k({ grid = 1, block = 32 }, a, 1)
      ready()
      report(pcall(function() return a:totable() end))
    ]]
    assert.truthy(out:find "result\tfalse\t.*interrupted!")
  end)

  it("stops a kernel that worker threads run while the caller is idle", function()
    local out = interrupted [[
      k({ grid = 2, block = 1 }, a, 0)
      ready()
      report(pcall(cuda.synchronize))
    ]]
    assert.truthy(out:find "result\tfalse\t.*interrupted!")
  end)

  it("stops kernels queued on several streams", function()
    local out = interrupted [[
      for _ = 1, 3 do
        local s = cuda.stream()
        for _ = 1, 3 do k({ grid = 100, block = 64, stream = s }, a, 1) end
      end
      ready()
      report(pcall(cuda.synchronize))
    ]]
    assert.truthy(out:find "result\tfalse\t.*interrupted!")
  end)

  it("raises an error object in a coroutine, and lua's own in the main thread", function()
    local out = interrupted [[
      k({ grid = 1, block = 32 }, a, 1)
      ready()
      local inner
      local ok, e = pcall(function()
        local co = coroutine.create(function()
          local good, why = pcall(function() return a:totable() end)
          inner = why
          io.write("inner ", tostring(good), " ", type(why), " ", why.name, " ", why.kind, " ",
            why.kernel, " ", why.line, "\n")
        end)
        coroutine.resume(co)
        return 1
      end)
      report(ok, e)
    ]]
    if out:find "inner" then        -- otherwise the signal came before the coroutine ran
      assert.truthy(out:find "inner false table LUACUDA_ERROR_INTERRUPTED runtime spin %d", out)
    end
    assert.truthy(out:find "result\tfalse\t.*interrupted!", out)
  end)

  it("leaves the device usable and removes its hook", function()
    local out = interrupted [[
      k({ grid = 1, block = 32 }, a, 1)
      ready()
      local ok = pcall(function() return a:totable() end)
      local again, e = pcall(function()
        a:fill(7)
        k({ grid = 1, block = 1 }, a, 0)
        return a[1] + 0
      end)
      report(ok, again, e)
    ]]
    assert.truthy(out:find "result\tfalse\ttrue\t7", out)
  end)

  it("is not confused with a debugger's hooks", function()
    local out = signalled(SPIN .. [[
      local calls = 0
      debug.sethook(function() calls = calls + 1 end, "", 1)
      k({ grid = 1, block = 1 }, a, 0)
      local one = a[1]
      debug.sethook(function() calls = calls + 1 end, "l")
      k({ grid = 1, block = 1 }, a, 0)
      print("result", one, a[1], calls > 0)
      ready()
      debug.sethook()
      while true do end
    ]], "TERM")
    assert.truthy(out:find "result\t0\t0\ttrue", out)
  end)
end)

describe("LUACUDA_CPU_TIMEOUT_MS", function()
  local function run(ms, code)
    return helper.lua(SPIN .. code,
      { env = { LUACUDA_CPU_TIMEOUT_MS = ms, LUACUDA_DEVICE = "cpu" } })
  end

  it("stops a kernel that runs longer, with its name and line", function()
    local ok, out = run("100", [[
      k({ grid = 4, block = 32 }, a, 1)
      local good, e = pcall(cuda.synchronize)
      a:fill(3)
      print(good, e.kind, e.name, e.fault, e.kernel, e.line, a[1])
      print(e)
    ]])
    assert.is_true(ok, out)
    assert.truthy(out:find("^false\tlaunch\tCUDA_ERROR_LAUNCH_TIMEOUT\ttimeout\tspin\t[567]\t3\n"),
      out)
    assert.truthy(out:find("timeout: not done after 100 ms at .-:%d+ in kernel 'spin'"), out)
  end)

  it("is off by default, and limits each kernel separately", function()
    local code = [[
      local busy = cuda.kernel [=[__global__ void busy(volatile int *p, int n) {
        for (int i = 0; i < n; i++) *p = i;
      }]=]
      for _ = 1, 20 do busy({ grid = 1, block = 1 }, a, 1000) end
      print(a[1])
    ]]
    for _, ms in ipairs { "", "0", "60000" } do
      local ok, out = run(ms, code)
      assert.is_true(ok, out)
      assert.equal("999\n", out)
    end
  end)

  it("is read strictly", function()
    local ok, out = run("soon", "")
    assert.is_false(ok)
    assert.truthy(out:find("LUACUDA_CPU_TIMEOUT_MS is 'soon'", 1, true), out)
  end)
end)

-- The switches of cuda.debug and of LUACUDA_DEBUG: launches, driver calls, allocations.
local cuda = require "luacuda"
local core = require "luacuda.core"
local helper = require "spec.helper"

local misuse = helper.misuse

local PROGRAM = [[
  local cuda = require "luacuda"
  cuda.use(%q)
  local k = cuda.kernel [==[
    struct P { int a; float b; };
    __global__ void scale(float *x, int n, double f, P p, bool b, const char *null) {}
  ]==]
  local a, s = cuda.zeros { 100, 10 }, cuda.stream()
  local function launch()
    k({ grid = { 2, 3 }, block = 32, shared = 64 }, a, 1000, 0.1, { a = 1, b = 2 }, true, cuda.null)
  end
  %s
]]

-- What the program prints, line by line.
local function run(name, code, env)
  local ok, output = helper.lua(PROGRAM:format(name, code), { env = env })
  assert.is_true(ok, output)
  local lines = {}
  for line in output:gmatch "[^\n]+" do lines[#lines + 1] = line end
  return lines
end

helper.for_each_device(function(_, name)
  it("launches are printed with their arguments while the switch is on", function()
    local lines = run(name, [[
      launch()
      assert(cuda.debug { launch = true }.launch == false)
      launch()
      k({ grid = 1, block = { 2, 3, 4 }, stream = s }, a, -1, 2, { a = 1, b = 2 }, false, cuda.null)
      cuda.debug { launch = false }
      launch()
    ]])
    assert.equals(2, #lines)
    assert.matches("^luacuda: launch scale%(0x%x+, 1000, 0.1, {8 bytes}, true, 0x0%) grid=2x3 "
      .. "block=32 shared=64 " .. name .. "$", lines[1])
    assert.matches("^luacuda: launch scale%(0x%x+, %-1, 2, {8 bytes}, false, 0x0%) grid=1 "
      .. "block=2x3x4 " .. name .. " stream=%d+$", lines[2])
  end)

  it("LUACUDA_DEBUG prints launches of operators as well", function()
    local lines = run(name, "local b = a + a", { LUACUDA_DEBUG = "launch" })
    assert.matches("^luacuda: launch luacuda_add%(", lines[#lines])
  end)

  it("driver calls are printed with result and time, also of open devices", function()
    local lines = run(name, [[
      a:fill(1)
      assert(cuda.debug { api = true }.api == false)
      a:fill(2)
      assert(cuda.debug { api = false }.api == true)
      a:fill(3)
    ]])
    local fills = 0
    for _, line in ipairs(lines) do
      assert.matches("^luacuda: api cu%w+ ok %d+%.%d us$", line)
      if line:find("cuMemsetD32Async", 1, true) then fills = fills + 1 end
    end
    assert.equals(1, fills)
  end)

  it("LUACUDA_DEBUG prints driver calls from the first one on, and names failures", function()
    local lines = run(name, [[
      require("luacuda.core")._fail_at(1, "OUT_OF_MEMORY")
      pcall(cuda.synchronize)
    ]], { LUACUDA_DEBUG = "sync,api" })
    assert.matches("^luacuda: api cu%w+ ok", lines[1])
    helper.contains(table.concat(lines, "\n"), "api cuInit ok")
    assert.matches("CUDA_ERROR_OUT_OF_MEMORY", table.concat(lines, "\n"))
  end)

  describe("a function", function()
    local before, lines, a, k
    before_each(function()
      before, lines = cuda.debug {}, {}
      a = cuda.zeros(8)
      k = cuda.kernel "__global__ void touch(float *x, int n) { if (n > 0) x[0] = n; }"
    end)
    after_each(function() cuda.debug(before) end)

    local function note(line) lines[#lines + 1] = line end

    it("gets each launch before the call returns", function()
      assert.is_false(cuda.debug { launch = note }.launch)
      k({ grid = 2, block = 32 }, a, 7)
      assert.equals(1, #lines)
      assert.matches("^launch touch%(0x%x+, 7%) grid=2 block=32 " .. name .. "$", lines[1])
      local prepared = k:prepare { grid = 3, block = 1 }
      prepared(a, 8)
      prepared:time_ms(a, 9)
      local b = a + a
      assert.equals(18, b:sum())
      assert.equals(5, #lines)
      helper.contains(lines[3], "touch(")
      helper.contains(lines[4], "launch luacuda_add(")
      assert.equals(note, cuda.debug { launch = false }.launch)
      k({ grid = 2, block = 32 }, a, 7)
      assert.equals(5, #lines)
    end)

    it("gets driver calls where the program waits or asks", function()
      local stream = cuda.stream()
      cuda.debug { api = note }
      a:fill(1, { stream = stream })
      stream:synchronize()
      helper.contains(table.concat(lines, "\n"), "api cuMemsetD32Async ok ")
      lines = {}
      a:fill(2)
      cuda.poll()
      helper.contains(table.concat(lines, "\n"), "api cuMemsetD32Async ok ")
      lines = {}
      a:fill(3)
      assert.equals(note, cuda.debug { api = false }.api)
      helper.contains(table.concat(lines, "\n"), "api cuMemsetD32Async ok ")
      for _, line in ipairs(lines) do assert.matches("^api cu%w+ ok %d+%.%d us$", line) end
      stream:close()
    end)

    it("is not told of what it launches itself", function()
      cuda.debug { launch = function(line)
        note(line)
        k({ grid = 1, block = 1 }, a, 5)
        cuda.synchronize()
      end }
      k({ grid = 2, block = 32 }, a, 7)
      assert.equals(1, #lines)
      assert.equals(5, a:sum())
    end)

    it("raises from the launch, which was made; the next lines wait", function()
      local object = {}
      cuda.debug { launch = function(line)
        note(line)
        error(#lines == 1 and "boom" or object)
      end }
      local ok, e = pcall(k, { grid = 1, block = 1 }, a, 3)
      assert.is_false(ok)
      assert.matches("^debug: call of the function at spec/device/debug_spec.lua:%d+: .*boom", e)
      assert.equals(3, a:totable()[1])
      ok, e = pcall(function() return a + a end)
      assert.is_false(ok)
      assert.equals(object, e)
      assert.equals(2, #lines)
      cuda.debug { launch = note }
      k({ grid = 1, block = 1 }, a, 4)
      assert.equals(3, #lines)
    end)

    it("can be turned off while it fails", function()
      cuda.debug { api = function() error "boom" end }
      a:fill(1)
      assert.is_false(pcall(cuda.debug, { api = false }))
      assert.is_false(cuda.debug {}.api)
    end)

    it("is called after a recording, and sees its launches once", function()
      cuda.debug { launch = note }
      local graph <close> = cuda.graph(function()
        for i = 1, 3 do k({ grid = i, block = 1 }, a, i) end
        assert.equals(0, #lines)
      end)
      graph:launch()
      cuda.synchronize()
      assert.equals(3, #lines)
      helper.contains(lines[3], "grid=3")
    end)

    it("gets a failed launch with the next call", function()
      cuda.debug { launch = note, api = function() end } -- from now on, calls can fail
      cuda.debug { api = false }
      k({ grid = 1, block = 1 }, a, 1)
      local calls = 0
      repeat
        calls = calls + 1
        core._fail_at(calls, "OUT_OF_MEMORY")
        local ok = pcall(k, { grid = 1, block = 1 }, a, 1)
        local _, failed = core._calls()
      until ok or failed == "cuLaunchKernel"
      core._fail_at(0)
      lines = {}
      cuda.poll()
      assert.equals(1, #lines)
      assert.matches("^launch touch.* failed: CUDA_ERROR_OUT_OF_MEMORY$", lines[1])
    end)

    it("takes the place of stderr", function()
      local ok, output = helper.lua(([[
        local cuda = require "luacuda"
        cuda.use(%q)
        cuda.debug { launch = function(line) io.stderr:write("mine: ", line, "\n") end }
        local a = cuda.ones(3) * 2
        cuda.debug { launch = true }
        local b = a + 1
      ]]):format(name))
      assert.is_true(ok, output)
      assert.matches("mine: launch luacuda_mul", output)
      assert.is_nil(output:find("luacuda: launch luacuda_mul", 1, true))
      assert.matches("luacuda: launch luacuda_add", output)
    end)
  end)

  describe("allocations", function()
    local before
    before_each(function() before = cuda.debug { allocations = true } end)
    after_each(function() cuda.debug(before) end)

    local function rows()
      collectgarbage()
      collectgarbage()
      local list = {}
      for _, row in ipairs(cuda.allocations()) do
        if row.where:find(helper.this_file(), 1, true) then list[#list + 1] = row end
      end
      return list
    end

    it("are listed with their line, the largest first", function()
      local a, b = cuda.zeros({ 3, 4 }, "int16"), cuda.ones(100) -- the line of the arrays
      local line = helper.line_of "-- the line of the arrays"
      local list = rows()
      assert.equals(2, #list)
      assert.same({ bytes = 400, dtype = "float32", shape = { 100 }, device = name,
        memory = "device", where = ("%s:%d"):format(helper.this_file(), line) },
        { bytes = list[1].bytes, dtype = list[1].dtype, shape = { table.unpack(list[1].shape) },
          device = list[1].device, memory = list[1].memory, where = list[1].where })
      assert.equals(24, list[2].bytes)
      b:close()
      assert.equals(1, #rows())
      assert.equals(24, a.nbytes)
      a = nil -- luacheck: ignore
      assert.equals(0, #rows())
    end)

    it("name the line of operators and functions of the library", function()
      local a = cuda.arange(10)
      local b = a + a -- the line of the operator
      local c = cuda.concatenate { a, b } -- the line of the function
      local lines = {}
      for _, row in ipairs(rows()) do lines[tonumber(row.where:match "%d+$")] = row.bytes end
      assert.equals(b.nbytes, lines[helper.line_of "-- the line of the operator"])
      assert.equals(c.nbytes, lines[helper.line_of "-- the line of the function"])
    end)

    it("count memory once, for as long as any view of it lives", function()
      local a = cuda.zeros(64)
      local v = a:slice { 1, 2 }
      assert.equals(1, #rows())
      assert.same({ 64 }, { table.unpack(rows()[1].shape) })
      a:close()
      local list = rows()
      assert.equals(1, #list)
      assert.equals(256, list[1].bytes)
      assert.same({ 2 }, { table.unpack(list[1].shape) })
      v:close()
      assert.equals(0, #rows())
    end)

    it("include host memory", function()
      local h, p = cuda.host(10), cuda.pinned(20)
      local kinds = {}
      for _, row in ipairs(rows()) do kinds[row.memory] = row.bytes end
      assert.same({ host = h.nbytes, pinned = p.nbytes }, kinds)
    end)

    it("are forgotten when the switch changes", function()
      local a = cuda.zeros(4)
      cuda.debug { sync = false } -- does not change it
      assert.equals(1, #rows())
      cuda.debug { allocations = false }
      assert.matches("^allocations: nothing is traced: call cuda.debug{ allocations = true } first",
        misuse(cuda.allocations))
      cuda.debug { allocations = true }
      assert.equals(0, #rows())
      assert.equals(4, a.size)
    end)
  end)
end)

describe("cuda.debug", function()
  before_each(function() cuda.use "cpu" end)

  it("returns settings that restore themselves", function()
    local before = cuda.debug {}
    assert.same({ sync = false, launch = false, api = false, allocations = false,
      errors = "object" }, before)
    assert.same(before, cuda.debug { sync = true, allocations = true })
    local after = cuda.debug(before)
    assert.is_true(after.sync and after.allocations)
    assert.same(before, cuda.debug {})
  end)

  it("checks its options", function()
    for _, name in ipairs { "sync", "allocations" } do
      for _, value in ipairs { 1, print } do
        assert.equals(("debug: option '%s': expected a boolean, got %s"):format(name,
          value == 1 and "1" or "function"), misuse(cuda.debug, { [name] = value }))
      end
    end
    for _, name in ipairs { "launch", "api" } do
      assert.equals(("debug: option '%s': expected a boolean or a function, got 1"):format(name),
        misuse(cuda.debug, { [name] = 1 }))
    end
    assert.matches("^debug: unknown option 'launches'; did you mean 'launch'",
      misuse(cuda.debug, { launches = true }))
    assert.equals("allocations: too many arguments", misuse(cuda.allocations, 1))
  end)

  it("refuses LUACUDA_DEBUG with another word", function()
    local ok, output = helper.lua([[require "luacuda"]], { env = { LUACUDA_DEBUG = "sync,foo" } })
    assert.is_false(ok)
    helper.contains(output,
      "LUACUDA_DEBUG: expected a list of 'sync', 'launch' and 'api', got 'foo'")
  end)

  it("gives a function the lines of its own state", function()
    helper.run_host("threads 4 3", [==[
      local cuda = require "luacuda"
      cuda.use "cpu"
      local k = cuda.kernel "__global__ void touch(int *x, int n) { x[0] = n; }"
      local x, lines = cuda.zeros(1, "int32"), {}
      cuda.debug { launch = function(line) lines[#lines + 1] = line end }
      local mine = tonumber(tostring(lines):match "0x%x%x%x%x%x(%x+)", 16) & 0x7fffffff
      for _ = 1, 20 do k({ grid = 1, block = 1 }, x, mine) end
      cuda.debug { launch = false }
      k({ grid = 1, block = 1 }, x, mine)
      assert(#lines == 20, #lines)
      for _, line in ipairs(lines) do assert(line:find(", " .. mine .. ")", 1, true), line) end
    ]==], "cpu")
  end)

  it("takes no driver calls from other states", function()
    local script = [[
      local cuda = require "luacuda"
      cuda.use "cpu"
      cuda.zeros(3):sum()
      local ok, e = pcall(cuda.debug, { api = true })
      if ok then cuda.debug { api = false } else
        assert(e:find("set LUACUDA_DEBUG=api before the program starts", 1, true), e)
      end
    ]]
    helper.run_host("threads 4 3", script, "cpu")
    assert.is_function(core._watch)
  end)
end)

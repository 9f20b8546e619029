-- Faults of kernels written in Lua: the places and the names that they give.
local helper = require "spec.helper"
local cuda = require "luacuda"
local planted = require "spec.support.planted"

local THIS = helper.this_file()

-- Only on the CPU device: a GPU does not report the place.
describe("a fault of a kernel written in Lua", function()
  local previous
  before_each(function() previous = cuda.use "cpu" end)
  after_each(function() cuda.use(previous) end)

  local function raised(fn)
    local e = helper.error_of(function()
      fn()
      cuda.synchronize()
    end)
    assert.equal("launch", e.kind)
    return e
  end

  local function pick(a, i)
    return a[i] -- reads
  end

  local function sum(a, i)
    return pick(a, i) + pick(a, i + 2560) -- calls pick
  end

  -- The error names the marked lines: where it is, then its callers, the innermost first.
  local function expect_places(e, mark, ...)
    assert.equal(helper.line_of(mark), e.line)
    assert.matches(THIS .. "$", e.file)
    local list, text = {}, ("%s:%d"):format(e.file, e.line)
    for k, caller in ipairs { ... } do
      list[k] = { file = e.file, line = helper.line_of(caller) }
      text = ("%s%s%s:%d"):format(text, k == 1 and " (called from " or ", from ", e.file,
        list[k].line)
    end
    assert.same(list, e.report.callers)
    assert.truthy(e.message:find(text .. ") in kernel '", 1, true), e.message)
  end

  it("names the calls of Lua functions that lead to it", function()
    for _, debug in ipairs { false, true } do
      local k = cuda.jit(function(x, y)
        y[1] = sum(x, 1) -- calls sum
      end, { debug = debug })
      local e = raised(function() k({ threads = 1 }, cuda.zeros(512), cuda.zeros(1)) end)
      expect_places(e, "-- reads", "-- calls pick", "-- calls sum")
    end
  end)

  it("names the calls of Lua functions in a builder", function()
    local f = cuda.elementwise("raw T x", "T y", function(x, i)
      return sum(x, i) -- is called
    end)
    local e = raised(function() f(cuda.zeros(512), cuda.zeros(1)) end)
    expect_places(e, "-- reads", "-- calls pick", "-- is called")
  end)

  it("names the calls of Lua functions in a vectorized function", function()
    local x = cuda.zeros(512)
    for _, debug in ipairs { false, true } do
      local f = cuda.vectorize(function(i)
        return sum(x, int32(i)) -- is vectorized
      end, { debug = debug })
      local e = raised(function() f(cuda.array { 1, 7 }) end)
      expect_places(e, "-- reads", "-- calls pick", "-- is vectorized")
    end
  end)

  it("names the call of a function in CUDA C++ that leads to it", function()
    local far = cuda.device_function [[
      __device__ float far(const float *p, int i) {
        return p[i + 4000]; // is far
      }]]
    local k = cuda.jit(function(x, y)
      y[1] = far(x, 1) -- calls far
    end)
    local e = raised(function() k({ threads = 1 }, cuda.zeros(512), cuda.zeros(1)) end)
    expect_places(e, "// is far", "-- calls far")
  end)

  it("has the names of the Lua function", function()
    local lines = planted.faults("__global__ void unused() {}", [[
  local far = cuda.jit(function(y, n)
    local s, s_2 = shared("float32", 32), 0
    do
      local s = n
      s_2 = s
    end
    s[threadIdx.x + s_2] = 1
    y[1] = s[1]
  end)
  local ok, e = pcall(function()
    far({ threads = 1 }, cuda.zeros(1), 40)
    cuda.synchronize()
  end)
  print(e.kernel, e.report.kernel, e.report.variable)
  print(e.message)
]])
    assert.equal("far\tfar\ts", lines[1])
    assert.matches(" the end of `s`, which has 128 bytes", lines[2])
    assert.matches(" in kernel 'far', block", lines[2], 1, true)
  end)

  -- Bytes that C, printf and the report treat as special.
  local TEXTS = { "too large", "100% of %s\tin \"quotes\" \\ and `these`", "two\nlines", "ünï—ça",
    ("long "):rep(100) }

  it("has the message of assert, and the thread that failed", function()
    local rng = helper.random(20)
    for round, text in ipairs(TEXTS) do
      local n, first = 300, rng(250) + 1
      -- busted has another assert
      local k = cuda.jit(([[function(x, most)
        local function check(v)
          assert(v <= most, %q)
        end
        for i in grid(#x) do check(x[i]) end
      end]]):format(text))
      local x = cuda.arange(1, n + 1, 1, "int32")
      k({ grid = 5, block = 64 }, x, n)
      local e = raised(function() k({ grid = 5, block = 64 }, x, first - 1) end)
      assert.equal("CUDA_ERROR_ASSERT", e.name)
      assert.equal(text .. " at ", e.message:sub(1, #text + 4))
      assert.same({ 3, 1 }, { e.line, #e.report.callers })
      local at = e.block[1] * 64 + e.thread[1] + 1       -- blocks run in any order
      assert.is_true(at >= first and (at == first or at % 64 == 1), round)
      assert.matches(("block (%d,0,0), thread (%d,0,0)"):format(e.block[1], e.thread[1]), e.message,
        1, true)
    end
  end)

  it("has the message of error, and Lua's where assert has none", function()
    local x = cuda.ones(1)
    for text, want in pairs {
      ["function(x) assert(x[1] < 0) end"] = "assertion failed! at ",
      ["function(x) if x[1] > 0 then error('no such thing') end end"] = "no such thing at " } do
      local e = raised(function() cuda.jit(text)({ threads = 1 }, x) end)
      assert.equal(want, e.message:sub(1, #want))
    end
    local f = cuda.elementwise("T x", "T y", function(v)
      if v > 0 then error("not negative") end -- is refused
      return v
    end)
    local e = raised(function() f(x) end)
    assert.equal("not negative at ", e.message:sub(1, 16))
    assert.equal(helper.line_of "-- is refused", e.line)
  end)

  it("of assert prints nothing", function()
    local ok, out = helper.lua([[
      local cuda = require "luacuda"
      local k = cuda.jit("function(x) assert(x[1] < 0, 'as it is') end")
      local ok, e = pcall(function()
        k({ grid = 4, block = 64 }, cuda.ones(1))
        cuda.synchronize()
      end)
      io.write(cuda.is_error(e, "launch") and e.name or "?")
    ]], { env = { LUACUDA_DEVICE = "cpu" } })
    assert.same({ true, "CUDA_ERROR_ASSERT" }, { ok, out })
  end)

  it("has the name of a vectorized function, and its line", function()
    local x = cuda.zeros(16)
    local lookup = cuda.vectorize(function(i)
      return x[int32(i)] -- looks up
    end)
    local e = raised(function() lookup(cuda.array { 1, 5000 }) end)
    assert.equal("lookup", e.kernel)
    assert.equal(helper.line_of "-- looks up", e.line)
    assert.matches(" in kernel 'lookup', called at ", e.message, 1, true)
  end)
end)

describe("kernels written in Lua", function()
  local previous
  before_each(function() previous = cuda.use "cpu" end)
  after_each(function() cuda.use(previous) end)

  it("have variables of one name beside one with a number", function()
    local k = cuda.jit [[function(y, s)
      do
        local s = s + 1
        local s_2 = s * 10
        y[1] = s + s_2
      end
      y[2] = s
    end]]
    local y = cuda.zeros(2)
    k({ threads = 1 }, y, 2)
    assert.same({ 33, 2 }, y:totable())
  end)

  it("are shown under their own names", function()
    local add = cuda.jit(function(y, n) y[1] = n end)
    local p = add:profile({ threads = 1 }, cuda.zeros(1), 2)
    assert.equal("add", p.kernels[1].name)
    assert.matches("^add: 1 launch, ", tostring(p))
    assert.equal("add", add:kernel().name)
    assert.matches("^luacuda.Jit add %(", tostring(add))
    assert.matches("^luacuda.Kernel add%(", tostring(add:kernel()))
  end)

  it("show their variables and functions in a step", function()
    local function twice(v)
      local two = 2
      return v * two -- in twice
    end
    local k = cuda.jit(function(y, n)
      local s = n
      for i = 1, 2 do
        local s = twice(s + i) -- luacheck: ignore 421
        y[i] = s -- in k
      end
    end, { debug = true })
    local seen = {}
    for stop in k:step({}, { threads = 1 }, cuda.zeros(2), 3) do
      local v = stop.variables
      if stop.line == helper.line_of "-- in twice" then
        seen[stop.fn .. v.v] = v.v_ == nil
      elseif stop.line == helper.line_of "-- in k" then
        seen[("%s %d %g"):format(stop.fn, v.i, v.s)] = not (v.s_ or v._t_ or v.y_n1)
      end
    end
    assert.same({ twice4 = true, twice5 = true, ["k 1 8"] = true, ["k 2 10"] = true }, seen)
  end)
end)

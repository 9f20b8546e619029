-- What the caller's code may do to a builder: change tables it passed and, during a call (in
-- finalizers and hooks), call the same kernel and close arrays.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- Calls fn once, when fn2() makes the compiler build a kernel.
local function while_building(fn, fn2)
  local done = false
  debug.sethook(function()
    if not done and debug.getinfo(2, "S").source:find "luacuda/kernel/kernel.lua$" then
      done = true
      fn()
    end
  end, "c")
  local results = table.pack(pcall(fn2))
  debug.sethook()
  assert(done, "nothing was built")
  return table.unpack(results, 1, results.n)
end

-- Finalizers run inside calls that allocate.
local function with_eager_collector(fn)
  assert(helper.eagerly(fn))
end

-- `kernel` on floats gives the right result while finalizers run it on ints.
local function check_types(kernel, ints, floats, want)
  kernel(ints)
  with_eager_collector(function()
    for _ = 1, 300 do
      for _ = 1, 3 do
        setmetatable({}, { __gc = function() kernel(ints) end })
      end
      local y = kernel(floats)
      assert.equals("float32", y.dtype)
      assert.equals(want, y:sum())
    end
  end)
end

local number = 0
-- A source that was not compiled before.
local function other(text)
  number = number + 1
  return text .. " + " .. number
end

helper.for_each_device(function()
  it("builders read their options once", function()
    local options = { defines = { STEP = 2 } }
    local kernels = {
      cuda.elementwise("T x", "T y", "y = x * STEP", "scaled", options),
      cuda.reduction("T x", "T y", "x * STEP", "a + b", "y = a", 0, "total", options),
      cuda.scan("T x", "T y", "x * STEP", "a + b", 0, "running", options),
    }
    options.defines.STEP = 3
    for k, want in ipairs { { 2, 2, 2 }, 6, { 2, 4, 6 } } do
      local y = kernels[k](cuda.ones(3))
      assert.same(want, y.ndim == 0 and y:item() or y:totable())
    end
  end)

  it("an invalid stream is reported with the function's name", function()
    local running = cuda.scan("T x", "T y", "x", "a + b", 0, "running")
    local x = cuda.ones(3)
    assert.equals("running: option 'stream': expected a Stream, got 7",
      helper.misuse(running, x, { stream = 7 }))
    assert.equals("sort: option 'stream': expected a Stream, got array",
      helper.misuse(cuda.sort, x, { stream = x }))
  end)

  describe("during a call", function()
    it("the same elementwise kernel runs with other types", function()
      local twice = cuda.elementwise("T x", "T y", "y = x * 2", "twice")
      local ints, floats = cuda.arange(5, "int64"), cuda.arange(5, "float32")
      check_types(twice, ints, floats, 20.0)
    end)

    it("the same reduction runs with other types", function()
      local total = cuda.reduction("T x", "T y", "x", "a + b", "y = a", 0, "total")
      local ints, floats = cuda.arange(5, "int64"), cuda.arange(5, "float32")
      check_types(total, ints, floats, 10.0)
    end)

    it("closing inputs and outputs of an elementwise kernel is an error", function()
      for _, which in ipairs { "input", "output" } do
        local x, y = cuda.ones(100), cuda.zeros(100)
        local kernel = cuda.elementwise("float32 x", "float32 y", other "y = x", "copied")
        local ok, why = while_building(function() (which == "input" and x or y):free() end,
          function() return kernel(x, y) end)
        assert.is_false(ok)
        assert.matches("copied: attempt to use a closed Array", why, 1, true)
      end
    end)

    it("closing the stream is an error", function()
      local x, y = cuda.ones(100), cuda.zeros(100)
      local kernels = {
        cuda.elementwise("float32 x", "float32 y", other "y = x", "copied"),
        cuda.reduction("float32 x", "float32 y", other "x", "a + b", "y = a", 0, "total"),
        cuda.kernel(("__global__ void own(float *x, float *y) { y[0] = %s; }"):format(other "x[0]"),
          "own"),
      }
      for k, kernel in ipairs(kernels) do
        local s = cuda.stream()
        local ok, why = while_building(function()
          s:close()
          collectgarbage()
        end, function()
          if k == 3 then
            kernel({ grid = 1, block = 1, stream = s }, x, y)
          else
            kernel(x, k == 1 and y or cuda.zeros {}, { stream = s })
          end
        end)
        assert.is_false(ok)
        assert.matches("attempt to use a closed Stream", why, 1, true)
      end
    end)

    it("closing the input of a reduction is an error", function()
      local x = cuda.ones(100)
      local total = cuda.reduction("float32 x", "float32 y", other "x", "a + b",
        "y = a", 0, "total")
      local ok, why = while_building(function() x:free() end, function() return total(x) end)
      assert.is_false(ok)
      assert.matches("total: attempt to use a closed Array", why, 1, true)
    end)
  end)
end)

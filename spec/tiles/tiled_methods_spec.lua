-- What a kernel over tiles has besides calls: launches that are prepared, timed and profiled.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- Products whose copies run ahead where the device has wgmma.
local M, N, K = 64, 64, 64
local function product()
  return cuda.tiled(function(c, a, b)
    local i, j = program(1), program(2)
    local total = zeros("float32", M, N)
    for k = 1, tiles(a, 2, K) do
      total = dot(load(a, { i, k }, { M, K }), load(b, { k, j }, { K, N }), total)
    end
    store(c, { i, j }, total)
  end)
end

local function halves(...) return cuda.random.normal({ ... }):astype "float16" end

local function is_product(c, a, b)
  local expected = cuda.matmul(a:astype "float64", b:astype "float64")
  assert(cuda.allclose(c:astype "float64", expected, { atol = 0.1 }))
end

helper.for_each_device(function(device)
  describe("a kernel over tiles", function()
    it("has launches that are prepared, with the arrays of now", function()
      local kernel, a, b = product(), halves(100, 72), halves(72, 136)
      local c = cuda.zeros({ 100, 136 }, "float16")
      local launch = kernel:prepare({ tiles = c }, c, a, b)
      assert.same({ 0, 0 }, { c:min(), c:max() })
      launch()
      is_product(c, a, b)
      a:set(halves(100, 72))
      launch()
      is_product(c, a, b)
      assert.matches("arguments", helper.misuse(function() launch(c, a, b) end))
      assert.matches("expected { tiles", helper.misuse(function() kernel:prepare(1, c, a, b) end))
    end)

    it("keeps the arrays of a prepared launch alive", function()
      local c, weak = cuda.zeros({ 64, 64 }, "float16"), setmetatable({}, { __mode = "v" })
      local launch
      do
        local a, b = cuda.ones({ 64, 64 }, "float16"), cuda.ones({ 64, 64 }, "float16")
        weak[1] = a
        launch = product():prepare({ tiles = c }, c, a, b)
      end
      collectgarbage()
      assert.is_not_nil(weak[1])
      launch()
      assert.equal(64, c[1][1])
    end)

    it("has times", function()
      local kernel, a, b = product(), halves(64, 64), halves(64, 64)
      local c = cuda.empty({ 64, 64 }, "float16")
      assert(kernel:time_ms({ tiles = c }, c, a, b) > 0)
      is_product(c, a, b)
      local times = kernel:benchmark({ tiles = c, runs = 3, warmup = 0 }, c, a, b)
      assert.equal(3, times.runs)
      assert(times.min_ms > 0 and times.min_ms <= times.median_ms)
      local none = cuda.empty({ 0, 64 }, "float16")
      assert(kernel:time_ms({ tiles = none }, none, a, b) >= 0)
      kernel:prepare({ tiles = none }, none, a, b)()
    end)

    it("does not take the stream of the call before", function()
      local kernel, stream = product(), cuda.stream()
      local a, b, c = halves(64, 64), halves(64, 64), cuda.zeros({ 64, 64 }, "float16")
      kernel({ tiles = c, stream = stream }, c, a, b)
      stream:close()
      kernel({ tiles = c }, c, a, b)
      is_product(c, a, b)
    end)

    if device.kind == "cpu" then
      it("has profiles and steps of its own lines", function()
        local twice = cuda.tiled(function(y, x)
          store(y, { 1 }, load(x, { 1 }, { 64 }) * 2)
        end)
        local x, y = cuda.ones(64), cuda.zeros(64)
        local profile = twice:profile({ tiles = y }, y, x)
        assert.equal(1, profile.kernels[1].launches)
        local found
        for _, line in ipairs(profile.lines) do
          found = found or line.text and line.text:find("load(x", 1, true)
        end
        assert.truthy(found)
        assert.equal(2, y[64])
        local stops = 0
        for stop in twice:step({}, { tiles = y }, y, x) do
          assert.matches("tiled_methods_spec.lua$", stop.file)
          stops = stops + 1
        end
        assert(stops > 0)
      end)
    end
  end)
end)

-- Products on tensor cores of all kinds of elements, against functions of arrays in float64.
local helper = require "spec.helper"
local cuda = require "luacuda"

local M, N, K = 64, 24, 64
local FLOATS = { "float8_e4m3fn", "float8_e5m2", "float16", "bfloat16" }

-- c = a b, also of the transposed b.
local function kernels(sum, warps, precision)
  local fns = {}
  precision = precision or "full"
  function fns.nn(c, a, b)
    local i, j = program(1), program(2)
    local total = zeros(sum, M, N)
    for k = 1, tiles(a, 2, K) do
      local x, y = load(a, { i, k }, { M, K }), load(b, { k, j }, { K, N })
      if precision == "tf32" then total = dot(x, y, total, "tf32")
      elseif precision == "tf32x3" then total = total + dot(x, y, "tf32x3")
      else total = dot(x, y, total) end
    end
    store(c, { i, j }, total)
  end
  function fns.nt(c, a, b)
    local i, j = program(1), program(2)
    local total = zeros(sum, M, N)
    for k = 1, tiles(a, 2, K) do
      local x, y = load(a, { i, k }, { M, K }), transpose(load(b, { j, k }, { N, K }))
      if precision == "tf32" then total = dot(x, y, total, "tf32")
      elseif precision == "tf32x3" then total = dot(x, y, total, "tf32x3")
      else total = dot(x, y, total) end
    end
    store(c, { i, j }, total)
  end
  for name, fn in pairs(fns) do fns[name] = cuda.tiled(fn, { warps = warps, name = name }) end
  return fns
end

local function wide(a) return a:astype "float64" end

-- The largest error of each kernel, in units of the sums of the magnitudes of the products.
local function errors(fns, a, b, sum)
  local want, list = cuda.matmul(wide(a), wide(b)), {}
  local size = cuda.matmul(cuda.abs(wide(a)), cuda.abs(wide(b))) + 1e-30
  for name, kernel in pairs(fns) do
    local c = cuda.full({ a.shape[1], b.shape[2] }, 77, sum)
    kernel({ tiles = c }, c, a, name == "nt" and b:transpose():copy() or b)
    assert.matches("mma", kernel:ptx())
    list[name] = (cuda.abs(wide(c) - want) / size):max()
  end
  return list
end

helper.for_each_device(function(device)
  if device.cc < 80 then return end
  describe("products on tensor cores", function()
    before_each(function() cuda.random.seed(5) end)

    it("of narrow floats are those of their values", function()
      for k, dtype in ipairs(FLOATS) do
        local a = cuda.random.normal({ 130, 200 }):astype(dtype)
        local b = cuda.random.normal({ 200, 70 }):astype(dtype)
        local fns = kernels("float32", k % 2 == 0 and 4 or 2)
        for name, off in pairs(errors(fns, a, b, "float32")) do
          assert(off < 1e-3 and (device.kind == "gpu" or off < 1e-6), dtype .. name .. off)
        end
      end
    end)

    it("of all floats of 8 bits by 1 are these, in all places", function()
      for _, dtype in ipairs{ "float8_e4m3fn", "float8_e5m2" } do
        local fns = kernels("float32", 4)
        local a = cuda.arange(256, "uint8"):view(dtype):reshape { 4, 64 }
        local one = cuda.eye(64):astype(dtype)
        -- NaNs and infinities make their row NaN
        local finite = cuda.isfinite(a:astype "float32")
        local plain = cuda.where(finite, a:astype "float32", 0):astype(dtype)
        for name, kernel in pairs(fns) do
          local c = cuda.zeros({ 4, 64 })
          kernel({ tiles = c }, c, plain, one)
          assert(c:equals(plain:astype "float32"), dtype .. name)
          kernel({ tiles = c }, c, a, one)
          local row = finite:all{ axis = 2 }:reshape { 4, 1 }
          assert(cuda.isnan(c):equals((row:broadcast_to { 4, 64 }):logical_not()), dtype .. name)
        end
      end
    end)

    it("of integers are exact", function()
      for _, dtype in ipairs{ "int8", "uint8" } do
        local low = dtype == "int8" and -128 or 0
        local a = cuda.random.integers(low, low + 255, { 130, 200 }, { dtype = dtype })
        local b = cuda.random.integers(low, low + 255, { 200, 70 }, { dtype = dtype })
        for name, off in pairs(errors(kernels("int32", 4), a, b, "int32")) do
          assert.equal(0.0, off, dtype .. name)
        end
      end
    end)

    -- Only the CPU device has such products; its sums are those of threads.
    it("of float32 are sums by fma in the order of k", function()
      if device.kind ~= "cpu" then return end
      local sums = cuda.kernel[[
        __global__ void sums(float *c, const float *a, const float *b, int m, int n, int k) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i >= m * n) return;
          float s = 0;
          for (int x = 0; x < k; x++) s = __fmaf_rn(a[i / n * k + x], b[x * n + i % n], s);
          c[i] = s;
        }]]
      for _, extents in ipairs{ { 130, 200, 70 }, { 64, 64, 24 }, { 67, 33, 5 } } do
        local m, k, n = table.unpack(extents)
        local a, b = cuda.random.normal{ m, k }, cuda.random.normal{ k, n }
        local want = cuda.zeros{ m, n }
        sums({ grid = m * n // 128 + 1, block = 128 }, want, a, b, m, n, k)
        for name, kernel in pairs(kernels("float32", n == 70 and 2 or 4)) do
          local c = cuda.full({ m, n }, 77)
          kernel({ tiles = c }, c, a, name == "nt" and b:transpose():copy() or b)
          assert.matches("mma", kernel:ptx())
          assert(c:equals(want), name .. n)
        end
      end
    end)

    it("of float32 have the precision that is asked for", function()
      local a, b = cuda.random.normal{ 130, 200 }, cuda.random.normal{ 200, 70 }
      for name, off in pairs(errors(kernels("float32", 4, "tf32"), a, b, "float32")) do
        assert(off > 1e-5 and off < 2.0 ^ -10, name .. off)
      end
      for name, off in pairs(errors(kernels("float32", 4, "tf32x3"), a, b, "float32")) do
        assert(off < 1e-6, name .. off)
      end
    end)

    it("of float32 in parts have rows of NaN where a factor is infinite or NaN", function()
      local a, b = cuda.ones{ 64, 64 }, cuda.ones{ 64, 24 }
      a[3][5], a[4][6] = math.huge, 0 / 0
      local c = cuda.zeros{ 64, 24 }
      kernels("float32", 4, "tf32x3").nn({ tiles = c }, c, a, b)
      assert.equal(64, c:item(2, 1))
      assert(cuda.isnan(c:slice{ 3, 4 }):all())
    end)
  end)
end)

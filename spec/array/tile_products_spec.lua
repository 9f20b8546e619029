-- Products of matrices of 16-bit floats by kernels over tiles, against float64: layouts, batches,
-- extents and rows that are not aligned; and what is left to other kernels.
local cuda = require "luacuda"
local gemm_tiles = require "luacuda.linalg.gemm_tiles"
local helper = require "spec.helper"
local sm90 = require "spec.support.sm90"

local function swapped(x) return x.ndim == 3 and x:transpose{ 1, 3, 2 } or x:transpose() end

-- A matrix, or a batch of them, which may be a transposed view.
local function matrix(dtype, batch, rows, columns, turned)
  if turned then return swapped(matrix(dtype, batch, columns, rows)) end
  local shape = batch and { batch, rows, columns } or { rows, columns }
  return cuda.random.normal(shape):astype(dtype)
end

-- Calls fn and counts products by kernels over tiles.
local function counted(fn)
  local own, count = gemm_tiles.multiply, 0
  function gemm_tiles.multiply(...)
    local done = own(...)
    count = count + (done and 1 or 0)
    return done
  end
  local ok, why = pcall(fn)
  gemm_tiles.multiply = own
  assert(ok, why)
  return count
end

local PRECISION = { float16 = 1e-3, bfloat16 = 8e-3 }

local function check(a, b, out)
  local c = cuda.matmul(a, b, { backend = "kernel", out = out })
  local expected = cuda.matmul(a:astype "float64", b:astype "float64")
  local off = cuda.abs(c:astype "float64" - expected):max() / cuda.abs(expected):max()
  assert(off < PRECISION[a.dtype], ("%s x %s: %g"):format(table.concat(a.shape, " "),
    table.concat(b.shape, " "), off))
end

helper.for_each_device(function(device)
  if device.cc < 80 then return end
  local processors = device.multiprocessor_count
  describe("a product by a kernel over tiles", function()
    it("is right for all layouts and extents", function()
      local least = math.ceil(math.sqrt(processors / 4)) * 64
      local count = counted(function()
        for k = 1, 16 do
          local dtype = k % 2 == 0 and "float16" or "bfloat16"
          local step = k % 3 == 0 and 1 or 8
          local function extent(n) return (n + math.random(0, 200)) // step * step end
          local m, n, terms = extent(least), extent(least), extent(64)
          local batch = k % 4 == 0 and math.random(1, 3) or nil
          check(matrix(dtype, batch, m, terms, math.random(2) == 1),
            matrix(dtype, batch, terms, n, math.random(2) == 1))
        end
      end)
      assert.equal(16, count)
    end)

    it("goes to the array that is given", function()
      local n = math.ceil(math.sqrt(processors / 4)) * 64
      local a, b = matrix("float16", nil, n, 72), matrix("float16", nil, 72, n)
      local out = cuda.full({ n, n }, 7, "float16")
      assert.equal(1, counted(function() check(a, b, out) end))
      assert.is_true(cuda.array_equal(out, cuda.matmul(a, b, { backend = "kernel" })))
    end)

    it("is left to others if it is small, thin, wide, strided or of another dtype", function()
      local function half(...) return matrix("float16", nil, ...) end
      local n = math.ceil(math.sqrt(processors / 4)) * 64
      local strided = half(n, 256):slice({}, { 1, 256, 2 })
      assert.equal(0, counted(function()
        check(half(n, 32), half(32, n))
        check(half(8, 128), half(128, n))
        check(strided, half(128, n))
        cuda.matmul(cuda.ones{ n, 128 }, cuda.ones{ 128, n }, { backend = "kernel" })
        if processors > 8 then check(half(64, 4096), half(4096, 64)) end
      end))
    end)
  end)
end)

-- On a device with wgmma, where blocks of a cluster may share tiles.
sm90.for_each_device(function(device)
  describe("a product by wgmma", function()
    it("is right for all layouts", function()
      sm90.run(device, [[
        local function swap(x) return x:transpose() end
        for k, s in ipairs{ { 136, 200, 72 }, { 256, 192, 128 }, { 264, 136, 200 } } do
          local m, n, terms = table.unpack(s)
          for _, turned in ipairs{ false, true } do
            local function matrix(rows, columns, is_turned)
              if is_turned then return swap(matrix(columns, rows)) end
              return cuda.random.normal{ rows, columns }:astype "float16"
            end
            local a, b = matrix(m, terms, turned), matrix(terms, n, k % 2 == 0)
            local c = cuda.matmul(a, b, { backend = "kernel" })
            local expected = cuda.matmul(wide(a), wide(b))
            local off = cuda.abs(wide(c) - expected):max() / cuda.abs(expected):max()
            assert(off < 1e-3, off)
          end
        end
      ]])
    end)
  end)
end)

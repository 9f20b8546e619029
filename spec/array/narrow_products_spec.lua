-- Products by the tiled kernel where one side is short or the terms are many, against NumPy: thin
-- tiles, transposed products, terms in parts, single terms.
local helper = require "spec.helper"
local numpy = require "spec.support.numpy"
local cuda = require "luacuda"

-- m, k, n
local SHAPES = { { 300, 4, 4 }, { 4, 4, 300 }, { 200, 70, 3 }, { 17, 100, 8 }, { 8, 100, 17 },
  { 129, 33, 8 }, { 130, 40, 9 }, { 64, 16, 8 }, { 65, 15, 7 }, { 2, 5, 2 }, { 9, 1, 7 },
  { 4, 600, 4 }, { 20, 2000, 30 }, { 2, 5000, 2 }, { 33, 800, 5 }, { 5, 513, 70 }, { 17, 511, 17 } }
local DTYPES = { "float32", "float64", "complex64", "complex128", "bool", "int8", "int32", "int64",
  "uint16", "float16" }

-- Small integers, whose sums are exact; for float16 mostly 0.
local function numbers(shape, dtype)
  local low = (dtype:find "uint" or dtype == "bool") and 0 or -2
  local x = cuda.random.uniform(shape, { low = low - 0.9, high = dtype == "bool" and 1.9 or 2.9 })
  if dtype == "float16" then x = x * (cuda.random.uniform(shape):lt(0.05)) end
  return x:astype("int32"):astype(dtype)
end

local function transposed(x)
  return x.ndim == 2 and x:transpose() or x:transpose { 1, 3, 2 }
end

helper.for_each_device(function()
  describe("narrow products by the kernel", function()
    if not numpy.found() then
      pending "Python has no NumPy"
      return
    end

    for i, dtype in ipairs(DTYPES) do
      it("agree with NumPy for " .. dtype, function()
        cuda.random.seed(i)
        local oracle = numpy.new()
        for at, s in ipairs(SHAPES) do
          local m, k, n = table.unpack(s)
          local batch = (at + i) % 3 == 0
          local a = numbers(batch and { 2, m, k } or { m, k }, dtype)
          local b = numbers({ k, n }, dtype)
          if at % 2 == 0 then b = transposed(numbers({ n, k }, dtype)) end
          if at % 4 == 1 then a = transposed(numbers(batch and { 2, k, m } or { k, m }, dtype)) end
          local c = cuda.matmul(a, b, { backend = "kernel" })
          if at % 3 == 1 then
            local shape = c.ndim == 2 and { n, 2 * m } or { 2, n, 2 * m }
            local out = transposed(cuda.zeros(shape, dtype))
            out = c.ndim == 2 and out:slice({ 1, -1, 2 }, {}) or out:slice({}, { 2, -1, 2 }, {})
            c = cuda.matmul(a, b, { backend = "kernel", out = out })
          end
          oracle:expect("np.matmul(a, b)", { a = a, b = b }, c)
        end
        oracle:check()
      end)
    end
  end)
end)

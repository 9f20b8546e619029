-- Variances and comparisons with a tolerance in fused functions, against NumPy.
local helper = require "spec.helper"
local numpy = require "spec.support.numpy"
local cuda = require "luacuda"

local misuse = helper.misuse

local SPREADS = { "var", "std", "nanvar", "nanstd" }
local RTOL = { float16 = 2e-3, float32 = 2e-5, float64 = 1e-12, complex64 = 2e-5, int8 = 1e-12 }
-- in which NumPy computes, and the dtype of the result
local WIDE = { float16 = "float32", float32 = "float64", float64 = "float64",
  complex64 = "complex128", int8 = "float64" }
local RESULT = { complex64 = "float32", int8 = "float64" }

-- Random values around 3, with NaN for the functions that leave it out.
local function sample(shape, dtype, name)
  local rng = cuda.random.generator(#dtype + #name)
  local a = (rng:normal(shape, { dtype = "float64" }) * 2 + 3):astype(dtype)
  if name:find "^nan" and dtype ~= "int8" then
    a = cuda.where(rng:uniform(shape):lt(0.2), 0 / 0, a):astype(dtype)
  end
  return a
end

-- Fused: the reduction `name` of 2 a + b along axes; and what NumPy computes.
local function check_spread(oracle, name, dtype, axis, ddof)
  local a, b = sample({ 6, 5, 130 }, dtype, name), sample({ 130 }, dtype, name)
  local fused = cuda.fuse(function(x, y)
    return cuda[name](x + x + y, { axis = axis, ddof = ddof })
  end)
  local axes = {}
  for k, v in ipairs(type(axis) == "table" and axis or { axis }) do axes[k] = v - 1 end
  oracle:expect(("np.%s((a + a + b).astype(np.%s), axis=(%s,), ddof=%s).astype(np.%s)"):format(name,
    WIDE[dtype], table.concat(axes, ","), ddof or 0, RESULT[dtype] or dtype), { a = a, b = b },
    fused(a, b), { rtol = RTOL[dtype] })
end

local NAN, INF = 0 / 0, math.huge
local LEFT = { 1, 2, 3, NAN, INF, -INF, 100, 0, -7, 1e-9 }
local RIGHT = { 1.000001, 2.1, 3, NAN, INF, INF, 100.0009, 1e-9, 7, 0 }

local function pair(x, y)
  local function array(list, dtype)
    local plain = dtype:find "int" or dtype == "bool"
    local values = {}
    for k, v in ipairs(list) do values[k] = plain and (v ~= v or v >= INF or v < 0) and 3 or v end
    return cuda.array(values, "float64"):astype(dtype)
  end
  return array(LEFT, x), array(RIGHT, y)
end

helper.for_each_device(function()
  describe("fused", function()
    if not numpy.found() then
      pending "Python has no NumPy"
      return
    end

    for _, dtype in ipairs { "float16", "float32", "float64", "complex64", "int8" } do
      it("variances of " .. dtype, function()
        local oracle = numpy.new()
        for _, name in ipairs(SPREADS) do
          check_spread(oracle, name, dtype, 1)
          check_spread(oracle, name, dtype, 3, 1)
          check_spread(oracle, name, dtype, { 1, 3 }, 2.5)
        end
        oracle:check()
      end)
    end

    it("isclose of pairs of dtypes", function()
      local oracle = numpy.new()
      for _, types in ipairs { { "float32", "float32" }, { "float64", "float32" },
        { "float32", "float64" }, { "int8", "float32" }, { "uint64", "int32" },
        { "complex64", "float64" }, { "bool", "complex128" } } do
        local a, b = pair(table.unpack(types))
        local fused = cuda.fuse(function(x, y, tolerance)
          return cuda.isclose(x, y), x:isclose(y, { rtol = tolerance, atol = 2, equal_nan = true }),
            y:isclose(x, { equal_nan = true }), x:isclose(3), cuda.isclose(2.1, y)
        end)
        oracle:expect([[(np.isclose(a, b), np.isclose(a, b, rtol=0.01, atol=2, equal_nan=True),
          np.isclose(b, a, equal_nan=True), np.isclose(a, 3), np.isclose(2.1, b))]],
          { a = a, b = b }, { fused(a, b, 0.01) })
      end
      oracle:check()
    end)
  end)

  describe("fused", function()
    it("variances over all elements are Lua values", function()
      local x = cuda.array { 1, 2, 4, 9 }
      local fused = cuda.fuse(function(a)
        return (a * 2):var { ddof = 1 }, cuda.std(a), a:sum(), a:ptp()
      end)
      local var, std, sum, range = fused(x)
      helper.assert_close({ 152 / 3, math.sqrt(9.5), 16, 8 }, { var, std, sum, range },
        { dtype = "float32" })
      assert.is_true(cuda.fuse(function(a) return a:isclose(a + 1e-9):all() end)(x))
    end)

    it("variances refuse what is no option", function()
      local x = cuda.ones(3)
      local function raised(fn) return misuse(function() cuda.fuse(fn)(x, 1) end) end
      assert.equals("var: unknown option 'ddf'; did you mean 'ddof'?",
        raised(function(a) return a:var { ddf = 1 } end))
      assert.equals("std: option 'ddof': expected a number, got string",
        raised(function(a) return a:std { ddof = "1" } end))
      assert.equals("nanvar: option 'ddof': k is an argument of the fused function; make it an "
        .. "upvalue or a constant", raised(function(a, k) return cuda.nanvar(a, { ddof = k }) end))
    end)

    it("isclose refuses what it cannot do", function()
      local x = cuda.ones(3)
      local function raised(fn) return misuse(function() cuda.fuse(fn)(x) end) end
      assert.equals("isclose: option 'rtol': expected a number, got float32",
        raised(function(a) return a:isclose(1, { rtol = a }) end))
      assert.equals("isclose: option 'atol': expected a number, got string",
        raised(function(a) return a:isclose(1, { atol = "1" }) end))
      assert.matches("^isclose: options 'out' and 'stream' are not possible inside a fused",
        raised(function(a) return a:isclose(1, { out = x }) end))
      assert.equals("isclose: argument 2 'b': expected an array or a number, got nil",
        raised(function(a) return a:isclose() end))
      assert.equals("allclose: cannot be fused: return cuda.isclose(a, b):all() as a result",
        raised(function(a) return cuda.allclose(a, 1) end))
    end)
  end)
end)

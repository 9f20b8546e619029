-- Reductions along every axis of arrays of many shapes, with NaN, infinities and both zeros,
-- against NumPy: rows that threads share or have alone, columns of whole and of several warps, the
-- last tile of an axis, rows and columns whose extreme value has its place found by batches. A run
-- takes half of the functions for each dtype, others each time.

-- Values do not depend on the collector, which other specs of reductions run with.
if os.getenv "LUACUDA_TEST_GC" == "1" then return end

local helper = require "spec.helper"
local python = require "spec.support.evaluate"
local cuda = require "luacuda"

local SHAPES = { { 5003 }, { 40000 }, { 33, 1000 }, { 7, 259 }, { 1000, 37 }, { 300, 5 },
  { 65, 129 }, { 3, 1031 }, { 513, 64 }, { 2000, 10 }, { 9, 70, 101 }, { 40, 6, 35 },
  { 3, 5, 300 } }
local FUNCTIONS = { "sum", "min", "max", "argmin", "argmax", "any", "all", "count_nonzero", "mean",
  "var" }

local function drawn(names)
  local left, half = table.move(names, 1, #names, 1, {}), {}
  for k = 1, #names // 2 do half[k] = table.remove(left, math.random(#left)) end
  return half
end

-- Small integers, so that sums are exact in any order.
local function integers(shape, dtype)
  return cuda.random.generator(#shape * 1000 + shape[1]):integers(-9, 9, shape, { dtype = "int8" })
    :astype(dtype)
end

-- The same, mostly at or below zero, with some NaN and infinities.
local function special(shape, dtype)
  local generator = cuda.random.generator(shape[1])
  local x, u = integers(shape, dtype), generator:uniform(shape)
  x = cuda.where(u:lt(0.002), 0 / 0, x)
  x = cuda.where(u:gt(0.998), math.huge, x)
  x = cuda.where(u:gt(0.9) * u:lt(0.95), -math.huge, x)
  return cuda.where(u:gt(0.8) * u:lt(0.9), -0.0, x):astype(dtype)
end

local function check(arrays, lines, got)
  local want = python.run(arrays, table.concat(lines, "\n"))
  for k, y in ipairs(got) do
    local wanted = want[tostring(k)]:to(y.device):astype "float64"
    local off = cuda.isclose(wanted, y:astype "float64", { rtol = 1e-6, atol = 1e-6,
      equal_nan = true })
    assert.is_true(off:all(), lines[k])
  end
end

local function code(name, axis)
  local call = name == "count_nonzero" and "np.count_nonzero(W, axis=%d)"
    or name:find "^arg" and ("W.%s(%%d) + 1"):format(name)
    or ("W.%s(%%d%s)"):format(name, (name == "mean" or name == "var") and ", dtype='f8'" or "")
  return call:format(axis - 1)
end

describe("Reductions of many shapes", function()
  if not python.available() then
    pending "Python has no NumPy"
    return
  end

  helper.for_each_device(function()
    local function compare(make, dtype, names)
      local arrays, lines, got = {}, {}, {}
      names = drawn(names)
      for s, shape in ipairs(SHAPES) do
        local x = make(shape, dtype)
        arrays["w" .. s] = x
        for axis = 1, #shape do
          for _, name in ipairs(names) do
            local options = { axis = axis }
            if name == "mean" or name == "var" then options.dtype = "float64" end
            got[#got + 1] = x[name](x, options)
            lines[#lines + 1] = ("r_%d = %s"):format(#got, (code(name, axis):gsub("W", "w" .. s)))
          end
        end
      end
      check(arrays, lines, got)
    end

    for _, dtype in ipairs { "float32", "float64", "int32", "int8" } do
      it("of " .. dtype, function() compare(integers, dtype, FUNCTIONS) end)
    end

    for _, dtype in ipairs { "float32", "float64", "float16" } do
      it("of special values of " .. dtype, function()
        compare(special, dtype, { "min", "max", "argmin", "argmax", "any", "all" })
      end)
    end

    it("with nothing but the worst value, or NaN", function()
      for _, shape in ipairs(SHAPES) do
        local axis = #shape
        local lowest, none = cuda.full(shape, -math.huge), cuda.full(shape, 0 / 0)
        assert.is_true(lowest:argmax({ axis = axis }):eq(1):all())
        assert.is_true(none:argmax({ axis = axis }):eq(1):all())
        assert.is_true(none:max({ axis = axis }):isnan():all())
        assert.is_true((-lowest):argmin({ axis = axis }):eq(1):all())
      end
    end)
  end)
end)

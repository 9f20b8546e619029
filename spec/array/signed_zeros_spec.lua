-- The greater of -0.0 and 0.0 is 0.0, whatever the order of the arguments, as IEEE 754-2019 has it:
-- elementwise, in reductions, scans, segments and at indices. NumPy gives either of them, which
-- depends on the dtype and the number of elements.
local helper = require "spec.helper"
local cuda = require "luacuda"

local NAN = 0 / 0
local VALUES = { 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 1.0, -1.0, NAN }
local ZEROS = { 0.0, -0.0 }

local function below(a, b) return a < b or a == 0 and b == 0 and 1 / a < 1 / b end

-- NaN wins, or loses.
local function maximum(a, b) return (a ~= a or b == b and below(b, a)) and a or b end
local function minimum(a, b) return (a ~= a or b == b and below(a, b)) and a or b end
local function fmax(a, b) return (b ~= b or a == a and below(b, a)) and a or b end
local function fmin(a, b) return (b ~= b or a == a and below(a, b)) and a or b end

-- Numbers as text, which tells -0.0 from 0.0 and takes all NaNs for one.
local function text(v)
  if type(v) == "number" then return v ~= v and "nan" or ("%g"):format(v) end
  local list = {}
  for i, one in ipairs(v) do list[i] = text(one) end
  return "{" .. table.concat(list, " ") .. "}"
end

local function some(rng, n, values)
  local list = {}
  for i = 1, n do list[i] = values[rng(#values) + 1] end
  return list
end

local function zip(fn, x, y)
  local list = {}
  for i = 1, #x do list[i] = fn(x[i], y[i]) end
  return list
end

local function fold(fn, list)
  local y = list[1]
  for i = 2, #list do y = fn(y, list[i]) end
  return y
end

local function running(fn, list)
  local y = { list[1] }
  for i = 2, #list do y[i] = fn(y[i - 1], list[i]) end
  return y
end

-- The results along axis d of a list of m * n * k numbers taken as { m, n, k }.
local function along(fn, list, shape, d)
  local strides, results = { shape[2] * shape[3], shape[3], 1 }, {}
  local p, q = d == 1 and 2 or 1, d == 3 and 2 or 3
  for i = 0, shape[p] - 1 do
    for j = 0, shape[q] - 1 do
      local part = {}
      for c = 0, shape[d] - 1 do
        part[c + 1] = list[i * strides[p] + j * strides[q] + c * strides[d] + 1]
      end
      results[#results + 1] = fold(fn, part)
    end
  end
  return results
end

local PAIRS = { maximum = maximum, minimum = minimum, fmax = fmax, fmin = fmin }
local REDUCTIONS = { max = maximum, min = minimum, nanmax = fmax, nanmin = fmin }

helper.for_each_device(function()
  helper.for_all_dtypes(function(dtype)
    describe("zeros of both signs in " .. dtype, function()
      local rng = helper.random(#dtype)

      it("have an order in functions of two arguments", function()
        local x, y = some(rng, 301, VALUES), some(rng, 301, VALUES)
        local a, b = cuda.array(x, dtype), cuda.array(y, dtype)
        for name, fn in pairs(PAIRS) do
          local want = text(zip(fn, x, y))
          assert.equal(want, text(cuda[name](a, b):totable()), name)
          local strided = cuda.stack({ a, a }, { axis = 2 }):slice({}, 1)
          assert.equal(want, text(cuda[name](strided, b):totable()), name)
          local fused = cuda.fuse(function(p, q) return cuda[name](p, q) end)
          assert.equal(want, text(fused(a, b):totable()), name)
          for _, zero in ipairs(ZEROS) do
            local zeros = {}
            for i = 1, #x do zeros[i] = zero end
            want = text(zip(fn, x, zeros))
            assert.equal(want, text(cuda[name](a, zero):totable()), name)
            assert.equal(want, text(cuda[name](zero, a):totable()), name)
            assert.equal(want, text(cuda[name](a, cuda[dtype](zero)):totable()), name)
          end
        end
      end)

      it("have an order in reductions", function()
        for _, n in ipairs { 1, 2, 3, 31, 33, 1000, 70001 } do
          for _, values in ipairs { ZEROS, VALUES } do
            local x = some(rng, n, values)
            if n > 2 then                     -- one of its kind
              for i = 1, n do x[i] = x[1] end
              x[rng(n) + 1] = values[rng(#values) + 1]
            end
            local a = cuda.array(x, dtype)
            for name, fn in pairs(REDUCTIONS) do
              assert.equal(text(fold(fn, x)), text(a[name](a)), name .. " of " .. n)
            end
          end
        end
      end)

      it("have an order in reductions along an axis", function()
        for _, shape in ipairs { { 9, 7, 10 }, { 2, 300, 3 }, { 40, 2, 65 } } do
          local list = some(rng, helper.size_of(shape), ZEROS)
          list[rng(#list) + 1] = NAN
          local a = cuda.array(list, dtype):reshape(shape)
          for name, fn in pairs(REDUCTIONS) do
            for d = 1, 3 do
              assert.equal(text(along(fn, list, shape, d)),
                text(a[name](a, { axis = d }):reshape(-1):totable()), name)
            end
          end
        end
      end)

      it("have an order in scans", function()
        for _, n in ipairs { 1, 5, 33, 5000 } do
          local x = some(rng, n, ZEROS)
          if n > 5 then x[n - 2] = NAN end
          local a = cuda.array(x, dtype)
          assert.equal(text(running(maximum, x)), text(a:cummax():totable()))
          assert.equal(text(running(minimum, x)), text(a:cummin():totable()))
        end
        local x = cuda.array(some(rng, 5000, ZEROS), dtype):reshape(50, 100)
        for k, name in ipairs { "cummax", "cummin" } do
          local scanned = cuda[name](x, { axis = 1 })
          local row = x:slice({ 1, 20 }, {})[k == 1 and "max" or "min"](x:slice({ 1, 20 }, {}),
            { axis = 1 })
          assert.equal(text(row:totable()), text(scanned[20]:totable()))
        end
      end)

      it("have an order in segments and at indices", function()
        local x, offsets, indices = some(rng, 900, ZEROS), { 0, 1, 4, 250, 900 }, {}
        for i = 1, #x do indices[i] = rng(4) + 1 end
        local a = cuda.array(x, dtype)
        for name, fn in pairs { max = maximum, min = minimum } do
          local want = {}
          for s = 1, 4 do
            want[s] = fold(fn, table.move(x, offsets[s] + 1, offsets[s + 1], 1, {}))
          end
          local got = a[name](a, { segments = cuda.array(offsets, "int64") })
          assert.equal(text(want), text(got:totable()), name)

          local start = name == "max" and -math.huge or math.huge
          for s = 1, 4 do want[s] = start end
          for i, s in ipairs(indices) do want[s] = fn(want[s], x[i]) end
          local y = cuda.full(4, start, dtype)
          cuda["scatter_" .. name](y, cuda.array(indices, "int64"), a)
          assert.equal(text(want), text(y:totable()), name)
        end
      end)

      it("have an order in sorts of values, and none in those of indices", function()
        local x = some(rng, 500, ZEROS)
        local a, count = cuda.array(x, dtype), 0
        for _, v in ipairs(x) do count = count + (1 / v < 0 and 1 or 0) end
        local sorted, places = a:sort():totable(), a:argsort():totable()
        for i = 1, #x do
          assert.equal(i <= count, 1 / sorted[i] < 0)
          assert.equal(i, places[i])
        end
      end)

      it("stay as they are where clip has nothing to do", function()
        local x = some(rng, 200, { 0.0, -0.0, 2.0, -2.0, NAN })
        local a, want = cuda.array(x, dtype), {}
        for _, bounds in ipairs { { -0.0, 1.0 }, { 0.0, 1.0 }, { -1.0, 0.0 }, { -1.0, -0.0 } } do
          local lo, hi = bounds[1], bounds[2]
          for i, v in ipairs(x) do want[i] = v < lo and lo or v > hi and hi or v end
          assert.equal(text(want), text(a:clip(lo, hi):totable()))
        end
      end)
    end)
  end, { kind = "float" })

  -- As in NumPy: complex numbers that differ in the signs of zeros are equal.
  helper.for_all_dtypes(function(dtype)
    it("leave the first of two equal numbers in maximum and minimum of " .. dtype, function()
      local rng, x, y = helper.random(7), {}, {}
      for i = 1, 100 do
        x[i] = cuda.complex(ZEROS[rng(2) + 1], ZEROS[rng(2) + 1])
        y[i] = cuda.complex(ZEROS[rng(2) + 1], ZEROS[rng(2) + 1])
      end
      local a, b = cuda.array(x, dtype), cuda.array(y, dtype)
      for _, name in ipairs { "maximum", "minimum" } do
        local got = cuda[name](a, b)
        assert.equal(a:tobytes(), got:tobytes(), name)
      end
    end)
  end, { kind = "complex" })
end)

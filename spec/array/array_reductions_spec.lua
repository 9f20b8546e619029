-- a:sum{...} and the other reductions: result dtypes, axes, NaN, empty arrays, options. The
-- expected values are computed in Lua.
local helper = require "spec.helper"
local cuda = require "luacuda"

local misuse = helper.misuse
local NAN, INF = 0 / 0, math.huge

local ALL = { "sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "count_nonzero",
  "argmin", "argmax" }

-- Each reduction over a list of Lua numbers.
local reference = {}

function reference.sum(t)
  local s = 0
  for _, x in ipairs(t) do s = s + x end
  return s
end

function reference.prod(t)
  local p = 1
  for _, x in ipairs(t) do p = p * x end
  return p
end

local function best(t, goes_first)
  local at = 1
  for k = 2, #t do
    if goes_first(t[k], t[at]) then at = k end
  end
  return t[at], at
end

local function is_nan(x) return x ~= x end
local function smaller(x, y) return x < y or (is_nan(x) and not is_nan(y)) end
local function larger(x, y) return x > y or (is_nan(x) and not is_nan(y)) end

function reference.min(t) return (best(t, smaller)) end
function reference.max(t) return (best(t, larger)) end
function reference.argmin(t) return (select(2, best(t, smaller))) end
function reference.argmax(t) return (select(2, best(t, larger))) end
function reference.mean(t) return reference.sum(t) / #t end

function reference.var(t, ddof)
  local m, s = reference.mean(t), 0.0
  for _, x in ipairs(t) do s = s + (x - m) ^ 2 end
  return s / math.max(#t - (ddof or 0), 0)
end

function reference.std(t, ddof) return math.sqrt(reference.var(t, ddof)) end

function reference.count_nonzero(t)
  local n = 0
  for _, x in ipairs(t) do n = n + (x ~= 0 and 1 or 0) end
  return n
end

function reference.any(t) return reference.count_nonzero(t) > 0 end
function reference.all(t) return reference.count_nonzero(t) == #t end

local function numbers(n, low, high)
  local list, seed = {}, 7
  for k = 1, n do
    seed = (seed * 48271) % 2147483647
    list[k] = low + seed % (high - low + 1)
  end
  return list
end

-- Result dtypes as NumPy's.
local function result_dtype(what, dtype, kind)
  if what == "argmin" or what == "argmax" or what == "count_nonzero" then return "int64" end
  if what == "any" or what == "all" then return "bool" end
  if what == "min" or what == "max" then return dtype end
  local inexact = kind == "float" or kind == "complex"
  if what == "var" or what == "std" then
    if kind == "complex" then return dtype == "complex64" and "float32" or "float64" end
    return inexact and dtype or "float64"
  end
  if what == "mean" then return inexact and dtype or "float64" end
  if inexact then return dtype end
  return kind == "uint" and "uint64" or "int64"
end

local function column(t, c)
  local list = {}
  for r, row in ipairs(t) do list[r] = row[c] end
  return list
end

describe("array reductions", function()
  helper.for_each_device(function()
    describe("of all dtypes", function()
      helper.for_all_dtypes(function(dtype, row)
        if row.kind == "complex" then return end
        local list = row.kind == "bool" and { 1, 0, 1, 1, 0, 0, 1 }
          or numbers(7, row.kind == "uint" and 0 or -2, 4)
        local values = list
        if row.kind == "bool" then
          values = {}
          for k, x in ipairs(list) do values[k] = x ~= 0 end
        end

        local function wanted(what, t)
          local want = reference[what](t)
          if row.kind == "bool" and (what == "min" or what == "max") then return want ~= 0 end
          return want
        end

        it(dtype .. ": a Lua value over all elements, NumPy's dtype along axes", function()
          local a = cuda.array(values, dtype)
          local table_of = a:reshape { 7, 1 }
          for _, what in ipairs(ALL) do
            local want = wanted(what, list)
            helper.assert_close(want, a[what](a), { dtype = result_dtype(what, dtype, row.kind) })
            local along = cuda[what](table_of, { axis = 1 })
            assert.equal(result_dtype(what, dtype, row.kind), along.dtype, what)
            helper.assert_close({ want }, along, { dtype = along.dtype })
          end
        end)
      end)

      helper.for_all_dtypes(function(dtype)
        it(dtype .. ": compares real parts, then imaginary ones", function()
          local c = cuda.complex
          local a = cuda.array({ c(2, 1), c(1, 5), c(1, -1), c(2, 7) }, dtype)
          assert.equal(c(6, 12), a:sum())
          assert.equal(c(1.5, 3), a:mean())
          assert.equal(c(1, -1), a:min())
          assert.equal(c(2, 7), a:max())
          assert.equal(3, a:argmin())
          assert.equal(4, a:argmax())
          assert.equal(10.25, a:var())
          assert.equal("number", type(a:std()))
          assert.is_true(a:all())
          assert.equal(c(2, 1) * c(1, 5) * c(1, -1) * c(2, 7), a:prod())
          local z = cuda.array({ c(1, 0), c(0, 0), c(0, NAN), c(5, 5) }, dtype)
          assert.equal(3, z:argmax())
          assert.equal(3, z:argmin())
          assert.is_true(is_nan(z:max().im))
          assert.equal(3, z:count_nonzero())
        end)
      end, { kind = "complex" })
    end)

    it("go over every set of axes, with keepdims and out", function()
      local shape = { 3, 5, 4 }
      local a = cuda.array(numbers(60, -9, 9), "float32", { shape = shape })
      local t = a:totable()
      for _, what in ipairs { "sum", "max", "argmin", "var", "any" } do
        local function lists(axis)        -- the elements of each result, in order
          local out = {}
          if axis == 1 then
            for j = 1, 5 do
              for k = 1, 4 do out[#out + 1] = { t[1][j][k], t[2][j][k], t[3][j][k] } end
            end
          elseif axis == 2 then
            for i = 1, 3 do for k = 1, 4 do out[#out + 1] = column(t[i], k) end end
          else
            for i = 1, 3 do for j = 1, 5 do out[#out + 1] = t[i][j] end end
          end
          return out
        end
        for axis = 1, 3 do
          local want = {}
          for k, list in ipairs(lists(axis)) do want[k] = reference[what](list) end
          local got = a[what](a, { axis = axis })
          helper.assert_close(want, got:reshape(#want), { dtype = "float32" })
          local kept = a[what](a, { axis = axis - 4, keepdims = true })
          assert.equal(1, kept.shape[axis])
          assert.same(got:tobytes(), kept:tobytes())
          local out = cuda.empty(got.shape, got.dtype)
          assert.equal(out, a[what](a, { axis = axis, out = out }))
          assert.same(got:tobytes(), out:tobytes())
        end
        local rows = {}
        for i = 1, 3 do
          rows[i] = {}
          for j = 1, 5 do table.move(t[i][j], 1, 4, #rows[i] + 1, rows[i]) end
          rows[i] = reference[what](rows[i])
        end
        helper.assert_close(rows, a[what](a, { axis = { 2, 3 } }), { dtype = "float32" })
        assert.same({ 1, 1, 1 }, a[what](a, { keepdims = true }).shape)
        assert.same({}, a[what](a, { axis = { 1, 2, 3 } }).shape)
      end
    end)

    it("take views and arrays without axes", function()
      local a = cuda.array(numbers(77, -50, 50), "int32", { shape = { 7, 11 } })
      assert.same(a:sum { axis = 1 }:totable(), a:transpose():sum { axis = 2 }:totable())
      assert.same(a:argmax { axis = 2 }:totable(), a:transpose():argmax { axis = 1 }:totable())
      assert.equal(a:copy():argmin(), a:argmin())
      assert.equal(a:transpose():copy():argmin(), a:transpose():argmin())
      assert.equal(a:slice({ 2, 6, 2 }, { -1, 1, -3 }):copy():sum(),
        a:slice({ 2, 6, 2 }, { -1, 1, -3 }):sum())
      local one = cuda.array(5, "int16")
      assert.equal(5, one:sum())
      assert.equal(1, one:argmax())
      assert.equal(5, one:max())
      assert.same({ 15, 15 },
        cuda.array({ 3, 3 }, "uint8"):broadcast_to { 5, 2 }:sum { axis = 1 }:totable())
    end)

    it("propagate NaN: min and max; argmin and argmax give the first one", function()
      for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16" } do
        for _, n in ipairs { 3, 40, 5000, 70000 } do
          local a = cuda.ones(n, dtype)
          a[n // 2 + 1], a[n] = NAN, NAN
          a[1] = -INF
          assert.is_true(is_nan(a:min()))
          assert.is_true(is_nan(a:max()))
          assert.is_true(is_nan(a:sum()))
          assert.equal(n // 2 + 1, a:argmin())
          assert.equal(n // 2 + 1, a:argmax())
          assert.is_true(a:all())
        end
        assert.equal(-INF, cuda.array({ -INF, -INF }, dtype):max())
        assert.equal(1, cuda.array({ -INF, -INF }, dtype):argmax())
        assert.equal(1, cuda.array({ INF, INF }, dtype):argmin())
        assert.equal(1, cuda.array({ -0.0, 0.0 }, dtype):argmax())
      end
    end)

    it("give the first of equal extremes, at any size", function()
      for _, n in ipairs { 1, 31, 33, 1000, 4097, 65537, 200003 } do
        local a = cuda.zeros(n, "int8")
        assert.equal(1, a:argmin())
        assert.equal(1, a:argmax())
        a[n] = 127
        assert.equal(n, a:argmax())
        a[(n + 1) // 2] = 127
        assert.equal((n + 1) // 2, a:argmax())
      end
    end)

    it("handle the extremes of integer dtypes", function()
      assert.equal(math.mininteger, cuda.array({ math.mininteger, math.mininteger }, "int64"):max())
      assert.equal(math.maxinteger, cuda.array({ math.maxinteger, math.maxinteger }, "int64"):min())
      assert.equal(-1, cuda.array({ -1, -1 }, "uint64"):min())     -- the bits of 2^64 - 1
      assert.equal(-1, cuda.array({ 5, -1 }, "uint64"):max())
      assert.equal(0, cuda.array({ 0, 0 }, "uint64"):max())
      assert.equal(2, cuda.array({ 5, -1 }, "uint64"):argmax())
    end)

    it("add half floats as float32, and small integers as 64-bit integers", function()
      assert.equal(4096.0, cuda.ones(4096, "float16"):sum())
      assert.equal(4096.0, cuda.ones({ 4096, 1 }, "bfloat16"):sum { axis = 1 }:item(1))
      assert.equal(127 * 100000, cuda.full(100000, 127, "int8"):sum())
      assert.equal(100000, cuda.full(100000, true):sum())
      assert.equal(INF, cuda.full(2, 60000, "float16"):sum())
    end)

    it("lose few digits where the elements are equal", function()
      local x = 0.1
      local a = cuda.full(15105, x, "float32")
      local want = ("f"):unpack(("f"):pack(x))
      for name, terms in pairs { sum = a.size, nansum = a.size, mean = 1 } do
        local error = math.abs(a[name](a) / (want * terms) - 1)
        assert.is_true(error < 1e-6, name .. ": " .. error)
      end
    end)

    it("subtract the mean before squaring", function()
      local list = {}
      for k = 1, 1001 do list[k] = 1e9 + k % 3 end
      assert.is_true(math.abs(cuda.array(list, "float64"):var() - reference.var(list)) < 1e-9)
      local a = cuda.array({ 1e4, 1e4 + 1, 1e4 + 2 }, "float32")
      helper.assert_close(2 / 3, a:var(), { dtype = "float32" })
    end)

    it("take dtype and ddof", function()
      local a = cuda.array({ 1, 2, 3, 4 }, "int32")
      assert.equal(10.0, a:sum { dtype = "float32" })
      assert.equal("float16", a:sum { dtype = "f16", axis = 1 }.dtype)
      assert.equal("int32", a:sum { dtype = "int32", keepdims = true }.dtype)
      assert.equal(-128, cuda.full(2, 64, "int8"):sum { dtype = "int8" })
      assert.equal("float32", a:mean { dtype = "float32", axis = 1 }.dtype)
      assert.equal(2.5, a:mean { dtype = "float32" })
      assert.equal(1.25, a:var())
      assert.equal(5 / 3, a:var { ddof = 1 })
      assert.equal(math.sqrt(5 / 3), a:std { ddof = 1 })
      assert.equal("float32", a:var { dtype = "float32", axis = 1, ddof = 1 }.dtype)
      assert.equal(INF, a:var { ddof = 4 })
      assert.is_true(is_nan(cuda.array({ 1, 1 }, "float32"):var { ddof = 2 }))
    end)

    it("follow NumPy for empty arrays", function()
      local none, rows = cuda.empty(0), cuda.empty { 2, 0 }
      assert.equal(0.0, none:sum())
      assert.equal(1.0, none:prod())
      assert.is_false(none:any())
      assert.is_true(none:all())
      assert.equal(0, none:count_nonzero())
      assert.is_true(is_nan(none:mean()))
      assert.is_true(is_nan(none:var()))
      assert.same({ 0.0, 0.0 }, rows:sum { axis = 2 }:totable())
      assert.same({ 0 }, rows:sum { axis = 1 }.shape)
      for _, what in ipairs { "min", "max", "argmin", "argmax" } do
        assert.matches("^" .. what .. ": there are no elements to reduce", misuse(none[what], none))
        assert.matches("there are no elements", misuse(rows[what], rows, { axis = 2 }))
        assert.same({ 0 }, rows[what](rows, { axis = 1 }).shape)
      end
    end)

    it("work on host memory", function()
      local a = cuda.pinned(1000, "float32")
      a:fill(2)
      assert.equal(2000.0, a:sum())
      assert.equal("cpu", tostring(a:sum { axis = 1 }.device):match "cpu")
    end)

    it("refuse invalid arguments", function()
      local a = cuda.ones { 2, 3 }
      assert.matches("^sum: argument 1 'a': expected an Array, got number", misuse(cuda.sum, 3))
      assert.matches("^sum: expected a table of options such as { axis = ... }, got 1",
        misuse(a.sum, a, 1))
      assert.matches("^max: unknown option 'axes'.*axis", misuse(a.max, a, { axes = 1 }))
      assert.equal("sum: unknown option 'dtyp'; did you mean 'dtype'?",
        misuse(a.sum, a, { dtyp = "int64" }))
      assert.equal("sum: unknown option 'dtyp'; did you mean 'dtype'?",
        misuse(a.sum, a, { dtyp = "int64", axis = 1 }))
      assert.equal("std: unknown option 'dof'; did you mean 'ddof'?", misuse(a.std, a, { dof = 1 }))
      assert.equal("any: unknown option 'size'; options are axis, keepdims, out, stream",
        misuse(a.any, a, { size = 1 }))
      assert.matches("^max: unknown option 'dtype'", misuse(a.max, a, { dtype = "int8" }))
      assert.matches("^sum: unknown option 'ddof'", misuse(a.sum, a, { ddof = 1 }))
      assert.matches("^mean: option 'axis': 3 is not an axis", misuse(a.mean, a, { axis = 3 }))
      assert.matches("^var: option 'axis': axis 1 is named twice",
        misuse(a.var, a, { axis = { 1, 1 } }))
      assert.matches("^std: option 'ddof': expected a number, got string",
        misuse(a.std, a, { ddof = "1" }))
      assert.matches("^sum: option 'dtype': unknown dtype 'flaot32'.*float32",
        misuse(a.sum, a, { dtype = "flaot32" }))
      assert.matches("^mean: option 'dtype': expected a float or complex type, got int32",
        misuse(a.mean, a, { dtype = "int32" }))
      assert.matches("^sum: option 'dtype': float32 loses the imaginary part",
        misuse(cuda.sum, cuda.ones(2, "complex64"), { dtype = "float32" }))
      assert.matches("^argmax: argument 2 'y': an output has shape {4}, the result {2}",
        misuse(a.argmax, a, { axis = 2, out = cuda.empty(4, "int64") }))
      assert.matches("^argmax: argument 2 'y': expected int64 array",
        misuse(a.argmax, a, { axis = 2, out = cuda.empty(2, "int32") }))
      local point = cuda.struct("point", { { "x", "float32" } })
      assert.matches("an array of structs has no sum", misuse(cuda.sum, cuda.zeros(2, point)))
    end)
  end)
end)

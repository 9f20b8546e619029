-- isclose, allclose, array_equal and nan_to_num against NumPy.
local helper = require "spec.helper"
local numpy = require "spec.support.numpy_oracle"
local cuda = require "luacuda"

local NAN, INF = 0 / 0, math.huge
local PAIRS = {
  { "bool", "float32" }, { "int8", "float32" }, { "int32", "float32" }, { "uint64", "float32" },
  { "float32", "float32" }, { "float64", "float32" }, { "complex64", "float32" },
  { "complex128", "complex128" }, { "bool", "bool" }, { "int32", "uint64" }, { "uint64", "int32" },
  { "int8", "complex64" }, { "float64", "complex64" }, { "float32", "int32" },
}

-- Pairs of equal, close and distant values, and all special ones.
local function numbers(n, seed)
  local rng, x, y = helper.random(seed), {}, {}
  local special = { NAN, INF, -INF, 0, -0.0, 1 }
  for i = 1, n do
    x[i] = (rng(2000) - 1000) / 8
    y[i] = x[i] * (1 + (rng(5) - 2) * 0.7e-5) + (rng(3) - 1) * 1e-8
    if rng(3) == 0 then x[i], y[i] = special[rng(6) + 1], special[rng(6) + 1] end
  end
  return x, y
end

local function arrays_of(a_dtype, b_dtype)
  local x, y = numbers(300, #a_dtype * 7 + #b_dtype)
  local function array(values, dtype)
    local whole = dtype:find "int" or dtype == "bool"
    local list = {}
    for i, v in ipairs(values) do
      list[i] = whole and (v ~= v or math.abs(v) == INF) and 3 or v
      if whole then list[i] = math.abs(list[i]) // 1 end
    end
    return cuda.array(list, "float64"):astype(dtype)
  end
  return array(x, a_dtype), array(y, b_dtype)
end

describe("Comparisons", function()
  if not numpy.found then
    pending "Python has no NumPy"
    return
  end

  helper.for_each_device(function()
    it("isclose, allclose and array_equal of pairs of dtypes", function()
      local arrays, cases = {}, {}
      local function case(text, fn, ...) cases[#cases + 1] = { text:format(...), fn } end
      for k, pair in ipairs(PAIRS) do
        local a, b = arrays_of(pair[1], pair[2])
        local c = a:astype(pair[2])
        local x, y, z = "a" .. k, "b" .. k, "c" .. k
        arrays[x], arrays[y], arrays[z] = a, b, c
        case("np.isclose(%s, %s)", function() return cuda.isclose(a, b) end, x, y)
        case("np.isclose(%s, %s, rtol=0.01, atol=2, equal_nan=True)", function()
          return a:isclose(b, { rtol = 0.01, atol = 2, equal_nan = true })
        end, x, y)
        case("np.allclose(%s, %s)", function() return cuda.allclose(a, b) end, x, y)
        case("np.allclose(%s, %s, rtol=1e10)",
          function() return cuda.allclose(a, c, { rtol = 1e10 }) end, x, z)
        for _, option in ipairs { "False", "True" } do
          local opts = { equal_nan = option == "True" }
          case("np.allclose(%s, %s, equal_nan=%s)", function() return a:allclose(c, opts) end, x, z,
            option)
          case("np.array_equal(%s, %s, equal_nan=%s)",
            function() return cuda.array_equal(a, b, opts) end, x, y, option)
          case("np.array_equal(%s, %s, equal_nan=%s)",
            function() return cuda.array_equal(a, c, opts) end, x, z, option)
        end
      end
      numpy.check(arrays, cases)
    end)

    it("take numbers, broadcast, and take views and arrays without elements", function()
      local a, b = arrays_of("float32", "float64")
      a, b = a:reshape { 20, 15 }, b:slice { 1, 15 }
      local none = cuda.zeros { 0, 15 }
      local arrays = { a = a, b = b, none = none, n = cuda.array({ 1, 2, 3 }, "int16") }
      numpy.check(arrays, {
        { "np.isclose(a, b)", function() return cuda.isclose(a, b) end },
        { "np.isclose(a.T, b[:, None])",
          function() return cuda.isclose(a:transpose(), b:reshape { 15, 1 }) end },
        { "np.isclose(a[::2, ::-1], 1)",
          function() return a:slice({ 1, -1, 2 }, { -1, 1, -1 }):isclose(1) end },
        { "np.isclose(3.5, a)", function() return cuda.isclose(3.5, a) end },
        { "np.isclose(n, 2)", function() return arrays.n:isclose(2) end },
        { "np.isclose(2.00001, n)", function() return cuda.isclose(2.00001, arrays.n) end },
        { "np.isclose(n, 2 + 1e-9j)",
          function() return arrays.n:isclose(cuda.complex(2, 1e-9)) end },
        { "np.isclose(np.float64(2), n)",
          function() return cuda.isclose(cuda.float64(2), arrays.n) end },
        { "np.isclose(n, True)", function() return arrays.n:isclose(true) end },
        { "np.isclose(none, b)", function() return cuda.isclose(none, b) end },
        { "np.allclose(none, b)", function() return cuda.allclose(none, b) end },
        { "np.array_equal(none, none)", function() return cuda.array_equal(none, none) end },
        { "np.array_equal(none, none[:, :3])",
          function() return cuda.array_equal(none, none:slice({}, { 1, 3 })) end },
        { "np.array_equal(b, b[None])",
          function() return cuda.array_equal(b, b:reshape { 1, 15 }) end },
        { "np.array_equal(a.T, a.T, equal_nan=True)", function()
          return cuda.array_equal(a:transpose(), a:transpose():copy(), { equal_nan = true })
        end },
        { "np.array_equal(b[0], b[0])", function()
          return cuda.array_equal(cuda.array(b[1], "float64"), cuda.array(b[1], "float64"))
        end },
      })
    end)

    it("nan_to_num of all dtypes", function()
      local arrays, cases = {}, {}
      for _, dtype in ipairs { "bool", "int8", "uint64", "float16", "float32", "float64",
        "complex64", "complex128" } do
        local a = arrays_of(dtype, dtype)
        if dtype:find "complex" then a = a * cuda.complex(1, -2) end
        arrays[dtype] = a
        cases[#cases + 1] = { ("np.nan_to_num(%s)"):format(dtype),
          function() return cuda.nan_to_num(a) end }
        cases[#cases + 1] = { ("np.nan_to_num(%s[::-3], nan=-1.5, posinf=7, neginf=np.inf)"):format(
          dtype), function()
          return a:slice({ -1, 1, -3 }):nan_to_num { nan = -1.5, posinf = 7, neginf = INF }
        end }
      end
      numpy.check(arrays, cases)
      local half = cuda.array({ NAN, INF, -INF, 3 }, "bfloat16"):nan_to_num()
      local most = cuda.array({ 0x1.FEp127 }, "bfloat16"):item(1)
      assert.same({ 0, most, -most, 3 }, half:totable())
    end)
  end)
end)

helper.for_each_device(function()
  describe("Comparisons", function()
    it("write to `out`, also in place", function()
      local a = cuda.array { 1, NAN, INF }
      local out = cuda.zeros(6, "bool"):slice { 1, 6, 2 }
      assert.equal(out, cuda.isclose(a, 1, { out = out }))
      assert.same({ true, false, false }, out:totable())
      assert.equal(a, a:nan_to_num { nan = 5, posinf = 6, out = a })
      assert.same({ 1, 5, 6 }, a:totable())
    end)

    it("of float16 and bfloat16", function()
      for _, dtype in ipairs { "float16", "bfloat16" } do
        local a = cuda.array({ 1, 1.5, NAN, INF, -INF }, dtype)
        local b = cuda.array({ 1, 2, NAN, INF, INF }, dtype)
        assert.same({ true, false, true, true, false },
          a:isclose(b, { equal_nan = true }):totable())
        assert.is_false(a:allclose(b, { rtol = INF, equal_nan = true }))
        assert.is_true(cuda.array_equal(a, a:astype "float32", { equal_nan = true }))
        assert.is_false(cuda.array_equal(a, a))
      end
    end)

    it("run in a graph and without waiting, except for a boolean", function()
      local a, out, number = cuda.array { 1, NAN }, cuda.empty(2, "bool"), cuda.empty(2)
      cuda.no_sync(function()
        cuda.isclose(a, 1, { out = out })
        a:nan_to_num { out = number }
      end)
      local graph = cuda.graph(function()
        cuda.isclose(a, 2, { out = out })
        a:nan_to_num { nan = 7, out = number }
      end)
      a:set { NAN, 2 }
      graph:launch()
      assert.same({ false, true }, out:totable())
      assert.same({ 7, 2 }, number:totable())
      helper.contains(helper.error_of(cuda.no_sync, function() cuda.allclose(a, 1) end), "wait")
    end)

    it("refuse what they do not take", function()
      local a = cuda.zeros(3)
      assert.equal("isclose: argument 2 'b': expected an Array or a number, got string",
        helper.misuse(cuda.isclose, a, "1"))
      assert.equal("allclose: unknown option 'out'", helper.misuse(cuda.allclose, a, a,
        { out = a }):match "^[^;,(]*'out'")
      assert.equal("isclose: option 'rtol': expected a number, got string",
        helper.misuse(cuda.isclose, a, a, { rtol = "1" }))
      assert.equal("isclose: argument 2 'y': shape {4} does not broadcast with {3}",
        helper.misuse(cuda.isclose, a, cuda.zeros(4)))
      assert.equal("array_equal: argument 2 'b': expected an Array, got 1",
        helper.misuse(cuda.array_equal, a, 1))
      assert.equal("nan_to_num: option 'nan': expected a number, got true",
        helper.misuse(cuda.nan_to_num, a, { nan = true }))
    end)
  end)
end)

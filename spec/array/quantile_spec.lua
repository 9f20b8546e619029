-- median, quantile and percentile against NumPy.
local helper = require "spec.helper"
local numpy = require "spec.support.numpy_oracle"
local cuda = require "luacuda"

local NAN, INF = 0 / 0, math.huge
local REAL = { "int8", "uint8", "int32", "uint64", "float16", "float32", "float64" }
local METHODS = { "linear", "lower", "higher", "nearest", "midpoint" }

-- Values with ties; floats with a NaN in the last row.
local function numbers(dtype, shape, seed)
  local rng, list = helper.random(seed), {}
  local float, n = dtype:find "float" or dtype:find "complex", helper.size_of(shape)
  for i = 1, n do
    local v = rng(50) - (dtype:find "^u" and 0 or 25)
    list[i] = float and v / 4 or v
    if dtype:find "complex" then list[i] = cuda.complex(list[i], rng(9) - 4) end
  end
  if float then list[n - 1] = NAN end
  return cuda.array(list, dtype):reshape(shape)
end

describe("Quantiles", function()
  if not numpy.found then
    pending "Python has no NumPy"
    return
  end

  helper.for_each_device(function()
    it("median of all dtypes, along axes", function()
      local arrays, cases = {}, {}
      for k, dtype in ipairs { "bool", "complex64", "complex128", table.unpack(REAL) } do
        local a = dtype == "bool" and numbers("int8", { 4, 5, 6 }, k):gt(0)
          or numbers(dtype, { 4, 5, 6 }, k)
        arrays[dtype] = a
        for text, options in pairs {
          [""] = {}, [", axis=0"] = { axis = 1 }, [", axis=1"] = { axis = 2 },
          [", axis=-1, keepdims=True"] = { axis = -1, keepdims = true },
          [", axis=(0, 2)"] = { axis = { 1, 3 } },
          [", keepdims=True"] = { keepdims = true },
        } do
          cases[#cases + 1] = { ("np.median(%s%s)"):format(dtype, text),
            function() return cuda.median(a, next(options) and options) end }
        end
        cases[#cases + 1] = { ("np.median(%s.T[::2, 0, ::-1], axis=0)"):format(dtype), function()
          return a:transpose():slice({ 1, -1, 2 }, 1, { -1, 1, -1 }):median { axis = 1 }
        end }
      end
      arrays.long = numbers("float32", { 3, 9001 }, 77)
      cases[#cases + 1] = { "np.median(long, axis=1)",
        function() return arrays.long:median { axis = 2 } end }
      numpy.check(arrays, cases)
    end)

    it("quantile and percentile of all dtypes and methods", function()
      local arrays, cases = {}, {}
      for k, dtype in ipairs(REAL) do
        local a = numbers(dtype, { 5, 9 }, 20 + k)
        arrays[dtype] = a
        for _, method in ipairs(METHODS) do
          local function add(text, fn)
            cases[#cases + 1] = { text:gsub("A", dtype):gsub("M", ("method='%s'"):format(method)),
              fn }
          end
          add("np.quantile(A, 0.37, M)",
            function() return a:quantile(0.37, { method = method }) end)
          add("np.quantile(A, 0.5, axis=1, M)",
            function() return a:quantile(0.5, { axis = 2, method = method }) end)
          add("np.percentile(A, 87.5, axis=0, keepdims=True, M)", function()
            return cuda.percentile(a, 87.5, { axis = 1, keepdims = true, method = method })
          end)
          -- there a list is an array of float64
          local inner = (method == "linear" or method == "midpoint") and dtype:find "float"
          add(("np.quantile(A, [0.0, 0.13, 1.0, 0.5], axis=1, M)%s"):format(
            inner and (".astype('%s')"):format(dtype) or ""), function()
            return a:quantile({ 0, 0.13, 1, 0.5 }, { axis = 2, method = method })
          end)
        end
      end
      numpy.check(arrays, cases)
    end)

    it("of long rows, of which only some elements are found", function()
      local arrays, cases = {}, {}
      for k, dtype in ipairs { "bool", table.unpack(REAL) } do
        local shape = { 3, 4097 + 3 * k }
        local a = dtype == "bool" and numbers("int8", shape, k):gt(-3) or numbers(dtype, shape, k)
        if dtype:find "float" then
          a:slice(2, { 1, 2100 }):fill(0.0)
          a:slice(2, { 1, 2000, 2 }):fill(-0.0)
        end
        arrays[dtype] = a
        cases[#cases + 1] = { ("np.median(%s, axis=1)"):format(dtype),
          function() return a:median { axis = 2 } end }
        cases[#cases + 1] = { ("np.median(%s[0, ::-1])"):format(dtype),
          function() return a:slice(1, { -1, 1, -1 }):median() end }
        for _, method in ipairs(dtype ~= "bool" and METHODS or {}) do
          -- up to 15 neighbors and the last element are found, more are sorted
          for _, list in ipairs { "0, 0.3, 0.30001, 1", "0.9, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.99" }
          do
            local q = load("return {" .. list .. "}")()
            local inner = (method == "linear" or method == "midpoint") and dtype:find "float"
            cases[#cases + 1] = { ("np.quantile(%s, [%s], axis=1, method='%s')%s"):format(dtype,
              list, method, inner and (".astype('%s')"):format(dtype) or ""),
              function() return a:quantile(q, { axis = 2, method = method }) end }
          end
        end
      end
      arrays.three = numbers("float32", { 70, 3, 71 }, 5)
      cases[#cases + 1] = { "np.quantile(three, 0.7, axis=(0, 2), keepdims=True)", function()
        return arrays.three:quantile(0.7, { axis = { 1, 3 }, keepdims = true })
      end, rtol = 1e-6 }
      numpy.check(arrays, cases)
    end)

    it("of arrays of quantiles, special values, and no elements", function()
      local a, q = numbers("float32", { 7, 11 }, 3), cuda.array { { 0.1, 0.9 }, { 0.25, 1 } }
      local big = cuda.array({ -INF, 1, 2, INF }, "float64")
      local none = cuda.zeros { 0, 3 }
      numpy.check({ a = a, q = q, big = big, none = none }, {
        { "np.quantile(a, q.astype('f8')).astype('f4')", function() return a:quantile(q) end },
        { "np.quantile(a, q.astype('f8'), axis=1, keepdims=True)", function()
          return a:quantile(q:astype "float64", { axis = 2, keepdims = true })
        end, rtol = 1e-6 },
        { "np.quantile(a, [])",
          function() return cuda.quantile(a, {}):astype "float64" end },
        { "np.quantile(big, 0.2)", function() return cuda.quantile(big, 0.2) end },
        { "np.median(big)", function() return big:median() end },
        { "np.median(none)", function() return none:median() end },
        { "np.median(none, axis=0)", function() return none:median { axis = 1 } end },
        { "np.median(none, axis=1)", function() return none:median { axis = 2 } end },
        { "np.median(np.float32(3))", function() return cuda.array(3, "float32"):median() end },
        { "np.quantile(none, 0.5, axis=1)", function()
          return none:quantile(0.5, { axis = 2 })
        end },
        { "np.quantile(none, 0.5)", function() return none:quantile(0.5) end, raises = true },
        { "np.quantile(a, 1.01)", function() return a:quantile(1.01) end, raises = true },
        { "np.quantile(a, [0.5, np.nan])", function() return a:quantile { 0.5, NAN } end,
          raises = true },
        { "np.percentile(a, -1)", function() return a:percentile(-1) end, raises = true },
        { "np.median(a, axis=(0, -2))", function() return a:median { axis = { 1, -2 } } end,
          raises = true },
      })
    end)
  end)
end)

helper.for_each_device(function()
  describe("Quantiles", function()
    it("leave the array as it is, and write to `out`", function()
      local a = cuda.array { { 3, 1, 2 }, { 9, 7, 8 } }
      local before = a:totable()
      local wide = cuda.zeros { 2, 4 }
      local out = wide:slice({}, { 1, 4, 3 })
      assert.equal(out, a:quantile({ 0, 1 }, { axis = 2, out = out }))
      assert.same({ { 1, 0, 0, 7 }, { 3, 0, 0, 9 } }, wide:totable())
      assert.equal(2.5, cuda.percentile(cuda.array { 1, 2, 3, 4 }, 50))
      a:median()
      assert.same(before, a:totable())
      local row = a:slice(1)
      a:median { axis = 1, out = row }
      assert.same({ { 6, 4, 5 }, { 9, 7, 8 } }, a:totable())
    end)

    it("of bfloat16, with NaN and in a graph", function()
      local a = cuda.array({ 1, 2, 4, NAN }, "bfloat16")
      assert.same({ 2 }, a:slice({ 1, 3 }):median({ keepdims = true }):totable())
      assert.equal("bfloat16", a:median({ keepdims = true }).dtype)
      for _, method in ipairs(METHODS) do
        local v = a:quantile(0.1, { method = method })
        assert.is_true(v ~= v, method)
      end
      local x, out = cuda.array { 5, 1, 3 }, cuda.empty {}
      local graph = cuda.graph(function() x:quantile(0.5, { out = out }) end)
      x:set { 9, 7, 8 }
      graph:launch()
      assert.equal(8, out:item())
      cuda.no_sync(function() x:median { out = out } end)
    end)

    it("refuse what they do not take", function()
      local a = cuda.zeros(3)
      assert.equal("quantile: option 'method': expected 'linear', 'lower', 'higher', 'nearest' or "
        .. "'midpoint', got 'best'", helper.misuse(cuda.quantile, a, 0.5, { method = "best" }))
      assert.equal("percentile: argument 2 'q': expected numbers from 0 to 100, got 101",
        helper.misuse(cuda.percentile, a, { 1, 101 }))
      assert.equal("quantile: argument 2 'q': expected a number, a list of numbers or an Array, "
        .. "got string", helper.misuse(cuda.quantile, a, "0.5"))
      assert.equal("quantile: complex numbers have no order",
        helper.misuse(cuda.quantile, cuda.zeros(3, "complex64"), 0.5))
      helper.contains(helper.misuse(cuda.median, a, { axis = 2 }), "not an axis")
    end)
  end)
end)

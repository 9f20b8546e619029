-- histogram and bincount against NumPy. bincount counts from 1 here.
local helper = require "spec.helper"
local numpy = require "spec.support.numpy_oracle"
local cuda = require "luacuda"

local NAN, INF = 0 / 0, math.huge
local REAL = { "bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64" }

-- n values in quarters, so that many lie on edges.
local function numbers(dtype, n, seed, special)
  local rng, list = helper.random(seed), {}
  for i = 1, n do
    local v = rng(60) - (dtype:find "^u" and 0 or 30)
    if dtype == "bool" then list[i] = v > 3
    else list[i] = dtype:find "float" and v / 4 or v end
    if special and rng(10) == 0 then list[i] = ({ NAN, INF, -INF })[rng(3) + 1] end
  end
  return cuda.array(list, dtype)
end

local function first(x) return x end
local function second(_, x) return x end

describe("Histograms", function()
  if not numpy.found then
    pending "Python has no NumPy"
    return
  end

  helper.for_each_device(function()
    it("of all dtypes: counts and edges", function()
      local arrays, cases = {}, {}
      local function add(text, a, options)
        cases[#cases + 1] = { text .. "[0]",
          function() return first(cuda.histogram(a, options)) end }
        cases[#cases + 1] = { text .. "[1]",
          function() return second(cuda.histogram(a, options)) end, rtol = 0, atol = 0 }
      end
      for k, dtype in ipairs(REAL) do
        local a = numbers(dtype, 500 + k, k)
        arrays[dtype] = a
        -- NumPy rounds edges of float16 after each step
        if dtype ~= "bool" and dtype ~= "float16" then
          add(("np.histogram(%s)"):format(dtype), a)
          add(("np.histogram(%s, bins=7)"):format(dtype), a, { bins = 7 })
          add(("np.histogram(%s, 13, range=(-3, 8.5))"):format(dtype), a,
            { bins = 13, range = { -3, 8.5 } })
        end
        if dtype ~= "bool" then
          add(("np.histogram(%s, np.array([-2, 0, 0.5, 0.5, 7]))"):format(dtype), a,
            { bins = { -2, 0, 0.5, 0.5, 7.0 } })
          add(("np.histogram(%s, np.array([0, 3, 9]))"):format(dtype), a, { bins = { 0, 3, 9 } })
        end
      end
      numpy.check(arrays, cases)
    end)

    it("of random floats: the same counts and edges, or an error if edges coincide", function()
      local arrays, cases, refused = {}, {}, 0
      local function add(text, a, options, raises)
        for k = 0, 1 do
          cases[#cases + 1] = { ("%s[%d]"):format(text, k),
            function() return (select(k + 1, cuda.histogram(a, options))) end,
            rtol = 0, atol = 0, raises = raises }
        end
      end
      for seed = 1, 40 do
        local rng, dtype = helper.random(seed), seed % 4 == 0 and "float64" or "float32"
        local size = 10.0 ^ (rng(12) - 6)
        local from, bins, name = (rng(5) - 2) * 100 * size, rng(40) + 1, "a" .. seed
        local list = {}
        for i = 1, 200 do list[i] = from + rng(100000) / 100000 * size end
        local a = cuda.array(list, dtype)
        arrays[name] = a
        add(("np.histogram(%s, %d)"):format(name, bins), a, { bins = bins })
        local low, high = from + 0.1 * size, from + 0.7 * size
        add(("np.histogram(%s, %d, range=(%.17g, %.17g))"):format(name, bins, low, high), a,
          { bins = bins, range = { low, high } })
      end
      -- ranges that span only a few floats
      for seed = 1, 60 do
        local rng, dtype = helper.random(seed), ({ "float32", "float64" })[seed % 2 + 1]
        local near = dtype == "float32" and 2.0 ^ -23 or 2.0 ^ -52
        local steps, bins, name = rng(24), rng(24) + 1, "b" .. seed
        local list = {}
        for i = 1, 50 do list[i] = 1 + rng(steps + 1) * near end
        list[51], list[52] = 1, 1 + steps * near
        arrays[name] = cuda.array(list, dtype)
        local raises = steps > 0 and steps < bins
        refused = refused + (raises and 1 or 0)
        add(("np.histogram(%s, %d)"):format(name, bins), arrays[name], { bins = bins }, raises)
      end
      assert.is_true(refused > 10 and refused < 50)
      arrays.large = cuda.full(3, 1e9, "float32")
      add("np.histogram(large)", arrays.large, nil, true)
      numpy.check(arrays, cases)
      helper.contains(helper.misuse(cuda.histogram, arrays.large), "histogram: 10 bins from 1e+09 "
        .. "to 1e+09 are too narrow: edges of float32 coincide; take fewer bins or elements of a "
        .. "wider dtype")
    end)

    it("with special values, weights, densities, views and many bins", function()
      local a, s = numbers("float32", 900, 3), numbers("float64", 900, 4, true)
      local w, k = cuda.random.uniform(900), numbers("int32", 900, 5)
      local none, same = cuda.zeros { 0, 3 }, cuda.full(5, 2.5)
      local edges = cuda.sort(numbers("float32", 30, 6))
      local most = cuda.array({ -1, 0, -2, 5, math.mininteger }, "uint64")
      local arrays = { a = a, s = s, w = w, k = k, none = none, same = same, e = edges,
        most = most }
      local cases = {}
      local function add(text, fn)
        cases[#cases + 1] = { "np.histogram(" .. text .. ")[0]", function() return (fn()) end,
          rtol = 1e-5 }
      end
      add("s, 8, range=(-2, 2)",
        function() return cuda.histogram(s, { bins = 8, range = { -2, 2 } }) end)
      add("s, e", function() return cuda.histogram(s, { bins = edges }) end)
      add("a, e", function() return cuda.histogram(a, { bins = edges }) end)
      add("a, e[::3]", function() return cuda.histogram(a, { bins = edges:slice { 1, -1, 3 } }) end)
      add("a, 9, weights=w", function() return cuda.histogram(a, { bins = 9, weights = w }) end)
      add("a, e, weights=w.astype('f8')", function()
        return cuda.histogram(a, { bins = edges, weights = w:astype "float64" })
      end)
      add("a, 9, weights=k", function() return cuda.histogram(a, { bins = 9, weights = k }) end)
      add("a, 9, density=True",
        function() return cuda.histogram(a, { bins = 9, density = true }) end)
      add("a, 9, weights=w, density=True",
        function() return cuda.histogram(a, { bins = 9, weights = w, density = true }) end)
      add("a.reshape(30, 30).T[::2], 9", function()
        return cuda.histogram(a:reshape({ 30, 30 }):transpose():slice { 1, -1, 2 }, { bins = 9 })
      end)
      add("a, 5000", function() return cuda.histogram(a, { bins = 5000 }) end)
      add("a, 5000, weights=w",
        function() return cuda.histogram(a, { bins = 5000, weights = w }) end)
      add("none", function() return cuda.histogram(none) end)
      add("none, [1, 2, 3]", function() return cuda.histogram(none, { bins = { 1, 2, 3 } }) end)
      add("most, 4", function() return cuda.histogram(most, { bins = 4 }) end)
      add("same, 4", function() return cuda.histogram(same, { bins = 4 }) end)
      add("a, [1]", function() return cuda.histogram(a, { bins = { 1 } }) end)
      add("a, [1, 1]", function() return cuda.histogram(a, { bins = { 1, 1 } }) end)
      for _, case in ipairs {
        { "np.histogram(s)[0]", function() return cuda.histogram(s) end },
        { "np.histogram(a, range=(2, 1))[0]",
          function() return cuda.histogram(a, { range = { 2, 1 } }) end },
        { "np.histogram(a, range=(0, np.inf))[0]",
          function() return cuda.histogram(a, { range = { 0, INF } }) end },
        { "np.histogram(a, [2, 1])[0]",
          function() return cuda.histogram(a, { bins = { 2, 1 } }) end },
        { "np.histogram(a, 0)[0]", function() return cuda.histogram(a, { bins = 0 }) end },
        { "np.histogram(a, weights=w[1:])[0]",
          function() return cuda.histogram(a, { weights = w:slice { 2, -1 } }) end },
      } do
        case.raises = true
        cases[#cases + 1] = case
      end
      numpy.check(arrays, cases)
    end)

    it("bincount", function()
      local arrays, cases = {}, {}
      for k, dtype in ipairs { "int8", "uint8", "int16", "int32", "int64" } do
        local x = numbers(dtype, 300, k):abs() + 1
        local w = cuda.random.uniform(300)
        x = x:astype(dtype)
        arrays["x" .. k], arrays["w" .. k] = x, w
        cases[#cases + 1] = { ("np.bincount(x%d)[1:]"):format(k),
          function() return cuda.bincount(x) end }
        cases[#cases + 1] = { ("np.bincount(x%d, minlength=101)[1:]"):format(k),
          function() return cuda.bincount(x, { minlength = 100 }) end }
        cases[#cases + 1] = { ("np.bincount(x%d, weights=w%d)[1:]"):format(k, k),
          function() return cuda.bincount(x, { weights = w }) end }
        cases[#cases + 1] = { ("np.bincount(x%d[::-3], w%d[::3])[1:]"):format(k, k), function()
          return cuda.bincount(x:slice { -1, 1, -3 }, { weights = w:slice { 1, -1, 3 } })
        end }
      end
      local none, big = cuda.zeros(0, "int32"), cuda.array({ 20000, 3, 20000 }, "int32")
      arrays.none, arrays.big = none, big
      cases[#cases + 1] = { "np.bincount(none)", function() return cuda.bincount(none) end }
      cases[#cases + 1] = { "np.bincount(none, minlength=3)",
        function() return cuda.bincount(none, { minlength = 3 }) end }
      cases[#cases + 1] = { "np.bincount(big)[1:]", function() return cuda.bincount(big) end }
      cases[#cases + 1] = { "np.bincount(big, [1, 2, 3])[1:]",
        function() return cuda.bincount(big, { weights = cuda.array { 1, 2, 3 } }) end }
      numpy.check(arrays, cases)
    end)
  end)
end)

helper.for_each_device(function()
  describe("Histograms", function()
    it("count every element of a large array once", function()
      local n = 300000
      local x = cuda.arange(n, "int32")
      assert.same({ n // 3, n // 3, n // 3 }, (cuda.bincount(x % 3 + 1)):totable())
      local counts, edges = cuda.histogram(x, { bins = 6000 })
      assert.equal(n, counts:sum())
      assert.equal(50, counts:max())
      assert.equal(6001, edges.size)
      assert.same({ n }, cuda.histogram(x:astype "bfloat16", { bins = 1 }):totable())
    end)

    it("put a value on an edge into the bin that begins there", function()
      for bins = 1, 120 do
        local _, edges = cuda.histogram(cuda.zeros(0, "float64"), { bins = bins, range = { 0, 1 } })
        local counts = cuda.histogram(edges, { bins = bins, range = { 0, 1 } })
        local want = cuda.ones(bins, "int64")
        want[-1] = 2
        assert.same(want:totable(), counts:totable())
      end
    end)

    it("bincount counts what unique numbers", function()
      local x = cuda.array { 3, 1, 3, 7, 1, 3 }
      local _, inverse, counts = cuda.unique(x, { return_inverse = true, return_counts = true })
      assert.same(counts:totable(), cuda.bincount(inverse):totable())
    end)

    it("do not wait where the range or the edges are given", function()
      local x, counts = cuda.array { 1, 2, 2, 5 }, nil
      cuda.no_sync(function() counts = cuda.histogram(x, { bins = 2, range = { 0, 4 } }) end)
      assert.same({ 1, 2 }, counts:totable())
      cuda.no_sync(function() counts = cuda.histogram(x, { bins = { 0, 2, 6 } }) end)
      assert.same({ 1, 3 }, counts:totable())
    end)

    it("refuse what they do not take", function()
      local a = cuda.array({ 3, 0, 1 }, "int32")
      assert.equal("bincount: argument 1 'x': 0 is not a bin: bins count from 1 (to count from 0: "
        .. "x + 1)", helper.misuse(cuda.bincount, a))
      assert.equal("bincount: argument 1 'x': expected integers, got an array of float32",
        helper.misuse(cuda.bincount, cuda.zeros(3)))
      assert.equal("bincount: option 'minlength': expected an integer from 0 on, got -1",
        helper.misuse(cuda.bincount, a, { minlength = -1 }))
      assert.equal("histogram: complex numbers have no order",
        helper.misuse(cuda.histogram, cuda.zeros(3, "complex64")))
      assert.equal("histogram: option 'range': expected a list of two numbers, got table",
        helper.misuse(cuda.histogram, a, { range = { 1 } }))
      assert.equal("histogram: option 'bins': the edges do not ascend: 3 is followed by 2",
        helper.misuse(cuda.histogram, a, { bins = { 1, 3, 2 } }))
      assert.equal("histogram: option 'weights': expected real numbers, got an array of bool",
        helper.misuse(cuda.histogram, a, { weights = a:gt(0) }))
    end)
  end)
end)

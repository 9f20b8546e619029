-- average, ptp, cov and corrcoef against NumPy.
local helper = require "spec.helper"
local numpy = require "spec.support.numpy_oracle"
local cuda = require "luacuda"

local NAN = 0 / 0

local function numbers(dtype, shape, seed)
  local rng, list = helper.random(seed), {}
  for i = 1, helper.size_of(shape) do
    local v = rng(40) - (dtype:find "^u" and 0 or 20)
    list[i] = dtype:find "int" and v or v / 4
    if dtype:find "complex" then list[i] = cuda.complex(v / 4, rng(9) - 4) end
  end
  return cuda.array(list, dtype):reshape(shape)
end

describe("Averages", function()
  if not numpy.found then
    pending "Python has no NumPy"
    return
  end

  helper.for_each_device(function()
    it("with and without weights, of pairs of dtypes", function()
      local arrays, cases = {}, {}
      for k, pair in ipairs {
        { "int8", "int32" }, { "uint64", "float32" }, { "float32", "float32" },
        { "float32", "int64" }, { "float64", "float32" }, { "complex64", "float32" },
        { "float32", "complex128" },
      } do
        local a, w = numbers(pair[1], { 4, 5, 6 }, k), numbers(pair[2], { 4, 5, 6 }, 30 + k)
        w = (w:abs() + 1):astype(pair[2])
        local row, plane = w:slice(2, {}, 3), w:slice({}, 1)
        local names = { x = "a" .. k, w = "w" .. k, r = "r" .. k, p = "p" .. k }
        arrays[names.x], arrays[names.w], arrays[names.r], arrays[names.p] = a, w, row, plane
        for text, options in pairs {
          ["x"] = {}, ["x, axis=0"] = { axis = 1 }, ["x, axis=(0, 2), keepdims=True"] = {
            axis = { 1, 3 }, keepdims = true },
          ["x, weights=w"] = { weights = w }, ["x, axis=1, weights=w"] = { axis = 2, weights = w },
          ["x, axis=-2, weights=r, keepdims=True"] = { axis = -2, weights = row, keepdims = true },
          ["x, axis=(0, 2), weights=p"] = { axis = { 1, 3 }, weights = plane },
          ["x, axis=(2, 0), weights=p.T"] = { axis = { 3, 1 }, weights = plane:transpose() },
        } do
          local call = "np.average(" .. text:gsub("%f[%w]([xwrp])%f[^%w]", names)
          local opts = next(options) and options
          cases[#cases + 1] = { call .. ")", function() return a:average(opts) end, rtol = 1e-5,
            atol = 1e-5 }
          local both = { returned = true }
          for key, value in pairs(options) do both[key] = value end
          cases[#cases + 1] = { call .. ", returned=True)[1]",
            function() return (select(2, cuda.average(a, both))) end, rtol = 1e-5, atol = 1e-5 }
        end
      end
      local x = numbers("float64", { 3, 4 }, 1)
      arrays.x, arrays.half = x, x:astype "float16"
      cases[#cases + 1] = { "np.average(x, axis=1, weights=[1, 2, 0.5, 4])",
        function() return x:average { axis = 2, weights = { 1, 2, 0.5, 4 } } end }
      cases[#cases + 1] = { "np.average(half, weights=half)",
        function() return arrays.half:average { weights = arrays.half } end, rtol = 5e-3 }
      cases[#cases + 1] = { "np.average(x, weights=[1, 2, 3])",
        function() return x:average { weights = { 1, 2, 3 } } end, raises = true }
      cases[#cases + 1] = { "np.average(x, axis=0, weights=[1, 2, 3, 4])",
        function() return x:average { axis = 1, weights = { 1, 2, 3, 4 } } end, raises = true }
      numpy.check(arrays, cases)
    end)

    it("ptp of all real dtypes", function()
      local arrays, cases = {}, {}
      for k, dtype in ipairs { "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
        "uint64", "float16", "float32", "float64" } do
        local a = numbers(dtype, { 5, 7 }, k)
        if dtype == "int8" then a[1] = -100 a[2] = 100 end
        if dtype == "float32" then a:slice({}, 2):fill(NAN) end
        arrays[dtype] = a
        cases[#cases + 1] = { ("np.ptp(%s)"):format(dtype), function() return a:ptp() end }
        cases[#cases + 1] = { ("np.ptp(%s, axis=0)"):format(dtype),
          function() return cuda.ptp(a, { axis = 1 }) end }
        cases[#cases + 1] = { ("np.ptp(%s.T[::2], axis=1, keepdims=True)"):format(dtype), function()
          return a:transpose():slice({ 1, -1, 2 }):ptp { axis = 2, keepdims = true }
        end }
      end
      arrays.none = cuda.zeros { 0, 3 }
      cases[#cases + 1] = { "np.ptp(none)", function() return arrays.none:ptp() end, raises = true }
      numpy.check(arrays, cases)
    end)

    it("cov and corrcoef", function()
      local arrays, cases = {}, {}
      local f, g = { 1, 0, 2, 3, 1, 1, 0, 2, 1 }, { 0.5, 1, 2, 0, 1, 3, 1, 0.25, 1 }
      for k, dtype in ipairs { "bool", "int16", "uint64", "float32", "float64", "complex64" } do
        local a = dtype == "bool" and numbers("int8", { 4, 9 }, k):gt(0)
          or numbers(dtype, { 4, 9 }, k)
        local b = numbers("float32", { 2, 9 }, 60 + k)
        arrays["a" .. k], arrays["b" .. k] = a, b
        local function add(text, fn)
          cases[#cases + 1] = { text:gsub("%f[%w]([AB])%f[^%w]", { A = "a" .. k, B = "b" .. k })
            :gsub("FREQUENCIES", "[1, 0, 2, 3, 1, 1, 0, 2, 1]")
            :gsub("IMPORTANCE", "[0.5, 1, 2, 0, 1, 3, 1, 0.25, 1]"), fn, rtol = 1e-12,
            atol = 1e-12 }
        end
        add("np.cov(A)", function() return cuda.cov(a) end)
        add("np.cov(A, bias=True)", function() return cuda.cov(a, { bias = true }) end)
        add("np.cov(A, B, ddof=3)", function() return cuda.cov(a, b, { ddof = 3 }) end)
        add("np.cov(A.T, rowvar=False)",
          function() return cuda.cov(a:transpose(), { rowvar = false }) end)
        add("np.cov(A[0])", function() return cuda.cov(a:slice(1)) end)
        add("np.cov(A[0], B[1])", function() return cuda.cov(a:slice(1), b:slice(2)) end)
        add("np.cov(A, fweights=FREQUENCIES)", function() return cuda.cov(a, { fweights = f }) end)
        add("np.cov(A, aweights=IMPORTANCE)", function() return cuda.cov(a, { aweights = g }) end)
        add("np.cov(A, fweights=FREQUENCIES, aweights=IMPORTANCE, ddof=2)",
          function() return cuda.cov(a, { fweights = f, aweights = g, ddof = 2 }) end)
        add("np.cov(A, aweights=IMPORTANCE, ddof=0)",
          function() return cuda.cov(a, { aweights = g, ddof = 0 }) end)
        add("np.corrcoef(A)", function() return cuda.corrcoef(a) end)
        add("np.corrcoef(A, B)", function() return cuda.corrcoef(a, b) end)
        add("np.corrcoef(A.T, rowvar=False)[:3, :3]", function()
          return cuda.corrcoef(a:transpose(), { rowvar = false }):slice({ 1, 3 }, { 1, 3 })
        end)
        add("np.corrcoef(A[0])", function() return cuda.corrcoef(a:slice(1)) end)
      end
      local a, none, one = arrays.a4, cuda.zeros { 0, 5 }, cuda.ones { 3, 1 }
      arrays.none, arrays.one, arrays.flat = none, one, cuda.zeros { 3, 0 }
      for _, case in ipairs {
        { "np.cov(a4, dtype='f4')", function() return cuda.cov(a, { dtype = "f32" }) end,
          rtol = 1e-5 },
        { "np.corrcoef(a4, dtype='f4')", function() return cuda.corrcoef(a, { dtype = "f32" }) end,
          rtol = 1e-5 },
        { "np.cov(none)", function() return cuda.cov(none) end },
        { "np.cov(one)", function() return cuda.cov(one) end },
        { "np.cov(arrays_flat)", function() return cuda.cov(arrays.flat) end },
        { "np.cov(a4, a4[:, :3])", function() return cuda.cov(a, a:slice({}, { 1, 3 })) end,
          raises = true },
      } do
        case[1] = case[1]:gsub("arrays_flat", "flat")
        cases[#cases + 1] = case
      end
      numpy.check(arrays, cases)
    end)
  end)
end)

helper.for_each_device(function()
  describe("Averages", function()
    it("write to `out` and do not wait where the result is an array", function()
      local a, w, out = cuda.array { { 1, 2 }, { 3, 5 } }, cuda.array { 1, 3 }, cuda.empty(2)
      cuda.no_sync(function()
        assert.equal(out, a:average { axis = 1, weights = w, out = out })
        a:ptp { axis = 1, out = a:slice(1) }
        cuda.cov(a, { aweights = { 1, 2 } })
        cuda.corrcoef(a)
      end)
      assert.same({ 2.5, 4.25 }, out:totable())
      assert.same({ { 2, 3 }, { 3, 5 } }, a:totable())
      assert.same({}, cuda.cov(a:slice(1)).shape)
    end)

    it("of weights that add up to 0 are no number", function()
      local v = cuda.array({ 1, 2 }):average { weights = { 0, 0 } }
      assert.is_true(v ~= v)
    end)

    it("refuse what they do not take", function()
      local a = cuda.zeros { 2, 3 }
      assert.equal("average: option 'weights': shape {2} fits neither the array's shape {2, 3} nor "
        .. "its reduced axes", helper.misuse(cuda.average, a, { axis = 2, weights = { 1, 2 } }))
      assert.equal("average: option 'out': expected float32 array of shape {2}",
        helper.misuse(cuda.average, a, { axis = 2, weights = { 1, 2, 3 }, out = a }))
      assert.equal("ptp: complex numbers have no range",
        helper.misuse(cuda.ptp, cuda.zeros(3, "complex64")))
      assert.equal("cov: argument 2 'y': expected 3 observations, got 2",
        helper.misuse(cuda.cov, a, cuda.zeros(2)))
      assert.equal("cov: argument 1 'm': expected at most two axes, got 3",
        helper.misuse(cuda.cov, cuda.zeros { 1, 2, 3 }))
      assert.equal("cov: option 'fweights': expected integers, got float64",
        helper.misuse(cuda.cov, a, { fweights = { 1, 2.5, 1 } }))
      assert.equal("corrcoef: option 'dtype': int32 does not hold covariances of float32",
        helper.misuse(cuda.corrcoef, a, { dtype = "int32" }))
      helper.contains(helper.misuse(cuda.corrcoef, a, { ddof = 1 }), "unknown option 'ddof'")
    end)
  end)
end)

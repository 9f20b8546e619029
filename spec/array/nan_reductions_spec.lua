-- Reductions that leave out NaN against NumPy.
local helper = require "spec.helper"
local numpy = require "spec.support.numpy_oracle"
local cuda = require "luacuda"

local NAN, INF = 0 / 0, math.huge
local SUMS, SPREADS = { "nansum", "nanprod", "nanmean" }, { "nanvar", "nanstd" }
local EXTREMES, PLACES = { "nanmin", "nanmax" }, { "nanargmin", "nanargmax" }
local KINDS = { "float", "complex" }

-- Values with ties and NaN; the third row and the fifth column are all NaN.
local function numbers(dtype, seed, special)
  local rng, rows = helper.random(seed), {}
  local function number()
    if special and rng(4) == 0 then return rng(2) == 0 and INF or -INF end
    return (rng(13) - 6) / 4
  end
  for i = 1, 7 do
    rows[i] = {}
    for j = 1, 11 do
      local re, im = number(), number()
      if i == 3 or j == 5 or rng(3) == 0 then re, im = NAN, NAN end
      rows[i][j] = dtype:find "complex" and cuda.complex(re, im) or re
    end
  end
  return cuda.array(rows, dtype)
end

-- Adds the cases of a function for an array called `x`: over all axes, along each, and along both;
-- `places`: the results are indices.
local function add_cases(cases, name, x, a, places, more, options)
  for _, axis in ipairs { 0, 1 } do
    local text = ("np.%s(%s, axis=%d, keepdims=True%s)"):format(name, x, axis, more or "")
    if places then                   -- NumPy raises where all are NaN
      text = ("np.where(np.isnan(%s).all(%d, keepdims=True), 0, np.%s(np.where("
        .. "np.isnan(%s).all(%d, keepdims=True), 0, %s), axis=%d, keepdims=True) + 1)"):format(x,
        axis, name, x, axis, x, axis)
    end
    local opts = { axis = axis + 1, keepdims = true }
    for key, value in pairs(options or {}) do opts[key] = value end
    cases[#cases + 1] = { text, function() return cuda[name](a, opts) end, atol = 1e-3 }
  end
  cases[#cases + 1] = { ("np.%s(%s%s)%s"):format(name, x, more or "", places and " + 1" or ""),
    function() return a[name](a, options) end, rtol = a.dtype == "float16" and 5e-3 or nil }
end

describe("Reductions without NaN", function()
  if not numpy.found then
    pending "Python has no NumPy"
    return
  end

  helper.for_each_device(function()
    it("of floats and complex numbers", function()
      local arrays, cases = {}, {}
      helper.for_all_dtypes(function(dtype)
        if dtype == "bfloat16" then return end
        local a, s = numbers(dtype, #dtype, false), numbers(dtype, #dtype + 1, true)
        arrays["x_" .. dtype], arrays["s_" .. dtype] = a, s
        for _, name in ipairs(SUMS) do add_cases(cases, name, "x_" .. dtype, a) end
        for _, name in ipairs(SPREADS) do
          add_cases(cases, name, "x_" .. dtype, a)
          add_cases(cases, name, "x_" .. dtype, a, false, ", ddof=1", { ddof = 1 })
        end
        for _, name in ipairs(EXTREMES) do
          add_cases(cases, name, "x_" .. dtype, a)
          add_cases(cases, name, "s_" .. dtype, s)
        end
        for _, name in ipairs(PLACES) do add_cases(cases, name, "x_" .. dtype, a, true) end
      end, { kind = KINDS })
      numpy.check(arrays, cases)
    end)
  end)
end)

helper.for_each_device(function()
  describe("Reductions without NaN", function()
    it("of integers and booleans are the plain ones", function()
      for _, dtype in ipairs { "bool", "int8", "uint64" } do
        local a = (cuda.arange(12, "int32") % 5):astype(dtype):reshape { 3, 4 }
        for _, list in ipairs { SUMS, SPREADS, EXTREMES, PLACES } do
          for _, name in ipairs(list) do
            local plain = cuda[name:sub(4)]
            assert.equal(plain(a), cuda[name](a), name .. " of " .. dtype)
            local want, got = plain(a, { axis = 1 }), cuda[name](a, { axis = 1 })
            assert.equal(want.dtype, got.dtype)
            assert.same(want:totable(), got:totable())
          end
        end
      end
    end)

    it("of bfloat16 are computed in float32", function()
      local a = cuda.full(3000, 1, "bfloat16")
      a:slice({ 1, -1, 3 }):fill(NAN)
      assert.equal(2000, a:nansum())
      assert.equal(1, a:nanmean())
      assert.equal(0, a:nanvar())
      assert.equal(2, a:nanargmax())
    end)

    it("are as accurate as those of all elements", function()
      for _, dtype in ipairs { "float32", "complex64" } do
        local a = cuda.full(1 << 20, 0.1, dtype)
        assert.equal(a:sum(), a:nansum())
        assert.equal(a:mean(), a:nanmean())
        local rows, tall = a:reshape { 4, 1 << 18 }, a:reshape { 1 << 17, 8 }
        assert.same(rows:mean({ axis = 2 }):totable(), rows:nanmean({ axis = 2 }):totable())
        assert.same(tall:mean({ axis = 1 }):totable(), tall:nanmean({ axis = 1 }):totable())
      end
    end)

    it("of no elements", function()
      local a = cuda.zeros { 0, 3 }
      assert.same({ 0, 0, 0 }, a:nansum({ axis = 1 }):totable())
      assert.same({ 1, 1, 1 }, a:nanprod({ axis = 1 }):totable())
      for _, name in ipairs { "nanmean", "nanvar", "nanstd" } do
        local v = a[name](a)
        assert.is_true(v ~= v, name)
      end
      for _, name in ipairs { "nanmin", "nanmax", "nanargmin", "nanargmax" } do
        assert.equal(name .. ": there are no elements to reduce and no identity",
          helper.misuse(cuda[name], a))
        assert.same({ 0 }, cuda[name](a, { axis = 2 }).shape)
      end
    end)

    it("give an index only for elements that are no NaN", function()
      local a = cuda.array { { NAN, -INF }, { NAN, INF }, { NAN, NAN } }
      assert.same({ 2, 2, 0 }, a:nanargmax({ axis = 2 }):totable())
      assert.same({ 2, 2, 0 }, a:nanargmin({ axis = 2 }):totable())
      assert.equal(2, a:nanargmin())
      for _, name in ipairs(PLACES) do
        assert.equal(name .. ": all elements are NaN", helper.misuse(cuda[name], a:slice(3)))
      end
    end)

    it("take a dtype, an out and views", function()
      local a = cuda.array { { 1, NAN }, { 2.5, 4 } }
      local out = cuda.zeros({ 2, 2 }, "float64"):slice({}, 1)
      assert.equal(out, a:transpose():nansum { axis = 2, dtype = "float64", out = out })
      assert.same({ 3.5, 4 }, out:totable())
      assert.equal("int32", a:nanprod({ axis = 1, dtype = "i32" }).dtype)
      assert.same({ 2, 4 }, a:nanprod({ axis = 1, dtype = "i32" }):totable())
      local half = a:astype "float16"
      assert.equal(cuda.complex(7.5, 0), half:nansum { dtype = "complex64" })
      assert.equal(2.5, half:nanmean { dtype = "float64" })
      assert.equal(7, half:nansum { dtype = "uint64" })
    end)

    it("are fused and captured", function()
      local a = cuda.array { 1, NAN, 3 }
      local fused = cuda.fuse(function(x) return cuda.nansum(x * 2) end)
      assert.equal(8, fused(a))
      assert.equal(6, cuda.fuse(function(x) return (x * 2):nanmax() end)(a))
      assert.equal(3, cuda.fuse(function(x) return (x * 2):nanargmax() end)(a))
      local out = cuda.empty(1)
      local graph = cuda.graph(function() a:reshape({ 1, 3 }):nanmean { axis = 2, out = out } end)
      a:set { NAN, 5, 7 }
      graph:launch()
      assert.same({ 6 }, out:totable())
    end)

    it("refuse unknown options", function()
      helper.contains(helper.misuse(cuda.nansum, cuda.zeros(3), { axes = 1 }), "axes")
      helper.contains(helper.misuse(cuda.nanmax, 3), "nanmax: argument 1 'a': expected an Array")
      helper.contains(helper.misuse(cuda.nanvar, cuda.zeros(3), { ddof = "1" }), "ddof")
    end)
  end)
end)

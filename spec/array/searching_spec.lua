-- searchsorted and digitize against NumPy, whose places count from 0.
local helper = require "spec.helper"
local numpy = require "spec.support.numpy_oracle"
local cuda = require "luacuda"

local NAN, INF = 0 / 0, math.huge

-- n values with many ties; floats with NaN and infinities.
local function numbers(dtype, n, seed)
  local rng, list = helper.random(seed), {}
  local float = dtype:find "float" or dtype:find "complex"
  local function number()
    local v = rng(40) - (dtype:find "^u" and 0 or 20)
    if dtype == "bool" then return v > 3 end
    if not float then return v end
    local k = rng(12)
    if k < 3 then return ({ NAN, INF, -INF })[k + 1] end
    return v / 4
  end
  for i = 1, n do
    list[i] = number()
    if dtype:find "complex" then list[i] = cuda.complex(list[i], number()) end
  end
  return cuda.array(list, dtype)
end

local PAIRS = { { "bool", "bool" }, { "int8", "int8" }, { "uint64", "int64" },
  { "int32", "float32" }, { "float16", "float16" }, { "float32", "float64" },
  { "float64", "int16" }, { "complex64", "complex64" }, { "complex128", "float32" } }

describe("Searching", function()
  if not numpy.found then
    pending "Python has no NumPy"
    return
  end

  helper.for_each_device(function()
    it("searchsorted of pairs of dtypes, sides and sorters", function()
      local arrays, cases = {}, {}
      for k, pair in ipairs(PAIRS) do
        local a, v = numbers(pair[1], 70 + k, k), numbers(pair[2], 60, 100 + k)
        local sorted, order = cuda.sort(a), a:argsort()
        local x, y, s, o = "a" .. k, "v" .. k, "s" .. k, "o" .. k
        arrays[x], arrays[y], arrays[s], arrays[o] = a, v:reshape { 6, 10 }, sorted, order
        for _, side in ipairs { "left", "right" } do
          cases[#cases + 1] = { ("np.searchsorted(%s, %s, side='%s') + 1"):format(s, y, side),
            function() return cuda.searchsorted(sorted, arrays[y], { side = side }) end }
          cases[#cases + 1] = { ("np.searchsorted(%s, %s, side='%s', sorter=%s - 1) + 1"):format(x,
            y, side, o), function()
            return a:searchsorted(arrays[y], { side = side, sorter = order })
          end }
        end
      end
      numpy.check(arrays, cases)
    end)

    it("searchsorted of numbers, views, and arrays without elements", function()
      local a = cuda.sort(numbers("float32", 40, 5))
      local i = cuda.array({ 1, 2, 2, 5 }, "int32")
      local none, v = cuda.zeros { 0, 3 }, numbers("float64", 20, 6)
      numpy.check({ a = a, i = i, none = none, v = v }, {
        { "np.searchsorted(a, 0.1) + 1", function() return a:searchsorted(0.1) end },
        { "np.searchsorted(i, 2, 'right') + 1",
          function() return i:searchsorted(2, { side = "right" }) end },
        { "np.searchsorted(i, 2.5) + 1", function() return i:searchsorted(2.5) end },
        { "np.searchsorted(i, 1 << 40) + 1", function() return i:searchsorted(1 << 40) end },
        { "np.searchsorted(i, np.int8(3)) + 1",
          function() return i:searchsorted(cuda.int8(3)) end },
        { "np.searchsorted(a, none) + 1", function() return a:searchsorted(none) end },
        { "np.searchsorted(none[:, 0], v) + 1",
          function() return none:slice({}, 1):searchsorted(v) end },
        { "np.searchsorted(a[::3], v[::-2]) + 1", function()
          return a:slice({ 1, -1, 3 }):searchsorted(v:slice { -1, 1, -2 })
        end },
        { "np.searchsorted(np.broadcast_to(a[:1], 9), v) + 1", function()
          return a:slice({ 1, 1 }):broadcast_to({ 9 }):searchsorted(v)
        end },
        { "np.searchsorted(i, np.array(2)) + 1",
          function() return i:searchsorted(cuda.array(2, "int64")) end },
      })
    end)

    it("digitize with bins that ascend or descend", function()
      local arrays, cases = {}, {}
      for k, pair in ipairs(PAIRS) do
        if not (pair[1] .. pair[2]):find "complex" then
          local x, b = numbers(pair[2], 60, k), numbers(pair[1], 12, 50 + k):nan_to_num()
          local up, down = cuda.sort(b), cuda.sort(b, { descending = true })
          local n, u, d = "x" .. k, "u" .. k, "d" .. k
          arrays[n], arrays[u], arrays[d] = x:reshape { 5, 12 }, up, down
          for _, right in ipairs { false, true } do
            for name, bins in pairs { [u] = up, [d] = down } do
              cases[#cases + 1] = { ("np.digitize(%s, %s, right=%s) + 1"):format(n, name,
                right and "True" or "False"),
                function() return cuda.digitize(arrays[n], bins, { right = right }) end }
            end
          end
        end
      end
      -- NumPy takes edges for descending if the first two are not in order, so NaN follows two
      -- numbers here.
      for k = 1, 6 do
        local finite = cuda.concatenate { cuda.sort(numbers("float32", 9, k):nan_to_num {
          posinf = 30, neginf = -30 }), cuda.array { 40, 41 } }
        local up = cuda.concatenate { finite, cuda.full(k % 3 + 1, NAN) }
        local down, n = up:flip():copy(), "nan" .. k
        arrays[n], arrays[n .. "u"], arrays[n .. "d"] = numbers("float32", 60, 30 + k), up, down
        for _, right in ipairs { false, true } do
          for name, bins in pairs { [n .. "u"] = up, [n .. "d"] = down } do
            for form, given in pairs { array = bins, list = bins:totable() } do
              cases[#cases + 1] = { ("np.digitize(%s, %s, right=%s) + 1 + 0 * len('%s')"):format(n,
                name, right and "True" or "False", form),
                function() return cuda.digitize(arrays[n], given, { right = right }) end }
            end
          end
        end
      end
      cases[#cases + 1] = { "np.digitize(nan1, [np.nan]) + 1",
        function() return cuda.digitize(arrays.nan1, { NAN }) end }
      local x = numbers("float64", 30, 9)
      arrays.x = x
      for _, bins in ipairs { { 1, 3, 2 }, { 3, 1, 2 }, { NAN, 0, 1 } } do
        local text = ("np.digitize(x, [%g, %g, %g])"):format(table.unpack(bins))
        cases[#cases + 1] = { (text:gsub("-?nan", "np.nan")),
          function() return cuda.digitize(x, bins) end, raises = true }
      end
      cases[#cases + 1] = { "np.digitize(x, [-1, 0, 2.5]) + 1",
        function() return cuda.digitize(x, { -1, 0, 2.5 }) end }
      cases[#cases + 1] = { "np.digitize(x, []) + 1", function() return cuda.digitize(x, {}) end }
      cases[#cases + 1] = { "np.digitize(2.5, [3, 2.5, 1]) + 1",
        function() return cuda.digitize(2.5, { 3, 2.5, 1 }) end }
      numpy.check(arrays, cases)
    end)
  end)
end)

helper.for_each_device(function()
  describe("Searching", function()
    it("writes to `out`, in a graph, without waiting", function()
      local a, v, out = cuda.array { 1, 2, 3 }, cuda.array { 2.5, 0 }, cuda.empty(2, "int64")
      cuda.no_sync(function() assert.equal(out, a:searchsorted(v, { out = out })) end)
      assert.same({ 3, 1 }, out:totable())
      local graph = cuda.graph(function() cuda.digitize(v, a, { out = out }) end)
      v:set { 3, 1 }
      graph:launch()
      assert.same({ 4, 2 }, out:totable())
      local wide = cuda.zeros(4, "int64")
      a:searchsorted(v, { out = wide:slice { 1, 4, 3 } })
      assert.same({ 3, 0, 0, 1 }, wide:totable())
    end)

    it("of bfloat16", function()
      local a = cuda.array({ 1, 2, 2, NAN }, "bfloat16")
      assert.same({ 2, 4, 5 },
        a:searchsorted(cuda.array({ 2, 3, NAN }, "bfloat16"), { side = "left" }):add(
          cuda.array({ 0, 0, 1 }, "int64")):totable())
      assert.equal(4, a:searchsorted(2, { side = "right" }))
    end)

    it("refuses lists of edges without an order", function()
      for _, bins in ipairs { { 1, 3, 2 }, { 0, NAN, 3 }, { 2, 1, NAN } } do
        helper.contains(helper.misuse(cuda.digitize, cuda.zeros(3), bins),
          "digitize: argument 2 'bins': the edges neither ascend nor descend: ")
      end
      assert.same({ 1, 2, 3 }, cuda.digitize(cuda.array { 1, 5, NAN }, { 2, NAN }):totable())
    end)

    it("survives arrays that are not sorted and sorters outside", function()
      local a = cuda.array { 3, 1, 2, 7, 0 }
      for _, at in ipairs(a:searchsorted(cuda.arange(-1, 9, 0.5)):totable()) do
        assert.is_true(at >= 1 and at <= 6)
      end
      local order = cuda.array({ 1 << 40, -1, 0, math.mininteger, 3 }, "int64")
      for _, at in ipairs(a:searchsorted(cuda.arange(-1, 9, 0.5), { sorter = order }):totable()) do
        assert.is_true(at >= 1 and at <= 6)
      end
      assert.equal(2, cuda.array({ 5, 2 }):searchsorted(3, {
        sorter = cuda.array({ -1, 1 }, "int16") }))
    end)

    it("refuses what it does not take", function()
      local a = cuda.zeros(3)
      assert.equal("searchsorted: argument 1 'a': expected an array of one axis, got 2 axes",
        helper.misuse(cuda.searchsorted, cuda.zeros { 2, 2 }, 1))
      assert.equal("searchsorted: option 'side': expected 'left' or 'right', got 'both'",
        helper.misuse(cuda.searchsorted, a, 1, { side = "both" }))
      assert.equal("searchsorted: option 'sorter': expected 3 integers on one axis, got int64 of "
        .. "1 axes and 2 elements",
        helper.misuse(cuda.searchsorted, a, 1, { sorter = cuda.zeros(2, "int64") }))
      assert.equal("digitize: complex numbers have no bins",
        helper.misuse(cuda.digitize, cuda.complex(1, 2), { 1, 2 }))
      assert.equal("digitize: argument 2 'bins': item 2: expected a number, got string",
        helper.misuse(cuda.digitize, a, { 1, "2" }))
      assert.equal("digitize: argument 2 'bins': expected an Array or a list of numbers, got nil",
        helper.misuse(cuda.digitize, a))
    end)
  end)
end)

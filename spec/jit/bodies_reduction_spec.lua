-- cuda.reduction with Lua functions. The oracles are the same functions, called by Lua in the order
-- of the elements, and the same reduction with C++ texts.
local cuda = require "luacuda"
local helper = require "spec.helper"

local random_list, integer = helper.random_list, helper.random_integer
local float = helper.random_float

-- The reduction of a list by Lua functions.
local function reduced(list, map, reduce, post, first)
  local a = first
  for i, v in ipairs(list) do
    local b = map(v, i, i, #list)
    if a == nil then a = b else a = reduce(a, b) end
  end
  return post(a, #list)
end

local function chance(rng, p) return rng(1000) < 1000 * p end
local function pick(rng, list) return list[rng(#list) + 1] end

local MAPS = {
  "function(x, i, j, n) return x * i - j % 5 + n end",
  "function(x) if x < 0 then return -x end return 2 * x end",
  "function(x, n, i) local s = 0 for k = 1, i % 4 do s = s + k * x end return s end",
  "function(x, i) return i % 3 == 0 and x or 1 end",
}
-- associative and commutative, with the value of no elements
local REDUCES = {
  { "function(a, b) return a + b end", "a + b", 0 },
  { "function(v, w) if v < w then return w end return v end", "a < b ? b : a", -1000000 },
  { "function(a, b) return math.min(a, b) end", "min(a, b)", 1000000 },
  { "function(a, b) local s = a + b return s - s // 1009 * 1009 end",
    "(a + b) - (T)floor(double(a + b) / 1009) * 1009", 0 },
}
local POSTS = {
  { "function(a) return a end", "y = a" }, { "function(a, n) return a - n end", "y = a - n" },
}

local function fn_of(text) return assert(load("return " .. text, "return " .. text))() end

helper.for_each_device(function()
  describe("cuda.reduction with Lua functions", function()
    it("computes what C++ texts compute, mixed in every way", function()
      local x = cuda.array(random_list(helper.random(1), 1000, integer), "int64"):reshape{ 10, 100 }
      local lua = { function(v) return v * v + 1 end, function(a, b) return a + b end,
        function(a) return a // 2 end }
      local cpp = { "x * x + 1", "a + b", "y = a >> 1" }
      local want = cuda.reduction("T x", "T y", cpp[1], cpp[2], cpp[3], 0)
      for mask = 0, 7 do
        local parts = {}
        for k = 1, 3 do parts[k] = (mask >> (k - 1) & 1 == 1 and lua or cpp)[k] end
        local f = cuda.reduction("T x", "T y", parts[1], parts[2], parts[3], 0)
        assert.equal(want(x):item(), f(x):item())
        for axis = 1, 2 do
          assert.same(want(x, { axis = axis }):totable(), f(x, { axis = axis }):totable())
        end
        assert.same(want(x:transpose(), { axis = 1, keepdims = true }):totable(),
          f(x:transpose(), { axis = 1, keepdims = true }):totable())
      end
    end)

    it("computes as Lua does: random functions", function()
      for seed = 1, helper.sanitized and 4 or 12 do
        local rng = helper.random(seed)
        local list = random_list(rng, pick(rng, { 1, 31, 700, 40000 }), integer)
        local map, reduce, post = pick(rng, MAPS), pick(rng, REDUCES), pick(rng, POSTS)
        local map_fn, first = fn_of(map), chance(rng, 0.5) and reduce[3] or nil
        -- the parameters after the first have their places in the call by their names
        local names = {}
        for name in map:match "%((.-)%)":gmatch "%w+" do names[#names + 1] = name end
        local function host_map(v, i, j, n)
          local values, args = { x = v, i = i, j = j, n = n }, {}
          for k, name in ipairs(names) do args[k] = values[name] end
          return map_fn(table.unpack(args))
        end
        local post_fn = fn_of(post[1])
        local want = reduced(list, host_map, fn_of(reduce[1]), post_fn, first)
        local f = cuda.reduction("T x", "T y", map_fn,
          chance(rng, 0.7) and fn_of(reduce[1]) or reduce[2],
          chance(rng, 0.7) and post_fn or post[2], first)
        assert.equal(want, f(cuda.array(list, "int64")):item(), map .. " " .. reduce[1])
      end
    end)

    it("has two passes where few results come from many elements", function()
      local list = random_list(helper.random(4), 300000, function(rng) return rng(100) end)
      local scale, w = 2, cuda.arange(300000, "int64")
      local f = cuda.reduction("T x", "T y", function(x, i) return scale * x + w[i] end,
        function(a, b) return a + b end, function(a, n) return a - n * w[2] end, 0)
      local sum = 0
      for i, v in ipairs(list) do sum = sum + v + (i - 1) end
      local x, rest = cuda.array(list, "int64"), 299999 * 150000
      assert.equal(2 * (sum - rest) + rest - 300000, f(x):item())
      scale = 1
      assert.equal(sum - 300000, f(x):item())
      scale, w = 3, cuda.zeros(300000, "int64")
      assert.equal(3 * (sum - rest), f(x):item())
    end)

    it("counts indices from 1", function()
      local f = cuda.reduction("T x", "int64 first, int64 last", function(_, i, j)
        return i * 1000 + j
      end, function(a, b) return math.min(a, b) end, function(a) return a // 1000, a % 1000 end,
        nil, "places")
      local first, last = f(cuda.zeros({ 3, 4 }, "int64"), { axis = 2 })
      assert.same({ 1, 5, 9 }, first:totable())
      assert.same({ 1, 1, 1 }, last:totable())
      first, last = f(cuda.zeros({ 3, 4 }, "int64"), { axis = 1 })
      assert.same({ 1, 2, 3, 4 }, first:totable())
      assert.same({ 1, 1, 1, 1 }, last:totable())
    end)

    it("accumulates in the declared type and converts results as stores do", function()
      local function sum(a, b) return a + b end
      local function same(v) return v end
      local x = cuda.array(random_list(helper.random(6), 999, function(rng) return rng(200) end),
        "uint8")
      local total = 0
      for _, v in ipairs(x:totable()) do total = total + v end
      local f = cuda.reduction("uint8 x", "float64 y", same, sum, same, 0, "f",
        { reduce_type = "int64" })
      assert.equal(total, f(x):item())
      local half = cuda.full(5000, 1, "float16")
      assert.equal(5000, cuda.reduction("T x", "T y", same, sum, same, 0)(half):item())
      local mean, largest = cuda.reduction("T x", "float64 y, T z", same, sum,
        function(a, n) return a / n, a end, 0, "f", { reduce_type = "T" })(cuda.arange(5, "int32"))
      assert.equal(2.0, mean:item())
      assert.equal(10, largest:item())
      local any = cuda.reduction("T x", "bool y", function(v) return v > 3 end,
        function(a, b) return a or b end, same, false)
      assert.is_true(any(cuda.arange(5)):item())
      assert.is_false(any(cuda.arange(4)):item())
    end)

    it("reads raw inputs and numbers, in post too", function()
      local f = cuda.reduction("T x, raw T w, raw T k", "T y",
        function(x, w, k, j) return x * w[j] + k end, "a + b",
        function(a, k, w, n) return a / w[n] - k end, 0, "weighted")
      local x = cuda.array{ { 1, 2 }, { 3, 4 } }
      local w = cuda.array{ { 10, 0 }, { 100, 0 } }:transpose()[1]
      -- ((10 + 200) + 2 * 5) / 100 - 5
      helper.assert_close({ -2.8, -0.6 }, f(x, w, 5, { axis = 2 }):totable(), { dtype = "float32" })
      local out = cuda.zeros(2)
      assert.is_true(rawequal(out, f(x, w, 5, { axis = 2, out = out })))
    end)

    it("needs no identity, and takes a number or a C++ text as one", function()
      local function largest(a, b) return math.max(a, b) end
      local function same(v) return v end
      local list = random_list(helper.random(9), 777, float)
      local x, want = cuda.array(list, "float64"), math.max(table.unpack(list))
      for _, identity in ipairs{ false, -1000.5, "T(-1) / T(0)" } do
        local f = cuda.reduction("T x", "T y", same, largest, same, identity or nil, "largest")
        assert.equal(want, f(x):item())
        if identity then
          assert.equal(identity == -1000.5 and -1000.5 or -math.huge, f(cuda.zeros(0)):item())
        else
          assert.matches("there are no elements to reduce and no identity",
            (helper.misuse(f, cuda.zeros(0))))
        end
      end
    end)

    it("combines several values together", function()
      local function greater(v, i, w, j)
        if v > w or v == w and i < j then return v, i end
        return w, j
      end
      local given = { inputs = "T x", outputs = "T value, int64 at",
        reduce_type = "T value, int64 at", map = function(x, j) return x, j end, reduce = greater,
        post = function(value, at) return value, at end, identity = { -math.huge, 0 } }
      local lists = {}
      for k = 1, 5 do lists[k] = random_list(helper.random(k), 3000, function(rng)
        return rng(500)
      end) end
      local x, want, places = cuda.array(lists), {}, {}
      for k, list in ipairs(lists) do
        want[k], places[k] = -math.huge, 0
        for j, v in ipairs(list) do want[k], places[k] = greater(want[k], places[k], v, j) end
      end
      local texts = { map = "{ x, _j + 1 }", post = "value = a.value; at = a.at",
        reduce = "a.value > b.value || (a.value == b.value && a.at < b.at) ? a : b",
        identity = "{ T(-1e30), 0 }" }
      for _, key in ipairs{ "none", "map", "reduce", "post", "identity", "all" } do
        local own = {}
        for name, v in pairs(given) do
          own[name] = (key == name or key == "all") and texts[name] or v
        end
        local value, at = cuda.reduction(own)(x, { axis = 2 })
        assert.same(want, value:totable(), key)
        assert.same(places, at:totable(), key)
      end
      local long = cuda.arange(300000, "float64")
      local value, at = cuda.reduction(given)(long)
      assert.equal(299999, value:item())
      assert.equal(300000, at:item())
      value, at = cuda.reduction(given)(cuda.zeros(0))
      assert.equal(-math.huge, value:item())
      assert.equal(0, at:item())
      given.identity = { 0.5, 2 ^ 53 // 1 | 1 }
      value, at = cuda.reduction(given)(cuda.zeros(0))
      assert.equal(0.5, value:item())
      assert.equal(9007199254740993, at:item())
      given.identity = nil
      assert.same(places, select(2, cuda.reduction(given)(x:transpose(), { axis = 1 })):totable())
    end)

    it("gives the same bits as C++ texts", function()
      local x = cuda.array(random_list(helper.random(2), 5000, float)):reshape{ 50, 100 }
      local lua = cuda.reduction("T x", "T y", function(v) return v * v end,
        function(a, b) return a + b end, function(a) return cuda.sqrt(a) end, 0)
      local cpp = cuda.reduction("T x", "T y", "x * x", "a + b", "y = sqrt(a)", 0)
      for _, axis in ipairs{ 1, 2, { 1, 2 } } do
        assert.same(cpp(x, { axis = axis }):totable(), lua(x, { axis = axis }):totable())
      end
    end)

    it("is captured in graphs, and shows its source", function()
      local w = cuda.array{ 1, 2, 3 }
      local dot = cuda.reduction("T x", "T y", function(x, i) return x * w[i] end, "a + b",
        "y = a", 0, "dot")
      local x, y = cuda.array{ 1, 1, 1 }, cuda.zeros{}
      dot(x, y)
      local graph = cuda.graph(function() dot(x, y) end)
      w:fill(10)
      graph:launch()
      assert.equal(30, y:item())
      assert.matches("map_%(x, i %+ 1, w_", dot:source())
      assert.matches("%.entry", dot:ptx(x))
      assert.equal(1, #dot:cached())
    end)
  end)
end)

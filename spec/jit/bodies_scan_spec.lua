-- cuda.scan with Lua functions. The oracles are the same functions, called by Lua in the order of
-- the elements, and the same scan with C++ texts.
local cuda = require "luacuda"
local helper = require "spec.helper"

local random_list, integer = helper.random_list, helper.random_integer

local function same(v) return v end
local function sum(a, b) return a + b end
-- associative, not commutative: the latest value that is not 0
local function latest(a, b)
  if b ~= 0 then return b end
  return a
end

-- The scan of a list by Lua functions.
local function scanned(list, map, join, post)
  local result, a = {}, nil
  for i, v in ipairs(list) do
    local b = map(v, i, #list)
    if a == nil then a = b else a = join(a, b) end
    result[i] = post(a, i, #list)
  end
  return result
end

local MAPS = { function(x) return x end, function(x, i, n) return x * (i % 3) + n end,
  function(x) if x < 0 then return 0 end return x end }
local JOINS = { sum, latest, function(a, b) return math.max(a, b) end,
  function(v, w) return (v + w) % 1009 end }
local POSTS = { same, function(a, i) return 2 * a - i end }

helper.for_each_device(function()
  describe("cuda.scan with Lua functions", function()
    it("computes as Lua does", function()
      local rng = helper.random(7)
      for _, map in ipairs(MAPS) do
        for _, join in ipairs(JOINS) do
          local n, post = ({ 1, 33, 5000, 40001 })[rng(4) + 1], POSTS[rng(2) + 1]
          local list = random_list(rng, n, function(r) return r(3) * integer(r) end)
          local f = cuda.scan{ inputs = "T x", outputs = "T y", map = map, scan = join,
            post = post }
          local x = cuda.array(list, "int64")
          local want = scanned(list, map, join, post)
          assert.same(want, f(x):totable())
          assert.same(want, f(x):totable())
        end
      end
    end)

    it("computes what C++ texts compute, mixed in every way", function()
      local x = cuda.array(random_list(helper.random(1), 600, integer), "int32"):reshape{ 20, 30 }
      local marks = cuda.array(random_list(helper.random(2), 600, function(rng)
        return rng(5) == 0
      end), "bool"):reshape{ 20, 30 }
      local lua = { function(v) return v * v end, sum, function(a, n) return a - n end }
      local cpp = { "x * x", "a + b", "y = a - n" }
      local want = cuda.scan("T x", "T y", cpp[1], cpp[2], 0, "f", { post = cpp[3] })
      for _, mask in ipairs{ 1, 2, 4, 7 } do
        local parts = {}
        for k = 1, 3 do parts[k] = (mask >> (k - 1) & 1 == 1 and lua or cpp)[k] end
        local f = cuda.scan("T x", "T y", parts[1], parts[2], 0, "f", { post = parts[3] })
        for _, options in ipairs{ {}, { axis = 1 }, { axis = 2, exclusive = true },
          { axis = 1, segments = marks }, { segments = marks, exclusive = true } } do
          assert.same(want(x, options):totable(), f(x, options):totable())
          assert.same(want(x:transpose(), { axis = 1 }):totable(),
            f(x:transpose(), { axis = 1 }):totable())
        end
      end
    end)

    it("writes raw outputs by index", function()
      local keep = cuda.scan{ inputs = "T x", outputs = "int32 rank, raw T out",
        map = function(x) return x > 0 and 1 or 0 end, scan = sum,
        post = function(a, i, out)
          out[i] = a
          return a
        end }
      local rank, copy = keep(cuda.array{ 1, -5, 2, 7 }, nil, cuda.zeros(4))
      assert.same({ 1, 1, 2, 3 }, rank:totable())
      assert.same({ 1.0, 1.0, 2.0, 3.0 }, copy:totable())
      local pack = cuda.scan{ inputs = "T x, raw T v", outputs = "raw T out", scan_type = "int64",
        map = function(x) return x > 0 and 1 or 0 end, scan = "a + b",
        post = function(a, i, v, out)
          if v[i] > 0 then out[a] = v[i] end
        end }
      local v = cuda.array{ 1, -5, 2, 7, -1 }
      assert.same({ 1.0, 2.0, 7.0 }, pack(v, v, cuda.zeros(3)):totable())
    end)

    it("converts results as stores do, and accumulates in the declared type", function()
      local f = cuda.scan("uint8 x", "float32 y", same, sum, 0, "f", { scan_type = "int64",
        post = function(a, n) return a / n end })
      local x = cuda.full(1000, 255, "uint8")
      assert.equal(255.0, f(x)[1000])
      local g = cuda.scan("T x", "T y, int64 k", same, sum, 0, "g",
        { post = function(a, i) return a, i end })
      local y, k = g(cuda.array({ 1, 2, 3 }, "bfloat16"))
      assert.equal("bfloat16", y.dtype)
      assert.same({ 1, 3, 6 }, y:totable())
      assert.same({ 1, 2, 3 }, k:totable())
    end)

    it("combines several values together", function()
      local rng = helper.random(12)
      local c = random_list(rng, 3000, function(r) return (r(9) - 4) / 4 end)
      local x = random_list(rng, 3000, function(r) return r(100) / 8 end)
      -- y[i] = c[i] * y[i - 1] + x[i]
      local recurrence = cuda.scan{ name = "recurrence", inputs = "T c, T x", outputs = "T y",
        scan_type = "float64 slope, float64 at", map = function(a, b) return a, b end,
        scan = function(slope, at, slope_b, at_b)
          return slope * slope_b, at * slope_b + at_b
        end,
        post = function(_, at) return at end, identity = { 1, 0 } }
      local want, y = {}, 0
      for i = 1, 3000 do
        y = c[i] * y + x[i]
        want[i] = y
      end
      local a, b = cuda.array(c, "float64"), cuda.array(x, "float64")
      helper.assert_close(want, recurrence(a, b):totable(), { dtype = "float64" })
      table.insert(want, 1, 0.0)
      want[3001] = nil
      helper.assert_close(want, recurrence(a, b, { exclusive = true }):totable(),
        { dtype = "float64" })
    end)

    it("reads upvalues at each call, arrays among them", function()
      local scale, w = 2, cuda.array{ 10, 20, 30 }
      local plain = cuda.scan("T x", "T y", function(x) return scale * x end, sum, 0)
      local weighted = cuda.scan("T x", "T y", function(x, i) return scale * x + w[i] end, sum, 0,
        "weighted", { post = function(a) return a + w[1] end })
      local x = cuda.array{ 1, 2, 3 }
      for _ = 1, 2 do
        assert.same({ 2.0, 6.0, 12.0 }, plain(x):totable())
        assert.same({ 22.0, 46.0, 82.0 }, weighted(x):totable())
      end
      scale = 1
      assert.same({ 1.0, 3.0, 6.0 }, plain(x):totable())
      assert.same({ 21.0, 43.0, 76.0 }, weighted(x):totable())
      w = cuda.array({ { 1, 9 }, { 2, 9 }, { 3, 9 } }, "int32"):transpose()[1]
      assert.same({ 3.0, 7.0, 13.0 }, weighted(x):totable())
      scale, w = 2, cuda.zeros(3)
      assert.same({ 2.0, 6.0, 12.0 }, plain(x):totable())
      assert.same({ 2.0, 6.0, 12.0 }, weighted(x):totable())
      assert.same({ 0 }, plain(cuda.zeros(0)).shape)
    end)

    it("is captured in graphs, and shows its source", function()
      local f = cuda.scan("T x", "T y", same, sum, 0, "running")
      local x, y = cuda.array{ 1, 2, 3 }, cuda.zeros(3)
      f(x, y)
      local graph = cuda.graph(function() f(x, y) end)
      x:fill(2)
      graph:launch()
      assert.same({ 2.0, 4.0, 6.0 }, y:totable())
      assert.matches("scan_%(a, b%)", f:source(x))
      assert.matches("%.entry", f:ptx())
      assert.equal("luacuda.Scan running", tostring(f))
    end)
  end)
end)

-- cuda.elementwise with Lua functions. The oracles are the same function, called by Lua for each
-- element, and the same computation as a C++ text.
local cuda = require "luacuda"
local helper = require "spec.helper"

local random_list, integer = helper.random_list, helper.random_integer
local float = helper.random_float

local function chance(rng, p) return rng(1000) < 1000 * p end
local function pick(rng, list) return list[rng(#list) + 1] end

-- Random expressions of x, y and the index i ------------------------------------------------------

local function expression(rng, d)
  if d == 0 or chance(rng, 0.15) then return pick(rng, { "x", "y", "i", "3", "(-7)", "n" }) end
  local a, b = expression(rng, d - 1), expression(rng, d - 1)
  local op = pick(rng, { "+", "-", "*", "//", "%", "min", "max", "and" })
  if op == "//" or op == "%" then return ("(%s %s 7)"):format(a, op) end
  if op == "min" or op == "max" then return ("math.%s(%s, %s)"):format(op, a, b) end
  if op == "and" then return ("(%s < %s and %s or %s)"):format(a, b, b, a) end
  return ("(%s %s %s)"):format(a, op, b)
end

local function random_function(rng)
  local text = ([[return function(x, y, i, n)
    local v = %s
    for k = 1, i %% 4 do v = v + %s - k end
    if v > %s then v = v - %s end
    return v
  end]]):format(expression(rng, 3), expression(rng, 2), expression(rng, 1), expression(rng, 2))
  return assert(load(text, text, "t", { math = math })), text
end

local function check_random(rng, dtype, of)
  local chunk, text = random_function(rng)
  local a, b = cuda.array(random_list(rng, 37, of), dtype), cuda.array(random_list(rng, 37, of),
    dtype)
  local x, y, want = a:totable(), b:totable(), {}
  local fn = chunk()
  for i = 1, 37 do want[i] = fn(x[i], y[i], i, 37) end
  local ok, got = pcall(function()
    return cuda.elementwise(dtype .. " x, T y", "T z", fn)(a, b):totable()
  end)
  if not ok then error(("%s\n%s"):format(got, text), 0) end
  helper.assert_close(want, got, { dtype = dtype, message = text })
end

helper.for_each_device(function(device)
  describe("cuda.elementwise with a Lua function", function()
    it("computes what a C++ text computes, for every dtype", function()
      local rng = helper.random(3)
      local lua = cuda.elementwise("T x, T y", "T z", function(x, y)
        local v = x * y
        if x < y then v = v + x end
        return v
      end)
      local text = cuda.elementwise("T x, T y", "T z", "T v = x * y; if (x < y) v = v + x; z = v")
      for dtype in ("int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32"
        .. " float64"):gmatch "%S+" do
        local lists = {}
        for k = 1, 2 do lists[k] = cuda.array(random_list(rng, 65, function() return rng(11) end),
          dtype) end
        local got, want = lua(lists[1], lists[2]), text(lists[1], lists[2])
        assert.equal(dtype, got.dtype)
        assert.same(want:totable(), got:totable(), dtype)
      end
    end)

    it("computes as Lua does: random functions", function()
      for seed = 1, helper.sanitized and 3 or 15 do
        local rng = helper.random(seed)
        check_random(rng, "int64", integer)
        check_random(rng, "float64", float)
      end
    end)

    it("is made for each set of types", function()
      local f = cuda.elementwise("T x, S y", "T z", function(x, y) return x + x * (y > 2 and 1 or 0)
      end, "f")
      assert.same({ 1, 4, 6 }, f(cuda.array({ 1, 2, 3 }, "int16"), cuda.array{ 1, 3, 5 }):totable())
      assert.same({ 1, 4, 6 }, f(cuda.array({ 1, 2, 3 }, "float64"),
        cuda.array({ 1, 3, 5 }, "uint8")):totable())
      assert.equal(2, #f:cached())
      assert.equal("f", f.name)
      assert.equal("luacuda.Elementwise f", tostring(f))
    end)

    it("gives several outputs, and converts results as stores do", function()
      local f = cuda.elementwise("int32 x, int32 y", "int32 q, float32 r, bool odd, T z",
        function(x, y) return x // y, x % y, x % 2 == 1, x end)
      local q, r, odd, z = f(cuda.array({ 17, -25, 8 }, "int32"), 5, nil, nil, nil,
        cuda.zeros(3, "complex64"))
      assert.same({ 3, -5, 1 }, q:totable())
      assert.same({ 2.0, 0.0, 3.0 }, r:totable())
      assert.same({ true, true, false }, odd:totable())
      assert.equal("complex64", z.dtype)
      assert.equal(cuda.complex(-25, 0), z[2])
      local list = cuda.elementwise("T x", "T a, T b", function(x) return x, -x end,
        nil, { return_tuple = true })(cuda.array{ 1, 2 })
      assert.same({ -1.0, -2.0 }, list[2]:totable())
    end)

    it("knows index, number and place of the element", function()
      local f = cuda.elementwise("T x", "int64 k, int64 m, int64 r, int64 c",
        function(x, i, n, ind) return i, n, ind[1], ind[#ind] + 0 * x end)
      local k, m, r, c = f(cuda.zeros({ 2, 3 }, "int64"))
      assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, k:totable())
      assert.same({ { 6, 6, 6 }, { 6, 6, 6 } }, m:totable())
      assert.same({ { 1, 1, 1 }, { 2, 2, 2 } }, r:totable())
      assert.same({ { 1, 2, 3 }, { 1, 2, 3 } }, c:totable())
      local t = f(cuda.zeros({ 3, 2 }, "int64"):transpose())
      assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, t:totable())
    end)

    it("reads raw arrays and writes raw outputs", function()
      local blur = cuda.elementwise("raw T x", "T y", function(x, i, n)
        local left, right = math.max(i - 1, 1), math.min(i + 1, n)
        return (x[left] + x[i] + x[right]) / 3
      end, "blur")
      local text = cuda.elementwise("raw T x", "T y", [[
        long long left = i > 0 ? i - 1 : 0, right = i + 1 < n ? i + 1 : i;
        y = (x[left] + x[i] + x[right]) / 3]])
      local x = cuda.array(random_list(helper.random(5), 100, float))
      local every = x:slice{ 1, 100, 2 }
      helper.assert_close(text(x, { size = 100 }):totable(), blur(x, { size = 100 }):totable(),
        { dtype = "float32" })
      helper.assert_close(text(every, { size = 50 }):totable(),
        blur(every, { size = 50 }):totable(), { dtype = "float32" })
      local turn = cuda.elementwise("T v, raw T m", "raw T out, int32 mark",
        function(v, m, out, i, n)
          out[n + 1 - i] = v + m[2][i]
          return i
        end)
      local m = cuda.array({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, "int32")
      local out, mark = turn(cuda.array({ 10, 20, 30 }, "int32"), m:transpose(),
        cuda.zeros(3, "int32"))
      assert.same({ 36, 24, 12 }, out:totable())
      assert.same({ 1, 2, 3 }, mark:totable())
      local scaled = cuda.elementwise("T v, raw T by", "T z", function(v, by) return v * by end)
      assert.same({ 3.0, 6.0 }, scaled(cuda.array{ 1, 2 }, 3):totable())
    end)

    it("reads and writes arrays of structs", function()
      local P = cuda.struct("P", { { "x", "float32" }, { "k", "int64" } })
      local points = cuda.array({ { x = 1, k = 10 }, { x = 2, k = 20 }, { x = 3, k = 30 } }, P)
      local parts = cuda.elementwise("raw struct P p", "float32 x, int64 k",
        function(p, i) return 2 * p[i].x, p[i].k end)
      local x, k = parts(points, { size = 3 })
      assert.same({ 2.0, 4.0, 6.0 }, x:totable())
      assert.same({ 10, 20, 30 }, k:totable())
      assert.same({ 2.0, 6.0 }, parts(points:slice{ 1, 3, 2 }, { size = 2 }):totable())
      local Q = cuda.struct("P", { { "k", "int64" }, { "x", "float32" } })
      x, k = parts(cuda.array({ { x = 5, k = 7 } }, Q), { size = 1 })
      assert.same({ 10.0, 7 }, { x[1], k[1] })
      local scaled = cuda.elementwise("float32 s, raw struct P p", "raw struct P out",
        function(s, p, out, i)
          out[i].x = p[i].x * s
          out[i].k = points[1].k + i
        end, "scaled", { preamble = "struct P { float x; long long k; };" })
      local out = scaled(cuda.array{ 1, 2, 3 }, points, cuda.zeros(3, P))
      assert.same({ 9.0, 13 }, { out[3].x, out[3].k })
      local sum = cuda.scan("T w, raw struct P p", "T y",
        function(w, p, i) return w * p[i].x + points[1].x end, "a + b", 0)
      assert.same({ 2.0, 5.0, 9.0 }, sum(cuda.ones(3), points):totable())
      assert.equal(6, sum(cuda.ones(1), cuda.array({ { x = 5, k = 7 } }, Q))[1])
      local dot = cuda.reduction("T w, raw struct P p", "T y",
        function(w, p, i) return w * p[i].x end, "a + b", "y = a", 0)
      assert.equal(6, dot(cuda.ones(3), points):item())
      assert.same({ 10, 30 }, cuda.vectorize(function(i) return points[i].k end)(
        cuda.array({ 1, 3 }, "int64")):totable())
    end)

    it("counts atomically in a raw output", function()
      local count = cuda.elementwise("int32 x", "raw int32 bins", function(x, bins)
        cuda.gpu.atomic_add(bins, x + 1, 1)
      end, nil, { no_return = true })
      local bins, x = cuda.zeros(4, "int32"), random_list(helper.random(8), 1000,
        function(rng) return rng(4) end)
      local want = { 0, 0, 0, 0 }
      for _, v in ipairs(x) do want[v + 1] = want[v + 1] + 1 end
      count(cuda.array(x, "int32"), bins)
      assert.same(want, bins:totable())
    end)

    it("broadcasts, walks over views, and writes to outputs and inputs", function()
      local f = cuda.elementwise("T x, T y", "T z", function(x, y) return 10 * x + y end)
      local x, y = cuda.array{ { 1 }, { 2 } }, cuda.array{ 1, 2, 3 }
      assert.same({ { 11.0, 12.0, 13.0 }, { 21.0, 22.0, 23.0 } }, f(x, y):totable())
      local wide = f(x, y):transpose()
      assert.same({ { 111.0, 211.0 }, { 122.0, 222.0 }, { 133.0, 233.0 } },
        f(wide, y:reshape{ 3, 1 }):totable())
      local stream = cuda.stream()
      assert.is_true(rawequal(y, f(y, 1, { out = y, stream = stream })))
      stream:synchronize()
      assert.same({ 11.0, 21.0, 31.0 }, y:totable())
      assert.same({ 0 }, f(cuda.zeros(0), 1).shape)
      assert.equal(52, f(5, 2):item())
    end)

    it("stands beside C++ texts: preamble, macros, loop_prep", function()
      local scale = 3
      local f = cuda.elementwise{ inputs = "T x, raw T w", outputs = "T z",
        body = function(x, w) return scale * x + w[1] end, name = "f",
        preamble = "#define scale 100\n__device__ int body_(int v, int u) { return scale; }",
        defines = { x = 7, w_ = 8 }, loop_prep = "T k = w[0]", after_loop = "(void)k" }
      assert.same({ 13.0, 16.0 }, f(cuda.array{ 1, 2 }, cuda.array{ 10 }):totable())
    end)

    it("calls functions in C++, with the options that they need", function()
      local cube = cuda.device_function("__device__ float cube(float v) { return v * v * v + K; }",
        { defines = { K = 1 } })
      local f = cuda.elementwise("T x", "T z", function(x) return cube(x) + 1 end, "f",
        { defines = { K = 5 }, flags = { "--fmad=false" } })
      assert.same({ 10.0, 29.0 }, f(cuda.array{ 2, 3 }):totable())
    end)

    it("is captured in graphs", function()
      local w = cuda.array{ 10, 20 }
      local f = cuda.elementwise("T x", "T z", function(x, i) return x + w[i] end)
      local x, y = cuda.array{ 1, 2 }, cuda.zeros(2)
      f(x, y)
      local graph = cuda.graph(function() f(x, y) end)
      x:fill(5)
      w:fill(100)
      graph:launch()
      assert.same({ 105.0, 105.0 }, y:totable())
    end)

    it("shows its source, and before a call where types are fixed", function()
      local f = cuda.elementwise("float32 x", "float32 z", function(x) return x * 2 end, "twice")
      assert.matches("twice%(", f:source())
      assert.matches("body_%(x%)", f:source())
      assert.matches("%.entry [%w_]*twice", f:ptx(cuda.zeros(3)))
    end)
  end)

  describe("Upvalues of a builder's Lua function", function()
    it("are read at each call", function()
      local scale, config, list = 3, { offset = 1 }, { 10, 20, 30 }
      local function shifted(v) return v + config.offset end
      local f = cuda.elementwise("T x", "T z", function(x, i) return scale * shifted(x) + list[i]
      end)
      local x = cuda.array{ 1, 2, 3 }
      assert.same({ 16.0, 29.0, 42.0 }, f(x):totable())
      scale = 2.5
      assert.same({ 15.0, 27.5, 40.0 }, f(x):totable())
      config.offset = 0
      assert.same({ 12.5, 25.0, 37.5 }, f(x):totable())
      list[2] = 0
      assert.same({ 12.5, 5.0, 37.5 }, f(x):totable())
      scale, config.offset, list[2] = 3, 1, 20
      local before = #f:cached()
      assert.same({ 16.0, 29.0, 42.0 }, f(x):totable())
      assert.equal(before, #f:cached())
    end)

    it("are compared by their bits", function()
      local k = 0.0
      local f = cuda.elementwise("T x", "T z", function(x) return x / k end)
      local g = cuda.vectorize(function(x) return x / k end)
      local s = cuda.scan("T x", "T y", function(x) return x / k end, "a + b")
      local x = cuda.ones(1, "float64")
      for _, value in ipairs{ 0.0, -0.0, 0, 0 / 0, -(0 / 0), 2 } do
        k = value
        for _ = 1, 2 do
          for _, fn in ipairs{ f, g, s } do
            helper.assert_close({ 1 / value }, fn(x):totable(), { dtype = "float64" })
          end
        end
      end
    end)

    it("may be functions, which are exchanged", function()
      local function twice(v) return 2 * v end
      local function squared(v) return v * v end
      local fn = twice
      local f = cuda.elementwise("T x", "T z", function(x) return fn(x) end)
      assert.same({ 6.0 }, f(cuda.array{ 3 }):totable())
      fn = squared
      assert.same({ 9.0 }, f(cuda.array{ 3 }):totable())
    end)

    it("may be arrays of any layout, which are exchanged", function()
      local w, net = cuda.array{ 10, 20, 30 }, { bias = cuda.array({ 1 }, "float64") }
      local function weight(i) return w[i] + net.bias[1] end
      local f = cuda.elementwise("T x", "T z", function(x, i) return x * weight(i) end)
      local x = cuda.array({ 1, 2, 3 }, "float64")
      assert.same({ 11.0, 42.0, 93.0 }, f(x):totable())
      w[1] = 0
      assert.same({ 1.0, 42.0, 93.0 }, f(x):totable())
      w = cuda.array({ { 1, 7 }, { 2, 8 }, { 3, 9 } }, "int32"):transpose()[2]
      assert.same({ 8.0, 18.0, 30.0 }, f(x):totable())
      net.bias = cuda.array({ -7 }, "float64")
      assert.same({ 0.0, 2.0, 6.0 }, f(x):totable())
      local m = cuda.arange(6, "float32"):reshape{ 2, 3 }
      local row = cuda.elementwise("T v", "T z", function(v, i) return v + #m + m[2][i] end)
      assert.same({ 6.0, 7.0, 8.0 }, row(cuda.ones(3)):totable())
      m = m:transpose()
      assert.same({ 5.0, 8.0 }, row(cuda.ones(2)):totable())
    end)

    it("are not kept alive by kernels", function()
      local w, known = cuda.zeros(3), setmetatable({}, { __mode = "k" })
      local f = cuda.elementwise("T x", "T z", function(x, i) return x + w[i] end)
      local v = cuda.vectorize(function(x) return x + w[1] end)
      local k = cuda.jit(function(y) y[1] = w[1] end)
      local s = cuda.scan("T x", "T y", function(x, i) return x + w[i] end, "a + b", 0)
      known[w] = true
      f(cuda.ones(3))
      v(3)
      k({ threads = 1 }, cuda.zeros(1))
      s(cuda.ones(3))
      w = cuda.ones(3)
      collectgarbage()
      collectgarbage()
      assert.is_nil(next(known))
      assert.same({ 2.0, 2.0, 2.0 }, f(cuda.ones(3)):totable())
      assert.equal(4, v(3):item())
    end)

    it("are arrays in functions that are called, in closures, and in kernels", function()
      local w = cuda.array{ 1, 2, 3 }
      local function at(k) return w[k] end
      local f = cuda.elementwise("T x", "T z", function(x, i)
        local sum = 0.0
        local function add(k) sum = sum + at(k) * x end
        for k = 1, i do add(k) end
        return sum
      end)
      assert.same({ 1.0, 3.0, 12.0 }, f(cuda.array{ 1, 1, 2 }):totable())
      local k, y = cuda.jit(function(y) for i in grid(#y) do y[i] = at(i) + at(1) end end),
        cuda.zeros(3)
      k({ threads = 3 }, y)
      assert.same({ 2.0, 3.0, 4.0 }, y:totable())
    end)

    it("keep arrays until the work is done", function()
      local stream, w = cuda.stream(), cuda.ones(100000)
      local f = cuda.elementwise("T x", "T z", function(x, i) return x + w[i] end)
      local x = cuda.ones(100000)
      local z = f(x, { stream = stream })
      w = cuda.zeros(100000)
      collectgarbage()
      stream:synchronize()
      assert.equal(200000, z:sum())
      assert.equal(100000, f(x):sum())
    end)

    it("that are closed arrays, or gone, are noticed", function()
      local w = cuda.array{ 1, 2 }
      local f = cuda.elementwise("T x", "T z", function(x, i) return x + w[i] end, "f")
      f(cuda.ones(2))
      w:close()
      assert.matches("'w' is a closed array", (helper.misuse(f, cuda.ones(2))))
      w = nil
      assert.matches("'w' is nil", (helper.misuse(f, cuda.ones(2))))
      w = 5
      assert.matches("bodies_elementwise_spec.lua:%d+: ", (helper.misuse(f, cuda.ones(2))))
    end)

    it("are used by functions of several devices", function()
      local k = 2
      local f = cuda.elementwise("T x", "T z", function(x) return k * x end)
      assert.same({ 4.0 }, f(cuda.array({ 2 }, "float32", { device = device })):totable())
      assert.same({ 4.0 }, f(cuda.array({ 2 }, "float32", { device = "cpu" })):totable())
      k = 3
      assert.same({ 6.0 }, f(cuda.array({ 2 }, "float32", { device = device })):totable())
    end)
  end)
end)

-- cuda.reduction: the language, axes, layouts, types, errors. The expected values are computed in
-- Lua.
local helper = require "spec.helper"
local cuda = require "luacuda"

local misuse = helper.misuse

-- Small integers, exact in every dtype, so that any order of addition gives the same sum.
local function numbers(n)
  local list, seed = {}, 12345
  for k = 1, n do
    seed = (seed * 1103515245 + 12345) & 0x7fffffff
    list[k] = (seed >> 16) % 3
  end
  return list
end

-- The elements of nested tables as a flat list, in C order.
local function flatten(value, out)
  out = out or {}
  if type(value) ~= "table" then out[#out + 1] = value return out end
  for _, item in ipairs(value) do flatten(item, out) end
  return out
end

-- Coordinates of linear index k (from 0) of a shape.
local function coordinates(k, shape)
  local at = {}
  for d = #shape, 1, -1 do
    at[d] = k % shape[d]
    k = k // shape[d]
  end
  return at
end

-- fold(acc, value, j) over the elements of each result, in C order of the kept axes. `axes`: set of
-- axes.
local function reference(flat, shape, axes, fold)
  local results = {}
  for k = 0, helper.size_of(shape) - 1 do
    local at, key, inner = coordinates(k, shape), 0, 0
    for d, extent in ipairs(shape) do
      if axes[d] then inner = inner * extent + at[d] else key = key * extent + at[d] end
    end
    results[key + 1] = fold(results[key + 1], flat[k + 1], inner)
  end
  return results
end

local function add(acc, x) return (acc or 0) + x end

local function every_axis_set(ndim, fn)
  for bits = 0, (1 << ndim) - 1 do
    local list, set = {}, {}
    for d = 1, ndim do
      if bits >> (d - 1) & 1 == 1 then
        list[#list + 1] = d
        set[d] = true
      end
    end
    fn(list, set)
  end
end

local sums = {}
local function sum_of(dtype)
  sums[dtype] = sums[dtype] or cuda.reduction(dtype .. " x", dtype .. " y", "x", "a + b",
    "y = a", 0, "add_up")
  return sums[dtype]
end

describe("reduction", function()
  helper.for_each_device(function()
    describe("the language", function()
      it("maps inputs, reduces a and b, and assigns outputs from a", function()
        local norm = cuda.reduction("T x", "T y", "x * x", "a + b", "y = sqrt(a)", 0, "l2norm")
        assert.equal(5.0, norm(cuda.array({ 3, 4 }, "float32")):item())
        assert.same({ 5.0, 13.0 },
          norm(cuda.array({ { 3, 4 }, { 5, 12 } }, "float64"), { axis = 2 }):totable())
        assert.equal("l2norm", norm.name)
        assert.equal("luacuda.Reduction l2norm", tostring(norm))
        assert.equal("reduction", cuda.type(norm))
      end)

      it("takes everything in one table", function()
        local r = cuda.reduction { inputs = "float32 x, float32 y", outputs = "float32 z",
          map = "x * y", reduce = "a + b", post = "z = a", identity = "0", name = "dot" }
        assert.equal(32.0, r(cuda.array { 1, 2, 3 }, cuda.array { 4, 5, 6 }):item())
      end)

      it("has several outputs, n, i and _j", function()
        local r = cuda.reduction("T x", "float64 mean, int64 count, float64 indices",
          "x + 1000.0 * i + 1000000.0 * _j", "a + b", "mean = a / n; count = n; indices = a", 0,
          "several", { reduce_type = "double" })
        local mean, count, indices = r(cuda.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "int32"),
          { axis = 2 })
        -- row 1: 1 2 3, i 0 1 2, _j 0 1 2; row 2: i 3 4 5
        assert.same({ 6.0 + 3000 + 3000000, 15.0 + 12000 + 3000000 }, indices:totable())
        assert.same({ 3, 3 }, count:totable())
        assert.same({ (6.0 + 3000 + 3000000) / 3, (15.0 + 12000 + 3000000) / 3 }, mean:totable())
        mean, count = r(cuda.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "int32"), { axis = 1 })
        assert.same({ (5.0 + 3000 + 1000000) / 2, (7.0 + 5000 + 1000000) / 2,
          (9.0 + 7000 + 1000000) / 2 }, mean:totable())
        assert.same({ 2, 2, 2 }, count:totable())
      end)

      it("accumulates in reduce_type, which a preamble may declare", function()
        -- in float
        assert.equal(4096.0,
          sum_of "float16"(cuda.ones({ 4096, 1 }, "float16"), { axis = 1 }):item(1))
        local wide = cuda.reduction("int8 x", "int64 y", "x", "a + b", "y = a", 0, "wide",
          { reduce_type = "int64" })
        assert.equal(1270, wide(cuda.full({ 10 }, 127, "int8")):item())
        local argmin = cuda.reduction("T x", "int64 y", "pair(x, _j)",
          "a.v < b.v || (a.v == b.v && a.k < b.k) ? a : b", "y = a.k",
          nil, "arg", { reduce_type = "pair", preamble = [[
            struct pair {
              T v; long long k;
              pair() = default;
              __device__ pair(T v, long long k) : v(v), k(k) {}
            };]] })
        for _, n in ipairs { 1, 2, 31, 257, 4099, 70001 } do
          local a = cuda.full(n, 7, "int16")
          a[n // 2 + 1] = 3
          a[n] = 3
          assert.equal(n // 2, argmin(a):item(), n)
        end
        assert.same({ 1, 0, 1 },
          argmin(cuda.array({ { 3, 1, 2 }, { 2, 5, 1 } }, "float32"), { axis = 1 }):totable())
      end)

      it("needs no identity if there are elements, and takes any reduce expression", function()
        local most = cuda.reduction("T x", "T y", "x", "a > b ? a : b", "y = a", nil, "most")
        for _, shape in ipairs { { 1 }, { 33, 5 }, { 5, 33 }, { 300, 3 }, { 20011 } } do
          local n = helper.size_of(shape)
          local a = cuda.arange(-n, 0, "float32"):reshape(shape)
          assert.equal(-1.0, most(a):item())
          if #shape == 2 then
            assert.same(reference(flatten(a:totable()), shape, { true }, function(acc, x)
              return math.max(acc or x, x)
            end), most(a, { axis = 1 }):totable())
          end
        end
      end)

      it("broadcasts inputs; Lua numbers are weak", function()
        local r = cuda.reduction("T x, T y", "T z", "x * y", "a + b", "z = a", 0, "dots")
        local a, b = cuda.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "float32"),
          cuda.array({ 1, 10, 100 }, "float32")
        assert.same({ 321.0, 654.0 }, r(a, b, { axis = -1 }):totable())
        assert.same({ 5.0, 70.0, 900.0 }, r(a, b, { axis = 1 }):totable())
        assert.equal(42.0, r(a, 2):item())
        assert.equal(10.5, r(a, cuda.float32(0.5)):item())
        local column = cuda.array({ { 1 }, { 10 } }, "float32")
        assert.same({ 111.0, 1110.0 }, r(column, b, { axis = 2 }):totable())
      end)

      it("takes raw arrays of any layout, and a size if all are raw", function()
        local r = cuda.reduction("raw T x", "T y", "x[i] * (i + 1)", "a + b", "y = a", 0, "weigh")
        local a = cuda.array({ { 1, 2 }, { 3, 4 } }, "float64")
        assert.equal(1 + 4 + 9 + 16.0, r(a, { size = 4 }):item())
        assert.equal(1 + 6 + 6 + 16.0, r(a:transpose(), { size = 4 }):item())
        local mixed = cuda.reduction("T x, raw T w", "T y", "x * w[_j]", "a + b",
          "y = a", 0, "mixed")
        assert.same({ 5.0, 11.0 },
          mixed(a, cuda.array({ 1, 2 }, "float64"), { axis = 2 }):totable())
        assert.same({ 7.0, 10.0 },
          mixed(a, cuda.array({ 1, 2 }, "float64"), { axis = 1 }):totable())
        assert.matches("no array to take the shape from", misuse(r, a))
        local trace = cuda.reduction("raw T x", "T y", "x[i * (x.shape(1) + 1)]", "a + b",
          "y = a + x.shape(0) * 0", 0, "trace")
        assert.equal(5.0, trace(a, { size = 2 }):item())
        assert.equal(5.0, trace(a:transpose(), { size = 2 }):item())
      end)

      it("provides constants of the call in the post expression", function()
        local r = cuda.reduction("T x, raw float64 scale, float64 shift", "float64 y", "x", "a + b",
          "y = a * scale[0] + shift", 0, "scaled")
        assert.equal(125.0,
          r(cuda.array({ 1, 2, 3 }, "int32"), cuda.array({ 20 }, "float64"), 5):item())
      end)
    end)

    describe("axes", function()
      local shape = { 5, 7, 3 }
      local list = numbers(helper.size_of(shape))

      local function check(a, dims, order)
        local flat = flatten(a:totable())
        every_axis_set(#dims, function(axes, set)
          local want = reference(flat, dims, set, add)
          local got = sum_of "int32"(a, { axis = axes })
          assert.same(want, flatten(got:totable()), order .. " axes " .. table.concat(axes, " "))
        end)
      end

      it("may be any set", function()
        check(cuda.array(list, "int32", { shape = shape }), shape, "C order")
      end)

      it("of arrays with axes reversed", function()
        check(cuda.array(list, "int32", { shape = shape }):transpose(), { 3, 7, 5 }, "reversed")
      end)

      it("of arrays with swapped axes, steps and negative steps", function()
        check(cuda.array(list, "int32", { shape = shape }):transpose(2, 1, 3),
          { 7, 5, 3 }, "exchanged")
        check(cuda.array(list, "int32", { shape = shape }):slice({ 1, -1, 2 }, { -1, 1, -2 }, {}),
          { 3, 4, 3 }, "sliced")
      end)

      it("of broadcast views", function()
        check(cuda.array({ 1, 2, 3 }, "int32"):broadcast_to { 4, 5, 3 }, { 4, 5, 3 }, "broadcast")
        check(cuda.array({ { 1 }, { 2 } }, "int32"):broadcast_to { 2, 6 }, { 2, 6 }, "broadcast")
      end)

      it("count from 1, or from the end, one or a list, all by default", function()
        local a = cuda.array(list, "int32", { shape = shape })
        local r = sum_of "int32"
        assert.same(r(a, { axis = 3 }):totable(), r(a, { axis = -1 }):totable())
        assert.same(r(a, { axis = { 1, 3 } }):totable(), r(a, { axis = { -1, -3 } }):totable())
        assert.same({}, r(a).shape)
        assert.same(r(a):totable(), r(a, { axis = { 1, 2, 3 } }):totable())
      end)

      it("are kept with keepdims", function()
        local a, r = cuda.array(list, "int32", { shape = shape }), sum_of "int32"
        assert.same({ 5, 1, 3 }, r(a, { axis = 2, keepdims = true }).shape)
        assert.same({ 1, 1, 1 }, r(a, { keepdims = true }).shape)
        assert.same(flatten(r(a, { axis = { 1, 3 } }):totable()),
          flatten(r(a, { axis = { 1, 3 }, keepdims = true }):totable()))
      end)
    end)

    describe("sizes", function()
      it("from none to several blocks, in rows", function()
        for _, dtype in ipairs { "float32", "int8", "float64" } do
          local r = cuda.reduction(dtype .. " x", "int64 y", "x", "a + b", "y = a", 0, "rows",
            { reduce_type = "int64" })
          for _, n in ipairs {
            0, 1, 2, 3, 15, 16, 17, 31, 255, 256, 257, 1023, 4095, 4097, 65537, 262145,
          } do
            local a = cuda.ones(n, dtype)
            assert.equal(n, r(a):item(), dtype .. " " .. n)
          end
          for _, dims in ipairs {
            { 3, 1 }, { 7, 31 }, { 33, 33 }, { 300, 5 }, { 5, 1025 }, { 2, 70001 },
          } do
            local want = {}
            for k = 1, dims[1] do want[k] = dims[2] end
            assert.same(want, r(cuda.ones(dims, dtype), { axis = 2 }):totable(),
              dims[1] .. " x " .. dims[2])
          end
        end
      end)

      it("from none to several blocks, in columns", function()
        for _, dtype in ipairs { "float32", "int8", "complex64" } do
          local map = "real_part(x) * (1 + (i % 3))"
          local r = cuda.reduction(dtype .. " x", "float32 y", map, "a + b", "y = a", 0,
            "columns", { preamble = [[
            __device__ float real_part(float v) { return v; }
            __device__ float real_part(complex<float> v) { return v.real(); }]] })
          for _, dims in ipairs { { 1, 5 }, {
            2, 64,
          }, { 31, 33 }, { 1025, 4 }, { 3000, 1 }, { 20000, 3 }, { 7, 1000 }, { 4097, 16 } } do
            local want, columns = {}, dims[2]
            for c = 1, columns do
              want[c] = 0.0
              for row = 0, dims[1] - 1 do want[c] = want[c] + 1 + (row * columns + c - 1) % 3 end
            end
            assert.same(want, r(cuda.ones(dims, dtype), { axis = 1 }):totable(),
              dtype .. " " .. dims[1] .. " x " .. columns)
          end
        end
      end)

      it("with an identity other than 0, for every result of a thread", function()
        local rng = helper.random(43)
        for _, dtype in ipairs { "int8", "float32", "float64" } do
          local largest = cuda.reduction(dtype .. " x", dtype .. " y", "x", "a < b ? b : a",
            "y = a", -128, "largest")
          for _, shape in ipairs { { 3, 1 }, { 40, 31 }, { 9, 64 }, { 70, 129 }, { 33, 256 },
            { 5, 1000 }, { 2000, 128 }, { 2, 4096 } } do
            local list, want = {}, {}
            for k = 1, shape[1] * shape[2] do
              local at = (k - 1) % shape[2] + 1
              list[k] = -2 - rng(120)
              want[at] = math.max(want[at] or -128, list[k])
            end
            local x = cuda.array(list, dtype):reshape(shape)
            helper.assert_close(want, largest(x, { axis = 1 }):totable(),
              { dtype = dtype, message = ("%s, %d rows of %d"):format(dtype, shape[1], shape[2]) })
          end
        end
      end)

      it("of views that start anywhere", function()
        local r = sum_of "int32"
        local base = cuda.arange(0, 5000, "int32")
        for first = 1, 9 do
          for _, last in ipairs { first, 40, 1111, 5000 } do
            local n = last - first + 1
            assert.equal((first + last - 2) * n // 2, r(base:slice { first, last }):item())
          end
        end
        local grid = base:reshape { 50, 100 }
        for first = 1, 5 do
          local part = grid:slice({}, { first, first + 63 })
          assert.same(reference(flatten(part:totable()), { 50, 64 }, { true }, add),
            r(part, { axis = 1 }):totable())
          assert.same(reference(flatten(part:totable()), { 50, 64 }, { false, true }, add),
            r(part, { axis = 2 }):totable())
        end
      end)

      it("that exceed 32 bits", function()
        local one = cuda.ones(1, "int8")
        local count = cuda.reduction("int8 x", "int64 y, int64 last", "pair{x, _j}",
          "pair{a.sum + b.sum, max(a.last, b.last)}", "y = a.sum; last = a.last", "pair{0, -1}",
          "count", { reduce_type = "pair", preamble = "struct pair { long long sum, last; };" })
        for _, n in ipairs(helper.sanitized and { (1 << 31) + 3 } or {
          (1 << 31) + 3, (1 << 32) + 11,
        }) do
          local y, last = count(one:broadcast_to { n })
          assert.equal(n, y:item())
          assert.equal(n - 1, last:item())
        end
      end)

      it("of zero give no results along kept axes, and the identity along reduced ones", function()
        local r, none = sum_of "float32", cuda.reduction("T x", "T y", "x", "a + b",
          "y = a", nil, "none")
        assert.same({ 0, 3 }, r(cuda.empty { 0, 3, 5 }, { axis = 3 }).shape)
        assert.same({ 0.0, 0.0, 0.0 }, r(cuda.empty { 0, 3 }, { axis = 1 }):totable())
        assert.same({ 0.0, 0.0, 0.0 }, r(cuda.empty { 3, 0 }, { axis = 2 }):totable())
        assert.equal(0.0, r(cuda.empty { 3, 0 }):item())
        local start = cuda.reduction("T x", "T y", "x", "a + b", "y = a + 1", 41, "start")
        assert.equal(42.0, start(cuda.empty(0)):item())
        assert.matches("^none: there are no elements to reduce", misuse(none, cuda.empty { 3, 0 }))
        assert.same({ 0 }, none(cuda.empty { 0, 3 }, { axis = 2 }).shape)
      end)
    end)

    describe("outputs", function()
      it("are given by position or by name", function()
        local r, a = sum_of "float32", cuda.ones { 3, 4 }
        local out = cuda.zeros(3)
        assert.equal(out, r(a, out, { axis = 2 }))
        assert.same({ 4.0, 4.0, 4.0 }, out:totable())
        local wide = cuda.zeros { 4, 2 }
        assert.equal("userdata", type(r(a, { axis = 1, out = wide:slice({}, 2) })))
        assert.same({ { 0.0, 3.0 }, { 0.0, 3.0 }, { 0.0, 3.0 }, { 0.0, 3.0 } }, wide:totable())
        local both = cuda.reduction("T x", "T y, T z", "x", "a + b", "y = a; z = -a", 0, "both")
        local y, z = cuda.zeros(4), cuda.zeros(4)
        both(a, { axis = 1, out = { y, z } })
        assert.same({ 3.0, 3.0, 3.0, 3.0 }, y:totable())
        assert.same({ -3.0, -3.0, -3.0, -3.0 }, z:totable())
      end)

      it("keep elements that post does not assign, and may be read", function()
        local plus = cuda.reduction("T x", "T y", "x", "a + b", "y += a", 0, "plus")
        local some = cuda.reduction("T x", "T y", "x", "a + b", "if (a > 3) y = a", 0, "some")
        local a = cuda.array { { 1, 2, 0 }, { 1, 1, 2 } }
        for _, out in ipairs {
          cuda.array { 10, 20 }, cuda.array { { 10, 1 }, { 20, 1 } }:slice({}, 1),
        } do
          assert.same({ 13.0, 24.0 }, plus(a, { axis = 2, out = out }):totable())
          assert.same({ 13.0, 4.0 }, some(a, { axis = 2, out = out }):totable())
        end
        local wide = cuda.full({ 64, 2 }, 7)
        assert.equal(64 * 10.0,
          plus(cuda.ones { 3, 64 }, { axis = 1, out = wide:slice({}, 2) }):sum())
        assert.equal(64 * 10.0,
          plus(cuda.ones { 3, 64 }, { axis = 1, out = cuda.full(64, 7) }):sum())
        assert.equal(64 * 17.0, wide:sum())
        assert.equal(300007.0, plus(cuda.ones(300000), cuda.full({}, 7)):item())
        assert.same({ 2.0, 3.0 },
          plus(cuda.empty { 2, 0 }, cuda.array { 2, 3 }, { axis = 2 }):totable())
        assert.same({ 4.0, 5.0 }, plus(a, { axis = 2, out = a:slice({}, 1) }):totable())
        assert.same({ { 4.0, 2.0, 0.0 }, { 5.0, 1.0, 2.0 } }, a:totable())
      end)

      it("may overlap the input", function()
        local r, a = sum_of "float32", cuda.arange(0, 12, "float32"):reshape { 3, 4 }
        r(a, { axis = 1, out = a:slice(1) })
        assert.same({ { 12.0, 15.0, 18.0, 21.0 }, { 4.0, 5.0, 6.0, 7.0 },
          { 8.0, 9.0, 10.0, 11.0 } }, a:totable())
      end)

      it("have the shape of the result", function()
        local r, a = sum_of "float32", cuda.ones { 3, 4 }
        assert.matches("an output has shape {4}, the result {3}",
          misuse(r, a, cuda.zeros(4), { axis = 2 }))
        assert.matches("an output has shape {3}, the result {3, 1}",
          misuse(r, a, { axis = 2, keepdims = true, out = cuda.zeros(3) }))
        assert.matches("expected float32 array",
          misuse(r, a, { axis = 2, out = cuda.zeros(3, "int32") }))
      end)
    end)

    it("takes every dtype", function()
      helper.for_all_dtypes(function(dtype)
        local want = cuda.complex(0, 0)
        local list = numbers(101)
        for k, x in ipairs(list) do
          list[k] = cuda.complex(x, 1)
          want = want + list[k]
        end
        assert.equal(want, sum_of(dtype)(cuda.array(list, dtype)):item())
        assert.equal(want,
          sum_of(dtype)(cuda.array(list, dtype):reshape { 101, 1 }, { axis = 1 }):item(1))
      end, { kind = { "complex" } })
      helper.for_all_dtypes(function(dtype, row)
        if row.kind == "bool" or row.kind == "complex" then return end
        local a = cuda.array(numbers(101), dtype):reshape { 1, 101 }
        local want = 0
        for _, x in ipairs(numbers(101)) do want = want + x end
        assert.equal(want, sum_of(dtype)(a):item(), dtype)
        assert.same(numbers(101), sum_of(dtype)(a, { axis = 1 }):totable())
      end)
    end)

    it("gives the same bits for the same array", function()
      local n = 100003
      local values, seed = {}, 1
      for k = 1, n do
        seed = (seed * 48271) % 2147483647
        values[k] = seed / 2147483647 - 0.5
      end
      local a, r = cuda.array(values, "float32"), sum_of "float32"
      local first = r(a):tobytes()
      for _ = 1, 3 do assert.equal(first, r(a):tobytes()) end
      local b = a:slice({ 1, 100000 }):reshape { 1000, 100 }
      for axis = 1, 2 do
        first = r(b, { axis = axis }):tobytes()
        assert.equal(first, r(b, { axis = axis }):tobytes())
        assert.equal(first, r(b:copy(), { axis = axis }):tobytes())
      end
    end)

    it("runs on the stream given", function()
      local s, a = cuda.stream(), cuda.ones(1000)
      assert.equal(1000.0, sum_of "float32"(a, { stream = s }):item())
    end)

    it("shows its source and what was compiled", function()
      local r = cuda.reduction("T x", "T y", "x", "a + b", "y = a", 0, "shown")
      assert.matches("nothing is compiled yet", misuse(r.source, r))
      assert.same({}, r:cached())
      r(cuda.ones(10))
      assert.matches("__global__", r:source())
      assert.matches("%.version", r:ptx())
      local row = r:cached()[1]
      assert.equal("rows", row.mode)
      assert.equal("whole", row.pass)
      assert.same({ "float32", "float32" }, row.types)
      r(cuda.ones(20))
      assert.equal(1, #r:cached())
      r(cuda.ones { 8, 8 }, { axis = 1 })
      assert.equal("columns", r:cached()[2].mode)
    end)

    it("shows the source of both kernels without a call", function()
      local r = cuda.reduction("T x", "T y", "x", "a + b", "y = a", 0, "shown")
      local function kernels_in(text) return select(2, text:gsub("__global__", "")) end
      assert.equal(1, kernels_in(r:source(cuda.ones(10))))
      local many = cuda.ones(1 << 22)
      assert.equal(2, kernels_in(r:source(many)))
      assert.equal(2, select(2, r:ptx(many):gsub("%.entry", "")))
      local passes = {}
      for k, row in ipairs(r:cached()) do passes[k] = row.pass end
      assert.same({ "whole", "partial", "final" }, passes)
      assert.equal(cuda.device(), r:cached()[1].device)
      assert.matches("^shown: source: such a call launches nothing",
        misuse(r.source, r, cuda.ones { 0, 3 }, { axis = 2 }))
    end)

    it("does not list kernels that do not compile", function()
      local wrong = cuda.reduction("T x", "T y", "x +", "a + b", "y = a", 0, "wrong")
      for _ = 1, 2 do assert.is_false((pcall(wrong, cuda.ones(10)))) end
      assert.same({}, wrong:cached())
      assert.matches("__global__", wrong:source())
    end)

    describe("refuses", function()
      it("more parameters than a kernel takes", function()
        local list = {}
        for k = 1, 25 do list[k] = "float32 x" .. k end
        assert.matches("^reduction: 26 parameters are more than the 24 that a kernel takes", misuse(
          cuda.reduction, table.concat(list, ", "), "float32 y", "x1", "a + b", "y = a", 0, "many"))
      end)

      it("wrong axes", function()
        local r, a = sum_of "float32", cuda.ones { 2, 3 }
        assert.matches("^add_up: option 'axis': 3 is not an axis of an array of 2 axes",
          misuse(r, a, { axis = 3 }))
        assert.matches("0 is not an axis", misuse(r, a, { axis = 0 }))
        assert.matches("%-3 is not an axis", misuse(r, a, { axis = { 1, -3 } }))
        assert.matches("axis 2 is named twice", misuse(r, a, { axis = { 2, -1 } }))
        assert.matches("expected an integer or a list of integers, got number",
          misuse(r, a, { axis = 1.5 }))
        assert.matches("expected an integer or a list of integers, got string",
          misuse(r, a, { axis = "1" }))
        assert.matches("1 is not an axis of an array of 0 axes",
          misuse(r, cuda.array(1), { axis = 1 }))
      end)

      it("wrong options and counts", function()
        local r, a = sum_of "float32", cuda.ones { 2, 3 }
        assert.matches("unknown option 'axes'.*axis", misuse(r, a, { axes = 1 }))
        assert.matches("keepdims.*expected a boolean", misuse(r, a, { keepdims = 1 }))
        assert.matches("stream.*expected a Stream", misuse(r, a, { stream = 1 }))
        assert.matches("add_up: expected 1 input", misuse(r))
        assert.matches("add_up: expected 1 input.*got 3", misuse(r, a, a, a))
        assert.matches("size is only allowed", misuse(r, a, { size = 3 }))
      end)

      it("wrong arrays", function()
        local r = sum_of "float32"
        assert.matches("argument 1 'x': expected float32 array %(float32 x%), got int32 array",
          misuse(r, cuda.ones(3, "int32")))
        assert.matches("argument 1 'x': expected an array or a number, got table",
          misuse(r, { 1, 2 }))
        local closed = cuda.ones(3)
        closed:free()
        assert.matches("closed Array", misuse(r, closed))
        local two = cuda.reduction("T x, T y", "T z", "x + y", "a + b", "z = a", 0, "two")
        assert.matches("shape {4} does not broadcast with {3}",
          misuse(two, cuda.ones(3), cuda.ones(4)))
      end)

      it("wrong declarations", function()
        assert.equal("reduction", cuda.reduction("T x", "T y", "x", "a + b", "y = a", 0).name)
        local function declare(...) return misuse(cuda.reduction, ...) end
        assert.matches("unknown type 'flot32'",
          declare("flot32 x", "T y", "x", "a + b", "y = a", 0, "r"))
        assert.matches("parameter 'a' has a name",
          declare("T a", "T y", "x", "a + b", "y = a", 0, "r"))
        assert.matches("parameter 'b' has a name",
          declare("T x", "T b", "x", "a + b", "y = a", 0, "r"))
        assert.matches("no output parameters", declare("T x", "", "x", "a + b", "y = a", 0, "r"))
        assert.matches("cannot be raw", declare("T x", "raw T y", "x", "a + b", "y = a", 0, "r"))
        assert.matches("a map expression is empty",
          declare("T x", "T y", "", "a + b", "y = a", 0, "r"))
        assert.matches("expected a reduce expression %(a string%), got nil",
          declare("T x", "T y", "x", nil, "y = a", 0, "r"))
        assert.matches("expected the identity",
          declare("T x", "T y", "x", "a + b", "y = a", {}, "r"))
        assert.matches("kernel name", declare("T x", "T y", "x", "a + b", "y = a", 0, "1r"))
        assert.matches("unknown option 'reduce_typ'.*reduce_type",
          declare("T x", "T y", "x", "a + b", "y = a", 0, "r", { reduce_typ = "T" }))
        assert.matches("unknown option 'mapp'", declare { mapp = "x" })
      end)

      it("expressions that do not compile, at their lines", function()
        local r = cuda.reduction("T x", "T y", "x +* 2", "a + b", "y = a", 0, "bad")
        local ok, e = pcall(r, cuda.ones(3))
        assert.is_false(ok)
        assert.is_true(cuda.is_error(e, "compile"))
        assert.matches("reduction_spec.lua:%d+", tostring(e))
      end)
    end)
  end)
end)

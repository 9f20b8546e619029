-- The language of CuPy's ElementwiseKernel and ReductionKernel in the kernel builders: names, the
-- index, raw arrays, code around the loop, and options.
local cuda = require "luacuda"
local helper = require "spec.helper"

local misuse = helper.misuse

local function declare(...) return misuse(cuda.elementwise, ...) end

describe("CuPy's options", function()
  it("are checked", function()
    for _, name in ipairs { "reduce_dims", "no_return", "return_tuple" } do
      assert.equals("elementwise: option '" .. name .. "': expected boolean, got number",
        declare("T x", "T y", "y = x", "k", { [name] = 1 }))
    end
    assert.equals("elementwise: options 'no_return' and 'return_tuple' exclude each other",
      declare("T x", "T y", "y = x", "k", { no_return = true, return_tuple = true }))
    assert.equals("elementwise: options 'options' and 'flags' mean the same: give one",
      declare("T x", "T y", "y = x", "k", { options = {}, flags = {} }))
    assert.equals("elementwise: expected option 'loop_prep' (a string), got boolean",
      declare("T x", "T y", "y = x", "k", { loop_prep = true }))
    assert.equals("elementwise: option 'after_loop' holds a zero byte",
      declare("T x", "T y", "y = x", "k", { after_loop = "\0" }))
    assert.equals("reduction: option 'reduce_dims': expected boolean, got string", misuse(function()
      cuda.reduction("T x", "T y", "x", "a + b", "y = a", "0", "k", { reduce_dims = "no" })
    end))
  end)
end)

helper.for_each_device(function()
  -- 0 to n - 1 in this shape
  local function count(shape, dtype)
    return cuda.arange(helper.size_of(shape), dtype or "int64"):reshape(shape)
  end

  describe("an elementwise kernel takes", function()
    it("names that begin with _, and parameters and variables called n", function()
      local f = cuda.elementwise("T _x, int32 n", "T _y", "_y = _x * n", "_times")
      assert.equals("_times", f.name)
      assert.same({ 3.0, 6.0, 9.0 }, f(cuda.array{ 1, 2, 3 }, 3):totable())
      assert.same({ 4, 10, 18 },
        f(cuda.array({ 1, 2, 3 }, "int32"), cuda.array({ 4, 5, 6 }, "int32")):totable())
      local g = cuda.elementwise("T x", "T y", "const T n = x + 1; y = n * n", "own_n")
      assert.same({ 4.0, 9.0 }, g(cuda.array{ 1, 2 }):totable())
      local h = cuda.elementwise("T x", "T y", "T y2 = y; { T i = 2; y = x * i + y2; }", "own_i")
      assert.same({ 12.0 }, h(cuda.array{ 1 }, cuda.array{ 10 }):totable())
    end)

    it("the constants of math.h, unless the texts define them", function()
      local f = cuda.elementwise("T x", "T y", "y = x * M_PI + M_SQRT2", "constants")
      helper.assert_close({ math.pi + 2 ^ 0.5 }, f(cuda.ones(1, "float64")):totable(),
        { dtype = "float64" })
      local g = cuda.elementwise("T x", "T y", "y = M_PI", "own", { preamble = "#define M_PI 3" })
      assert.same({ 3.0 }, g(cuda.ones(1)):totable())
      local h = cuda.elementwise("T x", "T y", "y = M_E", "own", { defines = { M_E = 2.5 } })
      assert.same({ 2.5 }, h(cuda.ones(1)):totable())
    end)

    it("an empty body, which leaves outputs as they are", function()
      for _, body in ipairs { "", " ; /* nothing */ // \n" } do
        local f = cuda.elementwise("T x", "T y", body, "nothing")
        local y = cuda.array{ 7, 8 }
        assert.equals(y, f(cuda.array{ 1, 2 }, y))
        assert.same({ 7.0, 8.0 }, y:totable())
      end
    end)

    it("thrust's names of complex numbers", function()
      local f = cuda.elementwise("T r, T phi", "complex128 z",
        "thrust::complex<double> w = thrust::polar(r, phi); w -= 1.0; z = thrust::conj(w)", "polar")
      local z = f(cuda.array({ 2 }, "float64"), cuda.array({ math.pi / 2 }, "float64")):item(1)
      helper.assert_close({ -1, -2 }, { z.re, z.im }, { dtype = "float64" })
    end)

    it("numbers for raw inputs", function()
      local f = cuda.elementwise("raw T x, raw int32 count", "T y",
        "y = i < count ? x[i] : T(-1)", "first")
      assert.same({ 5.0, 6.0, -1.0 }, f(cuda.array{ 5, 6, 7 }, 2, { size = 3 }):totable())
      assert.matches("first: argument 2 'count': expected an integer (int32), got 1.5",
        misuse(function() f(cuda.array{ 5 }, 1.5, { size = 1 }) end), 1, true)
      assert.matches("first: argument 2 'count': expected an array or a number, got string",
        misuse(function() f(cuda.array{ 5 }, "2", { size = 1 }) end), 1, true)
      -- the same declaration with an array is another kernel
      local g = cuda.elementwise("raw T x, raw int32 c", "T y", "y = x[i] + c[i]", "plus")
      assert.same({ 6.0 }, g(cuda.array{ 5 }, cuda.array({ 1 }, "int32"), { size = 1 }):totable())
    end)
  end)

  describe("the index of an elementwise kernel", function()
    local at = cuda.elementwise("T x", "int64 y, int64 axes, int64 size",
      [[y = 0;
        for (int d = 0; d < _ind.ndim; d++) y = y * 100 + _ind.get()[d];
        axes = _ind.ndim; size = _ind.size();]], "at")

    local function expected(shape, fn)
      local function level(d, so_far)
        if d > #shape then return fn(so_far) end
        local list = {}
        for k = 0, shape[d] - 1 do list[k + 1] = level(d + 1, so_far * 100 + k) end
        return list
      end
      return level(1, 0)
    end

    it("has a part for each axis, whatever the memory layout", function()
      for _, shape in ipairs { { 7 }, { 5, 1 }, { 1, 9 }, { 33, 34 }, { 3, 4, 5 },
        { 2, 1, 3, 1, 4 } } do
        local want = expected(shape, function(v) return v end)
        local x = count(shape, "float32")
        local y, axes, size = at(x)
        assert.same(want, y:totable())
        assert.same(#shape, axes:max())
        assert.same(#shape, axes:min())
        assert.same(x.size, size:max())
        -- the same shape, the axes in the opposite order in memory
        local reversed, order = {}, {}
        for d = 1, #shape do reversed[d], order[d] = shape[#shape + 1 - d], #shape + 1 - d end
        local turned = count(reversed, "float32"):transpose(table.unpack(order))
        assert.same(shape, turned.shape)
        assert.same(want, (at(turned)):totable())
      end
    end)

    it("works for arrays without axes, of no elements, broadcast and with gaps", function()
      local y, axes = at(cuda.full({}, 1, "float32"))
      assert.same({ 0, 0 }, { y:item(), axes:item() })
      assert.same({ 0, 3 }, (at(cuda.zeros{ 0, 3 })).shape)
      assert.same(expected({ 2, 3 }, function(v) return v end),
        (at(cuda.zeros(3):broadcast_to{ 2, 3 })):totable())
      assert.same(expected({ 4, 3 }, function(v) return v end),
        (at(cuda.zeros{ 8, 6 }:slice({ 1, 8, 2 }, { 1, 6, 2 }))):totable())
    end)

    it("is that of the call where every array is raw", function()
      local f = cuda.elementwise("raw T x", "raw int64 y", "y[_ind.get()[0]] = _ind.ndim * 100 + i",
        "all_raw")
      local y = cuda.zeros(3, "int64")
      f(cuda.ones(3), y, { size = 3 })
      assert.same({ 100, 101, 102 }, y:totable())
    end)

    it("is found through macros and in code around the loop", function()
      local f = cuda.elementwise("T x", "int64 y", "y = COLUMN + last", "macro",
        { preamble = "#define COLUMN _ind.get()[_ind.ndim - 1]", reduce_dims = false,
        loop_prep = "const long long last = _ind.size() - 1" })
      assert.same({ { 5, 6, 7 }, { 5, 6, 7 } }, f(cuda.zeros{ 2, 3 }):totable())
    end)
  end)

  describe("raw arrays", function()
    local function views()
      return { count{ 4, 6 }, count{ 6, 4 }:transpose(), count{ 8, 12 }:slice({ 1, 8, 2 },
        { 2, 12, 2 }) }
    end

    it("tell extents and strides", function()
      local f = cuda.elementwise("raw T x", "raw int64 y", [[
        y[0] = x.ndim; y[1] = x.size();
        for (int d = 0; d < x.ndim; d++) {
          y[2 + d] = x.shape()[d] * 1000 + x.shape(d);
          y[4 + d] = x.strides()[d] * 1000 + x.strides(d);
        }]], "extents")
      for _, x in ipairs(views()) do
        local y = cuda.zeros(6, "int64")
        f(x, y, { size = 1 })
        assert.same({ 2, 24, 4004, 6006, x.strides[1] * 1001, x.strides[2] * 1001 }, y:totable())
      end
    end)

    it("take an array of indices", function()
      local by = {
        "ptrdiff_t k[] = {i % 4, i / 4}; y = x[k]",
        "int k[2]; k[0] = i % 4; k[1] = i / 4; y = x[k]",
        "long long k[2] = {i % 4, i / 4}; const long long *const p = k; y = x[ p ]",
      }
      for _, body in ipairs(by) do
        local f = cuda.elementwise("raw T x", "T y", body, "by_list")
        for _, x in ipairs(views()) do
          local want, rows = {}, x:totable()
          for i = 0, 23 do want[i + 1] = rows[i % 4 + 1][i // 4 + 1] end
          assert.same(want, f(x, { size = 24 }):totable())
        end
      end
    end)

    it("take the index itself, and are written by one", function()
      local f = cuda.elementwise("T x", "raw T y", "y[_ind.get()] = x", "copy")
      for _, y in ipairs(views()) do
        f(count{ 4, 6 } * 2, y)
        assert.same((count{ 4, 6 } * 2):totable(), y:totable())
      end
      local g = cuda.elementwise("raw T x", "T y", "const ptrdiff_t *at = _ind.get(); y = x[at]",
        "pointer")
      local y = cuda.zeros({ 4, 6 }, "int64")
      for _, x in ipairs(views()) do assert.same(x:totable(), g(x, y):totable()) end
    end)

    it("give the type of an index, and addresses of elements", function()
      local f = cuda.elementwise("raw T x, int64 rows_", "T y", [[
        using index = decltype(x)::index_t;
        index rows = static_cast<index>(rows_);
        const T *first = &x[0];
        y = first[i % rows] + x[i];]], "typed")
      assert.same({ 2, 4, 4, 6 }, f(cuda.array({ 1, 2, 3, 4 }, "int64"), 2, { size = 4 }):totable())
    end)

    it("take an array of indices in reductions and in functions of the preamble", function()
      local f = cuda.reduction("T v, raw T x", "T y", "v * pick(x, i)", "a + b", "y = a", "0",
        "by_list", { reduce_dims = false, options = "-DROWS=4", preamble = [[
          template <class A> __device__ T pick(const A &x, long long i) {
            ptrdiff_t k[] = {i % ROWS, i / ROWS};
            return x[k];
          }]] })
      for _, x in ipairs(views()) do
        local want, rows = 0, x:totable()
        for i = 0, 23 do want = want + (i + 1) * rows[i % 4 + 1][i // 4 + 1] end
        assert.equals(want, f(cuda.arange(1, 25, "int64"), x):item())
      end
    end)

    it("may be numbers in reductions", function()
      local f = cuda.reduction("T v, raw T c", "T y", "v * c", "a + b", "y = a", "0", "scaled")
      assert.equals(12.0, f(cuda.array{ 1, 2, 3 }, 2):item())
      assert.same({ 6.0, 8.0 }, f(cuda.array{ { 1, 2 }, { 2, 2 } }, 2, { axis = 1,
        out = cuda.zeros(2) }):totable())
    end)
  end)

  describe("code around the loop", function()
    -- adds 1 to `visits` for every element that a thread had
    local function counted(inputs, outputs, body, name)
      outputs = outputs .. ", raw int32 visits, raw int32 threads"
      return cuda.elementwise(inputs, outputs, body, name, {
        loop_prep = "int seen = 0; const double factor = scale * 2",
        after_loop = "atomicAdd(&visits[0], seen); if (!seen) return; atomicAdd(&threads[0], 1)",
        preamble = "#define v 3\n#define seen_again seen++" })
    end
    local f = counted("T x, float64 scale", "T y", "seen_again; y = x * factor + v", "counted")

    it("runs once per thread and keeps its variables, for each layout", function()
      local tile = cuda.arange(70 * 90, "float64"):reshape{ 70, 90 }:transpose()
      for _, x in ipairs { cuda.arange(1, "float64"), cuda.arange(4099, "float64"),
        cuda.arange(100, "float64"):slice { 1, 100, 3 }, cuda.zeros(5, "float64")
          :broadcast_to{ 7, 5 }, tile } do
        local visits, threads = cuda.zeros(1, "int32"), cuda.zeros(1, "int32")
        local y = f(x, 1.5, cuda.empty(x.shape, "float64"), visits, threads)
        assert.same((x * 3 + 3):totable(), y:totable())
        assert.equals(x.size, visits:item(1))
        assert.is_true(threads:item(1) >= 1 and threads:item(1) <= x.size)
      end
    end)

    it("has `return` and `continue` of the body end an element only", function()
      local g = counted("T x, T scale", "T y",
        "seen++; if (i % 3 == 0) return; if (i % 3 == 1) continue; y = x", "ends")
      local visits, threads = cuda.zeros(1, "int32"), cuda.zeros(1, "int32")
      local y = g(cuda.arange(1, 8, "float32"), 1, cuda.zeros(7), visits, threads)
      assert.same({ 0.0, 0.0, 3.0, 0.0, 0.0, 6.0, 0.0 }, y:totable())
      assert.equals(7, visits:item(1))
    end)

    it("may share memory within a block", function()
      local sum = cuda.elementwise("T x", "raw T y", "atomicAdd(&part, x)", "block_sums", {
        loop_prep = [[
          __shared__ T part;
          if (threadIdx.x == 0) part = 0;
          __syncthreads();]],
        after_loop = [[
          __syncthreads();
          if (threadIdx.x == 0) atomicAdd(&y[0], part)]] })
      local y = cuda.zeros(1, "int32")
      sum(cuda.ones(5000, "int32"), y)
      assert.equals(5000, y:item(1))
    end)

    it("sees raw arrays, numbers, n and _ind, and types", function()
      local g = cuda.elementwise("raw T x, T factor", "raw T y", "y[i] = last * factor", "last",
        { loop_prep = "const T last = x[x.shape()[0] - 1] + n - _ind.size();" })
      local y = cuda.zeros(2)
      g(cuda.array{ 1, 2, 5 }, 2, y, { size = 2 })
      assert.same({ 10.0, 10.0 }, y:totable())
      -- a parameter may hide n
      local h = cuda.elementwise("T x, int32 n", "T y", "y = x + twice", "hidden",
        { loop_prep = "const int twice = n * 2" })
      assert.same({ 7.0 }, h(cuda.array{ 1 }, 3):totable())
    end)

    it("reports errors at its own lines", function()
      local g = cuda.elementwise("T x", "T y", "y = x", "k", { after_loop = "\nnothing(1);" })
      local e = helper.error_of(function() g(cuda.ones(1)) end)
      assert.matches("<after_loop of k>:2: error: identifier \"nothing\" is undefined", tostring(e),
        1, true)
      local h = cuda.elementwise("T x", "T y", "y = x", "k", { loop_prep = "int a = ;" })
      e = helper.error_of(function() h(cuda.ones(1)) end)
      assert.matches("cupy_strings_spec.lua:%d+: error: expected an expression", tostring(e))
    end)

    it("is recorded in a graph", function()
      local x, y = cuda.arange(8, "float32"), cuda.zeros(8)
      local g = cuda.elementwise("T x, T s", "T y", "y = x + extra", "in_graph",
        { loop_prep = "const T extra = s + 1" })
      g(x, 1, y)
      local graph = cuda.graph(function() g(x, 2, y) end)
      y:fill(0)
      graph:launch()
      assert.same((x + 3):totable(), y:totable())
    end)
  end)

  describe("results", function()
    it("are left out with no_return, and a list with return_tuple", function()
      local none = cuda.elementwise("T x", "T y", "y = x + 1", "none", { no_return = true })
      local y = cuda.zeros(2)
      assert.equals(0, select("#", none(cuda.ones(2), y)))
      assert.same({ 2.0, 2.0 }, y:totable())
      local list = cuda.elementwise("T x", "T y", "y = x + 1", "list", { return_tuple = true })
      local results = table.pack(list(cuda.ones(2), y))
      assert.equals(1, results.n)
      assert.equals(1, #results[1])
      assert.equals(y, results[1][1])
      local two = cuda.elementwise("T x", "T y, T z", "y = x + 1; z = x + 2", "two",
        { return_tuple = true })
      results = two(cuda.ones(1))
      assert.equals(2, #results)
      assert.same({ { 2.0 }, { 3.0 } }, { results[1]:totable(), results[2]:totable() })
    end)
  end)
end)

-- cuda.device_function: functions in CUDA C++ in kernels written in Lua. The oracle is the same
-- computation in Lua.
local cuda = require "luacuda"
local helper = require "spec.helper"

local POLY = [[
__device__ double poly(double x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum = sum * x + i;
  return sum;
}
]]

local function poly(x, n)
  local sum = 0.0
  for i = 0, n - 1 do sum = sum * x + i end
  return sum
end

local PARTS = [[
namespace own { __device__ int half_of(int n) { return n / 2; } }
template <class T> __device__ T square(T v) { return v * v; }
__device__ void ramp(float *row, unsigned n, const double *start) {
  for (unsigned i = 0; i < n; i++) row[i] = STEP * i + start[0];
}
__device__ bool is_odd(long long n) noexcept { return n & 1; }
extern "C" __device__ complex<float> turned(const complex<float> &z) {
  return complex<float>(-z.imag(), z.real());
}
]]

local function part(name) return cuda.device_function(PARTS, name, { defines = { STEP = 3 } }) end

helper.for_each_device(function()
  describe("cuda.device_function", function()
    it("runs in kernels, in run_in_lua, in vectorize and on the host alike", function()
      local rng, f = helper.random(31), cuda.device_function(POLY)
      local x, n, want = {}, {}, {}
      for i = 1, 50 do
        x[i], n[i] = (rng(4001) - 2000) / 1000, rng(9)
        want[i] = poly(x[i], n[i])
        assert.is.near(want[i], f(x[i], n[i]), 1e-12 * math.max(1, math.abs(want[i])))
      end
      local k = cuda.jit(function(a, c, out) for i in grid(#a) do out[i] = f(a[i], c[i]) end end)
      local a, c = cuda.array(x, "float64"), cuda.array(n, "int32")
      local close = { dtype = "float64" }
      for _, run in ipairs{ k, function(...) k:run_in_lua(...) end } do
        local out = cuda.zeros(50, "float64")
        run({ threads = 50 }, a, c, out)
        helper.assert_close(want, out:totable(), close)
      end
      local each = cuda.vectorize(function(v, m) return f(v, m) end)
      helper.assert_close(want, each(a, c):totable(), close)
    end)

    it("reads and writes arrays through pointers", function()
      local ramp = part "ramp"
      local k = cuda.jit(function(m, start)
        for i in grid(#m) do
          ramp(m[i], m.shape[2] - 1, start)
          m[i][4] = m[i][2] + i
        end
      end)
      for _, run in ipairs{ k, function(...) k:run_in_lua(...) end } do
        local m = cuda.zeros { 3, 4 }
        run({ threads = 3 }, m, cuda.array({ 10 }, "float64"))
        assert.is.same({ { 10, 13, 16, 14 }, { 10, 13, 16, 15 }, { 10, 13, 16, 16 } }, m:totable())
      end
    end)

    it("notices which arrays it writes to", function()
      local ramp = part "ramp"
      local k = cuda.jit(function(row, start) ramp(row, #row, start) end)
      k({ threads = 1 }, cuda.zeros(4), cuda.zeros(1, "float64"))
      local head = k:source():match "__global__ void [^{]*"
      assert.is_nil(head:find "const float32 %*[%w_]* *row_")
      assert.is_truthy(head:find "const float64 %*[%w_]* *start_")
    end)

    it("takes arrays of the block and of the thread", function()
      local sum = cuda.device_function [[
__device__ void add_up(int *into, const int *from, int n) {
  for (int i = 0; i < n; i++) *into += from[i];
}]]
      local k = cuda.jit(function(out)
        local s, own = shared("int32", 8), array("int32", 1)
        local t = threadIdx.x + 1
        s[t] = t
        syncthreads()
        sum(own, s, 8)
        out[t] = own[1] + t
      end)
      for _, run in ipairs{ k, function(...) k:run_in_lua(...) end } do
        local out = cuda.zeros(8, "int32")
        run({ grid = 1, block = 8 }, out)
        assert.is.same({ 37, 38, 39, 40, 41, 42, 43, 44 }, out:totable())
      end
    end)

    it("takes one of several functions by name", function()
      local half, square, odd, turned = part "own::half_of", part "square<double>", part "is_odd",
        part "turned"
      local k = cuda.jit(function(out, z)
        for i in grid(#out) do
          out[i] = odd(i) and half(i) or square(i)
          z[i] = turned(z[i])
        end
      end)
      for _, run in ipairs{ k, function(...) k:run_in_lua(...) end } do
        local out, z = cuda.zeros(5, "float64"), cuda.full(5, cuda.complex(1, 2), "complex64")
        run({ threads = 5 }, out, z)
        assert.is.same({ 0, 4, 1, 16, 2 }, out:totable())
        assert.is.equal(cuda.complex(-2, 1), z:item(5))
      end
    end)

    it("uses headers and types of half precision", function()
      local f = cuda.device_function({ source = [[
#include <cuda_fp16.h>
#include "mine.h"
__device__ __half scaled(__half v) { return __hmul(v, __half(MINE)); }]],
        headers = { ["mine.h"] = "#define MINE 2.5f" } })
      local x = cuda.array({ 1, 2, 4 }, "float16")
      local y = cuda.vectorize(function(v) return f(v) end)(x)
      assert.is.equal("float16", y.dtype)
      assert.is.same({ 2.5, 5, 10 }, y:totable())
      assert.is.equal(7.5, f(3))
    end)

    it("is called where Lua calls it, in Lua's order", function()
      local count = cuda.device_function [[
__device__ int next_of(int *counter) { return ++*counter; }]]
      local k = cuda.jit(function(n, out)
        for i in grid(1) do
          out[1] = count(n) * 10 + count(n)
          out[2] = i > 1 and count(n) or 7
          count(n)
          out[3] = n[1]
        end
      end)
      for _, run in ipairs{ k, function(...) k:run_in_lua(...) end } do
        local n, out = cuda.zeros(1, "int32"), cuda.zeros(3, "int32")
        run({ threads = 1 }, n, out)
        assert.is.same({ 12, 7, 3 }, out:totable())
      end
    end)

    it("is compiled again when an upvalue is another function", function()
      local f = cuda.device_function "__device__ int g(int v) { return v + 1; }"
      local k = cuda.jit(function(x) for i in grid(#x) do x[i] = f(i) end end)
      local x = cuda.zeros(2, "int32")
      k({ threads = 2 }, x)
      assert.is.same({ 2, 3 }, x:totable())
      f = cuda.device_function "__device__ int g(int v) { return v * 5; }"
      k({ threads = 2 }, x)
      assert.is.same({ 5, 10 }, x:totable())
    end)

    it("names the line of an error in its source", function()
      local f = cuda.device_function [[
__device__ float broken(float v) {
  return v + missing;
}]]
      local k = cuda.jit(function(x) x[1] = f(x[1]) end)
      local problem = helper.error_of(k, { threads = 1 }, cuda.zeros(1))
      helper.contains(tostring(problem), 'device_function_spec.lua:')
      helper.contains(tostring(problem), '"missing" is undefined')
    end)
  end)

  describe("cuda.device_function refuses", function()
    local function refused(words, ...)
      helper.contains(helper.misuse(cuda.device_function, ...), "device_function: " .. words)
    end

    it("sources from which it cannot take one function", function()
      refused("the source has no function marked __device__", "int f() { return 1; }")
      refused("the source has no function marked __device__: it has a kernel, "
        .. "which cuda.kernel takes", "__global__ void k() {}")
      refused("the source has several functions: give the name of one", PARTS)
      refused("the source has no __device__ function 'is_od'; did you mean 'is_odd'?", PARTS,
        "is_od")
      refused("'square' is a template: name an instance of it, such as 'square<float>'", PARTS,
        "square")
      refused("'f' is overloaded: give each function a name of its own",
        "__device__ int f(int a) { return a; } __device__ float f(float a) { return a; }")
      refused("unknown option 'arch'", POLY, { arch = "sm_90" })
      refused("expected source (a string), got number", 5)
    end)

    it("types that kernels in Lua do not have", function()
      local function message(source)
        return helper.misuse(cuda.device_function(source), 1)
      end
      helper.contains(message "__device__ int f(int &n) { return n; }",
        "'f': parameter 1 'n' is int &, which a kernel in Lua cannot pass")
      helper.contains(message "__device__ int f(float4 v) { return 1; }",
        "parameter 1 'v' is float4")
      helper.contains(message "__device__ float2 f(int v) { return float2(); }",
        "'f' returns float2, which a kernel in Lua cannot take")
    end)

    it("arguments that lose something, at the line of the kernel", function()
      local f, ramp = cuda.device_function(POLY), part "ramp"
      local x, m = cuda.zeros(4, "float64"), cuda.zeros { 3, 4 }
      local function message(k, ...)
        local given = { ... }
        return helper.misuse(function() k({ threads = 1 }, table.unpack(given)) end)
      end
      helper.contains(message(cuda.jit(function(a) a[1] = f(a[1], a[1]) end), x),
        "float64 cannot be argument 2 'n' of poly (int32): write math.floor(v)")
      helper.contains(message(cuda.jit(function(a) a[1] = f(a[1]) end), x),
        "poly takes 2 arguments, and got 1")
      helper.contains(message(cuda.jit(function(a) a[1] = f(a, 1) end), x),
        "an array (float64, one axis) cannot be argument 1 'x' of poly")
      helper.contains(message(cuda.jit(function(a) ramp(a, 4, a) end), x),
        "argument 1 'row' of ramp (float *): expected an array of float32")
      helper.contains(message(cuda.jit(function(a, b) ramp(a, 3, b) end), m:transpose()[1], x),
        "a pointer takes a contiguous array, and this is a strided view: pass the copy x:copy()")
      helper.contains(helper.misuse(f, 1), "poly: takes 2 arguments, and got 1")
      helper.contains(helper.misuse(f, "a", 1),
        "poly: argument 1 'x': expected float64, got string")
    end)

    it("calls outside of kernels of what needs other threads", function()
      local f = cuda.device_function "__device__ int f() { return threadIdx.x; }"
      helper.contains(helper.misuse(f),
        "f: its source uses threadIdx, so it needs the threads of a kernel")
      local k = cuda.jit(function(x) x[threadIdx.x + 1] = f() end)
      local x = cuda.zeros(3, "int32")
      k({ grid = 1, block = 3 }, x)
      assert.is.same({ 0, 1, 2 }, x:totable())
      helper.contains(helper.error_of(k.run_in_lua, k, { grid = 1, block = 3 }, x), "threadIdx")
    end)
  end)
end)

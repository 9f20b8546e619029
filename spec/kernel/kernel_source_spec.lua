-- Kernels and variables wherever a source defines them: by macros, in branches of an #if, in
-- headers, as instances in the source itself; and the messages when the compiler or the driver
-- refuses a source.
local helper = require "spec.helper"
local cuda = require "luacuda"

local ONE = { grid = 1, block = 1 }

local error_of, contains = helper.error_of, helper.contains

local MACROS = [==[
#define MAKE(N, T) __global__ void scale_##N(T *x, T by) { *x = N * by; }
#define ENTRY extern "C" __global__ void
MAKE(2, float)
MAKE(3, double)
ENTRY plain(short *x, unsigned char by) { *x = by; }
]==]

local BRANCHES = [==[
#ifdef WIDE
__global__ void k(double *x, int by) { *x = by; }
#else
__global__ void k(float *x) { *x = 5; }
#endif
]==]

local HEADER = [==[
#pragma once
__constant__ float table[3];
__global__ void from_header(float *x, int n) { *x = table[n]; }
]==]

helper.for_each_device(function(device)
  it("lists kernels defined by macros, and checks their arguments", function()
    local m = cuda.module(MACROS)
    local names = m.kernels()
    table.sort(names)
    assert.are.same({ "plain", "scale_2", "scale_3" }, names)
    local x, s = cuda.zeros(1, "float64"), cuda.zeros(1, "int16")
    m.kernels.scale_3(ONE, x, 1.5)
    m.kernels.plain(ONE, s, 200)
    assert.are.equal(4.5, x:item(1))
    assert.are.equal(200, s:item(1))
    contains(error_of(m.kernels.plain, ONE, s, 256), "plain: argument 2")
    contains(error_of(m.kernels.scale_2, ONE, x, 1), "expected float32 array")
  end)

  it("takes the only kernel of a source, also one defined by a macro", function()
    local x = cuda.zeros(1, "float32")
    cuda.kernel "#define MAKE(N) __global__ void k_##N(float *x) { *x = N; }\nMAKE(7)"(ONE, x)
    assert.are.equal(7, x:item(1))
  end)

  it("uses the branch of an #if that is compiled", function()
    local x, y = cuda.zeros(1, "float32"), cuda.zeros(1, "float64")
    cuda.kernel(BRANCHES)(ONE, x)
    cuda.kernel(BRANCHES, { defines = { WIDE = true } })(ONE, y, 6)
    assert.are.equal(5, x:item(1))
    assert.are.equal(6, y:item(1))
  end)

  it("selects overloads by casts", function()
    local m = cuda.module("#if 1\n__global__ void f(int *x) { *x = 1; }\n"
      .. "__global__ void f(int *x, int n) { *x = n; }\n#endif")
    local x = cuda.zeros(1, "int32")
    m:kernel "(void (*)(int *, int)) &f"(ONE, x, 9)
    assert.are.equal(9, x:item(1))
    contains(error_of(function() return m:kernel "f"(ONE, x) end),
      "kernel 'f' is overloaded: select one by a cast")
  end)

  it("finds instances that the source defines itself", function()
    local m = cuda.module [==[
      template<class T> __global__ void f(T *x) { *x = 3; }
      template __global__ void f<float>(float *);]==]
    assert.are.same({ "f<float>" }, m.kernels())
  end)

  it("finds kernels and variables of headers", function()
    local m = cuda.module('#include "part.h"\n', { headers = { ["part.h"] = HEADER } })
    m:global "table":set { 1, 2, 4 }
    local x = cuda.zeros(1, "float32")
    m:kernel "from_header"(ONE, x, 2)
    assert.are.equal(4, x:item(1))
    assert.are.equal("n", m:kernel "from_header".signature[2].name)
  end)

  it("refuses late instances when a header has variables", function()
    local text = '#include "part.h"\ntemplate<class T> __global__ void f(T *x) { *x = table[0]; }\n'
    local m = cuda.module(text, { headers = { ["part.h"] = HEADER } })
    m:compile()
    contains(error_of(function() m:kernel "f<float>" end), "list it in the option instances")
  end)

  it("notices changes of headers found through a flag", function()
    local dir = helper.tmpdir()
    local function value()
      local x = cuda.zeros(1, "float32")
      local text = '#include "value.h"\n__global__ void k(float *x) { *x = VALUE; }'
      cuda.kernel(text, { flags = { "-I" .. dir } })(ONE, x)
      return x:item(1)
    end
    helper.write_file(dir .. "/value.h", "#define VALUE 3\n")
    assert.are.equal(3, value())
    helper.write_file(dir .. "/value.h", "#define VALUE 4\n")
    assert.are.equal(4, value())
  end)

  it("gives variables of struct type their declared shape", function()
    local m = cuda.module [==[
      struct Body { float mass; int kind[2]; };
      __device__ Body one;
      __device__ Body grid[2][3];
      __global__ void k(float *x) { *x = one.mass + grid[1][2].kind[1]; }]==]
    m:global "one":set { mass = 1.5, kind = { 1, 2 } }
    local grid = m:global "grid"
    assert.are.same({}, m:global "one".shape)
    assert.are.same({ 2, 3 }, grid.shape)
    grid:setitem({ mass = 0, kind = { 3, 40 } }, 2, 3)
    local x = cuda.zeros(1, "float32")
    m:kernel "k"(ONE, x)
    assert.are.equal(41.5, x:item(1))
  end)

  it("finds the fields of structs with functions, with initializers and in headers", function()
    local m = cuda.module([==[
      #include "point.h"
      struct Box {
        static const int faces = 6;
        using unit = float;
        unit width = 1, sizes[2];
        int count{2};
        alignas(16) Point<double> corner;
        __device__ float area() const { return width * sizes[0]; }
        __device__ bool operator<(const Box &b) const { return area() < b.area(); }
      };
      __global__ void k(double *x, Box b, Point<float> p) {
        x[0] = b.area() + 10 * b.count + 100 * b.corner.y + 1000 * p.x;
      }]==], { headers = { ["point.h"] = "template<class T> struct Point { T x, y; };" } })
    local x = cuda.zeros(1, "float64")
    m:kernel "k"(ONE, x,
      { width = 2, sizes = { 3, 0 }, count = 4, corner = { x = 0, y = 5 } }, { x = 7, y = 0 })
    assert.are.equal(6 + 40 + 500 + 7000, x:item(1))
  end)

  it("requires cuda.struct for structs whose fields it cannot parse", function()
    for _, body in ipairs {
      "union { int i; float f; };", "int a : 4; int b : 4;", "int (*(*f)(int))(float);",
      "private: int hidden;", "virtual __device__ void f() {} int i;",
    } do
      local k = cuda.kernel(("struct S { %s }; __global__ void k(S s) {}"):format(body))
      contains(error_of(k, ONE, { 1 }),
        "the fields of S are not known: declare them with cuda.struct")
    end
  end)

  it("compiles sources written for nvcc, with their headers", function()
    local x = cuda.zeros(1, "float32")
    cuda.kernel [==[
      #include <cuda.h>
      #include <cuda_runtime.h>
      #include <device_launch_parameters.h>
      #include <inttypes.h>
      __global__ void k(float *x) { *x = sizeof(CUtensorMap) + (uint8_t)258; }]==](ONE, x)
    assert.are.equal(130, x:item(1))
  end)

  it("passes typed complex scalars as pairs", function()
    local k = cuda.kernel [==[__global__ void k(float *x, float2 a, double2 b) {
      x[0] = a.x + 10 * a.y + 100 * b.x + 1000 * b.y;
    }]==]
    local x = cuda.zeros(1, "float32")
    k(ONE, x, cuda.complex64(1, 2), cuda.complex128(3, 4))
    assert.are.equal(4321, x:item(1))
    contains(error_of(k, ONE, x, 1, cuda.complex128(3, 4)), "k: argument 2 'a'")
  end)

  it("names the option that the compiler refused", function()
    local e = error_of(cuda.kernel("__global__ void k(float *x) {}", { flags = "--bogus" }), ONE,
      cuda.null)
    assert.is_true(cuda.is_error(e, "compile"))
    contains(e, "--bogus")
    contains(error_of(cuda.kernel("__global__ void k(float *x) {}", { std = "c++3" }), ONE,
      cuda.null), "-std=c++3")
  end)

  if device.kind == "cpu" then
    it("names the kernel and the user's line of an unsupported instruction", function()
      local here = debug.getinfo(1, "l").currentline
      local k = cuda.kernel [==[
        __device__ __noinline__ void helper(float *x) {
          *x = 1;
          asm("tcgen05.fence::before_thread_sync;");
        }
        __global__ void strange(float *x) { helper(x); }]==]
      local e = error_of(k, ONE, cuda.null)
      contains(e,
        "kernel 'strange': in function 'helper': PTX `tcgen05.fence::before_thread_sync` is not "
        .. "supported: use mma.sync, or compile for sm_80, ")
      contains(e, "kernel_source_spec.lua:" .. here + 4)
    end)
  end
end)

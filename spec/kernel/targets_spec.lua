-- Every target that the compiler has, as PTX, machine code and LTO-IR; the options extern_c and
-- default flags.
local helper = require "spec.helper"
local cuda = require "luacuda"

local ONE = { grid = 1, block = 1 }
local SOURCE = [[
  #include <cuda_fp16.h>
  __global__ void k(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = __half2float(__float2half(x[i])) * 2;
  }
]]

describe("the compiler's targets", function()
  local archs = cuda.architectures()

  it("are listed in order, in a table of the caller's", function()
    assert.truthy(#archs > 0)
    for i = 2, #archs do assert.is_true(archs[i] > archs[i - 1]) end
    cuda.architectures()[1] = 0
    assert.are.same(archs, cuda.architectures())
  end)

  for _, arch in ipairs(archs) do
    it("include " .. arch, function()
      local ptx = cuda.compile(SOURCE, { target = "ptx", arch = "compute_" .. arch })
      assert.truthy(ptx:find("%.target%s+sm_" .. arch .. "%f[%D]"), ptx:sub(1, 400))
      assert.truthy(ptx:find "%.entry _Z1kPfi")
      local cubin = cuda.compile(SOURCE, { target = "cubin", arch = "sm_" .. arch })
      assert.equal("\127ELF", cubin:sub(1, 4))
      assert.truthy(cubin:find("_Z1kPfi", 1, true))
      local ir = cuda.compile(SOURCE, { target = "ltoir", arch = "compute_" .. arch })
      assert.equal(0x7F4E43ED, string.unpack("<I4", ir))
    end)
  end

  it("are refused where they are not listed", function()
    local e = cuda.last_error(helper.error_of(cuda.compile, SOURCE, { arch = "sm_50" }))
    assert.truthy(e.message:find("it supports .*" .. archs[#archs]), e.message)
    local text = helper.misuse(cuda.architectures, { backend = "gcc" })
    assert.truthy(text:find "architectures: option 'backend': expected 'nvrtc' or 'nvcc'", text)
    assert.truthy(helper.misuse(cuda.architectures, 5):find "expected options %(a table%)")
    assert.truthy(helper.misuse(cuda.architectures, { backnd = 1 }):find "unknown option 'backnd'")
  end)
end)

helper.for_each_device(function()
  describe("C linkage for the source", function()
    local C_SOURCE = [[
#include <cuda_fp16.h>
struct P { float a; int b; };
/* a comment { with a brace
#include "nowhere.h" */
#define OPEN "{"   // and {
__device__ float twice(float x) { return x * 2; }
#include <cuda/std/limits>
__constant__ float c[2];
__global__ void k(float *x, P p) {
  *x = twice(__half2float(__float2half(p.a))) + p.b + c[1]
    + (cuda::std::numeric_limits<int>::max() > 0);
}]]

    it("gives kernels and variables their plain names, and keeps types and includes", function()
      local m <close> = cuda.module(C_SOURCE, { extern_c = true })
      m:global "c":set { 1, 20 }
      local x = cuda.zeros(1)
      m.kernels.k(ONE, x, { a = 1.5, b = 3 })
      assert.equal(27, x[1])
      assert.truthy(m.kernels.k:ptx():find "%.entry k%(")
      assert.truthy(cuda.kernel(C_SOURCE):ptx():find "%.entry _Z1kPf1P%(")
      assert.truthy(cuda.compile(C_SOURCE, { extern_c = true }):find "%.entry k%(")
    end)

    it("is kept apart from the same source without it", function()
      local source = [[extern "C" __global__ void a(int *p) {} __global__ void b(int *p) {}]]
      assert.truthy(cuda.kernel(source, "b"):ptx():find "%.entry _Z1bPi%(")
      assert.truthy(cuda.kernel(source, "b", { extern_c = true }):ptx():find "%.entry b%(")
    end)

    it("keeps the lines of errors, also in templates", function()
      local function place(source)
        local e = helper.error_of(function() cuda.kernel(source, { extern_c = true }):compile() end)
        return cuda.last_error(e).message
      end
      local text = place [[
        #include <cuda_fp16.h>
        #include <cuda_bf16.h>
        __global__ void k(int *p) {
          *p = missing_one; // mark-one
        }]]
      assert.truthy(text:find(("%s:%d: "):format(helper.this_file(), helper.line_of "mark-one"),
        1, true), text)
      text = place(cuda.template [[
        @ for i = 1, 3 do
        __device__ int f$(i);
        @ end
        #include <cuda_fp16.h>
        __global__ void k(int *p) {
          *p = missing_two; // mark-two
        }]] {})
      assert.truthy(text:find(("%s:%d: "):format(helper.this_file(), helper.line_of "mark-two"),
        1, true), text)
    end)

    it("holds for each of several sources, which share names", function()
      local m <close> = cuda.module { extern_c = true, sources = {
        "#include <cuda_fp16.h>\n__constant__ float c[2];\n"
          .. "static __device__ int own() { return 1; }\n"
          .. "__device__ float one(float x) { return x + c[0] + own(); }",
        "extern __constant__ float c[2];\n__device__ float one(float x);\n"
          .. "static __device__ int own() { return 10; }\n"
          .. "__global__ void k(float *x) { *x = one(*x) + c[1] + own(); }" } }
      m:global "c":set { 100, 1000 }
      local x = cuda.ones(1)
      m.kernels.k(ONE, x)
      assert.equal(1112, x[1])
      assert.same({ "k" }, m:kernels())
    end)

    it("allows a function to declare a kernel of another source, and to launch it", function()
      local outer = [=[
        __global__ void outer(int *p) {
          extern __global__ void inner(int *);
          inner<<<1, 1>>>(p);
        }]=]
      local inner = "__global__ void inner(int *p) { p[0] = 7; }"
      for _, given in ipairs { { sources = { outer, inner } }, { source = outer .. "\n" .. inner,
        rdc = true } } do
        given.extern_c = true
        local m <close> = cuda.module(given)
        local x = cuda.zeros(1, "int32")
        m:kernel "outer"(ONE, x)
        assert.equal(7, x[1])
        local names = m:kernels()
        table.sort(names)
        assert.same({ "inner", "outer" }, names)
      end
    end)

    it("says that it does not reach into headers", function()
      local given = { extern_c = true, headers = { ["f.h"] = "__device__ int f(int x);" },
        source = "#include \"f.h\"\n__device__ int f(int x) { return x; }\n"
          .. "__global__ void k(int *p) { *p = f(*p); }" }
      local e = cuda.last_error(helper.error_of(function() cuda.kernel(given):compile() end))
      helper.contains(e.message, "the option 'extern_c' gives C linkage to the source but not to")
      given.headers["f.h"] = 'extern "C" __device__ int f(int x);'
      cuda.kernel(given):compile()
    end)

    it("refuses templates, as C does, and other values", function()
      local e = helper.error_of(function()
        cuda.kernel("template<class T> __global__ void k(T *p) {}", "k<int>", { extern_c = true })
          :compile()
      end)
      assert.truthy(tostring(e):find "template", tostring(e))
      assert.truthy(helper.misuse(cuda.kernel, SOURCE, { extern_c = 1 })
        :find "option 'extern_c': expected boolean")
    end)
  end)

  describe("default flags", function()
    after_each(function() cuda.default_flags {} end)

    it("apply to every source from then on, before its own", function()
      local source = "__global__ void k(int *p) { *p = N; }"
      assert.are.same({}, cuda.default_flags { "-DN=3" })
      local x = cuda.zeros(1, "int32")
      local k = cuda.kernel(source)
      k(ONE, x)
      assert.equal(3, x[1])
      assert.are.same({ "-DN=3" }, cuda.default_flags "-DN=4")
      assert.are.same({ "-DN=4" }, cuda.default_flags())
      assert.are.same({ "-DN=4" }, cuda.default_flags())
      cuda.kernel(source)(ONE, x)
      assert.equal(4, x[1])
      k(ONE, x)
      assert.equal(3, x[1])
      cuda.kernel(source, { flags = { "-UN", "-DN=5" } })(ONE, x)
      assert.equal(5, x[1])
    end)

    it("are checked like the option flags", function()
      assert.truthy(helper.misuse(cuda.default_flags, 5):find "expected a list of strings")
      assert.truthy(helper.misuse(cuda.default_flags, { "-arch=sm_90" }):find "use the option arch")
      assert.truthy(helper.misuse(cuda.default_flags, {}, 1):find "too many arguments")
      assert.are.same({}, cuda.default_flags())
    end)
  end)
end)

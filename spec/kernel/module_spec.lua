-- Modules: kernels by name, template instances, variables as arrays, binaries.
local helper = require "spec.helper"
local cuda = require "luacuda"

local ONE = { grid = 1, block = 1 }

local error_of, contains = helper.error_of, helper.contains

local TEMPLATES = [==[
  namespace ns {
    template<class T, int N> __global__ void fx(T *out, T a) { out[threadIdx.x] = a * (T)N; }
    __global__ void in(int *p) { *p = 3; }
  }
  __global__ void over(int *p) { *p = 1; }
  __global__ void over(float *p) { *p = 2; }
  extern "C" __global__ void other(int *p) { *p = 4; }
  __device__ int helper_function(int a) { return a; }
]==]

local VARIABLES = [==[
  struct P { float a; int b; };
  __constant__ float coef[4] = { 1, 2, 3, 4 };
  __device__ int counter = 5;
  __device__ float4 quads[3];
  __device__ P points[2];
  __device__ double grid[2][3];
  namespace ns { __device__ unsigned char flags[8]; }
  __global__ void poly(float *out) { out[threadIdx.x] = coef[threadIdx.x] * 2; }
  __global__ void count() { atomicAdd(&counter, 1); }
  __global__ void point(float *out) { out[0] = points[1].a + points[1].b; }
  template<class T> __global__ void late(T *p) { *p = counter; }
]==]

helper.for_each_device(function(device)
  describe("kernels by name", function()
    local m, out

    before_each(function() m, out = cuda.module(TEMPLATES), cuda.zeros(1, "int32") end)
    after_each(function() m:free() end)

    it("need no extern \"C\"", function()
      m:kernel "ns::in"(ONE, out)
      assert.are.equal(3, out:item(1))
      m.kernels.other(ONE, out)
      assert.are.equal(4, out:item(1))
    end)

    it("are listed", function()
      local names = m:kernels()
      table.sort(names)
      assert.are.same({ "ns::in", "other" }, names)
    end)

    it("can be iterated by pairs", function()
      local seen = {}
      for name, kernel in pairs(m.kernels) do
        seen[#seen + 1] = name
        assert.are.equal(m:kernel(name), kernel)
      end
      assert.are.same(m:kernels(), seen)
      assert.are.equal(2, #seen)
    end)

    it("may be template instances, whatever their spacing", function()
      local f = cuda.zeros(1)
      local k = m:kernel "ns::fx< float ,3 >"
      k(ONE, f, 2)
      assert.are.equal(6.0, f:item(1))
      assert.are.equal(k, m:kernel "ns::fx<float,3>")
      assert.are.equal("ns::fx<float,3>", k.name)
      m:kernel "ns::fx<int, -1>"(ONE, out, 5)
      assert.are.equal(-5, out:item(1))
    end)

    it("may be overloads", function()
      local f = cuda.zeros(1)
      m:kernel "(void(*)(float *))&over"(ONE, f)
      assert.are.equal(2.0, f:item(1))
    end)

    it("that do not exist are refused with similar names", function()
      contains(error_of(function() return m:kernel "othr" end),
        "the module has no kernel 'othr'; did you mean 'other'?")
      contains(error_of(function() return m.kernels.othr end), "did you mean 'other'?")
      contains(error_of(function() return m:kernel(5) end),
        "module:kernel: expected a name (string), got number")
      contains(error_of(function() return m:kernel() end), "expected a name")
      assert.has_error(function() m:kernel "helper_function"(ONE, out) end)
      m.kernels.other(ONE, out)
      assert.are.equal(4, out:item(1))
    end)

    it("are templates that need arguments, which messages name", function()
      local source = "template <class T> __global__ void scale(T *x) { *x *= 2; }"
      local only <close> = cuda.module(source)
      contains(error_of(function() return only.kernels.scal end), "(it has: none; template scale: "
        .. "name an instance such as 'scale<float>')")
      contains(error_of(function() cuda.kernel(source):compile() end),
        "the source has no kernel; template scale: name an instance such as 'scale<float>'")
      local two <close> = cuda.module(source
        .. "template <int N> __global__ void add(int *x) { *x += N; }"
        .. "__global__ void one(int *x) { *x = 1; }")
      contains(error_of(function() return two.kernels.scal end),
        "(it has: one; templates scale, add: name an instance such as 'scale<float>')")
    end)

    it("that cannot be instantiated raise a clear error and do no harm", function()
      m:kernel "other":compile()
      contains(error_of(function() m:kernel "ns::fx<nope, 3>"(ONE, out, 1) end),
        [[the template 'ns::fx' has no instance 'ns::fx<nope,3>': identifier "nope" is undefined]])
      contains(error_of(function() m:kernel "ns::fx"(ONE, out, 1) end),
        "'ns::fx' is a template: name an instance of it, such as 'ns::fx<float>'")
      m:kernel "ns::fx<int, 2>"(ONE, out, 4)
      assert.are.equal(8, out:item(1))
    end)
  end)

  it("compiles the given instances", function()
    local m = cuda.module(TEMPLATES, { instances = { "ns::fx<double, 2>" } })
    local f = cuda.zeros(1, "float64")
    m:kernel "ns::fx<double,2>"(ONE, f, 1.5)
    assert.are.equal(3.0, f:item(1))
    assert.is_truthy(table.concat(m:kernels(), " "):find("ns::fx<double,2>", 1, true))
  end)

  it("finds kernels that macros and headers define", function()
    local out = cuda.zeros(1, "int32")
    local m = cuda.module([==[
      #include "more.cuh"
      #define KERNEL(name, value) __global__ void name(int *p) { *p = value; }
      KERNEL(made, 8)
    ]==], { headers = { ["more.cuh"] = "__global__ void from_header(int *p) { *p = 9; }" } })
    local names = m:kernels()
    table.sort(names)
    assert.are.same({ "from_header", "made" }, names)
    m:kernel "made"(ONE, out)
    assert.are.equal(8, out:item(1))
    m:kernel "from_header"(ONE, out)
    assert.are.equal(9, out:item(1))
  end)

  describe("variables", function()
    it("are arrays typed by the compiler", function()
      local m <close> = cuda.module(VARIABLES)
      local function kind(name)
        local g = m:global(name)
        return ("%s {%s} %s"):format(tostring(g.dtype):match "[%w_]+$",
          table.concat(g.shape, ", "), g.memory)
      end
      assert.are.equal("float32 {4} module", kind "coef")
      assert.are.equal("int32 {} module", kind "counter")
      assert.are.equal("float32 {3, 4} module", kind "quads")
      assert.are.equal("float64 {2, 3} module", kind "grid")
      assert.are.equal("uint8 {8} module", kind "ns::flags")
      assert.are.equal(device, m:global("coef").device)
    end)

    it("are read and set", function()
      local m <close> = cuda.module(VARIABLES)
      local coef = m:global "coef"
      assert.are.same({ 1.0, 2.0, 3.0, 4.0 }, coef:totable())
      coef:set { 5, 6, 7, 8 }
      local out = cuda.zeros(4)
      m.kernels.poly({ grid = 1, block = 4 }, out)
      assert.are.same({ 10.0, 12.0, 14.0, 16.0 }, out:totable())
      assert.are.same({ 5.0, 6.0, 7.0, 8.0 }, m:global("coef"):totable())
      assert.has_error(function() coef:set { 1, 2, 3, 4, 5 } end)
    end)

    it("may be managed, and instances of templates", function()
      local m <close> = cuda.module[==[
        struct P { int a; float b; };
        __managed__ int q = 7;
        __device__ __managed__ int unused = 9;
        template<class T> __device__ T x;
        template<class T> __managed__ T y;
        template<class T, int N> __device__ T rows[N];
        template<int N> __constant__ float table[N];
        namespace ns {
          __managed__ float r[3]; template<class T> __device__ T in; static __managed__ int hidden;
        }
        namespace { __managed__ P p; }
        __device__ int one = 1, many[4], *pointer, last = sizeof(int);
        extern "C" __global__ void k(float *out) {
          q += 1; x<float> = 2.5f; x<unsigned> = 3; x<P *> = &p; x<int (*)[2]> = 0;
          y<double> = 4; rows<P, 3>[1].b = 5; ns::r[2] = 6; ns::in<int> = 7;
          ns::hidden = 8; p.a = 9; many[2] = one + last; pointer = many;
          out[0] = table<2>[1];
        }
      ]==]
      m:global "q":fill(10)
      local function kind(name)
        local g = m:global(name)
        return ("%s {%s}"):format(tostring(g.dtype):match "[%w_]+$", table.concat(g.shape, ", "))
      end
      m.kernels.k(ONE, cuda.empty(1))
      for name, want in pairs {
        q = 11, unused = 9, ["x<float>"] = 2.5, ["x< float >"] = 2.5,
        ["x<unsigned>"] = 3, ["x<unsigned int>"] = 3, ["y<double>"] = 4, ["ns::in<int>"] = 7,
        ["ns::hidden"] = 8, one = 1, last = 4,
      } do
        assert.are.equal(want, m:global(name):item(), name)
      end
      assert.are.same({ 0, 0, 6 }, m:global "ns::r":totable())
      assert.are.same({ 0, 0, 5, 0 }, m:global "many":totable())
      assert.are.same({ 3 }, m:global "rows<P, 3>".shape)
      assert.are.equal(5.0, m:global "rows<P, 3>":item(2).b)
      assert.are.equal(9, m:global "p":item().a)
      for name, want in pairs {
        q = "int32 {}", ["x<float>"] = "float32 {}", ["x<P *>"] = "uint64 {}",
        ["x<int (*)[2]>"] = "uint64 {}", ["y<double>"] = "float64 {}", ["table<2>"] = "float32 {2}",
        ["ns::r"] = "float32 {3}", pointer = "uint64 {}",
      } do
        assert.are.equal(want, kind(name), name)
      end
      m:global "table<2>":set { 1, 12 }
      local out = cuda.empty(1)
      m.kernels.k(ONE, out)
      assert.are.equal(12.0, out[1])
      assert.are.equal(12, m:global "q":item())
      for _, name in ipairs { "x<short>", "x", "x<nope>", "rows<P, 4>", "ns::q" } do
        contains(error_of(m.global, m, name),
          "the module has no variable '" .. name:gsub(", ", ","))
      end
    end)

    it("are ordered with the kernels of their module on other streams", function()
      local m <close> = cuda.module(VARIABLES)
      local counter = m:global "counter"
      local s <close> = cuda.stream()
      for i = 1, 20 do
        m.kernels.count { grid = 100, block = 1, stream = s }
        assert.are.equal(5 + 100 * i, counter:item())
      end
      collectgarbage()
    end)

    it("show the effect of earlier launches", function()
      local m <close> = cuda.module(VARIABLES)
      m.kernels.count { grid = 50, block = 2 }
      assert.are.equal(105, m:global("counter"):item())
    end)

    it("may hold structs", function()
      local m <close> = cuda.module(VARIABLES)
      local points = m:global "points"
      points:set { { 1, 2 }, { a = 2.5, b = 4 } }
      local out = cuda.zeros(1)
      m.kernels.point(ONE, out)
      assert.are.equal(6.5, out:item(1))
    end)

    it("may hold structs without a name", function()
      local m <close> = cuda.module [==[
        __constant__ struct { int a; float b; } config;
        namespace ns { __device__ struct { int a; struct { float x[2]; } in; } list[3]; }
        __device__ struct Named { int a; float b; } one, two;
        __device__ union { int a; float b; } either;
        __global__ void k(float *out) {
          *out = config.a + config.b + ns::list[1].in.x[1] + two.a;
          either.b = 1;
        }]==]
      local config, list, two = m:global "config", m:global "ns::list", m:global "two"
      assert.are.same({ 0, 1, 0 }, { config.ndim, list.ndim, two.ndim })
      assert.are.equal(3, #list)
      config:fill { a = 1, b = 0.5 }
      list:set { { 0, { { 0, 0 } } }, { a = 3, ["in"] = { x = { 5, 20 } } }, { 0, { { 0, 0 } } } }
      two:fill { a = 300, b = 2 }
      local out = cuda.zeros(1)
      m.kernels.k(ONE, out)
      assert.are.equal(321.5, out:item(1))
      -- bytes, as of other types that have no fields
      local either = m:global "either"
      assert.are.same({ "uint8", 4 }, { tostring(either.dtype), either.size })
    end)

    it("may be viewed as another dtype", function()
      local m <close> = cuda.module(VARIABLES)
      assert.are.same({ 16 }, m:global("coef", { dtype = "uint8" }).shape)
      contains(error_of(m.global, m, "coef", { dtype = "complex128", x = 1 }), "unknown option")
      contains(error_of(m.global, m, "counter", { dtype = "float64" }),
        "not a whole number of float64 elements")
    end)

    it("that do not exist are refused with similar names", function()
      local m <close> = cuda.module(VARIABLES)
      contains(error_of(m.global, m, "coeff"),
        "the module has no variable 'coeff'; did you mean 'coef'?")
      contains(error_of(m.global, m, 5), "expected a name (string), got number")
    end)

    it("do not include kernels that are only declared", function()
      local m <close> = cuda.module [[
        __global__ void later(int *x);
        __device__ int count;
        __global__ void now(int *x) { *x = ++count; }]]
      assert.are.same({ "now" }, m:kernels())
      contains(error_of(m.global, m, "later"), "the module has no variable 'later'")
      contains(error_of(m.global, m, "now"), "the module has no variable 'now'")
    end)

    it("keep their module's code alive", function()
      local m <close> = cuda.module(VARIABLES)
      local coef = m:global "coef"
      m:free()
      collectgarbage()
      assert.are.same({ 1.0, 2.0, 3.0, 4.0 }, coef:totable())
    end)

    it("forbid instances added later", function()
      local m <close> = cuda.module(VARIABLES)
      m.kernels.count:compile()
      contains(error_of(function() m:kernel "late<int>" end), "list it in the option instances")
      contains(error_of(function() return m.kernels.cuont end),
        "the module has no kernel 'cuont'; did you mean 'count'?")
      contains(error_of(function() m:kernel "late<nope>" end),
        [[no instance 'late<nope>': identifier "nope" is undefined]])
      local n = cuda.module(VARIABLES, { instances = { "late<float>" } })
      local f = cuda.zeros(1)
      n.kernels.count { grid = 1, block = 1 }
      n:kernel "late<float>"(ONE, f)
      assert.are.equal(6.0, f:item(1))
    end)
  end)

  it("has the compiler's warnings in its log", function()
    local text = "__global__ void k(int *p) { int unused_variable = 3; *p = 1; }"
    local m = cuda.module(text)
    contains(m.log, "unused_variable")
    contains(cuda.module(text).log, "unused_variable")
    assert.are.equal("", cuda.module("__global__ void clean(int *p) { *p = 1; }").log)
  end)

  it("compiles immediately on request", function()
    local m = cuda.module(TEMPLATES)
    assert.are.equal("luacuda.Module loaded on 0 devices", tostring(m))
    assert.are.equal(m, m:compile())
    assert.are.equal("luacuda.Module loaded on 1 device", tostring(m))
    assert.are.equal(TEMPLATES, m:source())
    local bad = cuda.module "nonsense"
    local ok, e = pcall(bad.compile, bad)
    assert.is_false(ok)
    assert.is_true(cuda.is_error(e, "compile"))
  end)

  it("is freed once and for all", function()
    local m = cuda.module(TEMPLATES):compile()
    m:free()
    m:close()
    assert.are.equal("closed module", cuda.type(m))
    for _, use in ipairs {
      function() m:kernel "other" end, function() return m.log end, function() m:global "x" end,
      function() return m.kernels end, function() m:compile() end,
    } do
      contains(error_of(use), "attempt to use a closed Module")
    end
  end)

  describe("binaries", function()
    local source = [==[
      struct P { int a, b; };
      __global__ void scale(float *x, int n, float a, double d, P p) {
        if (threadIdx.x < n) x[threadIdx.x] *= a * (float)d * p.b;
      }
      extern "C" __global__ void plain(float *x, int n, float a, P p) {
        if (threadIdx.x < n) x[threadIdx.x] += a * p.b;
      }
    ]==]

    local HEAD = ".version 7.0\n.target sm_70\n.address_size 64\n"

    local function refused(call)
      local ok, e = pcall(call)
      assert.is_false(ok)
      assert.is_true(cuda.is_error(e, "compile"), tostring(e))
      assert.are.equal("CUDA_ERROR_INVALID_PTX", e.name)
      return e
    end

    it("of damaged PTX are refused with the log and the line", function()
      local e = refused(function() cuda.module(HEAD .. "  .entry f( {\n"):compile() end)
      assert.matches("application ptx input, line 4; %a+ *: ", e.log)
      assert.are.equal(("cuModuleLoadDataEx failed on %s: CUDA_ERROR_INVALID_PTX (the PTX could "
        .. "not be compiled)\n%s\nline 4: .entry f( {"):format(device.label, e.log), e.message)
    end)

    it("with an unknown instruction are refused when module or kernel is compiled", function()
      local ptx = HEAD .. ".visible .entry good() { ret; }\n"
        .. ".visible .entry bad() {\n  .reg .u64 %r;\n  bogus.u64 %r, 5;\n  ret;\n}\n"
      for _, call in ipairs { function()
        cuda.module(ptx):compile()
      end, function() cuda.module(ptx):kernel "bad":compile() end } do
        local e = refused(call)
        contains(e.log, "line 7")
        contains(e.message, "\nline 7: bogus.u64 %r, 5;")
      end
    end)

    it("compiled for a later device are refused as the driver does", function()
      local ptx = ".version 9.0\n.target sm_120\n.address_size 64\n.visible .entry k() { ret; }"
      local e = refused(function() cuda.module(ptx):compile() end)
      assert.is_truthy(e.log)
    end)

    it("of PTX are recognized and have the types that PTX contains", function()
      local ptx = cuda.compile(source, { target = "ptx", arch = "compute_75" })
      for _, m in ipairs { cuda.module(ptx), cuda.module { binary = ptx } } do
        local x = cuda.ones(4)
        m:kernel "scale"({ grid = 1, block = 4 }, x, 4, 2, 1.5, ("i4i4"):pack(0, 3))
        assert.are.same({ 9.0, 9.0, 9.0, 9.0 }, x:totable())
        assert.are.same({ "plain", "scale" },
          (function() local t = m:kernels() table.sort(t) return t end)())
        contains(error_of(m.kernels.scale, ONE, cuda.zeros(1, "int32"), 1, 1, 1, "12345678"),
          "expected float32 array (float *), got int32 array")
        contains(error_of(function() return m.kernels.scal end), "did you mean 'scale'?")
      end
    end)

    it("of extern \"C\" kernels report kinds and sizes", function()
      local ptx = cuda.compile(source .. "\n",
        { target = "ptx", arch = "compute_75", instances = { "plain" } })
      local k = cuda.module(ptx):kernel "plain"
      local x = cuda.ones(4)
      k({ grid = 1, block = 4 }, x, 4, 2, ("i4i4"):pack(0, 3))
      assert.are.same({ 7.0, 7.0, 7.0, 7.0 }, x:totable())
      k({ grid = 1, block = 4 }, cuda.ptr(x.pointer), cuda.uint32(4), cuda.float32(1),
        ("i4i4"):pack(0, 1))
      cuda.synchronize()
      assert.are.same({ 8.0, 8.0, 8.0, 8.0 }, x:totable())
      contains(error_of(k, ONE, x, 1.5, 1, "12345678"), "argument 2: expected an integer")
      contains(error_of(k, ONE, x, 1, "x", "12345678"), "argument 3: expected a number (float32)")
      contains(error_of(k, ONE, x, 1, 1, "123"), "argument 4: expected 8 bytes")
      contains(error_of(k, ONE, x, x, 1, "12345678"), "argument 2: expected 4 bytes, got a pointer")
      contains(error_of(k, ONE, {}, 1, 1, "12345678"),
        "argument 1: expected a value of 8 bytes, got table")
      contains(error_of(k, ONE, x, cuda.float64(1), 1, "12345678"),
        "argument 2: expected 4 bytes, got float64 (8 bytes)")
      contains(error_of(k, ONE, x, 1, 1), "expected 4 arguments")
    end)

    it("of machine code run on a GPU only", function()
      if helper.fake_gpu then pending "no GPU" end
      local cubin = cuda.compile(source,
        { target = "cubin", arch = device.kind == "cpu" and "sm_80" or device.arch })
      local m = cuda.module(cubin)
      if device.kind == "cpu" then
        contains(error_of(m.kernel, m, "scale"),
          "machine code of a GPU cannot run on the CPU device")
        return
      end
      local x, names = cuda.ones(4), m:kernels()
      table.sort(names)
      assert.are.same({ "plain", "scale" }, names)
      m:kernel "scale"({ grid = 1, block = 4 }, x, 4, 2, 1.5, ("i4i4"):pack(0, 3))
      assert.are.same({ 9.0, 9.0, 9.0, 9.0 }, x:totable())
      contains(error_of(m.kernels.plain, ONE, x, 4, 2, "12345678"),
        "machine code does not show whether this is an integer or a float")
      contains(error_of(cuda.module, cubin:sub(1, #cubin // 2)), "damaged machine code")
    end)

    it("that are damaged raise", function()
      local m = cuda.module { binary = ".version 9.0\n.target sm_80\n.address_size 64\n.visible "
        .. ".entry k() { nonsense.u32 %r1; }\n" }
      assert.has_error(function() m:kernel "k"(ONE) end)
      assert.has_error(function() cuda.module { binary = "what" } end)
      assert.has_error(function() cuda.module { binary = 5 } end)
    end)
  end)
end)

-- Messages about files that nvcc accepts and NVRTC refuses, or whose device code is wrong.
local helper = require "spec.helper"
local cuda = require "luacuda"

local function refusal(source, options)
  local e = helper.error_of(function() cuda.module(source, options or {}):compile() end)
  assert.is_true(cuda.is_error(e, "compile"))
  return e.message
end

local KERNEL = "__global__ void k(int *p) { p[0] = 1; }"
local STRIP = { host = "strip" }

helper.for_each_device(function()
  describe("a constructor of the host that device code uses", function()
    -- Members of a class, and device code that nvcc refuses for them. With the compiler's own
    -- constructors it would compute with other values.
    local CASES = {
      { "int v; S() : v(5) {}", "S s; *p = s.v;" },
      { "int v = 3; S() {\n v = 4;\n }", "S s; *p = s.v + __LINE__;" },
      { "int v; S(int a = 7) { v = a; go(); } std::string t() { return \"\"; }", "S s; *p = s.v;" },
      { "int v; S() = default; S(const S &o) : v(o.v + 1) {}", "S s; s.v = 1; S t(s); *p = t.v;" },
      { "int v; S &operator=(const S &o) { v = o.v + 1; return *this; }",
        "S s = { 1 }, t; t = s; *p = t.v;" },
      { "float a, b; S(float x, float y) : a{y}, b{x} {} S(std::string s);",
        "S s = { 1.f, 2.f }; *p = s.a;" },
      { "double v; explicit S(double x) noexcept : v(2 * x) {}", "S s(1.0); *p = s.v;" },
      { "int v; S();", "S s; *p = s.v; } S::S() : v(9) { go();" },
    }
    for i, case in ipairs(CASES) do
      it("is refused: " .. i, function()
        local source = ("#include <string>\nstruct S { %s };\n__global__ void k(int *p) { %s }\n")
          :format(case[1], case[2])
        helper.contains(refusal(source, STRIP), "a constructor or an assignment of 'S' that is for "
          .. "the host: mark it __host__ __device__")
      end)
    end

    it("is refused in templates, at its line", function()
      local source = "template <class T> struct V { T x; V() : x(1) {\n go();\n} V(T a) : x(a) {}\n"
        .. "__device__ V(T a, T b) : x(a + b) {} };\n"
        .. "__global__ void k(int *p) { %s p[threadIdx.x] = v.x + threadIdx.x + __LINE__ - 5; }"
      helper.contains(refusal(source:format "V<int> v;", STRIP), "of 'V' that is for the host")
      helper.contains(refusal(source:format "V<int> v(3);", STRIP), "of 'V' that is for the host")
      local out = cuda.zeros(4, "int32")
      cuda.module(source:format "V<int> v(1, 0);", STRIP):kernel "k"({ grid = 1, block = 4 }, out)
      assert.are.same({ 1, 2, 3, 4 }, out:totable())
    end)
  end)

  describe("functions and variables of the host", function()
    it("are named where device code uses them", function()
      local message = refusal("int helper(int x) { return x; }\nfloat table[2] = { go(), 2 };\n"
        .. "struct S { int v; int get() const { return v; } };\n"
        .. "__global__ void k(int *p) { S s = { 1 }; *p = helper(1) + s.get() + table[1]; }", STRIP)
      for _, name in ipairs { "helper", "get", "table" } do
        helper.contains(message, ("'%s' is for the host, so host = \"strip\" takes it out: mark it "
          .. "__host__ __device__"):format(name))
      end
    end)
  end)

  describe("headers of the host without host = 'strip'", function()
    for _, name in ipairs { "vector", "iostream", "unistd.h", "sys/time.h", "map" } do
      it("are explained: " .. name, function()
        local message = refusal(("#include <%s>\n%s"):format(name, KERNEL))
        helper.contains(message, ("NVRTC does not have <%s>"):format(name))
        helper.contains(message, 'host = "strip"')
        helper.contains(message, 'backend = "nvcc"')
      end)
    end
    for _, name in ipairs { "sort", "transform", "device_vector", "reduce" } do
      it("are explained: thrust/" .. name .. ".h", function()
        local message = refusal(("#include <thrust/%s.h>\n%s"):format(name, KERNEL))
        helper.contains(message, "headers of Thrust's algorithms are for programs on the host")
        helper.contains(message, 'host = "strip"')
      end)
    end
  end)

  describe("names without their header", function()
    for name, header in pairs { int64_t = "cstdint", uint8_t = "cstdint", INT_MAX = "climits",
      FLT_MAX = "cfloat", M_PI = "math.h", ["std::pair<int, int>"] = "utility" } do
      it("are reported first, with the header to add: " .. name, function()
        local source = name:find "[a-z]" and ("__global__ void k(%s *p, int n) { }"):format(name)
          or ("__global__ void k(float *p) { *p = %s; }"):format(name)
        local message = refusal(source)
        assert(not message:match("^[^\n]*"):find "does not apply here", message)
        helper.contains(message, ("add #include <%s>"):format(header))
      end)
    end

    it("are explained in C's words if only headers of the host have them", function()
      helper.contains(refusal "__global__ void k(uint *p) { }",
        "'uint' is a name of the host's headers: write unsigned int")
    end)
  end)

  describe("GNU extensions", function()
    local CASES = {
      ["({ x; })"] = "p[0] = ({ int x = p[1]; x + 1; });",
      ["(T){ x }"] = "int2 v = (int2){ 1, 2 }; p[0] = v.x;",
      ["{ .a = 1 }"] = "struct { int a, b; } s = { .a = 1, .b = 2 }; p[0] = s.a;",
      ["a ?: b"] = "p[0] = p[1] ?: 5;",
      ["case 1 ... 5"] = "switch (p[1]) { case 1 ... 5: p[0] = 2; }",
      ["{ [1] = 1 }"] = "int t[4] = { [1] = 5, [3] = 7 }; p[0] = t[1];",
      ["{ a: 1 }"] = "struct { int a, b; } s = { a: 1, b: 2 }; p[0] = s.a;",
      ["'register'"] = "register int i = 0; p[i] = 1;",
      ["typeof"] = "typeof(p) q = p; q[0] = 1;",
    }
    for what, code in pairs(CASES) do
      it("are named: " .. what, function()
        local source = "__global__ void k(int *p) {\n  " .. code .. "\n}"
        local message = refusal(source)
        helper.contains(message, "NVRTC does not have the GNU extension")
        helper.contains(message, what)
        helper.contains(message, 'backend = "nvcc"')
        if cuda.nvcc_version() then cuda.module(source, { backend = "nvcc" }):compile() end
      end)
    end
  end)
end)

-- The option host = "strip": programs with host code, as nvcc takes them, without their host code.
local helper = require "spec.helper"
local cuda = require "luacuda"

-- The results of a kernel `name` of a program: four integers, which it writes to its first
-- parameter.
local function results(source, name, options)
  local given = { host = "strip" }
  for key, value in pairs(options or {}) do given[key] = value end
  local out = cuda.zeros(4, "int32")
  cuda.module(source, given):kernel(name or "k")({ grid = 1, block = 4 }, out)
  return out:totable()
end

-- What is in a function, a variable, or a type of the host: it must go, and its lines must stay.
local HOST = {
  ["a function"] = "static int twice(int x) { return host_only(x) * 2; }",
  ["main"] = 'int main(int argc, char **argv) { std::cout << "}{" << argv[0]; return 0; }',
  ["a launch"] = "void run(int *p) { k<<<dim3(1), 4, 0, stream>>>(p); cudaDeviceSynchronize(); }",
  ["a launch of a template"] = "void run(int *p) { t<int, 3><<<1, 4>>>(p); }",
  ["a lambda"] = "auto run = [](int *p) { if (p) { k<<<1, 4>>>(p); } };",
  ["a lambda for the device"] =
    "void run() { thrust::for_each(v, w, [=] __device__ (int i) { use(i); }); }",
  ["a variable"] = "float *host_data = nullptr, *more[2];",
  ["a variable with a value"] = "std::vector<std::map<int, float>> v = { { { 1, 2.f } }, {} };",
  ["a variable in braces"] = "std::string name{\"a;b\"};",
  ["an array of strings"] = 'const char *names[] = { "a", "}", ";", "// no comment" };',
  ["using"] = "using std::vector; using namespace std;",
  ["an alias that nothing uses"] = "typedef std::vector<int> Ints; using Map = std::map<int, int>;",
  ["a class"] = "class Timer : public Base<(2 > 1)> { FILE *file; public: Timer() : file{} {} };",
  ["a class with a variable"] = "struct { std::string a; } settings;",
  ["a struct of known types with a variable"] = "struct Known { int a; } known_one = { other() };",
  ["a template"] = "template <class T, class U = std::less<T>> T best(T a) { return U()(a, a); }",
  ["a function with a try block"] =
    "Timer::Timer() try : file(open()) { go(); } catch (Bad &b) { stop(); } catch (...) { }",
  ["an initializer list in braces"] = "Timer::Timer(int n) : a{n}, b({ n }), c<int>(n) { go(); }",
  ["a trailing return type"] = "auto f(int x) -> std::vector<int> { return { x }; }",
  ["operators"] = "std::ostream &operator<<(std::ostream &o, int2 v) { return o << v.x; } "
    .. "bool operator()(std::string a);",
  ["spacing of old"] = "int\nold\n(\n  FILE * f\n)\n{\n  return getc\n(f);\n}",
  ["an attribute"] = "[[nodiscard]] __attribute__((noinline)) int f(std::string s) { return 1; }",
  ["a declaration"] = "extern std::string other; void run(std::vector<int> &, float (*f)(FILE *));",
  ["a raw string"] = 'const char *source = R"x(__global__ void n() { ) " }} )x";',
  ["comments"] = "int f() { /* } */ return g('}', \"\\\"}\"); // }\n}",
  ["case'x'"] = "int f(int c) { switch (c) { case'{': return host_only(c); } return 0; }",
  ["a number with marks"] = "int f() { return host_only(1'000'000); }",
  ["a static assertion"] = 'static_assert(sizeof(Timer) > 4, "}");',
  ["an explicit instantiation"] = "template <class T> T h(T x) { return host_only(x); } "
    .. "template int h<int>(int); template float h(float);",
  ["extern C"] = 'extern "C" {\nint f(FILE *); int g(FILE *x) { return f(x); }\n}\n'
    .. 'extern "C" int h(FILE *);',
  ["a namespace"] = "namespace a { namespace b::c { FILE *f; int g() { return h(f); } } }\n"
    .. "namespace fs = std::filesystem; inline namespace v1 { FILE *z; }",
  ["#if 0"] = "#if 0\nint f( { don't \"\n#endif\n",
  ["conditional heads"] = "#ifdef HOST_X\nint f(int a) {\n#else\nint f(FILE *a) {\n#endif\n"
    .. "return host_only(a); }\n",
  ["conditional ends"] = "int f(FILE *a) {\n#ifdef HOST_X\nif (g(a)) {\n#else\nif (h(a)) {\n"
    .. "#endif\n"
    .. "} return 1; }\n",
  ["code for other systems"] = "#ifdef _WIN32\nint f() {\n#else\nint f(FILE *x) {\n#endif\n"
    .. "return 1; }\n"
    .. "#ifndef __linux__\n#error unsupported system\n#endif",
  ["a macro with braces"] = "#define BEGIN_IT namespace it {\n#define END_IT }\nBEGIN_IT\n"
    .. "FILE *f;\n"
    .. "END_IT\n",
  ["macros that open and close blocks"] = "#define TIME_BEGIN if (timer) { start(timer);\n"
    .. "#define TIME_END(name, n) stop(timer, name, n); }\nnamespace it {\n"
    .. "inline void f(FILE *g) {\n  TIME_BEGIN\n  h(g);\n  TIME_END(\"h\", 1)\n}\n}\n",
  ["a macro that defines functions"] = "#define MAKE(n) int n(FILE *f) { return h(f); }\n"
    .. "MAKE(one)\nMAKE(two)\n",
  ["a macro in a function"] = "#define CHECK(x) do { if (x) { exit(1); } } while (0)\n"
    .. "void f() { CHECK(cudaMalloc(&p, 4)); }",
  ["directives in a function"] = "void f() {\n#define IN_F 7\n#pragma unroll\n"
    .. "#include <inside.inl>\n"
    .. "g(); }",
  ["a kernel's address"] = "void *table[] = { (void *)k, nullptr };",
  ["asm"] = 'asm("nop");',
}

local KERNEL = "__global__ void k(int *p) { p[threadIdx.x] = __LINE__; }\n"

helper.for_each_device(function()
  describe("host code", function()
    for what, text in pairs(HOST) do
      it("goes: " .. what, function()
        local lines = select(2, text:gsub("\n", "")) + 2
        local want = { lines, lines, lines, lines }
        assert.are.same(want, results(text .. "\n" .. KERNEL))
        -- and it does not hide a kernel before it
        assert.are.same({ 1, 1, 1, 1 }, results(KERNEL .. text))
      end)
    end

    it("goes all at once", function()
      local names, parts = {}, {}
      for what in pairs(HOST) do names[#names + 1] = what end
      table.sort(names)
      for i, what in ipairs(names) do parts[i] = HOST[what] end
      local text = table.concat(parts, "\n") .. "\n"
      local line = select(2, text:gsub("\n", "")) + 1
      assert.are.same({ line, line, line, line }, results(text .. KERNEL))
    end)
  end)

  -- Each writes 1, 2, 3, 4.
  local DEVICE = {
    ["a device function"] = "__device__ int f(int i) { return i + 1; }\n"
      .. "__global__ void k(int *p) { p[threadIdx.x] = f(threadIdx.x); }",
    ["a function for both"] = "template <class T> inline __host__ __device__ T f(T i) { "
      .. "return i + 1; }\n"
      .. "__global__ void k(int *p) { p[threadIdx.x] = f<int>(threadIdx.x); }",
    ["a constexpr function"] = "constexpr int one(int n) { return n > 1 ? one(n - 1) : 1; }\n"
      .. "__global__ void k(int *p) { constexpr int n = one(5); p[threadIdx.x] = threadIdx.x "
      .. "+ n; }",
    ["device variables"] = "__constant__ int c[4] = { 1, 2, 3, 4 }; static __device__ int one "
      .. "= 1;\n"
      .. "extern __shared__ int s[];\n"
      .. "__global__ void k(int *p) { p[threadIdx.x] = c[threadIdx.x] * one; }",
    ["constants"] = "const int one = 1; static constexpr unsigned zero{0}; enum { TWO = one + "
      .. "1 };\n"
      .. "enum class E : int { A = one, B };\n__global__ void k(int *p) {\n"
      .. "p[threadIdx.x] = threadIdx.x + TWO - one + zero + (int)E::A - 1; }",
    ["constants of constants"] = "#define WIDTH 4\nconst float a = 2.0f; const float b = -a;\n"
      .. "static const double dx = 1.0 / WIDTH, idx = -1 / dx;\nfloat const table[] = { 1, b };\n"
      .. "typedef double real;\nusing Real = real;\nconst Real half(0.5);\n"
      .. "namespace n { const real two = 1 / half; }\n"
      .. "__constant__ float both = a * (float)n::two;\n"
      .. "const int steps = (int)(n::two * 4), more = -steps;\n"
      .. "const float last = table[0] + half;\n"
      .. "__global__ void k(int *p) { p[threadIdx.x] = threadIdx.x + b + 2 + (idx == -4)\n"
      .. "+ (last == 1.5f) - 1 + (both == 4) - 1 + (steps == 8) - 1 + more + 8; }",
    ["constants of the host"] = "#include <cmath>\nfloat seed() { return rand(); }\n"
      .. "const float x = seed();\nconst float n = sqrt(2.0);\n"
      .. "__global__ void k(int *p) { p[threadIdx.x] = threadIdx.x + 1; }",
    ["types"] = "typedef struct Pair_st { int a, b; } Pair, *PairPtr;\nusing Alias = Pair;\n"
      .. "struct Outer { struct Inner { int v[2]; } in; union { int u; float f; }; };\n"
      .. "__global__ void k(int *p) { Alias x = { (int)threadIdx.x, 1 }; PairPtr y = &x; Outer o;\n"
      .. "o.in.v[1] = y->a; o.u = y->b; p[threadIdx.x] = o.in.v[1] + o.u; }",
    ["a class with mixed members"] = "class Mix : private NoBase<1> {\n"
      .. "  std::string tag() { return \"}\"; }\n"
      .. "  friend std::ostream &operator<<(std::ostream &o, const Mix &m) { return o; }\n"
      .. "  static std::vector<int> all;\n  int a;\n public:\n"
      .. "  Mix(const std::string &s) : a(s.size()) { all.push_back(a); }\n  ~Mix() { go(); }\n"
      .. "  __device__ Mix(int a) : a{a} {}\n  __host__ __device__ int get() const;\n"
      .. "  template <class T> void save(T &t) { t << a; }\n  void (*callback)(int);\n};\n"
      .. "std::vector<int> Mix::all;\n"
      .. "inline __host__ __device__ int Mix::get() const { return a + 1; }\n"
      .. "__global__ void k(int *p) { p[threadIdx.x] = Mix((int)threadIdx.x).get(); }",
    ["templates"] = "template <int N, class T = int> struct Add { __device__ T operator()(T "
      .. "x) { return x + N; } };\n"
      .. "template <> struct Add<0, int> { __device__ int operator()(int) { return 100; } };\n"
      .. "template <class F> __global__ void t(int *p) { p[threadIdx.x] = F()(threadIdx.x); }\n"
      .. "template __global__ void t<Add<(1 > 0)>>(int *);\n"
      .. "void go() { t<Add<1>><<<1, 4>>>(nullptr); }",
    ["a macro for the device"] = "#define DEV __device__ __forceinline__\n"
      .. "#define ADD(name, n) DEV int name(int x) { return x + n; }\n"
      .. "DEV int one() { return 1; }\nADD(add0, 0)\nADD(add1, 1);\n"
      .. "__global__ void k(int *p) { p[threadIdx.x] = add0(threadIdx.x) + one() * add1(0); }",
    ["a macro for kernels"] = "#define KERNEL(name) extern \"C\" __global__ void name(int *p)\n"
      .. "KERNEL(k) { p[threadIdx.x] = threadIdx.x + 1; }",
    ["namespaces"] = "namespace a { namespace { struct S { int v; }; } extern \"C\" {\n"
      .. "__device__ int one() { return 1; } } }\nusing namespace a; using a::S;\n"
      .. "__global__ void k(int *p) { S s = { (int)threadIdx.x }; p[threadIdx.x] = s.v + one(); }",
    ["branches of an #if"] = "#ifdef OTHER\n__global__ void k(int *p, int n) {\n#else\n"
      .. "__global__ void k(int *p) {\n#endif\n"
      .. "  p[threadIdx.x] = threadIdx.x + 1;\n}",
    ["branches of an #if in a kernel"] = "#define AT threadIdx.x\n__global__ void k(int *p) {\n"
      .. ("#ifdef OTHER\n  if (AT) {\n#else\n  if (AT < 4) {\n#endif\n    p[AT] = AT;\n"
        .. "  }\n"):rep(2)
      .. "  p[AT] += 1;\n}\nint main() { return 0; }",
    ["attributes"] = "struct __align__(16) V { int x; };\nstruct alignas(8) W { int x; };\n"
      .. "__global__ void __launch_bounds__(128) k(int *__restrict__ p) {\n"
      .. "  V v = { 1 }; W w = { (int)threadIdx.x }; p[threadIdx.x] = v.x + w.x; }",
    ["lambdas in kernels"] = "__global__ void k(int *p) { auto f = [=](int i) { return i + 1; };\n"
      .. "  p[threadIdx.x] = f(threadIdx.x); }",
    ["types that only host functions name"] = "struct Args { int *p; int n; };\n"
      .. "int host(Args a) { return a.n; }\n"
      .. "__global__ void k(int *p) { Args a{p, 1}; a.p[threadIdx.x] = threadIdx.x + a.n; }",
    ["function pointers"] = "typedef int (*Fn)(int);\n__device__ int f(int x) { return x + 1; }\n"
      .. "__device__ Fn fn = f;\n__global__ void k(int *p) { p[threadIdx.x] = fn(threadIdx.x); }",
    ["definitions without marks"] = "__device__ int f(int, const int *q = nullptr);\n"
      .. "struct S { __device__ int g(); int h(); };\nstruct T { int g(); };\n"
      .. "int f(int x, const int *q) { return x + 1; }\nint S::g() { return f(0); }\n"
      .. "int T::g() { return host_only(); }\nint S::h() { return host_only(); }\n"
      .. "int f(int x) { return host_only(x); }\n"
      .. "__global__ void k(int *p) { S s; p[threadIdx.x] = f(threadIdx.x) * s.g(); }",
    ["attributes after a type"] = "struct __attribute__((packed)) A { char c; int i; };\n"
      .. "struct B { char c; int i; } __attribute__((packed));\n"
      .. "struct C { char c; int i; } __attribute__((packed)) host_c;\n"
      .. "__global__ void k(int *p) { p[threadIdx.x] = threadIdx.x + 1 + sizeof(A) - 5\n"
      .. " + 0 * sizeof(B) + 0 * sizeof(C); }",
    ["members that a loop uses"] = "struct R { int n; __host__ __device__ const int *begin() "
      .. "const { return &n; }\n"
      .. "  __host__ __device__ const int *end() const { return &n + 1; } };\n"
      .. "__global__ void k(int *p) { R r = { 1 }; for (int x : r) p[threadIdx.x] = "
      .. "threadIdx.x + x; }",
    ["a switch between host and device"] = "__host__ __device__ inline int f(int i) {\n"
      .. "#ifdef __CUDA_ARCH__\n"
      .. "  return i + 1;\n#else\n  return std::plus<int>()(i, host_only());\n#endif\n}\n"
      .. "__global__ void k(int *p) { p[threadIdx.x] = f(threadIdx.x); }",
    ["a variable template"] = "template <class T> constexpr T one = T(1); template <class T, "
      .. "int N> __device__ T more[N];\n"
      .. "__global__ void k(int *p) { p[threadIdx.x] = threadIdx.x + one<int> + more<int, 2>[1]; }",
    ["several on a line"] = "FILE *f; __device__ int one() { return 1; } int g() { return h(f); } "
      .. "__global__ void k(int *p) { p[threadIdx.x] = threadIdx.x + one(); } int main() { "
      .. "return g(); }",
    ["names that host headers bring along"] = "#include <cublas_v2.h>\n"
      .. "#define SCALE (M_PI / M_PI)\ntypedef __nv_bfloat16 Real;\n"
      .. "__global__ void k(int *p) { Real one = (Real)(float)SCALE; __half zero = (__half)0.f;\n"
      .. "  p[threadIdx.x] = INFINITY > 1 ? threadIdx.x + (int)one + (int)zero : 0; }",
    ["Windows line ends"] = "#include <vector>\r\n#define ONE \\\r\n  1\r\nint main() {\r\n}\r\n"
      .. "__global__ void k(int *p) {\r\n  p[threadIdx.x] = threadIdx.x + ONE;\r\n}\r\n",
    ["constants in parentheses"] = "constexpr unsigned N(8), M(N); constexpr int H(N / 2);\n"
      .. "constexpr int P(H * H), Q{P}; const int Z(H - 4);\nconstexpr int twice(int x);\n"
      .. "constexpr int twice(int x) { return 2 * x; }\n"
      .. "__global__ void k(int *p) { p[threadIdx.x] = threadIdx.x + (M == 8) + (P - Q) + Z\n"
      .. " + twice(Z); }",
    ["constant variable templates"] = "template <class T> const T zero = T(0);\n"
      .. "namespace n { template <class T> const T one{1}; template <class T> const bool real = "
      .. "false;\n  template <> const bool real<float> = true; }\n"
      .. "template <class T> static const T half(0.5);\n"
      .. "struct S { float v; __device__ float get() const { return v + n::one<float> + zero<int>\n"
      .. " + half<float> - half<double> + n::real<float> - 1; } };\n"
      .. "__global__ void k(int *p) { S s = { (float)threadIdx.x }; p[threadIdx.x] = s.get(); }",
    ["templates of constants in classes"] = "struct S { template <class T> static const T one = "
      .. "T(1);\n  int v; __device__ int get() { return v + one<int>; } };\n"
      .. "__global__ void k(int *p) { S s = { (int)threadIdx.x }; p[threadIdx.x] = s.get(); }",
    ["a macro with a definition per compiler"] = "#if (defined(__CUDACC__) || defined(__HIPCC__))\n"
      .. "#define BOTH __inline__ __device__\n#else\n#define BOTH inline\n#endif\n"
      .. "#if !(defined(__CUDACC__)) && 1 || defined HOST_X\n#define ALSO\n#else\n"
      .. "#define ALSO __host__ __device__\n#endif\n"
      .. "#ifdef MAYBE\n#define MARK __device__\n#else\n#define MARK __device__ inline\n#endif\n"
      .. "#if OTHER > 3\n#define ONE one()\n#else\n#define ONE uno()\n#endif\n"
      .. "constexpr int one() { return 1; }\nconstexpr int uno() { return 1; }\n"
      .. "BOTH int f(int i) { return i; }\nALSO int g(int i) { return i; }\n"
      .. "MARK int h(int i) { return i + ONE; }\n#undef ONE\n#define ONE printf\n"
      .. "__global__ void k(int *p) { p[threadIdx.x] = h(g(f(threadIdx.x))); }",
    ["a macro that changes"] = "#define DO __device__\nDO int f(int i) { return i; }\n#undef DO\n"
      .. "#define DO static\nDO FILE *g(FILE *i) { return i; }\n#undef DO\n"
      .. "__global__ void k(int *p) { p[threadIdx.x] = f(threadIdx.x) + 1; }",
    ["names that a macro pastes"] = "template <class T> struct V { T x; };\n"
      .. "#define TYPES(T, t) using v##t = V<T>; \\\n  typedef T t##_at, *t ## _pointer;\n"
      .. "TYPES(int, i);\nTYPES(float, f)\nTYPES(FILE, file)\n#undef TYPES\n"
      .. "__global__ void k(int *p) { vi a = { (int)threadIdx.x }; vf b = { 1 }; i_pointer q = p;\n"
      .. "  q[threadIdx.x] = a.x + (int)b.x; }",
    ["a macro for a type"] = "#define CAT(a, b) a##b\n#define VEC(t, n) CAT(t, n)\n"
      .. "typedef VEC(int, 2) Two;\n__global__ void k(int *p) { Two v = { (int)threadIdx.x, 1 };\n"
      .. "  p[threadIdx.x] = v.x + v.y; }",
    ["tests of nvcc"] = "#ifdef __NVCC__\n#define HD __host__ __device__\n#else\n#define HD\n"
      .. "#endif\n#ifndef __NVCC__\n#error no nvcc\n#endif\n"
      .. "#if defined(__NVCC__) && __CUDACC_VER_MAJOR__ >= 12 && CUDART_VERSION >= 12000\n"
      .. "HD int one(int i) { return i + 1; }\n#elif !defined(__NVCC__)\n#error other\n#endif\n"
      .. "#include <cuda/std/type_traits>\n#include <cooperative_groups.h>\n"
      .. "#include <cub/block/block_reduce.cuh>\n"
      .. "#if (defined(__NVCC__) || defined __clang__)\ntemplate <class T> T HD operator+(T a, "
      .. "int2 b) { a.x += b.x; return a; }\n#endif\n"
      .. "__global__ void k(int *p) { static_assert(cuda::std::is_same<int, int>::value, \"\");\n"
      .. "  __shared__ cub::BlockReduce<int, 4>::TempStorage s; int2 a = { 1, 0 };\n"
      .. "  int four = cub::BlockReduce<int, 4>(s).Sum(1); a = a + make_int2(1, 0);\n"
      .. "  p[threadIdx.x] = one(threadIdx.x) + (threadIdx.x == 0) * (four - 4) + a.x - 2; }",
    ["CUB with using"] = "#include <cub/block/block_reduce.cuh>\n"
      .. "#include <cub/util_allocator.cuh>\nusing namespace cub;\n"
      .. "CachingDeviceAllocator pool(true);\n"
      .. "__global__ void k(int *p) { typedef BlockReduce<int, 4> Reduce;\n"
      .. "  __shared__ typename Reduce::TempStorage s; int four = Reduce(s).Sum(1);\n"
      .. "  p[threadIdx.x] = threadIdx.x + 1 + (threadIdx.x == 0) * (four - 4); }",
    ["CUB's functions of the host"] = "#include <cub/device/device_reduce.cuh>\n"
      .. "#include <cub/device/device_scan.cuh>\nusing namespace cub;\n"
      .. "void run(int *p) { DeviceReduce::Sum(nullptr, n, p, p, 4); }\n"
      .. "__global__ void k(int *p) { __shared__ BlockReduce<int, 4>::TempStorage s;\n"
      .. "  int four = BlockReduce<int, 4>(s).Sum(1);\n"
      .. "  p[threadIdx.x] = threadIdx.x + 1 + (threadIdx.x == 0) * (four - 4); }",
    ["Thrust on the host"] = "#include <thrust/device_vector.h>\n#include <thrust/sort.h>\n"
      .. "#include <thrust/execution_policy.h>\n#include <thrust/transform_reduce.h>\n"
      .. "using namespace thrust;\nthrust::device_vector<int> all;\n"
      .. "void run(int *p) { thrust::sort(thrust::device, p, p + 4); }\n"
      .. "struct Add { __host__ __device__ int operator()(thrust::tuple<int, int> t) const {\n"
      .. "  return thrust::get<0>(t) + thrust::get<1>(t); } };\n"
      .. "__global__ void k(int *p) {\n"
      .. "  p[threadIdx.x] = Add()(thrust::make_tuple((int)threadIdx.x, 1)); }",
    ["compound literals"] = "#define MAKE(a, b) (int2){ a, b }\n#define AGAIN MAKE(0, 0)\n"
      .. "struct P { int a; float b[2]; };\n"
      .. "template <class T> __device__ T pair(double x) { return (T){ x, x + 1 }; }\n"
      .. "__device__ int first(int2 v) { return v.x; }\n"
      .. "__device__ int if_(bool c) { if (c) { return 1; } while (c) { } return 0; }\n"
      .. "struct Q { int v; __device__ Q operator*(Q) { return (Q){ v * 2 }; }\n"
      .. "  __device__ int operator()(Q) { return v; } };\n"
      .. "__global__ void k(int *p) {\n  auto f = [=](int2) { return 1; };\n"
      .. "  P q = (struct P){ 1, { 2, 3 } }; const unsigned char c = (unsigned char){ 1 };\n"
      .. "  int i = threadIdx.x, sum = first((const int2){ 3, i }) + (int4){ i, i, i, 5 }.w;\n"
      .. "  sum += MAKE(1, 2).y + pair<float2>(i).y + (f(AGAIN) ? (int1){ 2 } : (int1){ 3 }).x;\n"
      .. "  const int *v = (int[3]){ 1, 2, i }; sum += v[1] + (Q{1} * Q{2})(Q{3});\n"
      .. "  p[i] = sum + q.a + c + if_(true) - i - 19 + 1 * (i + 0); }",
    ["other spellings of keywords"] = "__device__ __const__ int one = 1; __const float z = 0;\n"
      .. "__global__ void k(int *p) { register int i = threadIdx.x;\n"
      .. "  register unsigned register_ = 0; __signed__ char c = -1;\n"
      .. "  __extension__ __volatile__ int v = 1; __volatile int w = 1;\n"
      .. "  __asm__ volatile(\"\" ::: \"memory\"); __asm(\"\"); typeof(p[0]) x = 1;\n"
      .. "  __typeof__(&x) y = &x; __typeof(i) n = 0; *y += n;\n"
      .. "  p[i] = i + one + c + v + w - x + (__alignof(int) - 4)\n"
      .. " + register_ + (int)z; }",
    ["short names"] = "__global__ void k(int *p) { uint i = threadIdx.x; ushort one = 1; p[i] "
      .. "= i + one; }",
    ["a using declaration in a class"] = "struct A { __device__ int f() { return 1; } };\n"
      .. "struct B : A { using A::f; };\n"
      .. "__global__ void k(int *p) { p[threadIdx.x] = threadIdx.x + B().f(); }",
    ["a declaration before"] = "class Late;\n__device__ int f(const Late &);\n"
      .. "class Late { public: int v; };\n__device__ int f(const Late &l) { return l.v; }\n"
      .. "__global__ void k(int *p) { Late l; l.v = threadIdx.x; p[threadIdx.x] = f(l) + 1; }",
  }
  describe("device code", function()
    for what, text in pairs(DEVICE) do
      it("stays: " .. what, function()
        local source = what:find "mixed" and text:gsub(" : private NoBase<1>", "") or text
        local name = what == "templates" and "t<Add<1>>" or "k"
        assert.are.same({ 1, 2, 3, 4 }, results(source, name))
        assert.are.same({ 1, 2, 3, 4 },
          results("#include <iostream>\n#include <vector>\n#include <windows.h>\n"
            .. HOST.main .. "\n" .. source .. "\n" .. HOST["a launch"], name))
      end)
    end

    it("keeps types for names that are asked for later", function()
      local m = cuda.module([[
        #include <functional>
        struct Plus { __host__ __device__ int operator()(int a) const { return a + 1; } };
        struct Twice { __host__ __device__ int operator()(int a) const { return a + a; } };
        template <class F> __global__ void t(int *p) { p[threadIdx.x] = F()(threadIdx.x); }
        int main() { t<Plus><<<1, 4>>>(nullptr); }]], { host = "strip" })
      local out = cuda.zeros(4, "int32")
      m:kernel "t<Plus>"({ grid = 1, block = 4 }, out)
      assert.are.same({ 1, 2, 3, 4 }, out:totable())
      m:kernel "t<Twice>"({ grid = 1, block = 4 }, out)
      assert.are.same({ 0, 2, 4, 6 }, out:totable())
    end)

    it("keeps variables for module:global", function()
      local m = cuda.module("int n = atoi(\"3\"); __constant__ int c[2] = { 5, 6 };\n" .. KERNEL,
        { host = "strip" })
      assert.are.same({ 5, 6 }, m:global "c":totable())
    end)
  end)

  -- Types and constants that nvcc's programs have without their headers.
  local TYPES, CONSTANTS = {}, {}
  for _, bits in ipairs { 8, 16, 32, 64 } do
    for _, form in ipairs { "int%d_t", "uint%d_t", "int_fast%d_t", "uint_least%d_t" } do
      TYPES[#TYPES + 1] = form:format(bits)
    end
    for _, form in ipairs { "INT%d_MIN", "INT%d_MAX", "UINT%d_MAX" } do
      CONSTANTS[#CONSTANTS + 1] = form:format(bits)
    end
  end
  for name in ([[intptr_t uintptr_t intmax_t uintmax_t size_t ssize_t uint ushort ulong u_int8_t
    u_int16_t u_int32_t u_int64_t u_char u_short u_int u_long]]):gmatch "%S+" do
    TYPES[#TYPES + 1] = name
  end
  for name in ([[CHAR_BIT SCHAR_MIN SCHAR_MAX UCHAR_MAX SHRT_MIN SHRT_MAX USHRT_MAX INT_MIN INT_MAX
    UINT_MAX LONG_MIN LONG_MAX ULONG_MAX LLONG_MIN LLONG_MAX ULLONG_MAX SIZE_MAX FLT_MAX FLT_MIN
    FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON M_PI M_SQRT2]]):gmatch "%S+" do
    CONSTANTS[#CONSTANTS + 1] = name
  end

  -- What the host's compiler says of them.
  local function by_host(expressions)
    local file, lines = helper.tmpdir() .. "/names", {}
    for i, expression in ipairs(expressions) do
      lines[i] = ('printf("%%.17g\\n", (double)(%s));'):format(expression)
    end
    helper.write_file(file .. ".cpp", "#include <cstdio>\n#include <climits>\n#include <cfloat>\n"
      .. "#include <cstdint>\n#include <cmath>\n#include <sys/types.h>\nint main() {\n"
      .. table.concat(lines, "\n") .. "}\n")
    assert(os.execute(("cc -w -o %s %s.cpp"):format(file, file)))
    local values, run = {}, assert(io.popen(file))
    for line in run:lines() do values[#values + 1] = tonumber(line) end
    run:close()
    return values
  end

  local function by_kernel(first, expressions)
    local lines = {}
    for i, expression in ipairs(expressions) do
      lines[i] = ("  p[%d] = (double)(%s);"):format(i - 1, expression)
    end
    local out = cuda.zeros(#expressions, "float64")
    cuda.kernel(first .. "\n__global__ void k(double *p) {\n" .. table.concat(lines, "\n") .. "}",
      { host = "strip" })({ grid = 1, block = 1 }, out)
    return out:totable()
  end

  describe("names without a header", function()
    it("are known as in nvcc, with the host's meaning", function()
      local list = table.move(CONSTANTS, 1, #CONSTANTS, 1, {})
      for _, name in ipairs(TYPES) do
        -- how wide the fast types are is each compiler's choice
        if not name:find "fast" then list[#list + 1] = ("sizeof(%s)"):format(name) end
        list[#list + 1] = ("(%s)-1 < 0"):format(name)
      end
      local want = by_host(list)
      assert.are.equal(#list, #want)
      for _, first in ipairs { "", "#include <iostream>", "#include <stdlib.h>\n#include <cstdio>",
        "#include <cstdint>\n#include <limits.h>\n#include <float.h>" } do
        for i, value in ipairs(by_kernel(first, list)) do
          assert(value == want[i], ("%s after '%s': %s"):format(list[i], first, value))
        end
      end
    end)

    it("are known one at a time, also in parameters and macros", function()
      local rng = helper.random(8)
      for _ = 1, 6 do
        local name, constant = TYPES[1 + rng(#TYPES)], CONSTANTS[1 + rng(#CONSTANTS)]
        local want = by_host { ("sizeof(%s)"):format(name), constant }
        local source = ("#define LIMIT(x) ((x) * %s)\n#define KIND %s\ntemplate <class T> "
          .. "__device__ int size(T) { return sizeof(T); }\n"
          .. "__global__ void k(KIND *q, double *p, %s n) { p[0] = size(*q);\n"
          .. "  p[1] = LIMIT((double)n); }"):format(constant, name, name)
        local out, unused = cuda.zeros(2, "float64"), cuda.zeros(8, "uint8")
        local k = cuda.kernel(source, { host = "strip" })
        k({ grid = 1, block = 1 }, cuda.ptr(unused.pointer), out, 1)
        assert.are.same(want, out:totable())
      end
    end)

    it("give way to those that the program declares", function()
      local out = cuda.zeros(4, "int32")
      cuda.module("typedef struct { int v; } uint;\n#define INT_MAX 1\nenum { CHAR_BIT = 0 };\n"
        .. "#define FLT_MAX M_PI\n#define M_PI 0\n"
        .. "__global__ void k(int *p) { uint u = { INT_MAX + CHAR_BIT + FLT_MAX };\n"
        .. "p[threadIdx.x] = threadIdx.x + u.v; }", { host = "strip" }):kernel "k"(
          { grid = 1, block = 4 }, out)
      assert.are.same({ 1, 2, 3, 4 }, out:totable())
    end)

    it("are known in std without their own header", function()
      assert.are.same({ 1, 2, 3, 4 }, results [[
        #include <iostream>
        template <class T> __device__ typename std::enable_if<std::is_integral<T>::value, T>::type
        one(T x) { return std::min(std::max(x, T(1)), std::numeric_limits<T>::max()); }
        __global__ void k(int *p) {
          std::uint32_t i = threadIdx.x;
          std::pair<int, std::size_t> q = std::make_pair((int)i, (std::size_t)one(-3));
          p[i] = q.first + (int)q.second + (int)std::sqrt(0.f);
        }]])
    end)
  end)

  -- Writes files, by name, into a new folder and returns it.
  local function folder_with(files)
    local dir = helper.tmpdir()
    for name, text in pairs(files) do
      local sub = name:match "^(.*)/"
      if sub then os.execute("mkdir -p " .. helper.shell_quote(dir .. "/" .. sub)) end
      helper.write_file(dir .. "/" .. name, text)
    end
    return dir
  end

  local function results_of(path, options)
    local out = cuda.zeros(4, "int32")
    local m = cuda.module(path, options)
    m:kernel "k"({ grid = 1, block = 4 }, out)
    return out:totable()
  end

  describe("headers", function()
    local MAIN = [[
      #include <cuda_runtime.h>
      #include <cstdio>
      #include <string>
      #include <GL/freeglut.h>
      #include "util.h"
      # include <sub/deep.cuh> // comment
      int main() { std::string s = name(); printf("%s", s.c_str()); }
      __global__ void k(int *p) { p[threadIdx.x] = add(threadIdx.x) + ZERO + deep(); }]]
    local UTIL = [[
      #ifndef UTIL_H
      #define UTIL_H
      #include <string>
      #define ZERO 0
      std::string name();
      inline int host(FILE *f) { return fgetc(f); }
      __host__ __device__ inline int add(int i) { return i + 1; }
      #endif]]
    local DEEP = "#pragma once\n#include \"../util.h\"\n#include \"more.inl\"\n"
      .. "struct Deep { std::string s; };\nstatic __device__ int deep() { return more - add(0); }"

    it("are taken from beside the file and from include_dirs", function()
      local dir = folder_with { ["src/main.cu"] = MAIN, ["src/util.h"] = UTIL,
        ["inc/sub/deep.cuh"] = DEEP, ["inc/util.h"] = "#include \"../src/util.h\"",
        ["inc/sub/more.inl"] = "const int more = 1;\nvoid more_host() { throw 1; }" }
      assert.are.same({ 1, 2, 3, 4 }, results_of({ path = dir .. "/src/main.cu",
        include_dirs = { dir .. "/inc" }, host = "strip" }))
    end)

    it("are taken from the option headers", function()
      assert.are.same({ 1, 2, 3, 4 }, results_of(MAIN, { host = "strip", headers = {
        ["util.h"] = UTIL, ["../util.h"] = UTIL, ["sub/deep.cuh"] = DEEP,
        ["more.inl"] = "const int more = 1; FILE *f;" } }))
    end)

    it("are found where a macro names them", function()
      local dir = folder_with { ["main.cu"] = "#define NAME \"part.h\"\n#include NAME\n"
        .. "__global__ void k(int *p) { p[threadIdx.x] = part(threadIdx.x); }",
        ["part.h"] = "FILE *f;\n__device__ int part(int i) { return i + 1; }" }
      assert.are.same({ 1, 2, 3, 4 }, results_of { path = dir .. "/main.cu", host = "strip" })
    end)

    it("may include themselves and files with the same name", function()
      local dir = folder_with { ["main.cu"] = "#include \"a/x.h\"\n#include \"b/x.h\"\n"
        .. "__global__ void k(int *p) { p[threadIdx.x] = threadIdx.x + A + B; }",
        ["a/x.h"] = "#ifndef A\n#define A 3\n#include \"x.h\"\n#endif\nvoid f();",
        ["b/x.h"] = "#pragma once\n#define B -2\nvoid g() { h(); }" }
      assert.are.same({ 1, 2, 3, 4 }, results_of { path = dir .. "/main.cu", host = "strip" })
    end)

    it("may be included inside extern C", function()
      assert.are.same({ 1, 2, 3, 4 }, results('#ifdef __cplusplus\nextern "C" {\n#endif\n'
        .. "#include <string.h>\n#include <math.h>\n#include <stdio.h>\nint f(FILE *);\n"
        .. "#ifdef __cplusplus\n}\n#endif\n"
        .. "__global__ void k(int *p) { p[threadIdx.x] = threadIdx.x + (int)fmin(3.0, 1.0); }"))
    end)

    it("stay as they are inside a declaration", function()
      local dir = folder_with { ["main.cu"] = "#define ROW(a, b) a, b,\n"
        .. "__constant__ int c[] = {\n#include \"table.inc\"\n};\nnamespace n { extern \"C\" {\n"
        .. "#include \"part.h\"\n} }\nint host[] = {\n#include \"table.inc\"\n};\n"
        .. "__global__ void k(int *p) {\n#include \"body.inc\"\n}",
        ["table.inc"] = "0, 1, ROW(2, 3)\n", ["part.h"] = "FILE *f; __device__ int one = 1;",
        ["body.inc"] = "int i = threadIdx.x; p[i] = c[i] + n::one;" }
      assert.are.same({ 1, 2, 3, 4 }, results_of { path = dir .. "/main.cu", host = "strip" })
    end)

    it("may be CUDA's and C++'s own", function()
      assert.are.same({ 1, 2, 3, 4 }, results([[
        #include <algorithm>
        #include <cooperative_groups.h>
        #include <cublas_v2.h>
        #include <cuda_fp16.h>
        #include <cufft.h>
        #include <thrust/device_vector.h>
        #include <type_traits>
        namespace cg = cooperative_groups;
        cublasHandle_t handle;
        __global__ void k(int *p) {
          static_assert(std::is_same<int, int>::value, "");
          cufftComplex z = make_cuComplex(1.f, 0.f);
          p[cg::this_thread_block().thread_rank()] = threadIdx.x + (int)z.x;
        }]]))
    end)

    it("count where they change", function()
      local dir = folder_with { ["main.cu"] = "#include \"n.h\"\nFILE *f;\n"
        .. "__global__ void k(int *p) { p[threadIdx.x] = N; }", ["n.h"] = "const int N = 1;" }
      local given = { path = dir .. "/main.cu", host = "strip" }
      assert.are.same({ 1, 1, 1, 1 }, results_of(given))
      helper.write_file(dir .. "/n.h", "FILE *g; const int N = 2;")
      assert.are.same({ 2, 2, 2, 2 }, results_of(given))
    end)
  end)

  describe("the option host", function()
    it("keeps the lines of errors, in headers as well", function()
      local dir = folder_with { ["main.cu"] = "#include <vector>\nint main() {\n  return 0;\n}\n"
        .. "#include \"part.h\"\n__global__ void k(int *p) { *p = wrong_a; }\n",
        ["part.h"] = "void f() {\n}\n\n__device__ int g() { return wrong_b; }\n" }
      local e = helper.error_of(function()
        cuda.module { path = dir .. "/main.cu", host = "strip" }:compile()
      end)
      assert.is_true(cuda.is_error(e, "compile"))
      helper.contains(e, dir .. "/main.cu:6: error: identifier \"wrong_a\"")
      helper.contains(e, dir .. "/part.h:4: error: identifier \"wrong_b\"")
    end)

    it("changes nothing in what module:source returns", function()
      local text = "int main() { }\n" .. KERNEL
      assert.are.equal(text, cuda.module(text, { host = "strip" }):source())
    end)

    it("is part of the key of compiled code", function()
      local text = ("__global__ void k(int *p) { *p = %d; }"):format(math.random(1 << 30))
      local function misses(options)
        local before = cuda.cache.stats().misses
        cuda.module(text, options):compile()
        return cuda.cache.stats().misses - before
      end
      local first = misses { host = "strip" }
      assert.is_true(first > 0)
      assert.are.equal(0, misses { host = "strip" })
      assert.are.equal(first, misses {})
    end)

    it("has a key that changes with its files", function()
      local ok, output = helper.lua [[
        local stamp = require "luacuda.compile.strip_stamp"
        local first, names = stamp()
        require "luacuda.compile.strip_host"
        for name in pairs(package.loaded) do
          if name:find "^luacuda.source.strip" or name == "luacuda.source.tokens" then
            assert(names[name], name)
          end
        end
        local core = require "luacuda.core"
        local read = core.file_read
        for name in pairs(names) do
          core.file_read = function(path)
            return read(path) .. (path == package.searchpath(name, package.path) and " " or "")
          end
          package.loaded["luacuda.compile.strip_stamp"] = nil
          assert(require "luacuda.compile.strip_stamp"() ~= first, name)
        end
        core.file_read = read
        package.loaded["luacuda.compile.strip_stamp"] = nil
        assert(require "luacuda.compile.strip_stamp"() == first)
        print "done"]]
      assert.is_true(ok, output)
      assert.are.equal("done\n", output)
    end)

    it("works for sources that are linked", function()
      local out = cuda.zeros(4, "int32")
      local m = cuda.module { host = "strip", sources = {
        "FILE *f; __host__ __device__ int one(int i) { return i + 1; } int main() { }",
        "#include <vector>\n__device__ int one(int);\nstd::vector<int> v;\n"
          .. "__global__ void k(int *p) { p[threadIdx.x] = one(threadIdx.x); }" } }
      m:kernel "k"({ grid = 1, block = 4 }, out)
      assert.are.same({ 1, 2, 3, 4 }, out:totable())
    end)

    it("says that a source has no kernel", function()
      assert.are.same({}, cuda.module("int main() { }", { host = "strip" }):kernels())
    end)

    it("refuses anything but 'strip'", function()
      assert.are.equal("module: option 'host': expected 'strip', got 'keep'",
        helper.misuse(cuda.module, KERNEL, { host = "keep" }))
      assert.are.equal("kernel: option 'host': expected string, got boolean",
        helper.misuse(cuda.kernel, KERNEL, { host = true }))
      helper.contains(helper.misuse(cuda.module, KERNEL, { host = "strip", backend = "nvcc" }),
        "option 'host': nvcc also compiles host code: leave the option out")
    end)
  end)
end)

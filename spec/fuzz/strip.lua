-- Taking host code out of CUDA C++ text: lines stay, and what stays is the text's own.
local strip = require "luacuda.source.strip"

local M = { seeds = {
  "#include <vector>\nusing namespace std;\n"
    .. "struct S { S() : a{1} {} __device__ int f(); int a; };\n"
    .. "template <class T, int N = (1 > 0)> __global__ void k(S s, T *p) { p[0] = s.f(); }\n"
    .. "template __global__ void k<int>(S, int *);\nint main() try { k<int><<<1, 1>>>(S(), 0); } "
    .. "catch (...) {}",
  "#define BEGIN namespace a {\n#define END }\n#define MAKE(n) __device__ int n() { return N; }\n"
    .. "BEGIN\nMAKE(f)\nEND\n#if 0\n{ ' \"\n#elif defined(__linux__)\nint x = { 1 };\n#else\n"
    .. "}}\n#endif",
  "#ifdef A\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n}\n"
    .. "enum E : int { A = sizeof(int[2]), B };\n"
    .. "typedef int (*F)(int); const int n = 1'000, m{2}; R\"x(})x\" operator<<(int a)",
  "extern \"C\" { constexpr int f(int) noexcept(true); } inline namespace b { class C : D<int> { "
    .. "public: C() = default; friend class X; union { int i; }; static C c; } c, *d; }",
} }

function M.read(text)
  local unit = strip.new({ "-DN=1", "-DTWICE(x)=x x" }, #text % 2 == 1)
  local file = strip.add(unit, text, function() end)
  strip.decide(unit, { "S" })
  local left = strip.text(unit, file, function() end)
  local _, want = text:gsub("\n", "")
  local _, lines = left:gsub("\n", "")
  assert(lines == want, "lines are lost")
  if #left ~= #text then                       -- constexpr functions are marked for the device
    left = left:gsub("__host__ __device__ ", "")
    assert(text:find("__host__ __device__ ", 1, true) or #left == #text, "text is moved")
  end
  for i = 1, #left == #text and #text or 0 do
    local c = left:byte(i)
    assert(c == 32 or c == text:byte(i), "text is changed")
  end
end

return M

-- Taking host code out of CUDA C++ text: the lines stay, and each keeps part of its own text in
-- order, except for added words.
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

-- Functions and constructors are marked for the device, such constructors lose their body,
-- constants become constexpr, and conditions test what NVRTC defines.
local ADDED = { "__host__", "__device__", "constexpr", "__CUDACC__", ";" }

local function own(line)
  for _, word in ipairs(ADDED) do line = line:gsub(word, "") end
  return (line:gsub("%s+", ""))
end

-- Are the characters of `part` in the text, in this order?
local function is_within(part, text)
  local at = 0
  for c in part:gmatch "." do
    at = text:find(c, at + 1, true)
    if not at then return false end
  end
  return true
end

function M.read(text)
  local unit = strip.new({ "-DN=1", "-DTWICE(x)=x x" }, #text % 2 == 1)
  local file = strip.add(unit, text, function() end)
  strip.decide(unit, { "S" })
  local left = strip.text(unit, file, function() end)
  local next_line = (text .. "\n"):gmatch "([^\n]*)\n"
  for line in (left .. "\n"):gmatch "([^\n]*)\n" do
    assert(is_within(own(line), assert(next_line(), "lines are added")), "text is changed")
  end
  assert(not next_line(), "lines are lost")
end

return M

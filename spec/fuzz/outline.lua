-- Parsing of CUDA C++ text without compiling it, and of compiler messages about it.
local helper = require "spec.support.fuzz"
local fields = require "luacuda.source.fields"
local includes = require "luacuda.source.includes"
local outline = require "luacuda.source.outline"
local logs = require "luacuda.source.logs"

local M = { seeds = {
  "template<class T> __global__ void k(const T *x, float (*f)(int), int n = 3) {}\n__constant__ "
    .. "float c[4];\n"
    .. "namespace a { __device__ int v; }",
  "struct S { int a, b[3]; struct { float c; } d; void (*f)(int); __host__ int g() { return 1; } "
    .. "static int s; };",
  "#include \"x.h\"\n#include <y>\n#if 0\nextern \"C\" __global__ void __launch_bounds__(128) k() "
    .. "{}\n#endif\nR\"x(__global__)x\"",
  "typedef struct alignas(16) { enum E { A } e; union { int i; float f; } u; } S;",
  "/luacuda/0123456789abcdef.cu(3): error: identifier \"x\" is undefined\n    x = 3;\n    ^\n\n1 "
    .. "error detected",
} }

function M.read(text)
  local found = helper.attempt(nil, outline.declarations, text)
  for _, kernel in ipairs(found.kernels) do
    assert(type(kernel.name) == "string" and kernel.definitions >= 0)
  end
  helper.attempt(nil, includes, text)
  helper.attempt(nil, fields.of, text, "S")
  helper.attempt(nil, logs.readable, text)
end

return M

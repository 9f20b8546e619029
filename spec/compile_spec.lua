-- Compiling without launching: errors at the user's lines, headers, names, options, warnings, targets.
local cuda = require "luacuda"
local helper = require "spec.helper"

local raises = helper.assert_raises
local function line_of(mark) return helper.line_of("spec/compile_spec.lua", mark) end

local function compile_error(fn)
  local ok, e = pcall(fn)
  assert.is_false(ok)
  assert.is_true(cuda.is_error(e, "compile"), tostring(e))
  return e
end

describe("compile errors", function()
  it("point at the fifth line of a template in this file", function()
    local tpl = cuda.template [==[
__global__ void broken($(T) *p) {
@ for i = 1, 2 do
  p[$(i)] = 0;
@ end
  p[0] = undeclared_one; // mark-template
}]==]
    local e = compile_error(function() cuda.kernel(tpl{ T = "float" }):compile() end)
    local at = "spec/compile_spec.lua:" .. line_of("mark-" .. "template")
    assert.truthy(tostring(e):find(at .. ": error: identifier \"undeclared_one\" is undefined", 1, true), tostring(e))
  end)

  it("name the text that ends too early, not what follows it", function()
    local x = cuda.ones(3)
    local cases = {
      { "<body of f>:2", cuda.elementwise, "T x", "T y", "y = x;\ny = x +", "f" },
      { "<map expression of f>:1", cuda.reduction, "T x", "T y", "(x", "a + b", "y = a", "0", "f" },
      { "<reduce expression of f>:1", cuda.reduction, "T x", "T y", "x", "a +", "y = a", "0", "f" },
      { "<post expression of f>:1", cuda.reduction, "T x", "T y", "x", "a + b", "y = a *", "0", "f" },
      { "<map of f>:1", cuda.scan, "T x", "T y", "x +", "a + b", "0", "f" },
      { "<scan of f>:1", cuda.scan, "T x", "T y", "x", "a +", "0", "f" },
    }
    for _, case in ipairs(cases) do
      local f = case[2](table.unpack(case, 3))
      raises(function() f(x) end, case[1] .. ": error: expected an? [^\n]*\n  [^\n]*$")
    end
  end)

  it("say so where a bracket is left open, in one error", function()
    for _, open in ipairs{ "if (x > 0) { y = x;", "y = x; }" } do
      local f = cuda.elementwise("T x", "T y", open, "f")
      raises(function() f(cuda.ones(3)) end,
        "^[^\n]*: error: [^\n]*\n[^\n]*\n[^\n]*\n%(found in what was added around your source: [^\n]*$")
    end
    local k = cuda.kernel "__global__ void k(int *p) {\n  if (*p) {\n    *p = 1;\n}\n"
    raises(function() k:compile() end, "around your source: is a bracket left open")
  end)

  it("point at the fifth line of a template made elsewhere", function()
    local lines = { "__global__ void b2(int *p) {", "@ if true then", "  p[1] = 1;", "@ end", "  p[0] = undeclared_" .. "two;", "}" }
    local body = table.concat(lines, "\n")
    local e = compile_error(function() cuda.kernel(cuda.template(body){}):compile() end)
    assert.truthy(tostring(e):find("<template>:5: error: identifier \"undeclared_two\"", 1, true), tostring(e))
    assert.truthy(tostring(e):find("p[0] = undeclared_two;", 1, true))
  end)

  it("point into this file for plain source too, with the line and a caret", function()
    local e = compile_error(function()
      cuda.kernel([==[
__global__ void plain(int *p) {
  p[0] = undeclared_three; // mark-plain
}]==]):compile()
    end)
    local text = tostring(e)
    assert.truthy(text:find("spec/compile_spec.lua:" .. line_of("mark-" .. "plain"), 1, true), text)
    assert.truthy(text:find("\n *%^"), text)
    assert.equal("NVRTC_ERROR_COMPILATION", e.name)
    assert.truthy(e.log:find("undeclared_three", 1, true))
    assert.truthy(e.source:find("undeclared_three", 1, true))
    assert.equal("table", type(e.flags))
  end)

  it("point at the text that was given where the same stands several times", function()
    local function points_at(mark, compile)
      local text = tostring(compile_error(compile))
      local at = "spec/compile_spec.lua:" .. line_of("mark-" .. mark) + 3 .. ": error: identifier \"undeclared_same\""
      assert.truthy(text:find(at, 1, true), at .. "\n" .. text)
    end
    local function made(text) local k = cuda.kernel(text) return k end
    -- mark-one
    local one = cuda.kernel [==[
__global__ void same(int *p) {
  p[0] = undeclared_same;
}]==]
    -- mark-two
    local text_two = [==[
__global__ void same(int *p) {
  p[0] = undeclared_same;
}]==]
    local two = cuda.kernel(text_two, { lineinfo = true })
    local three = cuda.kernel{
      name = "same", -- mark-three
      source = [==[
__global__ void same(int *p) {
  p[0] = undeclared_same;
}]==] }
    -- mark-four
    local four = made [==[
__global__ void same(int *p) {
  p[0] = undeclared_same;
}]==]
    -- mark-five
    local five = cuda.template [==[
__global__ void same(int *p) {
  p[0] = undeclared_same;
}]==]
    -- mark-six
    local six = cuda.template [==[
__global__ void same(int *p) {
  p[0] = undeclared_same;
}]==]
    local source_five, source_six = five {}, six {}
    points_at("two", function() two:compile() end)
    points_at("one", function() one:compile() end)
    points_at("four", function() four:compile() end)
    points_at("three", function() three:compile() end)
    points_at("two", function() two:compile() end)
    points_at("five", function() cuda.kernel(source_five):compile() end)
    points_at("six", function() cuda.compile(source_six) end)
    points_at("five", function() cuda.compile(source_five) end)
    assert.matches("compile_spec.lua:" .. line_of("mark-" .. "six") + 2, tostring(six), 1, true)
  end)

  it("name the file of a path", function()
    local dir = helper.tmpdir()
    local path = dir .. "/wrong.cu"
    local f = assert(io.open(path, "w"))
    f:write("\n\n__global__ void k(int *p) { p[0] = nope; }\n")
    f:close()
    local e = compile_error(function() cuda.module{ path = path }:compile() end)
    assert.truthy(tostring(e):find(path .. ":3: error", 1, true), tostring(e))
  end)

  it("say which kernel is not there", function()
    local e = select(2, pcall(function()
      cuda.kernel("__global__ void saxpy(int *p) {}\n__global__ void other(int *p) {}", "saxpi"):compile()
    end))
    assert.truthy(tostring(e):find("saxpi", 1, true))
    assert.truthy(tostring(e):find("saxpy", 1, true))
  end)

  it("leave the next compile alone", function()
    compile_error(function() cuda.kernel("__global__ void k(int *p) { nonsense }"):compile() end)
    assert.has_no.errors(function() cuda.kernel("__global__ void k(int *p) { *p = 1; }"):compile() end)
  end)
end)

describe("compiling", function()
  local headers = [[cuda_fp16.h cuda_bf16.h cooperative_groups.h cuda/std/complex cstdint type_traits stdio.h stdint.h cmath limits
    array tuple utility algorithm math.h float.h stddef.h cstring cassert complex luacuda/complex.h]]
  for name in headers:gmatch("%S+") do
    it("finds <" .. name .. ">", function()
      local ptx = cuda.compile(("#include <%s>\n__global__ void k(int *p) { *p = 1; }"):format(name))
      assert.truthy(ptx:find(".entry", 1, true))
    end)
  end

  it("makes the standard names usable together", function()
    local ptx = cuda.compile [[
#include <cstdint>
#include <type_traits>
#include <cmath>
#include <limits>
#include <array>
#include <algorithm>
#include <stdio.h>
__global__ void k(uint32_t *p, std::array<float, 3> a) {
  static_assert(std::is_same<int, std::int32_t>::value, "");
  *p = std::sqrt(a[0]) + std::max(1, 2) + M_PI + std::numeric_limits<float>::max();
  if (*p == 7) printf("%d\n", 3);
}]]
    assert.truthy(ptx:find(".entry", 1, true))
  end)

  it("takes defines, headers in memory, include_dirs, std and flags", function()
    local dir = helper.tmpdir()
    local f = assert(io.open(dir .. "/on_disk.h", "w"))
    f:write("#define FROM_DISK 3\n")
    f:close()
    local source = [[
#include "on_disk.h"
#include <in_memory.h>
#if N + FROM_DISK + FROM_MEMORY != 42 || __cplusplus < 202002L || !defined(EXTRA)
#error "an option did not arrive"
#endif
__global__ void k(int *p) { *p = N; }]]
    assert.has_no.errors(function()
      cuda.compile(source, { defines = { N = 7 }, headers = { ["in_memory.h"] = "#define FROM_MEMORY 32\n" }, include_dirs = { dir },
        std = "c++20", flags = { "-DEXTRA" } })
    end)
  end)

  it("defines every number as the literal it is: floats are floats, not integers or names", function()
    local defines = { HALF = 0.5, TWO = 2.0, FEW = -3, LEAST = math.mininteger, MOST = math.huge, YES = true, TEXT = "1 + 1" }
    local source = [[
template <class A, class B> constexpr bool same = false;
template <class A> constexpr bool same<A, A> = true;
static_assert(same<decltype(TWO), double> && 1 / TWO == HALF && same<decltype(FEW), int> && FEW == -3);
static_assert(LEAST < -9223372036854775807LL && YES == 1 && TEXT == 2);
__global__ void k(double *p) { *p = MOST; }]]
    local x = cuda.zeros(1, "float64")
    cuda.kernel(source, { defines = defines })({ grid = 1, block = 1 }, x)
    assert.equal(math.huge, x[1])
  end)

  it("gives PTX or a cubin for the arch asked for", function()
    local source = "__global__ void k(int *p) { *p = 1; }"
    assert.truthy(cuda.compile(source, { arch = "compute_90" }):find(".target sm_90", 1, true))
    assert.equal("\127ELF", cuda.compile(source, { target = "cubin", arch = "sm_80" }):sub(1, 4))
  end)

  it("says why a library that is there is no compiler", function()
    local path = helper.tmpdir() .. "/libnvrtc.so.13"
    helper.write_file(path, "not a library")
    local ok, out = helper.lua([[require "luacuda".compile "__global__ void k() {}"]], { env = { LUACUDA_NVRTC = path } })
    assert.is_false(ok)
    assert.truthy(out:find("the CUDA compiler library cannot be opened: " .. path .. ": ", 1, true), out)
  end)

  it("refuses wrong options before compiling", function()
    local source = "__global__ void k(int *p) {}"
    local cases = {
      { { falgs = {} }, "unknown option 'falgs'.*flags" },
      { { arch = "sm90" }, "option 'arch'" },
      { { defines = { ["1x"] = 1 } }, "'1x' is not a name" },
      { { defines = { X = {} } }, "value of 'X'" },
      { { flags = { 1 } }, "item 1: expected string" },
      { { debug = 1 }, "option 'debug': expected boolean" },
      { { headers = { x = 1 } }, "option 'headers'" },
      { { flags = { "-arch=sm_90" } }, "use the option arch" },
      { { backend = "gcc" }, "backend" },
      { { path = "x" }, "exactly one of" },
    }
    for _, case in ipairs(cases) do
      raises(function() cuda.module(source, case[1]) end, case[2])
    end
    raises(function() cuda.module(source, { target = "ptx" }) end, "unknown option 'target'")
    raises(function() cuda.module(source .. "\0") end, "zero byte")
    raises(function() cuda.module() end, "expected source")
    raises(function() cuda.module(cuda.template "x") end, "call it with its values")
    raises(function() cuda.module{ path = "/nonexistent.cu" } end, "nonexistent")
    raises(function() cuda.module "kernels/blur.cu" end, "looks like a file's name: { path = \"kernels/blur.cu\" }")
    raises(function() cuda.kernel("blur.cu", "blur") end, "looks like a file's name")
    raises(function() cuda.module{ binary = "not a binary" } end, "neither PTX nor a cubin")
  end)

  it("gives warnings in the log, also from the cache", function()
    local source = "__global__ void k(int *p) { int never_used; *p = 1; } // " .. os.time()
    for _ = 1, 2 do
      local module = cuda.module(source)
      module:compile()
      assert.truthy(module.log:find("never_used", 1, true), module.log)
    end
  end)
end)

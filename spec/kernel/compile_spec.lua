-- Compiling without launching: errors at the user's lines, headers, names, options, warnings,
-- targets.
local cuda = require "luacuda"
local helper = require "spec.helper"

local raises = helper.assert_raises
local THIS, line_of = helper.this_file(), helper.line_of

local function compile_error(fn)
  local ok, e = pcall(fn)
  assert.is_false(ok)
  assert.is_true(cuda.is_error(e, "compile"), tostring(e))
  return e
end

describe("compile errors", function()
  it("are read past lines with a number that no integer holds", function()
    local logs = require "luacuda.source.logs"
    local huge = ("8"):rep(60)
    local log = "/luacuda/12ab.cu(3): error: x is undefined\n1(" .. huge .. "): error detected"
    assert.equal("/luacuda/12ab.cu:3: error: x is undefined\n1(" .. huge .. "): error detected",
      logs.readable(log))
    local origin = require("luacuda.source.origins").register("int x;", "huge line")
    local far = logs.readable(origin.token .. ":" .. huge .. " is far away")
    assert.equal("<huge line>:" .. huge .. " is far away", far)
  end)

  it("point at the fifth line of a template in this file", function()
    local tpl = cuda.template [==[
__global__ void broken($(T) *p) {
@ for i = 1, 2 do
  p[$(i)] = 0;
@ end
  p[0] = undeclared_one; // mark-template
}]==]
    local e = compile_error(function() cuda.kernel(tpl{ T = "float" }):compile() end)
    local at = THIS .. ":" .. line_of("mark-" .. "template")
    local text = at .. ": error: identifier \"undeclared_one\" is undefined"
    assert.truthy(tostring(e):find(text, 1, true), tostring(e))
  end)

  it("name the text that ends too early, not the code after it", function()
    local x = cuda.ones(3)
    local cases = {
      { "<body of f>:2", cuda.elementwise, "T x", "T y", "y = x;\ny = x +", "f" },
      { "<map expression of f>:1", cuda.reduction, "T x", "T y", "(x", "a + b", "y = a", "0", "f" },
      { "<reduce expression of f>:1", cuda.reduction, "T x", "T y", "x", "a +", "y = a", "0", "f" },
      { "<post expression of f>:1", cuda.reduction, "T x", "T y", "x", "a + b",
        "y = a *", "0", "f" },
      { "<map of f>:1", cuda.scan, "T x", "T y", "x +", "a + b", "0", "f" },
      { "<scan of f>:1", cuda.scan, "T x", "T y", "x", "a +", "0", "f" },
    }
    for _, case in ipairs(cases) do
      local f = case[2](table.unpack(case, 3))
      raises(function() f(x) end, case[1] .. ": error: expected an? [^\n]*\n  [^\n]*$")
    end
  end)

  it("report an open bracket, as one error", function()
    for _, open in ipairs{ "if (x > 0) { y = x;", "y = x; }" } do
      local f = cuda.elementwise("T x", "T y", open, "f")
      raises(function() f(cuda.ones(3)) end, "^[^\n]*: error: [^\n]*\n[^\n]*\n[^\n]*\n%(found in "
        .. "text added around your source: [^\n]*$")
    end
    local k = cuda.kernel "__global__ void k(int *p) {\n  if (*p) {\n    *p = 1;\n}\n"
    raises(function() k:compile() end, "around your source: does it leave a bracket open")
  end)

  it("show 20 errors before warnings, and how many more there are", function()
    for _, n in ipairs { 1, 19, 20, 21, 300 } do
      local log, want = {}, {}
      for k = 1, n do
        log[#log + 1] = ("a.cu(%d): warning #1-D: w\na.cu(%d): error: e%d\n"):format(k, k, k)
        want[k] = k <= 20 and ("a.cu:%d: error: e%d"):format(k, k) or nil
      end
      for k = 1, math.min(n, 20 - #want) do
        want[#want + 1] = ("a.cu:%d: warning: #1-D: w"):format(k)
      end
      if 2 * n > 20 then want[#want + 1] = ("... and %d more"):format(2 * n - 20) end
      assert.equal(table.concat(want, "\n"),
        require("luacuda.source.logs").readable(table.concat(log)))
    end
  end)

  it("do not blame the source for a check of the library's own text", function()
    local text = require("luacuda.source.logs").readable(
      'luacuda(28): error: static assertion failed with "size"\n  static_assert(a == b, "size");\n')
    helper.contains(text, "(this is an error in LuaCUDA, not in your source: please report it)")
    assert.is_nil(text:find("bracket", 1, true))
  end)

  it("point at the fifth line of a template made elsewhere", function()
    local lines = { "__global__ void b2(int *p) {", "@ if true then", "  p[1] = 1;", "@ end",
      "  p[0] = undeclared_" .. "two;", "}" }
    local body = table.concat(lines, "\n")
    local e = compile_error(function() cuda.kernel(cuda.template(body){}):compile() end)
    assert.truthy(tostring(e):find("<template>:5: error: identifier \"undeclared_two\"", 1, true),
      tostring(e))
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
    assert.truthy(text:find(THIS .. ":" .. line_of("mark-" .. "plain"), 1, true), text)
    assert.truthy(text:find("\n *%^"), text)
    assert.equal("NVRTC_ERROR_COMPILATION", e.name)
    assert.truthy(e.log:find("undeclared_three", 1, true))
    assert.truthy(e.source:find("undeclared_three", 1, true))
    assert.equal("table", type(e.flags))
  end)

  it("show that small kernels are compiled without what they do not name", function()
    local versions = cuda.versions().nvrtc
    if versions[1] * 100 + versions[2] < 1204 then pending "no -minimal" end
    local function is_minimal(text, options)
      local given = { source = text .. " __global__ void k(int *p) { *p = undeclared_four; }" }
      for key, value in pairs(options or {}) do given[key] = value end
      local e = compile_error(function() cuda.compile(given) end)
      return table.concat(e.flags, " "):find("-minimal", 1, true) ~= nil
    end
    assert.is_true(is_minimal "__device__ float context(float vertex) { return vertex; }")
    for _, text in ipairs { "#include <cuda_fp16.h>\n", "# include <stdint.h>\n",
      "__device__ float f(cudaTextureObject_t t) { return tex2D<float>(t, 0, 0); }",
      "__device__ int f(CUtexObject t) { return 0; }",
      "__global__ void g() {} __global__ void h() { g<<<1, 1>>>(); }" } do
      assert.is_false(is_minimal(text), text)
    end
    for _, options in ipairs { { headers = { ["a.h"] = "" } }, { flags = { "-w" } },
      { defines = { A = "cudaError_t" } } } do
      assert.is_false(is_minimal("", options))
    end
  end)

  it("point at the given text if it appears several times", function()
    local function points_at(mark, compile)
      local text = tostring(compile_error(compile))
      local at = THIS .. ":" .. line_of("mark-" .. mark) + 3
        .. ": error: identifier \"undeclared_same\""
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
    assert.matches(THIS .. ":" .. line_of("mark-" .. "six") + 2, tostring(six), 1, true)
  end)

  it("name the file of a path", function()
    local dir = helper.tmpdir()
    local path = dir .. "/wrong.cu"
    helper.write_file(path, "\n\n__global__ void k(int *p) { p[0] = nope; }\n")
    local e = compile_error(function() cuda.module{ path = path }:compile() end)
    assert.truthy(tostring(e):find(path .. ":3: error", 1, true), tostring(e))
  end)

  it("name a missing kernel", function()
    local e = select(2, pcall(function()
      local source = "__global__ void saxpy(int *p) {}\n__global__ void other(int *p) {}"
      cuda.kernel(source, "saxpi"):compile()
    end))
    assert.truthy(tostring(e):find("saxpi", 1, true))
    assert.truthy(tostring(e):find("saxpy", 1, true))
  end)

  it("do not affect the next compile", function()
    compile_error(function() cuda.kernel("__global__ void k(int *p) { nonsense }"):compile() end)
    assert.has_no.errors(function()
      cuda.kernel("__global__ void k(int *p) { *p = 1; }"):compile()
    end)
  end)
end)

describe("compiling", function()
  local headers = [[cuda_fp16.h cuda_bf16.h cooperative_groups.h cuda/std/complex cstdint
    type_traits stdio.h stdint.h cmath limits array tuple utility algorithm math.h float.h stddef.h
    cstring cassert complex luacuda/complex.h]]
  for name in headers:gmatch("%S+") do
    it("finds <" .. name .. ">", function()
      local ptx = cuda.compile(
        ("#include <%s>\n__global__ void k(int *p) { *p = 1; }"):format(name))
      assert.truthy(ptx:find(".entry", 1, true))
    end)
  end

  it("makes the standard headers usable together", function()
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
    helper.write_file(dir .. "/on_disk.h", "#define FROM_DISK 3\n")
    local source = [[
#include "on_disk.h"
#include <in_memory.h>
#if N + FROM_DISK + FROM_MEMORY != 42 || __cplusplus < 202002L || !defined(EXTRA)
#error "an option did not arrive"
#endif
__global__ void k(int *p) { *p = N; }]]
    assert.has_no.errors(function()
      cuda.compile(source, {
        defines = { N = 7 }, headers = { ["in_memory.h"] = "#define FROM_MEMORY 32\n" },
        include_dirs = { dir }, std = "c++20", flags = { "-DEXTRA" },
      })
    end)
  end)

  it("defines each number as a literal of its own type, not as an integer or a name", function()
    local defines = { HALF = 0.5, TWO = 2.0, FEW = -3, LEAST = math.mininteger, MOST = math.huge,
      YES = true, TEXT = "1 + 1" }
    local source = [[
template <class A, class B> constexpr bool same = false;
template <class A> constexpr bool same<A, A> = true;
static_assert(same<decltype(TWO), double> && 1 / TWO == HALF);
static_assert(same<decltype(FEW), int> && FEW == -3);
static_assert(LEAST < -9223372036854775807LL && YES == 1 && TEXT == 2);
__global__ void k(double *p) { *p = MOST; }]]
    local x = cuda.zeros(1, "float64")
    cuda.kernel(source, { defines = defines })({ grid = 1, block = 1 }, x)
    assert.equal(math.huge, x[1])
  end)

  it("passes lineinfo, debug and fast_math on", function()
    local function ptx(options)
      return cuda.compile("__global__ void k(float *p) { p[0] = p[1] / p[2]; }", options)
    end
    local plain = ptx {}
    assert.matches("\t%.loc", plain)
    assert.is_nil(plain:find ", debug")
    assert.matches("div%.rn%.f32", plain)
    assert.is_nil(ptx { lineinfo = false }:find "\t%.loc")
    assert.matches("%.target sm_%d+, debug", ptx { debug = true })
    assert.matches("div%.approx", ptx { fast_math = true })
  end)

  it("gives PTX or a cubin for the requested arch", function()
    local source = "__global__ void k(int *p) { *p = 1; }"
    assert.truthy(cuda.compile(source, { arch = "compute_90" }):find(".target sm_90", 1, true))
    assert.equal("\127ELF", cuda.compile(source, { target = "cubin", arch = "sm_80" }):sub(1, 4))
  end)

  it("says why a library is not a compiler", function()
    local path = helper.tmpdir() .. "/libnvrtc.so.13"
    helper.write_file(path, "not a library")
    local ok, out = helper.lua([[require "luacuda".compile "__global__ void k() {}"]],
      { env = { LUACUDA_NVRTC = path } })
    assert.is_false(ok)
    assert.truthy(out:find("NVRTC cannot be opened: " .. path .. ": ", 1, true),
      out)
  end)

  it("refuses invalid options before compiling", function()
    local source = "__global__ void k(int *p) {}"
    local cases = {
      { { falgs = {} }, "unknown option 'falgs'.*flags" },
      { { arch = "sm90" }, "option 'arch'.*got 'sm90'; did you mean 'sm_90'%? %(NVRTC %d+%.%d+ "
        .. "supports [%d ]*90[%d ]*%)$" },
      { { arch = 90 }, "got '90'; did you mean 'sm_90'%? %(NVRTC" },
      { { arch = "sm_9x" }, "got 'sm_9x' %(NVRTC" }, { { arch = "sm_90x" }, "mean 'sm_90'" },
      { { arch = "" }, "got '' %(NVRTC" }, { { arch = {} }, "option 'arch': expected string" },
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
    raises(function() cuda.module "kernels/blur.cu" end,
      "looks like a file name: { path = \"kernels/blur.cu\" } reads the file")
    raises(function() cuda.kernel("blur.cu", "blur") end, "looks like a file name")
    raises(function() cuda.module{ binary = "not a binary" } end, "neither PTX nor a cubin")
  end)

  -- Every option that takes a list or a string, for each function that takes options.
  local takers = {
    function(options) return cuda.module("__global__ void k(int *p) {}", options) end,
    function(options) return cuda.kernel("__global__ void k(int *p) {}", options) end,
    function(options) return cuda.compile("__global__ void k(int *p) {}", options) end,
    function(options) return cuda.elementwise("T x", "T y", "y = x", "f", options) end,
  }

  local function refused(options, pattern, first, last)
    for i = first or 1, last or #takers do
      local message = helper.misuse(takers[i], options)
      assert.truthy(message:find(pattern), message)
    end
  end

  it("refuses lists with holes", function()
    for i, key in ipairs { "flags", "include_dirs", "instances" } do
      local last = i == 3 and 3 or 4                       -- builders take no instances
      refused({ [key] = { nil, "-DX" } },
        "option '" .. key .. "': %[1%] of the list is missing", 1, last)
      refused({ [key] = { "-DX", nil, "-DY" } },
        "option '" .. key .. "': %[2%] of the list is missing", 1, last)
      refused({ [key] = { "-DX", first = "-DY" } },
        "option '" .. key .. "': expected a list, got a table with 'first' as a key", 1, last)
    end
    takers[1] { flags = {}, include_dirs = {}, instances = {} }
  end)

  it("refuses zero bytes in text for the compiler or the system", function()
    for _, key in ipairs { "flags", "include_dirs" } do
      refused({ [key] = "-DX\0" }, "option '" .. key .. "': item 1 holds a zero byte")
      refused({ [key] = { "-DX", "-DY\0" } }, "option '" .. key .. "': item 2 holds a zero byte")
    end
    refused({ instances = "k\0" }, "option 'instances': item 1 holds a zero byte", 1, 3)
    refused({ defines = { X = "1\0" } }, "value of 'X' holds a zero byte")
    refused({ headers = { ["a.h"] = "int x;\0" } },
      "option 'headers': the text of 'a.h' holds a zero byte")
    refused({ headers = { ["a.h\0"] = "int x;" } }, "option 'headers': a name holds a zero byte")
    refused({ std = "c++17\0" }, "option 'std' holds a zero byte")
    refused({ arch = "native\0" }, "option 'arch' holds a zero byte", 1, 3)
    refused({ backend = "nvrtc\0" }, "option 'backend' holds a zero byte")
    assert.equal("kernel: option 'name' holds a zero byte",
      helper.misuse(cuda.kernel, "__global__ void k() {}", "k\0"))
    assert.equal("compile: option 'target' holds a zero byte",
      helper.misuse(cuda.compile, "int x;", { target = "ptx\0" }))
    assert.equal("module: option 'path' holds a zero byte",
      helper.misuse(cuda.module, { path = "/etc/passwd\0.cu" }))
    local m = cuda.module "__global__ void k() {} __device__ int v;"
    assert.equal("module:kernel: the name holds a zero byte", helper.misuse(m.kernel, m, "k\0"))
    assert.equal("module:global: the name holds a zero byte", helper.misuse(m.global, m, "v\0"))
  end)

  it("takes one flag as a string and shows how to give more", function()
    refused({ flags = "-DZ=3 -DY=2" },
      "'%-DZ=3 %-DY=2' is more than one flag: .* flags = { \"%-DZ=3\", \"%-DY=2\" }")
    refused({ flags = { "-w", "-DZ=3 --fmad=false" } }, "more than one flag")
    local x = cuda.zeros(2, "int32")
    cuda.kernel("__global__ void k(int *x) { x[0] = A; x[1] = B; }",
      { flags = { "-DA=1 + 2", "-DB=4" } })({ grid = 1, block = 1 }, x)
    assert.same({ 3, 4 }, x:totable())
    cuda.kernel("__global__ void k(int *x) { x[0] = A; }",
      { flags = "-DA=7" })({ grid = 1, block = 1 }, x)
    assert.equal(7, x[1])
  end)

  it("refuses options that methods do not take", function()
    local m = cuda.module "__global__ void k() {} __device__ int v;"
    local k = m:kernel "k"
    for name, call in pairs {
      ["kernel:source"] = function(x) k:source(x) end,
      ["kernel:ptx"] = function(x) k:ptx(x) end,
      ["module:source"] = function(x) m:source(x) end,
      ["module:kernels"] = function(x) m:kernels(x) end,
      ["module:kernel"] = function(x) m:kernel("k", x) end,
      ["module:global"] = function(x) m:global("v", nil, x) end,
    } do
      assert.equal(
        name .. ": unknown options: give options of the compiler to cuda.module or cuda.kernel",
        helper.misuse(call, { nosuch = 1 }))
      assert.equal(name .. ": too many arguments", helper.misuse(call, 5))
    end
    for name, call in pairs {
      ["kernel:compile"] = function(...) k:compile(...) end,
      ["module:compile"] = function(...) m:compile(...) end,
    } do
      assert.equal(name .. ": unknown option 'nosuch'", helper.misuse(call, { nosuch = 1 }))
      assert.equal(name .. ": expected options (a table), got number", helper.misuse(call, 5))
      assert.equal(name .. ": too many arguments", helper.misuse(call, {}, 5))
    end
  end)

  it("refuses extra arguments of device and kernel functions", function()
    local k = cuda.kernel "__global__ void k() {}"
    for name, call in pairs {
      attributes = function() k:attributes {} end,
      occupancy = function() k:occupancy(32, 0, {}) end,
      device = function() cuda.device("cpu", {}) end, use = function() cuda.use("cpu", {}) end,
      debug = function() cuda.debug({}, {}) end, diagnose = function() cuda.diagnose {} end,
    } do
      assert.equal(name .. ": too many arguments", helper.misuse(call))
    end
  end)

  it("raises the same kind of error for every unreadable file", function()
    local missing = helper.tmpdir() .. "/missing"
    for name, call in pairs {
      module = function(path) cuda.module{ path = path } end,
      kernel = function(path) cuda.kernel{ path = path } end,
      compile = function(path) cuda.compile{ path = path } end, load_npy = cuda.load_npy,
      load_npz = cuda.load_npz, load_png = cuda.load_png, load_csv = cuda.load_csv,
      save_csv = function(path) cuda.zeros(1):save_csv(path .. "/x") end,
      save_png = function(path) cuda.zeros({ 1, 1 }, "uint8"):save_png(path .. "/x") end,
      save_npy = function(path) cuda.zeros(1):save_npy(path .. "/x") end,
      save_npz = function(path) cuda.save_npz(path .. "/x", { a = cuda.zeros(1) }) end,
    } do
      local ok, e = pcall(call, missing)
      assert.is_false(ok)
      assert.is_true(cuda.is_error(e, "runtime"), name .. ": " .. tostring(e))
      assert.equal("LUACUDA_ERROR_IO", e.name)
      assert.equal(name, e.call)
      assert.truthy(e.message:find(name .. ": ", 1, true) == 1
        and e.message:find("'" .. missing, 1, true), e.message)
      local _, count = e.message:gsub("No such file or directory", "")
      assert.equal(1, count, e.message)
      _, count = e.message:gsub("/missing", "")
      assert.equal(1, count, e.message)
    end
  end)

  it("provides the driver's types and Thrust's complex numbers", function()
    local x, y = cuda.zeros(2, "int32"), cuda.zeros(4, "complex128")
    for _, order in ipairs { "#include <cuda.h>\n#include <cuda/barrier>\n",
      "#include <cuda/barrier>\n#include <cuda.h>\n" } do
      cuda.kernel(order .. [[
        __global__ void sizes(const CUtensorMap *m, int *x) {
          x[0] = sizeof(*m) + alignof(CUtensorMap);
          x[1] = sizeof(CUdeviceptr) + 10 * sizeof(CUtexObject) + 100 * sizeof(CUsurfObject);
        }]])({ grid = 1, block = 1 }, cuda.null, x)
      assert.same({ 192, 888 }, x:totable())
    end
    cuda.kernel[[
      #include <thrust/complex.h>
      __global__ void mixed(thrust::complex<double> *y) {
        thrust::complex<float> a(1, 2);
        thrust::complex<double> b(3, -1);
        y[0] = a * b;
        y[1] = 2.0 * a;
        y[2] = thrust::conj(b) - 1;
        y[3] = thrust::complex<double>(thrust::norm(a), thrust::abs(a * 0));
      }]]({ grid = 1, block = 1 }, y)
    helper.assert_close(
      { cuda.complex(5, 5), cuda.complex(2, 4), cuda.complex(2, 1), cuda.complex(5, 0) }, y)
  end)

  it("has warnings in the log, also from the cache", function()
    local source = "__global__ void k(int *p) { int never_used; *p = 1; } // " .. os.time()
    for _ = 1, 2 do
      local module = cuda.module(source)
      module:compile()
      assert.truthy(module.log:find("never_used", 1, true), module.log)
      assert.equals(module.log, module:kernel(module:kernels()[1]).log)
    end
  end)
end)

helper.for_each_device(function(device)
  describe("relocatable code", function()
    local source = [[
      __device__ int twice(int x);
      __device__ int bias = 4;
      __global__ void k(int *x) { x[0] = twice(x[0]) + bias; }
      __device__ int twice(int x) { return 2 * x; }
    ]]

    it("is loaded as PTX and runs", function()
      local m = cuda.module(source, { rdc = true })
      local x = cuda.array({ 5 }, "int32")
      m:kernel "k" ({ grid = 1, block = 1 }, x)
      assert.equal(14, x[1])
      m:global "bias":fill(7)
      m:kernel "k" ({ grid = 1, block = 1 }, x)
      assert.equal(35, x[1])
      assert.truthy(m:kernel "k":ptx():find(".visible .func", 1, true))
      assert.equal(14, (function()
        local y = cuda.array({ 5 }, "int32")
        cuda.kernel(source, { rdc = true, arch = "compute_75" })({ grid = 1, block = 1 }, y)
        return y[1]
      end)())
    end)

    it("is refused as machine code, and as a flag", function()
      for _, what in ipairs { "module", "kernel" } do
        assert.equal(what .. ": option 'rdc': relocatable code is loaded as PTX: expected arch = "
          .. "'compute_80' or none",
          helper.misuse(cuda[what], source, { rdc = true, arch = "sm_80" }))
      end
      for _, flag in ipairs {
        "-rdc=true", "--relocatable-device-code=true", "-dc", "--device-c",
      } do
        assert.equal("module: flag '" .. flag .. "': use the option rdc",
          helper.misuse(cuda.module, source, { flags = { flag } }))
      end
      assert.equal("\127ELF",
        cuda.compile(source, { target = "cubin", arch = "sm_80", rdc = true }):sub(1, 4))
    end)

    it("with undefined names is refused with the same words on every device", function()
      for _, declared in ipairs {
        "extern __device__ int elsewhere;", "extern __constant__ int elsewhere;",
        "struct S { int a, b; }; extern __device__ S many[4]; extern __device__ int elsewhere;",
      } do
        local text = declared .. "__global__ void k(int *x) { x[0] = elsewhere; }"
        local ok, e = pcall(function() cuda.kernel(text, { rdc = true }):compile() end)
        assert.is_false(ok)
        assert.is_true(cuda.is_error(e, "compile"), tostring(e))
        assert.truthy(e.log:find("Undefined reference to 'elsewhere'", 1, true), e.log)
      end
    end)
  end)

  describe("an architecture", function()
    local source = "__global__ void k(int *x) { x[0] = 3; }"
    local cc = device.cc

    local function refusal(arch)
      local ok, e = pcall(function() cuda.module(source, { arch = arch }):compile() end)
      assert.is_false(ok, arch)
      assert.is_true(cuda.is_error(e, "compile"), tostring(e))
      return e
    end

    local function runs(arch)
      local x = cuda.zeros(1, "int32")
      cuda.kernel(source, { arch = arch })({ grid = 1, block = 1 }, x)
      assert.equal(3, x[1])
    end

    it("of PTX may be any up to the device's", function()
      runs "compute_75"
      runs "native"
      if device.kind == "cpu" then runs("compute_" .. cc) end
      local e = refusal "compute_120"
      assert.equal("CUDA_ERROR_INVALID_PTX", e.name)
      assert.truthy(e.log)
    end)

    it("of machine code must be the device's own", function()
      if helper.fake_gpu then pending "no GPU" end
      runs("sm_" .. cc)
      for _, arch in ipairs { "sm_75", "sm_90", "sm_120", "sm_120a" } do
        if tonumber(arch:match "%d+") // 10 ~= cc // 10 then
          assert.equal("CUDA_ERROR_NO_BINARY_FOR_GPU", refusal(arch).name)
        end
      end
    end)

    it("unknown to NVRTC is named as given", function()
      for _, arch in ipairs { "sm_50", "compute_50", "sm_999" } do
        assert.truthy(refusal(arch).message:find("arch '" .. arch
          .. "': this NVRTC does not support it (it supports ", 1, true))
      end
      raises(function() cuda.compile(source, { arch = "sm_50", target = "cubin" }) end,
        "arch 'sm_50': this NVRTC does not support it")
    end)
  end)
end)

-- The rule for machine code on CPU devices of other compute capabilities, each in its own process.
describe("the CPU device", function()
  local cases = { { 75, "sm_75", true }, { 75, "sm_80", false }, { 80, "sm_86", false },
    { 80, "sm_75", false }, { 90, "sm_90", true }, { 90, "sm_90a", true }, { 90, "sm_89", false },
    { 90, "compute_80", true }, { 75, "compute_80", false }, { 90, "compute_90a", true } }
  for _, case in ipairs(cases) do
    local cc, arch, fits = table.unpack(case)
    it(("of %d %s %s"):format(cc, fits and "runs" or "refuses", arch), function()
      local ok, out = helper.lua(([[
        local cuda = require "luacuda"
        local ok, e = pcall(function()
          cuda.module("__global__ void k() {}", { arch = %q }):compile()
        end)
        print(ok, not ok and e.name)
      ]]):format(arch), { env = { LUACUDA_DEVICE = "cpu", LUACUDA_CPU_ARCH = cc } })
      assert.is_true(ok, out)
      local code = arch:find "^sm" and "CUDA_ERROR_NO_BINARY_FOR_GPU" or "CUDA_ERROR_INVALID_PTX"
      assert.equal(fits and "true\tfalse\n" or "false\t" .. code .. "\n", out)
    end)
  end
end)

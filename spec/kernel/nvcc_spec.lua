-- The option backend = "nvcc": kernels, names and types as with NVRTC, on the CPU device and on
-- GPUs; errors; the cache; programs that fail. Most tests run with a stand-in for nvcc
-- (spec/support/fake_nvcc.lua), and with nvcc itself where there is one.
local helper = require "spec.helper"
local core = require "luacuda.core"
local cuda = require "luacuda"
local nvcc_tool = require "luacuda.compile.nvcc_tool"

local LUA = os.getenv "LUACUDA_LUA" or "/usr/bin/lua5.4"
local ONE = { grid = 1, block = 1 }

-- A program made of a shell script.
local function program(folder, body)
  local path = folder .. "/nvcc"
  helper.write_file(path, "#!/bin/sh\n" .. body .. "\n")
  os.execute("chmod +x " .. helper.shell_quote(path))
  return path
end

-- The stand-in; `runs`: a file that gets a line for each run.
local function stand_in(folder, runs)
  local env = {}
  for name, value in pairs { LUA_PATH = package.path, LUA_CPATH = package.cpath,
    FAKE_NVCC_RUNS = runs or "/dev/null", LUACUDA_TEST_GC = "" } do
    env[#env + 1] = name .. "=" .. helper.shell_quote(value)
  end
  return program(folder, ("exec env %s %s spec/support/fake_nvcc.lua \"$@\""):format(
    table.concat(env, " "), LUA))
end

-- nvcc, without the library that a sanitizer loads into every program.
local function real()
  local ok, tools = pcall(nvcc_tool.open, {})
  if not ok then return pending "no nvcc" end
  return program(helper.tmpdir(), ("unset LD_PRELOAD\nexec %s \"$@\""):format(
    helper.shell_quote(tools.path)))
end

local function lines_of(path)
  local file, list = io.open(path), {}
  for line in file and file:lines() or function() end do list[#list + 1] = line end
  if file then file:close() end
  return list
end

local TOOLS = {
  { "a stand-in", function() return stand_in(helper.tmpdir()) end },
  { "nvcc", real },
}

local SOURCE = [[
#include <cuda_fp16.h>
#include "own.h"
struct Pair { float a; int b; };
__constant__ float weights[4];
__device__ int counter;
static __device__ int hidden;
__managed__ float shared_value;
template<class T> __global__ void fill(T *p, T v) { p[threadIdx.x] = v; }
extern "C" __global__ void plain(float *out, const int *in, Pair p) {
  *out = *in * p.a + p.b + weights[1] + counter + hidden + shared_value + OWN + GIVEN;
}
namespace ns { __global__ void inner(__half *h, const float4 *v, unsigned long long n) {} }
namespace { __global__ void secret(short *p) { *p = 9; } }
static __global__ void local(int *p) { *p = 5; }
__global__ void two(int *p) { *p = 1; }
__global__ void two(float *p) { *p = 2; }
__global__ void declared(float *p);
]]

local function options(extra)
  local list = { headers = { ["own.h"] = "#define OWN 1000\n" }, defines = { GIVEN = 2000 },
    instances = { "fill<float>", "(void (*)(int *)) two" } }
  for key, value in pairs(extra or {}) do list[key] = value end
  return list
end

local function signatures(m)
  local list = {}
  for _, name in ipairs(m:kernels()) do
    local s = {}
    for i, param in ipairs(m:kernel(name).signature) do
      s[i] = ("%s %s"):format(param.type, param.name)
    end
    list[name] = table.concat(s, ", ")
  end
  return list
end

local function compile_error(fn, ...)
  local ok, e = pcall(fn, ...)
  assert.is_false(ok)
  assert.is_true(cuda.is_error(e, "compile"), tostring(e))
  return cuda.last_error(e)
end

local function has(text, part) assert.truthy(text:find(part, 1, true), text) end

helper.for_each_device(function(_, device)
  -- Machine code of the stand-in does not run.
  local first = (device == "cpu" or helper.fake_gpu) and 1 or 2
  for i = first, #TOOLS do
    local tool = TOOLS[i]
    describe("code compiled by " .. tool[1], function()
      it("has the kernels, types and values that it has with NVRTC", function()
        local m <close> = cuda.module(SOURCE, options { backend = "nvcc", nvcc = tool[2]() })
        local same <close> = cuda.module(SOURCE, options())
        assert.are.same(same:kernels(), m:kernels())
        assert.are.same(signatures(same), signatures(m))
        m:global "weights":set { 1, 20, 3, 4 }
        m:global "counter":fill(300)
        m:global "shared_value":fill(0.5)
        assert.equal("int32", m:global "hidden".dtype)
        local out, value = cuda.zeros(4), cuda.array({ 7 }, "int32")
        m.kernels.plain(ONE, out, value, { a = 2, b = 3 })
        assert.are.same({ 3337.5, 0, 0, 0 }, out:totable())
        m:kernel "fill<float>"({ grid = 1, block = 4 }, out, 6)
        assert.are.same({ 6, 6, 6, 6 }, out:totable())
        m:kernel "(void (*)(int *)) two"(ONE, value)
        assert.equal(1, value[1])
        m.kernels["local"](ONE, value)
        assert.equal(5, value[1])
      end)

      it("is one that names its errors' places, as with NVRTC", function()
        local place = tool[2]()
        local e = compile_error(function()
          cuda.kernel([[
            __global__ void k(float *p) {
              *p = undeclared_name; // mark-error
            }]], { backend = "nvcc", nvcc = place }):compile()
        end)
        has(e.message, ("%s:%d: error: identifier \"undeclared_name\" is undefined"):format(
          helper.this_file(), helper.line_of "undeclared_name; // mark-error"))
        has(e.message, "*p = undeclared_name; // mark-error\n")
        assert.truthy(e.message:find "\n +%^$", e.message)
        assert.are.same({ "LUACUDA_ERROR_COMPILE", "nvcc" }, { e.name, e.call })
        e = compile_error(function()
          cuda.module([[
            #include <nowhere.h> // mark-include
            ]], { backend = "nvcc", nvcc = place }):compile()
        end)
        has(e.message, (":%d: "):format(helper.line_of "mark-include"))
        has(e.message, "nowhere.h")
      end)

      it("knows which names it has", function()
        local place = tool[2]()
        local source = "__global__ void k(int *p) {}\n"
          .. "template<class T> __global__ void t(T *p) {}"
        local function named(name)
          return tostring(helper.error_of(function()
            cuda.kernel(source, name, { backend = "nvcc", nvcc = place }):compile()
          end))
        end
        has(named "kk", "no kernel 'kk'; did you mean 'k'? (it has: k; template t: name an "
          .. "instance such as 't<float>')")
        has(named "t", "'t' is a template: name an instance of it")
        has(named "t<nothing>", "the template 't' has no instance 't<nothing>'")
      end)

      it("links", function()
        local m <close> = cuda.module{ backend = "nvcc", nvcc = tool[2](), sources = {
          "extern __device__ int shared; __global__ void a(int *p) { *p = shared; }",
          "__device__ int shared = 11; static __device__ int own = 3;"
            .. "__global__ void b(int *p) { *p = own; }",
        } }
        local x = cuda.zeros(1, "int32")
        m.kernels.a(ONE, x)
        assert.equal(11, x[1])
        m.kernels.b(ONE, x)
        assert.equal(3, x[1])
        assert.are.same({ "a", "b" }, m:kernels())
      end)

      it("can be debugged", function()
        local k = cuda.kernel("__global__ void k(int *p) { *p = 4; }",
          { backend = "nvcc", nvcc = tool[2](), debug = true })
        local x = cuda.zeros(1, "int32")
        k(ONE, x)
        assert.equal(4, x[1])
        assert.is_nil(k:ptx():find "luacuda_name")
      end)
    end)
  end

  describe("nvcc", function()
    local function check(source, args, want)
      local k = cuda.kernel(source, { backend = "nvcc", nvcc = real() })
      local out = cuda.zeros(1, "int32")
      k({ grid = 1, block = 64 }, cuda.array(args, "int32"), out)
      assert.equal(want, out[1])
    end

    it("takes C++'s own headers, CUB's device algorithms and Thrust's functions", function()
      local rng, values, top, sum = helper.random(11), {}, 0, 0
      for i = 1, 64 do
        values[i] = rng(1000)
        top, sum = math.max(top, values[i]), sum + values[i]
      end
      check([[
        #include <algorithm>
        #include <array>
        #include <vector>
        #include <cub/cub.cuh>
        #include <thrust/functional.h>
        __global__ void total(const int *in, int *out) {
          typedef cub::BlockReduce<int, 64> Reduce;
          __shared__ union { typename Reduce::TempStorage a; } t;
          int top = Reduce(t.a).Reduce(in[threadIdx.x], thrust::maximum<int>());
          __syncthreads();
          int sum = Reduce(t.a).Sum(in[threadIdx.x]);
          std::array<int, 2> both = { top, sum };
          if (threadIdx.x == 0) *out = both[0] * 100000 + std::max(both[1], 0);
        }
      ]], values, top * 100000 + sum)
    end)
  end)
end)

describe("cuda.compile with nvcc", function()
  local SMALL = "__global__ void k(int *p) { *p = 1; }"

  it("makes every kind of code", function()
    local place = real()
    local function made(kind, extra)
      extra = extra or {}
      extra.backend, extra.nvcc, extra.target = "nvcc", place, kind
      return (cuda.compile(SMALL, extra))
    end
    assert.truthy(made "ptx":find "%.entry _Z1kPi")
    assert.equal("\127ELF", made("cubin", { arch = "sm_90" }):sub(1, 4))
    assert.equal(0x7F4E43ED, string.unpack("<I4", made "ltoir"))
    assert.equal(0xBA55ED50, string.unpack("<I4", made "fatbin"))
    local flags = { "-gencode=arch=compute_80,code=sm_80",
      "-gencode=arch=compute_90,code=[sm_90,compute_90]" }
    assert.truthy(#made("fatbin", { flags = flags }) > #made "fatbin")
  end)

  it("shows the preprocessed text", function()
    local text = cuda.preprocess([[
      #define N 4
      #include "own.h"
      __global__ void k(int *p) { *p = N + OWN + GIVEN; }
    ]], options { nvcc = real() })
    has(text, "*p = 4 + 1000 + 2000;")
    has(compile_error(cuda.preprocess, "#include <nowhere.h>", { nvcc = real() }).message,
      "nowhere.h")
  end)

  it("refuses what it cannot do", function()
    local function refused(part, fn, ...) has(helper.misuse(fn, ...), part) end
    refused("'target': NVRTC makes no fat binaries: add backend = 'nvcc'", cuda.compile, SMALL,
      { target = "fatbin" })
    refused("expected 'nvrtc' or 'nvcc', got 'gcc'", cuda.compile, SMALL, { backend = "gcc" })
    refused("option 'nvcc': needs backend = 'nvcc'", cuda.compile, SMALL, { nvcc = "nvcc" })
    refused("NVRTC does not show the preprocessed text", cuda.preprocess, SMALL,
      { backend = "nvrtc" })
    refused("unknown option 'target'", cuda.preprocess, SMALL, { target = "ptx" })
    refused("nvcc_version: expected a path (string), got number", cuda.nvcc_version, 3)
    refused("'../up.h' leaves the folder", cuda.compile, SMALL,
      { backend = "nvcc", nvcc = stand_in(helper.tmpdir()), headers = { ["../up.h"] = "" } })
    has(compile_error(cuda.compile, SMALL, { backend = "nvcc", arch = "sm_50",
      nvcc = stand_in(helper.tmpdir()) }).message, "arch 'sm_50': this nvcc does not support it")
  end)
end)

describe("the program nvcc", function()
  local SMALL = "__global__ void k(int *p) { *p = 1; }"
  local function compile(path)
    return compile_error(cuda.compile, SMALL, { backend = "nvcc", nvcc = path, arch = "sm_80" })
  end
  -- A program that answers questions about itself, and then runs `body`.
  local function answering(body)
    return program(helper.tmpdir(), [[
      case $1 in
        --version) echo "release 13.0"; exit ;;
        --list-gpu-arch) echo compute_80; exit ;;
      esac
    ]] .. body)
  end

  -- The path of the nvcc that a process finds with this environment, where there is none in PATH
  -- and in the usual places.
  local function path_with(env)
    for _, name in ipairs { "LUACUDA_SITE_PACKAGES", "LUACUDA_CUDA_HOME", "CUDA_HOME", "CUDA_PATH",
      "LUACUDA_NVCC" } do env[name] = env[name] or "" end
    env.LUACUDA_CACHE_DIR = helper.tmpdir()
    local ok, out = helper.lua([[
      local core = require "luacuda.core"
      local stat = core.file_stat
      function core.file_stat(path)
        if not (path:find "^/usr/local/cuda/" or path:find "^/opt/cuda/") then return stat(path) end
      end
      io.write(require("luacuda.compile.nvcc_tool").open({}).path)
    ]], { env = env, before = "env PATH=/nowhere" })
    assert.is_true(ok, out)
    return out
  end

  it("gives its version", function()
    local major, minor, text = cuda.nvcc_version(stand_in(helper.tmpdir()))
    assert.are.same({ 12, 9 }, { major, minor })
    has(text, "V12.9.1")
    local none, why = cuda.nvcc_version "/nowhere/nvcc"
    assert.is_nil(none)
    has(why, "nvcc_version: there is no program '/nowhere/nvcc'")
    local code = [[io.write(require("luacuda").diagnose():match "compiler %(nvcc%): ([^\n]*)")]]
    for path, version in pairs {
      [stand_in(helper.tmpdir())] = "12.9", ["/nowhere/nvcc"] = "not found",
    } do
      local told = { helper.lua(code, { env = { LUACUDA_NVCC = path } }) }
      assert.same({ true, version, 0 }, told, path)
    end
  end)

  it("is found in its folders of toolkits and Python packages, in the first that has it", function()
    for i, place in ipairs { "bin", "nvidia/cu13/bin", "cu13/bin", "nvidia/cuda_nvcc/bin",
      "cuda_nvcc/bin" } do
      local roots, paths = {}, {}
      for k = 1, 3 do
        roots[k] = helper.tmpdir()
        local folder = ("%s/%s"):format(roots[k], place)
        if k > i % 3 then
          os.execute("mkdir -p " .. folder)
          paths[#paths + 1] = program(folder, "echo release 12.9,")
        end
      end
      assert.equal(paths[1], path_with { LUACUDA_SITE_PACKAGES = table.concat(roots, ":") })
      assert.equal(paths[1], path_with { LUACUDA_CUDA_HOME = roots[1], CUDA_HOME = roots[2],
        CUDA_PATH = roots[3] })
    end
  end)

  it("is reported where it is missing, is another program, or cannot run", function()
    has(compile "/nowhere/nvcc".message, "option 'nvcc': there is no program '/nowhere/nvcc'")
    has(compile "no_such_program".message, "there is no program 'no_such_program'")
    has(compile(program(helper.tmpdir(), "exit 0")).message, "is not nvcc")
    local path = helper.tmpdir() .. "/nvcc"
    helper.write_file(path, "text")
    local ok, e = pcall(cuda.compile, SMALL, { backend = "nvcc", nvcc = path })
    assert.is_false(ok)
    has(tostring(e), "may not be executed")
  end)

  it("is reported with its log where it fails", function()
    has(compile(answering "echo 'nvcc fatal : bad' >&2; exit 3").message, "nvcc fatal : bad")
    has(compile(answering "exit 3").message, "nvcc ended with exit code 3")
    has(compile(answering "kill -KILL $$").message, "nvcc was ended by signal 9")
    has(compile(answering "exit 0").message, "nvcc wrote no output file")
  end)

  it("compiles the sources of a linked module at the same time", function()
    local folder, cache = helper.tmpdir(), helper.tmpdir()
    os.execute("mkdir " .. folder .. "/inner")
    local inner = stand_in(folder .. "/inner")
    -- a compilation ends only after another one has begun
    local path = program(folder, ([[
      if [ "$1" = --ptx ]; then
        touch %s/$$.began
        while [ $(ls %s/*.began | wc -l) -lt 2 ]; do sleep 0.05; done
      fi
      exec %s "$@"
    ]]):format(folder, folder, inner))
    local function values()
      local ok, out = helper.lua(([[
        local cuda = require "luacuda"
        local m = cuda.module { backend = "nvcc", nvcc = %q, sources = {
          "extern __device__ int v; __global__ void a(int *p) { *p = v; }",
          "__device__ int v = 11; __global__ void b(int *p) { *p = 12; }",
        } }
        local x = cuda.zeros(1, "int32")
        for _, name in ipairs { "a", "b" } do
          m.kernels[name]({ grid = 1, block = 1 }, x)
          io.write(x[1], " ")
        end
        local ok, e = pcall(function()
          cuda.module { backend = "nvcc", nvcc = %q, sources = {
            "__device__ int one;", "__device__ int two = none;" } }
            :compile()
        end)
        io.write(tostring(ok), " ", e.message)
      ]]):format(path, path), { env = { LUACUDA_DISABLE_CACHE = "", LUACUDA_CACHE_DIR = cache,
        LUACUDA_DEVICE = "cpu", TMPDIR = folder .. "/inner" }, timeout = 300 })
      assert.is_true(ok, out)
      return out
    end
    for _ = 1, 2 do
      local out = values()
      assert.matches("^11 12 false", out)
      has(out, 'identifier "none" is undefined')
    end
    assert.are.same({ "nvcc" }, core.file_list(folder .. "/inner"))
  end)

  it("leaves no file behind, and gets no input", function()
    local temporary = helper.tmpdir()
    local ok, out = helper.lua([[
      local cuda = require "luacuda"
      print(pcall(cuda.compile, "x", { backend = "nvcc", arch = "sm_80" }))
    ]], { env = { TMPDIR = temporary, LUACUDA_DISABLE_CACHE = "1",
      LUACUDA_NVCC = answering "ls $TMPDIR/luacuda-*/source.cu; cat; exit 1" } })
    assert.is_true(ok, out)
    has(out, "source.cu")
    assert.are.same({}, core.file_list(temporary))
  end)

  it("runs once for a source that does not change", function()
    local folder, runs = helper.tmpdir(), helper.tmpdir() .. "/runs"
    local path = stand_in(folder, runs)
    helper.write_file(folder .. "/number.h", "#define NUMBER 1\n")
    local function value()
      local ok, out = helper.lua(([[
        local cuda = require "luacuda"
        local k = cuda.kernel("#include <number.h>\n__global__ void k(int *p) { *p = NUMBER; }",
          { backend = "nvcc", include_dirs = %q })
        local x = cuda.zeros(1, "int32")
        k({ grid = 1, block = 1 }, x)
        io.write(x[1])
      ]]):format(folder), { env = { LUACUDA_NVCC = path, LUACUDA_CACHE_DIR = folder .. "/cache",
        LUACUDA_DISABLE_CACHE = "", LUACUDA_DEVICE = "cpu" } })
      assert.is_true(ok, out)
      return out, #lines_of(runs)
    end
    assert.are.same({ "1", 3 }, { value() }) -- two questions and a compilation
    assert.are.same({ "1", 3 }, { value() })
    helper.write_file(folder .. "/number.h", "#define NUMBER 2\n")
    assert.are.same({ "2", 4 }, { value() })
    os.execute("touch -d '2001-01-01' " .. helper.shell_quote(path))
    assert.are.same({ "2", 7 }, { value() })
  end)
end)

-- Toolkits of other versions than the one that is tested: a folder with this machine's NVRTC and
-- headers made here.
local helper = require "spec.helper"

local quote = helper.shell_quote

-- Runs Lua code with a toolkit of the headers `files` (path in the folder include -> text).
local function with_toolkit(files, code)
  local root, cache = helper.tmpdir(), helper.tmpdir()
  local nvrtc = require "luacuda.compile.toolchain".open()
  assert(os.execute(("mkdir -p %s/lib %s/include && ln -s %s %s/lib/libnvrtc.so.%d"):format(
    quote(root), quote(root), quote(nvrtc.path), quote(root), nvrtc.major)))
  for name, text in pairs(files) do
    local path = root .. "/include/" .. name
    assert(os.execute("mkdir -p " .. quote(path:match "^(.*)/")))
    helper.write_file(path, text)
  end
  local ok, out = helper.lua(code, { args = { root }, env = { LUACUDA_CUDA_HOME = root,
    LUACUDA_CACHE_DIR = cache, LUACUDA_DISABLE_CACHE = "", LUACUDA_DEVICE = "cpu" } })
  assert.is_true(ok, out)
  return out
end

-- Headers that make a folder one of CUDA's and of CCCL's, without what they stand for.
local function headers(more)
  local files = { ["cuda_fp16.h"] = "", ["cuda/std/type_traits"] = "", ["cuda/std/utility"] = "" }
  for name, text in pairs(more) do files[name] = text end
  return files
end

-- What a kernel that includes <name> and stores `value` stores.
local STORE = [[
  local cuda = require "luacuda"
  local function stored(name, value)
    local a = cuda.zeros(1, "int32")
    cuda.kernel("#include <" .. name .. ">\n__global__ void k(int *p) { *p = " .. value .. "; }")(
      { grid = 1, block = 1 }, a)
    return a:totable()[1]
  end
]]

describe("the library of a toolkit", function()
  it("is found in the folders of each distribution and architecture", function()
    local nvrtc = require "luacuda.compile.toolchain".open()
    for _, folder in ipairs { "lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib",
      "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu" } do
      local root = helper.tmpdir()
      local path = ("%s/%s/libnvrtc.so.%d"):format(root, folder, nvrtc.major)
      assert(os.execute(("mkdir -p %s && ln -s %s %s"):format(quote(root .. "/" .. folder),
        quote(nvrtc.path), quote(path))))
      local ok, found = helper.lua([[io.write(require "luacuda.core".nvrtc().path)]],
        { env = { LUACUDA_CUDA_HOME = root } })
      assert.is_true(ok, found)
      assert.equal(path, found)
    end
  end)
end)

describe("headers of another version", function()
  it("are included from where it has them", function()
    local run = STORE .. [[io.write(stored("algorithm", "WHERE"))]]
    for _, file in ipairs { "algorithm", "__algorithm_", "detail/libcxx/include/algorithm" } do
      assert.equal("7", with_toolkit(headers{
        ["cuda/std/" .. file] = "#define WHERE 7",
        ["cuda/std/detail/__config"] = "", ["cuda/std/detail/__pragma_push"] = "",
        ["cuda/std/detail/__pragma_pop"] = "",
      }, run), file)
    end
    assert.equal("7", with_toolkit(headers{
      ["cuda/std/algorithm"] = "#define WHERE 7", ["cuda/std/__algorithm_"] = "#define WHERE 8",
    }, run))
  end)

  it("without <cstring> and <string.h> leave what the compiler has built in", function()
    assert.equal("5 5 4", with_toolkit(headers{}, STORE .. [[
      local copy = "5; int v = 0; std::memcpy(&v, p, sizeof v); *p = v"
      io.write(stored("cstring", copy), " ", stored("string.h", (copy:gsub("std::", ""))), " ",
        stored("cstring", "(int)sizeof(std::size_t) / 2"))
    ]]))
  end)

  it("without a header say so", function()
    helper.contains(with_toolkit(headers{}, STORE .. [[
      local ok, e = pcall(stored, "numbers", "1")
      io.write(tostring(ok), " ", tostring(e))
    ]]), "CUDA's headers here are too old for <numbers>")
  end)
end)

describe("an upgrade in place", function()
  -- Runs a kernel twice in processes of their own, with a change of the toolkit between them.
  local function written_after(change)
    return with_toolkit(headers{ ["cub/version.cuh"] = "#define CUB_VERSION 200101",
      ["cuda/std/__cccl/version.h"] = "", ["cuda/std/numbers"] = "#define VALUE 7" }, [[
      local run = [=[
        ]] .. STORE .. [[
        io.write(stored("numbers", "VALUE"), " ", cuda.cache.stats().written, " ")
        io.write(cuda.cache.stats().hits, "; ")
        io.flush()
      ]=]
      local script = os.tmpname()
      local file = io.open(script, "w")
      file:write(run):close()
      assert(os.execute("/usr/bin/lua5.4 " .. script))
      assert(os.execute(("cd '%s' && %s"):format(arg[1], ]] .. ("%q"):format(change) .. [[)))
      assert(os.execute("/usr/bin/lua5.4 " .. script))
      os.remove(script)
    ]])
  end

  it("of CCCL compiles again", function()
    local numbers = "echo '#define VALUE 8' >include/cuda/std/numbers && "
    for _, mark in ipairs { "cub/version.cuh", "cuda/std/__cccl/version.h",
      "cuda/std/type_traits" } do
      assert.equal("7 1 0; 8 1 0; ", written_after(numbers .. "echo >>include/" .. mark), mark)
    end
  end)

  it("of NVRTC compiles again", function()
    local nvrtc = require "luacuda.compile.toolchain".open()
    local builtins = ("lib/libnvrtc-builtins.so.%d.%d"):format(nvrtc.major, nvrtc.minor)
    assert.equal("7 1 0; 7 0 1; ", written_after "true")
    assert.equal("7 1 0; 7 1 0; ", written_after(("ln -s '%s' %s"):format(
      nvrtc.path:match "^(.*/)" .. builtins:match "[^/]+$", builtins)))
  end)
end)

describe("names that the compiler cannot resolve", function()
  local entries = require "luacuda.compile.entries"

  it("are known from logs with and without source lines", function()
    local with = [[
__nv_name_map(3): error: identifier "nope" is undefined
  #pragma nv_mangled_name nope<int>
                          ^

__nv_name_map(3): error: Error in parsing name expression for lowered name lookup.]] ..
      [[ Input name expression was: " nope < int >"
  #pragma nv_mangled_name nope<int>
                          ^
]]
    local without = with:gsub("\n  #[^\n]*\n[^\n]*", "")
    assert.is_nil(without:find "#pragma")
    for _, log in ipairs { with, without } do
      local bad, others = entries.unresolved(log)
      assert.same({ ["nope<int>"] = 'identifier "nope" is undefined' }, bad)
      assert.is_false(others)
      local list = { { name = "k", expression = "k" },
        { name = "nope<int>", expression = "nope< int>", asked = true } }
      local kept, missing, why = entries.resolvable(list, bad)
      assert.same({ { name = "k", expression = "k" } }, kept)
      assert.equal("nope<int>", missing)
      assert.equal('identifier "nope" is undefined', why)
    end
    assert.is_true(select(2, entries.unresolved(without .. "\na.cu(1): error: no\n")))
  end)
end)

describe("an NVRTC before CUDA 12", function()
  local OLD = [[
int nvrtcVersion (int *major, int *minor) { *major = 11; *minor = 8; return 0; }
const char *nvrtcGetErrorString (int r) { return r != 0 ? "bad" : "good"; }
]]
  for name in ([[CreateProgram DestroyProgram CompileProgram GetPTXSize GetPTX GetProgramLogSize
    GetProgramLog AddNameExpression GetLoweredName]]):gmatch "%S+" do
    OLD = OLD .. ("int nvrtc%s (void) { return 1; }\n"):format(name)
  end

  -- Runs Lua code with a toolkit whose compiler is too old; `name`: of the variable that
  -- names it; `later`: a toolkit that is searched after it.
  local function with_old(name, code, later)
    local root = helper.tmpdir()
    helper.write_file(root .. "/old.c", OLD)
    local build = "cd %s && mkdir lib && %s -shared -fPIC -o lib/libnvrtc.so.11.2 old.c"
    assert(os.execute(build:format(quote(root), os.getenv "CC" or "cc")))
    if name == "LUACUDA_NVRTC" then root = root .. "/lib/libnvrtc.so.11.2" end
    local ok, out = helper.lua(code, { args = { root }, env = { [name] = root,
      CUDA_HOME = later, LUACUDA_DISABLE_CACHE = "1", LUACUDA_DEVICE = "cpu" } })
    assert.is_true(ok, out)
    return out
  end

  it("is passed over", function()
    local nvrtc = require "luacuda.compile.toolchain".open()
    local root = nvrtc.path:match "^(.*)/[^/]*/[^/]*$"
    local out = with_old("LUACUDA_CUDA_HOME", [[
      local cuda = require "luacuda"
      local versions = cuda.versions()
      io.write(versions.nvrtc and versions.nvrtc[1] >= 12 and "found later" or "none", "\n")
      io.write(cuda.diagnose())
    ]], root)
    helper.contains(out, "is of CUDA 11.8: 12.0 or later is needed")
    helper.contains(out, "found later")
  end)

  it("is refused where it is named", function()
    helper.contains(with_old("LUACUDA_NVRTC", [[
      local cuda = require "luacuda"
      io.write(tostring(select(2, pcall(cuda.compile, "__global__ void k() {}"))))
    ]]), "is of CUDA 11.8: 12.0 or later is needed")
  end)
end)

describe("diagnose", function()
  local DIAGNOSE = [[io.write(require "luacuda".diagnose())]]
  local DIFFERENT = "NVRTC and the headers are of different versions"

  it("says when the headers are of another version than NVRTC", function()
    local nvrtc = require "luacuda.compile.toolchain".open()
    for difference, expected in pairs { [0] = false, [10] = true, [-1000] = true } do
      local number = nvrtc.major * 1000 + nvrtc.minor * 10 + difference
      local out = with_toolkit({ ["cuda_fp16.h"] = "",
        ["cuda_runtime_api.h"] = "#define CUDART_VERSION  " .. number .. "\n" }, DIAGNOSE)
      helper.contains(out, ("headers for NVRTC: %d.%d\n"):format(number // 1000,
        number % 1000 // 10))
      assert.equal(expected, out:find(DIFFERENT, 1, true) ~= nil, out)
    end
    local out = with_toolkit({ ["cuda_fp16.h"] = "" }, DIAGNOSE)
    helper.contains(out, "headers for NVRTC: unknown\n")
    assert.is_nil(out:find(DIFFERENT, 1, true))
  end)
end)

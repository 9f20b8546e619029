-- The reasons for which a test may be pending, as in `pending "no second GPU"`. The function of
-- each reason determines whether it is true here. tools/busted_output.lua fails every pending test
-- whose reason is not listed or not true.
local function runs(command) return os.execute("(" .. command .. ") >/dev/null 2>&1") == true end

local function exists(path)
  local file = io.open(path)
  return file ~= nil and file:close()
end

local function fake_gpu() return (os.getenv "LUACUDA_TEST_FAKE_GPU" or "") ~= "" end

local function real_gpus()
  if fake_gpu() then return 0 end
  local count = 0
  for _, device in ipairs(require("luacuda").devices()) do
    if device.kind == "gpu" then count = count + 1 end
  end
  return count
end

local function fake_library()
  return (os.getenv "LUACUDA_BUILD" or "build/release") .. "/spec/fake_cublas.so"
end

local function not_found(fn, ...)
  local ok, e = pcall(fn, ...)
  return not ok and require("luacuda").last_error(e).name == "LUACUDA_ERROR_NOT_FOUND"
end

return {
  ["no nvJitLink"] = function()
    return not_found(require("luacuda.core").lto, {}, { "-arch=sm_80" }, false)
  end,
  ["no such instruction set"] = function()
    local levels = require "spec.support.levels"
    for _, name in ipairs(levels.all) do
      if not levels.has(name) then return true end
    end
    return false
  end,
  ["no qemu-x86_64"] = function() return not runs "command -v qemu-x86_64" end,
  ["no zlib"] = function() return not require("luacuda.core").zlib() end,
  ["no nvcc"] = function()
    return not_found(require("luacuda.compile.nvcc_tool").open, {})
  end,
  ["no cudadevrt"] = function()
    return not_found(require("luacuda.compile.libraries").find, "cudadevrt")
  end,
  ["no curand_kernel.h"] = function()
    return not pcall(require("luacuda").compile, "#include <curand_kernel.h>")
  end,
  ["no libLLVM 15 or later"] = function()
    return not runs "bash -c '. tools/setup.sh && llvm_present'"
  end,
  ["no C compiler"] = function() return not runs "command -v cc" end,
  ["no C compiler or no Lua headers"] = function()
    return not runs "command -v cc" or not exists "/usr/include/lua5.4/lua.h"
  end,
  ["no C compiler or no liblua"] = function()
    return not exists "/usr/include/lua5.4/lua.h"
      or not runs "echo 'int main(void) { return 0; }' | cc -x c - -o /dev/null -llua5.4"
  end,
  ["no fake cuBLAS: built without the C tests"] = function() return not exists(fake_library()) end,
  ["localedef cannot make this locale"] = function()
    return not runs("place=$(mktemp -d) && localedef -i de_DE -f ISO-8859-1 $place/de; made=$?; "
      .. "rm -rf $place; exit $made")
  end,
  ["Python has no cuda.bindings"] = function()
    return not runs "python3 -c 'import numpy, cuda.bindings'"
  end,
  ["no cuda.h"] = function() return require("spec.support.cuda_headers")() == nil end,
  ["Python has no NumPy"] = function()
    return not runs((os.getenv "LUACUDA_PYTHON" or "python3") .. " -c 'import numpy'")
  end,
  ["Python has no ml_dtypes"] = function()
    return not runs((os.getenv "LUACUDA_PYTHON" or "python3") .. " -c 'import ml_dtypes'")
  end,
  ["NumPy has no OpenBLAS of its own"] = function()
    return not runs((os.getenv "LUACUDA_PYTHON" or "python3") .. " -c 'import glob, os, numpy; "
      .. "glob.glob(os.path.dirname(numpy.__file__) + \"/../numpy.libs/libscipy_openblas*\")[0]'")
  end,
  ["no fake NCCL: built without the C tests"] = function()
    return not exists((os.getenv "LUACUDA_BUILD" or "build/release") .. "/spec/fake_nccl.so")
  end,
  ["ranks of the CPU device: the same as without the fake GPU"] = fake_gpu,
  ["MPI is not built for ThreadSanitizer"] = function()
    return os.getenv "LUACUDA_TEST_SANITIZER" == "tsan"
  end,
  ["no NCCL"] = function() return not require("luacuda").versions().nccl end,
  ["no mpirun"] = function() return not runs "command -v mpirun" end,
  ["no mpiexec.mpich"] = function() return not runs "command -v mpiexec.mpich" end,
  ["lua5.1 is not installed"] = function() return not runs "lua5.1 -v" end,
  ["no Python with liblua5.4.so.0"] = function()
    return not runs "python3 -c 'import ctypes; ctypes.CDLL(\"liblua5.4.so.0\")'"
  end,
  ["no GPU"] = function() return real_gpus() == 0 end,
  ["the search finds a GPU's driver"] = function() return real_gpus() > 0 end,
  ["no fake GPU (tools/test --fake-gpu)"] = function() return not fake_gpu() end,
  ["no second device"] = function() return #require("luacuda").devices() < 2 end,
  ["no second GPU"] = function() return real_gpus() < 2 end,
}

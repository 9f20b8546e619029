-- The CPU device's library as CUDA's driver for programs that know nothing of LuaCUDA.
local headers = require "spec.support.cuda_headers"
local helper = require "spec.helper"

local LIBRARY = assert(package.searchpath("luacuda.core", package.cpath))
  :gsub("core%.so$", "libluacuda_cpu.so")

local function shell(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local out = pipe:read "a"
  return pipe:close() == true, out
end

-- A folder with the library under the names of NVIDIA's.
local function driver_folder()
  local folder = helper.tmpdir()
  for _, name in ipairs { "libcuda.so", "libcuda.so.1" } do
    assert(os.execute(("ln -s '%s' '%s/%s'"):format(LIBRARY, folder, name)))
  end
  return folder
end

-- name -> { version = true } of the functions that NVIDIA's header declares
local function versions_of(header)
  local all = {}
  for name, version in helper.read_file(header):gmatch "PFN_(cu%w+)_v(%d+)%)" do
    all[name] = all[name] or {}
    all[name][tonumber(version)] = true
  end
  return all
end

-- The same of the library.
local function versions_here()
  local all = {}
  local function add(path, pattern)
    for version, name in helper.read_file(path):gmatch(pattern) do
      all[name] = all[name] or {}
      all[name][tonumber(version)] = true
    end
  end
  add("src/cuda/driver.def", "LCU_DRV%(%u+, +CPU, *(%d+), *(cu%w+)")
  add("src/cpu/face/face.def", "CPU_FACE%((%d+), *(cu%w+)")
  return all
end

describe("the CPU device's library", function()
  it("has all versions of its functions from the first on", function()
    local include = headers()
    local header = include and include .. "/cudaTypedefs.h"
    if not header then pending "no cuda.h" return end
    local PER_THREAD = 7000 -- the same functions, for the streams of a thread's own
    local declared, n = versions_of(header), 0
    for name, here in pairs(versions_here()) do
      local first = math.huge
      for version in pairs(here) do first = math.min(first, version) end
      for version in pairs(declared[name] or {}) do
        if version > first and version ~= PER_THREAD then
          assert.is_true(here[version], ("%s of %d"):format(name, version))
        end
        n = n + 1
      end
    end
    assert.is_true(n > 150)
  end)

  if helper.sanitized then return end -- its runtime would have to be loaded by the programs

  it("runs a C program that is linked with libcuda", function()
    local include = headers()
    if not include then pending "no cuda.h" return end
    local folder = driver_folder()
    local built, log = shell(("cc -std=c11 -Wall -Wextra -Werror -isystem '%s' -o %s/program "
      .. "spec/c/cuda_program.c -L%s -lcuda"):format(include, folder, folder))
    assert.is_true(built, log)
    for _, mode in ipairs { "off", "force" } do
      local _, out = shell(("LD_LIBRARY_PATH=%s LUACUDA_CPU_JIT=%s %s/program %s/kernels.ptx")
        :format(folder, mode, folder, folder))
      assert.equal("ok\n", out)
    end
  end)

  it("runs Python's cuda.bindings", function()
    local has = shell "python3 -c 'import numpy, cuda.bindings'"
    if not has then pending "Python has no cuda.bindings" return end
    local _, out = shell(("LD_LIBRARY_PATH=%s python3 spec/support/bindings_peer.py")
      :format(driver_folder()))
    assert.equal("ok\n", out)
  end)
end)

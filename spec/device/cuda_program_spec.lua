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

-- What both programs provoke, and the library writes.
local FAULT = "libluacuda_cpu: null pointer: read of 4 bytes at 0x40, in kernel `add`, "
  .. "block (0,0,0), thread (0,0,0)\n"

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
  add("shared/cuda/driver.def", "LCU_DRV%(%u+, *(%d+), *(cu%w+)")
  add("cpu/src/face/face.def", "CPU_FACE%((%d+), *(cu%w+)")
  add("cpu/src/device/state/cpu_more.def", "CPU_MORE%((%d+), *(cu%w+)")
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

  -- A program for that names all functions of the headers and calls those that are refused.
  local function linked_program(include, refused)
    local _, text = shell(("printf '#include <cuda.h>\\n#include <cudaProfiler.h>\\n' | "
      .. "cc -E -P -isystem '%s' -xc -"):format(include))
    local externs, names, n = {}, {}, 0
    for name in text:gmatch "CUresult%s+(cu[%w_]+)%s*%(" do
      if not externs[name] then n = n + 1 names[n] = "{" .. name .. ", " .. refused(name) .. "}" end
      externs[name] = true
    end
    local lines = { "#include <stdio.h>" }
    for name in pairs(externs) do lines[#lines + 1] = ("int %s(void);"):format(name) end
    lines[#lines + 1] = "static const struct { int (*fn)(void); int refused; } all[] = {"
    lines[#lines + 1] = table.concat(names, ",") .. "};"
    lines[#lines + 1] = [[int main(void) { int bad = 0;
      for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        bad += all[i].refused && all[i].fn() != 801;
      printf("%d wrong of %zu\n", bad, sizeof all / sizeof *all); }]]
    return table.concat(lines, "\n"), n
  end

  it("has a symbol for every function of NVIDIA's headers", function()
    local include = headers()
    if not include then pending "no cuda.h" return end
    local list, folder = helper.read_file "cpu/src/face/refused.def", driver_folder()
    local text, n = linked_program(include, function(name)
      return list:find("(" .. name .. ")", 1, true) and 1 or 0
    end)
    assert.is_true(n > 400)
    helper.write_file(folder .. "/all.c", text)
    local built, log = shell(("cc -w -o %s/all %s/all.c -L%s -lcuda -Wl,-z,now,--no-as-needed")
      :format(folder, folder, folder))
    assert.is_true(built, log)
    local _, out = shell(("LD_LIBRARY_PATH=%s %s/all"):format(folder, folder))
    assert.equal(("0 wrong of %d\n"):format(n), out)
  end)

  it("runs a C program that is linked with libcuda", function()
    local include = headers()
    if not include then pending "no cuda.h" return end
    local folder = driver_folder()
    local built, log = shell(("cc -std=c11 -Wall -Wextra -Werror -isystem '%s' -o %s/program "
      .. "cpu/test/cuda_program.c -L%s -lcuda"):format(include, folder, folder))
    assert.is_true(built, log)
    for _, mode in ipairs { "off", "force" } do
      for _, gpus in ipairs { "", "1", "2", "4,exclusive" } do
        local _, out = shell(("LD_LIBRARY_PATH=%s LUACUDA_CPU_JIT=%s LUACUDA_CPU_GPUS=%s "
          .. "%s/program %s/kernels.ptx"):format(folder, mode, gpus, folder, folder))
        local told = gpus == "" and FAULT or "" -- GPUs tell no more than CUDA does
        assert.equal(("%sok, %s\n"):format(told, gpus:match "%d" or 1), out)
      end
    end
    for _, gpus in ipairs { "0", "5", "two", "2,", "2,shared", "-1" } do
      local _, out = shell(("LD_LIBRARY_PATH=%s LUACUDA_CPU_GPUS=%s %s/program x")
        :format(folder, gpus, folder))
      assert.matches("cuInit%(0%): CUDA_ERROR_INVALID_VALUE", out)
    end
  end)

  -- Does what the letters say: i: cuInit; c: the number of devices; t, T: asks for the table of the
  -- CPU device's own functions, of the version that there is and of another one.
  local ASKS = [[
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main (int n, char **arg) {
  void *library = n == 3 ? dlopen(arg[1], RTLD_NOW) : NULL, *table = NULL;
  int (*init)(unsigned), (*count)(int *), devices = -1;
  int (*find)(const char *, void **, int, unsigned long long, int *);
  const void *(*get)(unsigned);
  if (library == NULL) return 1;
  *(void **)&init = dlsym(library, "cuInit");
  *(void **)&count = dlsym(library, "cuDeviceGetCount");
  *(void **)&find = dlsym(library, "cuGetProcAddress_v2");
  if (find("cuxGetTable", &table, 1, 0, NULL) != 0) return 1;
  memcpy(&get, &table, sizeof get);
  for (const char *p = arg[2]; *p != 0; p++) {
    if (*p == 'i') printf("init %d ", init(0));
    else if (*p == 'c') printf("devices %d ", count(&devices) == 0 ? devices : -1);
    else printf("table %d ", get(*p == 't' ? 1 : 2) != NULL);
  }
  puts("");
  return 0;
}
]]

  it("gives its own functions unless it is GPUs in use", function()
    local folder = driver_folder()
    helper.write_file(folder .. "/asks.c", ASKS)
    local built, log = shell(("cc -w -o %s/asks %s/asks.c -ldl"):format(folder, folder))
    assert.is_true(built, log)
    for _, row in ipairs {
      { "", "citctT", "devices -1 init 0 table 1 devices 1 table 1 table 0" },
      { "2", "icTtct", "init 0 devices 2 table 0 table 0 devices 2 table 0" },
      { "2", "tictc", "table 1 init 0 devices 1 table 1 devices 1" },
      { "2", "Tic", "table 0 init 0 devices 2" },
    } do
      local _, out = shell(("LUACUDA_CPU_GPUS=%s %s/asks '%s' %s"):format(row[1], folder, LIBRARY,
        row[2]))
      assert.equal(row[3] .. " \n", out)
    end
  end)

  it("is GPUs and the CPU device in one process, from two files", function()
    local copy = helper.tmpdir() .. "/gpus.so"
    assert(os.execute(("cp '%s' '%s'"):format(LIBRARY, copy)))
    local _, out = helper.lua([[
      local cuda = require "luacuda"
      for _, d in ipairs(cuda.devices()) do
        cuda.use(d)
        print(d.label, d.arch, (cuda.arange(10):sum()))
      end
    ]], { env = { LUACUDA_LIBCUDA = copy, LUACUDA_CPU_GPUS = "3", LUACUDA_CPU_ARCH = "90",
      LUACUDA_DEVICE = "" } })
    assert.equal("gpu0\tsm_81\t45\ngpu1\tsm_81\t45\ngpu2\tsm_81\t45\ncpu\tsm_90\t45\n", out)
  end)

  it("says which number of GPUs it cannot be", function()
    local _, out = helper.lua([[print(pcall(require "luacuda".zeros, 3))]],
      { env = { LUACUDA_CPU_GPUS = "5", LUACUDA_LIBCUDA = "off", LUACUDA_DEVICE = "" } })
    assert.matches("LUACUDA_CPU_GPUS is '5', expected a number from 1 to 4, or one of them "
      .. "followed by ,exclusive", out, 1, true)
  end)

  local has_bindings = shell "python3 -c 'import numpy, cuda.bindings'"

  it("runs Python's cuda.bindings", function()
    if not has_bindings then pending "Python has no cuda.bindings" return end
    local _, out = shell(("LD_LIBRARY_PATH=%s LUACUDA_CPU_GPUS= python3 "
      .. "cpu/test/bindings_program.py"):format(driver_folder()))
    assert.equal(FAULT .. "ok\n", out)
  end)

  -- Each program compares the answers of a family of functions with what it knows otherwise. These
  -- families are what the tests of cuda.bindings, cuda.core and PyCUDA call; they come with none of
  -- the packages that PyPI has for the first two. Of those tests that need no machine code, no
  -- second GPU and no other library of NVIDIA's, the ones that fail here want: nodes of graphs that
  -- allocate, the contexts of partitions, core dumps, checkpoints, or the very words of NVIDIA's
  -- error messages. PyCUDA's test_driver.py passes, with nvcc asked for PTX.
  for _, name in ipairs { "names", "graphs" } do
    it("answers programs that use cuda.bindings: " .. name, function()
      if not has_bindings then pending "Python has no cuda.bindings" return end
      local folder = driver_folder()
      for _, gpus in ipairs { "", "2" } do
        for _, check in ipairs { "default", "all" } do
          local _, out = shell(("LD_LIBRARY_PATH=%s LUACUDA_CPU_GPUS=%s LUACUDA_CPU_CHECK=%s "
            .. "python3 cpu/test/bindings_%s.py %s"):format(folder, gpus, check, name, folder))
          assert.equal("ok\n", out)
        end
      end
    end)
  end
end)

-- Another process compiles kernels: whatever LLVM does there, the program goes on, its results are
-- right, and later kernels are compiled. Needs a C compiler, for spec/c/broken_llvm.c.
local core = require "luacuda.core"
local cuda = require "luacuda"
local helper = require "spec.helper"
local limits = require "spec.support.limits"

-- Two kernels, one after the other. Their results are those of plain Lua.
local CODE = [[
  local cuda = require "luacuda"
  local function rounds(factor)
    local k = cuda.kernel(("__global__ void rounds(unsigned *x, int n) {\n"
      .. "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = i;\n"
      .. "  for (int k = 0; k < n; k++) v = v * %du + 1013904223u;\n  x[i] = v;\n}"):format(factor))
    local x = cuda.zeros(128, "uint32")
    k({ grid = 2, block = 64 }, x, 1000)
    local got = x:totable()
    for i = 1, 128 do
      local v = i - 1
      for _ = 1, 1000 do v = (v * factor + 1013904223) & 0xffffffff end
      assert(got[i] == v, i)
    end
  end
  rounds(1664525)
  rounds(22695477)
  print "right"
]]

-- Asks for compiled code in the background, and ends.
local BRIEFLY = [[
  local cuda = require "luacuda"
  local k = cuda.kernel(...)
  local x, latest = cuda.zeros(6400, "uint32"), os.time() + 20
  repeat
    k({ grid = 100, block = 64 }, x, 3000)
    cuda.synchronize()
    local reached = io.open(os.getenv "BROKEN_LLVM":match "%S+$")
  until reached or os.time() > latest
  print "right"
]]

local ROUNDS = [[
__global__ void rounds(unsigned *x, int n) {
  unsigned v = threadIdx.x;
  for (int k = 0; k < n; k++) v = v * 1664525u + 1013904223u;
  x[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
]]

local function quiet(command) return os.execute(command .. " >/dev/null 2>&1") == true end

-- How many objects of compiled kernels the folder has.
local function objects(folder)
  local pipe = io.popen("grep -rl '^LUACUDA-JIT' " .. folder .. " 2>/dev/null | wc -l")
  local n = tonumber(pipe:read "a")
  pipe:close()
  return n
end

local FUNCTIONS = {
  "LLVMContextCreate", "LLVMParseIRInContext", "LLVMVerifyModule", "LLVMRunPasses",
  "LLVMTargetMachineEmitToMemoryBuffer",
}
local WAYS = { "fatal", "abort", "crash", "overflow", "kill", "exit" }

-- If a process ends without an answer, a second one is started.
local AGAIN = { kill = true, exit = true }

describe("A failure of LLVM", function()
  local folder, library

  setup(function()
    cuda.devices()
    local version, file = core.llvm()
    if not version or file == "" then return end
    folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("mkdir " .. folder))
    library = folder .. "/libLLVM.so.21.1"
    if not quiet(("cc -shared -fPIC -o %s spec/c/broken_llvm.c -Wl,--no-as-needed %s"):format(
      library, file))
    then
      library = nil
    end
  end)

  teardown(function() if folder then os.execute("rm -rf " .. folder) end end)

  -- Runs code with the broken library: ok, output, status, number of objects.
  local function run(code, settings, args)
    if not folder then pending "no libLLVM 15 or later" end
    if not library then pending "no C compiler" end
    local cache = helper.tmpdir()
    local env = { LUACUDA_CPU_JIT = "force", LUACUDA_CACHE_DIR = cache, LUACUDA_DEVICE = "cpu",
      LUACUDA_DISABLE_CACHE = "", LUACUDA_LLVM = library }
    for name, value in pairs(settings) do env[name] = value end
    local ok, out, status = helper.lua(code, { env = env, args = args })
    return ok, out, status, objects(cache)
  end

  for n, name in ipairs(FUNCTIONS) do
    it("in " .. name .. " ends only that compilation", function()
      for i = n % 3 + 1, #WAYS, 3 do
        local how = WAYS[i]
        local mark = folder .. "/" .. name .. i
        local ok, out, status, compiled =
          run(CODE, { BROKEN_LLVM = ("%s %s 2 %s"):format(name, how, mark) })
        assert.is_true(ok and out == "right\n", ("%s: status %d: %s"):format(how, status, out))
        assert.equal(AGAIN[how] and 2 or 1, compiled, how)
        assert.is_true(os.remove(mark), how)
      end
    end)
  end

  it("in every kernel leaves all kernels to the interpreter", function()
    for _, how in ipairs(WAYS) do
      local ok, out, status, compiled = run(CODE, { BROKEN_LLVM = "LLVMRunPasses " .. how .. " 2" })
      assert.is_true(ok and out == "right\n", ("%s: status %d: %s"):format(how, status, out))
      assert.equal(0, compiled, how)
    end
  end)

  it("that does not happen has no effect", function()
    local ok, out, _, compiled = run(CODE, { BROKEN_LLVM = "" })
    assert.is_true(ok, out)
    assert.equal(2, compiled)
  end)

  it("while a library is opened makes that library unusable", function()
    for _, how in ipairs(WAYS) do
      local ok, out, status, compiled = run(CODE, { LUACUDA_LLVM = "", LD_LIBRARY_PATH = folder,
        BROKEN_LLVM = "LLVMVerifyModule " .. how .. " 1" })
      assert.is_true(ok and out == "right\n", ("%s: status %d: %s"):format(how, status, out))
      assert.equal(0, compiled, how)
    end
  end)

  it("that lasts does not keep a program from ending", function()
    local mark = folder .. "/hang"
    local began = os.time()
    local ok, out, status = run(BRIEFLY, { BROKEN_LLVM = "LLVMRunPasses hang 2 " .. mark,
      LUACUDA_CPU_JIT = "on" }, { ROUNDS })
    assert.is_true(ok and out == "right\n", ("status %d: %s"):format(status, out))
    assert.is_true(os.remove(mark))
    assert.is_true(os.time() - began < limits.seconds(20))
  end)
end)

-- A library that the environment names is used, or else its first use raises an error: no other
-- library takes its place. `require` does not look for it.
local helper = require "spec.helper"

local GPU = helper.fake_gpu and "gpu0" or nil

-- variable: the first use of its library, and the device that this needs
local USES = {
  LUACUDA_LIBCUDA = "cuda.devices()",
  LUACUDA_LIBCPU = "cuda.devices()",
  LUACUDA_NVRTC = "cuda.compile 'extern \"C\" __global__ void k() {}'",
  LUACUDA_NVJITLINK = "require('luacuda.core').lto({}, { '-arch=sm_80' }, false)",
  LUACUDA_LIBBLAS = "local a = cuda.ones { 64, 64 } print((a:matmul(a)):sum())",
  LUACUDA_LLVM = "print((cuda.arange(1000) * 2 + 1):sum())",
  LUACUDA_LIBZ = "cuda.ones({ 8, 8 }, 'uint8'):save_png(os.tmpname())",
  LUACUDA_LIBMPI = "cuda.nccl.init { timeout_ms = 3000 }",
  LUACUDA_LIBCUBLAS = GPU and "local a = cuda.ones { 64, 64 } print((a:matmul(a)):sum())",
  LUACUDA_LIBNCCL = GPU and "cuda.nccl.init { timeout_ms = 3000 }",
}

-- The same use when a search finds the library, or when it is not needed.
local CODE = [[
  local cuda = require "luacuda"
  print "required"
  local function use()
    %s
  end
  local ok, e = pcall(use)
  print(ok and "went well" or ("%%s %%s %%s"):format(e.kind, e.name, e))
  print(cuda.diagnose())
]]

local function run(variable, value, more)
  local env = { [variable] = value, LUACUDA_DEVICE = variable:find "CU?BLAS" and "" or "cpu",
    LUACUDA_DISABLE_CACHE = "1" }
  for name, v in pairs(more or {}) do env[name] = v end
  if variable == "LUACUDA_LIBCUBLAS" or variable == "LUACUDA_LIBNCCL" then
    env.LUACUDA_DEVICE = GPU
  end
  if variable == "LUACUDA_LIBMPI" then env.RANK, env.WORLD_SIZE = "0", "2" end
  local ok, out = helper.lua(CODE:format(USES[variable]), { env = env })
  assert.is_true(ok, out)
  return out
end

describe("A library that cannot be used", function()
  for variable in pairs(USES) do
    for _, value in ipairs { "/nowhere/library.so", "libm.so.6" } do
      it("raises: " .. variable .. "=" .. value, function()
        local out = run(variable, value)
        assert.matches("^required\n%l+ LUACUDA_ERROR_%u+[^\n]*" .. value:gsub("%p", "%%%0"), out)
        assert.matches("places tried:", out, 1, true)
      end)
    end
  end

  it("raises whether kernels are compiled at once or later, but not if none are", function()
    for mode, expected in pairs { force = "LUACUDA_LLVM names /no", on = "LUACUDA_LLVM names /no",
      off = "went well" }
    do
      assert.matches(expected, run("LUACUDA_LLVM", "/nowhere", { LUACUDA_CPU_JIT = mode }), 1, true)
    end
  end)

  it("is not looked for if the value is off", function()
    for _, variable in ipairs { "LUACUDA_LIBCUDA", "LUACUDA_LIBBLAS", "LUACUDA_LIBZ" } do
      local out = run(variable, "off")
      assert.matches("went well", out, 1, true)
      local reason = variable == "LUACUDA_LIBZ" and " forbids zlib" or " is off"
      assert.matches(variable .. reason, out, 1, true)
    end
  end)
end)

-- Processes without the CPU device's library.
local helper = require "spec.helper"

local function run(code, env)
  env.LUACUDA_DEVICE, env.LUACUDA_DEVICES = "", ""
  local ok, out = helper.lua(code, { env = env })
  assert.is_true(ok, out)
  return out
end

local HAS_GPU = helper.fake_gpu
for _, name in ipairs(helper.device_names()) do HAS_GPU = HAS_GPU or name:find "gpu" ~= nil end

describe("without the CPU device's library", function()
  it("a use of the CPU device says what is missing", function()
    local out = run([[
      local cuda = require "luacuda"
      print(#cuda.devices(), select(2, pcall(cuda.device, "cpu")))
      print(select(2, pcall(cuda.zeros, 3)))
      print(cuda.diagnose())
    ]], { LUACUDA_LIBCPU = "off", LUACUDA_LIBCUDA = "off" })
    local missing = "there is no CPU device: LUACUDA_LIBCPU forbids it"
    local lines = {}
    for line in out:gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.matches("^0\t.*" .. missing .. "$", lines[1])
    assert.matches(missing .. "; there is no GPU either: .*LUACUDA_LIBCUDA forbids it$", lines[2])
    assert.matches("libluacuda_cpu.so: not searched, LUACUDA_LIBCPU is off", out, 1, true)
  end)

  it("a library that is damaged is not passed over", function()
    local folder = helper.tmpdir()
    assert(os.execute("mkdir " .. folder .. "/luacuda"))
    local core = package.searchpath("luacuda.core", package.cpath)
    assert(os.execute(("cp '%s' %s/luacuda"):format(core, folder)))
    helper.write_file(folder .. "/luacuda/libluacuda_cpu.so", "no library")
    local out = run([[
      package.cpath = "]] .. folder .. [[/?.so"
      local cuda = require "luacuda"
      print(select(2, pcall(cuda.devices)))
    ]], {})
    assert.matches(folder .. "/luacuda/libluacuda_cpu.so is damaged", out, 1, true)
  end)

  it("nothing else is used in place of one that is named", function()
    local out = run([[
      local cuda = require "luacuda"
      print(select(2, pcall(cuda.devices)))
    ]], { LUACUDA_LIBCPU = "libm.so.6" })
    assert.matches("libm.so.6 is not the CPU device of this version of LuaCUDA", out, 1, true)
  end)

  if not HAS_GPU then return end
  it("GPUs work", function()
    local out = run([[
      local cuda = require "luacuda"
      local a = cuda.arange(1000) * 2
      local k = cuda.kernel "extern \"C\" __global__ void f(float *x) { x[threadIdx.x] = 3; }"
      local x = cuda.zeros(4)
      k({ grid = 1, block = 4 }, x)
      print(#cuda.devices(), a.device.kind, (a:sum()), (x:sum()), cuda.array { 3, 1, 2 }:sort()[3])
      print(select(2, pcall(x.to, x, "cpu")))
      print(select(2, pcall(cuda.pinned, 3)))
    ]], { LUACUDA_LIBCPU = "off" })
    assert.matches("^%d\tgpu\t999000%.?0?\t12%.?0?\t3%.0\n"
      .. "[^\n]*there is no CPU device: [^\n]*\n[^\n]*there is no CPU device: ", out)
  end)
end)

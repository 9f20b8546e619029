-- PTX that no device loads, and the errors that say so when the module is loaded.
-- cpu/test/ptx_modules.def has many more, compared with NVIDIA's ptxas.
local helper = require "spec.helper"
local cuda = require "luacuda"

local function module(body, version)
  return (".version %s\n.target sm_75\n.address_size 64\n%s"):format(version or "7.0", body)
end

local GOOD = ".visible .entry good () { ret; }\n"

-- Text, name of the error, what its log or message says (on the CPU device).
local REFUSED = {
  { "an unknown version", module(GOOD, "99.0"), "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
    "unknown .version 99.0: the newest known is 9.5" },
  { "a target that the version does not have", module(GOOD, "6.0"), "CUDA_ERROR_INVALID_PTX",
    "line 2; error   : .target sm_75 needs .version 6.3 or later" },
  { "too much static shared memory",
    module(".visible .entry k () { .shared .b8 s[49153]; .reg .b16 %h; "
      .. "ld.shared.u8 %h, [s]; st.shared.u8 [s+49152], %h; ret; }"), "CUDA_ERROR_INVALID_PTX",
    "kernel 'k' has 49153 bytes of static shared memory, at most 49152 are allowed",
    accepted_by_gpus = true }, -- by the driver 580 for an H200, not by ptxas
  { "too much constant memory", module(".const .b8 c[65537];\n" .. GOOD),
    "CUDA_ERROR_INVALID_PTX", "65537 bytes of .const variables, at most 65536 are allowed" },
  { "too many bytes of parameters",
    module ".visible .entry k (.param .align 1 .b8 p[4353]) { ret; }", "CUDA_ERROR_INVALID_PTX",
    "kernel 'k' has 4353 bytes of parameters, at most 4352 are allowed" },
  { "an instruction that does not exist, in a function that nothing calls",
    module(".func f () { .reg .b32 a; frob.s32 a, a; ret; }\n" .. GOOD),
    "CUDA_ERROR_INVALID_PTX", "function 'f': PTX `frob.s32` is not supported, line 4 of the PTX" },
  { "operands that do not fit, in another kernel",
    module(GOOD .. ".visible .entry k () { .reg .b32 a; .reg .b64 b; add.s64 b, a, b; ret; }"),
    "CUDA_ERROR_INVALID_PTX", "kernel 'k': PTX `add.s64` is not supported: register and operation "
    .. "differ in width, line 5 of the PTX" },
  { "a function that is not defined",
    module(".extern .func f;\n.visible .entry k () { call f; ret; }"), "CUDA_ERROR_INVALID_PTX",
    "'k' uses the function 'f', which is declared but not defined" },
}

helper.for_each_device(function(_, label)
  local on_cpu = label == "cpu" or helper.fake_gpu

  describe("a module is refused when it is loaded:", function()
    for _, case in ipairs(REFUSED) do
      it(case[1], function()
        if case.accepted_by_gpus and not on_cpu then return end
        local m = cuda.module { binary = case[2] }
        local e = cuda.last_error(helper.error_of(function() return m.jit end))
        assert.equals("compile", e.kind)
        if on_cpu then
          assert.equals(case[3], e.name)
          assert.equals("cuModuleLoadDataEx", e.call)
          -- A driver in a library of its own says why in the log, for this error alone.
          if label == "cpu" or e.name == "CUDA_ERROR_INVALID_PTX" then
            helper.contains((e.log or "") .. "\n" .. e.message, case[4])
          end
        end
      end)
    end

    it("static shared memory of CUDA C++", function()
      local m = cuda.module [=[
        __global__ void big(int *p) {
          __shared__ int s[12289];
          for (int k = 0; k < 12289; k++) s[k] = p[k];
          __syncthreads();
          p[threadIdx.x] = s[p[threadIdx.x]];
        }]=]
      local e = cuda.last_error(helper.error_of(function() m:compile() end))
      assert.equals("compile", e.kind)
      if on_cpu then helper.contains(tostring(e), "kernel 'big' has 49156 bytes of static") end
    end)
  end)

  it("a module is loaded with as much as is allowed", function()
    local m = cuda.module(module(".const .b8 c[65536];\n" .. [[
      .visible .entry k () { .shared .b8 s[49152]; ret; }
      .visible .entry q (.param .align 1 .b8 p[4352]) { ret; }]]))
    assert.equals(49152, m:kernel "k".shared_size_bytes)
    assert.same({ "k", "q" }, m:kernels())
  end)

  if label == "cpu" then -- the fake GPU prepares all kernels when it loads a module
    it("an instruction that only the CPU device lacks concerns its kernel alone", function()
      local m = cuda.module(module(GOOD .. [[
        .visible .entry k () { .reg .b32 a; .reg .b64 p;
          multimem.red.relaxed.gpu.global.add.u32 [p], a; ret; }]]))
      m:kernel "good" ({ grid = 1, block = 1 })
      helper.assert_raises(function() m:kernel "k" ({ grid = 1, block = 1 }) end,
        "`multimem.red.relaxed.gpu.global.add.u32` is not supported: the CPU device is one device")
    end)
  end
end)

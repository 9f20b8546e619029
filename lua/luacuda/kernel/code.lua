-- code.lua: modules that are given as code: the names of their kernels, and whether a device runs
-- them.

local core = require "luacuda.core"
local entries = require "luacuda.compile.entries"
local arch_of = require "luacuda.compile.arch"
local naming = require "luacuda.source.naming"

-- code.name(list) gives the kernels in a list of entries the names that users write.
local function name_kernels(list)
  for _, entry in ipairs(list) do
    entry.name = entry.name or naming.normalize(core.kernel_name(entry.lowered))
  end
end

-- The kernels of machine code can be listed only after loading. Those of linked sources are known.
local function list_kernels(module, device, artifact)
  local known = {}
  for _, entry in ipairs(artifact.kernels) do known[entry.lowered] = true end
  for _, lowered in ipairs(core.module_names(module, device) or {}) do
    if not known[lowered] and not entries.is_carrier(lowered) then
      artifact.kernels[#artifact.kernels + 1] = { lowered = lowered }
    end
  end
  name_kernels(artifact.kernels)
end

-- The CPU device loads PTX where machine code was requested, and refuses it where a GPU of the same
-- capability would not run that machine code.
local function check_runs(kind, arch, device)
  if kind == "cubin" then
    error(core.error{ kind = "compile", name = "LUACUDA_ERROR_UNSUPPORTED", device = "cpu",
      message = "machine code of a GPU cannot run on the CPU device: give PTX or source" }, 0)
  end
  if not arch_of.runs_machine_code(device.cc, arch) then
    error(core.error{ kind = "compile", name = "CUDA_ERROR_NO_BINARY_FOR_GPU", code = 209,
      call = "cuModuleLoadDataEx", device = "cpu",
      message = ("machine code for %s does not run on a device of compute capability %d.%d; "
        .. "'compute_%s' requests PTX, which also runs on later devices"):format(arch,
        device.cc // 10, device.cc % 10, arch:match "%d+") }, 0)
  end
end

return { name = name_kernels, list = list_kernels, check_runs = check_runs }

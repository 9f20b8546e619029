-- arch.lua: which architectures a compiler supports, and which machine code a device runs.

local core = require "luacuda.core"

-- arch.unsupported(text, ...) raises an error with the formatted text.
local function unsupported(text, ...)
  local message = text:format(...)
  error(core.error{ kind = "compile", name = "LUACUDA_ERROR_UNSUPPORTED", message = message }, 0)
end

local function compiler_name(spec) return spec and spec.backend == "nvcc" and "nvcc" or "NVRTC" end

-- arch.check(spec, archs) raises for an architecture that is not among `archs`, those that the
-- compiler supports: its own message would be about a flag that the user did not write.
local function check(spec, archs)
  if #archs == 0 then return end
  for _, known in ipairs(archs) do
    if known == tonumber(spec.arch:match "%d+") then return end
  end
  unsupported("arch '%s': this %s does not support it (it supports %s)", spec.arch,
    compiler_name(spec), table.concat(archs, " "))
end

-- arch.too_old(cc, spec, archs) raises for a device older than all that the compiler supports.
local function too_old(cc, spec, archs)
  unsupported("this %s does not support compute capability %d.%d (it supports %s)",
    compiler_name(spec), cc // 10, cc % 10, table.concat(archs, " "))
end

-- Does machine code for `arch` ("sm_86"; anything else is not machine code) run on a device of
-- compute capability `cc`? It runs on the same major version with the same or a later minor one;
-- code for "sm_90a" runs on 9.0 alone.
local function runs_machine_code(cc, arch)
  local number, only = (arch or ""):match "^sm_(%d+)(a?)"
  number = tonumber(number)
  if not number then return true end
  return number == cc or (only == "" and number // 10 == cc // 10 and number < cc)
end

return { check = check, too_old = too_old, runs_machine_code = runs_machine_code }

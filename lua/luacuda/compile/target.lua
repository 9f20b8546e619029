-- target.lua: what to compile for (machine code or PTX, and which architecture) and the flags that
-- follow. A target is { kind = "ptx" or "cubin", arch = "80", tools = the toolchain that was asked,
-- if one was }.

local later = require "luacuda.base.later"
local arch = later "luacuda.compile.arch"
local toolchain = require "luacuda.compile.toolchain"

-- "90a" for the option arch = "sm_90a" or "compute_90a"; nil where the device decides.
local function arch_number(spec)
  return spec and spec.arch and spec.arch:match "^%l+_(%d+%l?)$"
end

-- Raises for an architecture that the compiler does not support.
local function check_arch(spec)
  if arch_number(spec) then arch.check(spec, toolchain.known(spec).archs) end
end

-- The target for a device where no architecture is given: machine code for the device itself where
-- the compiler supports it, else PTX for the newest architecture below it.
local function target_for(cc, machine_code, spec)
  local best
  local tools = toolchain.known(spec)
  local archs = tools.archs
  for _, known in ipairs(archs) do
    if known == cc and machine_code then
      return { kind = "cubin", arch = tostring(cc), tools = tools }
    end
    if known <= cc then best = known end
  end
  if not best then arch.too_old(cc, spec, archs) end
  return { kind = "ptx", arch = tostring(best), tools = tools }
end

-- target.of(device, spec) -> the target of a description on a device. Relocatable code becomes PTX,
-- which the driver links when it translates it, and so does code with options for the driver's
-- compiler.
local function of(device, spec)
  check_arch(spec)
  local machine_code = device.kind ~= "cpu" and not (spec and (spec.rdc or spec.jit))
  local number = arch_number(spec)
  if not number then return target_for(device.cc, machine_code, spec) end
  local kind = machine_code and spec.arch:find "^sm_" and "cubin" or "ptx"
  return { kind = kind, arch = number }
end

-- The folder of a file.
local function folder_of(path) return path:match "^(.*)/[^/]*$" or "." end

-- "compute_" for PTX, "sm_" for machine code. For "compute_" nvcc would make PTX of LTO-IR.
local function prefix_of(spec, kind)
  local real = kind == "cubin" or kind == "fatbin" or kind == "ltoir" and spec.backend == "nvcc"
  return real and "sm_" or "compute_"
end

-- Do the user's own flags list the architectures of a fat binary?
local function names_archs(spec)
  for _, flag in ipairs(spec.flags) do
    if flag:find "^%-%-?gencode" or flag:find "^%-%-?generate%-code" then return true end
  end
  return false
end

-- Does the source need NVRTC's flag for __int128? nvcc knows the type where the host compiler does.
local function needs_int128(spec)
  if spec.backend == "nvcc" then return false end
  for _, flag in ipairs(spec.flags) do
    if flag:find "^%-%-?device%-int128" then return false end
  end
  if (spec.text or ""):find("__int128", 1, true) then return true end
  for _, text in pairs(spec.headers or {}) do
    if text:find("__int128", 1, true) then return true end
  end
  return false
end

-- What NVRTC's flag -minimal leaves out begins so: textures and surfaces, the functions and types
-- of CUDA's runtime and driver, and launches ("NVRTC", chapter "Supported Compile Options").
local LEFT_OUT = { "#%s*include", "%f[%a_]tex", "%f[%a_]surf", "%f[%a_]cuda", "%f[%a_]cu[A-Z]",
  "%f[%a_]CU", "%f[%a_]__nv", "<<<" }

-- Can NVRTC leave most of its own declarations out, which takes a third of the time of a small
-- kernel?
local function is_minimal(spec, tools)
  if spec.backend == "nvcc" or tools.major * 100 + tools.minor < 1204 then return false end
  if spec.path or next(spec.headers) or #spec.flags > 0 or #spec.defines > 0 then return false end
  local text = spec.text .. "\n" .. table.concat(spec.instances, "\n")
  for _, pattern in ipairs(LEFT_OUT) do
    if text:find(pattern) then return false end
  end
  return true
end

-- target.flags(spec, target, toolchain) -> the flags of NVRTC or nvcc
local function flags(spec, goal, tools)
  local list = {}
  local function add(...) table.move({ ... }, 1, select("#", ...), #list + 1, list) end
  if not names_archs(spec) then
    add("--gpu-architecture=" .. prefix_of(spec, goal.kind) .. goal.arch)
  end
  if spec.std then add("-std=" .. spec.std) end
  if spec.debug then add "--device-debug" elseif spec.lineinfo then add "--generate-line-info" end
  if spec.fast_math then add "--use_fast_math" end
  if spec.rdc then add "--relocatable-device-code=true" end
  if goal.kind == "ltoir" then add "-dlto" end
  add(table.unpack(spec.defines))
  if spec.path then add("-I" .. folder_of(spec.path)) end
  for _, dir in ipairs(spec.include_dirs) do add("-I" .. dir) end
  if tools.include_dir ~= "" then add("-I" .. tools.include_dir) end
  if tools.cccl_dir ~= "" then add("-I" .. tools.cccl_dir) end
  -- as in NVRTC, functions of C++'s headers may then be called in kernels
  if spec.backend == "nvcc" then add "--expt-relaxed-constexpr" end
  if needs_int128(spec) then add "--device-int128" end
  if is_minimal(spec, tools) then add "-minimal" end
  add(table.unpack(spec.flags))
  return list
end

return {
  of = of, flags = flags, arch_number = arch_number, check_arch = check_arch, folder_of = folder_of,
}

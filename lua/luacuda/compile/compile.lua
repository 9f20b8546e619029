-- compile.lua: cuda.compile: compiles source without loading it; cuda.preprocess and
-- cuda.nvcc_version.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local compiler = require "luacuda.compile.compiler"
local target = require "luacuda.compile.target"
local toolchain = require "luacuda.compile.toolchain"
local logs = require "luacuda.source.logs"
local options = require "luacuda.source.options"
local origins = require "luacuda.source.origins"
local plain = require "luacuda.source.plain"

local TARGETS = { ptx = true, cubin = true, ltoir = true, fatbin = true }

local function check_target(spec, kind)
  if not TARGETS[kind] then
    core.misuse(("compile: option 'target': expected 'ptx', 'cubin', 'ltoir' or 'fatbin', got "
      .. "'%s'"):format(kind))
  end
  if kind == "fatbin" and spec.backend ~= "nvcc" then
    core.misuse("compile: option 'target': NVRTC makes no fat binaries: add backend = 'nvcc'")
  end
end

-- The flags for a kind of code.
local function flags_for(spec, kind)
  local tools = toolchain.open(spec)
  target.check_arch(spec)
  local arch = target.arch_number(spec) or target.of(core.device(), spec).arch
  return target.flags(spec, { kind = kind, arch = arch }, tools)
end

-- cuda.compile(source, { target = "ptx"|"cubin"|"ltoir"|"fatbin", ... }) -> bytes, log. Compiles
-- for `arch`, else for the current device. Raises compile errors.
local function compile(...)
  local spec = options.read("compile", ...)
  local kind = spec.target or "ptx"
  check_target(spec, kind)
  if spec.binary then core.misuse("compile: expected source, got a compiled module") end
  local flags = flags_for(spec, kind)
  origins.speak_of(spec.origin, spec.callers)
  local result = compiler.run(spec, flags, spec.instances, compiler.text_of(spec), kind)
  if not result.ok then compiler.fail(spec, flags, result.log) end
  return result[kind], logs.readable(result.log)
end

-- cuda.preprocess(source, options) -> text, log: the source after the preprocessor, as nvcc's
-- compilation for the device sees it
local function preprocess(...)
  local spec = options.read("preprocess", ...)
  if spec.binary then core.misuse("preprocess: expected source, got a compiled module") end
  local flags = flags_for(spec, "ptx")
  origins.speak_of(spec.origin, spec.callers)
  local result = require("luacuda.compile.nvcc").preprocess(spec, compiler.text_of(spec), flags)
  if not result.ok then compiler.fail(spec, flags, result.log) end
  return result.text, logs.readable(result.log)
end

-- cuda.nvcc_version([path]) -> major, minor, text of `nvcc --version`; nil and the reason where
-- there is no nvcc
local function nvcc_version(path, ...)
  if select("#", ...) > 0 then core.misuse "nvcc_version: too many arguments" end
  if path ~= nil and type(path) ~= "string" then
    core.misuse(("nvcc_version: expected a path (string), got %s"):format(type(path)))
  end
  if path then arguments.whole_text("nvcc_version", "the path", path) end
  local ok, tools = pcall(require("luacuda.compile.nvcc_tool").open, { nvcc = path,
    asking = "nvcc_version" })
  if ok then return tools.major, tools.minor, tools.text end
  local e = core.last_error(tools)
  if not e or e.kind ~= "compile" then error(tools, 0) end
  return nil, e.message
end

-- cuda.architectures([{ backend =, nvcc = }]) -> a list of the compute capabilities that the
-- compiler has targets for: { 75, 80, ... }
local function architectures(opts, ...)
  if select("#", ...) > 0 then core.misuse "architectures: too many arguments" end
  local archs = toolchain.known(options.compiler("architectures", opts)).archs
  local list = table.move(archs, 1, #archs, 1, {})
  table.sort(list)
  return list
end

-- cuda.default_flags([flags]) -> the flags for every compilation so far; sets new ones
local function default_flags(flags, ...)
  if select("#", ...) > 0 then core.misuse "default_flags: too many arguments" end
  return plain.set_flags("default_flags", flags)
end

return { compile = compile, preprocess = preprocess, nvcc_version = nvcc_version,
  architectures = architectures, default_flags = default_flags }

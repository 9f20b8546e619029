-- rare_methods.lua: methods of Kernel that most processes do not call.

local core = require "luacuda.core"
local build = require "luacuda.compile.build"
local target = require "luacuda.compile.target"
local kernels = require "luacuda.kernel.kernel"
local log = require "luacuda.kernel.log"
local lookup = require "luacuda.kernel.lookup"
local instance = require "luacuda.source.instance"
local options = require "luacuda.source.options"

local methods = {}

-- kernel:source() -> the CUDA C++ text that it was compiled from
function methods.source(k, ...)
  options.no_more("kernel:source", ...)
  local spec = kernels.spec_of(k)
  if not spec.text then
    core.misuse("kernel:source: the kernel was made from a binary")
  end
  return spec.text
end

-- kernel:ptx() -> the PTX of its module for the current device
function methods.ptx(k, ...)
  options.no_more("kernel:ptx", ...)
  local spec, name = kernels.spec_of(k), kernels.name_of(k)
  if spec.binary_kind == "ptx" then return spec.binary end
  local entry, artifact = lookup.entry_of(core.kernel_state(k).module, name)
  if artifact.kind == "ptx" then return artifact.code end
  if spec.link then spec = spec.link.units[entry.unit] end
  if not spec or spec.binary then
    core.misuse("kernel:ptx: the kernel was made from machine code")
  end
  local one = instance.with(spec, entry.name)
  local arch = target.arch_number(spec) or tostring(artifact.arch)
  return build.artifact(one, { kind = "ptx", arch = arch }).code
end

-- kernel:compile([{ log = }]) compiles and loads for the current device immediately; returns the
-- kernel.
function methods.compile(k, opts, ...)
  local module = core.kernel_state(k).module -- raises for anything but an open kernel
  options.no_more("kernel:compile", ...)
  local write = log.writer("kernel:compile", opts)
  local _ = k.max_threads_per_block
  write(core.module_state(module))
  return k
end

return methods

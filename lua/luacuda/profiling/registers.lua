-- registers.lua: how many registers a kernel takes on an architecture: the compiler makes machine
-- code for it, which says so.

local core = require "luacuda.core"
local build = require "luacuda.compile.build"
local lookup = require "luacuda.kernel.lookup"
local instance = require "luacuda.source.instance"
local cubin = require "luacuda.profiling.cubin"

local function count(kernel, arch)
  local state = core.kernel_state(kernel)
  local spec = core.module_state(state.module).base
  if not spec.text or spec.link then return nil end
  local entry = lookup.entry_of(state.module, state.name)
  local goal = { kind = "cubin", arch = arch:match "%d+" }
  local made = build.artifact(instance.with(spec, entry.name), goal)
  return cubin.registers(made.code)[entry.lowered]
end

-- registers.count(kernel, "sm_90") -> a number; nil where the compiler cannot tell: an architecture
-- that it does not know, a kernel without source
local function try(kernel, arch)
  local ok, n = pcall(count, kernel, arch)
  return ok and n or nil
end

return { count = try }

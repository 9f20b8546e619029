-- lookup.lua: finds the kernels of a module by name, including those that it was not compiled with.

local core = require "luacuda.core"
local loading = require "luacuda.kernel.loading"
local refusals = require "luacuda.kernel.refusals"
local instance = require "luacuda.source.instance"

local unknown_kernel = refusals.unknown_kernel

-- A module with device variables takes no further kernels. Compiling shows whether the name exists
-- at all.
local function check_may_add(spec, artifact, name, device)
  if not artifact.has_variables then return end
  local ok, problem = pcall(loading.artifact, loading.state(spec), device)
  if not ok and loading.is_not_found(problem) then unknown_kernel(artifact, name) end
  if not ok then error(problem, 0) end
  core.misuse(("kernel '%s' was not among the instances that the module was compiled with, and the "
    .. "module has device variables, which a second copy of it would not share: list it in the "
    .. "option instances"):format(name))
end

-- The extra module for a kernel that the module was not compiled with, from the same source.
local function extra_module(state, artifact, name, device)
  local extra = state.extra[name]
  if extra then return extra end
  if state.base.binary then unknown_kernel(artifact, name) end
  local spec = instance.with(state.base, name)
  check_may_add(spec, artifact, name, device)
  extra = loading.new(spec)
  state.extra[name] = extra
  return extra
end

local function load_extra(state, artifact, name, device)
  local extra = extra_module(state, artifact, name, device)
  local extra_state = core.module_state(extra)
  local ok, made = pcall(loading.load, extra, extra_state, device)
  if not ok then
    state.extra[name] = nil
    if loading.is_not_found(made) then unknown_kernel(artifact, name) end
    error(made, 0)
  end
  local entry = loading.find(made, name) or unknown_kernel(artifact, name)
  return extra, entry, made.code
end

-- lookup.resolve(module, name, device) -> the loaded module, the entry of the kernel and the code
-- that contains it; without a name those of the only kernel
local function resolve(module, name, device)
  local state = core.module_state(module)
  local artifact = loading.load(module, state, device)
  local entry = loading.find(artifact, name)
  if entry then return module, entry, artifact.code end
  if name == nil then refusals.not_one(artifact) end
  return load_extra(state, artifact, name, device)
end

-- lookup.entry_of(module, name) -> the entry and its artifact for the current device, without
-- loading anything
local function entry_of(module, name)
  local state = core.module_state(module)
  local artifact = loading.artifact(state, core.device())
  local entry = loading.find(artifact, name)
  if entry then return entry, artifact end
  if name == nil then refusals.not_one(artifact) end
  local extra = extra_module(state, artifact, name, core.device())
  local made = loading.artifact(core.module_state(extra), core.device())
  return loading.find(made, name) or unknown_kernel(artifact, name), made
end

-- lookup.expect(module, name) raises for a kernel that a module which is built, or was given as
-- code, cannot have.
local function expect(module, name)
  local state = core.module_state(module)
  if loading.has_code(state.spec) then
    local artifact = state.spec.binary_kind == "ptx" and loading.artifact(state, core.device())
      or loading.load(module, state, core.device())
    if not loading.find(artifact, name) then unknown_kernel(artifact, name) end
  else
    local artifact = loading.artifact(state, core.device())
    if not loading.find(artifact, name) then load_extra(state, artifact, name, core.device()) end
  end
end

return { resolve = resolve, entry_of = entry_of, expect = expect }

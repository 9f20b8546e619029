-- loading.lua: modules on devices. A module is compiled and loaded for a device at its first use
-- there; its kernels are found by name.

local core = require "luacuda.core"
local later = require "luacuda.base.later"
local build = require "luacuda.compile.build"
local entries = later "luacuda.compile.entries"
local link = later "luacuda.compile.link"
local target = require "luacuda.compile.target"
local ptx_error = require "luacuda.kernel.ptx_error"
local watch = require "luacuda.kernel.watch"
local logs = later "luacuda.source.logs"
local naming = require "luacuda.source.naming"
local origins = require "luacuda.source.origins"

local BY_DEVICE = { __mode = "k" }      -- contexts are devices that can be collected

-- The state of a Module:
--   base       the description it was made from
--   spec       the same with the instances requested so far
--   pending    names added to spec before anything was built
--   artifacts  by kind and architecture
--   loaded     artifact by device
--   reports    what the driver's PTX compiler or linker reported, by device
--   kernels    Kernel by name
--   extra      Module by name: instances added after the first build
--   hold       keeps what messages need to name places in the source
local function new_state(spec)
  return { base = spec, spec = spec, pending = {}, artifacts = {}, kernels = {}, extra = {},
    loaded = setmetatable({}, BY_DEVICE), reports = setmetatable({}, BY_DEVICE) }
end

local function new_module(spec)
  local state = new_state(spec)
  watch.add(state)
  state.hold = origins.hold(spec)
  return core.module_new(state)
end

-- Building and loading ----------------------------------------------------------------------------

-- Is a raised value an error of that name? It may be the text of one: cuda.debug{ errors = "string"
-- }.
local function has_name(e, name)
  local object = core.last_error(e)
  return object ~= nil and object.name == name
end

local function is_not_found(e) return has_name(e, "LUACUDA_ERROR_NOT_FOUND") end
local function is_unknown_name(e)
  return is_not_found(e) or has_name(e, "LUACUDA_ERROR_INSTANCE")
end

local function warn_log(text)
  text = logs.readable(text)
  if text ~= "" and warn then warn("luacuda: " .. text) end      -- a script may have removed it
end

-- An unknown name among those noted in advance must not break the others: then each name is built
-- separately when it is used.
local function build_for(state, goal)
  local make = state.spec.link and link.artifact or build.artifact
  if next(state.pending) == nil then return make(state.spec, goal) end
  local ok, artifact = pcall(make, state.spec, goal)
  if ok then return artifact end
  if not is_unknown_name(artifact) then error(artifact, 0) end
  state.pending, state.spec = {}, state.base
  return make(state.base, goal)
end

local function name_binary_kernels(list)
  for _, entry in ipairs(list) do
    entry.name = entry.name or naming.normalize(core.kernel_name(entry.lowered))
  end
end

-- What to build for a device.
local function goal_for(spec, device)
  if spec.link then return { kind = device.kind, arch = tostring(device.cc), device = device } end
  if spec.binary then return { kind = spec.binary_kind, arch = "" } end
  return target.of(device, spec)
end

local function artifact_for(state, device)
  local goal = goal_for(state.spec, device)
  local key = goal.kind .. goal.arch
  local artifact = state.artifacts[key]
  if not artifact then
    artifact = build_for(state, goal)
    if artifact.binary then name_binary_kernels(artifact.kernels) end
    state.artifacts[key] = artifact
    if artifact.log ~= "" then warn_log(artifact.log) end
  end
  return artifact
end

-- The kernels of machine code can be listed only after loading. Those of linked sources are known.
local function list_cubin_kernels(module, device, artifact)
  local known = {}
  for _, entry in ipairs(artifact.kernels) do known[entry.lowered] = true end
  for _, lowered in ipairs(core.module_names(module, device) or {}) do
    if not known[lowered] and not entries.is_carrier(lowered) then
      artifact.kernels[#artifact.kernels + 1] = { lowered = lowered }
    end
  end
  name_binary_kernels(artifact.kernels)
end

-- The CPU device loads PTX where machine code was requested, and refuses it where a GPU of the same
-- capability would not run that machine code.
local function check_runs(state, device, artifact)
  if device.kind ~= "cpu" then return end
  if artifact.kind == "cubin" then
    error(core.error{ kind = "compile", name = "LUACUDA_ERROR_UNSUPPORTED", device = "cpu",
      message = "machine code of a GPU cannot run on the CPU device: give PTX or source" }, 0)
  end
  local arch = state.spec.arch
  if not target.runs_machine_code(device.cc, arch) then
    error(core.error{ kind = "compile", name = "CUDA_ERROR_NO_BINARY_FOR_GPU", code = 209,
      call = "cuModuleLoadDataEx", device = "cpu",
      message = ("machine code for %s does not run on a device of compute capability %d.%d; "
        .. "'compute_%s' requests PTX, which also runs on later devices"):format(arch,
        device.cc // 10, device.cc % 10, arch:match "%d+") }, 0)
  end
end

-- Calls fn(...); the option on_message then receives what the driver's PTX compiler or linker
-- wrote.
local function announce(spec, fn, ...)
  if not spec.on_message then return fn(...) end
  local ok, result, report = pcall(fn, ...)
  local e = not ok and core.last_error(result)
  if e and e.kind == "compile" and (e.call or ""):find "^cu" then
    spec.on_message(false, "", e.log or e.message)
  end
  if not ok then error(result, 0) end
  if report then spec.on_message(true, report.info_log, report.error_log) end
  return result
end

local function load_code(module, state, device)
  local artifact = artifact_for(state, device)
  check_runs(state, device, artifact)
  local report = ptx_error.call(artifact.code, core.module_load, module, device, artifact.code,
    state.spec.jit)
  state.reports[device] = artifact.report or report
  if artifact.binary and artifact.kind == "cubin" and not artifact.listed then
    list_cubin_kernels(module, device, artifact)
    artifact.listed = true
  end
  state.loaded[device] = artifact
  return artifact, state.reports[device]
end

local function ensure_loaded(module, state, device)
  local artifact = state.loaded[device]
  if artifact then return artifact end
  artifact = announce(state.spec, load_code, module, state, device)
  if state.spec.on_load then
    local ok, problem = pcall(state.spec.on_load, module, device)
    if not ok then
      state.loaded[device] = nil      -- the next use tries again
      error(problem, 0)
    end
  end
  return artifact
end

-- loading.link(spec, device) -> the artifact of a linked module, without loading it
local function link_only(spec, device)
  return announce(spec, function()
    local artifact = link.artifact(spec, goal_for(spec, device))
    return artifact, artifact.report
  end)
end

-- Unloads a module from a device, when none of its kernels is bound there. The next use loads it
-- again, with its variables in their initial state.
local unload
function unload(module, device)
  local state = core.module_state(module)
  for _, extra in pairs(state.extra) do unload(extra, device) end
  state.loaded[device] = nil
  core.module_unload(module, device)
end

-- Kernels by name ---------------------------------------------------------------------------------

local function find_entry(artifact, name)
  for _, entry in ipairs(artifact.kernels) do
    if entry.name == name or entry.lowered == name then return entry end
  end
end

local function names_of(artifact)
  local names = {}
  for i, entry in ipairs(artifact.kernels) do names[i] = entry.name end
  return names
end

local function unknown_kernel(artifact, name)
  local names = names_of(artifact)
  if artifact.overloaded and artifact.overloaded[name] then
    core.misuse(("kernel '%s' is overloaded: select one by a cast, as in '(void (*)(int *)) %s'")
      :format(name, name))
  end
  core.misuse(("the module has no kernel '%s'%s (it has: %s)"):format(name, core.near(name, names),
    #names > 0 and table.concat(names, ", ") or "none"))
end

-- A module with device variables takes no further kernels. Compiling shows whether the name exists
-- at all.
local function check_may_add(state, artifact, name, device)
  if not artifact.has_variables then return end
  local ok, problem = pcall(artifact_for, state, device)
  if not ok and is_not_found(problem) then unknown_kernel(artifact, name) end
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
  local spec = build.with_instance(state.base, name)
  check_may_add(new_state(spec), artifact, name, device)
  extra = new_module(spec)
  state.extra[name] = extra
  return extra
end

local function load_extra(state, artifact, name, device)
  local extra = extra_module(state, artifact, name, device)
  local extra_state = core.module_state(extra)
  local ok, made = pcall(ensure_loaded, extra, extra_state, device)
  if not ok then
    state.extra[name] = nil
    if is_not_found(made) then unknown_kernel(artifact, name) end
    error(made, 0)
  end
  local entry = find_entry(made, name) or unknown_kernel(artifact, name)
  return extra, entry, made.code
end

local function only_entry(artifact)
  local list = artifact.kernels
  if #list == 1 then return list[1] end
  if #list == 0 then
    core.misuse("kernel: the source has no kernel, or only templates, which need a name such as "
      .. "'f<float>'")
  end
  core.misuse(("kernel: the source has %d kernels (%s): give the name of one"):format(#list,
    table.concat(names_of(artifact), ", ")))
end

-- loading.resolve(module, name, device) -> the loaded module, the entry of the kernel and the code
-- that contains it; without a name those of the only kernel
local function resolve(module, name, device)
  local state = core.module_state(module)
  local artifact = ensure_loaded(module, state, device)
  local entry
  if name then entry = find_entry(artifact, name) else entry = only_entry(artifact) end
  if entry then return module, entry, artifact.code end
  return load_extra(state, artifact, name, device)
end

-- loading.entry_of(module, name) -> the entry and its artifact for the current device, without
-- loading anything
local function entry_of(module, name)
  local state = core.module_state(module)
  local artifact = artifact_for(state, core.device())
  if name == nil then return only_entry(artifact), artifact end
  local entry = find_entry(artifact, name)
  if entry then return entry, artifact end
  local extra = extra_module(state, artifact, name, core.device())
  local made = artifact_for(core.module_state(extra), core.device())
  return find_entry(made, name) or unknown_kernel(artifact, name), made
end

-- Was some of it given as code, whose kernels are known only when it is loaded?
local function has_code(spec)
  return spec.binary or spec.link and #spec.link.objects > 0
end

local function is_built(state) return next(state.artifacts) ~= nil end

-- loading.expect(module, name) raises for a kernel that the module cannot have. Before anything is
-- built it only notes the name, so that one compilation makes all kernels.
local function expect(module, name)
  local state = core.module_state(module)
  if has_code(state.spec) then
    local artifact = state.spec.binary_kind == "ptx" and artifact_for(state, core.device())
      or ensure_loaded(module, state, core.device())
    if not find_entry(artifact, name) then unknown_kernel(artifact, name) end
  elseif not is_built(state) and naming.is_mentioned(state.base.text, name) then
    state.pending[name] = true
    state.spec = build.with_instance(state.spec, name)
  else
    local artifact = artifact_for(state, core.device())
    if not find_entry(artifact, name) then load_extra(state, artifact, name, core.device()) end
  end
end

return {
  new = new_module,
  link = link_only, artifact = artifact_for, load = ensure_loaded,
  unload = unload,
  resolve = resolve, entry_of = entry_of, expect = expect, names_of = names_of, has_name = has_name,
}

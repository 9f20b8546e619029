-- loading.lua: modules on devices. A module is compiled and loaded for a device at its first use
-- there. lookup.lua finds its kernels by name.

local core = require "luacuda.core"
local later = require "luacuda.base.later"
local build = require "luacuda.compile.build"
local link = later "luacuda.compile.link"
local target = require "luacuda.compile.target"
local given_code = later "luacuda.kernel.code"
local ptx_error = later "luacuda.kernel.ptx_error"
local watch = require "luacuda.kernel.watch"
local instance = later "luacuda.source.instance"
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
    if artifact.binary then given_code.name(artifact.kernels) end
    state.artifacts[key] = artifact
    if artifact.log ~= "" then warn_log(artifact.log) end
  end
  return artifact
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

-- loading.call(code, fn, ...) -> fn(...); errors about the PTX `code` name its line
local function call(code, fn, ...)
  local ok, result = pcall(fn, ...)
  if ok then return result end
  ptx_error.raise(code, result)
end

local function check_runs(artifact, arch, device)
  if device.kind == "cpu" and (arch or artifact.kind == "cubin") then
    given_code.check_runs(artifact.kind, arch, device)
  end
end

local function load_code(module, state, device)
  local artifact = artifact_for(state, device)
  check_runs(artifact, state.spec.arch, device)
  local report = call(artifact.code, core.module_load, module, device, artifact.code,
    state.spec.jit)
  state.reports[device] = artifact.report or report
  if artifact.binary and artifact.kind == "cubin" and not artifact.listed then
    given_code.list(module, device, artifact)
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

-- loading.names_of(artifact) -> the names of its kernels, in the order of the source
local function names_of(artifact)
  local names = {}
  for i, entry in ipairs(artifact.kernels) do names[i] = entry.name end
  return names
end

-- loading.kernel_names(module, device) -> the names of the kernels of a module. Machine code is
-- loaded for them.
local function kernel_names(module, device)
  local state = core.module_state(module)
  local artifact = artifact_for(state, device)
  if artifact.binary and artifact.kind == "cubin" then
    artifact = ensure_loaded(module, state, device)
  end
  return names_of(artifact)
end

-- loading.find(artifact, name) -> the entry of that kernel, or nil; without a name that of the only
-- kernel
local function find(artifact, name)
  local list = artifact.kernels
  if name == nil then return #list == 1 and list[1] or nil end
  for _, entry in ipairs(list) do
    if entry.name == name or entry.lowered == name then return entry end
  end
end

-- Was some of it given as code, whose kernels are known only when it is loaded?
local function has_code(spec)
  return spec.binary or spec.link and #spec.link.objects > 0
end

-- loading.note(module, name) -> true where it notes the name before anything is built, so that one
-- compilation makes all kernels
local function note(module, name)
  local state = core.module_state(module)
  if has_code(state.spec) or next(state.artifacts) ~= nil
    or not naming.is_mentioned(state.base.text, name) then return false end
  state.pending[name] = true
  state.spec = instance.with(state.spec, name)
  return true
end

return {
  new = new_module, state = new_state,
  link = link_only, artifact = artifact_for, load = ensure_loaded,
  unload = unload,
  names_of = names_of, kernel_names = kernel_names, find = find, note = note,
  has_code = has_code, call = call, has_name = has_name, is_not_found = is_not_found,
}

-- make.lua: makes an artifact (build.lua) with the compiler.

local core = require "luacuda.core"
local sorted_keys = require("luacuda.base.lists").sorted_keys
local compiler = require "luacuda.compile.compiler"
local entries = require "luacuda.compile.entries"
local outline = require "luacuda.source.outline"

-- The kernels that have a body: lowered name -> true. A kernel that is only declared has a name as
-- well.
local function defined_kernels(result)
  local set = {}
  for _, lowered in ipairs(core.entry_names(result.ptx)) do set[lowered] = true end
  return set
end

local function overloaded_names(found)
  local set = {}
  for _, kernel in ipairs(found.kernels) do
    if kernel.definitions > 1 and not kernel.template then set[kernel.name] = true end
  end
  return set
end

local function template_names(found)
  local list = {}
  for _, kernel in ipairs(found.kernels) do
    if kernel.template then list[#list + 1] = kernel.name end
  end
  return list
end

local function artifact_of(goal, list, result, found, flags)
  local defined = defined_kernels(result)
  local a = { kind = goal.kind, arch = tonumber(tostring(goal.arch):match "%d+"),
    code = result[goal.kind], log = result.log, flags = flags,
    has_variables = found.device_variables, kernels = {}, variables = {},
    overloaded = overloaded_names(found), templates = template_names(found) }
  for _, entry in ipairs(list) do
    local lowered = entries.lowered(entry, result)
    local carrier = entry.signature and result.lowered[entry.signature]
    if lowered and entry.kernel and defined[lowered] then
      a.kernels[#a.kernels + 1] = { name = entry.name, lowered = lowered, signature = carrier,
        param_names = entry.param_names, param_kinds = entry.param_kinds }
    elseif lowered and not entry.kernel then
      a.variables[#a.variables + 1] = { name = entry.name, lowered = lowered, type = carrier }
    end
  end
  return a
end

-- make.declared(spec, deps) -> what outline.declarations finds in the source and in the user's own
-- headers
local function declared(spec, deps)
  local found = outline.declarations(spec.text)
  for _, path in ipairs(sorted_keys(deps)) do outline.declarations(deps[path], found) end
  return found
end

-- The artifact of a successful run; nil and the entries for the next run where the compiler has to
-- be asked again.
local function take_result(spec, goal, flags, list, found, result)
  if entries.lacks_signature(list, result) then return nil, entries.plan(spec, found, true) end
  if entries.add_variables(list, result, found) then return nil, list end
  local artifact = artifact_of(goal, list, result, found, flags)
  if entries.add_unlisted(artifact, list, result) then return nil, list end
  if not spec.part then compiler.check_defined(spec, flags, result.ptx) end
  return artifact
end

-- The entries for the next run after one that failed only because of names; raises for other
-- errors.
local function drop_unresolved(spec, flags, list, found, result)
  local bad, others = entries.unresolved(result.log)
  if others or next(bad) == nil then compiler.fail(spec, flags, result.log) end
  local kept, missing, why = entries.resolvable(list, bad)
  if missing and not spec.part then entries.fail_missing(spec, missing, found, why) end
  return kept
end

local MOST_RUNS = 6

-- What to ask the compiler about.
local function plan(spec, found)
  return entries.plan(spec, found, found.extern_c or spec.extern_c)
end

-- make.artifact(spec, goal, flags, deps) -> artifact; deps: dependencies.of(spec)
local function artifact_with(spec, goal, flags, deps)
  local found = declared(spec, deps)
  local list = plan(spec, found)
  local text = compiler.text_of(spec) .. entries.TEXT
  for _ = 1, MOST_RUNS do
    local result = compiler.run(spec, flags, entries.expressions(list), text, goal.kind)
    local artifact
    if result.ok then artifact, list = take_result(spec, goal, flags, list, found, result)
    else list = drop_unresolved(spec, flags, list, found, result) end
    if artifact then
      artifact.dependencies = sorted_keys(deps)
      return artifact
    end
  end
  error(core.error{ kind = "compile", name = "LUACUDA_ERROR_COMPILE", source = spec.text,
    message = "the names in this source could not be resolved" }, 0)
end

-- make.run_of(spec, goal, flags, deps) -> the first run of the compiler for make.run_ahead
local function run_of(spec, goal, flags, deps)
  local list = plan(spec, declared(spec, deps))
  return { spec, flags, entries.expressions(list), compiler.text_of(spec) .. entries.TEXT,
    goal.kind }
end

return {
  artifact = artifact_with, declared = declared, run_of = run_of, run_ahead = compiler.run_ahead,
}

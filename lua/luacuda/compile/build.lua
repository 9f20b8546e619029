-- build.lua: from a description of source and options (source/options.lua) to an artifact: code
-- with the names and signatures of its kernels and variables, taken from memory, from disk, or from
-- the compiler.
--
-- Artifact: { kind =, arch =, code =, log =, flags =, source =, dependencies = list of files,
--   kernels = list of { name =, lowered =, signature =, param_names =, param_kinds = },
--   overloaded = set of names,
--   variables = list of { name =, lowered =, type = }, has_variables =,
--   binary = was it given as code?; of linked code (link.lua) also: report =, the driver's }
--
-- A signature or type is kept as the whole lowered name of its carrier (entries.lua), because
-- abbreviations in it ("S_", "S0_") count from the carrier's own name.

local core = require "luacuda.core"
local later = require "luacuda.base.later"
local sorted_keys = require("luacuda.base.lists").sorted_keys
local cache = require "luacuda.compile.cache"
local compiler = later "luacuda.compile.compiler"
local dependencies = require "luacuda.compile.dependencies"
local entries = require "luacuda.compile.entries"
local target = require "luacuda.compile.target"
local toolchain = require "luacuda.compile.toolchain"
local faults = require "luacuda.source.faults"
local naming = require "luacuda.source.naming"
local origins = require "luacuda.source.origins"
local outline = require "luacuda.source.outline"

-- Artifacts ---------------------------------------------------------------------------------------

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

local function artifact_of(goal, list, result, found, flags)
  local defined = defined_kernels(result)
  local a = { kind = goal.kind, arch = tonumber(tostring(goal.arch):match "%d+"),
    code = result[goal.kind], log = result.log, flags = flags,
    has_variables = found.device_variables, kernels = {}, variables = {},
    overloaded = overloaded_names(found) }
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

local function binary_artifact(spec)
  local a = { kind = spec.binary_kind, code = spec.binary, log = "", flags = {},
    has_variables = true, kernels = {}, variables = {}, binary = true }
  if spec.binary_kind ~= "ptx" then return a end
  for _, name in ipairs(core.entry_names(spec.binary)) do
    if not entries.is_carrier(name) then
      a.kernels[#a.kernels + 1] = { lowered = name }
    end
  end
  return a
end

-- Compiling ---------------------------------------------------------------------------------------

-- The declarations in the source and in the user's own headers.
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

local function compile_source(spec, goal, flags, list, found)
  local text = compiler.text_of(spec) .. entries.TEXT
  for _ = 1, MOST_RUNS do
    local result = compiler.run(spec, flags, entries.expressions(list), text, goal.kind)
    local artifact
    if result.ok then artifact, list = take_result(spec, goal, flags, list, found, result)
    else list = drop_unresolved(spec, flags, list, found, result) end
    if artifact then return artifact end
  end
  error(core.error{ kind = "compile", name = "LUACUDA_ERROR_COMPILE", source = spec.text,
    message = "the names in this source could not be resolved" }, 0)
end

-- Raises for a kernel that the user asked for and that has no code because it is only declared.
local function check_asked(spec, list, artifact, found)
  local made = {}
  for _, kernel in ipairs(artifact.kernels) do made[kernel.name] = true end
  for _, entry in ipairs(list) do
    if entry.asked and not made[entry.name] then entries.fail_missing(spec, entry.name, found) end
  end
end

-- Flags and cache key of a description with a toolchain.
local function resolve(spec, goal, list, deps, tools)
  local flags = target.flags(spec, goal, tools)
  return flags, dependencies.key(spec, flags, entries.expressions(list), tools, deps)
end

-- Takes the artifact from memory or from disk, else compiles it. The toolchain is opened only to
-- compile; if it has changed since it was recorded, the key has changed as well.
local function find_or_compile(spec, goal, list, deps, found, keep)
  local _, recorded = resolve(spec, goal, list, deps, toolchain.known(spec))
  local folder = spec.cache_dir or true
  local artifact = keep and cache.get(recorded, folder)
  if artifact then return artifact end
  local flags, key = resolve(spec, goal, list, deps, toolchain.open(spec))
  if key ~= recorded then artifact = keep and cache.get(key, folder) end
  if artifact then return artifact end
  artifact = compile_source(spec, goal, flags, list, found)
  artifact.dependencies = sorted_keys(deps)
  if keep then cache.put(key, artifact, folder) end
  return artifact
end

-- build.ahead(units, device) compiles at the same time those sources of a linked module that are
-- not kept; their artifacts are then made from the results. NVRTC has a lock that lets one thread
-- compile, so this is for nvcc alone.
local function ahead(units, device)
  local runs = {}
  for _, spec in ipairs(units) do
    if spec.backend ~= "nvcc" then return end
    local goal = target.of(device, spec)
    local deps, complete = dependencies.of(spec)
    local found = declared(spec, deps)
    local list = entries.plan(spec, found, found.extern_c or spec.extern_c)
    local flags, key = resolve(spec, goal, list, deps, toolchain.open(spec))
    if not (spec.cache and complete and cache.has(key, spec.cache_dir or true)) then
      runs[#runs + 1] = { spec, flags, entries.expressions(list),
        compiler.text_of(spec) .. entries.TEXT, goal.kind }
    end
  end
  if #runs > 1 then compiler.run_ahead(runs) end
end

-- Writes a source, its code and the compiler's log into the folder of the option keep. The files
-- are named after the source, so that equal ones meet.
local function keep_files(spec, made)
  local stem = spec.keep .. "/" .. (spec.path and spec.path:match "([^/]+)%.%w+$"
    or spec.origin.token:match "(%x+)%.cu$")
  for ending, bytes in pairs { cu = spec.text, [made.kind] = made.code, log = made.log } do
    local ok, why = core.file_replace(stem .. "." .. ending, bytes)
    if not ok then
      error(core.error{ kind = "runtime", name = "LUACUDA_ERROR_IO", message = "keep: " .. why }, 0)
    end
  end
end

-- build.artifact(spec, target) -> artifact. Raises compile errors. Equal descriptions give the same
-- artifact without compiling again.
local function artifact(spec, goal)
  if spec.binary then return binary_artifact(spec) end
  origins.speak_of(spec.origin, spec.callers)
  local deps, complete = dependencies.of(spec)
  local found = declared(spec, deps)
  local list = entries.plan(spec, found, found.extern_c or spec.extern_c)
  local made = find_or_compile(spec, goal, list, deps, found, spec.cache and complete)
  if not spec.part then check_asked(spec, list, made, found) end
  made.source = spec.text
  if spec.keep then keep_files(spec, made) end
  for _, kernel in ipairs(made.kernels) do faults.name_kernel(kernel.lowered, kernel.name) end
  return made
end

-- build.with_instance(spec, name) -> a description with one more template instance (or other name)
-- to ask the compiler about
local with_instance

-- Those sources of a linked module that mention the name are asked; where none does, all are.
local function link_with_instance(spec, name)
  local units, mentioned = {}, naming.is_mentioned(spec.text or "", name)
  for i, unit in ipairs(spec.link.units) do
    local asked = not mentioned or naming.is_mentioned(unit.text, name)
    units[i] = asked and with_instance(unit, name) or unit
  end
  return { units = units, objects = spec.link.objects, libraries = spec.link.libraries }
end

function with_instance(spec, name)
  local copy = {}
  for key, value in pairs(spec) do copy[key] = value end
  copy.instances = table.move(spec.instances, 1, #spec.instances, 1, {})
  copy.instances[#copy.instances + 1] = naming.normalize(name)
  if spec.link then copy.link = link_with_instance(spec, name) end
  return copy
end

return { ahead = ahead, artifact = artifact, with_instance = with_instance }

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
local cache = require "luacuda.compile.cache"
local dependencies = require "luacuda.compile.dependencies"
local entries = later "luacuda.compile.entries"
local make = later "luacuda.compile.make"
local target = require "luacuda.compile.target"
local toolchain = require "luacuda.compile.toolchain"
local faults = later "luacuda.source.faults"
local naming = require "luacuda.source.naming"
local origins = require "luacuda.source.origins"

core.fault_filter(function(e) faults.filter(e) end)

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

-- The flags and the cache key of a description with a toolchain. What the compiler is asked about
-- follows from the source and the instances.
local function resolve(spec, goal, deps, tools)
  local flags = target.flags(spec, goal, tools)
  local names = { "instances", table.unpack(spec.instances) }
  return flags, dependencies.key(spec, flags, names, tools, deps)
end

-- Takes the artifact from memory or from disk, else compiles it. The toolchain is opened only to
-- compile; if it has changed since it was recorded, the key has changed as well.
local function find_or_compile(spec, goal, deps, keep)
  local _, recorded = resolve(spec, goal, deps, toolchain.known(spec))
  local folder = spec.cache_dir or true
  local artifact = keep and cache.get(recorded, folder)
  if artifact then return artifact end
  local flags, key = resolve(spec, goal, deps, toolchain.open(spec))
  if key ~= recorded then artifact = keep and cache.get(key, folder) end
  if artifact then return artifact end
  artifact = make.artifact(spec, goal, flags, deps)
  if keep then cache.put(key, artifact, folder) end
  return artifact
end

-- Raises for a kernel that the user asked for and that has no code because it is only declared.
local function check_asked(spec, artifact, deps)
  local made = {}
  for _, kernel in ipairs(artifact.kernels) do made[kernel.name] = true end
  for _, name in ipairs(spec.instances) do
    if not made[name] then entries.fail_missing(spec, name, make.declared(spec, deps)) end
  end
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
    local flags, key = resolve(spec, goal, deps, toolchain.open(spec))
    if not (spec.cache and complete and cache.has(key, spec.cache_dir or true)) then
      runs[#runs + 1] = make.run_of(spec, goal, flags, deps)
    end
  end
  if #runs > 1 then make.run_ahead(runs) end
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
  local made = find_or_compile(spec, goal, deps, spec.cache and complete)
  if not spec.part then check_asked(spec, made, deps) end
  made.source = spec.text
  if spec.keep then keep_files(spec, made) end
  for _, kernel in ipairs(made.kernels) do naming.note(kernel.lowered, kernel.name) end
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

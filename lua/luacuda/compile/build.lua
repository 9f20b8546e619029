-- build.lua: from a description of source and options (source/options.lua) to an artifact: code
-- with the names and signatures of its kernels and variables, taken from memory, from disk, or from
-- the compiler.
--
-- Artifact: { kind =, arch =, code =, log =, flags =, source =, dependencies = list of files,
--   kernels = list of { name =, lowered =, signature =, param_names =, param_kinds = },
--   overloaded = set of names, templates = list of the names of kernel templates,
--   variables = list of { name =, lowered =, type = }, has_variables =,
--   binary = was it given as code?; of linked code (link.lua) also: report =, the driver's }
--
-- A signature or type is kept as the whole lowered name of its carrier (entries.lua), because
-- abbreviations in it ("S_", "S0_") count from the carrier's own name.

local core = require "luacuda.core"
local later = require "luacuda.base.later"
local binary = later "luacuda.compile.binary"
local cache = require "luacuda.compile.cache"
local dependencies = require "luacuda.compile.dependencies"
local entries = later "luacuda.compile.entries"
local keeping = later "luacuda.compile.keep"
local make = later "luacuda.compile.make"
local target = require "luacuda.compile.target"
local toolchain = require "luacuda.compile.toolchain"
local faults = later "luacuda.source.faults"
local naming = require "luacuda.source.naming"
local origins = require "luacuda.source.origins"

core.fault_filter(function(e) faults.filter(e) end)

-- build.resolve(spec, goal, deps, tools) -> the flags and the cache key of a description with a
-- toolchain. What the compiler is asked about follows from the source and the instances.
local function resolve(spec, goal, deps, tools)
  local flags = target.flags(spec, goal, tools)
  local names = { "instances", table.unpack(spec.instances) }
  return flags, dependencies.key(spec, flags, names, tools, deps)
end

-- Takes the artifact from memory or from disk, else compiles it. The toolchain is opened only to
-- compile; if it has changed since it was recorded, the key has changed as well.
local function find_or_compile(spec, goal, deps, keep)
  local _, recorded = resolve(spec, goal, deps, goal.tools or toolchain.known(spec))
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

-- build.artifact(spec, target) -> artifact. Raises compile errors. Equal descriptions give the same
-- artifact without compiling again.
local function artifact(spec, goal)
  if spec.binary then return binary.artifact(spec) end
  origins.speak_of(spec.origin, spec.callers)
  local deps, complete = dependencies.of(spec)
  local made = find_or_compile(spec, goal, deps, spec.cache and complete)
  if not spec.part then check_asked(spec, made, deps) end
  made.source = spec.text
  if spec.keep then keeping.files(spec, made) end
  for _, kernel in ipairs(made.kernels) do naming.note(kernel.lowered, kernel.name) end
  return made
end

return { artifact = artifact, resolve = resolve }

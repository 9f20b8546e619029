-- link.lua: linked modules: compiles each source by itself, then lets the driver link the results
-- with further code and libraries.

local core = require "luacuda.core"
local ahead = require "luacuda.compile.ahead"
local build = require "luacuda.compile.build"
local cache = require "luacuda.compile.cache"
local entries = require "luacuda.compile.entries"
local jitlink = require "luacuda.compile.jitlink"
local libraries = require "luacuda.compile.libraries"
local target = require "luacuda.compile.target"
local positions = require "luacuda.source.positions"
local parts = require "luacuda.source.parts"

local FORMAT = "link 2" -- increase the number when the fields of cached values change

-- Inputs ------------------------------------------------------------------------------------------

-- The name of a source in the linker's messages.
local function unit_name(unit, i) return unit.path or "source " .. i end

-- What a source is called for people: with the place of its text, if that is known.
local function place_of(unit, i)
  local file, line = positions.map(unit.origin.token, 1)
  if unit.path or not file or file:find "^<" then return unit_name(unit, i) end
  return ("%s (%s:%d)"):format(unit_name(unit, i), file, line)
end

-- The artifacts of the sources, and all code to link: a list of { kind, data, name, stamp }.
local function inputs_of(spec, device)
  local artifacts, inputs = {}, {}
  ahead.compile(spec.link.units, device)
  for i, unit in ipairs(spec.link.units) do
    local goal = target.of(device, unit)
    artifacts[i] = build.artifact(unit, goal)
    -- names are known from PTX, which a compilation for nvJitLink does not give
    local code = not spec.lto and artifacts[i]
      or build.artifact(unit, { kind = "ltoir", arch = goal.arch })
    inputs[i] = { kind = parts.kinds[code.kind], data = code.code, name = unit_name(unit, i) }
  end
  table.move(spec.link.objects, 1, #spec.link.objects, #inputs + 1, inputs)
  return artifacts, inputs
end

-- Does some code use CUDA's device runtime: does it launch kernels?
local function uses_runtime(inputs)
  for _, input in ipairs(inputs) do
    if input.data:find("cudaCDP2", 1, true) then return true end
  end
end

-- Adds the libraries, which are read only when something is linked. The CPU device has CUDA's
-- device runtime built in.
local function add_libraries(spec, device, inputs)
  local names, wanted = {}, table.move(spec.link.libraries, 1, #spec.link.libraries, 1, {})
  if uses_runtime(inputs) then wanted[#wanted + 1] = "cudadevrt" end
  for _, name in ipairs(wanted) do
    if not names[name] and not (device.kind == "cpu" and name == "cudadevrt") then
      local path, stamp = libraries.find(name)
      inputs[#inputs + 1] = { kind = parts.kinds.library, path = path, name = path, stamp = stamp }
    end
    names[name] = true
  end
end

-- Errors ------------------------------------------------------------------------------------------

-- "error   : Undefined reference to '_Z1fi' in 'source 2'" -> the same with the names and places
-- that the user knows
local function readable(spec, log)
  local places = {}
  for i, unit in ipairs(spec.link.units) do places[unit_name(unit, i)] = place_of(unit, i) end
  log = log:gsub("(%s)'([^'\n]*)'", function(blank, name) -- not the apostrophe of "doesn't"
    if places[name] then return blank .. places[name] end
    if name:find "^_Z" then return blank .. "'" .. core.kernel_name(name) .. "'" end
  end)
  return (log:gsub("%f[^\n\0]error%s*: ", "error: "))
end

local HINT = "\n(what is declared extern must be defined in one of the sources, binaries or "
  .. "libraries)"

-- Raises a failure of the driver's linker, with its log as the message.
local function fail(spec, problem)
  local e = core.last_error(problem)
  if not e or not e.log and e.kind ~= "compile" then error(problem, 0) end
  local log = e.log or e.message
  local text = readable(spec, log)
  e.kind, e.log, e.source = "compile", positions.map_message(log), spec.text
  e.message = "the code cannot be linked\n" .. text
    .. ((log:find "[Uu]ndefined reference" or log:find "Unresolved extern") and HINT or "")
  error(problem == e and e or core.error(e), 0)
end

-- Linking -----------------------------------------------------------------------------------------

-- Options of the driver's compiler (driver_options.lua) as nvJitLink spells them; it has no others.
local LTO_OPTIONS = {
  [0] = function(v) return "-maxrregcount=" .. v end,
  [7] = function(v) return v > 0 and "-O3" or "-O0" end,
  [11] = function(v) return v ~= 0 and "-g" or nil end,
  [12] = function(v) return v ~= 0 and "-verbose" or nil end,
  [13] = function(v) return v ~= 0 and "-lineinfo" or nil end,
}

-- The options of nvJitLink. The CPU device gets PTX.
local function lto_options(spec, device)
  local arch = target.of(device, { link = true }).arch
  local list = { "-lto", "-arch=" .. (device.kind == "cpu" and "compute_" or "sm_") .. arch }
  if device.kind == "cpu" then list[#list + 1] = "-ptx" end
  if spec.fast_math then
    table.move({ "-ftz=1", "-prec-div=0", "-prec-sqrt=0" }, 1, 3, #list + 1, list)
  end
  for i = 1, #(spec.jit or {}), 2 do
    local spell = LTO_OPTIONS[spec.jit[i]]
    list[#list + 1] = spell and spell(spec.jit[i + 1])
  end
  return list
end

-- nvJitLink and how it is called; "" where it is not.
local function lto_key(spec, device)
  if not spec.lto then return "" end
  return "lto " .. jitlink.text() .. " " .. table.concat(lto_options(spec, device), " ")
end

-- Everything that decides what the linker makes.
local function key_of(spec, device, inputs)
  local list = { FORMAT, core.version or "", device.kind, tostring(device.cc),
    tostring(core.driver_version()),
    lto_key(spec, device),
    table.concat(spec.jit or {}, " ") }
  for _, input in ipairs(inputs) do
    table.move({ tostring(input.kind), input.name, input.stamp or core.sha256(input.data) }, 1, 3,
      #list + 1, list)
  end
  return core.sha256(table.unpack(list))
end

local function read_library(input)
  local data, why = core.file_read(input.path)
  if data then return data end
  error(core.error{ kind = "runtime", name = "LUACUDA_ERROR_IO", message = why }, 0)
end

local function call_linker(spec, device, inputs)
  if not spec.lto then return core.link(device, inputs, spec.jit) end
  local wants_ptx = device.kind == "cpu"
  local image, report = core.lto(inputs, lto_options(spec, device), wants_ptx)
  if not wants_ptx then return image, report end
  -- nvJitLink leaves in PTX what nothing defines; the CPU device's linker finds it
  local whole = { kind = parts.kinds.ptx, data = image, name = "the linked code" }
  return (core.link(device, { whole })), report
end

local function run(spec, device, inputs)
  for _, input in ipairs(inputs) do input.data = input.data or read_library(input) end
  local ok, image, report = pcall(call_linker, spec, device, inputs)
  if not ok then fail(spec, image) end
  return { code = image, kind = parts.kind(image) == "ptx" and "ptx" or "cubin", report = report }
end

-- The linked code, from memory, from disk or from the driver.
local function linked(spec, device, inputs)
  local key = key_of(spec, device, inputs)
  local folder = spec.cache_dir or true
  local made = spec.cache and cache.get(key, folder)
  if made then return made end
  made = run(spec, device, inputs)
  if spec.cache then cache.put(key, made, folder) end
  return made
end

-- The artifact ------------------------------------------------------------------------------------

-- Adds those entries of a source that no source before it has.
local function add_entries(list, known, added, unit)
  for _, entry in ipairs(added) do
    if not known[entry.lowered] then
      known[entry.lowered] = true
      local copy = { unit = unit }
      for key, value in pairs(entry) do copy[key] = value end
      list[#list + 1] = copy
    end
  end
end

-- What the sources have together.
local function merge(spec, artifacts)
  local all = { log = {}, flags = {}, dependencies = {}, kernels = {}, variables = {},
    overloaded = {}, source = spec.text, has_variables = #spec.link.objects > 0,
    binary = #spec.link.objects > 0 }
  local kernels, variables = {}, {}
  for i, a in ipairs(artifacts) do
    if a.log ~= "" then all.log[#all.log + 1] = a.log end
    all.flags = a.flags
    table.move(a.dependencies or {}, 1, #(a.dependencies or {}), #all.dependencies + 1,
      all.dependencies)
    all.has_variables = all.has_variables or a.has_variables
    for name in pairs(a.overloaded) do all.overloaded[name] = true end
    add_entries(all.kernels, kernels, a.kernels, i)
    add_entries(all.variables, variables, a.variables, i)
  end
  all.log = table.concat(all.log, "\n")
  return all
end

-- Kernels of code that was given as PTX.
local function add_ptx_kernels(all, code)
  local known = {}
  for _, kernel in ipairs(all.kernels) do known[kernel.lowered] = true end
  for _, name in ipairs(core.entry_names(code)) do
    if not known[name] and not entries.is_carrier(name) then
      known[name] = true
      all.kernels[#all.kernels + 1] = { lowered = name }
    end
  end
end

-- Raises for a kernel that the user asked for and that no source has.
local function check_asked(spec, all)
  local names = {}
  for i, kernel in ipairs(all.kernels) do names[i] = kernel.name or kernel.lowered end
  for _, asked in ipairs(spec.instances) do
    local found = false
    for _, name in ipairs(names) do found = found or name == asked end
    if not found then
      error(core.error{ kind = "compile", name = "LUACUDA_ERROR_NOT_FOUND", source = spec.text,
        message = ("no source has the kernel '%s'%s"):format(asked, core.near(asked, names)) }, 0)
    end
  end
end

-- link.artifact(spec, goal) -> artifact of a linked module for goal.device. Raises errors of the
-- compiler and of the linker.
local function artifact(spec, goal)
  local artifacts, inputs = inputs_of(spec, goal.device)
  local all = merge(spec, artifacts)
  check_asked(spec, all)
  add_libraries(spec, goal.device, inputs)
  local made = linked(spec, goal.device, inputs)
  all.code, all.kind, all.report, all.arch = made.code, made.kind, made.report, goal.device.cc
  if made.kind == "ptx" then add_ptx_kernels(all, made.code) end
  return all
end

return { artifact = artifact }

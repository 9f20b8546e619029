-- tiled.lua: cuda.tiled: a Lua function over tiles becomes a kernel, one for each set of argument
-- types. One call of the function is one block of threads, a program.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local class = require "luacuda.base.class"
local settings = require "luacuda.tiles.settings"
local text = require "luacuda.jit.read.function_text"
local types = require "luacuda.jit.typed.value_types"
require "luacuda.jit.jit" -- what makes the kernels

local fail = arguments.fail

local WHAT = "tiled"
local LANES = 32

local methods = {}
local Tiled = class.new("Tiled", methods, { "kernel", "ptx", "source", "types" })

local function state_of(k, method)
  return core.jit_state(k) or fail(WHAT, "%s: expected a Tiled before the ':', got %s", method,
    arguments.describe(k))
end

-- Launches ----------------------------------------------------------------------------------------

local LARGE = { grid = { 1 << 20, 1, 1 }, block = { 1024, 1, 1 } }

local function blocks(n, extent) return (n + extent - 1) // extent end

-- The programs for the tiles of an array: as many as the kernel stores there.
local function programs_of(state, variant, array, ...)
  local slots = variant.context.parameters
  for k = 1, select("#", ...) do
    if select(k, ...) == array then
      local stored = variant.unit.of_tiles.stores[slots[k]]
      if not stored then
        fail(state.what, "tiles: the kernel stores no tile in argument %d: give { programs = { n } }", k)
      end
      local shape, counts = array.shape, {}
      local ndim = #shape
      for axis = 1, ndim do
        local own = axis - (ndim - 2)
        counts[axis] = blocks(shape[axis], own >= 1 and stored.shape[own] or 1)
      end
      while counts[4] == 1 and #counts > 3 do counts[#counts] = nil end
      if #counts > 3 then
        fail(state.what, "tiles: a launch has 3 axes, and the array %d: give { programs = { n } }", ndim)
      end
      return counts
    end
  end
  fail(state.what, "tiles: expected one of the arguments")
end

local function is_empty(counts)
  for _, n in ipairs(counts) do
    if n == 0 then return true end
  end
end

-- The launch as a kernel takes it; nil: an empty array has no tiles.
local function launch_of(state, variant, launch, ...)
  local own = {}
  for name, value in pairs(launch) do
    if name ~= "tiles" and name ~= "programs" then own[name] = value end
  end
  own.grid = launch.programs or launch.tiles and programs_of(state, variant, launch.tiles, ...)
  if not own.grid then
    fail(state.what, "argument 1: expected { tiles = array } or { programs = { n, m } }")
  end
  if not launch.programs and is_empty(own.grid) then return nil end
  own.block = variant.unit.of_tiles.warps * LANES
  return own
end

local function run(state, k, launch, count, kernel, ...)
  local variant = core.jit_latest(k)
  local own = launch_of(state, variant, launch, table.unpack(count, 1, count.n))
  if own then return kernel(own, ...) end
end

function Tiled.__call(k, launch, ...)
  local state = core.jit_state(k)
  if type(launch) ~= "table" then
    fail(state.what, "argument 1: expected { tiles = array } or { programs = { n, m } }, got %s",
      core.type(launch) or type(launch))
  end
  return run(state, k, launch, table.pack(...), core.jit_spread(k, LARGE, ...))
end

function Tiled.__tostring(k)
  local state = core.jit_state(k)
  return ("luacuda.Tiled %s (%s:%d)"):format(state.name, state.source.file, state.source.line)
end

-- The variant and the kernel for these arguments, else the latest ones.
local function chosen(k, method, ...)
  local state = state_of(k, method)
  if select("#", ...) > 0 then core.jit_spread(k, LARGE, ...) end
  local variant, kernel = core.jit_latest(k)
  if variant then return variant, kernel end
  fail(state.what, "%s: nothing is compiled yet: pass the arguments of a call", method)
end

-- k:source(...) -> the CUDA C++ of the kernel for these arguments, else of the latest one
function methods.source(k, ...)
  local _, kernel = chosen(k, "source", ...)
  return (kernel:source():gsub('#line %d+ "[^\n]*\n', ""))
end

-- k:ptx(...) -> its PTX
function methods.ptx(k, ...)
  local _, kernel = chosen(k, "ptx", ...)
  return kernel:ptx()
end

-- k:kernel(...) -> the Kernel
function methods.kernel(k, ...) return (select(2, chosen(k, "kernel", ...))) end

-- k:types(...) -> a table of the variables' types by name
function methods.types(k, ...)
  return types.of_slots(chosen(k, "types", ...).context.slots)
end

-- cuda.tiled --------------------------------------------------------------------------------------

local OPTIONS = { warps = true, name = true }

local function warps_of(options)
  local n = options.warps or 4
  if math.type(n) == "integer" and n >= 1 and n <= 16 and n & (n - 1) == 0 then return n end
  fail(WHAT, "option 'warps': expected 1, 2, 4, 8 or 16, got %s", arguments.describe(n))
end

-- Options in capitals are constants of the kernel.
local function constants_of(options)
  local list = {}
  for name, value in pairs(options) do
    if not OPTIONS[name] then
      if type(name) ~= "string" or not name:find "^%u" then
        fail(WHAT, "unknown option '%s': there are warps, name, and constants in capitals",
          tostring(name))
      end
      list[name] = value
    end
  end
  return list
end

-- tiled(fn [, options]) -> Tiled
local function tiled(fn, options, ...)
  if select("#", ...) > 0 then fail(WHAT, "too many arguments") end
  options = options or {}
  local source = text.of(fn, WHAT)
  if source.node.vararg then
    fail(WHAT, "%s:%d: '...' cannot run on a device: name the parameters", source.file, source.line)
  end
  local name = options.name or text.declared_name(source) or "lua"
  local warps, constants = warps_of(options), constants_of(options)
  local k = setmetatable({}, Tiled)
  core.jit_new(k, { what = WHAT, source = source, name = name, symbol = name .. "_kernel",
    count = #source.node.params, bounds = ("__launch_bounds__(%d) "):format(warps * LANES),
    options = {}, of_tiles = function()
      return settings.new{ warps = warps, constants = constants,
        tensor_cores = core.device().cc >= 80 }
    end })
  return k
end

return { tiled = tiled }

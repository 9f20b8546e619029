-- tiled.lua: cuda.tiled: a Lua function over tiles becomes a kernel, one for each set of argument
-- types. One call of the function is one block of threads, a program.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local class = require "luacuda.base.class"
local options = require "luacuda.tiles.tiled_options"
local settings = require "luacuda.tiles.tile_settings"
local text = require "luacuda.jit.read.function_text"
local types = require "luacuda.jit.typed.value_types"
require "luacuda.jit.jit" -- what makes the kernels

local fail = arguments.fail

local WHAT = "tiled"
local methods = {}
local Tiled = class.new("Tiled", methods, { "benchmark", "kernel", "layout", "pipeline",
  "prepare", "profile", "ptx", "source", "step", "time_ms", "tune", "types" })

local function state_of(k, method)
  local state = core.jit_state(k)
  if state and state.setup then return state end
  fail(WHAT, "%s: expected a Tiled before the ':', got %s", method, arguments.describe(k))
end

-- Calls -------------------------------------------------------------------------------------------

local hooks = {}

-- Notes what the text of a kernel for a device depends on -> how many multiprocessors it has, a
-- number that differs from that of a device with another text
function hooks.device(state, device)
  local call = state.call
  call.device = device
  call.tensor_cores = device.cc >= 80 and device.kind
  call.groups = device.cc == 90 -- has it wgmma?
  call.most_shared = device.max_shared_memory_per_block_optin
  return device.multiprocessor_count, call.most_shared * 1000 + device.cc
end

core.hooks("tiled", hooks)

Tiled.__call = core.tiled_call

function Tiled.__tostring(k)
  local state = core.jit_state(k)
  return ("luacuda.Tiled %s (%s:%d)"):format(state.name, state.source.file, state.source.line)
end

local function prepared(kernel, launch, ...)
  return core.prepared_seal(kernel:prepare(launch):keep(...))
end

-- k:prepare(launch, ...) -> a Prepared that keeps these arguments
function methods.prepare(k, launch, ...)
  state_of(k, "prepare")
  return prepared(core.tiled_spread(k, launch, ...))
end

for _, name in ipairs{ "time_ms", "benchmark" } do
  local function act(kernel, launch, ...) return kernel[name](kernel, launch, ...) end
  methods[name] = function(k, launch, ...)
    state_of(k, name)
    return act(core.tiled_spread(k, launch, ...))
  end
end

-- The variant and the kernel for these arguments, else the latest ones.
local function chosen(k, method, ...)
  local state = state_of(k, method)
  if select("#", ...) > 0 then core.tiled_make(k, ...) end
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

-- configure(k, setup, values) -> k, which has these values of options from now on. setup: { source
-- =, name =, options = of tiled_options.lua }
local function configure(k, setup, values)
  local call = {} -- what hooks.device notes
  core.jit_new(k, { what = WHAT, source = setup.source, name = setup.name,
    symbol = setup.name .. "_kernel", count = #setup.source.node.params, bounds = "",
    options = {}, launches = "{ tiles = array } or { programs = { n, m } }", call = call,
    setup = setup, of_tiles = function()
      options.check_complete(WHAT, setup.options, values)
      return settings.new{ warps = values.warps, stages = values.stages,
        persistent = values.persistent, cluster = values.cluster,
        constants = options.constants(values), call = call }
    end })
  return k
end

-- with(k, values) -> another Tiled of the same function, with these values for lists
local function with(k, values)
  local setup = core.jit_state(k).setup
  return configure(setmetatable({}, Tiled), setup, options.with(setup.options, values))
end

-- choose(k, values): from now on, k itself has them.
local function choose(k, values)
  local setup = core.jit_state(k).setup
  configure(k, setup, options.with(setup.options, values))
end

-- tiled(fn [, options]) -> Tiled
local function tiled(fn, given, ...)
  if select("#", ...) > 0 then fail(WHAT, "too many arguments") end
  if given ~= nil and type(given) ~= "table" then
    fail(WHAT, "argument 2: expected a table of options, got %s", arguments.describe(given))
  end
  given = given or {}
  local source = text.of(fn, WHAT)
  if source.node.vararg then
    fail(WHAT, "%s:%d: '...' cannot run on a device: name the parameters", source.file, source.line)
  end
  local setup = { source = source, options = options.read(WHAT, given),
    name = arguments.text_option(WHAT, given, "name") or text.declared_name(source) or "lua" }
  return configure(setmetatable({}, Tiled), setup, options.with(setup.options, {}))
end

return { tiled = tiled, state_of = state_of, chosen = chosen,
  with = with, choose = choose }

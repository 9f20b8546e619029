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

-- Launches ----------------------------------------------------------------------------------------

local LARGE = { grid = { 1 << 20, 1, 1 }, block = { 1024, 1, 1 } }

local function blocks(n, extent) return (n + extent - 1) // extent end

-- The programs for all tiles of an array that the kernel stores in.
local function counts_of(state, array, stored)
  local shape, counts = array.shape, {}
  local ndim = #shape
  for axis = 1, ndim do
    local own = axis - (ndim - 2)
    counts[axis] = blocks(shape[axis], own >= 1 and stored.shape[own] or 1)
  end
  while counts[4] == 1 do counts[#counts] = nil end
  if #counts > 3 then
    fail(state.what, "tiles: a launch has 3 axes, and the array %d: give { programs = { n } }",
      ndim)
  end
  return counts
end

local function programs_of(state, variant, array, given)
  for k = 1, given.n do
    if given[k] == array then
      local stored = variant.unit.of_tiles.stores[variant.context.parameters[k]]
      if stored then return counts_of(state, array, stored) end
      fail(state.what, "tiles: the kernel stores no tile in argument %d: give { programs = { n } }",
        k)
    end
  end
  fail(state.what, "tiles: expected one of the arguments")
end

local WORDS = "expected { tiles = array } or { programs = { n, m } }"

local CHOSEN = { grid = true, block = true, threads = true, shared = true }

local function is_empty(counts)
  for _, n in ipairs(counts) do
    if n == 0 then return true end
  end
end

-- Of a launch along the axes after the first; in all.
local MOST_BLOCKS, MOST_PROGRAMS = 65535, (1 << 31) - 1

-- Are there too many programs along an axis for the blocks of a grid?
local function are_many(counts)
  return math.max(counts[2] or 1, counts[3] or 1) > MOST_BLOCKS
end

-- The counts of the option `programs`.
local function given_counts(state, programs)
  local counts = math.type(programs) and { programs } or programs
  if type(counts) == "table" and #counts >= 1 and #counts <= 3 then
    local fine = true
    for _, n in ipairs(counts) do fine = fine and math.type(n) == "integer" end
    if fine then return counts end
  end
  fail(state.what, "programs: expected an integer or a list of 1 to 3 integers")
end

-- The blocks of a launch of x * y * z programs, whole clusters of them.
local function blocks_of(plan, device, x, y, z)
  if not plan.persistent then return x * y * z end
  local size, axis = 1, nil
  if plan.cluster then size, axis = plan.cluster.size, plan.cluster.axis end
  local all = (axis == "x" and blocks(x, size) or x) * (axis == "y" and blocks(y, size) or y) * z
  return size * math.min(all, math.max(device.multiprocessor_count // size, 1))
end

-- launch_of(state, variant, launch, given) -> the launch as a kernel takes it, how many programs it
-- has along each axis. An empty array has no tiles, so nothing runs.
local function launch_of(state, variant, launch, given)
  local own, w = {}, variant.unit.of_tiles
  for name, value in pairs(launch) do
    if CHOSEN[name] then
      fail(state.what, "argument 1: a kernel over tiles chooses '%s' itself: %s", name, WORDS)
    end
    own[name] = value
  end
  own.tiles, own.programs = nil, nil
  local counts = launch.programs and given_counts(state, launch.programs)
    or launch.tiles and programs_of(state, variant, launch.tiles, given)
  if not counts then fail(state.what, "argument 1: %s", WORDS) end
  own.block, own.shared = w.threads, w.dynamic_bytes
  local x, y, z = counts[1], counts[2] or 1, counts[3] or 1
  if not launch.programs and is_empty(counts) then
    own.threads = 0
    return own, { x, y, z }
  end
  own.grid = counts
  if not w.plan and not w.in_line then return own, { x, y, z } end
  local all = x * y * z
  if all > MOST_PROGRAMS then
    fail(state.what, "%d x %d x %d programs are more than the 2^31 - 1 of a launch: take larger "
      .. "tiles, or several tiles in each program", x, y, z)
  end
  own.grid = w.plan and blocks_of(w.plan, state.call.device, x, y, z) or all
  return own, { x, y, z }
end

-- Tensor maps -------------------------------------------------------------------------------------

-- array -> { maps = box as text -> map }, for a pointer and a size, which resize changes
local known = setmetatable({}, { __mode = "k" })

local function known_of(array)
  local own = known[array]
  if not own or own.size ~= array.size or own.pointer ~= array.pointer then
    own = { maps = {}, size = array.size, pointer = array.pointer }
    known[array] = own
  end
  return own
end

local function map_of(array, box)
  local maps = known_of(array).maps
  local key = table.concat(box, ",")
  maps[key] = maps[key] or core.tensor_map(array, { box = box, swizzle = 128,
    tf32 = array.dtype == "float32" })
  return maps[key]
end

-- The arguments of the kernel: maps and the number of programs before those of the function.
local function list_of(w, counts, given, ...)
  if not w.plan and not w.in_line then return { ... } end
  local list = {}
  for k, map in ipairs(w.plan and w.plan.maps or {}) do
    list[k] = map_of(given[map.parameter], map.box)
  end
  table.move(counts, 1, 3, #list + 1, list)
  return table.move({ ... }, 1, select("#", ...), #list + 1, list)
end

-- Calls -------------------------------------------------------------------------------------------

-- Tiled -> its latest call: { kernel =, programs =, launch =, list = the kernel's arguments, n =
-- their number, before = how many of them are not the function's, plain = could a call repeat
-- it? }. The list, whose `tiles` are those of the launch, keeps no array alive.
local calls = setmetatable({}, { __mode = "k" })

local WEAK = { __mode = "v" }

-- Does the kernel get the same arguments as in the call?
local function are_same(call, ...)
  local n = select("#", ...)
  local before = call.n - n
  if before ~= call.before then return false end
  for k, value in ipairs{ ... } do
    if call.list[before + k] ~= value then return false end
  end
  return true
end

-- Has a launch nothing but what a record of a call has?
local function is_plain(launch)
  for name in pairs(launch) do
    if name ~= "tiles" and name ~= "programs" then return false end
  end
  return true
end

-- Is it the same call again?
local function is_again(call, launch, kernel, ...)
  if not call or not call.plain or call.kernel ~= kernel or not are_same(call, ...) then
    return false
  end
  for name, value in pairs(launch) do
    local same = name == "tiles" and call.list.tiles == value
      or name == "programs" and type(value) ~= "table" and call.programs == value
    if not same then return false end
  end
  return (launch.tiles == nil) == call.without_tiles
end

-- Calls act(kernel, launch, ...) for the kernel for the arguments: if the launch needs it, one
-- whose programs have one number.
local function run(k, state, act, launch, given, kernel, ...)
  local call = calls[k]
  if not is_again(call, launch, kernel, ...) then
    local variant = core.jit_latest(k)
    local one, counts = launch_of(state, variant, launch, given)
    local w = variant.unit.of_tiles
    if not w.plan and not w.in_line and are_many(counts) then
      state.call.in_line = true
      return run(k, state, act, launch, given,
        core.jit_spread(k, LARGE, table.unpack(given, 1, given.n)))
    end
    local list = list_of(w, counts, given, ...)
    call = { kernel = kernel, programs = launch.programs, launch = one, n = #list,
      before = #list - select("#", ...), without_tiles = launch.tiles == nil,
      plain = is_plain(launch) }
    list.tiles = launch.tiles
    call.list = setmetatable(list, WEAK)
    calls[k] = call
  end
  return act(kernel, call.launch, table.unpack(call.list, 1, call.n))
end

-- The device that a call runs on: that of its arrays.
local function device_of(given)
  for k = 1, given.n do
    if core.type(given[k]) == "array" then return given[k].device end
  end
  return core.device()
end

-- Notes the device of a call, and what the text of a kernel depends on.
local function set_device(call, device)
  call.in_line = false
  if call.device == device then return end
  call.device = device
  call.tensor_cores = device.cc >= 80
  call.groups = device.cc == 90 -- has it wgmma?
  call.most_shared = device.max_shared_memory_per_block_optin
end

-- Calls act(kernel, launch, ...) with the kernel, the launch and the arguments that a call of `k`
-- takes.
local function with_kernel(k, act, launch, ...)
  local state = core.jit_state(k)
  if type(launch) ~= "table" then
    fail(state.what, "argument 1: %s, got %s", WORDS, core.type(launch) or type(launch))
  end
  local given = table.pack(...)
  set_device(state.call, device_of(given))
  return run(k, state, act, launch, given, core.jit_spread(k, LARGE, ...))
end

local function start(kernel, launch, ...) return kernel(launch, ...) end

function Tiled.__call(k, launch, ...) return with_kernel(k, start, launch, ...) end

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
  return with_kernel(k, prepared, launch, ...)
end

for _, name in ipairs{ "time_ms", "benchmark" } do
  local function act(kernel, launch, ...) return kernel[name](kernel, launch, ...) end
  methods[name] = function(k, launch, ...)
    state_of(k, name)
    return with_kernel(k, act, launch, ...)
  end
end

-- The variant and the kernel for these arguments, else the latest ones.
local function chosen(k, method, ...)
  local state = state_of(k, method)
  if select("#", ...) > 0 then
    set_device(state.call, device_of(table.pack(...)))
    core.jit_spread(k, LARGE, ...)
  end
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
  local call = {} -- of the latest call: device, tensor_cores, groups, most_shared, in_line
  core.jit_new(k, { what = WHAT, source = setup.source, name = setup.name,
    symbol = setup.name .. "_kernel", count = #setup.source.node.params, bounds = "",
    options = {}, call = call, setup = setup, of_tiles = function()
      options.check_complete(WHAT, setup.options, values)
      return settings.new{ warps = values.warps, stages = values.stages,
        persistent = values.persistent, cluster = values.cluster,
        constants = options.constants(values), call = call }
    end })
  calls[k] = nil
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

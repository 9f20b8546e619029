-- jit.lua: cuda.jit: a Lua function becomes a kernel, one for each set of argument types.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local class = require "luacuda.base.class"
local declared = require "luacuda.jit.declared"
local kinds = require "luacuda.jit.kinds"
local nodes = require "luacuda.jit.nodes"
local scales = require "luacuda.jit.scales"
local types = require "luacuda.jit.types"
local text = require "luacuda.jit.text"
local upvalues = require "luacuda.jit.upvalues"
local variants = require "luacuda.jit.variant"

local fail = arguments.fail

local WHAT = "jit"
local OPTIONS = { "name", "fast_math", "max_threads", "min_blocks", "max_registers", "flags",
  "debug", "lineinfo" }

local states = setmetatable({}, { __mode = "k" })

-- Variants ----------------------------------------------------------------------------------------

local function refuse_argument(state, k, value)
  local kind = core.type(value) or type(value)
  local words = kind == "table" and "a table: pass an array, made by cuda.array" or kind
  fail(state.what, "argument %d '%s': expected an array, a number or a boolean, got %s", k,
    state.source.node.params[k].name, words)
end

local function check_count(state, n)
  local params = state.source.node.params
  if n == #params then return end
  fail(state.what, "the function takes %d arguments, and %d are given after the launch table",
    #params, n)
end

-- The list of the kernels for arguments of these types: they differ in what they depend on. It is
-- found through a tree whose branches are the types.
local function family_for(state, given, n, scale)
  local at = state.families
  for k = 1, n do
    local value = given[k]
    local t = kinds.of(value) or refuse_argument(state, k, value)
    if types.is_array(t) and value.size > nodes.SMALL then scale = "large" end
    local below = at[t]
    if not below then
      below = {}
      at[t] = below
    end
    at = below
  end
  local family = at[scale]
  if not family then
    family = { scale = scale }
    at[scale] = family
  end
  return family
end

local function types_of(given, n)
  local list = {}
  for k = 1, n do list[k] = kinds.of(given[k]) end
  return list
end

-- The kernel for these arguments, made if there is none.
local function variant_for(state, given, n, launch)
  check_count(state, n)
  local family = family_for(state, given, n, launch and scales.of(launch) or "few")
  for _, variant in ipairs(family) do
    if upvalues.hold(variant) then
      state.latest = variant
      return variant
    end
  end
  local made = variants.make(state, types_of(given, n), family.scale)
  family[#family + 1], state.latest = made, made
  return made
end

local function prepared(k, launch, ...)
  local state = states[k]
  if type(launch) ~= "table" then
    fail(state.what, "argument 1: expected a launch table such as { threads = n }, got %s",
      core.type(launch) or type(launch))
  end
  local given, n = { ... }, select("#", ...)
  local variant = variant_for(state, given, n, launch)
  return variants.call(variant, given)
end

-- The object --------------------------------------------------------------------------------------

local methods = {}

local Jit = class.new("Jit", methods,
  { "benchmark", "kernel", "prepare", "ptx", "run_in_lua", "source", "time_ms", "types" })

function Jit.__call(k, launch, ...)
  local kernel, list, n = prepared(k, launch, ...)
  return kernel(launch, table.unpack(list, 1, n))
end

function Jit.__tostring(k)
  local state = states[k]
  return ("luacuda.Jit %s (%s:%d)"):format(state.name, state.source.file, state.source.line)
end

local function check(k, method)
  return states[k] or fail(WHAT, "%s: expected a Jit before the ':', got %s", method,
    arguments.describe(k))
end

-- k:prepare(launch, ...) -> a Prepared that keeps these arguments
function methods.prepare(k, launch, ...)
  check(k, "prepare")
  local kernel, list, n = prepared(k, launch, ...)
  return kernel:prepare(launch):keep(table.unpack(list, 1, n))
end

for _, name in ipairs{ "time_ms", "benchmark" } do
  methods[name] = function(k, launch, ...)
    check(k, name)
    local kernel, list, n = prepared(k, launch, ...)
    return kernel[name](kernel, launch, table.unpack(list, 1, n))
  end
end

-- The kernel and the variant for these arguments, else the latest ones.
local function chosen(k, method, ...)
  local state = check(k, method)
  local n = select("#", ...)
  if n > 0 then
    local given = { ... }
    local variant = variant_for(state, given, n)
    return variants.call(variant, given), variant
  end
  local latest = state.latest
  if latest and latest.latest then return latest.latest, latest end
  fail(state.what, "%s: nothing is compiled yet: pass the arguments of a call", method)
end

-- k:source(...) -> the CUDA C++ of the kernel for these arguments, else of the latest one, without
-- the marks that tell the compiler where each statement comes from
function methods.source(k, ...)
  return (chosen(k, "source", ...):source():gsub('#line %d+ "[^\n]*\n', ""))
end

-- k:ptx(...) -> its PTX
function methods.ptx(k, ...) return chosen(k, "ptx", ...):ptx() end

-- k:kernel(...) -> the Kernel
function methods.kernel(k, ...) return (chosen(k, "kernel", ...)) end

-- k:types(...) -> a table of the variables' types by name
function methods.types(k, ...)
  local _, variant = chosen(k, "types", ...)
  return types.of_slots(variant.context.slots)
end

-- k:run_in_lua(launch, ...) runs the function as ordinary Lua, one thread after the other.
function methods.run_in_lua(k, launch, ...)
  local state = check(k, "run_in_lua")
  require("luacuda.jit.host").run(state.what, state.source.fn, launch, ...)
end

-- cuda.jit ----------------------------------------------------------------------------------------

local function count_option(options, name)
  local v = options[name]
  if v == nil or math.type(v) == "integer" and v >= 1 and v <= 1024 then return v end
  fail(WHAT, "option '%s': expected an integer from 1 to 1024, got %s", name,
    arguments.describe(v))
end

-- CUDA's bound of the number of threads of a block, for which the compiler chooses registers.
local function bounds(options)
  local threads, blocks = count_option(options, "max_threads"), count_option(options, "min_blocks")
  if blocks and not threads then fail(WHAT, "option 'min_blocks': needs 'max_threads'") end
  if not threads then return "" end
  return ("__launch_bounds__(%d%s) "):format(threads, blocks and ", " .. blocks or "")
end

-- The options of the compiler. The limit of registers is a flag: a source has one kernel.
local function compiler_options(options)
  local most = arguments.count(WHAT, options, "max_registers", 16, 255)
  if most and options.max_threads then
    fail(WHAT, "option 'max_registers': the compiler ignores it beside max_threads: give one")
  end
  local flags = options.flags
  if type(flags) ~= "table" then flags = { flags } end
  if most then
    flags = table.move(flags, 1, #flags, 1, {})
    flags[#flags + 1] = "--maxrregcount=" .. most
  end
  return { fast_math = options.fast_math, debug = options.debug, lineinfo = options.lineinfo,
    flags = flags[1] and flags }
end

-- jit(fn [, options]) -> Jit
local function jit(fn, options, ...)
  if select("#", ...) > 0 then fail(WHAT, "too many arguments") end
  options = arguments.options(WHAT, options, OPTIONS)
  local source = text.of(fn, WHAT)
  if source.node.vararg then
    fail(WHAT, "%s:%d: '...' cannot run on a device: name the parameters", source.file,
      source.line)
  end
  local found = options.name or declared.name_of(source) or "lua"
  local k = setmetatable({}, Jit)
  states[k] = { what = WHAT, source = source, name = found .. "_kernel", families = {},
    bounds = bounds(options), options = compiler_options(options) }
  return k
end

return { jit = jit }

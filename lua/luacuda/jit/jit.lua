-- jit.lua: cuda.jit: a Lua function becomes a kernel, one for each set of argument types.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local class = require "luacuda.base.class"
local text = require "luacuda.jit.read.function_text"
local kinds = require "luacuda.jit.typed.kinds"
local types = require "luacuda.jit.typed.value_types"
local variants = require "luacuda.jit.variant"

local fail = arguments.fail

local WHAT = "jit"
local OPTIONS = { "name", "fast_math", "max_threads", "min_blocks", "max_registers", "flags",
  "debug", "lineinfo" }

-- Hooks that C calls (lcul_jit_call.c) ------------------------------------------------------------

local hooks = {}

local function refuse_argument(state, k, value)
  local kind = core.type(value) or type(value)
  local words = kind == "table" and "a table: pass an array, made by cuda.array, or a struct, made "
    .. "by S{...} with S = cuda.struct(...)" or kind
  fail(state.what, "argument %d '%s': expected an array, a number, a boolean or a struct, got %s",
    k, state.source.node.params[k].name, words)
end

local function check_count(state, n)
  if n == state.count then return end
  fail(state.what, "the function takes %d arguments, and %d are given after the launch table",
    state.count, n)
end

-- Raises for the arguments of a call that are wrong.
function hooks.refuse(state, launch, ...)
  if type(launch) ~= "table" then
    fail(state.what, "argument 1: expected %s, got %s", state.launches
      or "a launch table such as { threads = n }", core.type(launch) or type(launch))
  end
  check_count(state, select("#", ...))
  for k = 1, state.count do
    local value = select(k, ...)
    if not kinds.of(value) then refuse_argument(state, k, value) end
  end
end

function hooks.make(state, scale, twins, packed, ...)
  local list = {}
  for k = 1, state.count do list[k] = kinds.of((select(k, ...))) end
  return variants.make(state, list, scale, twins, packed)
end

hooks.kernel = variants.kernel

core.hooks("jit", hooks)

-- The object --------------------------------------------------------------------------------------

local methods = {}

local Jit = class.new("Jit", methods,
  { "benchmark", "kernel", "prepare", "profile", "ptx", "run_in_lua", "source", "step",
    "time_ms", "tune", "types" })

Jit.__call = core.jit_call

function Jit.__tostring(k)
  local state = core.jit_state(k)
  return ("luacuda.Jit %s (%s:%d)"):format(state.name, state.source.file, state.source.line)
end

local function check(k, method)
  return core.jit_state(k) or fail(WHAT, "%s: expected a Jit before the ':', got %s", method,
    arguments.describe(k))
end

local function prepared(launch, kernel, ...)
  return core.prepared_seal(kernel:prepare(launch):keep(...))
end

-- k:prepare(launch, ...) -> a Prepared that keeps these arguments
function methods.prepare(k, launch, ...)
  check(k, "prepare")
  return prepared(launch, core.jit_spread(k, launch, ...))
end

for _, name in ipairs{ "time_ms", "benchmark" } do
  local function run(launch, kernel, ...) return kernel[name](kernel, launch, ...) end
  methods[name] = function(k, launch, ...)
    check(k, name)
    return run(launch, core.jit_spread(k, launch, ...))
  end
end

-- The variant and the kernel for these arguments, else the latest ones.
local function chosen(k, method, ...)
  local state = check(k, method)
  if select("#", ...) > 0 then core.jit_spread(k, {}, ...) end
  local variant, kernel = core.jit_latest(k)
  if variant then return variant, kernel end
  fail(state.what, "%s: nothing is compiled yet: pass the arguments of a call", method)
end

local function kernel_for(...) return (select(2, chosen(...))) end

-- k:source(...) -> the CUDA C++ of the kernel for these arguments, else of the latest one, without
-- the marks that tell the compiler where each statement comes from
function methods.source(k, ...)
  return (kernel_for(k, "source", ...):source():gsub('#line %d+ "[^\n]*\n', ""))
end

-- k:ptx(...) -> its PTX
function methods.ptx(k, ...) return kernel_for(k, "ptx", ...):ptx() end

-- k:kernel(...) -> the Kernel
function methods.kernel(k, ...) return kernel_for(k, "kernel", ...) end

-- k:types(...) -> a table of the variables' types by name
function methods.types(k, ...)
  return types.of_slots(chosen(k, "types", ...).context.slots)
end

-- k:run_in_lua(launch, ...) runs the function as ordinary Lua, one thread after the other.
function methods.run_in_lua(k, launch, ...)
  local state = check(k, "run_in_lua")
  if type(launch) == "table" then check_count(state, select("#", ...)) end
  require("luacuda.jit.run_in_lua.host").run(state.what, state.source.fn, launch, ...)
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
    fail(WHAT, "option 'max_registers': the compiler ignores it if max_threads is given")
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
  local found = options.name or text.declared_name(source) or "lua"
  local k = setmetatable({}, Jit)
  core.jit_new(k, { what = WHAT, source = source, name = found,
    symbol = found .. "_kernel", count = #source.node.params, bounds = bounds(options),
    options = compiler_options(options) })
  return k
end

return { jit = jit }

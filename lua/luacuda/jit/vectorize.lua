-- vectorize.lua: cuda.vectorize: a Lua function of numbers becomes a function of arrays that
-- computes one element at a time, with one elementwise kernel for each set of argument types.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local class = require "luacuda.base.class"
local params = require "luacuda.builder.params"
local elements = require "luacuda.jit.element_kernel"
local text = require "luacuda.jit.read.function_text"
local kinds = require "luacuda.jit.typed.kinds"
local types = require "luacuda.jit.typed.value_types"

local fail = arguments.fail

local WHAT = "vectorize"
local OPTIONS = { "name", "fast_math", "debug", "lineinfo" }

-- Types of arguments ------------------------------------------------------------------------------

local function refuse(state, k, text_of, ...)
  fail(state.name, "argument %d '%s': " .. text_of, k, state.source.node.params[k].name, ...)
end

local function refuse_value(state, k, value)
  if arguments.traced_by(value) then
    fail(state.name, "cannot be a part of a fused function: call it outside, or write all of it as "
      .. "one function for cuda.vectorize")
  end
  local kind = arguments.open_type(value) or type(value)
  refuse(state, k, "expected an array, a number or a boolean, got %s",
    kind == "table" and "a table: pass an array, made by cuda.array" or kind)
end

local HAS_MEMORY = { table = true, userdata = true }

-- The type of one element of an argument.
local function type_of(state, k, value)
  if core.type(value) == "array" then return value.dtype end
  local t = kinds.of(value)
  if t ~= nil then return t end
  local array = HAS_MEMORY[type(value)] and core.foreign(value)
  return array and array.dtype or refuse_value(state, k, value)
end

local function check_count(state, n)
  if n >= state.count then return end
  fail(state.name, "the function takes %d argument%s, got %d", state.count,
    state.count == 1 and "" or "s", n)
end

local function types_of(state, ...)
  local list = {}
  for k = 1, state.count do list[k] = type_of(state, k, (select(k, ...))) end
  return list
end

-- Hooks that C calls (lcul_vectorize.c) -----------------------------------------------------------

local hooks = {}

-- Raises for the arguments of a call that are wrong.
function hooks.refuse(state, ...)
  check_count(state, select("#", ...))
  types_of(state, ...)
end

function hooks.make(state, ...) return elements.make(state, types_of(state, ...)) end

core.hooks("vectorize", hooks)

-- The object --------------------------------------------------------------------------------------

local methods = {}

local Vectorized = class.new("Vectorized", methods, { "profile", "ptx", "source",
  "types" })

Vectorized.__call = core.vectorize_call

function Vectorized.__tostring(v)
  local state = core.vectorize_state(v)
  return ("luacuda.Vectorized %s (%s:%d)"):format(state.name, state.source.file, state.source.line)
end

-- The variant for these arguments, else the latest one.
local function chosen(v, method, ...)
  local state = core.vectorize_state(v)
  if not state then
    fail(WHAT, "%s: expected a Vectorized before the ':', got %s", method, arguments.describe(v))
  end
  return core.vectorize_member(v, ...)
    or fail(state.name, "%s: nothing is compiled yet: pass the arguments of a call", method)
end

-- v:source(...) -> CUDA text of the kernel that a call with these arguments runs; without
-- arguments, of the latest one
function methods.source(v, ...) return chosen(v, "source", ...).target:source(...) end

-- v:ptx(...) -> PTX of this kernel
function methods.ptx(v, ...) return chosen(v, "ptx", ...).target:ptx(...) end

-- v:types(...) -> a table of the variables' types by name
function methods.types(v, ...)
  return types.of_slots(chosen(v, "types", ...).context.slots)
end

-- cuda.vectorize ----------------------------------------------------------------------------------

local function check_parameters(source)
  local problem
  if source.node.vararg then problem = "'...' cannot run on a device: name the parameters"
  elseif #source.node.params == 0 then
    problem = "the function has no parameters, so nothing gives the shape of its results"
  end
  if problem then fail(WHAT, "%s:%d: %s", source.file, source.line, problem) end
end

-- vectorize(fn [, options]) -> Vectorized
local function vectorize(fn, options, ...)
  if select("#", ...) > 0 then fail(WHAT, "too many arguments") end
  options = arguments.options(WHAT, options, OPTIONS)
  if options.name ~= nil then params.check_kernel_name(WHAT, options.name) end
  local source = text.of(fn, WHAT)
  check_parameters(source)
  local v = setmetatable({}, Vectorized)
  core.vectorize_new(v, { what = WHAT, source = source, count = #source.node.params,
    name = options.name or text.declared_name(source) or "vectorized",
    options = { fast_math = options.fast_math, debug = options.debug,
    lineinfo = options.lineinfo } })
  return v
end

return { vectorize = vectorize }

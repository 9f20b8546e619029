-- reduction.lua: cuda.reduction: kernels that reduce axes of arrays, from a few C++ expressions. C
-- makes the calls (lcul_reduction.c); this file reads the declaration and makes the kernel of a
-- variant.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail
local number = require "luacuda.base.number"
local compiler = require "luacuda.builder.compiler_options"
local declaration = require "luacuda.builder.declaration"
local instances = require "luacuda.builder.instances"
local parts = require "luacuda.builder.elementwise_parts"
local mentions = require "luacuda.builder.mentions"
local params = require "luacuda.builder.params"
local reduction_parts = require "luacuda.builder.reduction_parts"
local generator = require "luacuda.builder.reduction_source"
local variants = require "luacuda.builder.variants"
local origins = require "luacuda.source.origins"
require "luacuda.builder.elementwise"           -- its hook resolves the types of calls

local WHAT = "reduction"
local TEXTS = { "inputs", "outputs", "map", "reduce", "post", "identity", "name" }
local OPTIONS = compiler.known("reduce_type", "reduce_dims", "preamble")
local USER_TEXTS = { "map", "reduce", "post", "identity", "preamble", "reduce_type" }       -- C++

-- Declarations ------------------------------------------------------------------------------------

local function check_text(value, label) return declaration.check_text(WHAT, value, label) end

local function expression(value, label)
  if not mentions.bare(check_text(value, label)):find "[^%s;]" then
    fail(WHAT, "%s is empty", label)
  end
  return value
end

local function identity_text(value)
  return number.text(value) or expression(value, "the identity")
end

local RESERVED = { a = "the value so far", b = "the value to add",
  _j = "the index along the reduced axes" }

local function check_outputs(list, nin, nout)
  params.check_count(WHAT, #list)
  if nout == 0 then fail(WHAT, "there are no output parameters") end
  for k = nin + 1, #list do
    if list[k].raw then
      fail(WHAT, "output '%s': outputs of reductions cannot be raw", list[k].name)
    end
  end
end

local function reduce_type(given)
  local text = given.reduce_type
  if text == nil then return nil end
  return expression(text, "option 'reduce_type'")
end

local function registered(text, what, name)
  return origins.register(text, what .. " of " .. name)
end

-- The state of a Reduction: see reduction_source.text; it also has variants (list of { desc =,
-- kernel = }).
local function new_state(given)
  local state = { name = params.check_kernel_name(WHAT, given.name), variants = {} }
  local nout
  declaration.check_flag(WHAT, given, "reduce_dims")
  state.options, state.macros, state.texts = compiler.read(WHAT, given, USER_TEXTS)
  state.params, state.nin, nout = params.parse(WHAT, given.inputs, given.outputs, RESERVED)
  params.refuse_handles(WHAT, state.params)
  check_outputs(state.params, state.nin, nout)
  state.map = registered(expression(given.map, "a map expression"), "map expression", state.name)
  state.reduce = registered(expression(given.reduce, "a reduce expression"), "reduce expression",
    state.name)
  state.post = registered(expression(given.post, "a post expression"), "post expression",
    state.name)
  if given.identity ~= nil then
    state.identity = registered(identity_text(given.identity), "identity", state.name)
  end
  if given.preamble ~= nil then
    state.preamble = registered(check_text(given.preamble, "option 'preamble'"), "preamble",
      state.name)
  end
  state.reduce_type = reduce_type(given)
  state.mentioned = mentions.named(given, USER_TEXTS)
  local text = mentions.expanded(given.map .. "\n" .. given.post, given)
  state.indices = { i = parts.uses(text, "i"), _j = parts.uses(text, "_j") }
  state.shaped = mentions.asks_shape(text, given)
  return state, nout
end

local function new(state, nout)
  local raw = {}
  for k, p in ipairs(state.params) do raw[k] = p.raw end
  return core.reduction_new(state,
    { inputs = state.nin, outputs = nout, raw = raw, shaped = state.shaped,
    structs = not state.own, identity = state.identity ~= nil, i = state.indices.i,
    j = state.indices._j, own = state.own, takes_dtype = state.takes_dtype,
    takes_ddof = state.takes_ddof })
end

local function read(...) return declaration.read(WHAT, TEXTS, OPTIONS, ...) end

-- make(given [, bodies]) -> Reduction, as elementwise.make
local function make(given, bodies)
  local state, nout = new_state(given)
  state.bodies, state.guards = bodies, bodies and bodies.guards
  return new(state, nout)
end

-- cuda.reduction(inputs, outputs, map, reduce, post, identity, name [, options]), or all in one
-- table
local function reduction(...) return make(read(...)) end

-- A reduction of the library itself. `neutral` is an identity that does not count when there are no
-- elements; `bytes` is the size of a reduce_type that is not a dtype; `takes_dtype` and
-- `takes_ddof` say which options the caller reads itself. The kernel's name gets a prefix, because
-- "min" and "std" have a meaning in C++.
--
-- With `fold` = { item =, text = } a thread takes several values at a time: `text` defines
-- template <int N> _lcu_acc _lcu_fold(const _lcu_acc &a, const _lcu_item (&v)[N]), which adds N
-- values of `map` to `a`, and may ask _lcu_in_order, whether they come in the order of their
-- indices; `item` is the C++ type of a value (that of the reduction unless given).
--
-- `seek` is described in reduction_seek.lua.
local function own(given)
  local state, nout = new_state(given)
  state.own, state.takes_dtype, state.takes_ddof = true, given.takes_dtype, given.takes_ddof
  state.kernel, state.bytes = "luacuda_" .. given.name, given.bytes
  state.neutral = given.neutral and registered(given.neutral, "identity", state.name)
  if given.seek then
    state.seek = { text = given.seek.text,
      map = registered(given.seek.map, "map expression", state.name) }
  end
  state.fold = given.fold
  return new(state, nout)
end

-- Hooks that C calls ------------------------------------------------------------------------------

local hooks = {}

-- The size of a state that only the compiler can compute.
local function ask_state_bytes(module, device)
  local previous = core.use(device)
  local ok, room = pcall(module.global, module, "_lcu_state_room")
  core.use(previous)
  if not ok then error(room, 0) end
  local bytes = room.nbytes
  room:free()
  return bytes
end

local function made(state, desc)
  local text, bytes = generator.text(state, desc)
  local options = { source = text }
  for key, value in pairs(state.options) do options[key] = value end
  local module = require("luacuda.kernel.module").module(options)
  local kernel = require("luacuda.kernel.kernel").adopt(module:kernel(state.kernel or state.name))
  if desc.pass == "partial" and not bytes then bytes = ask_state_bytes(module, desc.device) end
  return kernel, bytes or 0
end

-- -> kernel, the bytes of a partial result where the kernel writes partial results, the number of
-- the instance of the texts
function hooks.build(state, desc)
  parts.name_structs(state, desc)
  local _, accumulator = reduction_parts.accumulator(state, desc)
  desc.accumulator = accumulator and accumulator.name
  local kernel, bytes, instance = instances.build(state, desc, made)
  desc.device = nil -- kept, it would keep a context open
  variants.add(state, desc, kernel)
  return kernel, bytes, instance or 0
end

core.hooks("reduction", hooks)

-- Methods -----------------------------------------------------------------------------------------

variants.add_methods(core.class "Reduction",
  { state = core.builder_state, kernels = core.reduction_kernels,
  columns = { "mode", "pass", "vector", "rows", "kept", "inner", "wide", "lanes" } })

return { reduction = reduction, own = own, read = read, make = make }

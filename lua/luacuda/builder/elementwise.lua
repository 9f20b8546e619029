-- elementwise.lua: cuda.elementwise: kernels that compute one element at a time, from a body in
-- CUDA C++. C makes the calls (lcul_elementwise.c); this file reads the declaration, resolves the
-- types of a call and makes the kernel of a variant.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail
local compiler = require "luacuda.builder.compiler_options"
local declaration = require "luacuda.builder.declaration"
local parts = require "luacuda.builder.elementwise_parts"
local generator = require "luacuda.builder.elementwise_source"
local instances = require "luacuda.builder.instances"
local mentions = require "luacuda.builder.mentions"
local params = require "luacuda.builder.params"
local types_of_call = require "luacuda.builder.types"
local variants = require "luacuda.builder.variants"
local origins = require "luacuda.source.origins"

local WHAT = "elementwise"
local OPTIONS = compiler.known("preamble", "loop_prep", "after_loop", "reduce_dims", "no_return",
  "return_tuple")
local POSITIONS = { "inputs", "outputs", "body", "name" }
local USER_TEXTS = { "body", "preamble", "loop_prep", "after_loop" }        -- C++
local FLAGS = { "reduce_dims", "no_return", "return_tuple" }

-- Declarations ------------------------------------------------------------------------------------

local function check_text(value, label) return declaration.check_text(WHAT, value, label) end

-- Which names of generated code the texts use, directly or through macros: uses_i, uses_ind,
-- coordinates (more of _ind than its size), shaped (extents of raw arrays), by_value (the types of
-- raw arrays); and uses_continue: may the body end with `continue`?
local function used_names(given)
  local body = mentions.expanded(given.body, given)
  local text = table.concat({ body, given.loop_prep or "", given.after_loop or "" }, "\n")
  text = mentions.expanded(text, {})
  local coordinates = mentions.asks_index(text)
  return { uses_i = coordinates or generator.uses(body, "i"),
    uses_ind = generator.uses(text, "_ind"), coordinates = coordinates,
    uses_continue = generator.uses(body, "continue"),
    shaped = mentions.asks_shape(text, given), by_value = generator.uses(text, "decltype") }
end

local function check_flags(given)
  for _, name in ipairs(FLAGS) do declaration.check_flag(WHAT, given, name) end
  if given.no_return and given.return_tuple then
    fail(WHAT, "options 'no_return' and 'return_tuple' exclude each other")
  end
end

local function raw_flags(list)
  local raw = {}
  for k, p in ipairs(list) do raw[k] = p.raw end
  return raw
end

-- The letter of each parameter: "t" and "s" for textures and surfaces, "-" for others.
local function handles(list)
  local letters = {}
  for k, p in ipairs(list) do letters[k] = p.handle and p.handle:match "cuda(%u)":lower() or "-" end
  return table.concat(letters)
end

local function registered(state, given, key)
  if given[key] == nil then return nil end
  return origins.register(check_text(given[key], ("option '%s'"):format(key)),
    ("%s of %s"):format(key, state.name))
end

-- The state of an Elementwise: name, params (list, inputs first), nin, body, preamble, loop_prep
-- and after_loop (origins; all but the body may be nil), options (for the compiler), macros,
-- mentioned, what used_names gives, variants (list of { desc =, kernel = }).
local function new_state(given)
  check_text(given.body, "a body")
  local state = { name = params.check_kernel_name(WHAT, given.name), variants = {}, adopts = true }
  local nout
  check_flags(given)
  state.options, state.macros, state.texts = compiler.read(WHAT, given, USER_TEXTS)
  state.params, state.nin, nout = params.parse(WHAT, given.inputs, given.outputs)
  params.refuse_handles(WHAT, state.params, state.nin + 1,
    "textures and surfaces are inputs, also those that the body writes")
  if nout == 0 then fail(WHAT, "there are no output parameters") end
  params.check_count(WHAT, #state.params)
  state.mentioned = mentions.named(given, USER_TEXTS)
  for _, key in ipairs(USER_TEXTS) do state[key] = registered(state, given, key) end
  for name, used in pairs(used_names(given)) do state[name] = used end
  return state, nout
end

local function read(...) return declaration.read(WHAT, POSITIONS, OPTIONS, ...) end

-- make(given [, bodies]) -> Elementwise. `given`: what read(...) gives of the arguments of
-- cuda.elementwise; `bodies` makes texts for the types of a call (instances.lua), of which `given`
-- has texts that use the same names.
local function make(given, bodies)
  local state, nout = new_state(given)
  state.bodies, state.guards = bodies, bodies and bodies.guards
  return core.elementwise_new(state,
    { inputs = state.nin, outputs = nout, raw = raw_flags(state.params),
    handles = handles(state.params), indexed = state.uses_i, coordinates = state.coordinates,
    shaped = state.shaped, structs = true, no_return = given.no_return,
    return_tuple = given.return_tuple })
end

-- cuda.elementwise(inputs, outputs, body, name [, options]), or all in one table
local function elementwise(...) return make(read(...)) end

-- Hooks that C calls ------------------------------------------------------------------------------
-- States of the library's own kernels also have functions: resolve(state, kinds) -> types as
-- types_of_call.resolve gives them, and variant(state, types) -> { name =, shown = that for users,
-- params =, nin =, body =, preamble = } for these types.

local hooks = {}

-- adopt(state, k, handle) -> did the parameter become a texture or surface? It does if its type is
-- a placeholder and this is the first call.
function hooks.adopt(state, k, handle)
  local p = state.params[k]
  if not state.adopts or not p.placeholder or #state.variants > 0 then return false end
  p.placeholder, p.alias, p.dtype, p.handle = nil, p.placeholder, "uint64", handle
  return true
end

function hooks.resolve(state, kinds)
  if state.resolve then return state.resolve(state, kinds) end
  return types_of_call.resolve(state.name, state.params, state.nin, kinds)
end

local function made(state, desc)
  -- a body and name for these types only
  local given = state.variant and state.variant(state, desc.types) or state
  local text, threads, per = generator.text(given, desc)
  local options = { source = text, name = given.name }
  for key, value in pairs(state.options or {}) do options[key] = value end
  local kernels = require "luacuda.kernel.kernel"
  return kernels.show(kernels.own(options), given.shown), threads, per
end

-- -> kernel, threads per block, units per thread, number of the instance of the texts
function hooks.build(state, desc)
  parts.name_structs(state, desc)
  local kernel, threads, per, instance = instances.build(state, desc, made)
  variants.add(state, desc, kernel)
  return kernel, threads, per, instance or 0
end

core.hooks("elementwise", hooks)

-- Methods -----------------------------------------------------------------------------------------

-- The description of a variant for contiguous arrays, before any call. All types have to be fixed.
local function flat_description(state, types)
  local desc = { types = types, mode = "flat", vector = 1, ndim = 1, wide = false,
    kind = core.device().kind, params = {}, axes = state.coordinates and 1 or nil }
  for k, p in ipairs(state.params) do
    desc.params[k] = p.raw and { kind = "raw", ndim = 0, contiguous = true }
      or { kind = "array", class = "unit" }
  end
  return desc
end

-- Does an element have a struct, of which only an array knows the fields?
local function has_struct_elements(state)
  for _, p in ipairs(state.params) do
    if p.struct and not p.raw then return true end
  end
  return false
end

-- CUDA text before any call; nil where the types depend on the call.
local function text_ahead(state)
  local types = types_of_call.fixed(state.params)
  if not types or state.bodies and state.shaped or has_struct_elements(state) then return nil end
  local desc = flat_description(state, types)
  if not state.bodies then return (generator.text(state, desc)) end
  return (generator.text(instances.applied(state, desc, state.bodies:find(desc))))
end

variants.add_methods(core.class "Elementwise",
  { state = core.builder_state, kernels = core.elementwise_kernels, ahead = text_ahead,
  columns = { "mode", "vector", "ndim", "wide" } })

return { elementwise = elementwise, new = core.elementwise_new, read = read, make = make }

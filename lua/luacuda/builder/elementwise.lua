-- elementwise.lua: cuda.elementwise: kernels that compute one element at a time, from a body in
-- CUDA C++. C makes the calls (lcul_elementwise.c); this file reads the declaration, resolves the
-- types of a call and makes the kernel of a variant.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail
local compiler = require "luacuda.builder.compiler_options"
local declaration = require "luacuda.builder.declaration"
local generator = require "luacuda.builder.elementwise_source"
local mentions = require "luacuda.builder.mentions"
local params = require "luacuda.builder.params"
local types_of_call = require "luacuda.builder.types"
local variants = require "luacuda.builder.variants"
local origins = require "luacuda.source.origins"

local WHAT = "elementwise"
local OPTIONS = compiler.known "preamble"
local POSITIONS = { "inputs", "outputs", "body", "name" }
local USER_TEXTS = { "body", "preamble" }           -- C++

-- Declarations ------------------------------------------------------------------------------------

local function check_text(value, label) return declaration.check_text(WHAT, value, label) end

-- Which names of generated code a body uses, directly or through macros, and whether it may end
-- with `continue`.
local function used_names(given)
  local text = mentions.expanded(given.body, given)
  return { index = generator.uses(text, "i"), ind = generator.uses(text, "_ind"),
    continue = generator.uses(text, "continue"), shape = mentions.asks_shape(text, given) }
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

-- The state of an Elementwise: name, params (list, inputs first), nin, body and preamble
-- (origins), options (for the compiler), macros, uses_i, uses_ind, uses_continue, shaped (does the
-- body use extents of raw arrays?), mentioned, variants (list of { desc =, kernel = }).
local function new_state(given)
  local body = check_text(given.body, "a body")
  if not mentions.bare(body):find "[^%s;]" then fail(WHAT, "the body is empty") end
  local state = { name = params.check_kernel_name(WHAT, given.name), variants = {} }
  local nout
  state.options, state.macros = compiler.read(WHAT, given, USER_TEXTS)
  state.params, state.nin, nout = params.parse(WHAT, given.inputs, given.outputs)
  params.refuse_handles(WHAT, state.params, state.nin + 1,
    "textures and surfaces are inputs, also those that the body writes")
  if nout == 0 then fail(WHAT, "there are no output parameters") end
  params.check_count(WHAT, #state.params)
  state.mentioned = mentions.named(given, USER_TEXTS)
  state.body = origins.register(body, "body of " .. state.name)
  if given.preamble ~= nil then
    state.preamble = origins.register(check_text(given.preamble, "option 'preamble'"),
      "preamble of " .. state.name)
  end
  return state, nout
end

-- cuda.elementwise(inputs, outputs, body, name [, options]), or all in one table
local function elementwise(...)
  local given = declaration.read(WHAT, POSITIONS, OPTIONS, ...)
  local state, nout = new_state(given)
  local names = used_names(given)
  state.uses_i, state.uses_ind, state.uses_continue, state.shaped = names.index, names.ind,
    names.continue, names.shape
  return core.elementwise_new(state,
    { inputs = state.nin, outputs = nout, raw = raw_flags(state.params),
    handles = handles(state.params), indexed = names.index, shaped = names.shape })
end

-- Hooks that C calls ------------------------------------------------------------------------------
-- States of the library's own kernels also have functions: resolve(state, kinds) -> types as
-- types_of_call.resolve gives them, and variant(state, types) -> { name =, params =, nin =, body =,
-- preamble = } for these types.

local hooks = {}

function hooks.resolve(state, kinds)
  if state.resolve then return state.resolve(state, kinds) end
  return types_of_call.resolve(state.name, state.params, state.nin, kinds)
end

function hooks.build(state, desc)
  -- a body and name for these types only
  local given = state.variant and state.variant(state, desc.types) or state
  local text, threads, per = generator.text(given, desc)
  local options = { source = text, name = given.name }
  for key, value in pairs(state.options or {}) do options[key] = value end
  local kernel = require("luacuda.kernel.kernel").own(options)
  variants.add(state, desc, kernel)
  return kernel, threads, per
end

core.hooks("elementwise", hooks)

-- Methods -----------------------------------------------------------------------------------------

-- The description of a variant for contiguous arrays, before any call. All types have to be fixed.
local function flat_description(state, types)
  local desc = { types = types, mode = "flat", vector = 1, ndim = 1, wide = false,
    device = core.device(), params = {} }
  for k, p in ipairs(state.params) do
    desc.params[k] = p.raw and { kind = "raw", ndim = 0, contiguous = true }
      or { kind = "array", class = "unit" }
  end
  return desc
end

-- CUDA text before any call; nil where the types depend on the call.
local function text_ahead(state)
  local types = types_of_call.fixed(state.params)
  return types and generator.text(state, flat_description(state, types))
end

variants.add_methods(core.class "Elementwise",
  { state = core.builder_state, kernels = core.elementwise_kernels, ahead = text_ahead,
  columns = { "mode", "vector", "ndim", "wide" } })

return { elementwise = elementwise }

-- elements.lua: a Lua function of single elements as an elementwise kernel, for one set of argument
-- types.

local core = require "luacuda.core"
local ufunc = require "luacuda.array.ufunc"
local params_of = require "luacuda.builder.params"
local body_text = require "luacuda.jit.body_text"
local callee = require "luacuda.jit.callee"
local types = require "luacuda.jit.types"
local units = require "luacuda.jit.unit"
local upvalues = require "luacuda.jit.upvalues"
require "luacuda.builder.elementwise"

local function inferred(state, list)
  local unit, params = units.new(state.what, state.source), {}
  unit.of_elements, unit.debug = true, state.options.debug
  for k, t in ipairs(list) do params[k] = { type = t } end
  return callee.infer(unit, state.source, state.name, params)
end

-- The parameters of the kernel, their dtypes, and the names of the results.
local function parameters(ctx, list)
  local params, dtypes, outs = {}, {}, {}
  for k, var in ipairs(ctx.fn.params) do
    dtypes[k] = types.dtype_of(list[k])
    params[k] = { name = var.name, variable = ctx.slots[var].name, dtype = dtypes[k], raw = false }
  end
  for k, t in ipairs(ctx.results) do
    outs[k] = #ctx.results == 1 and "out" or "out" .. k
    dtypes[#dtypes + 1] = types.dtype_of(t)
    params[#params + 1] = { name = outs[k], dtype = types.dtype_of(t), raw = false }
  end
  params_of.check_count(ctx.unit.what, #params)
  return params, dtypes, outs
end

-- The name of the kernel must differ from those of C++ functions.
local function renamed(own)
  return setmetatable({ name = "luacuda_" .. own.name, shown = own.name }, { __index = own })
end

-- Products are rounded as in ufuncs and fused functions, so that all agree.
local function compiler_options(state)
  local options = { flags = not state.options.fast_math and ufunc.OPTIONS.flags or nil }
  for name, value in pairs(state.options) do options[name] = value end
  return options
end

-- The texts of the kernel as builder/instances.lua takes them. Whether they hold is known before a
-- call, so that C asks only for arrays.
local function instances(ctx, outs)
  local instance, args = upvalues.instance(ctx.unit), {}
  for k, var in ipairs(ctx.fn.params) do args[k] = ctx.slots[var].name end
  instance.functions = body_text.functions(ctx.unit)
  instance.texts = { body = body_text.assign(outs, body_text.call(ctx, args)) }
  instance.kernels, instance.number = {}, #instance.hiddens > 0 and 1 or 0
  return instance, { find = function() return instance end,
    values = function() return upvalues.values(instance) end }
end

-- make(state, list) -> { guards, context, target = the Elementwise } for arguments of
-- these types. state: what, name, source, options (for the compiler).
local function make(state, list)
  local ctx = inferred(state, list)
  local params, dtypes, outs = parameters(ctx, list)
  local instance, bodies = instances(ctx, outs)
  local own = { name = state.name, params = params, nin = #list, variants = {}, bodies = bodies,
    options = compiler_options(state), resolve = function() return dtypes end, variant = renamed }
  local target = core.elementwise_new(own, { inputs = #list, outputs = #outs })
  return { guards = upvalues.flat(instance), context = ctx, target = target }
end

return { make = make }

-- element_kernel.lua: a Lua function of single elements as an elementwise kernel, for one set of
-- argument types.

local elementwise = require "luacuda.builder.elementwise"
local params_of = require "luacuda.builder.params"
local ufunc = require "luacuda.array.ufunc"
local body_params = require "luacuda.jit.body_params"
local body_text = require "luacuda.jit.body_text"
local callee = require "luacuda.jit.infer.callee"
local report = require "luacuda.jit.typed.report"
local slots = require "luacuda.jit.typed.slots"
local types = require "luacuda.jit.typed.value_types"
local units = require "luacuda.jit.unit"
local upvalues = require "luacuda.jit.upvalues"

-- Elements are only read.
local function check_written(ctx, list)
  for k, var in ipairs(ctx.fn.params) do
    local origin = type(list[k]) ~= "string" and ctx.slots[var].origin
    if origin and slots.origin(origin).written then
      report.fail(ctx, ctx.fn, "the function writes to '%s', which is an element of an argument: "
        .. "return the new values", var.name)
    end
  end
end

-- The context of the function, and for each parameter a format for its C++ argument.
local function inferred(state, list)
  local unit, params, formats = units.new(state.what, state.source), {}, {}
  unit.of_elements, unit.debug = true, state.options.debug
  for k, t in ipairs(list) do
    formats[k] = "%s"
    if type(t) ~= "string" then t, formats[k] = body_params.struct_value(unit, t) end
    params[k] = { type = t }
  end
  local ctx = callee.infer(unit, state.source, state.name, params)
  check_written(ctx, list)
  return ctx, formats
end

-- The type of parameter k's elements as builders have it.
local function element_type(t) return type(t) == "string" and types.dtype_of(t) or t end

-- The parameters of the kernel, their dtypes, and the names of the results.
local function parameters(ctx, list)
  local params, dtypes, outs = {}, {}, {}
  for k, var in ipairs(ctx.fn.params) do
    dtypes[k] = element_type(list[k])
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
local function instances(ctx, outs, formats)
  local instance, args = upvalues.instance(ctx.unit), {}
  for k, var in ipairs(ctx.fn.params) do args[k] = formats[k]:format(ctx.slots[var].name) end
  instance.functions = body_text.functions(ctx.unit)
  instance.texts = { body = body_text.assign(outs, body_text.call(ctx, args)) }
  instance.kernels, instance.number = {}, #instance.hiddens > 0 and 1 or 0
  return instance, { find = function() return instance end,
    values = function() return upvalues.values(instance) end }
end

local NO_TEXTS = { all = {}, defining = {} }

-- make(state, list) -> { guards, context, target = the Elementwise } for arguments of
-- these types. state: what, name, source, options (for the compiler).
local function make(state, list)
  local ctx, formats = inferred(state, list)
  local params, dtypes, outs = parameters(ctx, list)
  local instance, bodies = instances(ctx, outs, formats)
  local own = { name = state.name, params = params, nin = #list, variants = {}, bodies = bodies,
    options = compiler_options(state), texts = NO_TEXTS,
    resolve = function() return dtypes end, variant = renamed }
  local target = elementwise.new(own, { inputs = #list, outputs = #outs, structs = true })
  return { guards = upvalues.flat(instance), context = ctx, target = target }
end

return { make = make }

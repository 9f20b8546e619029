-- elements.lua: a Lua function of single elements as an elementwise kernel, for one set of argument
-- types.

local core = require "luacuda.core"
local ufunc = require "luacuda.array.ufunc"
local params_of = require "luacuda.builder.params"
local emit = require "luacuda.jit.emit"
local infer = require "luacuda.jit.infer"
local report = require "luacuda.jit.report"
local types = require "luacuda.jit.types"
local units = require "luacuda.jit.unit"
require "luacuda.builder.elementwise"
require "luacuda.jit.variant"

local fail = report.fail

-- Inference ---------------------------------------------------------------------------------------

local function context(unit, state, list)
  local source = state.source
  local ctx = { unit = unit, source = source, fn = source.node, name = unit:name(state.name),
    slots = {}, results = {}, captured = {} }
  for k, var in ipairs(source.node.params) do
    local slot = infer.slot(ctx, var)
    slot.type = list[k] == "int!" and slot.assigned and "int" or list[k]
    slot.place = ("%s:%d"):format(source.file, source.line)
    unit:mention(list[k])
  end
  return ctx
end

local function check_results(ctx)
  if #ctx.results == 0 then
    fail(ctx, ctx.fn, "the function returns nothing: it computes one element of each result")
  end
  if ctx.falls then
    fail(ctx, ctx.fn, "the function returns a value at %s, and may also end without one",
      ctx.results_place)
  end
end

local function inferred(state, list)
  local unit = units.new(state.what, state.source)
  unit.of_elements = true
  local ctx = context(unit, state, list)
  unit.stack[1] = { node = state.source.node, name = state.name }
  infer.body(ctx, state.source.node)
  check_results(ctx)
  table.insert(unit.instances, ctx)
  return ctx
end

-- The kernel --------------------------------------------------------------------------------------

local function body_of(ctx, outs)
  local args = {}
  for k, var in ipairs(ctx.fn.params) do args[k] = ctx.slots[var].name end
  local call = ("%s(%s)"):format(ctx.name, table.concat(args, ", "))
  if #outs == 1 then return ("%s = %s;\n"):format(outs[1], call) end
  local lines = { ("const auto _r = %s;\n"):format(call) }
  for k, out in ipairs(outs) do lines[k + 1] = ("%s = _r.v%d;\n"):format(out, k) end
  return table.concat(lines)
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
  return setmetatable({ name = "luacuda_" .. own.name }, { __index = own })
end

-- Products are rounded as in ufuncs and fused functions, so that all agree.
local function compiler_options(state, unit)
  local options = { flags = not state.options.fast_math and ufunc.OPTIONS.flags or nil }
  for name, value in pairs(state.options) do options[name] = value end
  return unit:options(options)
end

-- make(state, list) -> { guards, hiddens, context, target = the Elementwise } for arguments of
-- these types. state: what, name, source, options (for the compiler).
local function make(state, list)
  local ctx = inferred(state, list)
  local params, dtypes, outs = parameters(ctx, list)
  local preamble = emit.functions(ctx.unit)
  local own = { name = state.name, params = params, nin = #list, variants = {},
    body = body_of(ctx, outs), preamble = preamble, mentioned = ctx.unit.dtypes,
    options = compiler_options(state, ctx.unit), resolve = function() return dtypes end,
    variant = renamed }
  local target = core.elementwise_new(own, { inputs = #list, outputs = #outs })
  return { guards = ctx.unit.guards, hiddens = ctx.unit.hiddens, context = ctx, target = target }
end

return { make = make }

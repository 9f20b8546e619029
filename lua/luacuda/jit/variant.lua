-- variant.lua: the kernel of a Lua function for one set of argument types, and what is passed to
-- it.

local core = require "luacuda.core"
local dtypes = require "luacuda.base.dtypes"
local kernels = require "luacuda.kernel.kernel"
local emit = require "luacuda.jit.emit"
local infer = require "luacuda.jit.infer"
local kinds = require "luacuda.jit.kinds"
local types = require "luacuda.jit.types"
local units = require "luacuda.jit.unit"
require "luacuda.jit.infer_assign"
require "luacuda.jit.infer_calls"
require "luacuda.jit.infer_expressions"
require "luacuda.jit.infer_operators"
require "luacuda.jit.infer_statements"
require "luacuda.jit.memory"

local M = {}

-- Making ------------------------------------------------------------------------------------------

-- A kernel of this source for arguments of these types; `small`: no array has 2^31 elements.
local function context(unit, source, list, small)
  local ctx = { unit = unit, source = source, fn = source.node, slots = {}, results = {},
    captured = {}, is_kernel = true, parameters = {} }
  for k, var in ipairs(source.node.params) do
    local slot = infer.slot(ctx, var)
    slot.type = list[k] == "int!" and slot.assigned and "int" or list[k]
    slot.place = ("%s:%d"):format(source.file, source.line)
    unit:mention(list[k])
    if types.is_array(list[k]) then
      slot.origin, slot.small = {}, small and not slot.assigned
      unit:mention(list[k].dtype)
    end
    ctx.parameters[k] = slot
  end
  return ctx
end

local function add_hidden(unit, ctx)
  for _, hidden in ipairs(unit.hiddens) do
    ctx.parameters[#ctx.parameters + 1] = hidden.slot
  end
end

-- make(state, list, small) -> variant { kernel, guards, hiddens, types, names }
function M.make(state, list, small)
  local source = state.source
  local unit = units.new(state.what, source)
  local ctx = context(unit, source, list, small)
  unit.stack[1] = { node = source.node, name = state.name }
  infer.body(ctx, source.node)
  add_hidden(unit, ctx)
  local text = emit.kernel(unit, ctx, state.name, state.bounds)
  local options = { source = text, name = state.name }
  for key, value in pairs(state.options) do options[key] = value end
  return { kernel = kernels.own(options), guards = unit.guards, hiddens = unit.hiddens,
    types = list, context = ctx, sources = unit.sources }
end

-- Calling -----------------------------------------------------------------------------------------

-- Do the upvalues and globals have the values that the kernel was made for?
function M.holds(variant)
  for _, guard in ipairs(variant.guards) do
    local now = guard.read()
    if now ~= guard.value or math.type(now) ~= math.type(guard.value) then return false end
  end
  for _, hidden in ipairs(variant.hiddens) do
    local now = hidden.read()
    if core.type(now) ~= "array" or types.key(kinds.array(now)) ~= hidden.key then return false end
  end
  return true
end

local function size_of(dtype)
  return type(dtype) == "string" and dtypes.of(dtype).size or dtype.size
end

local function add_array(list, n, value, t)
  if t.layout == "contiguous" then
    n = n + 1
    list[n] = value
  else
    n = n + 1
    list[n] = core.raw(value)
  end
  local shape = value.shape
  for axis = 1, t.ndim do list[n + axis] = shape[axis] end
  n = n + t.ndim
  if t.layout == "strided" then
    local strides, size = value.strides, size_of(t.dtype)
    for axis = 1, t.ndim do list[n + axis] = strides[axis] // size end
    n = n + t.ndim
  end
  return n
end

-- arguments(variant, list) -> the arguments of the kernel and their number
function M.arguments(variant, given)
  local list, n = {}, 0
  for k, t in ipairs(variant.types) do
    if types.is_array(t) then n = add_array(list, n, given[k], t)
    else
      n = n + 1
      list[n] = given[k]
    end
  end
  for _, hidden in ipairs(variant.hiddens) do
    n = add_array(list, n, hidden.read(), hidden.slot.type)
  end
  return list, n
end

return M

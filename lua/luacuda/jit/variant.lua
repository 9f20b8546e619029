-- variant.lua: the kernel of a Lua function for one set of argument types, and what is passed to
-- it.

local core = require "luacuda.core"
local dtypes = require "luacuda.base.dtypes"
local kernels = require "luacuda.kernel.kernel"
local emit = require "luacuda.jit.emit"
local infer = require "luacuda.jit.infer"
local types = require "luacuda.jit.types"
local units = require "luacuda.jit.unit"
require "luacuda.jit.callee"

local M = {}

-- Making ------------------------------------------------------------------------------------------

-- A kernel of this source for arguments of these types.
local function context(unit, source, list)
  local ctx = { unit = unit, source = source, fn = source.node, slots = {}, results = {},
    captured = {}, is_kernel = true, parameters = {} }
  for k, var in ipairs(source.node.params) do
    local slot = infer.slot(ctx, var)
    slot.type = list[k] == "int!" and slot.assigned and "int" or list[k]
    slot.place = ("%s:%d"):format(source.file, source.line)
    unit:mention(list[k])
    if types.is_array(list[k]) then
      slot.origin, slot.small = {}, unit.small and not slot.assigned
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

-- The parameters that the kernel writes to, by number.
local function written(ctx)
  local list = {}
  for k, slot in ipairs(ctx.parameters) do
    if slot.origin and infer.origin(slot.origin).written then list[#list + 1] = k end
  end
  return list
end

-- make(state, list, scale) -> variant { guards, hiddens, types, written, and the kernels `apart`
-- and `overlapping` }. `scale`: "small" for small arrays and grids (nodes.lua), "few" for grids of
-- few blocks too, else "large".
function M.make(state, list, scale)
  local source = state.source
  local unit = units.new(state.what, source)
  unit.small, unit.few_blocks = scale ~= "large", scale == "few"
  local ctx = context(unit, source, list)
  unit.stack[1] = { node = source.node, name = state.name }
  infer.body(ctx, source.node)
  add_hidden(unit, ctx)
  return { state = state, unit = unit, guards = unit.guards, hiddens = unit.hiddens, types = list,
    context = ctx, written = written(ctx) }
end

-- The kernel for arrays that overlap no array that it writes to, or for any.
local function kernel_of(variant, apart)
  local key = apart and "apart" or "overlapping"
  if not variant[key] then
    local state = variant.state
    local options = { name = state.name,
      source = emit.kernel(variant.unit, variant.context, state.name, state.bounds, apart) }
    for name, value in pairs(variant.unit:options(state.options)) do options[name] = value end
    variant[key] = kernels.own(options)
    if variant.unit.cooperative then kernels.cooperative(variant[key]) end
  end
  variant.latest = variant[key]
  return variant[key]
end

-- Calling -----------------------------------------------------------------------------------------

local function size_of(dtype)
  return type(dtype) == "string" and dtypes.of(dtype).size or dtype.size
end

local function add_extents(list, n, value, ndim)
  if ndim == 1 then
    list[n + 1] = value.size
    return n + 1
  end
  local shape = value.shape
  for axis = 1, ndim do list[n + axis] = shape[axis] end
  return n + ndim
end

local function add_array(list, n, value, t)
  if t.layout == "contiguous" then
    n = n + 1
    list[n] = value
  else
    n = n + 1
    list[n] = core.raw(value)
  end
  n = add_extents(list, n, value, t.ndim)
  if t.layout == "strided" then
    local strides, size = value.strides, size_of(t.dtype)
    for axis = 1, t.ndim do list[n + axis] = strides[axis] // size end
    n = n + t.ndim
  end
  return n
end

-- Does no array overlap one that the kernel writes to?
local function are_apart(variant, values)
  for _, k in ipairs(variant.written) do
    local array = values[k]
    for other, slot in ipairs(variant.context.parameters) do
      if other ~= k and slot.origin and core.overlap(array, values[other]) then return false end
    end
  end
  return true
end

-- call(variant, values) -> the kernel, its arguments and their number. `values`: the arguments of
-- the function, to which the arrays among its upvalues are added.
function M.call(variant, values)
  local list, n, count = {}, 0, #variant.types
  for k, hidden in ipairs(variant.hiddens) do values[count + k] = hidden.read() end
  for k, slot in ipairs(variant.context.parameters) do
    if slot.origin then n = add_array(list, n, values[k], slot.type)
    else
      n = n + 1
      list[n] = values[k]
    end
  end
  return kernel_of(variant, are_apart(variant, values)), list, n
end

return M

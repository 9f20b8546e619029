-- variant.lua: the kernels of a Lua function for one set of argument types.

local kernels = require "luacuda.kernel.kernel"
local emit = require "luacuda.jit.emit.program_text"
local first_thread = require "luacuda.jit.infer.first_thread"
local rules = require "luacuda.jit.infer.rules"
local readers = require "luacuda.jit.typed.readers"
local report = require "luacuda.jit.typed.report"
local slots = require "luacuda.jit.typed.slots"
local types = require "luacuda.jit.typed.value_types"
local units = require "luacuda.jit.unit"

local M = {}

-- Making ------------------------------------------------------------------------------------------

-- A kernel of this source for arguments of these types.
local function context(unit, source, list, packed)
  local ctx = { unit = unit, source = source, fn = source.node, slots = {}, results = {},
    captured = {}, is_kernel = true, parameters = {} }
  for k, var in ipairs(source.node.params) do
    local slot = slots.slot(ctx, var)
    slot.type = list[k] == "int!" and slot.assigned and "int" or list[k]
    slot.place = ("%s:%d"):format(source.file, source.line)
    unit:mention(list[k])
    if types.is_array(list[k]) then
      slot.origin, slot.small = {}, unit.small and not slot.assigned
      slot.by_value = list[k].space == "value"
      slot.packed = packed[k]
      unit:mention(list[k].dtype)
    end
    ctx.parameters[k] = slot
  end
  return ctx
end

-- Arrays of one shape share the extents of the first.
local function pair_twins(ctx, twins)
  for k, first in pairs(twins) do
    local slot, twin = ctx.parameters[k], ctx.parameters[first]
    if not slot.assigned and not twin.assigned then slot.twin = twin end
  end
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
    if slot.origin and slots.origin(slot.origin).written then list[#list + 1] = k end
  end
  return list
end

-- How a parameter is passed: "-" as a number, "v" as a struct by value, "c" as a contiguous array,
-- "s" as a strided one.
local function form(slot)
  if not slot.origin then return "-" end
  if slot.by_value then return "v" end
  return slot.type.layout == "strided" and "s" or "c"
end

local function forms(ctx)
  local letters = {}
  for k, slot in ipairs(ctx.parameters) do letters[k] = form(slot) end
  return table.concat(letters)
end

-- A struct by value is a constant of the launch.
local function check_values(ctx)
  for _, slot in ipairs(ctx.parameters) do
    if slot.by_value and slots.origin(slot.origin).written then
      report.fail(ctx, ctx.fn, "the kernel writes to '%s', which is a struct by value: pass an "
        .. "array of one struct and write to its element", slot.var.name)
    end
  end
end

-- The arrays among the upvalues that the kernel is made for.
local function samples(hiddens)
  local list = {}
  for k, hidden in ipairs(hiddens) do list[k] = hidden.value end
  return list
end

-- make(state, list, scale, twins, packed) -> variant, of which C (lcul_jit_call.c) takes guards,
-- hiddens (flat lists of readers.lua), samples, forms and written. `scale`: "small" for small
-- arrays and grids (nodes.lua), "few" for grids of few blocks too, else "large". `twins[k]`: the
-- parameter before the k-th that is an array of the same shape. `packed[k]`, of kernels over tiles:
-- do the rows of the k-th, a contiguous array, begin at multiples of 16 bytes?
function M.make(state, list, scale, twins, packed)
  local source = state.source
  local unit = units.new(state.what, source)
  unit.debug = state.options.debug
  unit.of_tiles = state.of_tiles and state.of_tiles(state)
  unit.small, unit.few_blocks = scale ~= "large", scale == "few"
  local ctx = context(unit, source, list, packed)
  pair_twins(ctx, twins)
  unit.stack[1] = { node = source.node, name = state.name }
  rules.body(ctx, source.node)
  if unit.of_tiles then unit.of_tiles.place(ctx) end
  first_thread.check(ctx)
  add_hidden(unit, ctx)
  check_values(ctx)
  local arrays = samples(unit.hiddens)
  unit:finish()
  return { state = state, unit = unit, context = ctx, guards = readers.flat(unit.guards),
    hiddens = readers.flat(unit.hiddens), samples = arrays, forms = forms(ctx),
    written = written(ctx) }
end

-- The kernel for arrays that overlap no array that it writes to, or for any; over tiles, what
-- lcul_tiled_call.c needs for its launches.
function M.kernel(variant, apart)
  local state = variant.state
  local options = { name = state.symbol,
    source = emit.kernel(variant.unit, variant.context, state.symbol, state.bounds, apart) }
  for name, value in pairs(variant.unit:options(state.options)) do options[name] = value end
  local kernel = kernels.show(kernels.own(options), state.name)
  if variant.unit.cooperative then kernels.cooperative(kernel) end
  return kernel, variant.unit.of_tiles and variant.unit.of_tiles.launch(variant.context)
end

return M

-- slots.lua: the variables of a function while its types are found: which of them have a value,
-- their types, and the memory that arrays refer to. infer/walk.lua says what a context (ctx) is.

local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local M = {}

-- Variables that have a value --------------------------------------------------------------------

local function copy(set)
  local own = {}
  for key, value in pairs(set) do own[key] = value end
  return own
end

-- The variables that are in all the sets; false stands for a place that is not reached.
function M.common(sets)
  local result = false
  for _, set in ipairs(sets) do
    if set and not result then result = copy(set)
    elseif set then
      for key in pairs(result) do
        if not set[key] then result[key] = nil end
      end
    end
  end
  return result
end

function M.snapshot(ctx) return ctx.given and copy(ctx.given) end

-- Slots -------------------------------------------------------------------------------------------

-- The context that has the variable: this one, or that of a function around it.
local function owner(ctx, var)
  local at = ctx
  while at do
    if at.slots[var] then return at end
    at = at.outer
  end
  return ctx
end

function M.slot(ctx, var)
  local home = owner(ctx, var)
  local slot = home.slots[var]
  if not slot then
    slot = { name = home.unit:name(var.name), var = var, assigned = var.assigned > 0 }
    home.slots[var] = slot
  end
  if home ~= ctx then ctx.captured[slot], slot.outside = true, true end
  return slot
end

-- A parameter of an inlined function that stands for a variable. In a function within, that
-- variable is one of the function around.
function M.capture(ctx, e)
  if e.op ~= "var" or ctx.is_kernel or ctx.is_inlined then return end
  ctx.captured[e.slot], e.slot.outside = true, true
end

-- The origin of an array value: the record of whether anything writes to its memory.
function M.origin(o)
  while o.into do o = o.into end
  return o
end

-- The memory of the origin ends with the function of this context.
function M.at_home(origin, ctx)
  origin.homes = origin.homes or {}
  origin.homes[ctx] = true
end

function M.unite(a, b)
  a, b = M.origin(a), M.origin(b)
  if a ~= b then
    a.written, a.returned = a.written or b.written, a.returned or b.returned
    for home in pairs(b.homes or {}) do M.at_home(a, home) end
    b.into = a
  end
  return a
end

-- The origin that the array, or the array of an element, was given.
function M.origin_of(array)
  if not array.origin then array = array.array end
  return array.origin
end

function M.mark_written(array) M.origin(M.origin_of(array)).written = true end

-- The type of a value that is one of two: a selection, or a result. In fused functions Lua numbers
-- adapt to the other value, as those of cuda.where do.
function M.join(ctx, a, b)
  return ctx.unit.of_arrays and types.join_weak(a, b) or types.join(a, b)
end

local function conflict(ctx, slot, type, node)
  if types.is_tile(type) and not types.is_tile(slot.type) then
    local zeros = ("zeros(\"%s\", %d, %d)"):format(type.dtype, table.unpack(type.shape))
    fail(ctx, node, "'%s' becomes %s here, and is %s at %s: a variable has one type; begin with "
      .. "%s", slot.var.name, types.name(type), types.name(slot.type), slot.place, zeros)
  end
  fail(ctx, node, "'%s' becomes %s here, and is %s at %s: a variable has one type; use another "
    .. "variable", slot.var.name, types.name(type), types.name(slot.type), slot.place)
end

-- The type that a variable takes from a value.
local function kept_type(slot, e)
  if e.type == "int!" and slot.assigned then return "int" end
  return e.type
end

-- Gives the variable the type of one more value, and returns the value converted to its type.
function M.bind(ctx, var, e, node)
  local slot = M.slot(ctx, var)
  if ctx.slots[var] == nil then ctx.effects = true end
  local new = kept_type(slot, e)
  local joined = slot.type == nil and new or types.join(slot.type, new)
  if not joined then conflict(ctx, slot, new, node) end
  if joined ~= slot.type then
    slot.type, slot.place = joined, slot.place or report.place(ctx, node)
    ctx.unit.changed = true
  end
  if types.is_array(joined) then
    slot.origin = slot.origin and M.unite(slot.origin, e.origin) or e.origin
    slot.small = slot.small ~= false and nodes.is_small(e)
    return e
  end
  if types.is_tile(joined) and joined ~= e.type then
    ctx.unit:mention(joined.dtype)
    return ctx.unit.of_tiles.map(ctx, node, { e }, function(v)
      return nodes.convert(v, joined.dtype)
    end)
  end
  return type(joined) == "string" and nodes.convert(e, joined) or e
end

-- May the variable be without a value?
function M.is_missing(ctx, var)
  local at = ctx
  while at and not at.slots[var] do at = at.outer end
  local given = at and at.given
  return given ~= nil and given ~= false and not given[var]
end

function M.give(ctx, var)
  if ctx.given then ctx.given[var] = true end
end

return M

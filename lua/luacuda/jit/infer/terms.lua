-- terms.lua: constants, variables, indices and fields.

local core = require "luacuda.core"
local calls = require "luacuda.jit.infer.calls"
local walk = require "luacuda.jit.infer.walk"
local meanings = require "luacuda.jit.names.meanings"
local hints = require "luacuda.jit.names.replacements"
local access = require "luacuda.jit.typed.access"
local arithmetic = require "luacuda.jit.typed.arithmetic"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local rows = require "luacuda.jit.typed.rows"
local slots = require "luacuda.jit.typed.slots"
local structs = require "luacuda.jit.typed.structs"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local expressions = {}

function expressions.number(_, node) return nodes.literal(node.value) end
function expressions.string(_, node) return nodes.literal(node.value) end
expressions["true"] = function() return nodes.literal(true) end
expressions["false"] = function() return nodes.literal(false) end
expressions["nil"] = function() return { op = "static", static = true, value = nil } end

function expressions.paren(ctx, node) return walk.expression(ctx, node.inner) end

function expressions.table(ctx, node)
  if ctx.unit.of_tiles then
    fail(ctx, node, "a table cannot be made on a device: places and extents stand in the call, as "
      .. "in load(x, { i, j }, { M, N })")
  end
  fail(ctx, node, "a table cannot be made on a device: write array(\"float32\", n) for an array of "
    .. "each thread, or shared(\"float32\", n) for one of the thread block")
end

expressions["function"] = function(ctx, node)
  return { op = "function", node = node, home = ctx, name = node.name or "function" }
end

-- Names -------------------------------------------------------------------------------------------

expressions["local"] = function(ctx, node)
  local slot = slots.slot(ctx, node.var)
  if slot.fixed then
    slots.capture(ctx, slot.fixed)
    return slot.fixed
  end
  if slot.type == nil or slots.is_missing(ctx, node.var) then
    fail(ctx, node, "'%s' may have no value here: give it one where it is declared, line %d",
      node.var.name, node.var.line)
  end
  local e = nodes.var(slot)
  e.origin = slot.origin
  return e
end

function expressions.free(ctx, node) return meanings.of(ctx, node) end

-- Fields ------------------------------------------------------------------------------------------

local function array_field(ctx, node, e, name)
  local t = e.type
  if structs.is_record(t) then return structs.field(ctx, node, e, name) end
  local lane = structs.lane(e, name)
  if lane then return lane end
  if name == "ndim" then return nodes.literal(t.ndim) end
  if name == "dtype" then return nodes.literal(types.name(types.element(t.dtype))) end
  if name == "shape" then return { op = "shape", array = e } end
  if name == "size" then
    local size = nodes.literal(1)
    for axis = 1, t.ndim do
      size = arithmetic.binary(ctx, node, "*", size, nodes.extent(e, axis))
    end
    return size
  end
  local words = hints.array(name)
  if words then fail(ctx, node, "arrays have no field '%s' in kernels: %s", name, words) end
  fail(ctx, node, "arrays have no field '%s' in kernels%s", name,
    core.near(name, types.ARRAY_FIELDS))
end

local function shape_item(ctx, node, e)
  local k = walk.expression(ctx, node.key)
  local n = e.array.type.ndim
  local axis = k.op == "const" and math.tointeger(k.value)
  if axis and axis < 0 then axis = axis + n + 1 end
  if not axis then
    fail(ctx, node.key, "the number of an axis is known when the kernel is made: a number from 1 "
      .. "to %d, or an upvalue", n)
  end
  if axis < 1 or axis > n then
    fail(ctx, node.key, "there is no axis %d: axes are counted from 1 to %d", k.value, n)
  end
  return nodes.extent(e.array, axis)
end

-- Indices -----------------------------------------------------------------------------------------

-- An element of an array in a kernel over tiles. The number that all threads compute of it is read
-- where it stands, between what the program stores. Of a tile of indices: a tile of elements.
local function of_tiles(ctx, node, load)
  ctx.unit.of_tiles.note_access(ctx, load.array, node)
  load.effect = load.effect or ctx.is_kernel or ctx.is_inlined
  return load
end

local function gathered(ctx, node, array, indices)
  ctx.unit.of_tiles.note_access(ctx, array, node)
  return walk.elementwise(ctx, node, indices, function(...)
    local list = { ... }
    for k, e in ipairs(indices) do
      if types.is_tile(e.type) then list[k] = access.index(ctx, node.key, list[k], array, k) end
    end
    return nodes.load(array.type.dtype, array, list)
  end)
end

local function has_tile(indices)
  for _, e in ipairs(indices) do
    if types.is_tile(e.type) then return true end
  end
end

local function element(ctx, node, e)
  local t = e.type
  if t.ndim == 0 then fail(ctx, node, "an array without axes has no index: pass x:reshape{ 1 }") end
  if node.key.kind == "table" then fail(ctx, node, "indices follow each other: write x[i][j]") end
  local array, indices = nodes.unfolded(e)
  local index = walk.expression(ctx, node.key)
  local of_tile = types.is_tile(index.type) and type(t.dtype) == "string"
  indices[#indices + 1] = of_tile and index or access.index(ctx, node.key, index, e, 1)
  of_tile = has_tile(indices)
  local result
  if of_tile and t.ndim == 1 then
    result = gathered(ctx, node, array, indices)
  elseif t.ndim == 1 and type(t.dtype) == "string" then
    ctx.unit:mention(t.dtype)
    result = nodes.load(types.element(t.dtype), array, indices)
    if ctx.unit.of_tiles then result = of_tiles(ctx, node, result) end
  else
    local shape = t.shape and table.move(t.shape, 2, t.ndim, 1, {})
    result = nodes.row(types.array{ dtype = t.dtype, ndim = t.ndim - 1, layout = t.layout,
      shape = shape, space = t.space }, array, indices)
    result.origin, result.of_tile = array.origin, of_tile
  end
  return result
end

local function name_of_key(ctx, node)
  if node.key.kind == "string" then return node.key.value end
  local k = walk.expression(ctx, node.key)
  return k.op == "const" and k.type == "string" and k.value or nil, k
end

-- The fields of a complex value, as those of Lua's.
local COMPLEX_PARTS = { re = "real", im = "imag" }

function expressions.index(ctx, node)
  local e = walk.expression(ctx, node.object)
  if e.op == "shape" then return shape_item(ctx, node, e) end
  if e.kind then calls.no_field(ctx, node, e, name_of_key(ctx, node)) end
  if e.static or e.op == "builtin" then
    return meanings.field(ctx, node, e, name_of_key(ctx, node))
  end
  if types.is_array(e.type) then
    local name = node.key.kind == "string" and node.key.value
    if name then return array_field(ctx, node, e, name) end
    return element(ctx, node, e)
  end
  if type(e.type) == "table" then calls.no_field(ctx, node, e, name_of_key(ctx, node)) end
  local part = types.kind_of(e.type) == "complex" and COMPLEX_PARTS[name_of_key(ctx, node)]
  if part then return rows.call(ctx, node, part, { e }) end
  fail(ctx, node, "this cannot be indexed: it is %s%s", report.described(e),
    types.kind_of(e.type) == "complex" and ", with the parts z.re and z.im" or "")
end

return { expressions = expressions }

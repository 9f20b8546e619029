-- names.lua: the functions of a kernel over tiles. A row has call(ctx, node, args), or read(ctx,
-- node) for arguments in tables.

local arguments = require "luacuda.tiles.tile_arguments"
local kinds = require "luacuda.tiles.tensor_kinds"
local lift = require "luacuda.tiles.lift"
local logic = require "luacuda.tiles.tile_selection"
local dtypes = require "luacuda.base.dtypes"
local atomics = require "luacuda.jit.emit.atomic_source"
local access = require "luacuda.jit.typed.access"
local arithmetic = require "luacuda.jit.typed.arithmetic"
local checks = require "luacuda.jit.typed.argument_checks"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local rows_of = require "luacuda.jit.typed.rows"
local slots = require "luacuda.jit.typed.slots"
local types = require "luacuda.jit.typed.value_types"
local walk = require "luacuda.jit.infer.walk"

local fail = report.fail

local rows = {}

-- Programs ----------------------------------------------------------------------------------------

local AXES = { "x", "y", "z" }

local function axis_of(ctx, node, name, args)
  checks.count(ctx, node, name, args, 0, 1)
  local axis = not args[1] and 1 or args[1].op == "const" and args[1].value
  if AXES[axis] then return AXES[axis] end
  fail(ctx, node, "%s: argument 1: expected an axis, 1 to 3", name)
end

rows.program = { call = function(ctx, node, args)
  local number = nodes.text("int", "_program_" .. axis_of(ctx, node, "program", args), 0, 2.0 ^ 31)
  return nodes.int("int", "add", number, nodes.const("int!", 1))
end }

rows.programs = { call = function(ctx, node, args)
  return nodes.text("int", "_programs_" .. axis_of(ctx, node, "programs", args), 0, 2.0 ^ 31)
end }

-- tiles(array, axis, extent) -> how many tiles the axis has
rows.tiles = { call = function(ctx, node, args)
  checks.count(ctx, node, "tiles", args, 3, 3)
  local array = arguments.array(ctx, node, "tiles", args[1])
  local axis = args[2].op == "const" and math.tointeger(args[2].value)
  if not axis or axis < 1 or axis > array.type.ndim then
    fail(ctx, node, "tiles: argument 2: expected an axis, 1 to %d", array.type.ndim)
  end
  local n = arguments.extent(ctx, node, "tiles", args[3])
  local more = arithmetic.binary(ctx, node, "+", nodes.extent(array, axis), nodes.literal(n - 1))
  return arithmetic.binary(ctx, node, "//", more, nodes.literal(n))
end }

-- Memory ------------------------------------------------------------------------------------------

local function argument_count(ctx, node, name, least, most)
  if #node.args >= least and #node.args <= most then return end
  local wanted = least == most and least or ("%d to %d"):format(least, most)
  fail(ctx, node, "%s takes %s arguments, and got %d", name, wanted, #node.args)
end

-- at(i): element i in a list of places, where a number alone is that of a tile
rows.at = { tiles = true, call = function(ctx, node, args)
  checks.count(ctx, node, "at", args, 1, 1)
  return { op = "at", index = checks.integer(ctx, node, "at", 1, args[1]) }
end }

-- The part of an array that a tile covers: { array = with the tile's axes, places = along these,
-- outer = places of elements along the axes before them, whole = the array }
local function part_of(ctx, node, name, array, places, ndim)
  local t = array.type
  if #places ~= t.ndim then
    fail(ctx, node, "%s: the array has %d axes, and %d places are given", name, t.ndim, #places)
  end
  if ndim > t.ndim then
    fail(ctx, node, "%s: a tile of %d axes of an array that has %d", name, ndim, t.ndim)
  end
  local first = t.ndim - ndim
  local outer = table.move(places, 1, first, 1, {})
  local part = { whole = array, array = array, outer = outer,
    places = table.move(places, first + 1, #places, 1, {}) }
  if first > 0 then
    local list, indices = nodes.unfolded(array)
    for _, place in ipairs(outer) do indices[#indices + 1] = place.index end
    part.array = nodes.row(types.array{ dtype = t.dtype, ndim = ndim, layout = t.layout,
      space = t.space }, list, indices)
    part.array.origin = array.origin
  end
  return part
end

-- load(array, places, extents [, other]): elements outside of the array are `other`, or 0
rows.load = { read = function(ctx, node)
  argument_count(ctx, node, "load", 3, 4)
  local array = arguments.array(ctx, node, "load", walk.expression(ctx, node.args[1]))
  local places = arguments.places(ctx, node.args[2], "load")
  local shape, ndim = arguments.extents(ctx, node.args[3], "load")
  local part = part_of(ctx, node, "load", array, places, ndim)
  local other = node.args[4] and walk.expression(ctx, node.args[4]) or nodes.literal(0)
  if array.type.dtype ~= "bool" then
    other = access.stored(ctx, other, array.type.dtype, node, "an element of the tile")
  else other = nodes.literal(false) end
  ctx.unit:mention(array.type.dtype)
  ctx.unit.of_tiles.note_access(ctx, array, node)
  return { op = "tile_load", type = types.tile(array.type.dtype, shape), part = part,
    other = other }
end }

-- The tile as elements of the array.
local function stored(ctx, node, tile, dtype)
  if tile.type.dtype == dtype then return tile end
  if tile.type.dtype == "bool" then
    fail(ctx, node, "a tile of booleans cannot be elements of %s: write where(t, 1, 0)", dtype)
  end
  return lift.map(ctx, node, { tile }, function(e) return access.stored(ctx, e, dtype, node) end)
end

-- A tile of one value.
local function full(ctx, dtype, value, shape)
  ctx.unit:mention(dtype)
  return { op = "full", type = types.tile(dtype, shape), value = value }
end

-- What is stored: a tile, or a number as a tile of one element.
local function as_tile(ctx, node, name, dtype, e)
  if types.is_tile(e.type) or not types.dtype_of(e.type) then
    return arguments.tile(ctx, node, name, 3, e)
  end
  return full(ctx, dtype, e.type == dtype and e or access.stored(ctx, e, dtype, node), { 1, 1 })
end

-- Which elements of a tile of this shape are stored.
local function mask_of(ctx, node, name, shape)
  local e = walk.expression(ctx, node)
  if e.type == "bool" then return full(ctx, "bool", e, { 1, 1 }) end
  if not types.is_tile(e.type) or e.type.dtype ~= "bool" then
    fail(ctx, node, "%s: argument 4: expected booleans, got %s", name, report.described(e))
  end
  for axis = 1, 2 do
    local n = e.type.shape[axis]
    if n ~= 1 and n ~= shape[axis] then
      fail(ctx, node, "%s: axis %d has %d elements in the tile, and %d in the mask", name, axis,
        shape[axis], n)
    end
  end
  return e
end

-- What writes a tile to an array: name(array, places, tile [, mask]).
local function written(ctx, node, name)
  argument_count(ctx, node, name, 3, 4)
  local array = arguments.array(ctx, node, name, walk.expression(ctx, node.args[1]))
  local places = arguments.places(ctx, node.args[2], name)
  local tile = as_tile(ctx, node, name, array.type.dtype, walk.expression(ctx, node.args[3]))
  local shape = tile.type.shape
  local mask = node.args[4] and mask_of(ctx, node.args[4], name, shape)
  local ndim = math.min(array.type.ndim, 2)
  if ndim == 1 and shape[1] ~= 1 and shape[2] ~= 1 then
    fail(ctx, node, "%s: the array has one axis, and the tile %d x %d elements", name, shape[1],
      shape[2])
  end
  local part = part_of(ctx, node, name, array, places, ndim)
  if ndim == 1 and shape[2] == 1 then
    tile = rows.transpose.call(ctx, node, { tile })
    mask = mask and rows.transpose.call(ctx, node, { mask })
  end
  slots.mark_written(array)
  ctx.effects, ctx.stores = true, true
  ctx.unit.of_tiles.note_access(ctx, array, node)
  ctx.unit.of_tiles.note_store(array, tile.type.shape, ndim)
  return { op = "tile_store", effect = true, part = part, mask = mask,
    tile = stored(ctx, node, tile, array.type.dtype) }
end

-- store(array, places, tile [, mask])
rows.store = { read = function(ctx, node) return written(ctx, node, "store") end }

-- atomic_add(array, places, tile [, mask]): adds to the elements, whatever other programs add
rows.atomic_add = { read = function(ctx, node)
  local e = written(ctx, node, "atomic_add")
  local dtype = e.tile.type.dtype
  local kind, half = types.kind_of(dtype), dtypes.is_half(dtype)
  if kind == "complex" or kind == "bool" or dtypes.of(dtype).size < 4 and not half then
    fail(ctx, node, "atomic_add: there is no such operation for %s", dtype)
  end
  if half then ctx.unit:prelude "atomicAdd" end
  e.texts = atomics.of("_lcu_atomic_add", dtype)
  return e
end }

-- Making ------------------------------------------------------------------------------------------

-- zeros(dtype, rows, columns)
rows.zeros = { call = function(ctx, node, args)
  checks.count(ctx, node, "zeros", args, 2, 3)
  local dtype = checks.dtype(ctx, node, "zeros", args[1])
  local zero = dtype == "bool" and nodes.literal(false) or nodes.convert(nodes.literal(0), dtype)
  return full(ctx, dtype, zero, arguments.shape(ctx, node, "zeros", args, 2))
end }

-- full(dtype, value, rows, columns)
rows.full = { call = function(ctx, node, args)
  checks.count(ctx, node, "full", args, 3, 4)
  local dtype = checks.dtype(ctx, node, "full", args[1])
  local value = dtype == args[2].type and args[2]
    or access.stored(ctx, args[2], dtype, node, "an element of the tile")
  return full(ctx, dtype, value, arguments.shape(ctx, node, "full", args, 3))
end }

-- iota(n): the numbers from 1 to n in a row
rows.iota = { call = function(ctx, node, args)
  checks.count(ctx, node, "iota", args, 1, 1)
  ctx.unit:mention "int32"
  return { op = "iota", type = types.tile("int32", arguments.shape(ctx, node, "iota", args, 1)) }
end }

-- Operations --------------------------------------------------------------------------------------

rows.transpose = { tiles = true, call = function(ctx, node, args)
  checks.count(ctx, node, "transpose", args, 1, 1)
  local tile = arguments.tile(ctx, node, "transpose", 1, args[1])
  local shape = tile.type.shape
  return { op = "swap", type = types.tile(tile.type.dtype, { shape[2], shape[1] }), tile = tile }
end }

rows.where = { tiles = true, call = function(ctx, node, args)
  checks.count(ctx, node, "where", args, 3, 3)
  return walk.elementwise(ctx, node, args, function(c, a, b)
    return logic.select(ctx, node, c, a, b)
  end)
end }

local SUMS = { float8_e4m3fn = "float32", float8_e5m2 = "float32", float16 = "float32",
  bfloat16 = "float32", float32 = "float32", float64 = "float64", int8 = "int32",
  uint8 = "int32" }

-- Takes the precision from the end of the arguments of dot.
local function precision_of(ctx, node, args)
  local last = args[#args]
  if not last or last.op ~= "const" or last.type ~= "string" then return nil end
  args[#args] = nil
  if kinds.PRECISIONS[last.value] then return last.value end
  fail(ctx, node, "dot: unknown precision '%s': expected \"tf32\" or \"tf32x3\"", last.value)
end

-- dot(a, b [, sum] [, precision]): the matrix product, added to `sum`
rows.dot = { tiles = true, call = function(ctx, node, args)
  args = { table.unpack(args) }
  local precision = precision_of(ctx, node, args)
  checks.count(ctx, node, "dot", args, 2, 3)
  local a = arguments.tile(ctx, node, "dot", 1, args[1])
  local b = arguments.tile(ctx, node, "dot", 2, args[2])
  local left, right = a.type, b.type
  if left.dtype ~= right.dtype or not SUMS[left.dtype] then
    fail(ctx, node, "dot: expected tiles of one dtype of %s, got %s and %s",
      "float8_e4m3fn, float8_e5m2, float16, bfloat16, float32, float64, int8 and uint8",
      types.name(left), types.name(right))
  end
  if precision and left.dtype ~= "float32" then
    fail(ctx, node, "dot: '%s' is a precision of float32 products, and the tiles are %s", precision,
      left.dtype)
  end
  if left.shape[2] ~= right.shape[1] then
    fail(ctx, node, "dot: the first tile has %d columns and the second %d rows", left.shape[2],
      right.shape[1])
  end
  local t = types.tile(SUMS[left.dtype],
    arguments.sized(ctx, node, { left.shape[1], right.shape[2] }))
  ctx.unit:mention(t.dtype)
  if args[3] and args[3].type ~= t then
    fail(ctx, node, "dot: the products are %s, and argument 3 is %s", types.name(t),
      report.described(args[3]))
  end
  return { op = "dot", type = t, left = a, right = b, sum = args[3],
    precision = precision }
end }

-- Reductions --------------------------------------------------------------------------------------

-- Sums of narrow floats are computed in float32; those of booleans count.
local function widened(ctx, node, tile)
  if tile.type.dtype == "bool" then
    ctx.unit:mention "int32"
    return lift.map(ctx, node, { tile }, function(e) return nodes.convert(e, "int32") end)
  end
  if not types.is_number(tile.type.dtype) or types.kind_of(tile.type.dtype) == "complex" then
    fail(ctx, node, "sum: expected a tile of real numbers, got %s", types.name(tile.type))
  end
  local wide = SUMS[tile.type.dtype]
  if not wide or wide == tile.type.dtype then return tile end
  return lift.map(ctx, node, { tile }, function(e) return nodes.convert(e, wide) end)
end

-- Raises for max and min of two values.
local function check_reduced(ctx, node, name, args)
  local second = args[2] and args[2].op ~= "const"
  if math[name] and (second or not types.is_tile(args[1].type)) then
    fail(ctx, node, "%s reduces a tile along a constant axis, 1 or 2: write math.%s(a, b) for one "
      .. "of two values", name, name)
  end
end

local function reduction(name, prepare, combine)
  rows[name] = { tiles = true, call = function(ctx, node, args)
    checks.count(ctx, node, name, args, 1, 2)
    check_reduced(ctx, node, name, args)
    local tile = prepare(ctx, node, arguments.tile(ctx, node, name, 1, args[1]))
    local axis = args[2] and arguments.axis(ctx, node, name, 2, args[2])
    local dtype, shape = tile.type.dtype, { 1, 1 }
    if axis then shape[3 - axis] = tile.type.shape[3 - axis] end
    local body = nodes.convert(combine(ctx, node, nodes.text(dtype, "_a"), nodes.text(dtype, "_b")),
      dtype)
    local e = { op = "reduce_all", type = dtype, tile = tile, body = body, effect = true }
    if axis then e.op, e.type, e.axis, e.effect = "reduce", types.tile(dtype, shape), axis, nil end
    return e
  end }
end

reduction("sum", widened, function(ctx, node, a, b)
  return arithmetic.binary(ctx, node, "+", a, b)
end)

local function unchanged(_, _, tile) return tile end
for name, row in pairs{ max = "maximum", min = "minimum" } do
  reduction(name, unchanged, function(ctx, node, a, b)
    return rows_of.call(ctx, node, row, { a, b })
  end)
end

local function truth(ctx, node, tile)
  if tile.type.dtype == "bool" then return tile end
  fail(ctx, node, "any and all take a tile of booleans, and this is %s", types.name(tile.type))
end
for name, symbol in pairs{ any = "||", all = "&&" } do
  reduction(name, truth, function(_, _, a, b) return nodes.logic(symbol, a, b) end)
end

for name, row in pairs(rows) do row.name = name end

return rows

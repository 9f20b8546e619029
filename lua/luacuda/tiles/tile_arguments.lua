-- tile_arguments.lua: the arguments of functions over tiles: places and extents in tables, tiles,
-- axes.

local checks = require "luacuda.jit.typed.argument_checks"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"
local walk = require "luacuda.jit.infer.walk"

local fail = report.fail

local M = {}

-- The nodes of a list in the script: { i, j }. Others stand for themselves.
local function items(ctx, node, name, what)
  if node.kind ~= "table" then
    fail(ctx, node, "%s: expected %s in a table, as in { 1, 2 }", name, what)
  end
  local list = {}
  for k, item in ipairs(node.items) do
    if item.key then fail(ctx, node, "%s: expected %s in a table, as in { 1, 2 }", name, what) end
    list[k] = item.value
  end
  return list
end

-- places(ctx, node, name) -> the places in a table: { index =, of_element = an element's index? },
-- else the number of a tile
function M.places(ctx, node, name)
  local list = {}
  for k, item in ipairs(items(ctx, node, name, "the numbers of the tile along each axis")) do
    local e = walk.expression(ctx, item)
    local of_element = e.op == "at"
    if of_element then e = e.index end
    list[k] = { index = nodes.convert(checks.integer(ctx, item, name, k, e), "int"),
      of_element = of_element }
  end
  return list
end

-- An extent that is known when the kernel is made.
function M.extent(ctx, node, name, e)
  local n = e.op == "const" and math.tointeger(e.value)
  if not n then
    fail(ctx, node, "%s: an extent of a tile is known when the kernel is made: a number, a local "
      .. "outside of the function, or an option", name)
  end
  if n >= 1 and (n % 8 == 0 or n & (n - 1) == 0) then return n end
  fail(ctx, node, "%s: an extent of a tile is a multiple of 8 or a power of two, and this is %d",
    name, n)
end

-- Elements of the largest tile: more would be hundreds in each thread.
local MOST = 1 << 16

-- sized(ctx, node, shape) -> the shape, if a tile may have it
function M.sized(ctx, node, shape)
  if shape[1] * shape[2] <= MOST then return shape end
  fail(ctx, node, "a tile of %d x %d elements is too large: %d is the most", shape[1], shape[2],
    MOST)
end

-- A shape of one or two extents; one is that of a row.
local function shape_of(ctx, node, name, list)
  if #list < 1 or #list > 2 then
    fail(ctx, node, "%s: a tile has 1 or 2 extents, and %d are given", name, #list)
  end
  if #list == 1 then return M.sized(ctx, node, { 1, list[1] }) end
  return M.sized(ctx, node, list)
end

-- extents(ctx, node, name) -> the shape in a table, how many extents it has
function M.extents(ctx, node, name)
  local list = {}
  for k, item in ipairs(items(ctx, node, name, "the extents of the tile")) do
    list[k] = M.extent(ctx, item, name, walk.expression(ctx, item))
  end
  return shape_of(ctx, node, name, list), #list
end

-- shape(ctx, node, name, args, first) -> the shape that the arguments from `first` on give
function M.shape(ctx, node, name, args, first)
  local list = {}
  for k = first, #args do list[#list + 1] = M.extent(ctx, node, name, args[k]) end
  return shape_of(ctx, node, name, list)
end

function M.tile(ctx, node, name, k, e)
  if e and types.is_tile(e.type) then return e end
  fail(ctx, node, "%s: argument %d: expected a tile, got %s", name, k,
    e and report.described(e) or "none")
end

function M.array(ctx, node, name, e)
  if e then walk.check_indices(ctx, node, e) end
  if e and types.is_array(e.type) and type(e.type.dtype) == "string" and e.type.ndim > 0 then
    return e
  end
  fail(ctx, node, "%s: argument 1: expected an array, got %s", name,
    e and report.described(e) or "none")
end

-- axis(ctx, node, name, k, e) -> 1 or 2
function M.axis(ctx, node, name, k, e)
  local axis = e and e.op == "const" and math.tointeger(e.value)
  if axis and axis < 0 then axis = axis + 3 end
  if axis == 1 or axis == 2 then return axis end
  fail(ctx, node, "%s: argument %d: expected an axis, 1 or 2", name, k)
end

return M

-- lift.lua: operations on the elements of tiles. The rules for numbers compute one element from one
-- of each tile, and the result is a tile of them.

local arguments = require "luacuda.tiles.tile_arguments"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"

local M = {}

function M.has(args)
  for _, e in ipairs(args) do
    if types.is_tile(e.type) then return true end
  end
  return false
end

-- The shape of an operation on tiles: each axis has one extent, or 1, which is spread.
local function common_shape(ctx, node, args)
  local shape = { 1, 1 }
  for _, e in ipairs(args) do
    local t = e.type
    for axis = 1, 2 do
      local n = types.is_tile(t) and t.shape[axis] or 1
      if shape[axis] == 1 then shape[axis] = n
      elseif n ~= 1 and n ~= shape[axis] then
        report.fail(ctx, node, "axis %d has %d elements in one tile and %d in the other: tiles "
          .. "have equal extents, or 1, which is spread", axis, shape[axis], n)
      end
    end
  end
  return arguments.sized(ctx, node, shape)
end

-- tile(shape, body, inputs) -> a tile whose element is `body`; input: { name, tile }, the C++ name
-- of one element in the body
local function tile(shape, body, inputs)
  return { op = "map", type = types.tile(types.dtype_of(body.type), shape), body = body,
    inputs = inputs }
end

-- A number whose computation has an effect, as a tile: it is computed once.
local function once(e)
  if not e.effect or not types.dtype_of(e.type) then return e end
  return { op = "full", type = types.tile(types.dtype_of(e.type), { 1, 1 }), value = e }
end

-- map(ctx, node, args, fn) -> the tile of fn's results for the elements of the arguments, some of
-- which are tiles
function M.map(ctx, node, args, fn)
  local shape, elements, inputs = common_shape(ctx, node, args), {}, {}
  for k, e in ipairs(args) do
    e = once(e)
    elements[k] = e
    if types.is_tile(e.type) then
      local name = ctx.unit:own_name "_e"
      elements[k] = nodes.text(e.type.dtype, name)
      inputs[#inputs + 1] = { name = name, tile = e }
    end
  end
  local body = fn(table.unpack(elements))
  if body.type == nil and not body.static then
    report.fail(ctx, node, "this call takes numbers and no tiles: reduce a tile before, as in "
      .. "sum(t), max(t) or all(t)")
  end
  if body.static or not types.dtype_of(body.type) then
    report.fail(ctx, node, "an element of a tile cannot be %s", report.described(body))
  end
  ctx.unit:mention(body.type)
  return tile(shape, body, inputs)
end

-- converted(ctx, e, fn) -> the tile with fn(element) in place of each element
function M.converted(ctx, e, fn) return M.map(ctx, 1, { e }, fn) end

return M

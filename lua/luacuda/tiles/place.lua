-- place.lua: the layouts of tiles (thread_layout.lua). A product has its own; what is computed from
-- it follows it; loads, constants and what is made of them follow their use.

local kinds = require "luacuda.tiles.tensor_kinds"
local layout = require "luacuda.tiles.thread_layout"
local types = require "luacuda.jit.typed.value_types"
local dtypes = require "luacuda.base.dtypes"
local visit = require "luacuda.tiles.visit"

local M = {}

-- The layout that holds more of what is costly to move; nil: either has none.
local function stronger(a, b)
  if not a or b and b.rank > a.rank then return b end
  return a
end

local function shape_key(t) return table.concat(t.shape, "x") end

-- default(w, t) -> the layout of a tile that has no reason for another: one for all tiles of a
-- shape. Vectors of the narrowest dtype that is loaded or stored have 16 bytes, those of the widest
-- at most 32.
function M.default(w, t)
  local size = dtypes.of(t.dtype).size
  local moved = w.moved and w.moved[shape_key(t)] or { least = size, most = size }
  return layout.plain(t.shape, math.max(moved.least, moved.most // 2), w.warps)
end

-- shape -> the least and the most bytes of the elements that are loaded or stored in such tiles
local function sizes_moved(ctx)
  local moved = {}
  visit.expressions(ctx.body, function(e)
    local t = e.op == "tile_load" and e.type or e.op == "tile_store" and e.tile.type
    if not t then return end
    local key, size = shape_key(t), dtypes.of(t.dtype).size
    local own = moved[key] or { least = size, most = size }
    moved[key] = { least = math.min(own.least, size), most = math.max(own.most, size) }
  end)
  return moved
end

local of = {}

-- natural(w, e) -> the layout that the tile is computed in, nil if it may be any
local function natural(w, e) return of[e.op](w, e) end
M.natural = natural

function of.var(_, e) return e.slot.layout end
function of.tile_load() return nil end
function of.full() return nil end
function of.iota() return nil end

-- A layout of an input of the same shape.
function of.map(w, e)
  local best
  for _, input in ipairs(e.inputs) do
    local own = natural(w, input.tile)
    if own and own.shape[1] == e.type.shape[1] and own.shape[2] == e.type.shape[2] then
      best = stronger(best, own)
    end
  end
  return best
end

-- Can tensor cores compute the product?
function M.on_tensor_cores(w, e)
  local kind, shape = kinds.of_warps(w, e), e.type.shape
  return kind ~= nil and shape[1] % 16 == 0 and shape[2] % 8 == 0
    and e.left.type.shape[2] % kind.depth == 0
end

function of.dot(w, e)
  if w.plan then return layout.grouped(e.type.shape, w.warps) end
  if M.on_tensor_cores(w, e) then return layout.tensor(e.type.shape, w.warps) end
  return layout.multiplied(e.type.shape, w.warps)
end

function of.reduce(w, e)
  return layout.sliced(natural(w, e.tile) or M.default(w, e.tile.type), e.axis)
end

function of.swap(w, e)
  local own = natural(w, e.tile)
  return own and layout.swapped(own)
end

-- Variables ---------------------------------------------------------------------------------------

local function note(w, slot, value)
  if not types.is_tile(slot.type) or slot.copied then return end
  local best = stronger(slot.layout, natural(w, value))
  if best ~= slot.layout then slot.layout, w.changed = best, true end
  w.slots[slot] = true
end

local statements = {}

local function walk(w, list)
  for _, s in ipairs(list) do
    local fn = statements[s.op]
    if fn then fn(w, s) end
    if s.body then walk(w, s.body) end
    if s.orelse then walk(w, s.orelse) end
    for _, clause in ipairs(s.clauses or {}) do walk(w, clause.body) end
  end
end

function statements.declare(w, s)
  if s.value then note(w, s.slot, s.value)
  elseif s.slot.type and types.is_tile(s.slot.type) then w.slots[s.slot] = true end
end

function statements.assign(w, s)
  for _, pair in ipairs(s.pairs) do
    if pair.slot then note(w, pair.slot, pair.value) end
  end
end

-- A variable of one row or one column, without a layout of its own, that a tile is combined with: a
-- thread holds what it combines, so that nothing moves at each use.
local function adopt(w, ctx)
  visit.expressions(ctx.body, function(e)
    local own = e.op == "map" and natural(w, e)
    for _, input in ipairs(own and e.inputs or {}) do
      local tile = input.tile
      local part = layout.broadcast(own, tile.type.shape)
      local is_part = part ~= own
      if tile.op == "swap" then tile, part = tile.tile, layout.swapped(part) end
      if is_part and tile.op == "var" and w.slots[tile.slot] and not tile.slot.layout then
        tile.slot.layout, w.changed = part, true
      end
    end
  end)
end

-- place(w, ctx): gives each variable of the function a layout; w: { warps =, tensor_cores = the
-- kind of device whose mma.sync there is, "gpu" or "cpu", or false }
function M.place(w, ctx)
  for slot in pairs(w.slots or {}) do slot.layout = nil end
  w.slots, w.moved = {}, sizes_moved(ctx)
  repeat
    w.changed = false
    walk(w, ctx.body)
    if not w.changed then adopt(w, ctx) end
  until not w.changed
  for slot in pairs(w.slots) do slot.layout = slot.layout or M.default(w, slot.type) end
end

return M

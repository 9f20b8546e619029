-- vector_copies.lua: loads of one axis in the loop of a plan (pipeline.lua), such as a row of
-- factors, which a warp of its own copies ahead element by element: they need no alignment.

local source = require "luacuda.tiles.source_array"
local visit = require "luacuda.tiles.visit"
local dtypes = require "luacuda.base.dtypes"

local M = {}

local LANES, ELEMENT, LINE = 32, 4, 128 -- threads that copy; bytes of an element; of a place

local function can_copy(ctx, e)
  return e.op == "tile_load" and #e.part.places == 1 and e.type.shape[2] % LANES == 0
    and dtypes.of(e.type.dtype).size == ELEMENT and source.is_zero(e.other)
    and not source.is_written(e.part.whole) and source.parameter_of(ctx, e.part.whole) ~= nil
end

-- The loads of a statement, without those in a block of it.
local function loads_of(ctx, s)
  local list = {}
  visit.of_statement(s, function(root)
    visit.all(root, function(e) if can_copy(ctx, e) then list[#list + 1] = e end end)
  end)
  return list
end

local function add(p, e)
  local bytes = (e.type.shape[2] * ELEMENT + LINE - 1) // LINE * LINE
  local copy = { load = e, rows = 1, columns = e.type.shape[2], bytes = bytes,
    parameter = source.parameter_of(p.ctx, e.part.whole) }
  p.vectors[#p.vectors + 1], p.vector_of[e] = copy, copy
end

-- find(p): sets p.vectors, the copies in order, and p.vector_of, load -> copy. In p.body,
-- `vectors_ready` precedes the first statement that reads them, `vectors_read` follows the last.
function M.find(p)
  p.vectors, p.vector_of = {}, {}
  local first, last
  for k, s in ipairs(p.body) do
    for _, e in ipairs(loads_of(p.ctx, s)) do
      add(p, e)
      first, last = first or k, k
    end
  end
  if not first then return end
  local loop = p.loop
  local function own(op) return { op = op, plan = p, line = loop.line, source = loop.source } end
  p.body = table.move(p.body, 1, #p.body, 1, {})
  table.insert(p.body, last + 1, own "vectors_read")
  table.insert(p.body, first, own "vectors_ready")
end

return M

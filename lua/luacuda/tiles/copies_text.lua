-- copies_text.lua: C++ for the warp that copies tiles to shared memory ahead of the products.

local registers = require "luacuda.tiles.registers_text"
local rounds = require "luacuda.tiles.rounds_text"
local stages = require "luacuda.tiles.stages_text"
local wgmma = require "luacuda.tiles.wgmma_text"
local types = require "luacuda.jit.typed.value_types"
local vectors = require "luacuda.tiles.vector_text"
local visit = require "luacuda.tiles.visit"

local M = { statements = {} }

-- Copies a tile, or this block's part of one that a cluster shares.
local function copy_one(em, p, copy, bar)
  local lines, to = copy.columns // copy.line, stages.address(p, copy, "_stage")
  local first
  if copy.parts then
    first = ("_rank * %d"):format(copy.rows // copy.parts)
    to = ("%s + %s * %d"):format(to, first, stages.LINE_BYTES)
  end
  registers.each(em, lines, function(line)
    local places, ndim = stages.coordinates(em, copy.load.part, copy.load.type.shape,
      { first, ("%s * %d"):format(line, copy.line) })
    local fn = stages.need(em, wgmma.copy(ndim, copy.parts))
    em:line(("%s(%s + %s * %d, &_map_%d, %s, %s);"):format(fn, to, line,
      copy.rows * stages.LINE_BYTES, copy.map, places, bar))
  end)
end

local function bytes_of(copies)
  local n = 0
  for _, copy in ipairs(copies) do n = n + copy.bytes end
  return n
end

-- A copy of a round. `first`: it is the first one of its group.
function M.statements.tile_copy(em, s)
  local p, group = s.plan, s.copy.group
  local full = stages.barrier(p, "full", group, "_stage")
  if s.first then
    local empty = stages.barrier(p, "empty", group, "_stage")
    em:line(("_lcu_barrier_wait(%s, _phase ^ 1);"):format(empty))
    em:line(("_lcu_barrier_expect(%s, %d);"):format(full, bytes_of(group.copies)))
  end
  copy_one(em, p, s.copy, full)
end

-- Adds the copies of the loads in a statement of the loop, whose places are known there.
local function add_copies(p, list, s, begun)
  visit.of_statement(s, function(root)
    visit.all(root, function(e)
      local copy = p.copies[e]
      if not copy or copy.resident then return end
      list[#list + 1] = { op = "tile_copy", plan = p, copy = copy, first = not begun[copy.group],
        line = s.line, source = s.source }
      begun[copy.group] = true
    end)
  end)
end

-- What a declaration or an assignment does to numbers, or nil.
local function numbers_of(s)
  if s.op == "declare" then return not types.is_tile(s.slot.type) and s or nil end
  local own = {}
  for _, pair in ipairs(s.pairs) do
    if pair.slot and not types.is_tile(pair.slot.type) then own[#own + 1] = pair end
  end
  return own[1] and setmetatable({ pairs = own }, { __index = s })
end

-- statements_of(p, list, of_vectors) -> the statements of a list as the warp has them that copies
-- tiles, or vectors
function M.statements_of(p, list, of_vectors)
  local own, begun = {}, {}
  for _, s in ipairs(list) do
    if list == p.loop.body then
      if of_vectors then vectors.add(p, own, s) else add_copies(p, own, s, begun) end
    end
    local resident = s.op == "declare" and s.slot.copied and s.slot.copied.resident
    if resident and not of_vectors then
      own[#own + 1] = { op = "tile_resident", plan = p, copy = s.slot.copied, line = s.line,
        source = s.source }
    elseif s == p.loop then
      own[#own + 1] = { op = "tile_copies", plan = p, of_vectors = of_vectors, line = s.line,
        source = s.source }
    elseif s.op == "declare" or s.op == "assign" then own[#own + 1] = numbers_of(s)
    elseif s.op ~= "effect" then
      local inner = { line = s.line, source = s.source }
      if s.body then inner.body = M.statements_of(p, s.body, of_vectors) end
      if s.orelse then inner.orelse = M.statements_of(p, s.orelse, of_vectors) end
      if s.clauses then
        inner.clauses = {}
        for k, clause in ipairs(s.clauses) do
          local body = M.statements_of(p, clause.body, of_vectors)
          inner.clauses[k] = setmetatable({ body = body }, { __index = clause })
        end
      end
      own[#own + 1] = setmetatable(inner, { __index = s })
    end
  end
  return own
end

function M.statements.tile_copies(em, s)
  local p = s.plan
  rounds.rounds(em, p, M.statements_of(p, p.loop.body, s.of_vectors), true)
end

function M.statements.tile_resident(em, s)
  local k = s.copy.number - 1
  local bar = ("&_ready[%d]"):format(k)
  em:line(("_lcu_barrier_wait(&_free[%d], _turn & 1 ^ 1);"):format(k))
  em:line(("_lcu_barrier_expect(%s, %d);"):format(bar, s.copy.bytes))
  copy_one(em, s.plan, s.copy, bar)
end

return M

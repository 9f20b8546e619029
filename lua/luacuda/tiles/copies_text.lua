-- copies_text.lua: C++ for the warp that copies tiles to shared memory ahead of the products.

local registers = require "luacuda.tiles.registers_text"
local rounds = require "luacuda.tiles.rounds_text"
local stages = require "luacuda.tiles.stages_text"
local wgmma = require "luacuda.tiles.wgmma_text"
local types = require "luacuda.jit.typed.value_types"

local M = { statements = {} }

local function copy_one(em, p, copy, bar)
  local lines = copy.columns // copy.line
  registers.each(em, lines, function(line)
    local places, ndim = stages.coordinates(em, copy.load.part, copy.load.type.shape,
      { [2] = ("%s * %d"):format(line, copy.line) })
    local fn = stages.need(em, wgmma.copy(ndim))
    em:line(("%s(%s + %s * %d, &_map_%d, %s, %s);"):format(fn,
      stages.address(p, copy, "_stage"), line, copy.rows * stages.LINE_BYTES, copy.map, places,
      bar))
  end)
end

local function bytes_of(copies)
  local n = 0
  for _, copy in ipairs(copies) do n = n + copy.bytes end
  return n
end

local function copy_round(em, p)
  for _, group in ipairs(p.groups) do
    local full = stages.barrier(p, "full", group, "_stage")
    local empty = stages.barrier(p, "empty", group, "_stage")
    em:line(("_lcu_barrier_wait(%s, _phase ^ 1);"):format(empty))
    em:line(("_lcu_barrier_expect(%s, %d);"):format(full, bytes_of(group.copies)))
    for _, copy in ipairs(group.copies) do copy_one(em, p, copy, full) end
  end
end

-- Does a statement only compute numbers?
local function only_numbers(s)
  if s.op == "declare" then return not types.is_tile(s.slot.type) end
  if s.op ~= "assign" then return false end
  for _, pair in ipairs(s.pairs) do
    if not pair.slot or types.is_tile(pair.slot.type) then return false end
  end
  return true
end

-- The statements of a list as the copying warp has them.
function M.statements_of(p, list)
  local own = {}
  for _, s in ipairs(list) do
    if s.op == "declare" and s.slot.copied and s.slot.copied.resident then
      own[#own + 1] = { op = "tile_resident", plan = p, copy = s.slot.copied, line = s.line,
        source = s.source }
    elseif s == p.loop then
      own[#own + 1] = { op = "tile_copies", plan = p, line = s.line, source = s.source }
    elseif only_numbers(s) then own[#own + 1] = s
    elseif s.op ~= "declare" and s.op ~= "assign" and s.op ~= "effect" then
      local inner = { line = s.line, source = s.source }
      if s.body then inner.body = M.statements_of(p, s.body) end
      if s.orelse then inner.orelse = M.statements_of(p, s.orelse) end
      if s.clauses then
        inner.clauses = {}
        for k, clause in ipairs(s.clauses) do
          local body = M.statements_of(p, clause.body)
          inner.clauses[k] = setmetatable({ body = body }, { __index = clause })
        end
      end
      own[#own + 1] = setmetatable(inner, { __index = s })
    end
  end
  return own
end

function M.statements.tile_copies(em, s)
  rounds.rounds(em, s.plan, M.statements_of(s.plan, s.plan.loop.body), copy_round)
end

function M.statements.tile_resident(em, s)
  local k = s.copy.number - 1
  local bar = ("&_ready[%d]"):format(k)
  em:line(("_lcu_barrier_wait(&_free[%d], _turn & 1 ^ 1);"):format(k))
  em:line(("_lcu_barrier_expect(%s, %d);"):format(bar, s.copy.bytes))
  copy_one(em, s.plan, s.copy, bar)
end

return M

-- turns_text.lua: C++ for two groups of warps that run programs in turn (pipeline.lua, in_turn):
-- the products of one begin when those of the other have been issued, so that one group multiplies
-- while the other stores. All programs have the same number of rounds.

local rounds = require "luacuda.tiles.rounds_text"
local loops = require "luacuda.jit.emit.loop_text"
local nodes = require "luacuda.jit.typed.nodes"

local M = {}

-- The named barriers of the groups: a group waits at its own, where the other one arrives.
local FIRST = 8

-- The threads of a group wait for each other.
M.SYNC = "asm volatile(\"bar.sync %0, 128;\" :: \"r\"(_group + 10) : \"memory\");"

local function wait(em)
  em:line(("asm volatile(\"bar.sync %%0, 256;\" :: \"r\"(_group + %d) : \"memory\");")
    :format(FIRST))
end

local function let_go(em)
  em:line(("asm volatile(\"bar.arrive %%0, 256;\" :: \"r\"((_group ^ 1) + %d) : \"memory\");")
    :format(FIRST))
end

-- start(em, exchange): before the first program; exchange: bytes of shared memory of each group
function M.start(em, exchange)
  em:line(("_shared += _group * %d;"):format(exchange))
  em:open "if (_group == 1) {"
  let_go(em)
  em:close "}"
end

-- loop(em, p): the loop of the plan. The rounds of the other group's program before this one are
-- over.
function M.loop(em, p)
  local loop = p.loop
  local ctype = em:slot_type(loop.slot)
  local from, to = em:temporary(ctype, (em:expression(loop.first))), loops.bound(em, loop.last)
  em:open "if (_turn > 0 || _group > 0) {"
  em:line(("if (%s <= %s) _round += %s - %s + 1;"):format(from, to, to, from))
  em:close "}"
  wait(em)
  local lo, hi = nodes.range(loop.first)
  local last_lo, last_hi = nodes.range(loop.last)
  rounds.rounds(em, p, rounds.texts(p, p.body), nil, {
    first = nodes.text(loop.first.type, from, lo, hi),
    last = nodes.text(loop.last.type, to, last_lo, last_hi) })
  let_go(em)
end

return M

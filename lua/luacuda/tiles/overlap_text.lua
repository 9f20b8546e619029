-- overlap_text.lua: C++ for a loop with two products that overlap (overlap.lua): the second product
-- of a round is issued after the first one of the next round, and is complete before its sum is
-- used again. The first round has no product before it, and the last one's product comes after the
-- loop.

local products = require "luacuda.tiles.group_product_text"
local rounds = require "luacuda.tiles.rounds_text"
local stages = require "luacuda.tiles.stages_text"
local loops = require "luacuda.jit.emit.loop_text"
local nodes = require "luacuda.jit.typed.nodes"

local M = {}

-- What the second product of the round before needs, then the product.
local function await_second(em, p)
  local o = p.overlap
  stages.await(em, p, p.dots[o.second], stages.before(p),
    ("(_round - 1) / %d & 1"):format(p.stages))
  products.settle(em, o.slot.name, products.size(em, o.second))
end

local function issue_second(em, p)
  local o = p.overlap
  products.issue(em, o.second, o.slot.name, o.fragments, stages.before(p))
end

-- The product of the round before is complete.
local function complete_second(em, p)
  local o = p.overlap
  stages.wait_for(em, 0)
  stages.release(em, p, p.dots[o.second], stages.before(p))
  products.settle(em, o.slot.name, products.size(em, o.second))
end

local function first(em, p, e, sum, start)
  local n = products.size(em, e)
  if e.sum then start() end
  stages.await(em, p, p.overlap.first, "_stage", "_phase")
  if p.overlap.begun then await_second(em, p) end
  if e.sum then products.settle(em, sum, n) end
  products.fence(em)
  products.issue(em, e, sum, nil, "_stage")
  if p.overlap.begun then issue_second(em, p) end
  stages.wait_for(em, p.overlap.begun and 1 or 0)
  products.settle(em, sum, n)
  stages.release(em, p, p.overlap.first, "_stage")
end

local function second(em, p, e, start)
  local left, n = products.left(em, e)
  if p.overlap.begun then complete_second(em, p) end
  start()
  products.pack(em, p.overlap.fragments, left, n)
end

-- As products.multiply.
function M.multiply(em, e, sum, start)
  local p = stages.plan_of(em)
  if e == p.overlap.second then return second(em, p, e, start) end
  first(em, p, e, sum, start)
end

-- loop(em, p): the loop of the plan
function M.loop(em, p)
  local o, loop = p.overlap, p.loop
  local ctype = em:slot_type(loop.slot)
  o.fragments = products.fragments(em, o.second)
  local from = em:temporary(ctype, (em:expression(loop.first)))
  local to = loops.bound(em, loop.last)
  em:open(("if (%s <= %s) {"):format(from, to))
  o.begun = false
  em:open "{"
  em:declare(ctype, loop.slot.name, from)
  em:block(rounds.list(p, p.body))
  em:close "}"
  o.begun = true
  local lo, hi = nodes.range(loop.first)
  local last_lo, last_hi = nodes.range(loop.last)
  em.statements.fornum(em, setmetatable({ body = rounds.list(p, rounds.texts(p, p.body)),
    first = nodes.text(loop.first.type, from .. " + 1", lo + 1, hi + 1),
    last = nodes.text(loop.last.type, to, last_lo, last_hi) }, { __index = loop }))
  await_second(em, p)
  products.fence(em)
  issue_second(em, p)
  complete_second(em, p)
  em:close "}"
end

return M

-- schedule.lua: when the products of a round (pipeline.lua) are complete. A product that a
-- statement keeps in a variable, `s = dot(a, b)` or `sum = dot(a, b, sum)`, runs on until a
-- statement needs the variable. A sum that nothing else in the loop needs runs on into the next
-- round. Products are complete in the order of their start. None is on its way while threads write
-- the left tile of another to registers: otherwise ptxas makes each instruction wait for the last.

local choice = require "luacuda.tiles.choice"
local visit = require "luacuda.tiles.visit"

local M = {}

-- The product that is all that a statement keeps in a variable, and runs on; nil: there is none.
local function kept(p, s)
  local own = s
  if s.op == "assign" then own = #s.pairs == 1 and s.pairs[1] or {} end
  local dot = own.slot and own.value and p.dots[own.value]
  return dot and visit.can_hold(own.slot, own.value)
    and { slot = own.slot, e = own.value, dot = dot }
end

-- Does a statement write the left tile of a product to registers?
local function packs(p, s)
  local found = false
  visit.expressions({ s }, function(e)
    if p.dots[e] and p.dots[e].in_registers then found = true end
  end)
  return found
end

-- Does a statement need the variable of a product that is on its way? own: the product that the
-- statement starts; it may add to the same variable.
local function needs(s, slot, own)
  local uses = visit.all_reads({ s }, slot) + visit.all_assigned({ s }, slot)
  return uses > (own and own.slot == slot and visit.extends(own.e, slot) and 2 or 0)
end

-- The state of a walk through a round: { p = the plan, body = its statements, pending = products on
-- their way, waits = is there a place where those of the round before are complete?; in_flight,
-- waited = at the only `if`: are products on their way, are those of the round before complete? }
local Walk = {}
Walk.__index = Walk

-- The first n products on their way are complete before the next statement.
function Walk:complete(n)
  local products = table.move(self.pending, 1, n, 1, {})
  table.move(self.pending, n + 1, #self.pending + n, 1)
  local loop = self.p.loop
  self.body[#self.body + 1] = { op = "tile_complete", plan = self.p, products = products,
    left = #self.pending, carried = not self.waits, line = loop.line, source = loop.source }
  self.waits = true
end

-- How many of the products on their way a statement needs to be complete.
function Walk:needed(s, own)
  local n = 0
  for k, product in ipairs(self.pending) do
    if needs(s, product.slot, own) then n = k end
  end
  return n
end

function Walk:add(s)
  local p, own = self.p, kept(self.p, s)
  local alone = packs(p, s) or choice.branches(s) and not p.choice
  local n = alone and #self.pending or self:needed(s, own)
  if n > 0 or alone and not self.waits then self:complete(n) end
  if choice.branches(s) then self.in_flight, self.waited = #self.pending > 0, self.waits end
  self.body[#self.body + 1] = s
  if not own then return end
  own.dot.runs_on = true
  self.pending[#self.pending + 1] = own
end

-- May a product run on into the next round?
local function can_carry(p, product)
  for _, s in ipairs(p.loop.body) do
    if needs(s, product.slot, kept(p, s)) then return false end
  end
  return visit.extends(product.e, product.slot)
end

-- The products that run on into the next round, the last ones of a round. The others are complete
-- before its end.
function Walk:finish()
  local n = #self.pending
  while n > 0 and can_carry(self.p, self.pending[n]) do n = n - 1 end
  if n > 0 or #self.pending > 0 and not self.waits then self:complete(n) end
  return self.pending
end

-- find(p): sets p.body, the statements of a round with those of completion_text.lua, p.carried, the
-- products that run on into the next round, and `runs_on` of products
function M.find(p)
  p.choice = choice.find(p.loop.body)
  if p.overlap then
    p.body, p.carried = p.loop.body, {}
    return
  end
  local walk = setmetatable({ p = p, body = {}, pending = {}, waits = false }, Walk)
  for _, s in ipairs(p.loop.body) do walk:add(s) end
  p.carried = walk:finish()
  for _, product in ipairs(p.carried) do product.dot.carried = true end
  p.body = walk.body
  if not walk.in_flight and (walk.waited or #p.carried == 0) then p.choice = nil end
end

return M

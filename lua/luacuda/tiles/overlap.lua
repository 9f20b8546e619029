-- overlap.lua: finds two products in the loop of a plan (pipeline.lua) of which the second may run
-- while the next round computes what follows the first:
--   s = dot(q, k) ... out = dot(p, v, out * old)
-- Nothing in the loop but the sum of the second product reads what it makes.

local nodes = require "luacuda.jit.typed.nodes"
local visit = require "luacuda.tiles.visit"

local M = {}

-- is_simple(loop): does it count up by 1 to a bound that its variable, of 32 or 64 bits, can pass?
-- No loop from a constant comes near the end of 64 bits.
function M.is_simple(loop)
  local _, last = nodes.range(loop.last)
  local step = loop.step
  return not loop.slot.assigned and loop.slot.type == "int" and step.op == "const"
    and step.value == 1 and (last < 2.0 ^ 62 or loop.first.op == "const")
    and last ~= 2.0 ^ 31 - 1
end

-- find(p) -> { slot = the variable of the second product, first =, second = products }; or nil
function M.find(p)
  local one, two = p.list[1], p.list[2]
  if #p.list ~= 2 or one.in_registers or not two.in_registers or not M.is_simple(p.loop) then
    return nil
  end
  for _, s in ipairs(p.loop.body) do
    local pair = s.op == "assign" and #s.pairs == 1 and s.pairs[1]
    local e = pair and pair.slot and pair.value
    if e and p.dots[e] == two then
      local body, slot = p.loop.body, pair.slot
      local own = e.sum and visit.reads(e.sum, slot) or 0
      if own > 0 and visit.all_reads(body, slot) == own and visit.all_assigned(body, slot) == 1 then
        return { slot = slot, first = one, second = e }
      end
    end
  end
end

return M

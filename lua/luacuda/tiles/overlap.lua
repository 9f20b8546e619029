-- overlap.lua: finds two products in the loop of a plan (pipeline.lua) of which the second may run
-- while the next round computes what follows the first:
--   s = dot(q, k) ... out = dot(p, v, out * old)
-- Nothing in the loop but the sum of the second product reads what it makes.

local nodes = require "luacuda.jit.typed.nodes"
local visit = require "luacuda.tiles.visit"

local M = {}

-- How often a variable is read in an expression.
local function reads(root, slot)
  local n = 0
  visit.all(root, function(e)
    if e.op == "var" and e.slot == slot then n = n + 1 end
  end)
  return n
end

-- How often it is read in a list of statements.
local function all_reads(list, slot)
  local n = 0
  visit.expressions(list, function(e)
    if e.op == "var" and e.slot == slot then n = n + 1 end
  end)
  return n
end

local function assigned_in(list, slot)
  local n = 0
  visit.statements(list, function(s)
    for _, pair in ipairs(s.pairs or {}) do
      if pair.slot == slot then n = n + 1 end
    end
  end)
  return n
end

-- is_simple(loop): does it count up by 1 to a bound that its variable, of 32 or 64 bits, can pass?
function M.is_simple(loop)
  local _, last = nodes.range(loop.last)
  local step = loop.step
  return not loop.slot.assigned and loop.slot.type == "int" and step.op == "const"
    and step.value == 1 and last < 2.0 ^ 62 and last ~= 2.0 ^ 31 - 1
end

-- Is a condition of numbers the same anywhere in a round?
local function is_steady(cond, body)
  local steady = not cond.effect
  visit.all(cond, function(e)
    if e.op == "load" or e.op == "device" or e.op == "call" then steady = false end
    if e.op == "var" and assigned_in(body, e.slot) > 0 then steady = false end
  end)
  visit.statements(body, function(s)
    if s.op == "declare" and reads(cond, s.slot) > 0 then steady = false end
  end)
  return steady
end

-- The only `if` of a round, if it can be decided at the start of the round: { cond =, with =,
-- without = the statements of a round in which it holds, and in which it does not }.
local function choice_of(body)
  local at
  for k, s in ipairs(body) do
    if s.op == "if" then
      if at or s.orelse or #s.clauses > 1 then return nil end
      at = k
    end
  end
  if not at or not is_steady(body[at].clauses[1].cond, body) then return nil end
  local s, with, without = body[at], {}, {}
  for k, one in ipairs(body) do
    with[k] = one
    if k ~= at then without[#without + 1] = one end
  end
  with[at] = { op = "do", body = s.clauses[1].body, line = s.line, source = s.source }
  return { cond = s.clauses[1].cond, with = with, without = without }
end

-- find(p) -> { slot = the variable of the second product, first =, second = products, choice =
-- what may differ between rounds, or nil }; or nil
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
      local own = e.sum and reads(e.sum, slot) or 0
      if own > 0 and all_reads(body, slot) == own and assigned_in(body, slot) == 1 then
        return { slot = slot, first = one, second = e, choice = choice_of(body) }
      end
    end
  end
end

return M

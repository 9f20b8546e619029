-- choice.lua: the one `if` in the rounds of a loop (pipeline.lua), where it can be decided at the
-- start of a round. A branch while a product is on its way would make the compiler wait for it, so
-- such a loop has two texts of a round.

local visit = require "luacuda.tiles.visit"

local M = {}

-- Is a condition of numbers the same anywhere in a round?
local function is_steady(cond, body)
  local steady = not cond.effect
  visit.all(cond, function(e)
    if e.op == "load" or e.op == "device" or e.op == "call" then steady = false end
    if e.op == "var" and visit.all_assigned(body, e.slot) > 0 then steady = false end
  end)
  visit.statements(body, function(s)
    if s.op == "declare" and visit.reads(cond, s.slot) > 0 then steady = false end
  end)
  return steady
end

-- branches(s): does a statement branch? An `if` whose condition is constant has no clauses.
function M.branches(s) return s.op == "if" and #s.clauses > 0 end

-- find(body) -> { statement = the `if`, cond = its condition }; nil: there is none, or none alone
function M.find(body)
  local at
  for k, s in ipairs(body) do
    if M.branches(s) then
      if at or s.orelse or #s.clauses > 1 then return nil end
      at = k
    end
  end
  if not at or not is_steady(body[at].clauses[1].cond, body) then return nil end
  return { statement = body[at], cond = body[at].clauses[1].cond }
end

-- texts(choice, body) -> the statements of a round in which the condition holds, and of one in
-- which it does not
function M.texts(choice, body)
  local s, with, without = choice.statement, {}, {}
  for k, one in ipairs(body) do
    with[k] = one
    if one == s then
      with[k] = { op = "do", body = s.clauses[1].body, line = s.line, source = s.source }
    else
      without[#without + 1] = one
    end
  end
  return with, without
end

return M

-- rounds_text.lua: the loop of a plan (pipeline.lua), for the warp that copies and for those that
-- multiply: each round has a stage of the ring.

local M = { statements = {} }

-- Does the product of a round wait for that of the round before it?
local function marks_start(p, start) return p.ahead and not start end

function M.statements.tile_round(em, s)
  local n = s.plan.stages
  em:line(("const int _stage = _round %% %d, _phase = _round / %d & 1;"):format(n, n))
  if s.start then s.start(em, s.plan) end
end

function M.statements.tile_next(em, s)
  em:line "_round++;"
  if marks_start(s.plan, s.start) then em:line "_begun = true;" end
end

-- list(p, body [, start]) -> the statements of a round; start(em, p) writes what begins it
function M.list(p, body, start)
  local loop = p.loop
  local function own(op)
    return { op = op, plan = p, start = start, line = loop.line, source = loop.source }
  end
  local list = { own "tile_round" }
  table.move(body, 1, #body, 2, list)
  list[#list + 1] = own "tile_next"
  return list
end

-- rounds(em, p, body [, start [, bounds]]): the loop with these statements in each round; bounds:
-- what replaces its `first` and `last`
function M.rounds(em, p, body, start, bounds)
  if marks_start(p, start) then em:line "bool _begun = false;" end
  local loop = setmetatable({ body = M.list(p, body, start) }, { __index = p.loop })
  for name, e in pairs(bounds or {}) do loop[name] = e end
  em.statements.fornum(em, loop)
end

return M

-- rounds_text.lua: the loop of a plan (pipeline.lua), for the warp that copies and for those that
-- multiply: each round has a stage of the ring.

local M = { statements = {} }

function M.statements.tile_round(em, s)
  local n = s.plan.stages
  em:line(("const int _stage = _round %% %d, _phase = _round / %d & 1;"):format(n, n))
  if s.start then s.start(em, s.plan) end
end

function M.statements.tile_next(em)
  em:line "_round++;"
  em:line "_begun = true;"
end

-- rounds(em, p, body [, start]): the loop with these statements; start(em, p) writes what begins a
-- round.
function M.rounds(em, p, body, start)
  local loop = p.loop
  local function own(op)
    return { op = op, plan = p, start = start, line = loop.line, source = loop.source }
  end
  local list = { own "tile_round" }
  table.move(body, 1, #body, 2, list)
  em:line "bool _begun = false; (void)_begun;"
  list[#list + 1] = own "tile_next"
  em.statements.fornum(em, setmetatable({ body = list }, { __index = loop }))
end

return M

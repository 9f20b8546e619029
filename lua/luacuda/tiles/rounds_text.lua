-- rounds_text.lua: the loop of a plan (pipeline.lua), for the warp that copies and for those that
-- multiply: each round has a stage of the ring.

local M = { statements = {} }

-- Does the product of a round wait for that of the round before it?
local function marks_start(p, copying) return p.ahead and not copying end

function M.statements.tile_round(em, s)
  local n = s.plan.stages
  em:line(("const int _stage = _round %% %d, _phase = _round / %d & 1;"):format(n, n))
end

function M.statements.tile_next(em, s)
  em:line "_round++;"
  if marks_start(s.plan, s.copying) then em:line "_begun = true;" end
end

-- list(p, body [, copying]) -> the statements of a round; copying: of the warp that copies
function M.list(p, body, copying)
  local loop = p.loop
  local function own(op)
    return { op = op, plan = p, copying = copying, line = loop.line, source = loop.source }
  end
  local list = { own "tile_round" }
  table.move(body, 1, #body, 2, list)
  list[#list + 1] = own "tile_next"
  return list
end

-- rounds(em, p, body [, copying [, bounds]]): the loop with these statements in each round; bounds:
-- what replaces its `first` and `last`
function M.rounds(em, p, body, copying, bounds)
  if marks_start(p, copying) then em:line "bool _begun = false;" end
  local loop = setmetatable({ body = M.list(p, body, copying) }, { __index = p.loop })
  for name, e in pairs(bounds or {}) do loop[name] = e end
  em.statements.fornum(em, loop)
end

return M

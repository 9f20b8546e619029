-- rounds_text.lua: the loop of a plan (pipeline.lua), for the warp that copies and for those that
-- multiply: each round has a stage of the ring.

local choice = require "luacuda.tiles.choice"

local M = { statements = {} }

-- Is a round to know whether there was one before it?
local function marks_start(p, copying) return #p.carried > 0 and not copying end

function M.statements.tile_round(em, s)
  local n = s.plan.stages
  em:line(("const int _stage = _round %% %d, _phase = _round / %d & 1;"):format(n, n))
end

function M.statements.tile_next(em, s)
  em:line "_round++;"
  if marks_start(s.plan, s.copying) then em:line "_begun = true;" end
end

-- A round with a part that runs in some rounds only.
function M.statements.tile_choice(em, s)
  em:open(("if (%s) {"):format((em:expression(s.cond))))
  em:block(s.with)
  em:between "} else {"
  em:block(s.without)
  em:close "}"
end

-- texts(p, body) -> the statements of a round, which may be two texts of it (choice.lua)
function M.texts(p, body)
  if not p.choice then return body end
  local with, without = choice.texts(p.choice, body)
  return { { op = "tile_choice", cond = p.choice.cond, with = with, without = without,
    line = p.loop.line, source = p.loop.source } }
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

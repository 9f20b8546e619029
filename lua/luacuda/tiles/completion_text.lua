-- completion_text.lua: C++ for where products that ran on are complete (schedule.lua).

local products = require "luacuda.tiles.group_product_text"
local stages = require "luacuda.tiles.stages_text"

local M = { statements = {} }

local function release_carried(em, p)
  for _, product in ipairs(p.carried) do stages.release(em, p, product.dot, stages.before(p)) end
end

local function settle(em, product)
  products.settle(em, product.slot.name, products.size(em, product.e))
end

function M.statements.tile_complete(em, s)
  local p = s.plan
  local carried = s.carried and #p.carried > 0
  local alone = carried and #s.products == 0
  if alone then em:open "if (_begun) {" end
  stages.wait_for(em, s.left)
  if carried then
    if not alone then em:open "if (_begun) {" end
    release_carried(em, p)
    em:close "}"
  end
  for _, product in ipairs(s.products) do
    settle(em, product)
    stages.release(em, p, product.dot, "_stage")
  end
end

-- start(em, p): before the loop
function M.start(em, p)
  for _, product in ipairs(p.carried) do settle(em, product) end
end

-- finish(em, p): after the loop
function M.finish(em, p)
  if #p.carried == 0 then return end
  stages.wait_for(em, 0)
  em:open "if (_begun) {"
  release_carried(em, p)
  em:close "}"
  for _, product in ipairs(p.carried) do settle(em, product) end
end

return M

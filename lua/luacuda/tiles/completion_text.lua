-- completion_text.lua: C++ for where products that ran on are complete (schedule.lua).

local products = require "luacuda.tiles.group_product_text"
local stages = require "luacuda.tiles.stages_text"

local M = { statements = {} }

local function settle(em, product)
  products.settle(em, product.slot.name, products.size(em, product.e))
end

-- The products of the round before, if there was one, have read their copies.
local function release_carried(em, p)
  if #p.carried == 0 then return end
  em:open "if (_begun) {"
  for _, product in ipairs(p.carried) do stages.release(em, p, product.dot, stages.before(p)) end
  em:close "}"
end

function M.statements.tile_complete(em, s)
  local p = s.plan
  stages.wait_for(em, s.left)
  if s.carried then release_carried(em, p) end
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
  release_carried(em, p)
  for _, product in ipairs(p.carried) do settle(em, product) end
end

return M

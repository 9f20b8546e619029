-- plans.lua: plans of calls that are likely to come again, by their core.call_key.

local core = require "luacuda.core"

local MOST = 256

local Plans = {}
Plans.__index = Plans

-- Keeps a plan; forgets all when there are MOST, so that calls with ever new shapes do not fill the
-- memory. Nothing happens without a key or a plan.
function Plans:keep(key, plan)
  if not (key and plan) then return end
  if self.count == MOST then self.count, self.by_key = 0, {} end
  if self.by_key[key] == nil then self.count = self.count + 1 end
  self.by_key[key] = plan
end

-- The plan of a key, or nil.
function Plans:find(key) return key and self.by_key[key] end

-- Launches a plan of one kernel from `a` to `out`: run, grid, block, args (the arguments after the
-- two arrays).
function Plans.launch(plan, a, out, stream)
  plan.run({ grid = plan.grid, block = plan.block, stream = stream }, a, out,
    table.unpack(plan.args))
end

-- The result of a call that makes one array from `a` by such a plan, which also has its dtype and
-- shape (nil: that of `a`); nil where there is none.
function Plans:again(key, a, stream)
  local plan = key and self.by_key[key]
  if not plan then return nil end
  local out = core.new(a, plan.shape or a, plan.dtype, stream)
  Plans.launch(plan, a, out, stream)
  return out
end

-- plans.new() -> the plans of one function
local function new() return setmetatable({ count = 0, by_key = {} }, Plans) end

return { new = new, launch = Plans.launch }

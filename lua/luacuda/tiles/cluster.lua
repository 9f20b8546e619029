-- cluster.lua: blocks of a cluster run programs that are neighbours along an axis. A tile that they
-- all load comes from global memory once: each block copies a part of its rows to all of them.
--
-- plan.cluster: { size = blocks, axis = "x" or "y" }; a copy that is shared has `parts` = size.

local numbers = require "luacuda.tiles.program_numbers"
local report = require "luacuda.jit.typed.report"
local visit = require "luacuda.tiles.visit"

local M = {}

local SWIZZLED_ROWS = 8 -- rows of a copy after which its swizzle repeats

-- Do all programs along an axis load the same tile?
local function is_common(p, part, axis)
  for _, list in ipairs{ part.places, part.outer } do
    for _, place in ipairs(list) do
      if not numbers.is_equal(p, place.index, axis) then return false end
    end
  end
  return true
end

-- The copies of the loop that blocks along an axis share, and their bytes.
local function shared_along(p, axis, size)
  local list, bytes = {}, 0
  for _, copy in ipairs(p.order) do
    if copy.rows % (SWIZZLED_ROWS * size) == 0 and is_common(p, copy.load.part, axis) then
      list[#list + 1], bytes = copy, bytes + copy.bytes
    end
  end
  return list, bytes
end

-- Has the kernel an effect that is not after the loop?
local function has_early_effect(p)
  local before, found = {}, false
  for k, s in ipairs(p.ctx.body) do
    before[k] = s
    if s == p.loop then break end
  end
  visit.statements(before, function(s) found = found or s.op == "effect" end)
  return found
end

-- Why blocks can form no cluster, or nil.
local function obstacle(p, copies)
  if not p.persistent then return "each block runs one program" end
  if has_early_effect(p) then return "the kernel stores before the end of its loop" end
  if not copies[1] then return "no program loads the same tiles in the loop as its neighbour" end
end

-- find(w, p): adds the cluster that the option asks for to the plan.
function M.find(w, p)
  local size = w.cluster or 1
  if size == 1 then return end
  local copies, bytes = shared_along(p, "x", size)
  local others, more = shared_along(p, "y", size)
  local axis = more > bytes and "y" or "x"
  if axis == "y" then copies = others end
  local why = obstacle(p, copies)
  if why then report.fail(p.ctx, p.loop, "option 'cluster': %s", why) end
  p.cluster = { size = size, axis = axis }
  for _, copy in ipairs(copies) do copy.parts = size end
end

return M

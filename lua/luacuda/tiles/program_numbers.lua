-- program_numbers.lua: which numbers of a kernel are the same in all programs.

local visit = require "luacuda.tiles.visit"

local M = {}

-- is_equal(p, e [, axis]) -> is the number the same in all programs, or in those along an axis, "x"
-- to "z"? A function of elements may have captured one that is not.
function M.is_equal(p, e, axis)
  local equal, own = true, "^_program_" .. (axis or "")
  visit.all(e, function(one)
    local declared = one.op == "var" and p.declared[one.slot]
    if one.op == "text" and one.text:find(own) then equal = false end
    if one.op == "var" and one.slot.assigned then equal = false end
    if one.op == "device" and next(one.instance.captured) then equal = false end
    if declared and not M.is_equal(p, declared.value, axis) then equal = false end
  end)
  return equal
end

-- have_equal_rounds(p) -> have all programs as many rounds of the plan's loop?
function M.have_equal_rounds(p)
  local loop = p.loop
  return M.is_equal(p, loop.first) and M.is_equal(p, loop.last) and M.is_equal(p, loop.step)
end

return M

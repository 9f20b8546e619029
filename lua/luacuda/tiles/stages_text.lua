-- stages_text.lua: C++ that the parts of a plan (pipeline.lua) have in common: where copies are in
-- shared memory, their barriers, their places in arrays.

local wgmma = require "luacuda.tiles.wgmma_text"

local M = {}

-- The columns of a swizzled line of two-byte elements, its bytes.
M.LINE, M.LINE_BYTES = 64, 128

-- need(em, name, text): the kernel needs the text of a function, whose name is returned.
function M.need(em, name, text)
  em.unit:need{ wgmma.TOOLS, text }
  return name
end

function M.plan_of(em) return em.unit.of_tiles.plan end

-- barrier(p, kind, group, stage) -> the text of the barrier of a group of copies
function M.barrier(p, kind, group, stage)
  return ("&_%s[%d + %s]"):format(kind, group.number * p.stages, stage)
end

-- address(p, copy) -> the text of where a copy is
function M.address(p, copy)
  if copy.resident then return ("_copies + %d"):format(copy.at) end
  return ("_copies + %d + _stage * %d"):format(p.first_stage + copy.at, p.stage_bytes)
end

-- Until at most n groups of wgmma are on their way.
function M.wait_for(em, n)
  em:line(("asm volatile(\"wgmma.wait_group.sync.aligned %d;\" ::: \"memory\");"):format(n))
end

-- The group of warps has read the copies.
function M.release(em, p, group, stage)
  em:line(("if (threadIdx.x %% 128 == 0) _lcu_barrier_arrive(%s);"):format(
    M.barrier(p, "empty", group, stage)))
end

-- coordinates(em, part, shape, offsets) -> the texts of the place of a box, the last axis first,
-- and how many there are. shape: of the tile; offsets: by axis, texts of the place of the box in it.
function M.coordinates(em, part, shape, offsets)
  local list = {}
  for axis = 2, 1, -1 do
    local place = part.places[axis]
    local text = ("int(%s - 1)"):format(em:atom(place.index))
    if not place.of_element then text = ("%s * %d"):format(text, shape[axis]) end
    list[#list + 1] = offsets[axis] and ("%s + %s"):format(text, offsets[axis]) or text
  end
  for k = #part.outer, 1, -1 do
    list[#list + 1] = ("int(%s - 1)"):format(em:atom(part.outer[k].index))
  end
  return table.concat(list, ", "), #list
end

return M

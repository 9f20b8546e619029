-- stages_text.lua: C++ that the parts of a plan (pipeline.lua) have in common: where copies are in
-- shared memory, their barriers, their places in arrays.

local wgmma = require "luacuda.tiles.wgmma_text"

local M = {}

-- The columns of a swizzled line of 16-bit elements, its bytes.
M.LINE, M.LINE_BYTES = 64, 128

-- need(em, name, text): the kernel needs the text of a function, whose name is returned.
function M.need(em, name, text)
  em.unit:need{ wgmma.TOOLS, text }
  return name
end

function M.plan_of(em) return em.unit.of_tiles.plan end

-- groups(p) -> how many groups of copies each stage has, with that of vectors
function M.groups(p) return #p.groups + (#p.vectors > 0 and 1 or 0) end

-- barrier(p, kind, group, stage) -> the text of the barrier of a group of copies
function M.barrier(p, kind, group, stage)
  return ("&_%s[%d + %s]"):format(kind, group.number * p.stages, stage)
end

-- address(p, copy, stage) -> the text of where a copy is; stage: a text
function M.address(p, copy, stage)
  if copy.resident then return ("_copies + %d"):format(copy.at) end
  return ("_copies + %d + %s * %d"):format(p.first_stage + copy.at, stage, p.stage_bytes)
end

-- place(p, copy, stage) -> the same in units of 16 bytes, as descriptors have it
function M.place(p, copy, stage)
  if copy.resident then return ("_start + %d"):format(copy.at // 16) end
  return ("_start + %d + %s * %d"):format((p.first_stage + copy.at) // 16, stage,
    p.stage_bytes // 16)
end

-- The copies that a product is the first to use are complete.
function M.await(em, p, dot, stage, phase)
  for _, group in ipairs(dot.wait) do
    em:line(("_lcu_barrier_wait(%s, %s);"):format(M.barrier(p, "full", group, stage), phase))
  end
end

-- Until at most n groups of wgmma are on their way.
function M.wait_for(em, n)
  em:line(("asm volatile(\"wgmma.wait_group.sync.aligned %d;\" ::: \"memory\");"):format(n))
end

-- before(p) -> the text of the stage of the round before
function M.before(p) return ("(_round - 1) %% %d"):format(p.stages) end

-- The group of warps has read the copies that a product is the last to use. Each block that copies
-- waits for that.
function M.release(em, p, dot, stage)
  for _, group in ipairs(dot.release) do
    local empty = M.barrier(p, "empty", group, stage)
    if p.cluster then
      em:line(("if (threadIdx.x %% 128 < %d) _lcu_cluster_arrive(%s, threadIdx.x %% 128);"):format(
        p.cluster.size, empty))
    else
      em:line(("if (threadIdx.x %% 128 == 0) _lcu_barrier_arrive(%s);"):format(empty))
    end
  end
end

-- coordinates(em, part, shape, offsets) -> the texts of the place of a box, the last axis first,
-- and how many there are. shape: of the tile; offsets: by axis, texts of the place of the box in
-- it.
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

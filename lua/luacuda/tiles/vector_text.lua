-- vector_text.lua: C++ for vectors that a warp copies ahead (vector_copies.lua), and for the
-- threads that read them.

local layout = require "luacuda.tiles.thread_layout"
local memory = require "luacuda.tiles.memory_text"
local registers = require "luacuda.tiles.registers_text"
local stages = require "luacuda.tiles.stages_text"
local dtypes = require "luacuda.base.dtypes"
local visit = require "luacuda.tiles.visit"

local M = { statements = {} }

M.TOOLS = [[
__device__ __forceinline__ void _lcu_copy_element(unsigned to, const void *from, bool inside) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
    :: "r"(to), "l"(from), "r"(inside ? 4 : 0) : "memory");
}
__device__ __forceinline__ void _lcu_barrier_arrive_copied(unsigned long long *b) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" :: "r"(_lcu_address(b))
    : "memory");
}
]]

-- How many threads arrive where a stage's vectors are complete, and where they have been read.
function M.arrivals(p) return layout.LANES, 4 * (p.in_turn and 1 or p.groups_of_warps) end

local function barrier(p, kind) return stages.barrier(p, kind, { number = #p.groups }, "_stage") end

-- The warp that copies ----------------------------------------------------------------------------

-- add(p, list, s): the copies of the loads in a statement of the loop
function M.add(p, list, s)
  visit.of_statement(s, function(root)
    visit.all(root, function(e)
      local copy = p.vector_of[e]
      if not copy then return end
      list[#list + 1] = { op = "tile_vector", plan = p, copy = copy, line = s.line,
        source = s.source }
    end)
  end)
end

function M.statements.tile_vector(em, s)
  local p, copy = s.plan, s.copy
  em.unit:need{ M.TOOLS }
  if copy == p.vectors[1] then
    em:line(("_lcu_barrier_wait(%s, _phase ^ 1);"):format(barrier(p, "empty")))
  end
  em:open "{"
  local to = em:temporary("unsigned", stages.address(p, copy, "_stage"))
  memory.each_element(em, copy.load, layout.lanes(copy.load.type.shape), function(r, from, inside)
    em:line(("_lcu_copy_element(%s + 4 * (%s), %s, %s);"):format(to,
      "_lane + " .. r .. " * 32", from, inside))
  end)
  em:close "}"
  if copy == p.vectors[#p.vectors] then
    em:line(("_lcu_barrier_arrive_copied(%s);"):format(barrier(p, "full")))
  end
end

-- The threads that read ---------------------------------------------------------------------------

function M.statements.vectors_ready(em, s)
  em:line(("_lcu_barrier_wait(%s, _phase);"):format(barrier(s.plan, "full")))
end

function M.statements.vectors_read(em, s)
  em:line "__syncwarp();"
  em:line(("if (_lane == 0) _lcu_barrier_arrive(%s);"):format(barrier(s.plan, "empty")))
end

-- load(em, e, l) -> the name of an array with the thread's elements of the vector
function M.load(em, e, l)
  local p, dtype = stages.plan_of(em), e.type.dtype
  local name, ctype = registers.array(em, dtype, l.registers), em:type_name(dtype)
  local from = em:temporary(("const %s *"):format(ctype),
    ("(const %s *)(_vectors + %d + _stage * %d)"):format(ctype, p.vector_of[e].at, p.stage_bytes))
  local n = math.min(layout.vector(l), 16 // dtypes.of(dtype).size)
  local pack = n == 1 and ctype or ("_lcu_pack<%s, %d>"):format(ctype, n)
  registers.each(em, l.registers // n, function(k)
    local r = em:variable("const int", ("%s * %d"):format(k, n))
    em:line(("*(%s *)&%s[%s] = *(const %s *)&%s[%s + %s];"):format(pack, name, r, pack, from,
      em.unit.of_tiles.place_of(em, l, 2), layout.offset(l, 2, r)))
  end)
  return name
end

return M

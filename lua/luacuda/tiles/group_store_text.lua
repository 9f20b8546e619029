-- group_store_text.lua: C++ that stores the products of groups of four warps by tensor copies.

local layout = require "luacuda.tiles.thread_layout"
local pipeline = require "luacuda.tiles.pipeline"
local registers = require "luacuda.tiles.registers_text"
local stages = require "luacuda.tiles.stages_text"
local wgmma = require "luacuda.tiles.wgmma_text"

local LINE, LINE_BYTES = stages.LINE, stages.LINE_BYTES

-- One part of a tile: the registers from `first` on go to shared memory in swizzled lines. Of the
-- pairs, two are for each 8 columns; the second is 8 rows below.
local function put_part(em, name, first, buffer)
  em:line "const int _row = _warp % 4 * 16 + _lane / 4;"
  registers.each(em, LINE // 8 * 2, function(r)
    local to = ("(_row + %s %% 2 * 8) * %d + ((%s / 2) ^ (_lane / 4)) * 16 + _lane %% 4 * 4")
      :format(r, LINE_BYTES, r)
    local pair = ("%s[%s + %s * 2], %s[%s + %s * 2 + 1]"):format(name, first, r, name, first, r)
    em:line(("*(unsigned *)(%s + %s) = _lcu_two(%s);"):format(buffer, to, pair))
  end)
end

-- Stores a tile of two-byte elements. Each group of warps goes on alone.
local function store(em, e)
  local w, p, t = em.unit.of_tiles, stages.plan_of(em), e.tile.type
  local own = p.stores[e]
  local name = registers.registers(em, e.tile, layout.grouped(t.shape, w.warps))
  local across, pieces = t.shape[2] // LINE, t.shape[1] // LINE // (w.warps // 4)
  local row = p.in_turn and "" or ("_group * %d + "):format(LINE * pieces)
  em.unit:need{ wgmma.TOOLS, wgmma.STORES }
  registers.each(em, pieces * across, function(k)
    local offset = ("_group * %d + (_stored++ & 1) * %d"):format(2 * pipeline.PART_BYTES,
      pipeline.PART_BYTES)
    local at = em:temporary("unsigned", offset)
    em:line "if (threadIdx.x % 128 == 0) _lcu_store_wait();"
    em:line "_lcu_group_wait(_group);"
    put_part(em, name, ("%s * %d"):format(k, LINE // 2), ("_parts + %s"):format(at))
    em:line "asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");"
    em:line "_lcu_group_wait(_group);"
    local places, ndim = stages.coordinates(em, e.part, t.shape,
      { ("%s%s / %d * %d"):format(row, k, across, LINE),
        ("%s %% %d * %d"):format(k, across, LINE) })
    local fn = stages.need(em, wgmma.store(ndim))
    em:line(("if (threadIdx.x %% 128 == 0) %s(&_map_%d, _copies + %d + %s, %s);"):format(fn,
      own.map, p.store_at, at, places))
  end)
end

-- finish(em): before the block ends.
local function finish(em)
  em:line("if (threadIdx.x % 128 == 0) "
    .. "asm volatile(\"cp.async.bulk.wait_group 0;\" ::: \"memory\");")
end

return { store = store, finish = finish }

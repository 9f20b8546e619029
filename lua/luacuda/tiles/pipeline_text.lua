-- pipeline_text.lua: C++ for a plan (pipeline.lua): the warp that copies, the warps that multiply.

local completion = require "luacuda.tiles.completion_text"
local copies = require "luacuda.tiles.copies_text"
local overlap = require "luacuda.tiles.overlap_text"
local pipeline = require "luacuda.tiles.pipeline"
local products = require "luacuda.tiles.group_product_text"
local programs = require "luacuda.tiles.programs_text"
local rounds = require "luacuda.tiles.rounds_text"
local stages = require "luacuda.tiles.stages_text"
local turns = require "luacuda.tiles.turns_text"
local stores = require "luacuda.tiles.group_store_text"
local vectors = require "luacuda.tiles.vector_text"
local wgmma = require "luacuda.tiles.wgmma_text"
local lists = require "luacuda.base.lists"
local report = require "luacuda.jit.typed.report"

local M = { statements = {} }

lists.unite(M.statements, rounds.statements, "statements of tiles")
lists.unite(M.statements, copies.statements, "statements of tiles")
lists.unite(M.statements, vectors.statements, "statements of tiles")
lists.unite(M.statements, completion.statements, "statements of tiles")

-- After the loop nothing is copied any more, and its memory is free.
function M.statements.tile_loop(em, s)
  local p = s.plan
  completion.start(em, p)
  if p.overlap then overlap.loop(em, p)
  elseif p.in_turn then turns.loop(em, p)
  else rounds.rounds(em, p, rounds.texts(p, p.body)) end
  completion.finish(em, p)
  for k = 0, #p.residents - 1 do
    em:line(("if (threadIdx.x %% 128 == 0) _lcu_barrier_arrive(&_free[%d]);"):format(k))
  end
  if p.depth == 1 and not p.persistent then
    em:line(("_shared -= %d;"):format(p.exchange_at - p.first_stage))
    em.unit.of_tiles.after_copies = true
  end
end

-- A variable that is a copy in shared memory.
local function declare(em, slot)
  local copy = slot.copied
  if copy.resident then
    em:line(("_lcu_barrier_wait(&_ready[%d], _turn & 1);"):format(copy.number - 1))
  end
end

-- A tile that was assigned, perhaps in an `if`: the compiler leaves such a branch a branch.
-- Otherwise it would compute the tile in each round and then choose between two.
local function assigned(em, slot, value)
  local dot = stages.plan_of(em).dots[value]
  if slot.type.dtype == "float32" and not (dot and dot.runs_on) then
    products.settle(em, slot.name, slot.layout.registers)
  end
end

-- The kernel --------------------------------------------------------------------------------------

-- The maps that the launch makes: { parameter =, box =, tf32 = }; copies of equal boxes share one.
local function number_maps(p)
  local known = {}
  p.maps = {}
  local function number(parameter, outer, rows, columns)
    local box = {}
    for k = 1, outer do box[k] = 1 end
    box[#box + 1], box[#box + 2] = rows, columns
    local key = parameter .. ":" .. table.concat(box, ",")
    if not known[key] then
      p.maps[#p.maps + 1] = { parameter = parameter, box = box,
        tf32 = p.ctx.parameters[parameter].type.dtype == "float32" }
      known[key] = #p.maps
    end
    return known[key]
  end
  for _, list in ipairs{ p.residents, p.order } do
    for _, copy in ipairs(list) do
      copy.map = number(copy.parameter, #copy.load.part.outer, copy.rows // (copy.parts or 1),
        copy.line)
    end
  end
  for _, store in ipairs(p.store_list) do
    store.map = number(store.parameter, store.outer, stages.LINE, stages.LINE)
  end
end

-- A loop that initializes the barriers of two kinds from `first` to `last` - 1: where so many
-- copies arrive, and so many of their readers.
local function initialized(copied, arrivals, read, readers, first, last)
  return ("    for (int i = %d; i < %d; i++) {\n      _lcu_barrier_init(%s + i, %d), "
    .. "_lcu_barrier_init(%s + i, %d);\n    }"):format(first, last, copied, arrivals, read, readers)
end

-- Declares a pointer to shared memory, `at` bytes after the start of the copies.
local function pointer(name, at)
  return ("  unsigned char *%s = _lcu_copies + (_copies - _lcu_address(_lcu_copies)) + %d;"):format(
    name, at)
end

-- The barriers of tiles and vectors in the ring, then those of tiles that are copied once.
local function barrier_lines(p)
  local groups, residents = p.groups_of_warps, #p.residents
  local tiles, all = #p.groups * p.stages, stages.groups(p) * p.stages
  local arrivals, readers = vectors.arrivals(p)
  local blocks = p.cluster and p.cluster.size or 1
  return {
    ("  __shared__ alignas(8) unsigned long long _full[%d], _empty[%d];"):format(all, all),
    ("  __shared__ alignas(8) unsigned long long _ready[%d], _free[%d];"):format(
      math.max(residents, 1), math.max(residents, 1)),
    "  extern __shared__ unsigned char _lcu_copies[];",
    "  const unsigned _copies = _lcu_address(_lcu_copies) + 1023 & ~1023u;",
    "  const unsigned _start = _copies >> 4 & 0x3fff;",
    pointer("_shared", p.exchange_at),
    pointer("_parts", p.store_at),
    pointer("_vectors", p.first_stage),
    "  int _stored = 0;",
    "  (void)_shared, (void)_parts, (void)_vectors, (void)_stored;",
    "  if (threadIdx.x == 0) {",
    initialized("_full", 1, "_empty", blocks * (p.in_turn and 1 or groups), 0, tiles),
    initialized("_full", arrivals, "_empty", readers, tiles, all),
    initialized("_ready", 1, "_free", groups, 0, residents),
    "    asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");",
    "    asm volatile(\"fence.proxy.async;\" ::: \"memory\");",
    "  }",
    p.cluster and "  _lcu_cluster_sync();" or "  __syncthreads();",
  }
end

-- By groups: the registers of a thread that copies, and of one that multiplies; more for the sums
-- of more than two products.
local REGISTERS = { [2] = { 40, 232 }, [3] = { 32, 160 } }
local MANY_PRODUCTS = { 24, 240 }

-- registers(p) -> those of a thread that copies and of one that multiplies; nil: as many as the
-- compiler chooses
function M.registers(p)
  local own = REGISTERS[p.groups_of_warps]
  if p.groups_of_warps == 2 and #p.list > 2 then own = MANY_PRODUCTS end
  if own then return own[1], own[2] end
end

local function set_registers(em, kind, n)
  if n then em:line(("asm volatile(\"setmaxnreg.%s.sync.aligned.u32 %d;\");"):format(kind, n)) end
end

local function write_roles(em, ctx, p, exchange)
  local w, consumers = em.unit.of_tiles, p.groups_of_warps * 128
  local few, many = M.registers(p)
  em.lines, em.results, em.expected = {}, {}, nil
  w.after_copies = false
  em:open(("if (threadIdx.x >= %d) {"):format(consumers))
  set_registers(em, "dec", few)
  em:open(("if (threadIdx.x == %d) {"):format(consumers))
  programs.each(em, p, function() em:block(copies.statements_of(p, ctx.body)) end)
  if #p.vectors > 0 then
    em:between(("} else if (threadIdx.x / 32 == %d) {"):format(consumers // 32 + 1))
    em.results = {}
    programs.each(em, p, function() em:block(copies.statements_of(p, ctx.body, true)) end)
  end
  em:close "}"
  em:between "} else {"
  set_registers(em, "inc", many)
  em:line "const int _group = threadIdx.x / 128;"
  em:line "(void)_group;"
  if p.in_turn then turns.start(em, exchange) end
  em.results = {}
  local outer = p.loop.op
  p.loop.op, p.loop.plan = "tile_loop", p
  programs.each(em, p, function() programs.block(em, p, ctx.body) end, p.in_turn)
  p.loop.op = outer
  if next(p.stores) then stores.finish(em) end
  em:close "}"
  if p.cluster then em:line "_lcu_cluster_sync();" end
end

-- The threads of a block, and the barrier of those of a program.
local function set_threads(w, p)
  w.threads = (p.groups_of_warps + 1) * 128
  w.sync = p.in_turn and turns.SYNC
    or ("asm volatile(\"bar.sync 1, %d;\" ::: \"memory\");"):format(w.warps * 32)
end

-- One group of warps instead of two that run programs in turn. Whether there are stages enough.
local function alone(w, p, exchange)
  pipeline.place(w, p, false)
  set_threads(w, p)
  return pipeline.stages(p, exchange)
end

-- body(em, ctx, list) -> the text of the kernel's body; `list`: its parameters, to which the maps
-- are added. What threads exchange is known when it is written: then there may be fewer stages.
function M.body(em, ctx, list)
  local w, p = em.unit.of_tiles, stages.plan_of(em)
  em.unit:need{ wgmma.TOOLS, p.cluster and wgmma.CLUSTERS or nil }
  local exchange
  repeat
    exchange = w.shared_bytes
    if not pipeline.stages(p, exchange) and not (p.in_turn and alone(w, p, exchange)) then
      report.fail(ctx, ctx.fn, "the tiles need more shared memory than a program has: %d bytes for "
        .. "each of two stages, %d for loads before the loop and %d for exchanges", p.stage_bytes,
        p.first_stage, exchange)
    end
    write_roles(em, ctx, p, exchange)
  until w.shared_bytes == exchange
  w.dynamic_bytes = pipeline.bytes(p, exchange, w.after_bytes)
  for k in ipairs(p.maps) do
    list[#list + 1] = ("const __grid_constant__ _lcu_tensor_map _map_%d"):format(k)
  end
  for _, axis in ipairs{ "x", "y", "z" } do list[#list + 1] = "unsigned _count_" .. axis end
  return table.concat(barrier_lines(p), "\n") .. "\n" .. table.concat(em.lines, "\n")
end

-- attach(w, p): what other files call of a plan
function M.attach(w, p)
  set_threads(w, p)
  number_maps(p)
  p.multiply = p.overlap and overlap.multiply or products.multiply
  p.declare, p.assigned, p.store, p.load = declare, assigned, stores.store, vectors.load
end

return M

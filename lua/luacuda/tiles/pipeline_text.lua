-- pipeline_text.lua: C++ for a plan (pipeline.lua): the warp that copies, the warps that multiply.

local layout = require "luacuda.tiles.layout"
local pipeline = require "luacuda.tiles.pipeline"
local registers = require "luacuda.tiles.registers_text"
local wgmma = require "luacuda.tiles.wgmma_text"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"

local M = { statements = {} }

local LINE, LINE_BYTES = 64, 128

local function need(em, name, text)
  em.unit:need{ wgmma.TOOLS, text }
  return name
end

local function plan_of(em) return em.unit.of_tiles.plan end

-- The text of the barrier of a group of copies in the stage at hand.
local function barrier(p, kind, group, stage)
  return ("&_%s[%d + %s]"):format(kind, group.number * p.stages, stage)
end

local function address(p, copy)
  if copy.resident then return ("_copies + %d"):format(copy.at) end
  return ("_copies + %d + _stage * %d"):format(p.first_stage + copy.at, p.stage_bytes)
end

-- Products ----------------------------------------------------------------------------------------

-- The descriptor of an operand. k: the text of the step of 16; row: of its first row.
local function descriptor(p, copy, swapped, k, row)
  if not swapped then
    return ("_lcu_descriptor(%s + %s / 4 * %d + (%s) * %d + %s %% 4 * 32, 1)"):format(address(p, copy),
      k, copy.rows * LINE_BYTES, row, LINE_BYTES, k)
  end
  local line = copy.rows * LINE_BYTES
  return ("_lcu_descriptor(%s + (%s) / %d * %d + %s * %d, %d)"):format(address(p, copy), row, LINE,
    line, k, 16 * LINE_BYTES, line >> 4)
end

local function first_row(e, w)
  local pieces = e.type.shape[1] // 64 // (w.warps // 4)
  return ("_warp / 4 * %d"):format(64 * pieces), pieces
end

local function settle(em, name, n)
  registers.each(em, n, function(r) em:line(("_lcu_settle(%s[%s]);"):format(name, r)) end)
end

-- The elements of a tile in registers as wgmma takes them, two in a register: the name of an array.
local function fragments(em, name, n)
  local out = em.unit:own_name "_a"
  em:line(("unsigned %s[%d][4];"):format(out, n // 8))
  registers.each(em, n // 2, function(r)
    em:line(("%s[%s / 4][%s %% 4] = _lcu_two(%s[%s * 2], %s[%s * 2 + 1]);"):format(out, r, r, name, r,
      name, r))
    em:line(("_lcu_settle(%s[%s / 4][%s %% 4]);"):format(out, r, r))
  end)
  return out
end

local function issue(em, e, dot, sum, left)
  local w, p = em.unit.of_tiles, plan_of(em)
  local depth, columns = e.left.type.shape[2], e.type.shape[2]
  -- the first operand of wgmma is by rows of k, the second by columns of k
  local right_swapped = not dot.right_swapped
  local fn = need(em, wgmma.product(e.left.type.dtype, columns, dot.in_registers, dot.left_swapped,
    right_swapped))
  local row, pieces = first_row(e, w)
  local a = left and fragments(em, left, pieces * depth // 2)
  if e.sum then settle(em, sum, pieces * columns // 2) end
  em:line "asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");"
  registers.each(em, depth // 16, function(k)
    registers.each(em, pieces, function(m)
      local first = a and ("%s[%s * %d + %s]"):format(a, m, depth // 16, k)
        or descriptor(p, dot.left, dot.left_swapped, k, ("%s + %s * 64"):format(row, m))
      em:line(("%s(%s + %s * %d, %s, %s, %s);"):format(fn, sum, m, columns // 2, first,
        descriptor(p, dot.right, right_swapped, k, "0"), e.sum and "1" or k .. " > 0"))
    end)
  end)
  em:line "asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\");"
end

local function wait_for(em, n)
  em:line(("asm volatile(\"wgmma.wait_group.sync.aligned %d;\" ::: \"memory\");"):format(n))
end

local function release(em, p, group, stage)
  em:line(("if (threadIdx.x %% 128 == 0) _lcu_barrier_arrive(%s);"):format(barrier(p, "empty", group,
    stage)))
end

local function multiply(em, e, _, sum)
  local p = plan_of(em)
  local dot = p.dots[e]
  local left
  if dot.in_registers then
    left = registers.registers(em, e.left, layout.grouped(e.left.type.shape, em.unit.of_tiles.warps))
  end
  for _, group in ipairs(dot.wait) do
    em:line(("_lcu_barrier_wait(%s, _phase);"):format(barrier(p, "full", group, "_stage")))
  end
  issue(em, e, dot, sum, left)
  if dot == p.ahead then
    em:open "if (_begun) {"
    wait_for(em, 1)
    for _, group in ipairs(dot.release) do
      release(em, p, group, ("(_round - 1) %% %d"):format(p.stages))
    end
    em:close "}"
    return
  end
  wait_for(em, 0)
  for _, group in ipairs(dot.release) do release(em, p, group, "_stage") end
end

-- The loop ----------------------------------------------------------------------------------------

local function stage_lines(em, p)
  em:line(("const int _stage = _round %% %d, _phase = _round / %d & 1;"):format(p.stages, p.stages))
end

function M.statements.tile_round(em, s)
  stage_lines(em, s.plan)
  if s.plan.copying then M.copy_round(em, s.plan) end
end

function M.statements.tile_next(em)
  em:line "_round++;"
  em:line "_begun = true;"
end

-- The loop as a statement of numbers, with what begins and ends a round.
local function rounds(em, p, body)
  local loop = p.loop
  local function own(op) return { op = op, plan = p, line = loop.line, source = loop.source } end
  local list = { own "tile_round" }
  table.move(body, 1, #body, 2, list)
  em:line "bool _begun = false; (void)_begun;"
  list[#list + 1] = own "tile_next"
  local copy = setmetatable({ body = list, planned = true }, { __index = loop })
  em.statements.fornum(em, copy)
end

-- The product of the last round.
local function finish_ahead(em, p)
  wait_for(em, 0)
  em:open "if (_begun) {"
  for _, group in ipairs(p.ahead.release) do
    release(em, p, group, ("(_round - 1) %% %d"):format(p.stages))
  end
  em:close "}"
end

-- Behind the loop, nothing is copied any more, and its memory is free.
function M.statements.tile_loop(em, s)
  local p = s.plan
  rounds(em, p, p.loop.body)
  if p.ahead then finish_ahead(em, p) end
  if p.depth == 1 and not p.persistent then
    em:line(("_shared -= %d;"):format(p.exchange_at - p.first_stage))
    em.unit.of_tiles.behind_copies = true
  end
end

-- Copies ------------------------------------------------------------------------------------------

-- The coordinates of a copy, the last axis first; `line`: which of its lines of 64 columns.
local function coordinates(em, copy, line)
  local part, list = copy.load.part, {}
  local extents = { copy.rows, copy.columns }
  for axis = 2, 1, -1 do
    local place_of = part.places[axis]
    local text = ("int(%s - 1)"):format(em:atom(place_of.index))
    if not place_of.of_element then text = ("%s * %d"):format(text, extents[axis]) end
    if axis == 2 then text = ("%s + %s * %d"):format(text, line, LINE) end
    list[#list + 1] = text
  end
  for k = #part.outer, 1, -1 do
    list[#list + 1] = ("int(%s - 1)"):format(em:atom(part.outer[k].index))
  end
  return table.concat(list, ", "), #list
end

local function copy_one(em, p, copy, bar)
  local lines = copy.columns // LINE
  registers.each(em, lines, function(line)
    local places, ndim = coordinates(em, copy, line)
    local fn = need(em, wgmma.copy(ndim))
    em:line(("%s(%s + %s * %d, &_map_%d, %s, %s);"):format(fn, address(p, copy), line,
      copy.rows * LINE_BYTES, copy.map, places, bar))
  end)
end

local function bytes_of(copies)
  local n = 0
  for _, copy in ipairs(copies) do n = n + copy.bytes end
  return n
end

function M.copy_round(em, p)
  for _, group in ipairs(p.groups) do
    local full = barrier(p, "full", group, "_stage")
    em:line(("_lcu_barrier_wait(%s, _phase ^ 1);"):format(barrier(p, "empty", group, "_stage")))
    em:line(("_lcu_barrier_expect(%s, %d);"):format(full, bytes_of(group.copies)))
    for _, copy in ipairs(group.copies) do copy_one(em, p, copy, full) end
  end
end

-- Does a statement only compute numbers?
local function only_numbers(s)
  if s.op == "declare" then return not types.is_tile(s.slot.type) end
  if s.op ~= "assign" then return false end
  for _, pair in ipairs(s.pairs) do
    if not pair.slot or types.is_tile(pair.slot.type) then return false end
  end
  return true
end

-- The statements of a list as the copying warp has them.
local function for_copies(p, list)
  local own = {}
  for _, s in ipairs(list) do
    if s.op == "declare" and s.slot.copied and s.slot.copied.resident then
      own[#own + 1] = { op = "tile_resident", plan = p, copy = s.slot.copied, line = s.line,
        source = s.source }
    elseif s == p.loop then
      own[#own + 1] = { op = "tile_copies", plan = p, line = s.line, source = s.source }
    elseif only_numbers(s) then own[#own + 1] = s
    elseif s.op ~= "declare" and s.op ~= "assign" and s.op ~= "effect" then
      local inner = { line = s.line, source = s.source }
      if s.body then inner.body = for_copies(p, s.body) end
      if s.orelse then inner.orelse = for_copies(p, s.orelse) end
      if s.clauses then
        inner.clauses = {}
        for k, clause in ipairs(s.clauses) do
          inner.clauses[k] = setmetatable({ body = for_copies(p, clause.body) }, { __index = clause })
        end
      end
      own[#own + 1] = setmetatable(inner, { __index = s })
    end
  end
  return own
end

function M.statements.tile_copies(em, s)
  rounds(em, s.plan, for_copies(s.plan, s.plan.loop.body))
end

function M.statements.tile_resident(em, s)
  local bar = ("&_ready[%d]"):format(s.copy.number - 1)
  em:line(("_lcu_barrier_expect(%s, %d);"):format(bar, s.copy.bytes))
  copy_one(em, s.plan, s.copy, bar)
end

-- A variable that is a copy in shared memory.
local function declare(em, slot)
  local copy = slot.copied
  if copy.resident then
    em:line(("_lcu_barrier_wait(&_ready[%d], 0);"):format(copy.number - 1))
  end
end

-- The kernel --------------------------------------------------------------------------------------

-- The maps that the launch makes: { parameter =, box = }; copies of equal boxes share one.
local function number_maps(p)
  local known = {}
  p.maps = {}
  local function number(copy)
    local box = {}
    for k = 1, #copy.load.part.outer do box[k] = 1 end
    box[#box + 1], box[#box + 2] = copy.rows, LINE
    local key = copy.parameter .. ":" .. table.concat(box, ",")
    if not known[key] then
      p.maps[#p.maps + 1] = { parameter = copy.parameter, box = box }
      known[key] = #p.maps
    end
    copy.map = known[key]
  end
  for _, copy in ipairs(p.residents) do number(copy) end
  for _, copy in ipairs(p.order) do number(copy) end
end

local function barrier_lines(p, groups)
  local n, residents = #p.groups * p.stages, #p.residents
  return {
    ("  __shared__ alignas(8) unsigned long long _full[%d], _empty[%d], _ready[%d];"):format(n, n,
      math.max(residents, 1)),
    "  extern __shared__ unsigned char _lcu_copies[];",
    "  const unsigned _copies = _lcu_address(_lcu_copies) + 1023 & ~1023u;",
    ("  unsigned char *_shared = _lcu_copies + (_copies - _lcu_address(_lcu_copies)) + %d;"):format(
      p.exchange_at),
    "  (void)_shared;",
    "  if (threadIdx.x == 0) {",
    ("    for (int i = 0; i < %d; i++) {"):format(n),
    ("      _lcu_barrier_init(_full + i, 1), _lcu_barrier_init(_empty + i, %d);"):format(groups),
    "    }",
    ("    for (int i = 0; i < %d; i++) _lcu_barrier_init(_ready + i, 1);"):format(residents),
    "    asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");",
    "    asm volatile(\"fence.proxy.async;\" ::: \"memory\");",
    "  }",
    "  __syncthreads();",
  }
end

local KEPT, GIVEN = 40, 232

local function set_registers(em, kind, n, groups)
  if groups == 2 then
    em:line(("asm volatile(\"setmaxnreg.%s.sync.aligned.u32 %d;\");"):format(kind, n))
  end
end

-- Programs that run at about the same time share rows and columns of tiles: bands of 8.
local NUMBERS = {
  "const unsigned _area = _count_x * _count_y, _band = 8 * _count_y;",
  "const unsigned _in_area = _number % _area, _first = _in_area / _band * 8;",
  "const unsigned _rows = min(8u, _count_x - _first);",
  "const int64 _program_x = _first + _in_area % _band % _rows;",
  "const int64 _program_y = _in_area % _band / _rows, _program_z = _number / _area;",
  "const int64 _programs_x = _count_x, _programs_y = _count_y, _programs_z = _count_z;",
  "(void)_program_x, (void)_program_y, (void)_program_z;",
  "(void)_programs_x, (void)_programs_y, (void)_programs_z;",
}

-- The programs of a block, each by write().
local function programs(em, write)
  em:line "int _round = 0;"
  em:open("for (unsigned _number = blockIdx.x; _number < _count_x * _count_y * _count_z; "
    .. "_number += gridDim.x) {")
  for _, line in ipairs(NUMBERS) do em:line(line) end
  write()
  em:close "}"
end

local function write_roles(em, ctx, p, groups)
  local w = em.unit.of_tiles
  em.lines, em.results, em.expected = {}, {}, nil
  w.behind_copies = false
  em:open(("if (_warp >= %d) {"):format(w.warps))
  set_registers(em, "dec", KEPT, groups)
  em:open(("if (threadIdx.x == %d) {"):format(w.warps * 32))
  p.copying = true
  programs(em, function() em:block(for_copies(p, ctx.body)) end)
  p.copying = false
  em:close "}"
  em:between "} else {"
  set_registers(em, "inc", GIVEN, groups)
  em.results = {}
  local outer = p.loop.op
  p.loop.op, p.loop.plan = "tile_loop", p
  programs(em, function() em:block(ctx.body) end)
  p.loop.op = outer
  em:close "}"
end

-- body(em, ctx, list) -> the text of the kernel's body; `list`: its parameters, to which the maps
-- are added. What threads exchange is known when it is written: then there may be fewer stages.
function M.body(em, ctx, list)
  local w, p = em.unit.of_tiles, plan_of(em)
  local groups = w.warps // 4
  em.unit:need{ wgmma.TOOLS }
  local exchange
  repeat
    exchange = w.shared_bytes
    if not pipeline.stages(p, exchange) then
      report.fail(ctx, ctx.fn, "the tiles need more shared memory than a program has: %d bytes for "
        .. "each of two stages, %d for loads before the loop and %d for exchanges", p.stage_bytes,
        p.first_stage, exchange)
    end
    write_roles(em, ctx, p, groups)
  until w.shared_bytes == exchange
  w.dynamic_bytes = pipeline.bytes(p, exchange, w.behind_bytes)
  for k in ipairs(p.maps) do
    list[#list + 1] = ("const __grid_constant__ _lcu_tensor_map _map_%d"):format(k)
  end
  for _, axis in ipairs{ "x", "y", "z" } do list[#list + 1] = "unsigned _count_" .. axis end
  return table.concat(barrier_lines(p, groups), "\n") .. "\n" .. table.concat(em.lines, "\n")
end

-- attach(p): what other files call of a plan
function M.attach(p)
  number_maps(p)
  p.multiply, p.declare = multiply, declare
end

return M

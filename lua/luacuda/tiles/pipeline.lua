-- pipeline.lua: finds the loop of a kernel whose loads can run ahead of its products on
-- architectures with wgmma and tensor copies (sm_90a). One warp copies, the others multiply.
--
-- A plan:
--   loop      the statement
--   copies    load -> { slot =, rows =, columns =, line = columns of a line of 128 bytes,
--             parameter =, number =, group =, at = bytes from the start of its stage; resident = it
--             is copied once, before the loop }
--   order     the copies of the loop in order of their first use; residents: those before it
--   groups    of copies that one product uses first: { copies =, last = dot, number = }
--   dots      dot -> { left =, right = copies, left_swapped =, right_swapped =, in_registers = is
--             the left tile?, wait = groups that it is the first to use, release = groups that it
--             is the last to use }
--   stores    store -> { parameter =, outer = how many indices of elements }: by tensor copies from
--             `store_at` on (store_list: in order), two parts of 64 x 64 for each group of warps
--   persistent  each block runs programs until none are left: the default where all programs have
--             the same number of rounds
--   in_turn   two groups of four warps run programs in turn: one multiplies, the other stores
--   cluster   of blocks that share copies (cluster.lua), or nil
--   groups_of_warps  that multiply
--   vectors   copies of loads of one axis in the loop (vector_copies.lua)
--   overlap   of two products in the loop (overlap.lua), or nil
--   body      the statements of a round; with `carried`, the products that run on into the next
--             round (schedule.lua)
--   choice    of two texts of a round (choice.lua), or nil
-- A kernel that permits none has a reason (refusal.lua).

local cluster = require "luacuda.tiles.cluster"
local kinds = require "luacuda.tiles.tensor_kinds"
local layout = require "luacuda.tiles.thread_layout"
local numbers = require "luacuda.tiles.program_numbers"
local overlap = require "luacuda.tiles.overlap"
local place = require "luacuda.tiles.place"
local refusal = require "luacuda.tiles.refusal"
local report = require "luacuda.jit.typed.report"
local schedule = require "luacuda.tiles.schedule"
local source = require "luacuda.tiles.source_array"
local vectors = require "luacuda.tiles.vector_copies"
local visit = require "luacuda.tiles.visit"
local types = require "luacuda.jit.typed.value_types"
local dtypes = require "luacuda.base.dtypes"

local M = {}

local no = refusal.no

local MOST_ROWS, LINE_BYTES, MOST_COLUMNS = 256, 128, 256 -- of a copy; of a line; of wgmma

-- Uses of variables -------------------------------------------------------------------------------

-- slot -> { count =, dots = how many of them are operands of products }
local function uses_of(ctx)
  local uses = {}
  visit.statements(ctx.body, function(s)
    visit.of_statement(s, function(root)
      visit.all(root, function(e, parent)
        if e.op ~= "var" or not types.is_tile(e.type) then return end
        local use = uses[e.slot] or { count = 0, dots = 0 }
        uses[e.slot] = use
        use.count = use.count + 1
        local at = parent
        local operand = at and (at.op == "dot" and at.sum ~= e or at.op == "swap")
        if operand then use.dots = use.dots + 1 end
      end)
    end)
  end)
  return uses
end

-- Operands ----------------------------------------------------------------------------------------

-- Elements of a line of 128 bytes, in which the swizzle exchanges units of 16.
local function line_of(dtype) return LINE_BYTES // dtypes.of(dtype).size end

-- Why tensor copies cannot bring the tile to shared memory, in lines of 128 bytes; nil: they can.
local function obstacle(ctx, e)
  local rows, columns, part = e.type.shape[1], e.type.shape[2], e.part
  local line = line_of(e.type.dtype)
  if not source.is_zero(e.other) then return "is not 0 outside of its array" end
  if #part.places ~= 2 then return "has only one axis" end
  if #part.outer > 3 then return "is part of an array of more than 5 axes" end
  if rows % 8 ~= 0 or rows > MOST_ROWS then
    return ("has %d rows, which is no multiple of 8 up to %d"):format(rows, MOST_ROWS)
  end
  if columns % line ~= 0 then
    return ("has %d columns, which is no multiple of %d"):format(columns, line)
  end
  if source.is_written(part.whole) then
    return "is loaded from an array that the kernel writes to"
  end
  if not source.parameter_of(ctx, part.whole) then
    return "is not loaded from a contiguous array among the arguments"
  end
  if not source.is_packed(part.whole) then
    return "is loaded from an array whose rows do not begin at multiples of 16 bytes"
  end
end

-- The load of an operand: the load, is it transposed?, its variable.
local function load_of(p, e)
  local swapped = e.op == "swap"
  if swapped then e = e.tile end
  if e.op == "tile_load" then return e, swapped end
  local declared = e.op == "var" and p.declared[e.slot]
  if declared and declared.value.op == "tile_load" then return declared.value, swapped, e.slot end
end

local function copy_of(p, e, slot)
  local copy = p.copies[e]
  if copy then return copy end
  local shape, line = e.type.shape, line_of(e.type.dtype)
  copy = { load = e, slot = slot, rows = shape[1], columns = shape[2], line = line,
    parameter = source.parameter_of(p.ctx, e.part.whole),
    bytes = shape[1] * shape[2] // line * LINE_BYTES,
    resident = slot ~= nil and not p.declared[slot].in_loop }
  p.copies[e] = copy
  local list = copy.resident and p.residents or p.order
  list[#list + 1] = copy
  copy.number = #list
  return copy
end

-- Why the variable of an operand cannot be in shared memory, or nil.
local function variable_obstacle(p, slot)
  local use, declared = p.uses[slot], p.declared[slot]
  if use.count ~= use.dots then return "is used by more than products" end
  if slot.assigned then return "is a variable that changes" end
  local most = declared.in_loop and p.depth or 0
  if declared.loops > most then return "is loaded in another loop" end
end

-- An operand in shared memory; nil, false and why it cannot be there.
local function operand(p, e)
  local load, swapped, slot = load_of(p, e)
  local why
  if not load then why = e.op == "swap" and "is computed and transposed" or "is computed"
  else why = obstacle(p.ctx, load) or slot and variable_obstacle(p, slot) end
  if why then return nil, false, why end
  return copy_of(p, load, slot), swapped
end

-- Products ----------------------------------------------------------------------------------------

-- The columns of a product whose sums the compiler places in the registers that each thread of a
-- block begins with, beside 26 others.
local function most_columns(w)
  local threads = (w.warps // 4 + 1) * 128
  local registers = 65536 // threads // 8 * 8
  return math.min(MOST_COLUMNS, (registers - 26) * 2 // 8 * 8)
end

-- Refuses the product of a statement whose shape wgmma does not have.
local function check_shape(w, e, s, kind)
  local rows, columns, depth = e.type.shape[1], e.type.shape[2], e.left.type.shape[2]
  if w.warps % 4 ~= 0 then no(nil, "the kernel has %d warps, no multiple of 4", w.warps) end
  local least = 64 * (w.warps // 4)
  if rows % least ~= 0 then
    no(s, "the product has %d rows, and %d warps compute multiples of %d", rows, w.warps, least)
  end
  local step = kind.sum == "s32" and columns > 32 and 16 or 8
  local most = most_columns(w)
  if columns % step ~= 0 or columns > most then
    no(s, "the product has %d columns, which is no multiple of %d up to %d", columns, step, most)
  end
  if depth % kind.depth ~= 0 then
    no(s, "the product sums %d elements, no multiple of %d", depth, kind.depth)
  end
end

-- Refuses operands that are not where wgmma takes elements of this kind. Only those of 16 bits may
-- be in registers, or have rows that are not those of k.
local function check_places(dot, e, s, kind)
  if kind.size == 2 then return end
  local dtype = e.left.type.dtype
  if not dot.left then no(s, "the left tile of the product %s", dot.why) end
  if dot.left_swapped then no(s, "the left tile of the product, of %s, is transposed", dtype) end
  if not dot.right_swapped then
    no(s, "the right tile of the product, of %s, is not transposed", dtype)
  end
end

-- The kind of the product of a statement, which wgmma has.
local function kind_of(e, s)
  local kind = kinds.of(e)
  if not kind then no(s, "the product is of %s tiles", e.left.type.dtype) end
  if kind.parts > 1 then no(s, "the product has the precision '%s'", e.precision) end
  return kind
end

-- Adds a product of a statement to the plan, if it can be one of wgmma.
local function add_dot(w, p, e, s)
  local kind = kind_of(e, s)
  check_shape(w, e, s, kind)
  local dot, why = { wait = {}, release = {}, line = s.line }
  dot.right, dot.right_swapped, why = operand(p, e.right)
  if why then no(s, "the right tile of the product %s", why) end
  dot.left, dot.left_swapped, dot.why = operand(p, e.left)
  check_places(dot, e, s, kind)
  dot.in_registers = not dot.left
  p.dots[e] = dot
  p.list[#p.list + 1] = dot
end

-- Which product is the first, and which the last, to use the copies of the loop.
local function group_copies(p)
  for _, dot in ipairs(p.list) do
    local group
    for _, copy in ipairs{ dot.left or dot.right, dot.right } do
      if not copy.resident and not copy.group then
        group = group or { copies = {}, number = #p.groups }
        copy.group = group
        group.copies[#group.copies + 1] = copy
      end
    end
    if group then
      p.groups[#p.groups + 1] = group
      dot.wait[#dot.wait + 1] = group
    end
    for _, copy in ipairs{ dot.left or dot.right, dot.right } do
      if copy.group then copy.group.last = dot end
    end
  end
  for _, group in ipairs(p.groups) do group.last.release[#group.last.release + 1] = group end
end

-- The loop ----------------------------------------------------------------------------------------

-- The first statement of a list, or of one in it, that has a product; nil: there is none.
local function first_dot(list)
  local found
  visit.statements(list, function(s)
    visit.of_statement(s, function(root)
      visit.all(root, function(e)
        if e.op == "dot" then found = found or s end
      end)
    end)
  end)
  return found
end

-- The one innermost loop that has products, how many loops are around them.
local function loop_of(ctx)
  local loop, depth
  visit.statements(ctx.body, function(s, loops)
    if s.op ~= "fornum" or not first_dot(s.body) then return end
    if loop then no(s, "a second loop has products") end
    for _, inner in ipairs(s.body) do
      if inner.op ~= "if" and inner.body then
        no(inner, "the loop with products has a block in it")
      end
      if inner.clauses and first_dot{ inner } then no(inner, "the product is in an 'if'") end
    end
    loop, depth = s, loops
  end)
  if loop then return loop, depth + 1 end
  local dot = first_dot(ctx.body)
  no(dot, dot and "the product is in no numeric 'for'" or "the kernel has no product")
end

local SIMPLE = { declare = true, assign = true, effect = true, fornum = true, ["do"] = true,
  ["if"] = true }

-- Does a call of a function of elements read an array that the kernel writes to?
local function reads_written(e)
  for _, given in ipairs(e.args) do
    if types.is_array(given.slot.type) and source.is_written(given.value) then return true end
  end
  for slot in pairs(e.instance.captured) do
    if types.is_array(slot.type) and source.is_written(slot) then return true end
  end
end

-- Refuses a call of a function of elements that the copying warp must not repeat. It repeats none
-- that is made for each element of a tile.
local function check_called(e, s, of_tile)
  local own = e.instance
  local name = own.fn.name or own.name
  if own.effects and not of_tile then no(s, "the function '%s' has effects", name) end
  if reads_written(e) then
    no(s, "the function '%s' reads an array that the kernel writes to", name)
  end
end

-- The expressions that are computed for each element of a tile.
local function inside_maps(root)
  local found = {}
  visit.all(root, function(e)
    if e.op == "map" then visit.all(e.body, function(inner) found[inner] = true end) end
  end)
  return found
end

-- Only plain statements, and no number that is computed from a tile: the copying warp computes the
-- same numbers as the others.
local function check_plain(ctx)
  if ctx.has_goto then no(nil, "the kernel has a 'goto'") end
  visit.statements(ctx.body, function(s)
    if not SIMPLE[s.op] then no(s, "the kernel has a statement of the kind '%s'", s.op) end
    visit.of_statement(s, function(root)
      local of_tile = inside_maps(root)
      visit.all(root, function(e)
        if e.op == "reduce_all" then no(s, "a number is computed from a tile") end
        if e.op == "atomic" then no(s, "the kernel has an atomic operation on an element") end
        if e.op == "load" and source.is_written(e.array) then
          no(s, "an element is read from an array that the kernel writes to")
        end
        if e.op == "device" then check_called(e, s, of_tile[e]) end
      end)
    end)
  end)
end

local function declared_in(ctx, loop)
  local declared = {}
  visit.statements(ctx.body, function(s, loops)
    if s.op == "declare" and s.value then declared[s.slot] = { value = s.value, loops = loops } end
  end)
  for _, s in ipairs(loop.body) do
    if s.op == "declare" and s.value then declared[s.slot].in_loop = true end
  end
  return declared
end

-- Adds all products of the kernel, which are in the loop.
local function add_dots(w, p)
  for _, s in ipairs(p.loop.body) do
    visit.of_statement(s, function(root)
      local own = {}
      visit.all(root, function(e) if e.op == "dot" then table.insert(own, 1, e) end end)
      for _, e in ipairs(own) do add_dot(w, p, e, s) end
    end)
  end
  visit.statements(p.ctx.body, function(s)
    visit.of_statement(s, function(root)
      visit.all(root, function(e)
        if e.op == "dot" and not p.dots[e] then no(s, "a product is not in the loop") end
      end)
    end)
  end)
  if #p.order == 0 then no(p.loop, "the products use no tile that is loaded in the loop") end
end

-- Stores ------------------------------------------------------------------------------------------

local PART = 64 -- rows of a group of warps, and columns, that are stored at once
M.PART_BYTES = PART * PART * 2

-- Can tensor copies store the tile from shared memory, 64 rows of a group of warps at once?
local function can_store(w, ctx, e)
  local t, part = e.tile.type, e.part
  return dtypes.is_half(t.dtype) and not e.texts and not e.mask and #part.places == 2
    and #part.outer <= 3 and t.shape[1] % (PART * (w.warps // 4)) == 0 and t.shape[2] % PART == 0
    and not w.is_shared(part.whole)
    and source.parameter_of(ctx, part.whole) ~= nil and source.is_packed(part.whole)
end

local function find_stores(w, p)
  p.stores, p.store_list = {}, {}
  visit.statements(p.ctx.body, function(s)
    local e = s.op == "effect" and s.value
    if e and e.op == "tile_store" and can_store(w, p.ctx, e) then
      local store = { parameter = source.parameter_of(p.ctx, e.part.whole), outer = #e.part.outer }
      p.stores[e], p.store_list[#p.store_list + 1] = store, store
    end
  end)
end

-- Memory ------------------------------------------------------------------------------------------

-- Of a block; for barriers and the alignment of the copies. MOST_STAGES: stages that help.
local SHARED_BYTES, RESERVED = 227 * 1024, 2048
M.MOST_STAGES = 6
M.ALIGNMENT = 1024

-- For exchanges between threads; groups that run programs in turn have their own.
local function exchanges(p, bytes) return p.in_turn and 2 * bytes or bytes end

-- bytes(p, exchange, after) -> bytes of shared memory for a block; after: what exchanges after the
-- loop need
function M.bytes(p, exchange, after)
  return math.max(p.exchange_at + exchanges(p, exchange), p.first_stage + after) + M.ALIGNMENT
end

-- stages(p, exchange): sets how many stages there are beside so many bytes for exchanges between
-- the threads of a program. Whether these are enough.
function M.stages(p, exchange)
  exchange = exchanges(p, exchange)
  local left = SHARED_BYTES - RESERVED - exchange - p.first_stage
  p.stages = math.min(p.most_stages, left // p.stage_bytes)
  p.exchange_at = p.first_stage + p.stages * p.stage_bytes
  return p.stages >= 2
end

local function is_one_of(item, list)
  for _, one in ipairs(list) do
    if one == item then return true end
  end
  return false
end

-- place(w, p, in_turn): where copies are, for two groups that run programs in turn or not. Whether
-- there are stages enough.
function M.place(w, p, in_turn)
  p.in_turn = in_turn
  p.groups_of_warps = in_turn and 2 or w.warps // 4
  local at = 0
  for _, copy in ipairs(p.residents) do
    copy.at, at = at, at + copy.bytes
  end
  p.store_at = at
  if next(p.stores) then at = at + p.groups_of_warps * 2 * M.PART_BYTES end
  p.first_stage, at = at, 0
  for _, copy in ipairs(p.order) do
    copy.at, at = at, at + copy.bytes
  end
  for _, copy in ipairs(p.vectors) do
    copy.at, at = at, at + copy.bytes
  end
  p.stage_bytes = (at + M.ALIGNMENT - 1) // M.ALIGNMENT * M.ALIGNMENT
  p.most_stages = w.stages or M.MOST_STAGES
  return M.stages(p, 0)
end

-- Does one block run several programs, one after the other?
local function set_persistent(w, p)
  local can = p.depth == 1 and is_one_of(p.loop, p.ctx.body)
  p.persistent = w.persistent
  if w.persistent == nil then p.persistent = can and numbers.have_equal_rounds(p) end
  if can or not w.persistent then return end
  report.fail(p.ctx, p.loop, "option 'persistent': a block runs several programs only if their "
    .. "loop is in no other statement")
end

-- Can two groups of warps run programs in turn? Each counts the rounds of the other, but not the
-- tiles that are copied once for a program.
local function can_turn(w, p)
  return w.warps == 4 and p.persistent and #p.list == 1 and #p.carried == 1 and #p.residents == 0
    and numbers.have_equal_rounds(p) and overlap.is_simple(p.loop)
end

local function find(w, ctx)
  local loop, depth = loop_of(ctx)
  check_plain(ctx)
  local p = { ctx = ctx, loop = loop, depth = depth, copies = {}, order = {}, residents = {},
    groups = {}, dots = {}, list = {}, uses = uses_of(ctx), declared = declared_in(ctx, loop) }
  add_dots(w, p)
  group_copies(p)
  p.overlap = overlap.find(p)
  schedule.find(p)
  vectors.find(p)
  find_stores(w, p)
  set_persistent(w, p)
  cluster.find(w, p)
  if not (can_turn(w, p) and M.place(w, p, true)) and not M.place(w, p, false) then
    no(loop, "two stages of %d bytes do not fit in shared memory beside %d bytes", p.stage_bytes,
      p.first_stage)
  end
  for _, copy in pairs(p.copies) do
    if copy.slot then copy.slot.copied = copy end
  end
  return p
end

-- find(w, ctx) -> the plan; nil and why there is none
function M.find(w, ctx) return refusal.try(find, w, ctx) end

-- Are the operands in registers where wgmma takes them? Known once tiles have layouts. If not, also
-- why not.
function M.fits(w, p)
  for e, dot in pairs(p.dots) do
    if dot.in_registers then
      local own = place.natural(w, e.left)
      if own ~= layout.grouped(e.left.type.shape, w.warps) then
        return false, ("line %d: the left tile of the product %s"):format(dot.line, dot.why)
      end
    end
  end
  return true
end

function M.forget(p)
  for _, copy in pairs(p.copies) do
    if copy.slot then copy.slot.copied = nil end
  end
end

return M

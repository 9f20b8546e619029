-- memory_text.lua: C++ that loads tiles from arrays and stores them, with masks at the edges.

local exchange = require "luacuda.tiles.exchange_text"
local layout = require "luacuda.tiles.thread_layout"
local place_of = require "luacuda.tiles.place"
local registers = require "luacuda.tiles.registers_text"
local source = require "luacuda.tiles.source_array"
local dtypes = require "luacuda.base.dtypes"
local arrays = require "luacuda.jit.emit.pointer_text"
local nodes = require "luacuda.jit.typed.nodes"
local slots = require "luacuda.jit.typed.slots"
local types = require "luacuda.jit.typed.value_types"

local M = { forms = {} }

-- Is each index along the axes before the tile's own in the array? nil: there is none.
local function outer_condition(em, part)
  local terms = {}
  for k, place in ipairs(part.outer) do
    terms[k] = ("(uint64)(%s - 1) < (uint64)%s"):format(em:atom(place.index),
      (em:expression(nodes.extent(part.whole, k))))
  end
  return terms[1] and em:temporary("bool", table.concat(terms, " && "))
end

-- The names of an axis: its extent, the thread's place, the stride. extent: that of the tile.
local function axis_of(em, part, k, place_text, extent)
  if k < 1 then return { n = "1", at = place_text, stride = "0", whole = true } end
  local place = part.places[k]
  local start = ("(%s - 1)"):format(em:atom(place.index))
  if not place.of_element then start = ("%s * %d"):format(start, extent) end
  local t = part.array.type
  local is_one = t.layout ~= "strided" and k == t.ndim
  return {
    n = em:temporary("int64", (em:expression(nodes.extent(part.array, k)))),
    at = em:temporary("int64", ("%s + %s"):format(start, place_text)),
    stride = is_one and "1" or em:temporary("int64", arrays.stride(em, part.array, k)),
    of_element = place.of_element,
  }
end

-- The part of the array that a tile covers, as names. If the layout is that of some of its columns:
-- shape, of the whole tile; column, the first one.
local function window(em, part, l, shape, column)
  local array, ndim = part.array, part.array.type.ndim
  local w = { strided = array.type.layout == "strided", packed = source.is_packed(part.whole),
    outer = outer_condition(em, part) }
  w.p = em:temporary(em:pointer_type(array.type, array.origin), (arrays.pointer(em, array)))
  for axis = 1, 2 do
    local own = em.unit.of_tiles.place_of(em, l, axis)
    if column and axis == 2 then own = ("%s + %s"):format(column, own) end
    w[axis] = axis_of(em, part, axis - (2 - ndim), own, (shape or l.shape)[axis])
  end
  return w
end

local function inside_of(w, row, column)
  local text = ("(uint64)%s < (uint64)%s"):format(column, w[2].n)
  if not w[1].whole then text = ("(uint64)%s < (uint64)%s && %s"):format(row, w[1].n, text) end
  return w.outer and w.outer .. " && " .. text or text
end

local function place(w, row, column)
  local columns = w.strided and ("%s * %s"):format(column, w[2].stride) or column
  if w[1].whole then return ("%s[%s]"):format(w.p, columns) end
  return ("%s[%s * %s + %s]"):format(w.p, row, w[1].stride, columns)
end

-- A loop over registers, `step` at a time; body(r, row, column).
local function each(em, w, l, step, body)
  registers.each(em, l.registers // step, function(k)
    local r = step == 1 and k or em:variable("const int", ("%s * %d"):format(k, step))
    local row = not w[1].whole
      and em:temporary("int64", ("%s + %s"):format(w[1].at, layout.offset(l, 1, r)))
    local column = em:temporary("int64", ("%s + %s"):format(w[2].at, layout.offset(l, 2, r)))
    body(r, row, column)
  end)
end

-- Can vectors of n elements be moved at once? A condition of the array at hand, or true; nil: no.
local function packed(w, l, dtype)
  local size = dtypes.of(dtype).size
  local n = math.min(layout.vector(l), 16 // size)
  if n == 1 or w.strided or dtype == "bool" or w.packed == false then return nil end
  local terms = {}
  if not w.packed then
    terms[1] = ("%s %% %d == 0 && ((size_t)%s & %d) == 0"):format(w[2].n, n, w.p, n * size - 1)
  end
  if w[2].of_element then terms[#terms + 1] = ("%s %% %d == 0"):format(w[2].at, n) end
  return terms[1] == nil or table.concat(terms, " && "), n
end

-- Calls move(n, register, row, column) for vectors of n elements where the array permits, else for
-- single elements, and then finish().
local function both(em, w, l, dtype, move, finish)
  local condition, n = packed(w, l, dtype)
  local function one_by_one()
    each(em, w, l, 1, function(...) move(1, ...) end)
    if finish then finish() end
  end
  if not condition then return one_by_one() end
  local function vectors() each(em, w, l, n, function(...) move(n, ...) end) end
  if condition == true then return vectors() end
  em:open(("if (%s) {"):format(condition))
  vectors()
  em:between "} else {"
  one_by_one()
  em:close "}"
end

-- Threads wait for what others did to the array, if the kernel writes it and accesses it elsewhere,
-- perhaps as another parameter. A kernel with a plan has no elements of such arrays.
local function in_order(em, array)
  local w = em.unit.of_tiles
  local own = slots.origin(slots.origin_of(array)).written and w.is_shared(array)
  if not own and w.apart then return end
  em.unit.waits = true
  em:line(w.sync)
end

-- in_order(em, array) for an element
function M.in_order(em, array)
  if not em.unit.of_tiles.plan then in_order(em, array) end
end

-- each_element(em, e, l, fn) calls fn(register, pointer, inside) for each register, with the texts
-- of a pointer to the element of a load that belongs to it, and of whether it is in the array.
function M.each_element(em, e, l, fn)
  local w = window(em, e.part, l)
  each(em, w, l, 1, function(r, row, column)
    local inside = em:temporary("bool", inside_of(w, row, column))
    fn(r, ("%s ? &%s : %s"):format(inside, place(w, row, column), w.p), inside)
  end)
end

local WORD = 4 -- bytes of a register

M.PARTS = [[
// Element k of a register that has several.
template <class T> __device__ __forceinline__ T _lcu_part(unsigned word, int k) {
  if constexpr (sizeof(T) == 1) {
    const unsigned char bits = (unsigned char)(word >> 8 * k);
    return *(const T *)&bits;
  } else {
    const unsigned short bits = (unsigned short)(word >> 16 * k);
    return *(const T *)&bits;
  }
}
]]

-- How many elements a register has while vectors are loaded. Otherwise the compiler gives each
-- short element its own register where a vector meets what stands for elements outside of the
-- array.
local function per_word(w, l, dtype)
  local size = dtypes.of(dtype).size
  local condition, n = packed(w, l, dtype)
  return condition and size < WORD and n * size >= WORD and WORD // size or 1
end

-- Words of several elements: how to fill them from single elements, and to take them apart.
local function fill_words(em, load)
  registers.each(em, load.count, function(k)
    em:line(("%s[%s] = *(const unsigned *)&%s[%s * %d];"):format(load.words, k, load.name, k,
      load.per))
  end)
end

local function part_words(em, load)
  em.unit:need{ M.PARTS }
  registers.each(em, load.count * load.per, function(r)
    em:line(("%s[%s] = _lcu_part<%s>(%s[%s / %d], %s %% %d);"):format(load.name, r, load.ctype,
      load.words, r, load.per, r, load.per))
  end)
end

-- The word of elements outside of the array.
local function other_word(em, load)
  local full = em:variable(("_lcu_pack<%s, %d>"):format(load.ctype, load.per))
  em:line(("for (int _k = 0; _k < %d; _k++) %s.v[_k] = %s;"):format(load.per, full, load.other))
  return em:temporary("unsigned", ("*(const unsigned *)&%s"):format(full))
end

-- Loads n elements at once, to words or to elements.
local function load_vector(em, w, load, n, r, row, column)
  local units = n // load.per
  local pack = ("_lcu_pack<%s, %d>"):format(load.words and "unsigned" or load.ctype, units)
  local v = em:variable(pack)
  em:open(("if (%s) {"):format(inside_of(w, row, column)))
  em:line(("%s = *(const %s *)&%s;"):format(v, pack, place(w, row, column)))
  em:between "} else {"
  em:line(("for (int _k = 0; _k < %d; _k++) %s.v[_k] = %s;"):format(units, v,
    load.other_word or load.other))
  em:close "}"
  em:line(("for (int _k = 0; _k < %d; _k++) %s[%s / %d + _k] = %s.v[_k];"):format(units,
    load.words or load.name, r, load.per, v))
end

function registers.makers.tile_load(em, e, l)
  local plan = em.unit.of_tiles.plan
  if plan and plan.vector_of[e] then return plan.load(em, e, l) end
  local dtype = e.type.dtype
  local load = { ctype = em:type_name(dtype), name = registers.array(em, dtype, l.registers) }
  load.other = em:temporary(load.ctype, (em:expression(e.other)))
  if dtype == "bool" then em.unit:prelude "bool" end
  em:note_load(e.part.array)
  em:open "{"
  in_order(em, e.part.whole)
  local w = window(em, e.part, l)
  load.per = per_word(w, l, dtype)
  if load.per > 1 then
    load.count = l.registers // load.per
    load.words, load.other_word = registers.array(em, "uint32", load.count), other_word(em, load)
  end
  both(em, w, l, dtype, function(n, r, row, column)
    if n > 1 then return load_vector(em, w, load, n, r, row, column) end
    local text = place(w, row, column)
    if dtype == "bool" then text = "_lcu_truth(" .. text .. ")" end
    em:line(("%s[%s] = %s ? %s : %s;"):format(load.name, r, inside_of(w, row, column), text,
      load.other))
  end, load.words and function() fill_words(em, load) end)
  if load.words then part_words(em, load) end
  em:close "}"
  return load.name
end

-- Writes elements one by one; mask(r): the text of whether register r counts, or nil; text(to,
-- from) is what is done.
local function one_by_one(em, w, l, name, mask, text)
  each(em, w, l, 1, function(r, row, column)
    local condition = inside_of(w, row, column)
    if mask then condition = ("%s && %s"):format(condition, mask(r)) end
    em:line(("if (%s) %s;"):format(condition, text(place(w, row, column),
      ("%s[%s]"):format(name, r))))
  end)
end

-- The mask in registers, before some threads leave the store to others.
local function mask_of(em, mask, l)
  local get, name = registers.element(em, mask, l), registers.array(em, "bool", l.registers)
  registers.each(em, l.registers, function(r) em:line(("%s[%s] = %s;"):format(name, r, get(r))) end)
  return function(r) return ("%s[%s]"):format(name, r) end
end

local function addition(to, from) return ("_lcu_atomic_add(&%s, %s)"):format(to, from) end
local function assignment(to, from) return ("%s = %s"):format(to, from) end

local function written(em, w, l, dtype, name)
  local ctype = em:type_name(dtype)
  both(em, w, l, dtype, function(n, r, row, column)
    local to = place(w, row, column)
    if n == 1 then
      em:line(("if (%s) %s = %s[%s];"):format(inside_of(w, row, column), to, name, r))
      return
    end
    local pack = ("_lcu_pack<%s, %d>"):format(ctype, n)
    local v = em:variable(pack)
    em:line(("for (int _k = 0; _k < %d; _k++) %s.v[_k] = %s[%s + _k];"):format(n, v, name, r))
    em:line(("if (%s) *(%s *)&%s = %s;"):format(inside_of(w, row, column), pack, to, v))
  end)
end

-- The tile in registers: products first go to threads that hold longer parts of rows.
local function registers_of(em, e)
  local w, array = em.unit.of_tiles, e.part.array
  local own = place_of.natural(w, e.tile)
  if not own or own.rank == layout.PLAIN or e.texts or array.type.layout == "strided" then
    return registers.natural(em, e.tile)
  end
  local plain = place_of.default(w, e.tile.type)
  return registers.registers(em, e.tile, plain), plain
end

local COLUMNS = 64 -- that are stored at once

-- The layout of wgmma's sums, if their columns are stored part by part.
local function parted(em, e)
  local w = em.unit.of_tiles
  local own, shape = place_of.natural(w, e.tile), e.tile.type.shape
  if w.plan and own and own == layout.grouped(shape, w.warps) and own.registers == shape[2] // 2
    and shape[2] > COLUMNS and shape[2] % COLUMNS == 0 and not e.texts and not e.mask then
    return own
  end
end

local function store_by_parts(em, e, own)
  local w, t = em.unit.of_tiles, e.tile.type
  local shape = { t.shape[1], COLUMNS }
  local from = layout.grouped(shape, w.warps)
  local to = place_of.default(w, types.tile(t.dtype, shape))
  local name = registers.registers(em, e.tile, own)
  in_order(em, e.part.whole)
  registers.each(em, t.shape[2] // COLUMNS, function(k)
    local part = ("(&%s[%s * %d])"):format(name, k, from.registers)
    local moved = exchange.moved(em, part, t.dtype, from, to)
    local own_window = window(em, e.part, to, t.shape, ("%s * %d"):format(k, COLUMNS))
    written(em, own_window, to, t.dtype, moved)
  end)
end

function M.forms.tile_store(em, e)
  local dtype = e.tile.type.dtype
  local plan, own = em.unit.of_tiles.plan, parted(em, e)
  em:open "{"
  if plan and plan.stores[e] then
    plan.store(em, e)
    em:close "}"
    return "", true
  end
  if own and e.part.array.type.layout ~= "strided" then
    store_by_parts(em, e, own)
    em:close "}"
    return "", true
  end
  local name, l = registers_of(em, e)
  local mask = e.mask and mask_of(em, e.mask, l)
  in_order(em, e.part.whole)
  local w = window(em, e.part, l)
  local first = layout.first_copy(l)
  if first then em:open(("if (%s) {"):format(first)) end
  em.unit:need(e.texts)
  if e.texts then one_by_one(em, w, l, name, mask, addition)
  elseif mask then one_by_one(em, w, l, name, mask, assignment)
  else written(em, w, l, dtype, name) end
  if first then em:close "}" end
  em:close "}"
  return "", true
end

return M

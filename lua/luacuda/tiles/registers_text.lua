-- registers_text.lua: C++ for tiles in registers: an array of each thread for each tile, and loops
-- over it that the compiler writes out. em: the writer of the kernel (jit/emit/writer.lua).

local exchange = require "luacuda.tiles.exchange_text"
local layout = require "luacuda.tiles.thread_layout"
local place = require "luacuda.tiles.place"
local visit = require "luacuda.tiles.visit"

local M = { makers = {} }

local function settings(em) return em.unit.of_tiles end

-- each(em, n, fn): a loop over registers that is written out; fn(r) writes its body.
function M.each(em, n, fn)
  local r = em.unit:own_name "_r"
  em:line "#pragma unroll"
  em:open(("for (int %s = 0; %s < %d; %s++) {"):format(r, r, n, r))
  fn(r)
  em:close "}"
end

-- array(em, dtype, n) -> the name of a new array of registers
function M.array(em, dtype, n)
  local name = em.unit:own_name "_x"
  em:line(("alignas(16) %s %s[%d];"):format(em:type_name(dtype), name, n))
  return name
end

-- Elements ----------------------------------------------------------------------------------------

local prepare = {}

-- element(em, e, l) writes what has to stand before a loop over the registers of layout l, and
-- returns a function: register -> the text of the element of e that belongs to it, which may write
-- lines of the loop's body.
local function element(em, e, l)
  local own = layout.broadcast(l, e.type.shape)
  local fn = prepare[e.op]
  local get = fn and own == l and fn(em, e, l)
  if get then return get end
  local name = M.registers(em, e, own)
  return function(r) return ("%s[%s]"):format(name, layout.index(l, own, r)) end
end
M.element = element

-- The elements of a map that need no registers of their own.
function prepare.map(em, e, l)
  local own = place.natural(settings(em), e)
  if own and own ~= l then return nil end
  local gets = {}
  for k, input in ipairs(e.inputs) do gets[k] = element(em, input.tile, l) end
  return function(r)
    for k, input in ipairs(e.inputs) do
      em:declare("const " .. em:type_name(input.tile.type.dtype), input.name, gets[k](r))
    end
    return (em:expression(e.body))
  end
end

function prepare.full(em, e)
  local text = em:expression(e.value)
  if e.value.op ~= "const" then text = em:temporary(em:type_name(e.type.dtype), text) end
  return function() return text end
end

function prepare.iota(em, _, l)
  local base = settings(em).place_of(em, l, 2)
  return function(r) return ("int32(%s + %s + 1)"):format(base, layout.offset(l, 2, r)) end
end

-- Tiles -------------------------------------------------------------------------------------------

local function computed(em, e, l)
  local get = prepare[e.op](em, e, l)
  local name = M.array(em, e.type.dtype, l.registers)
  M.each(em, l.registers, function(r) em:line(("%s[%s] = %s;"):format(name, r, get(r))) end)
  return name
end

local makers = M.makers
makers.map, makers.full, makers.iota = computed, computed, computed

function makers.var(em, e) return em:name_of(e.slot) end
function makers.swap(em, e, l) return M.registers(em, e.tile, layout.swapped(l)) end

-- registers(em, e, l) -> the name of an array with the thread's elements of the tile in this layout
function M.registers(em, e, l)
  local own = place.natural(settings(em), e) or l
  local name = makers[e.op](em, e, own)
  if own == l then return name end
  return exchange.moved(em, name, e.type.dtype, own, l)
end

-- natural(em, e) -> such a name, the layout that suits the tile
function M.natural(em, e)
  local w = settings(em)
  local l = place.natural(w, e) or place.default(w, e.type)
  return M.registers(em, e, l), l
end

-- Variables ---------------------------------------------------------------------------------------

local function fill(em, slot, value)
  if value.op == "dot" and place.natural(settings(em), value) == slot.layout
    and visit.can_hold(slot, value) then
    return M.multiply(em, value, slot.layout, slot.name)
  end
  local get = element(em, value, slot.layout)
  M.each(em, slot.layout.registers, function(r)
    em:line(("%s[%s] = %s;"):format(slot.name, r, get(r)))
  end)
end

function M.declare(em, slot, value)
  if slot.copied then return settings(em).plan.declare(em, slot) end
  em:line(("alignas(16) %s %s[%d];"):format(em:type_name(slot.type.dtype), slot.name,
    slot.layout.registers))
  if value then fill(em, slot, value) end
end

function M.assign(em, slot, value)
  fill(em, slot, value)
  local plan = settings(em).plan
  if plan then plan.assigned(em, slot, value) end
end

-- kept(em, slot, value) -> the value, which is to be assigned to the variable, as one of its own
function M.kept(em, slot, value)
  local own = { name = em.unit:own_name "_x", type = slot.type, layout = slot.layout }
  M.declare(em, own, value)
  return { op = "var", type = slot.type, slot = own }
end

return M

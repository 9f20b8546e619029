-- product_text.lua: C++ for dot: the tiles go to shared memory, from which tensor cores or threads
-- take what they multiply.

local exchange = require "luacuda.tiles.exchange_text"
local layout = require "luacuda.tiles.thread_layout"
local place = require "luacuda.tiles.place"
local registers = require "luacuda.tiles.registers_text"
local tensor = require "luacuda.tiles.tensor_product_text"

-- Multiplications ---------------------------------------------------------------------------------

local function by_multiplication(em, e, l, sum, a, b)
  local w = em.unit.of_tiles
  local ctype = em:type_name(e.type.dtype)
  local down, across = layout.sliced(l, 2), layout.sliced(l, 1)
  em:open(("for (int _k = 0; _k < %d; _k++) {"):format(e.left.type.shape[2]))
  em:line(("%s _a[%d], _b[%d];"):format(ctype, down.registers, across.registers))
  registers.each(em, down.registers, function(r)
    em:line(("_a[%s] = %s(%s[(%s + %s) * %d + _k]);"):format(r, ctype, a.name, w.place_of(em, l, 1),
      layout.offset(down, 1, r), a.width))
  end)
  registers.each(em, across.registers, function(r)
    em:line(("_b[%s] = %s(%s[_k * %d + %s + %s]);"):format(r, ctype, b.name, b.width,
      w.place_of(em, l, 2), layout.offset(across, 2, r)))
  end)
  registers.each(em, l.registers, function(r)
    em:line(("%s[%s] += _a[%s] * _b[%s];"):format(sum, r, layout.index(l, down, r),
      layout.index(l, across, r)))
  end)
  em:close "}"
end

-- dot ---------------------------------------------------------------------------------------------

-- The operand in shared memory: { name =, width =, bytes = }.
local function staged(em, name, l, dtype, at)
  local width, bytes = exchange.width(l.shape, dtype)
  local own = { width = width, bytes = bytes, name = exchange.place(em, dtype, at) }
  exchange.put(em, name, dtype, l, own.name, width)
  return own
end

-- The right factor in registers and its layout, or those of its transposed tile.
local function right_factor(em, e, by_columns)
  if not by_columns then return registers.natural(em, e.right) end
  if e.right.op == "swap" then return registers.natural(em, e.right.tile) end
  local name, l = registers.natural(em, e.right)
  return name, layout.swapped(l)
end

-- What the products are added to.
local function start(em, e, l, sum)
  if e.sum and e.sum.op == "var" and e.sum.slot.name == sum then return end
  if not e.sum then
    registers.each(em, l.registers, function(r) em:line(("%s[%s] = 0;"):format(sum, r)) end)
    return
  end
  local get = registers.element(em, e.sum, l)
  registers.each(em, l.registers, function(r) em:line(("%s[%s] = %s;"):format(sum, r, get(r))) end)
end

-- multiply(em, e, l, sum): the array `sum` becomes the product; it may be what is added.
function registers.multiply(em, e, l, sum)
  local w = em.unit.of_tiles
  local function begin() start(em, e, l, sum) end
  if w.plan then return w.plan.multiply(em, e, sum, begin) end
  begin()
  local on_tensor_cores = place.on_tensor_cores(w, e)
  local left, left_layout = registers.natural(em, e.left)
  local right, right_layout = right_factor(em, e, on_tensor_cores and tensor.by_columns(w, e))
  em:open "{"
  em:line(w.sync)
  local a = staged(em, left, left_layout, e.left.type.dtype, 0)
  local b = staged(em, right, right_layout, e.right.type.dtype, a.bytes)
  exchange.reserve(em, a.bytes + b.bytes)
  em:line(w.sync)
  local multiply = on_tensor_cores and tensor.multiply or by_multiplication
  multiply(em, e, l, sum, a, b)
  em:close "}"
end

function registers.makers.dot(em, e, l)
  local sum = registers.array(em, e.type.dtype, l.registers)
  registers.multiply(em, e, l, sum)
  return sum
end

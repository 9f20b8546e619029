-- pointer_text.lua: arrays in C++: a pointer and, where they are not known, extents and strides (in
-- elements), as separate variables.

local lists = require "luacuda.base.lists"
local nodes = require "luacuda.jit.typed.nodes"
local structs = require "luacuda.jit.typed.structs"
local types = require "luacuda.jit.typed.value_types"

local M = { methods = {} }

local ONE = nodes.const("int!", 1)

-- An index counted from 0.
local function from_zero(e)
  if e.op == "const" then return nodes.const("int!", e.value - 1) end
  if e.op == "int" and e.b.op == "const" and (e.fn == "add" or e.fn == "sub") then
    local by = (e.fn == "add" and e.b.value or -e.b.value) - 1
    if by == 0 then return e.a end
    return nodes.int("int", by > 0 and "add" or "sub", e.a, nodes.const("int!", math.abs(by)))
  end
  return nodes.int("int", "sub", nodes.convert(e, "int"), ONE)
end

local function is_zero(e) return e.op == "const" and e.value == 0 end

-- Sums and products of indices. `narrow`: the result has 32 bits where the operands have.
local function combined(fn, a, b, narrow)
  local e = nodes.int("int", fn, a, b)
  e.narrow = narrow
  return e
end

local function plus(a, b, narrow)
  if is_zero(a) then return b end
  if is_zero(b) then return a end
  return combined("add", a, b, narrow)
end

local function times(a, b, narrow)
  if is_zero(a) or is_zero(b) then return nodes.const("int!", 0) end
  if b.op == "const" and b.value == 1 then return a end
  if a.op == "const" and b.op == "const" then return nodes.const("int!", a.value * b.value) end
  return combined("mul", a, b, narrow)
end

local function stride(array, axis)
  return { op = "stride", type = "int", array = array, axis = axis }
end

-- The distance of neighbors along an axis.
local function distance(array, axis)
  if array.type.layout == "strided" then return stride(array, axis) end
  local result = nodes.const("int!", 1)
  for k = array.type.ndim, axis + 1, -1 do result = times(nodes.extent(array, k), result) end
  return result
end

-- The number of elements before that of these indices.
local function offset(array, indices)
  local at = nodes.const("int!", 0)
  if array.type.layout == "strided" then
    for k, e in ipairs(indices) do at = plus(at, times(from_zero(e), stride(array, k))) end
    return at
  end
  -- no element of a small array has an offset of more than 32 bits
  local narrow = nodes.is_small(array)
  for k, e in ipairs(indices) do
    at = plus(k > 1 and times(at, nodes.extent(array, k), narrow) or at, from_zero(e), narrow)
  end
  local rest = nodes.const("int!", 1)
  for k = #indices + 1, array.type.ndim do rest = times(rest, nodes.extent(array, k), narrow) end
  return times(at, rest, narrow)
end

-- Declares an array of the block ("shared") or of the thread ("private"), whose elements are 0. C++
-- does not jump over initializations. Aligned rows of 16 bytes are read at once.
function M.memory(em, slot, op)
  local t, size = slot.type, 1
  for _, n in ipairs(t.shape) do size = size * n end
  local element = em:type_name(types.element(t.dtype))
  local text = ("%s %s[%d]"):format(element, slot.name, size)
  if op == "shared" then em:place("__shared__ __align__(16) " .. text .. ";")
  elseif not em.hoisted then em:line(text .. " = {};")
  else
    em:place(text .. ";")
    em:line(("for (%s &_v : %s) _v = %s();"):format(element, slot.name, element))
  end
end

-- Assigns the parts of an array to those of a variable.
function M.assign(em, slot, value)
  local texts = {}
  M.pass(em, value, slot.type, texts)
  for k, part in ipairs(em:slot_parts(slot)) do
    em:line(("%s%s = %s;"):format(slot.name, part.suffix, texts[k]))
  end
end

-- Chooses one of two arrays before the statement that uses it.
local function choose(em, e)
  local cond = em:expression(e.cond)
  for _, part in ipairs(em:slot_parts(e.slot)) do
    em:declare(part.ctype, e.slot.name .. part.suffix)
  end
  em:open(("if (%s) {"):format(cond))
  M.assign(em, e.slot, e.a)
  em:between "} else {"
  M.assign(em, e.slot, e.b)
  em:close "}"
end

-- Arrays that are not variables of the script: variables before the statement that uses them.
local makers = { select = choose }
function makers.shared(em, e) M.memory(em, e.slot, e.op) end
makers.private = makers.shared

-- The result of a function.
function makers.device(em, e)
  em:declare(em:pointer_type(e.type, e.origin), e.slot.name, (em:expression(e)))
end
makers.result = makers.device

-- The shared memory whose size the launch gives.
function makers.dynamic(em, e)
  local name, first = e.slot.name, em:atom(e.offset)
  local element = em:type_name(types.element(e.type.dtype))
  em:declare(element .. " *", name, ("(%s *)(_lcu_dynamic + %s)"):format(element, first))
  em:declare("int", name .. "n1", ("_lcu_dynamic_extent(%s, %d)"):format(first, e.size))
end

-- The variable that an array comes from, and the axes that rows have taken.
local function root(em, e)
  local skipped = 0
  while e.op == "row" do
    skipped = skipped + #e.indices
    e = e.array
  end
  local make = makers[e.op]
  if make and not em.made[e] then
    em.made[e] = true
    make(em, e)
  end
  return e, skipped
end
M.root = root

-- The text of the number of elements before that of these indices.
function M.methods:offset(array, indices)
  return (self:expression(offset(array, indices), true))
end

-- The text of an array that is not a row, and whether it is the element itself: a nested struct.
local function base_of(em, array)
  if array.op ~= "member" then return em:name_of(array.slot), false end
  return ("%s.%s"):format(em:atom(array.a), array.name), array.type.ndim == 0
end

function M.element(em, e)
  local array = root(em, e.array)
  local base, is_element = base_of(em, array)
  return is_element and base or ("%s[%s]"):format(base, em:offset(array, e.indices))
end

-- The pointer to the first element.
function M.pointer(em, e)
  local array = root(em, e)
  structs.check_pointer(array)
  local base, is_element = base_of(em, array)
  if is_element then return "&" .. base end
  if e.op ~= "row" then return base, true end
  return ("%s + %s"):format(base, (em:atom(offset(array, e.indices), true)))
end

function M.extent(em, array, axis)
  local e, skipped = root(em, array)
  local slot = em.ctx.is_kernel and e.slot.twin or e.slot
  return ("%sn%d"):format(em:name_of(slot), axis + skipped), true
end

local function stride_text(em, array, axis)
  local e, skipped = root(em, array)
  if e.type.layout == "strided" then
    return ("%ss%d"):format(em:name_of(e.slot), axis + skipped)
  end
  return (em:expression(distance(array, axis)))
end
M.stride = stride_text

-- Copies ------------------------------------------------------------------------------------------

local function each_element(em, type, text)
  em:line(("for (int _k = 0; _k < %d; _k++) %s;"):format(lists.product(type.shape, 1, type.ndim),
    text))
end

-- copy(em, to, from, value) copies elements from the pointer `from` to the pointer `to`. value: a
-- copy of assignments.lua
function M.copy(em, to, from, value)
  value.source.text = from .. "[_k]"
  each_element(em, value.type, ("%s[_k] = %s"):format(to, (em:expression(value.element))))
end

-- copied(em, from, value) -> the name of an array of the thread with the same elements
function M.copied(em, from, value)
  local element = em:type_name(types.element(value.type.dtype))
  local name = em.unit:own_name "_t"
  em:place(("%s %s[%d];"):format(element, name, lists.product(value.type.shape, 1,
    value.type.ndim)))
  M.copy(em, name, from, value)
  return name
end

-- move(em, to, from, type) writes such an array to the place.
function M.move(em, to, from, type)
  each_element(em, type, ("%s[_k] = %s[_k]"):format(to, from))
end

-- Parts -------------------------------------------------------------------------------------------

-- Appends the texts of an array value for a variable of this type.
function M.pass(em, e, type, list)
  list[#list + 1] = (M.pointer(em, e))
  if not type.shape then
    for k = 1, type.ndim do list[#list + 1] = (em:expression(nodes.extent(e, k))) end
  end
  if type.layout == "strided" then
    for k = 1, type.ndim do list[#list + 1] = stride_text(em, e, k) end
  end
end

return M

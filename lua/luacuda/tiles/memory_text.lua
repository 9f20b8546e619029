-- memory_text.lua: C++ that loads tiles from arrays and stores them, with masks at the edges.

local layout = require "luacuda.tiles.layout"
local registers = require "luacuda.tiles.registers_text"
local dtypes = require "luacuda.base.dtypes"
local arrays = require "luacuda.jit.emit.pointer_text"
local nodes = require "luacuda.jit.typed.nodes"

local M = { forms = {} }

-- The part of the array that a tile covers: names of the pointer, extents and the tile's start.
local function window(em, e, l)
  local array, ndim = e.array, e.array.type.ndim
  local element = em:pointer_type(array.type, array.origin or e.origin)
  local w = { strided = array.type.layout == "strided" }
  w.p = em:temporary(element, (arrays.pointer(em, array)))
  for axis = 1, 2 do
    local k = axis - (2 - ndim)
    local start = "0"
    if k >= 1 then
      start = ("(%s - 1) * %d"):format(em:atom(nodes.convert(e.places[k], "int")), l.shape[axis])
    end
    w[axis] = {
      n = k >= 1 and em:temporary("int64", (em:expression(nodes.extent(array, k)))) or "1",
      at = em:temporary("int64", ("%s + %s"):format(start, em.unit.of_tiles.place_of(em, l, axis))),
      stride = k >= 1 and em:temporary("int64", arrays.stride(em, array, k)) or "0",
    }
  end
  return w
end

local function inside(w, row, column) return ("%s < %s && %s < %s"):format(row, w[1].n, column, w[2].n) end

local function place(w, row, column)
  local columns = w.strided and ("%s * %s"):format(column, w[2].stride) or column
  return ("%s[%s * %s + %s]"):format(w.p, row, w[1].stride, columns)
end

-- A loop over registers, `step` at a time; body(r, row, column).
local function each(em, w, l, step, body)
  registers.each(em, l.registers // step, function(k)
    local r = step == 1 and k or em:variable("const int", ("%s * %d"):format(k, step))
    local row = em:temporary("int64", ("%s + %s"):format(w[1].at, layout.offset(l, 1, r)))
    local column = em:temporary("int64", ("%s + %s"):format(w[2].at, layout.offset(l, 2, r)))
    body(r, row, column)
  end)
end

-- Can vectors of the layout be moved at once? A condition of the array at hand, or nil.
local function packed(em, w, l, dtype)
  local n = layout.vector(l)
  local bytes = n * dtypes.of(dtype).size
  if n == 1 or w.strided or bytes > 16 or bytes & (bytes - 1) ~= 0 then return nil end
  return ("%s %% %d == 0 && ((size_t)%s & %d) == 0"):format(w[2].n, n, w.p, bytes - 1), n
end

-- Writes `all` for vectors where the array permits, else `one` for single elements.
local function both(em, w, l, dtype, move)
  local condition, n = packed(em, w, l, dtype)
  if condition then
    em:open(("if (%s) {"):format(condition))
    each(em, w, l, n, function(...) move(n, ...) end)
    em:between "} else {"
  end
  each(em, w, l, 1, function(...) move(1, ...) end)
  if condition then em:close "}" end
end

function registers.makers.tile_load(em, e, l)
  local dtype = e.type.dtype
  local ctype = em:type_name(dtype)
  local name = registers.array(em, dtype, l.registers)
  local other = em:temporary(ctype, (em:expression(e.other)))
  em:open "{"
  local w = window(em, e, l)
  both(em, w, l, dtype, function(n, r, row, column)
    if n == 1 then
      em:line(("%s[%s] = %s ? %s : %s;"):format(name, r, inside(w, row, column), place(w, row, column),
        other))
      return
    end
    local pack = ("_lcu_pack<%s, %d>"):format(ctype, n)
    local v = em:variable(pack)
    em:open(("if (%s) {"):format(inside(w, row, column)))
    em:line(("%s = *(const %s *)&%s;"):format(v, pack, place(w, row, column)))
    em:between "} else {"
    em:line(("for (int _k = 0; _k < %d; _k++) %s.v[_k] = %s;"):format(n, v, other))
    em:close "}"
    em:line(("for (int _k = 0; _k < %d; _k++) %s[%s + _k] = %s.v[_k];"):format(n, name, r, v))
  end)
  em:close "}"
  return name
end

function M.forms.tile_store(em, e)
  local dtype = e.tile.type.dtype
  local ctype = em:type_name(dtype)
  em:open "{"
  local name, l = registers.natural(em, e.tile)
  local w = window(em, e, l)
  local first = layout.first_copy(l)
  if first then em:open(("if (%s) {"):format(first)) end
  both(em, w, l, dtype, function(n, r, row, column)
    local to = place(w, row, column)
    if n == 1 then
      em:line(("if (%s) %s = %s[%s];"):format(inside(w, row, column), to, name, r))
      return
    end
    local pack = ("_lcu_pack<%s, %d>"):format(ctype, n)
    local v = em:variable(pack)
    em:line(("for (int _k = 0; _k < %d; _k++) %s.v[_k] = %s[%s + _k];"):format(n, v, name, r))
    em:line(("if (%s) *(%s *)&%s = %s;"):format(inside(w, row, column), pack, to, v))
  end)
  if first then em:close "}" end
  em:close "}"
  return "", true
end

return M

-- exchange_text.lua: C++ that moves tiles between threads through shared memory.

local layout = require "luacuda.tiles.thread_layout"
local dtypes = require "luacuda.base.dtypes"

local M = {}

-- Bytes after a row, so that rows begin in different banks.
local PAD = 16

-- reserve(em, bytes): the kernel needs so much shared memory. After a loop whose copies ran ahead
-- (pipeline_text.lua), it is the memory of these copies.
function M.reserve(em, bytes)
  local w = em.unit.of_tiles
  local field = w.after_copies and "after_bytes" or "shared_bytes"
  w[field] = math.max(w[field], bytes)
end

-- place(em, dtype, at) -> the name of a pointer to shared memory, `at` bytes from its start
function M.place(em, dtype, at)
  local ctype, name = em:type_name(dtype), em.unit:own_name "_s"
  em:line(("%s *%s = (%s *)(_shared + %d);"):format(ctype, name, ctype, at))
  return name
end

-- width(shape, dtype) -> the elements from one row to the next, the bytes of the tile
function M.width(shape, dtype)
  local size = dtypes.of(dtype).size
  local row = shape[2] + math.max(PAD // size, 1)
  return row, (shape[1] * row * size + 127) // 128 * 128
end

-- Writes a loop over the registers of a layout, some at a time: text(pack) is what is done with
-- those from _r on, of which `pack` is the C++ type.
local function each(em, l, ctype, size, text)
  local n = layout.vector(l)
  while n > 1 and n * size > 16 do n = n // 2 end
  em:line "#pragma unroll"
  em:line(("for (int _r = 0; _r < %d; _r += %d) %s;"):format(l.registers, n,
    text(n == 1 and ctype or ("_lcu_pack<%s, %d>"):format(ctype, n))))
end

-- The text of the place of register _r.
local function at(em, l, row)
  local w = em.unit.of_tiles
  return ("(%s + %s) * %d + %s + %s"):format(w.place_of(em, l, 1), layout.offset(l, 1, "_r"), row,
    w.place_of(em, l, 2), layout.offset(l, 2, "_r"))
end

-- put(em, name, dtype, l, to, row): one thread of those that hold the same writes it.
function M.put(em, name, dtype, l, to, row)
  local first = layout.first_copy(l)
  if first then em:open(("if (%s) {"):format(first)) end
  each(em, l, em:type_name(dtype), dtypes.of(dtype).size, function(pack)
    return ("*(%s *)&%s[%s] = *(const %s *)&%s[_r]"):format(pack, to, at(em, l, row), pack, name)
  end)
  if first then em:close "}" end
end

-- moved(em, name, dtype, from, to) -> the name of an array with the elements in layout `to`
function M.moved(em, name, dtype, from, to)
  local row, bytes = M.width(from.shape, dtype)
  M.reserve(em, bytes)
  local out = em.unit:own_name "_x"
  local ctype = em:type_name(dtype)
  em:line(("alignas(16) %s %s[%d];"):format(ctype, out, to.registers))
  em:open "{"
  local s = M.place(em, dtype, 0)
  em:line(em.unit.of_tiles.sync)
  M.put(em, name, dtype, from, s, row)
  em:line(em.unit.of_tiles.sync)
  each(em, to, ctype, dtypes.of(dtype).size, function(pack)
    return ("*(%s *)&%s[_r] = *(const %s *)&%s[%s]"):format(pack, out, pack, s, at(em, to, row))
  end)
  em:close "}"
  return out
end

return M

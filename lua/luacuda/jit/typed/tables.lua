-- tables.lua: Lua tables of numbers in kernels, nested ones too: lists that are known when the
-- kernel is made become constant memory.

local readers = require "luacuda.jit.typed.readers"
local report = require "luacuda.jit.typed.report"

local fail = report.fail

local M = {}

local MOST = 8000       -- numbers of 8 bytes in 64 KB of constant memory

-- The extents of a nested list, those of the first items.
local function shape_of(from)
  local shape = {}
  while type(from) == "table" and #shape < 8 do
    shape[#shape + 1] = #from
    from = from[1]
  end
  return shape
end

local function refuse_item(reader, label, k, v)
  local wanted = reader.depth == #reader.shape and "a table is a list of numbers"
    or ("a table is a list of lists of %d items"):format(reader.shape[reader.depth + 1])
  local got = type(v) == "table" and ("a list of %d"):format(#v) or "a " .. type(v)
  fail(reader.ctx, reader.node, "item %d of '%s' is %s: with an index that is known only on the "
    .. "device, %s", k, label, got, wanted)
end

-- Adds the numbers of a list, and of the lists in it.
local function read(reader, from, label)
  local own, last = {}, reader.depth == #reader.shape
  for k, v in ipairs(from) do
    own[k] = v
    local fits = type(v) == (last and "number" or "table")
    if not fits or not last and #v ~= reader.shape[reader.depth + 1] then
      refuse_item(reader, label, k, v)
    end
    if last then
      reader.kind = math.type(v) == "float" and "float" or reader.kind
      reader.list[#reader.list + 1] = v
    else
      reader.depth = reader.depth + 1
      read(reader, v, ("%s[%d]"):format(label, k))
      reader.depth = reader.depth - 1
    end
  end
  reader.ctx.unit:guard(readers.items(from, own), true)
end

-- The numbers of a table around the kernel: { list, kind = the type that holds them all, shape,
-- name }.
local function numbers_of(ctx, node, e)
  local label = e.name or "table"
  local ok, shape = pcall(shape_of, e.value)
  if not ok then report.pass_on(ctx, node, shape) end     -- a metamethod of the table raised it
  if shape[#shape] == 0 then fail(ctx, node, "'%s' is not a list of numbers", label) end
  local reader = { ctx = ctx, node = node, shape = shape, depth = 1, list = {}, kind = "int" }
  read(reader, e.value, label)
  if #reader.list > MOST then
    fail(ctx, node, "'%s' has %d numbers, and constant memory holds %d: pass an array", label,
      #reader.list, MOST)
  end
  return { list = reader.list, kind = reader.kind, shape = shape, name = ctx.unit:name(label) }
end

-- at(ctx, node, e, index) -> the item of a static table at an index that is known only on the
-- device: a number, or a row of a nested table, of which this gives the items, too
function M.at(ctx, node, e, index)
  local known = e.rows and e.known or ctx.unit.tables[e.value]
  if not known then
    known = numbers_of(ctx, node, e)
    ctx.unit.tables[e.value] = known
  end
  local indices = table.move(e.rows or {}, 1, #(e.rows or {}), 1, {})
  indices[#indices + 1] = index
  if #indices < #known.shape then
    return { op = "static", static = true, value = e.value[1], rows = indices, known = known,
      name = e.name }
  end
  local effect
  for _, one in ipairs(indices) do effect = effect or one.effect end
  return { op = "item", type = known.kind, list = known, indices = indices, effect = effect }
end

return M

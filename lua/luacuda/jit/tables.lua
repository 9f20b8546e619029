-- tables.lua: Lua tables of numbers in kernels: lists that are known when the kernel is made become
-- constant memory.

local readers = require "luacuda.jit.readers"
local report = require "luacuda.jit.report"
local constants = require "luacuda.jit.emit_constants"

local fail = report.fail

local M = {}

local MOST = 8000       -- numbers of 8 bytes in 64 KB of constant memory

-- The items, and the type that holds them all.
local function numbers_of(ctx, node, e)
  local list, kind = {}, "int"
  local label = e.name or "table"
  for k, v in ipairs(e.value) do
    if type(v) ~= "number" then
      fail(ctx, node, "item %d of '%s' is a %s: with an index that is known only on the device, a "
        .. "table is a list of numbers", k, label, type(v))
    end
    if math.type(v) == "float" then kind = "float" end
    list[k] = v
  end
  if #list == 0 then fail(ctx, node, "'%s' is not a list of numbers", label) end
  if #list > MOST then
    fail(ctx, node, "'%s' has %d numbers, and constant memory holds %d: pass an array", label,
      #list, MOST)
  end
  return list, kind
end

-- at(ctx, node, e, index) -> the item of a static table
function M.at(ctx, node, e, index)
  local known = ctx.unit.tables[e.value]
  if not known then
    local list, kind = numbers_of(ctx, node, e)
    known = { list = list, kind = kind, name = ctx.unit:name((e.name or "table"):match "[%w_]+$") }
    ctx.unit.tables[e.value] = known
    ctx.unit:guard(readers.items(e.value, list), true)
  end
  return { op = "item", type = known.kind, list = known, index = index, effect = index.effect }
end

-- item(em, e, dtype) -> the text of an item of the table's copy in that dtype
function M.item(em, e, dtype)
  local known, items = e.list, {}
  for k, v in ipairs(known.list) do items[k] = constants.text(dtype, v) end
  local name = known.name .. dtype
  em.unit:need{ ("__constant__ const %s %s[%d] = { %s };\n"):format(dtype, name, #items,
    table.concat(items, ", ")) }
  local array = { type = { ndim = 1, layout = "contiguous", shape = { #items } } }
  return ("%s[%s]"):format(name, em:offset(array, { e.index }))
end

return M

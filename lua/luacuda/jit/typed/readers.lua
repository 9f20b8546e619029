-- readers.lua: where values that a kernel depends on are read: functions as tables, so that C can
-- read them without calling Lua (lcul_guards.h).

local numbers = require "luacuda.base.number"

local M = {}

local Upvalue, Field, Items = {}, {}, {}

function Upvalue.__call(r) return (select(2, debug.getupvalue(r.owner, r.key))) end
function Field.__call(r) return r.owner[r.key] end

-- Does the table still have these items?
function Items.__call(r)
  for k, v in ipairs(r.list) do
    if not numbers.same(r.owner[k], v) then return false end
  end
  return r.owner[#r.list + 1] == nil
end

-- A function that reads an upvalue of a function.
function M.upvalue(fn, index) return setmetatable({ owner = fn, key = index }, Upvalue) end

-- A function that reads a field of a table.
function M.field(from, key) return setmetatable({ owner = from, key = key }, Field) end

-- A function that returns whether the items of a table are those of a list of numbers.
function M.items(from, list)
  return setmetatable({ owner = from, key = false, list = list }, Items)
end

-- place(read) -> what is read, and where: a function and the number of an upvalue, a table and its
-- key, or a function to call and false.
function M.place(read)
  if type(read) == "table" then return read.owner, read.key end
  return read, false
end

-- flat(list) -> the guards { read =, value = } of a kernel as C takes them
function M.flat(list)
  local out = { n = #list }
  for k, guard in ipairs(list) do
    local read = guard.read
    out[3 * k - 2], out[3 * k - 1] = M.place(read)
    out[3 * k] = guard.value
    if type(read) == "table" and read.list then out[3 * k] = read.list end
  end
  return out
end

return M

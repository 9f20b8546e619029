-- check.lua: option `check`: before an operation the ranks tell each other what they are about to
-- do, and all of them raise where they differ.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local lists = require "luacuda.base.lists"

local KINDS = { "all_reduce", "broadcast", "reduce", "all_gather", "reduce_scatter", "all_to_all",
  "gather", "scatter" }
local OPS = { "sum", "prod", "max", "min", "avg" }

local function place(list, value)
  for i, item in ipairs(list) do
    if item == value then return i end
  end
  return 0
end

-- Types as numbers, the same in every process: the built-in ones in their order, and others by
-- their size.
local function type_number(dtype)
  for i, row in ipairs(core.dtypes()) do
    if row.name == dtype then return i end
  end
  return 1000 + core.empty({ 1 }, dtype).nbytes
end

local function type_name(n)
  return n > 1000 and ("a struct of %d bytes"):format(n - 1000) or core.dtypes()[n].name
end

local function describe(row)
  local op, root = OPS[row[2]], row[3]
  return ("%s of %s, %d elements%s%s"):format(KINDS[row[1]], type_name(row[4]), row[5],
    op and ", op " .. op or "", root >= 0 and ", root " .. root or "")
end

-- `count` elements of one rank; op or root nil where the operation has none.
local function check(comm, kind, op, root, dtype, count, device)
  local mine = core.array({ place(KINDS, kind), place(OPS, op), root or -1, type_number(dtype),
    count }, "int64", { device = device })
  local all = core.empty({ comm.size, 5 }, "int64", { device = device })
  core.comm_run(comm, nil, "all_gather", nil, nil, mine, all)
  local rows = all:totable()
  for r = 2, #rows do
    if not lists.same(rows[1], rows[r]) then
      arguments.fail(kind, "the ranks differ: rank 0 calls %s; rank %d calls %s", describe(rows[1]),
        r - 1, describe(rows[r]))
    end
  end
end

return { check = check }

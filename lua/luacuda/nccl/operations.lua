-- operations.lua: lists of operations for core.comm_run. While comm:group records, operations go to
-- its list.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"

local groups = setmetatable({}, { __mode = "k" }) -- communicator -> list of its group

local FIELDS = 5 -- kind, operator, peer, input, output

-- Queues one operation, or adds it to the group.
local function run(comm, stream, kind, op, peer, input, output)
  local list = groups[comm]
  if not list then return core.comm_run(comm, stream, kind, op, peer, input, output) end
  if stream then
    arguments.fail(kind, "option 'stream': the operations of a group have the stream of the group")
  end
  local n = list.n
  list[n + 1], list[n + 2], list[n + 3], list[n + 4], list[n + 5] = kind, op, peer, input, output
  list.n = n + FIELDS
end

local function is_grouping(comm) return groups[comm] ~= nil end

-- The operations that fn() asks for are queued together when it returns; nothing is if it raises.
local function group(comm, stream, fn)
  if groups[comm] then return fn() end -- a part of the group around it
  local list = { n = 0 }
  groups[comm] = list
  local results = table.pack(pcall(fn))
  groups[comm] = nil
  if not results[1] then error(results[2], 0) end
  if list.n > 0 then core.comm_run(comm, stream, table.unpack(list, 1, list.n)) end
  return table.unpack(results, 2, results.n)
end

return { run = run, group = group, is_grouping = is_grouping }

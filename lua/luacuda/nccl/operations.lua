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

-- The operations of one communicator, queued in a group of several. Returns what pcall does.
local function queue(comm, stream, list)
  if list.n == 0 then return true end
  return pcall(core.comm_run, comm, stream, table.unpack(list, 1, list.n))
end

local function can_be_direct(comms, streams, lists)
  for i, comm in ipairs(comms) do
    local list = lists[i]
    if not core.comm_can_be_direct(comm, streams[i], table.unpack(list, 1, list.n)) then
      return false
    end
  end
  return true
end

-- The same for the communicators of several GPUs of this process, which wait for each other;
-- streams[i]: that of the operations of comms[i], nil: the current one of its device.
local function group_all(comms, streams, fn)
  local lists = {}
  for i, comm in ipairs(comms) do
    lists[i] = { n = 0 }
    groups[comm] = lists[i]
  end
  local results = table.pack(pcall(fn))
  for _, comm in ipairs(comms) do groups[comm] = nil end
  if not results[1] then error(results[2], 0) end
  core.comm_groups_start(can_be_direct(comms, streams, lists), table.unpack(comms))
  local ok, failure = true, nil
  for i, comm in ipairs(comms) do
    if ok then ok, failure = queue(comm, streams[i], lists[i]) end
  end
  local ended, late = pcall(core.comm_groups_end, table.unpack(comms))
  if not ok then error(failure, 0) end
  if not ended then error(late, 0) end
  return table.unpack(results, 2, results.n)
end

return {
  run = run, group = group, group_all = group_all, is_grouping = is_grouping, groups = groups,
}

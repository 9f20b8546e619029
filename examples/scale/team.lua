-- team.lua: what the programs of this folder share: all ranks that take part, and a comparison of
-- their time with that of one.
local cuda = require "luacuda"

local M = {}

local function gpus()
  local list = {}
  for _, device in ipairs(cuda.devices()) do
    if device.kind == "gpu" then list[#list + 1] = device end
  end
  return list
end

-- The communicators of this process: one where a launcher started several processes; otherwise one
-- for each GPU, or one for the CPU device.
local function join()
  local list = gpus()
  if cuda.nccl.environment().size > 1 or cuda.device().kind == "cpu" or #list == 1 then
    return { cuda.nccl.init() }
  end
  return cuda.nccl.init_all(list)
end

-- A communicator of one rank, on the first device; nil on other ranks than 0.
local function first_alone(comms)
  if #comms > 1 then return cuda.nccl.init_all({ comms[1].device })[1] end
  return comms[1]:split(comms[1].rank == 0 and 0 or nil)
end

-- The part of 1, 2, ... n that a rank has, nearly as large as those of others: first, last.
function M.share(comm, n)
  return n * comm.rank // comm.size + 1, n * (comm.rank + 1) // comm.size
end

-- fn(comm, i) for each communicator, with its device as the current one -> a list of results
function M.each(comms, fn)
  local list, before = {}, cuda.device()
  for i, comm in ipairs(comms) do
    cuda.use(comm.device)
    list[i] = fn(comm, i)
  end
  cuda.use(before)
  return list
end

-- The same with operations of the communicators, which are queued together.
function M.exchange(comms, fn, options)
  return cuda.nccl.group(comms, function()
    local list = {}
    for i, comm in ipairs(comms) do list[i] = fn(comm, i) or false end
    return list
  end, options)
end

local function wait(comms)
  for _, comm in ipairs(comms) do comm.device:synchronize() end
  if #comms == 1 then comms[1]:barrier() end
end

-- The second of two runs, which compiles nothing -> its result and its milliseconds. job(comms)
-- prepares a run: it returns the work to measure, and a function for the result.
local function measure(comms, job)
  local result, ms
  for _ = 1, 2 do
    local work, finish = job(comms)
    local device = { device = comms[1].device }
    local start, stop = cuda.event(device), cuda.event(device)
    wait(comms)
    start:record()
    work()
    wait(comms)
    stop:record()
    ms, result = stop:elapsed_ms(start), finish()
  end
  return result, ms
end

local function close(comms)
  for _, comm in ipairs(comms) do comm:close() end
end

-- Runs a job on all ranks, and on the first one alone -> a table: `all` and `one`, the results of
-- both (on rank 0); `ranks`, `speedup` and `text`.
function M.compare(job)
  local comms = join()
  local alone = first_alone(comms)
  local all, together = measure(comms, job)
  local report = { all = all, ranks = comms[1].size }
  if alone then
    local single
    report.one, single = measure({ alone }, job)
    report.speedup = single / together
    report.text = ("ranks: %d, %.3f ms, one alone %.3f ms, speed-up %.2f"):format(report.ranks,
      together, single, report.speedup)
    alone:close()
  end
  close(comms)
  return report
end

return M

-- block.lua: the threads of one block as coroutines. A thread yields at barriers and exchanges
-- and goes on when all that it waits for have come. A block whose threads all wait for the grid
-- stays until the other blocks have come as far.

local M = {}

local WARP = 32

-- A thread: routine, index ({ x, y, z }), lane, warp, waits (what it yielded: { kind = "block",
-- "warp" or "grid", name =, value =, mask =, finish = function(values by thread, thread) -> result
-- }), shared (how many shared arrays it has asked for), done.

local function position(at) return ("(%d,%d,%d)"):format(at.x, at.y, at.z) end

local function new_threads(run, body)
  local threads, size = {}, run.shape.block
  for z = 0, size.z - 1 do
    for y = 0, size.y - 1 do
      for x = 0, size.x - 1 do
        local n = #threads
        threads[n + 1] = { routine = coroutine.create(body), index = { x = x, y = y, z = z },
          lane = n % WARP, warp = n // WARP, shared = 0 }
      end
    end
  end
  return threads
end

-- The message of an error with its thread, the traceback of a table kept as it is.
local function with_thread(block, thread, problem)
  if type(problem) ~= "string" then return problem end
  return ("%s (block %s, thread %s)"):format(problem, position(block.index),
    position(thread.index))
end

local function resume(run, block, thread, ...)
  run.block, run.thread = block, thread
  local ok, wait = coroutine.resume(thread.routine, ...)
  if not ok then error(with_thread(block, thread, wait), 0) end
  thread.waits = wait
  thread.done = coroutine.status(thread.routine) == "dead"
end

-- Barriers ----------------------------------------------------------------------------------------

-- The threads that the wait of `thread` concerns and that have not ended.
local function partners(block, thread)
  local list, wait = {}, thread.waits
  for _, other in ipairs(block.threads) do
    local is_in = wait.kind == "block"
      or other.warp == thread.warp and wait.mask >> other.lane & 1 ~= 0
    if is_in and not other.done then list[#list + 1] = other end
  end
  return list
end

-- Are all of them waiting for the same thing?
local function have_come(list, wait)
  for _, other in ipairs(list) do
    local theirs = other.waits
    if not theirs or theirs.name ~= wait.name or theirs.mask ~= wait.mask then return false end
  end
  return true
end

-- Lets the threads go on if all have come.
local function release(run, block, thread)
  if thread.waits.kind == "grid" then return false end
  local list, wait = partners(block, thread), thread.waits
  if not have_come(list, wait) then return false end
  local waits, results = {}, {}
  for _, other in ipairs(list) do waits[other] = other.waits end
  for k, other in ipairs(list) do
    results[k] = waits[other].finish and table.pack(waits[other].finish(waits, other)) or { n = 0 }
  end
  for k, other in ipairs(list) do
    other.waits = nil
    resume(run, block, other, table.unpack(results[k], 1, results[k].n))
  end
  return true
end

-- block.stuck(block) raises for threads that wait for each other.
local function stuck(block)
  local lines = {}
  for _, thread in ipairs(block.threads) do
    if thread.waits and #lines < 4 then
      lines[#lines + 1] = ("thread %s waits at %s"):format(position(thread.index),
        thread.waits.name)
    end
  end
  error(("deadlock in block %s: %s"):format(position(block.index), table.concat(lines, "; ")), 0)
end

M.stuck = stuck

local function waits_for_grid(block)
  for _, thread in ipairs(block.threads) do
    if not thread.done and not (thread.waits and thread.waits.kind == "grid") then return false end
  end
  return true
end

-- Lets the threads run until all have ended or wait for the grid.
local function go_on(run, block)
  repeat
    local waiting, moved = false, false
    for _, thread in ipairs(block.threads) do
      if thread.waits then
        waiting = true
        moved = release(run, block, thread) or moved
      end
    end
    block.waits = waiting
    if waiting and not moved then
      if waits_for_grid(block) then return end
      stuck(block)
    end
  until not waiting
end

-- block.start(run, body, index) -> the block at that index, which has run until all its threads
-- have ended (block.waits is false) or wait for the grid
function M.start(run, body, index)
  local block = { index = index, threads = new_threads(run, body), shared = {} }
  for _, thread in ipairs(block.threads) do
    resume(run, block, thread, table.unpack(run.args, 1, run.args.n))
  end
  go_on(run, block)
  return block
end

-- block.pass(run, block) lets a block that waits for the grid go on.
function M.pass(run, block)
  for _, thread in ipairs(block.threads) do
    if thread.waits then
      thread.waits = nil
      resume(run, block, thread)
    end
  end
  go_on(run, block)
end

-- Waits for all threads of the grid.
function M.wait_for_grid(name) coroutine.yield { kind = "grid", name = name } end

-- Waits for the other threads of the block, or of the mask; returns what `finish` gives.
function M.wait(run, name, value, mask, finish)
  return coroutine.yield { kind = mask and "warp" or "block", name = name, value = value,
    mask = mask, finish = finish, thread = run.thread }
end

return M

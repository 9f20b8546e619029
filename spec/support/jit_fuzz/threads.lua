-- The threads of blocks in plain Lua for jit_fuzz: coroutines that yield at barriers and exchanges.
-- All threads of a block, or all lanes of a mask, must come to the same call. The last thread runs
-- first, unlike in `run_in_lua`.
local WARP, FULL, MOST = 32, 0xffffffff, 5000000    -- MOST: instructions of a thread

local M = {}

local function sums(name, fn)
  return function(list, own)
    local result
    for _, thread in ipairs(list) do
      if result == nil then result = thread.value
      else result = fn(result, thread.value) end
      if name == "scan" and thread == own then break end
    end
    return result
  end
end

local operations = {
  add = function(x, y) return x + y end, mul = function(x, y) return x * y end,
  min = math.min, max = math.max, ["and"] = function(x, y) return x & y end,
  ["or"] = function(x, y) return x | y end, xor = function(x, y) return x ~ y end,
}

local function ballot(list)
  local bits = 0
  for _, thread in ipairs(list) do
    if thread.value then bits = bits | 1 << thread.lane end
  end
  return bits
end

local function equal(list, own)
  local bits = 0
  for _, thread in ipairs(list) do
    if thread.value == own.value then bits = bits | 1 << thread.lane end
  end
  return bits
end

local function count(list)
  local n = 0
  for _, thread in ipairs(list) do n = n + (thread.value and 1 or 0) end
  return n
end

local function any(list) return count(list) > 0 end
local function all(list) return count(list) == #list end

-- The value of the lane that `from` gives, or the thread's own.
local function shuffle(from)
  return function(by, width)
    return function(list, own)
      local lane = from(own.lane % width, by, width)
      if lane < 0 or lane >= width then return own.value end
      for _, thread in ipairs(list) do
        if thread.lane == own.lane - own.lane % width + lane then return thread.value end
      end
      return own.value
    end
  end
end

local shuffles = {
  shfl = shuffle(function(_, at, width) return at % width end),
  shfl_up = shuffle(function(lane, by) return lane - by end),
  shfl_down = shuffle(function(lane, by) return lane + by end),
  shfl_xor = shuffle(function(lane, mask) return lane ~ mask end),
}

-- A thread waits until `members` threads have come to `place`; finish(list, thread) is its result.
local function wait(state, place, mask, value, finish)
  local own = state.thread
  own.value, own.finish = value, finish
  own.place = ("%s %s %x"):format(place, mask and own.warp or "block", mask or 0)
  own.mask = mask
  return coroutine.yield()
end

local function tile_of(state, n)
  local function mask() return (1 << n) - 1 << state.thread.lane // n * n end
  local function base() return state.thread.lane // n * n end
  local tile = {}
  for name, make in pairs(shuffles) do
    tile[name] = function(_, v, by) return wait(state, name, mask(), v, make(by, n)) end
  end
  function tile:any(v) return wait(state, "any", mask(), v, any) end
  function tile:all(v) return wait(state, "all", mask(), v, all) end
  function tile:ballot(v) return wait(state, "ballot", mask(), v, ballot) >> base() end
  function tile:match_any(v) return wait(state, "match", mask(), v, equal) >> base() end
  function tile:reduce(v, op)
    return wait(state, "reduce", mask(), v, sums("reduce", operations[op]))
  end
  function tile:inclusive_scan(v, op)
    return wait(state, "scan", mask(), v, sums("scan", operations[op]))
  end
  function tile:thread_rank() return state.thread.lane % n end
  return tile
end

local function add_exchanges(state, names)
  for name, finish in pairs{ any_sync = any, all_sync = all, ballot_sync = ballot,
    match_any_sync = equal, match_all_sync = function(list, own)
      local bits = equal(list, own)
      return count(list) == 0 and 0 or bits == ballot(list) and bits or 0
    end } do
    names[name] = function(mask, v) return wait(state, name, mask & FULL, v, finish) end
  end
  for name, make in pairs(shuffles) do
    names[name .. "_sync"] = function(mask, v, by, width)
      return wait(state, name, mask & FULL, v, make(by, width or WARP))
    end
  end
  for name, finish in pairs{ syncthreads = function() end, syncthreads_count = count,
    syncthreads_and = all, syncthreads_or = any } do
    names[name] = function(v) return wait(state, name, nil, v, finish) end
  end
  function names.syncwarp(mask) return wait(state, "syncwarp", mask & FULL, nil, all) end
  function names.tile(n) return tile_of(state, n) end
end

local function add_memory(state, names)
  function names.shared(dtype, n)
    local thread, block = state.thread, state.block
    thread.asked = thread.asked + 1
    block[thread.asked] = block[thread.asked] or names.array(dtype, n)
    return block[thread.asked]
  end
  function names.dynamic_shared(dtype)
    state.block.dynamic = state.block.dynamic or names.array(dtype, state.launch.shared // 8)
    return state.block.dynamic
  end
end

local function resume(state, thread, ...)
  state.thread = thread
  state.names.threadIdx, state.names.laneid = thread.index, thread.lane
  local ok, why = coroutine.resume(thread.routine, ...)
  if not ok then error(why, 0) end
  if coroutine.status(thread.routine) == "dead" then thread.place = nil end
end

local function expected(threads, one)
  local n = 0
  for _, thread in ipairs(threads) do
    local is_in = not one.mask or thread.warp == one.warp and one.mask >> thread.lane & 1 == 1
    if is_in and coroutine.status(thread.routine) ~= "dead" then n = n + 1 end
  end
  return n
end

-- Lets the groups go on that are complete; did one?
local function pass(state, threads)
  local groups, order = {}, {}
  for _, thread in ipairs(threads) do
    local place = thread.place
    if place then
      if not groups[place] then
        groups[place] = {}
        order[#order + 1] = place
      end
      table.insert(groups[place], thread)
    end
  end
  local moved = false
  for _, place in ipairs(order) do
    local list = groups[place]
    if #list == expected(threads, list[1]) then
      local results = {}
      for k, thread in ipairs(list) do results[k] = table.pack(thread.finish(list, thread)) end
      for k = #list, 1, -1 do resume(state, list[k], table.unpack(results[k])) end
      moved = true
    end
  end
  return moved, #order > 0
end

local function limited(fn)
  local routine = coroutine.create(fn)
  debug.sethook(routine, function() error("the program does not end", 0) end, "", MOST)
  return routine
end

local function run_block(state, fn, args)
  local threads, size = {}, state.launch.block
  for n = 0, size[1] * size[2] - 1 do
    threads[n + 1] = { index = { x = n % size[1], y = n // size[1], z = 0 }, lane = n % WARP,
      warp = n // WARP, asked = 0, routine = limited(fn) }
  end
  state.block = {}
  for k = #threads, 1, -1 do resume(state, threads[k], table.unpack(args, 1, args.n)) end
  repeat
    local moved, waiting = pass(state, threads)
    if waiting and not moved then error("threads wait for each other", 0) end
  until not waiting
end

-- threads.names(launch, array) -> the names of threads, and a function run(fn, ...) for a launch
-- { grid = blocks, block = { x, y }, shared = bytes }; array(dtype, n) makes arrays
function M.names(launch, array)
  local names = { array = array, warpSize = WARP, gridDim = { x = launch.grid, y = 1, z = 1 },
    blockDim = { x = launch.block[1], y = launch.block[2], z = 1 } }
  local state = { launch = launch, names = names }
  add_exchanges(state, names)
  add_memory(state, names)
  return names, function(fn, ...)
    for block = 0, launch.grid - 1 do
      names.blockIdx = { x = block, y = 0, z = 0 }
      run_block(state, fn, table.pack(...))
    end
  end
end

return M

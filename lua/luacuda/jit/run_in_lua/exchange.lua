-- exchange.lua: barriers, exchanges of a warp and atomic operations for a run in Lua.

local block = require "luacuda.jit.run_in_lua.block"

local M = {}

local FULL = 0xffffffff

-- Barriers ----------------------------------------------------------------------------------------

local function each_value(waits, visit)
  for thread, wait in pairs(waits) do visit(wait.value, thread) end
end

local function count(waits)
  local n, all = 0, 0
  each_value(waits, function(value)
    all = all + 1
    if value then n = n + 1 end
  end)
  return n, all
end

local block_votes = {
  syncthreads = function() end,
  syncthreads_count = function(waits) return (count(waits)) end,
  syncthreads_or = function(waits) return count(waits) > 0 end,
  syncthreads_and = function(waits)
    local n, all = count(waits)
    return n == all
  end,
}

-- Exchanges ---------------------------------------------------------------------------------------

-- Do two numbers have the same bits? The lanes of a warp are matched by bits: 0.0 and -0.0 differ,
-- and NaN matches NaN.
local function same_bits(x, y)
  if x == 0 and y == 0 then return 1 / x == 1 / y end
  return x == y or x ~= x and y ~= y
end

local warp_votes = {
  syncwarp = function() end,
  any_sync = block_votes.syncthreads_or,
  all_sync = block_votes.syncthreads_and,
  ballot_sync = function(waits)
    local bits = 0
    each_value(waits, function(value, thread)
      if value then bits = bits | 1 << thread.lane end
    end)
    return bits
  end,
  match_any_sync = function(waits, own)
    local bits = 0
    each_value(waits, function(value, thread)
      if same_bits(value, waits[own].value) then bits = bits | 1 << thread.lane end
    end)
    return bits
  end,
}

function warp_votes.match_all_sync(waits)
  local bits, first = 0, nil
  for thread, wait in pairs(waits) do
    first = first or wait.value
    if not same_bits(wait.value, first) then return 0 end
    bits = bits | 1 << thread.lane
  end
  return bits
end

-- The lane that a lane reads from; its own where that lies outside of its part of the warp.
local sources = {
  shfl_sync = function(lane, at, width) return lane // width * width + at % width end,
  shfl_up_sync = function(lane, delta, width)
    return lane % width < delta and lane or lane - delta
  end,
  shfl_down_sync = function(lane, delta, width)
    return lane % width + delta >= width and lane or lane + delta
  end,
  shfl_xor_sync = function(lane, mask, width)
    local from = lane ~ mask
    return from // width > lane // width and lane or from
  end,
}

local function shuffle(run, name, source)
  return function(mask, value, at, width)
    return block.wait(run, name, value, mask & FULL, function(waits, own)
      local lane = source(own.lane, at, width or 32)
      local result = value
      each_value(waits, function(theirs, thread)
        if thread.lane == lane then result = theirs end
      end)
      return result
    end)
  end
end

-- Atomic operations -------------------------------------------------------------------------------

local changes = {
  add = function(old, v) return old + v end,
  sub = function(old, v) return old - v end,
  max = math.max,
  min = math.min,
  ["and"] = function(old, v) return old & v end,
  ["or"] = function(old, v) return old | v end,
  xor = function(old, v) return old ~ v end,
  exch = function(_, v) return v end,
}

-- The row of an array that has the element at these indices, and the last of them.
local function place(array, indices, n)
  for k = 1, n - 1 do array = array[indices[k]] end
  return array, indices[n]
end

-- change(array, index, ..., value). Threads run one at a time, so a read and a write are one
-- operation.
local function atomic(change)
  return function(array, ...)
    local given, n = { ... }, select("#", ...)
    local row, i = place(array, given, n - 1)
    local old = row[i]
    row[i] = change(old, given[n])
    return old
  end
end

local function compare_and_swap(array, ...)
  local given, n = { ... }, select("#", ...)
  local row, i = place(array, given, n - 2)
  local old = row[i]
  if old == given[n - 1] then row[i] = given[n] end
  return old
end

-- Bits --------------------------------------------------------------------------------------------

local function popc(v)
  local n = 0
  while v ~= 0 do n, v = n + 1, v & v - 1 end
  return n
end

-- Leading zeros of a Lua integer; a value of 32 bits has 32 fewer in a compiled kernel.
local function clz(v)
  for n = 0, 63 do
    if v >> 63 - n ~= 0 then return n end
  end
  return 64
end

-- Names -------------------------------------------------------------------------------------------

-- exchange.add(run, names) adds the functions by their names in kernels.
function M.add(run, names)
  for name, finish in pairs(block_votes) do
    names[name] = function(value) return block.wait(run, name, value, nil, finish) end
  end
  for name, finish in pairs(warp_votes) do
    names[name] = function(mask, value)
      return block.wait(run, name, value, (mask or FULL) & FULL, finish)
    end
  end
  for name, source in pairs(sources) do names[name] = shuffle(run, name, source) end
  for name, change in pairs(changes) do names["atomic_" .. name] = atomic(change) end
  names.atomic_cas = compare_and_swap
  for _, name in ipairs { "threadfence", "threadfence_block", "threadfence_system" } do
    names[name] = function() end
  end
  names.syncgrid = function() block.wait_for_grid "syncgrid" end
  names.activemask = function() return FULL end
  names.popc, names.clz = popc, clz
end

return M

-- shape.lua: the grid and block of a launch that Lua runs itself.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail

local M = {}

local AXES = { "x", "y", "z" }
local MOST_THREADS = 1024

-- The shape of a block where a launch gives only its threads, by the number of axes.
local BLOCKS = { { 256, 1, 1 }, { 16, 16, 1 }, { 8, 8, 4 } }

-- 5 or { 5, 6 } -> { x = 5, y = 6, z = 1 }, and how many were given
local function extents(what, key, given, least)
  local list = type(given) == "table" and given or { given }
  local n = core.list_check(list, ("%s: launch: '%s'"):format(what, key)) or #list
  local at = {}
  if n < 1 or n > 3 then fail(what, "launch: '%s': expected 1 to 3 integers, got %d", key, n) end
  for k, axis in ipairs(AXES) do
    local v = list[k] == nil and 1 or math.type(list[k]) and math.tointeger(list[k])
    if not v or v < least then
      fail(what, "launch: '%s': expected integers of %d or more, got %s", key, least,
        tostring(list[k]))
    end
    at[axis] = v
  end
  return at, n
end

local function volume(at) return at.x * at.y * at.z end

local function chosen_block(threads, axes)
  if volume(threads) < BLOCKS[1][1] then
    return { x = math.max(1, threads.x), y = math.max(1, threads.y), z = math.max(1, threads.z) }
  end
  local row = BLOCKS[axes]
  return { x = row[1], y = row[2], z = row[3] }
end

-- The bytes of dynamic shared memory.
local function shared_bytes(what, launch)
  local n = launch.shared == nil and 0 or math.type(launch.shared) and math.tointeger(launch.shared)
  if n and n >= 0 then return n end
  fail(what, "launch: 'shared': expected an integer of 0 or more, got %s", tostring(launch.shared))
end

-- The grid and the block of a launch table.
local function sizes(what, launch)
  local block = launch.block and extents(what, "block", launch.block, 1)
  if block and volume(block) > MOST_THREADS then
    fail(what, "launch: 'block': %d threads, and a block has at most %d", volume(block),
      MOST_THREADS)
  end
  if launch.threads then
    local threads, axes = extents(what, "threads", launch.threads, 0)
    block = block or chosen_block(threads, axes)
    local grid = {}
    for _, axis in ipairs(AXES) do grid[axis] = (threads[axis] + block[axis] - 1) // block[axis] end
    return { grid = grid, block = block }
  end
  if not block then fail(what, "launch: expected threads, or a block") end
  return { grid = extents(what, "grid", launch.grid or 1, 1), block = block }
end

-- launches.shape(what, launch) -> { grid = { x, y, z }, block = { x, y, z }, shared = bytes } of a
-- launch table, as kernels take it
function M.shape(what, launch)
  if type(launch) ~= "table" then
    fail(what, "expected a launch table such as { threads = n }, got %s", type(launch))
  end
  local shape = sizes(what, launch)
  shape.shared = shared_bytes(what, launch)
  return shape
end

return M

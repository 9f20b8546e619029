-- tile.lua: tile(n) for a run in Lua, by the exchanges of exchange.lua.

local arguments = require "luacuda.base.arguments"
local class = require "luacuda.base.class"

local fail = arguments.fail

local M = {}

local FULL = 0xffffffff
local SIZES = { [1] = true, [2] = true, [4] = true, [8] = true, [16] = true, [32] = true }

local changes = {
  add = function(a, b) return a + b end, mul = function(a, b) return a * b end,
  min = function(a, b) return b < a and b or a end,
  max = function(a, b) return a < b and b or a end,
  ["and"] = function(a, b) return a & b end, ["or"] = function(a, b) return a | b end,
  xor = function(a, b) return a ~ b end,
}

local NAMES = { "all", "any", "ballot", "inclusive_scan", "match_any", "meta_group_rank",
  "meta_group_size", "reduce", "shfl", "shfl_down", "shfl_up", "shfl_xor", "size", "sync",
  "thread_rank" }

-- The methods of the tiles of a run, which call the functions `names` of the kernel's language.
local function methods_of(run, names)
  local methods = {}

  local function base(t) return run.thread.lane // t.n * t.n end
  local function mask(t) return t.n == 32 and FULL or (1 << t.n) - 1 << base(t) end
  local function rank(t) return run.thread.lane % t.n end

  function methods.size(t) return t.n end
  methods.thread_rank = rank
  function methods.meta_group_rank(t) return (run.thread.warp * 32 + run.thread.lane) // t.n end
  function methods.meta_group_size(t)
    local b = run.shape.block
    return (b.x * b.y * b.z + t.n - 1) // t.n
  end
  function methods.sync(t) return names.syncwarp(mask(t)) end

  for _, name in ipairs{ "shfl", "shfl_up", "shfl_down", "shfl_xor" } do
    methods[name] = function(t, value, by)
      return names[name .. "_sync"](mask(t), value, by, t.n)
    end
  end
  for _, name in ipairs{ "any", "all" } do
    methods[name] = function(t, value) return names[name .. "_sync"](mask(t), value) end
  end
  for name, fn in pairs{ ballot = "ballot_sync", match_any = "match_any_sync" } do
    methods[name] = function(t, value) return names[fn](mask(t), value) >> base(t) end
  end

  function methods.reduce(t, value, op)
    local change, d = changes[op or "add"], t.n // 2
    while d > 0 do
      local other = t:shfl_xor(value, d)
      if run.thread.lane & d == 0 then value = change(value, other)
      else value = change(other, value) end
      d = d // 2
    end
    return value
  end

  function methods.inclusive_scan(t, value, op)
    local change, d = changes[op or "add"], 1
    while d < t.n do
      local lower = t:shfl_up(value, d)
      if rank(t) >= d then value = change(lower, value) end
      d = 2 * d
    end
    return value
  end

  return methods
end

-- add(run, names) adds the function `tile`.
function M.add(run, names)
  local Tile = class.new("tile", methods_of(run, names), NAMES)
  function names.tile(n)
    if not SIZES[n] then
      fail("tile", "argument 1: expected 1, 2, 4, 8, 16 or 32 lanes, got %s", tostring(n))
    end
    return setmetatable({ n = n }, Tile)
  end
end

return M

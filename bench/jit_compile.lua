-- jit_compile.lua: how long the first call of a kernel written in Lua takes, without the disk
-- cache, and how much of it is spent before the compiler starts.
local cuda = require "luacuda"
local now = require "bench_clock"

local TIMES = 3
local BOUND_MS = 3      -- what reading, inference and emission may add
local SIZE = 128

local M = {}

-- Milliseconds of fn(), the best of several.
local function best_ms(fn)
  local best = math.huge
  for _ = 1, TIMES do
    local start = now()
    fn()
    best = math.min(best, (now() - start) * 1e3)
  end
  return best
end

-- NVRTC makes what the device loads.
local TARGET = cuda.device().kind == "cpu" and "ptx" or "cubin"

-- Compiled code is also kept in memory, by its text: a new name makes another text.
local names = 0
local function fresh(pair)
  names = names + 1
  return cuda.jit(pair.lua, { name = pair.name .. names })
end

local function row(pair)
  local arrays, launch, text = pair.arrays(SIZE), pair.launch(SIZE), nil
  local ours = best_ms(function() text = fresh(pair):source(pair.for_lua(arrays, SIZE)) end)
  local compiler = best_ms(function() cuda.compile(text, { target = TARGET }) end)
  local first = best_ms(function() fresh(pair)(launch, pair.for_lua(arrays, SIZE)) end)
  print(("%-14s %10.2f %10.2f %10.2f  %s"):format(pair.name, ours, compiler, first,
    ours <= BOUND_MS and "ok" or "MISSED"))
end

-- Prints a row for each pair.
function M.show(list)
  print(("\n%-14s %10s %10s %10s"):format("milliseconds", "to CUDA", "NVRTC", "first call"))
  for _, pair in ipairs(list) do row(pair) end
end

return M

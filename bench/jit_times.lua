-- jit_times.lua: the device time of kernels written in Lua, and of the same kernels in CUDA.
local cuda = require "luacuda"
local core = require "luacuda.core"

local BOUND = 1.03
local ON_CPU = cuda.device().kind == "cpu"
local ROUNDS = ON_CPU and 5 or 21
local BATCH_MS = ON_CPU and 0 or 4 -- the least time of a batch of launches

local M = {}

-- The two kernels with their arguments, as functions that launch. Both are timed on one output:
-- where memory lies in a GPU changes the time of atomic operations by 4 percent. `run_apart` writes
-- to another output, to be compared.
local function prepare(pair)
  local n = ON_CPU and pair.cpu or pair.gpu
  local ours = pair.arrays(n)
  local theirs = setmetatable({ out = ours.out:copy() }, { __index = ours })
  local launch = pair.launch(n)
  local jit = cuda.jit(pair.lua, { name = pair.name })
  local kernel = cuda.kernel(pair.cuda)
  return { jit = jit, kernel = kernel, ours = ours, theirs = theirs,
    run_jit = jit:prepare(launch, pair.for_lua(ours, n)),
    run_cuda = kernel:prepare(launch):keep(pair.for_cuda(ours, n)),
    run_apart = kernel:prepare(launch):keep(pair.for_cuda(theirs, n)) }
end

local start, stop = cuda.event {}, cuda.event {}

local function batch_ms(run, times)
  start:record()
  for _ = 1, times do run() end
  stop:record()
  return stop:elapsed_ms(start) / times
end

-- Milliseconds of both, whose batches take turns.
local function measure(p)
  local first = batch_ms(p.run_jit, 1)
  local times = math.max(1, math.min(200, math.floor(BATCH_MS / math.max(first, 1e-3))))
  local ours, theirs = math.huge, math.huge
  for _ = 1, ROUNDS do
    ours = math.min(ours, batch_ms(p.run_jit, times))
    theirs = math.min(theirs, batch_ms(p.run_cuda, times))
  end
  return ours, theirs
end

-- Do both compute the same? The first launch is compared, since some kernels add to their output.
local function compare(pair, p)
  p.run_jit()
  p.run_apart()
  local tolerance = pair.tolerance or 1e-6
  local same = p.ours.out:allclose(p.theirs.out, { rtol = tolerance, atol = tolerance })
  return same and "same" or "DIFFERENT"
end

-- Thread instructions of a launch on the CPU device.
local function instructions(run)
  cuda.synchronize()
  core._cpu_counters(true)
  run()
  cuda.synchronize()
  return core._cpu_counters(false).thread_instructions
end

-- On the CPU device the instructions of ours for each one of theirs; on a GPU the registers of
-- both.
local function code(p)
  if ON_CPU then return ("%.3f"):format(instructions(p.run_jit) / instructions(p.run_cuda)) end
  return ("%d/%d"):format(p.jit:kernel().num_regs, p.kernel.num_regs)
end

local function row(pair)
  local p = prepare(pair)
  local same = compare(pair, p)
  local ours, theirs = measure(p)
  local ratio = ours / theirs
  print(("%-14s %10.4f %10.4f %7.3f %-6s %9s %9s"):format(pair.name, ours, theirs, ratio,
    ratio <= BOUND and "ok" or "MISSED", code(p), same))
end

-- Prints a row for each pair.
function M.show(list)
  print(("%-14s %10s %10s %7s %-6s %9s %9s"):format("milliseconds", "Lua", "CUDA", "ratio", "",
    ON_CPU and "instr." or "registers", "results"))
  for _, pair in ipairs(list) do
    row(pair)
    collectgarbage()
    collectgarbage()
  end
end

return M

-- Measures what short processes cost on one core: bench/cpu --cold starts it. Each process runs one
-- kernel of bench/cpu_kernels as often as cases.lua says, here and in OpenCL on PoCL.
--
-- A first run finds empty caches, and a second one what the first has left there. A figure is the
-- processor time, in ms, of all threads of the process and of processes that it starts
-- (luacuda-llvm, PoCL's linker), from before the first launch until all have ended. So it contains
-- machine code being made and loaded, all launches, and the end of the process. It does not contain
-- the start of the process, copies of the arrays, and what reads the program: NVRTC (the process
-- gets PTX) and the PTX reader here, clBuildProgram with clang in PoCL. The last columns are
-- elapsed time from the same point until the process has ended. Of several rounds, in turn, the
-- least of each figure counts.
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. here .. "cpu_kernels/?.lua;" .. package.path
local commands = require "commands"
local common = require "cpu_common"
local quote, measure = commands.quote, commands.measure
local cell, ratio = common.cell, common.ratio

local ROUNDS = tonumber(os.getenv "LUACUDA_BENCH_ROUNDS") or 3
local built = os.getenv "LUACUDA_BENCH"
local caches, cost = built .. "/caches", quote(built .. "/cost")

local ours = "lua5.4 " .. quote(here .. "cpu_kernels/ours.lua")
local ptx = quote(built .. "/kernels.ptx")

local PROGRAMS = {
  { name = "ours", command = ours, environment = ("LUACUDA_BENCH_SOURCE=%s LUACUDA_CPU_THREADS=1 "
    .. "LUACUDA_CACHE_DIR=%s"):format(ptx, quote(caches .. "/ours")) },
  { name = "pocl", command = quote(built .. "/opencl"),
    environment = "POCL_MAX_PTHREAD_COUNT=1 POCL_CACHE_DIR=" .. quote(caches .. "/pocl") },
}
local RUNS = { "first", "second" }

local function run_program(program, case)
  local t = measure(("env LUACUDA_BENCH_LAUNCHES=%d %s %s %s 0 %s 2>/dev/null"):format(case[8],
    program.environment, cost, program.command, common.command_line(case)))
  if not t.began_cpu then return nil end
  return { cpu = t.cost_cpu - t.began_cpu, wall = t.cost_wall - t.began_wall }
end

local function keep_least(times, key, new)
  local old = times[key] or { cpu = math.huge, wall = math.huge }
  times[key] = new and
    { cpu = math.min(old.cpu, new.cpu), wall = math.min(old.wall, new.wall) }
end

-- Times by "ours first", "pocl second" and so on.
local function run_case(case)
  local times = {}
  for _ = 1, ROUNDS do
    for _, program in ipairs(PROGRAMS) do
      local folder = quote(caches .. "/" .. program.name)
      assert(os.execute(("rm -rf %s && mkdir -p %s"):format(folder, folder)))
      for _, run in ipairs(RUNS) do
        keep_least(times, program.name .. " " .. run, run_program(program, case))
      end
    end
  end
  return times
end

local function columns(times, run, means)
  local we, pocl = times["ours " .. run] or {}, times["pocl " .. run] or {}
  means[run].add(pocl.cpu, we.cpu)
  return ("%s%s%s%s%s"):format(cell(we.cpu), cell(pocl.cpu), ratio(pocl.cpu, we.cpu),
    cell(we.wall), cell(pocl.wall))
end

assert(os.execute(ours .. " ptx " .. ptx))
local means, head = {}, ("%10s"):rep(5):format("ours", "PoCL", "PoCL/ours", "wall", "PoCL's")
for _, run in ipairs(RUNS) do means[run] = common.mean() end
print(("%-14s%-50s%s"):format("", "    first run, ms", "    second run, ms"))
print(("%-14s%s%s"):format("", head, head))
for _, case in ipairs(common.wanted_cases()) do
  local times = run_case(case)
  print(("%-14s%s%s"):format(case[1], columns(times, "first", means),
    columns(times, "second", means)))
  io.stdout:flush()
end
print(("%-34s%s%40s%s"):format("geometric mean", ratio(means.first.value(), 1), "",
  ratio(means.second.value(), 1)))

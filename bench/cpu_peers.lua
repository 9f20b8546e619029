-- Runs the kernels of bench/cpu_kernels here, in C and in OpenCL, and prints their times. Started
-- by bench/cpu, which sets LUACUDA_BENCH and builds the programs. Arguments: patterns of names.
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. here .. "cpu_kernels/?.lua;" .. package.path
local commands = require "commands"
local quote, measure = commands.quote, commands.measure
local common = require "cpu_common"
local cell, ratio, mean = common.cell, common.ratio, common.mean
local built = assert(os.getenv "LUACUDA_BENCH", "run bench/cpu")

local ROUNDS = 3 -- of all programs in turn; the best of each counts

local function program(name, text, command, environment)
  return { name = name, text = text, command = ("env %s %s"):format(environment, command) }
end
-- PoCL compiles a kernel before its first run. Here kernels that run briefly are interpreted.
local jit = os.getenv "LUACUDA_CPU_JIT" or "force"
local ours = ("LUACUDA_CPU_JIT=%s lua5.4 %s"):format(jit, quote(here .. "cpu_kernels/ours.lua"))
local plain, openmp, opencl = quote(built .. "/plain"), quote(built .. "/openmp"),
  quote(built .. "/opencl")
local ONE = {
  program("c", "C -O3", plain, ""),
  program("ours", "ours", ours, "LUACUDA_CPU_THREADS=1"),
  program("pocl", "PoCL", opencl, "POCL_MAX_PTHREAD_COUNT=1"),
}
local UNCHECKED = {
  program("c", "C -O3", plain, ""),
  program("ours", "checked", ours, "LUACUDA_CPU_THREADS=1"),
  program("other", "off", ours, "LUACUDA_CPU_THREADS=1 LUACUDA_CPU_CHECK=off"),
}
local ALL_CHECKS = {
  program("c", "C -O3", plain, ""),
  program("other", "all", ours, "LUACUDA_CPU_THREADS=1 LUACUDA_CPU_CHECK=all"),
  program("ours", "default", ours, "LUACUDA_CPU_THREADS=1"),
}
local TWO = {
  program("c", "C -O3", plain, ""),
  program("ours", "one core", ours, "LUACUDA_CPU_THREADS=1"),
  program("other", "two cores", ours, "LUACUDA_CPU_THREADS=2"),
  program("c1", "OpenMP, one", openmp, "OMP_NUM_THREADS=1"),
  program("c2", "OpenMP, two", openmp, "OMP_NUM_THREADS=2"),
}
local ALL = {
  program("c", "OpenMP", openmp, ""),
  program("ours", "ours", ours, ""),
  program("pocl", "PoCL", opencl, ""),
}

local FORMATS = { float32 = "<f", int32 = "<i4", uint32 = "<I4" }

local function values_of(bytes, dtype)
  local values, format = {}, FORMATS[dtype]
  for k = 1, #bytes // 4 do values[k] = format:unpack(bytes, 4 * k - 3) end
  return values
end

local function sum(values)
  local total = 0.0
  for _, v in ipairs(values) do total = total + v end
  return total
end

-- Whether two results agree, as cases.lua says.
local function agrees(case, a, b)
  local tolerance, dtype = case[6], case[7][case[5]].dtype
  if #a ~= #b then return false end
  if a == b then return true end
  a, b = values_of(a, dtype), values_of(b, dtype)
  if tolerance == "sum" then return math.abs(sum(a) - sum(b)) <= 1e-3 * math.abs(sum(b)) end
  local worst, largest, differ = 0, 0, 0
  for k = 1, #a do
    local off = math.abs(a[k] - b[k])
    if off ~= off then return false end
    worst, largest = math.max(worst, off), math.max(largest, math.abs(b[k]))
    if off ~= 0 then differ = differ + 1 end
  end
  if dtype == "float32" then return worst <= tolerance * largest end
  return differ <= tolerance * #a
end

local function read_result()
  local file = io.open(built .. "/result", "rb")
  local bytes = file and file:read "a"
  if file then file:close() end
  return bytes
end

-- Runs a case in all programs in turn. Returns the best times by name of the program; a text in
-- place of a time says why there is none.
local function run_case(case, programs, clock)
  local line, best, expected = common.command_line(case), {}, nil
  for _ = 1, ROUNDS do
    for _, p in ipairs(programs) do
      os.remove(built .. "/result")
      local times, status = measure(("%s 2 %s 2>/dev/null"):format(p.command, line))
      local result = read_result()
      if p.name == "c" then expected = result end
      local ms = times[clock]
      if not ms then
        best[p.name] = status == 77 and "none" or "failed"
      elseif not agrees(case, result, expected) then
        best[p.name] = "WRONG"
      elseif type(best[p.name]) ~= "string" then
        best[p.name] = math.min(best[p.name] or math.huge, ms)
      end
    end
  end
  return best
end

local function show_table(cases, programs, clock, title)
  local peer = mean()
  print(title)
  local head = ("%-14s%10s%10s%10s%10s%10s"):format("", programs[2].text, programs[1].text,
    "PoCL", "ours/C", "ours/PoCL")
  print(head)
  for _, case in ipairs(cases) do
    local t = run_case(case, programs, clock)
    print(("%-14s%s%s%s%s%s"):format(case[1], cell(t.ours), cell(t.c), cell(t.pocl),
      ratio(t.ours, t.c), ratio(t.ours, t.pocl)))
    io.stdout:flush()
    peer.add(t.ours, t.pocl)
  end
  print(("%-54s%s"):format("geometric mean", ratio(peer.value(), 1)))
end

-- The same kernels in two ways, the second and the third of the programs. `limit`, if it is given,
-- heads a column with the ratio of `c1` to `c2`, which are C's programs.
local function show_other(cases, programs, clock, title, limit)
  print(title)
  print(("%-14s%10s%10s%10s%10s"):format("", programs[2].text, programs[3].text, "ratio",
    limit or ""))
  local all, best = mean(), mean()
  for _, case in ipairs(cases) do
    local t = run_case(case, programs, clock)
    local first, second = t[programs[2].name], t[programs[3].name]
    print(("%-14s%s%s%s%s"):format(case[1], cell(first), cell(second), ratio(first, second),
      limit and ratio(t.c1, t.c2) or ""))
    io.stdout:flush()
    all.add(first, second)
    best.add(t.c1, t.c2)
  end
  print(("%-34s%s%s"):format("geometric mean", ratio(all.value(), 1),
    limit and ratio(best.value(), 1) or ""))
end

-- ---- what is not a kernel's work

local function best_of(times, command)
  local best = {}
  for _ = 1, times do
    for name, value in pairs((measure(command))) do
      best[name] = math.min(best[name] or math.huge, value)
    end
  end
  return best
end

-- Milliseconds of CPU time of a process that runs one kernel of the cache. The shell's clock is too
-- coarse for one process, and splits its time into user's and system's at will.
local function start_up()
  local each, best = 20, math.huge
  local script = "lua5.4 " .. quote(here .. "first.lua")
  local timed = ("TIMEFORMAT=$'user %%U\nsystem %%S'; export LUACUDA_DEVICE=cpu; "
    .. "time for k in {1..%d}; do %s; done"):format(each, script)
  for _ = 1, 5 do
    local t = measure(("bash -c %s 2>&1"):format(quote(timed)))
    if not t.user then return nil end
    best = math.min(best, (t.user + t.system) * 1e3 / each)
  end
  return best
end

local function show_small()
  local small = "lua5.4 " .. quote(here .. "cpu_kernels/small.lua")
  local blocks = best_of(ROUNDS, "env LUACUDA_CPU_THREADS=1 " .. small)
  local interrupt = "env --default-signal=INT timeout --foreground -s INT 1 "
  local endless = measure(interrupt .. small .. " endless")
  local first = start_up()
  local second = best_of(5, "lua5.4 " .. quote(here .. "cpu_kernels/second.lua"))
  print "\nWithout work"
  if first then
    print(("%-44s%10.1f ms of CPU time"):format("process with one small kernel of the cache",
      first))
  end
  print(("%-44s%10.2f ms of CPU time"):format("second small kernel of the cache",
    second.second_kernel_ms or 0 / 0))
  for _, warps in ipairs { 1, 8, 32 } do
    print(("%-44s%10.1f ns"):format(("empty block, %d warps"):format(warps),
      blocks["empty_block_" .. warps] or 0 / 0))
  end
  print(("%-44s%10s"):format("grid of 2^31-1 empty blocks, interrupted", endless.endless_ms and
    ("after %.0f ms, process grew by %.0f KiB"):format(endless.endless_ms, endless.endless_grew)
    or "NOT INTERRUPTED"))
end

local cases = common.wanted_cases()
show_table(cases, ONE, "cpu", "One core: ms of CPU time")
show_table(cases, ALL, "wall", "\nAll cores: elapsed ms")
show_other(cases, UNCHECKED, "cpu", "\nWith the default checks and without: ms of CPU time")
show_other(cases, ALL_CHECKS, "cpu", "\nWith all checks and with the default ones: ms of CPU time")
-- Where the cores share something, such as memory or a core of the host, C gains less, too.
show_other(cases, TWO, "wall", "\nOne core and two: elapsed ms", "C's ratio")
if common.wanted "small" then show_small() end

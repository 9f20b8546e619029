-- Runs a kernel of kernels.cu on the CPU device; runner.h has the command line and what is printed.
-- LUACUDA_BENCH_SOURCE: the path of kernels.cu, or of PTX that `ours.lua ptx PATH` made of it.
-- LUACUDA_CPU_THREADS sets the number of cores.
local now = require "bench_clock"
local began = now()
local cuda = require "luacuda"

cuda.use "cpu"

local function read_file(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

local source = read_file(os.getenv "LUACUDA_BENCH_SOURCE")
if arg[1] == "ptx" then
  local ptx = assert(io.open(arg[2], "wb"))
  ptx:write(cuda.compile(source, { target = "ptx" }))
  ptx:close()
  return
end

local words = { table.unpack(arg, 9) }
local rounds, grid = tonumber(arg[1]), { tonumber(arg[3]), tonumber(arg[4]) }
local launch = { grid = grid, block = { tonumber(arg[5]), tonumber(arg[6]) } }
local result, file = tonumber(arg[7]) + 1, arg[8]

local kernel = cuda.module(source):kernel(arg[2])

local function load_array(path)
  return cuda.array(read_file(path), path:match "%.(%w+)$")
end

local args = {}
for i, word in ipairs(words) do
  args[i] = word:sub(1, 1) == "b" and load_array(word:sub(2)) or tonumber(word:sub(2))
end

local function run()
  kernel(launch, table.unpack(args))
  cuda.synchronize()
end

if rounds == 0 then
  kernel:attributes() -- loads the module
  print(("began_cpu %.5f\nbegan_wall %.5f"):format(os.clock() * 1e3, (now() - began) * 1e3))
  for _ = 1, tonumber(os.getenv "LUACUDA_BENCH_LAUNCHES") do run() end
  return
end

run()
local out = assert(io.open(file, "wb"))
out:write(args[result]:tobytes())
out:close()

local start = now()
run()
local times = math.min(2000, 25e-3 // (now() - start) + 1)
local best_cpu, best_wall = math.huge, math.huge
for _ = 1, rounds do
  local cpu, wall = os.clock(), now()
  for _ = 1, times do run() end
  best_cpu = math.min(best_cpu, (os.clock() - cpu) * 1e3 / times)
  best_wall = math.min(best_wall, (now() - wall) * 1e3 / times)
end
print(("cpu %.5f\nwall %.5f"):format(best_cpu, best_wall))

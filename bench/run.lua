-- Runs the measurements of this folder in separate processes and prints them beside their limits.
-- Started by bench/run, which sets LUACUDA_BENCH (the folder of limit and bench_clock.so).
local now = require "bench_clock"
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local commands = require "commands"
local quote, measure = commands.quote, commands.measure
local built = assert(os.getenv "LUACUDA_BENCH", "run bench/run")

-- { name, unit, limit, "<=" or ">=", bound of the ratio LuaCUDA / limit, text }. The limit is a
-- number, or "c" for the figure of limit.c in this run.
local ROWS = {
  { "launch_prepared", "us", "c", "<=", 1.10, "prepared launch, 4 arguments" },
  { "launch_table", "us", "c", "<=", 1.25, "launch with a table" },
  { "graph_replay", "us", "c", "<=", 1.02, "kernel of a graph of 1000, launched and waited for" },
  { "alloc_free_1MiB", "us", "c", "<=", 2.00, "array of 1 MiB, made and freed" },
  { "from_dlpack", "us", "c", "<=", 40, "array to a DLPack tensor and back, and its end" },
  { "texture_fetch", "us", "c", "<=", 1.02, "kernel of 2^24 filtered texture fetches" },
  { "pinned_to_device", "GB/s", "c", ">=", 0.97, "copy of 256 MiB, pinned to device" },
  { "device_to_pinned", "GB/s", "c", ">=", 0.97, "copy of 256 MiB, device to pinned" },
  { "gpu_to_gpu", "GB/s", "c", ">=", 0.97, "copy of 256 MiB, one GPU to another" },
  { "h2d_4B", "us", "c", "<=", 1.25, "copy of 4 bytes, host to device, waited for" },
  { "h2d_4KiB", "us", "c", "<=", 1.25, "copy of 4 KiB, host to device, waited for" },
  { "d2h_4B", "us", "c", "<=", 1.25, "copy of 4 bytes, device to host, waited for" },
  { "d2h_4KiB", "us", "c", "<=", 1.25, "copy of 4 KiB, device to host, waited for" },
  { "first_result", "ms", "c", "<=", nil, "process start to first result, warm (limit + 20)" },
  { "require", "ms", 10, "<=", 1, 'lua5.4 -l luacuda -e ""' },
  { "table_to_array", "ms", 12, "<=", 1, "table of 10^6 numbers to an array" },
  { "array_to_table", "ms", 15, "<=", 1, "array of 10^6 numbers to a table" },
  { "cpu_mandelbrot", "G/s", 6, ">=", 1, "CPU device, 1 core: mandelbrot, thread-instructions" },
  { "cpu_matmul", "G/s", 6, ">=", 1, "CPU device, 1 core: matrix product" },
  { "cpu_matmul_tiled", "G/s", 6, ">=", 1, "CPU device, 1 core: matrix product, shared tiles" },
  { "cpu_wmma_256", "ms", 4, "<=", 1, "CPU device, 1 core: matrix product, wmma, 256^3" },
  { "cpu_saxpy_1e6", "ms", 3, "<=", 1, "CPU device, 1 core: saxpy of 10^6" },
}

local function lua(script, ...)
  local words = { "/usr/bin/lua5.4", quote(here .. script) }
  for _, word in ipairs { ... } do words[#words + 1] = quote(word) end
  return table.concat(words, " ")
end

-- Milliseconds of a whole process, the best of several; nil when it fails.
local function process_ms(command, times)
  local best = math.huge
  for _ = 1, times do
    local start = now()
    if not os.execute("exec " .. command .. " >/dev/null") then return nil end
    best = math.min(best, (now() - start) * 1e3)
  end
  return best
end

-- The speed of a machine varies: ours and the limit take turns, and the best of each counts.
local ROUNDS = 5

local more_is_better = {}
for _, row in ipairs(ROWS) do more_is_better[row[1]] = row[4] == ">=" end

-- Keeps the better value of each name.
local function merge(into, from)
  for name, value in pairs(from) do
    local old = into[name]
    local more = more_is_better[name]
    if not old or (more and value > old) or (not more and value < old) then into[name] = value end
  end
end

local function measure_gpu(ours, limits, peer)
  local cubin = built .. "/saxpy.cubin"
  for _ = 1, ROUNDS do
    merge(ours, (measure(lua("gpu.lua", cubin))))
    merge(limits, (measure(quote(built .. "/limit") .. " all " .. quote(cubin))))
    local first = quote(built .. "/limit") .. " first " .. quote(cubin)
    merge(limits, { first_result = process_ms(first, 2) })
    merge(ours, { first_result = process_ms("env LUACUDA_DEVICE=0 " .. lua "first.lua", 2) })
  end
  if os.execute "python3 -c 'import cupy' 2>/dev/null" then
    local script = "python3 " .. quote(here .. "peer_cupy.py")
    merge(peer, (measure(script .. " all")))
    peer.first_result = process_ms(script .. " first", 3)
  end
end

local function cpu(threads)
  return measure(("env LUACUDA_CPU_THREADS=%d %s"):format(threads, lua "cpu.lua"))
end

local function verdict(row, value, limit)
  local _, _, _, sense, allowed = table.unpack(row)
  local ratio = value / limit
  local good
  if allowed == nil then good = value <= limit + 20
  elseif sense == "<=" then good = ratio <= allowed
  else good = ratio >= allowed end
  return ("%7.2f  %s"):format(ratio, good and "ok" or "MISSED")
end

local function show(ours, limits, peer)
  print(("%-18s %10s %10s %-5s %7s  %-6s %10s  %s"):format(
    "name", "ours", "limit", "unit", "ratio", "", "CuPy", "what"))
  for _, row in ipairs(ROWS) do
    local name, unit, limit, _, _, text = table.unpack(row)
    limit = limit == "c" and limits[name] or limit
    local value = ours[name]
    if value and type(limit) == "number" then
      local other = peer[name] and ("%10.3f"):format(peer[name]) or (" "):rep(10)
      print(("%-18s %10.3f %10.3f %-5s %-15s %s  %s"):format(
        name, value, limit, unit, verdict(row, value, limit), other, text))
    else
      print(("%-18s %10s %s"):format(name, "-", text .. ": not measured"))
    end
  end
end

local function show_scaling(one, cores)
  if cores < 2 then return end
  local all = cpu(cores)
  print(("\nCPU device, %d cores: times as fast as one core"):format(cores))
  for _, name in ipairs { "cpu_mandelbrot", "cpu_matmul", "cpu_matmul_tiled" } do
    if all[name] and one[name] then print(("%-18s %10.2f"):format(name, all[name] / one[name])) end
  end
  if all.cpu_saxpy_1e6 and one.cpu_saxpy_1e6 then
    print(("%-18s %10.2f"):format("cpu_saxpy_1e6", one.cpu_saxpy_1e6 / all.cpu_saxpy_1e6))
  end
end

local ours, limits, peer = {}, {}, {}
local _, status = measure(quote(built .. "/limit") .. " first /dev/null 2>/dev/null")
local has_gpu = status ~= 77
ours.require = process_ms([[/usr/bin/lua5.4 -l luacuda -e ""]], 20)
if has_gpu then measure_gpu(ours, limits, peer)
else print "no NVIDIA driver or GPU: only the measurements that need none\n" end
local one = {}
for _ = 1, 3 do
  merge(ours, (measure(lua "tables.lua")))
  merge(one, (cpu(1)))
end
merge(ours, one)
show(ours, limits, peer)
local pipe = assert(io.popen "nproc")
show_scaling(one, tonumber(pipe:read "l") or 1)
pipe:close()

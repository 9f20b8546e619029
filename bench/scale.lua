-- Runs the measurements of bench/scale in separate processes and prints them beside their limits.
-- Started by bench/scale, which sets LUACUDA_BENCH (the folder of scale_limit and bench_clock.so).
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local commands = require "commands"
local quote, measure = commands.quote, commands.measure
local built = assert(os.getenv "LUACUDA_BENCH", "run bench/scale")
local LUA, ROUNDS = "/usr/bin/lua5.4", 5

local flags, wanted = {}, nil
for _, word in ipairs(arg) do
  if word == "--small" or word == "--mpirun" then flags[word] = true
  else
    wanted = math.tointeger(tonumber(word))
    if not wanted or wanted < 2 then
      io.stderr:write("usage: bench/scale [--small] [--mpirun] [RANKS, at least 2]\n")
      os.exit(2)
    end
  end
end
local small, size_word = flags["--small"], flags["--small"] and "small" or ""


-- ---- what the machine has ----

-- The number of GPUs, and the file of NCCL or nil. A separate process, which leaves the GPUs alone.
local function look()
  local pipe = assert(io.popen(LUA .. [[ -e '
    local cuda, n = require "luacuda", 0
    for _, d in ipairs(cuda.devices()) do if d.kind == "gpu" then n = n + 1 end end
    print(n)
    print(cuda.diagnose():match "opened ([^\n]+), NCCL" or "")']]))
  local gpus, nccl = tonumber(pipe:read "l"), pipe:read "l"
  pipe:close()
  return gpus or 0, nccl ~= "" and nccl or nil
end


-- ---- processes ----

local function environment(variables)
  local words = {}
  for name, value in pairs(variables) do
    words[#words + 1] = name .. "=" .. quote(tostring(value))
  end
  return "env " .. table.concat(words, " ") .. " "
end

math.randomseed(os.time())

-- A command that runs a command as n ranks; only rank 0 prints.
local function as_ranks(n, command, variables)
  command = "timeout 300 " .. command
  if flags["--mpirun"] then
    return environment(variables) .. "mpirun --allow-run-as-root --oversubscribe --bind-to none -q"
      .. (" -n %d "):format(n) .. command
  end
  local words = {}
  for rank = n - 1, 0, -1 do
    local own = { RANK = rank, WORLD_SIZE = n, LOCAL_RANK = rank, MASTER_ADDR = "127.0.0.1" }
    for name, value in pairs(variables) do own[name] = value end
    words[#words + 1] = environment(own) .. command .. (rank > 0 and " &" or ";")
  end
  return "{ " .. table.concat(words, " ") .. " wait; }"
end

local function port() return 20000 + math.random(0, 9999) end

local function ours(n)
  local rank = ("%s %s ranks %s"):format(LUA, quote(here .. "scale_rank.lua"), size_word)
  return measure(as_ranks(n, rank, { MASTER_PORT = port() }))
end

local function limit(n, nccl)
  local program = ("%s ranks %s"):format(quote(built .. "/scale_limit"), size_word)
  return measure(as_ranks(n, program, { NCCL_COMM_ID = "127.0.0.1:" .. port(),
    LUACUDA_LIBNCCL = nccl }))
end

local function speedup(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "a"
  pipe:close()
  return tonumber(text:match "speed%-up ([%d.]+)")
end

local EXAMPLES = {
  { "heat", large = "16384 200", small = "64 10", cpu = "512 100" },
  { "kmeans", large = "33554432 8 16 20", small = "1024 4 5 3", cpu = "16384 8 16 5" },
}

local function example_command(row, arguments)
  return ("%s %s %s"):format(LUA, quote(here .. "../examples/scale/" .. row[1] .. ".lua"),
    arguments)
end


-- ---- rows ----

-- { name, unit, "<=" or ">=", bound of the ratio, what may be added to the limit, text }
local ROWS = {
  { "all_reduce_1GiB", "GB/s", ">=", 0.98, 0, "all_reduce of 1 GiB, bus bandwidth" },
  { "all_reduce_1MiB", "us", "<=", 1, 2, "all_reduce of 1 MiB, one of many in a row (limit + 2)" },
  { "all_reduce_call", "us", "<=", 1.2, 0, "a call of all_reduce, on the host" },
  { "peer_copy", "GB/s", ">=", 0.98, 0, "copy of 1 GiB, one GPU to another" },
  { "heat", "times", ">=", 0.95, 0, "examples/scale/heat.lua, as fast as one GPU" },
  { "kmeans", "times", ">=", 0.95, 0, "examples/scale/kmeans.lua, as fast as one GPU" },
}

-- The speed of a machine varies: ours and the limit take turns, and the best of each counts.
local function merge(into, from)
  for _, row in ipairs(ROWS) do
    local name, more = row[1], row[3] == ">="
    local value, old = from[name], into[name]
    if value and (not old or (more and value > old) or (not more and value < old)) then
      into[name] = value
    end
  end
end

local function verdict(row, value, bound)
  local _, _, sense, allowed, added = table.unpack(row)
  local good
  if sense == "<=" then good = value <= bound * allowed + added
  else good = value >= bound * allowed end
  return ("%7.2f  %s"):format(value / bound, small and "" or good and "ok" or "MISSED")
end

local function show(figures, limits)
  print(("%-16s %10s %10s %-5s %7s  %-6s %s"):format("name", "ours", "limit", "unit", "ratio", "",
    "what"))
  for _, row in ipairs(ROWS) do
    local name, unit = row[1], row[2]
    local value, bound = figures[name], limits[name]
    if value and bound then
      print(("%-16s %10.3f %10.3f %-5s %-15s %s"):format(name, value, bound, unit,
        verdict(row, value, bound), row[6]))
    elseif value then
      print(("%-16s %10.3f %10s %-5s %-15s %s"):format(name, value, "-", unit, "", row[6]))
    else
      print(("%-16s %10s %s"):format(name, "-", row[6] .. ": not measured"))
    end
  end
end


-- ---- the two ways to run ----

local function on_gpus(n, nccl)
  local figures, limits = {}, {}
  -- all programs of this run see these GPUs only
  local list = {}
  for i = 1, n do list[i] = i - 1 end
  local visible = os.getenv "CUDA_VISIBLE_DEVICES"
  local see = visible and "" or environment { CUDA_VISIBLE_DEVICES = table.concat(list, ",") }
  for _ = 1, small and 1 or ROUNDS do
    merge(figures, (ours(n)))
    merge(limits, (limit(n, nccl)))
    merge(figures, (measure(("%s %s peer %s"):format(LUA, quote(here .. "scale_rank.lua"),
      size_word))))
    merge(limits, (measure(("%s peer %s"):format(quote(built .. "/scale_limit"), size_word))))
  end
  for _, row in ipairs(EXAMPLES) do
    merge(figures, { [row[1]] = speedup(see .. example_command(row, small and row.small
      or row.large)) })
    limits[row[1]] = n
  end
  show(figures, limits)
end

local function on_cpu()
  print "fewer than two GPUs, or no NCCL: only the examples, as two ranks of the CPU device with"
  print "one thread each\n"
  if not os.execute "command -v mpirun >/dev/null 2>&1" then
    print "no mpirun: nothing to measure"
    return
  end
  flags["--mpirun"] = true
  local figures = {}
  for _, row in ipairs(EXAMPLES) do
    figures[row[1]] = speedup(as_ranks(2, example_command(row, small and row.small or row.cpu),
      { LUACUDA_DEVICE = "cpu", LUACUDA_CPU_THREADS = 1 }))
  end
  show(figures, { heat = 2, kmeans = 2 })
end

local gpus, nccl = look()
if gpus < 2 or not nccl then on_cpu()
elseif wanted and wanted > gpus then
  io.stderr:write(("bench/scale: %d ranks, but %d GPUs\n"):format(wanted, gpus))
  os.exit(2)
else
  print(("%d of %d GPUs, %s\n"):format(wanted or gpus, gpus, nccl))
  on_gpus(wanted or gpus, nccl)
end

-- measure.lua: how the rows of bench/arrays are measured. LUACUDA_BENCH_RUNS: timed runs of each
-- row (11); 1 shortens everything else as well, for a run that only compiles.
local cuda = require "luacuda"
local now = require "bench_clock"

-- Elements of a large array, the side of a square of as many, and the elements that are sorted.
local M = { N = 1 << 28, SIDE = 1 << 14, KEYS = 1 << 26 }

local RUNS = tonumber(os.getenv "LUACUDA_BENCH_RUNS") or 11
local REPEAT = RUNS > 1 and 5 or 1
local ROUNDS = RUNS > 5 and 5 or RUNS
local WARM_UP = 0.1 -- seconds
local BATCHES, CALLS = RUNS > 1 and 51 or 1, RUNS > 1 and 200 or 1

local only = {}
for _, name in ipairs(arg) do only[name] = true end
local function wanted(name) return not next(only) or only[name] end

local function median(values)
  table.sort(values)
  return values[#values // 2 + 1]
end

-- Milliseconds that a call of fn takes on the device, over several consecutive calls. One that
-- takes long is called less often.
function M.device_ms(fn)
  local start, stop, values = cuda.event {}, cuda.event {}, {}
  fn()
  local function time(times)
    start:record()
    for _ = 1, times do fn() end
    stop:record()
    return stop:elapsed_ms(start) / times
  end
  local first = time(1)
  local times = first > 20 and 1 or REPEAT
  for i = 1, first > 200 and 1 or RUNS do values[i] = time(times) end
  return median(values)
end

-- GB/s of a call that reads and writes so many bytes.
function M.rate(bytes, fn) return bytes * 1e-6 / M.device_ms(fn) end

-- 10^9 elements per second of a call.
function M.elements(n, fn) return n * 1e-6 / M.device_ms(fn) end

-- Microseconds that a call of fn takes on the host, without waiting for the device.
local function call_us(fn)
  local values = {}
  for b = 1, BATCHES do
    local start = now()
    for _ = 1, CALLS do fn() end
    values[b] = (now() - start) * 1e6 / CALLS
    cuda.synchronize()
  end
  return median(values)
end

-- Milliseconds of a call of fn with its wait, the best of several. The array that it returns is
-- freed each time, as in Python: garbage would make each call clear new pages of the system. The
-- CPU device keeps freed memory in quarantine for a while, so there are calls before the first
-- one that counts.
function M.wall_ms(fn)
  local best = math.huge
  local function time()
    local start = now()
    local result = fn()
    cuda.synchronize()
    local ms = (now() - start) * 1e3
    if cuda.type(result) == "array" then result:free() end
    return ms
  end
  local start = now()
  repeat time() until RUNS == 1 or now() - start > WARM_UP
  for _ = 1, RUNS do best = math.min(best, time()) end
  return best
end

function M.empty(dtype, shape) return cuda.zeros(shape or M.N, dtype) end

-- One measurement. `make` measures and returns the value, so its arrays are garbage afterwards.
function M.row(name, make)
  if not wanted(name) then return end
  local ok, value = pcall(make)
  if ok then print(("%s %.4f"):format(name, value))
  else io.stderr:write(name, ": ", tostring(value), "\n") end
  io.stdout:flush()
  collectgarbage()
  collectgarbage()
end

-- The speed of a machine varies: calls take turns, and the best time of each counts.
local calls = {}

-- Adds a call: `make` returns the function to time.
function M.call(name, make)
  if not wanted(name) then return end
  local ok, fn = pcall(make)
  if ok then calls[#calls + 1] = { name = name, fn = fn, us = math.huge }
  else io.stderr:write(name, ": ", tostring(fn), "\n") end
end

function M.time_calls()
  for _ = 1, ROUNDS do
    for _, one in ipairs(calls) do one.us = math.min(one.us, call_us(one.fn)) end
  end
  for _, one in ipairs(calls) do print(("%s %.4f"):format(one.name, one.us)) end
end

return M

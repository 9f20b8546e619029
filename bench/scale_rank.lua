-- Measures communicators and copies between GPUs through LuaCUDA, and prints "name value" lines
-- with the names of scale_limit.c.
--   scale_rank.lua ranks [small]   one of several processes; rank 0 prints
--   scale_rank.lua peer [small]    copies from the second GPU to the first
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local cuda = require "luacuda"
local batches, now = require "batches", require "bench_clock"

local what, small = arg[1], arg[2] == "small"
local BATCHES, CALLS, ROUNDS = 51, 100, 7

local function report(name, value) print(("%s %.4f"):format(name, value)) end

-- Microseconds of one all_reduce among `times` in a row; the best of several rounds.
local function all_reduce_us(comm, count, times)
  local x, best = cuda.zeros(count, "float32"), math.huge
  local into = { out = x }
  for round = 0, ROUNDS do
    cuda.synchronize()
    local start = now()
    for _ = 1, times do comm:all_reduce(x, into) end
    cuda.synchronize()
    local us = (now() - start) * 1e6 / times
    if round > 0 then best = math.min(best, us) end -- the first one warms up
  end
  return best
end

-- Microseconds of a call on the host, on a stream that was made, as in C: on the null stream NCCL
-- takes 0.4 us longer.
local function call_us(comm)
  local x = cuda.zeros(1, "float32")
  local into = { out = x }
  return cuda.with_stream(cuda.stream {}, batches.us, function() comm:all_reduce(x, into) end,
    BATCHES, CALLS)
end

local function ranks()
  local comm = cuda.nccl.init { timeout_ms = 120000 }
  local large, medium = small and 1 << 16 or 1 << 28, small and 1 << 10 or 1 << 18
  local us = all_reduce_us(comm, large, small and 2 or 20)
  local bytes = 2 * (comm.size - 1) / comm.size * large * 4
  local figures = {
    { "all_reduce_1GiB", bytes * 1e-3 / us },
    { "all_reduce_1MiB", all_reduce_us(comm, medium, small and 2 or 200) },
    { "all_reduce_call", call_us(comm) },
  }
  for _, figure in ipairs(comm.rank == 0 and figures or {}) do report(table.unpack(figure)) end
  comm:close()
end

local function peer()
  local bytes, values = small and 1 << 16 or 1 << 30, {}
  local src = cuda.zeros(bytes, "uint8", { device = 1 })
  local dst = cuda.zeros(bytes, "uint8", { device = 0 })
  src.device:synchronize()
  dst.device:synchronize()
  for i = 1, 11 do
    local start = now()
    cuda.copy(dst, src)
    dst.device:synchronize()
    values[i] = now() - start
  end
  report("peer_copy", bytes * 1e-9 / batches.median(values))
end

if what == "peer" then peer() else ranks() end

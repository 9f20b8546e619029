-- batches.lua: what calls cost the host, measured in batches.
local cuda = require "luacuda"
local now = require "bench_clock"

local M = {}

-- The middle one of these values, which are sorted.
function M.median(values)
  table.sort(values)
  return values[#values // 2 + 1]
end

-- us(fn, batches, calls) -> microseconds that a call of fn takes on the host, without waiting for
-- the device: the median of so many batches of so many calls
function M.us(fn, batches, calls)
  local values = {}
  for b = 1, batches do
    local start = now()
    for _ = 1, calls do fn() end
    values[b] = (now() - start) * 1e6 / calls
    cuda.synchronize()
  end
  return M.median(values)
end

return M

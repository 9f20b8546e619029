-- Heat spreads in a rod: one launch for all steps, with a barrier for the whole grid.
--   Arguments: [SIZE [STEPS]]
local cuda = require "luacuda"

local n, steps = ...
n, steps = math.tointeger(tonumber(n) or 1001), math.tointeger(tonumber(steps) or 300)
local RATE = 0.25

local solve = cuda.jit(function(a, b)
  for step = 1, steps do
    -- `c and x or y` chooses arrays, too. A step reads one and writes the other.
    local odd = step % 2 == 1
    local now, later = odd and a or b, odd and b or a
    for i in grid(#now) do
      local left, right = i > 1 and now[i - 1] or 0, i < #now and now[i + 1] or 0 -- cold ends
      later[i] = now[i] + RATE * (left - 2 * now[i] + right)
    end
    syncgrid() -- all blocks are here: nobody reads `now` any more
  end
end)

local a = cuda.zeros(n, "float64")
a[n // 2 + 1] = 10000
local b, check = cuda.empty_like(a), a:copy()
-- All blocks run at the same time, so there may not be more than the device holds.
local most = solve:kernel(a, b):max_cooperative_blocks(128)
solve({ grid = math.min((n + 127) // 128, most), block = 128 }, a, b)
local result = steps % 2 == 0 and a or b

-- The same with slices of an array.
local middle = { 2, n + 1 }
local padded = check:pad(1)
for _ = 1, steps do
  local now = padded:slice(middle)
  local around = padded:slice { 1, n } + padded:slice { 3, n + 2 }
  cuda.copy(now, now + RATE * (around - 2 * now))
end
assert(result:allclose(padded:slice(middle), { rtol = 1e-12 }))
print(("%d steps on %s: %.3f degrees in the middle, %.3f in all"):format(steps, a.device.name,
  result[n // 2 + 1], result:sum()))

return result, RATE, steps

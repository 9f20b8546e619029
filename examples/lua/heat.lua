-- Heat spreads in a plate with a hot rim: a stencil.   Arguments: [SIZE [STEPS]]
local cuda = require "luacuda"

local n, steps = ...
n, steps = math.tointeger(tonumber(n) or 64), math.tointeger(tonumber(steps) or 100)
local RATE = 0.2 -- stable up to 0.25

-- Each point moves towards the mean of its four neighbors. Threads run in no particular order, so
-- the step reads one array and writes another.
local step = cuda.jit(function(later, now)
  for row, column in grid(n - 2, n - 2) do
    local i, j = row + 1, column + 1 -- the rim stays as it is
    local around = now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]
    later[i][j] = now[i][j] + RATE * (around - 4 * now[i][j])
  end
end)

local now = cuda.zeros { n, n }
now[1] = 100 -- the upper rim
local later, check = now:copy(), now:copy()
for _ = 1, steps do
  step({ threads = { n - 2, n - 2 } }, later, now)
  now, later = later, now
end

-- The same steps with slices of an array.
local inside, before, after = { 2, -2 }, { 1, -3 }, { 3, -1 }
for _ = 1, steps do
  local u = check:slice(inside, inside)
  local around = check:slice(before, inside) + check:slice(after, inside)
    + check:slice(inside, before) + check:slice(inside, after)
  cuda.copy(u, u + RATE * (around - 4 * u))
end
assert(now:allclose(check, { atol = 1e-3 }))
print(("%d steps on %s: mean temperature %.4f"):format(steps, now.device.name, now:mean()))

return now, RATE, steps

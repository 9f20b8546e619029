-- Heat spreads in a plate with a hot rim: slices of an array, one fused kernel per step.
--   Arguments: [SIZE [STEPS]]
local cuda = require "luacuda"

local n, steps = ...
n, steps = math.tointeger(tonumber(n) or 128), math.tointeger(tonumber(steps) or 500)
local RATE = 0.2 -- stable up to 0.25

local step = cuda.fuse(function(u, up, down, left, right)
  return u + RATE * (up + down + left + right - 4 * u)
end)

local now = cuda.zeros { n, n }
now[1] = 100 -- the upper rim; the other rims stay cold
local later = now:copy()

-- The inner points, and the points above, below, left and right of them: five views of one array.
local function views(plate)
  local inside, before, after = { 2, -2 }, { 1, -3 }, { 3, -1 }
  return {
    plate:slice(inside, inside), plate:slice(before, inside), plate:slice(after, inside),
    plate:slice(inside, before), plate:slice(inside, after),
  }
end

local a, b = views(now), views(later)
for _ = 1, steps do
  step(a[1], a[2], a[3], a[4], a[5], { out = b[1] })
  a, b, now, later = b, a, later, now
end

-- For 0, 10, ... 100 degrees.
local SHADES = { [0] = " ", ".", ":", "-", "=", "+", "*", "#", "%", "@", "@" }
for row = 1, n, math.max(n // 16, 1) do
  local line = now:slice(row, { 1, -1, math.max(n // 32, 1) }):totable()
  for i, t in ipairs(line) do line[i] = SHADES[t // 10] end
  print(table.concat(line))
end
print(("mean temperature %.4f"):format(now:mean()))

return now, RATE, steps

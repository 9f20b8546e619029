-- A Lua function as a function of arrays.   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 10000)

local function square(v) return v * v end

-- Runs once for each element; calls other functions; can return several values.
local roots = cuda.vectorize(function(a, b, c)
  local d = square(b) - 4 * a * c
  if d < 0 then return 0 / 0, 0 / 0 end -- not a number: there are no real roots
  local root = math.sqrt(d)
  return (-b - root) / (2 * a), (-b + root) / (2 * a)
end)

local rng = cuda.random.generator(5)
local b = rng:uniform(n, { dtype = "float64" }) * 10
local c = rng:uniform(n, { dtype = "float64" })
local low, high = roots(1.5, b, c) -- numbers and arrays of any shapes that fit together

-- The sum of the roots is -b / a, their product c / a.
local real = low:eq(low)
assert(cuda.where(real, low + high + b / 1.5, 0):abs():max() < 1e-9)
assert(cuda.where(real, low * high - c / 1.5, 0):abs():max() < 1e-9)
assert(cuda.array_equal(real, (b * b):ge(6 * c)))
-- Other types make another kernel; a number alone is an array without axes.
assert(roots(1, -5, 6):item() == 2)
print(("%d equations on %s, %d have real roots"):format(n, b.device.name, real:count_nonzero()))

return b, c, low, high

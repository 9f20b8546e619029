-- Integrals of Lua functions from random points.   Arguments: [POINTS]
local cuda = require "luacuda"

local points = math.tointeger(tonumber((...)) or 200000)
local SEED = 42

-- Makes a function that integrates `f`: f becomes a part of the kernel.
local function integrator(f)
  local sample = cuda.jit(function(out, low, high)
    for i in grid(#out) do
      local r = random(SEED, i) -- numbers of its own for each point
      out[i] = f(low + (high - low) * r:uniform())
    end
  end)
  return function(low, high)
    local out = cuda.empty(points)
    sample({ threads = points }, out, cuda.float32(low), cuda.float32(high))
    return (high - low) * out:mean(), out
  end
end

local inverse = integrator(function(x) return 1 / x end)
local bell = integrator(function(x) return math.exp(-x * x / 2) end)

local log2, values = inverse(1, 2)
local log_of_ratio, area = inverse(2, 3), bell(-4, 4)
-- The error shrinks as the square root of the number of points grows.
local tolerance = 4 / math.sqrt(points)
assert(math.abs(log2 - math.log(2)) < tolerance)
assert(math.abs(log_of_ratio - math.log(1.5)) < tolerance)
assert(math.abs(area - math.sqrt(2 * math.pi)) < 4 * tolerance)
print(("on %s: log 2 is %.4f, log 1.5 is %.4f, the square root of 2 pi %.4f"):format(
  values.device.name, log2, log_of_ratio, area))

return values, log2, log_of_ratio, area

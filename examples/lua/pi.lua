-- Pi from random points, with a generator of random numbers in the kernel.   Arguments: [POINTS]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 400000)

-- Scrambles the bits of an integer (the steps of xorshift64*). Each point draws its numbers from
-- its own index, so the result is the same for every launch and on every device. Integers of
-- kernels wrap around and shift as those of Lua do.
local function scramble(v)
  v = v ~ v >> 12
  v = v ~ v << 25
  v = v ~ v >> 27
  return v * 0x2545F4914F6CDD1D
end

-- Is the random point i of the unit square inside the circle?
local function inside(i)
  local bits = scramble(scramble(i * 0x9E3779B97F4A7C15))
  local x, y = bits >> 33, bits & 0x7fffffff -- two numbers below 2^31
  return x * x + y * y < 1 << 62
end

local count = cuda.jit(function(hits, points)
  local mine = 0
  for i in grid(points) do
    if inside(i) then mine = mine + 1 end
  end
  atomic_add(hits, 1, mine) -- one addition for each thread, not for each point
end)

local hits = cuda.zeros(1, "int64")
count({ grid = 16, block = 128 }, hits, n)

local want = 0
for i = 1, n do
  if inside(i) then want = want + 1 end
end
assert(hits[1] == want)
print(("pi is %.4f, from %d points on %s"):format(4 * want / n, n, hits.device.name))

return hits, n

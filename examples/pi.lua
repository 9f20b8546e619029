-- Estimates pi by throwing darts: random points and a reduction.   Arguments: [POINTS [SEED]]
local cuda = require "luacuda"

local n, seed = ...
n, seed = math.tointeger(tonumber(n) or 1 << 22), math.tointeger(tonumber(seed) or 1)

local hits = cuda.reduction("float32 x, float32 y", "int64 count", "x * x + y * y < 1", "a + b",
  "count = a", "0", "hits")

local random = cuda.random.generator(seed) -- the same points on every device
local x, y = random:uniform(n), random:uniform(n)
local count = hits(x, y):item()

local share = count / n
print(("pi is %.4f, give or take %.4f"):format(4 * share, 4 * math.sqrt(share * (1 - share) / n)))

return x, y, count

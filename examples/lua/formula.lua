-- One Lua function for numbers, for arrays, and inside a kernel.   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 10000)

-- It knows nothing of devices.
local function score(x, y, z)
  return 4 * z * (2 * x - 4 * y / 2 * math.pi)
end

local kernel = cuda.jit(function(out, x, y, z)
  for i in grid(#out) do out[i] = score(x[i], y[i], z[i]) end
end)
local of_arrays = cuda.vectorize(score) -- needs no kernel: shapes broadcast, the result is new

local rng = cuda.random.generator(4)
local x, y, z = rng:uniform(n, { dtype = "float64" }), rng:uniform(n, { dtype = "float64" }),
  rng:uniform(n, { dtype = "float64" })
local out = cuda.empty_like(x)
kernel({ threads = n }, out, x, y, z)

assert(out:allclose(of_arrays(x, y, z), { rtol = 1e-12 }))
assert(out:allclose(score(x, y, z), { rtol = 1e-12 })) -- operators of arrays, one by one
local last = score(x[n], y[n], z[n])
assert(math.abs(out[n] - last) <= 1e-12 * math.abs(last))
print(("score(1, 2, 3) = %.4f; of %d points on %s: %.4f on average"):format(score(1, 2, 3), n,
  out.device.name, out:mean()))

return out, x, y, z

-- Functions of arrays inside a kernel: there they take one element.   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 1000)

local waves = cuda.jit(function(y, x)
  for i in grid(#x) do
    y[i] = cuda.sin(x[i]) * cuda.exp2(-x[i]) + cuda.hypot(x[i], 1)
    if cuda.isnan(y[i]) then y[i] = 0 end
  end
end)

local x = cuda.linspace(-5, 5, n, "float32")
x[n] = 0 / 0
local y = cuda.empty_like(x)
waves({ threads = n }, y, x)

-- The same functions for whole arrays, and the same in plain Lua for one number.
local want = cuda.sin(x) * cuda.exp2(-x) + cuda.hypot(x, 1)
assert(y[n] == 0 and y:slice { 1, n - 1 }:allclose(want:slice { 1, n - 1 }, { rtol = 1e-5 }))
local first = math.sin(-5) * 2 ^ 5 + math.sqrt(26)
assert(math.abs(y[1] - first) < 1e-4)
print(y)

return x, y

-- Heat in a plate with a cold rim, in long steps: each solves a system of equations. A graph holds
-- one whole step. It repeats the iteration of its solver by itself, until the error is small.
--   Arguments: [SIZE [STEPS]]
local cuda = require "luacuda"

local n, steps = ...
n, steps = math.tointeger(tonumber(n) or 64), math.tointeger(tonumber(steps) or 5)
local RATE, TOLERANCE = 5.0, 1e-10

-- q = p - RATE * (the sum of the four neighbors of p - 4 p)
local apply = cuda.kernel [[
  __global__ void apply(double *q, const double *p, int n, double rate) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    const double *c = p + y * n + x;
    double around = (x > 0 ? c[-1] : 0) + (x < n - 1 ? c[1] : 0)
                  + (y > 0 ? c[-n] : 0) + (y < n - 1 ? c[n] : 0);
    q[y * n + x] = *c - rate * (around - 4 * *c);
  }
]]
local THREADS = { threads = { n, n } }

local dot = cuda.fuse(function(a, b) return (a * b):sum { axis = 1 } end)
local advance = cuda.fuse(function(x, a, rr, pq) return x + a * (rr / pq) end)
local retreat = cuda.fuse(function(x, a, rr, pq) return x - a * (rr / pq) end)

local function vector() return cuda.zeros(n * n, "float64") end
local function scalar(dtype) return cuda.zeros(1, dtype) end
local u, r, p, q = vector(), vector(), vector(), vector()
local rr, before, pq = scalar "float64", scalar "float64", scalar "float64"
local go, rounds = scalar "bool", scalar "int32"

-- Conjugate gradients: u becomes the solution of apply(u) = the old u.
local step <close> = cuda.graph(function(stream)
  apply(THREADS, q, u, n, RATE)
  u:subtract(q, { out = r })
  p:set(r)
  dot(r, r, { out = rr:slice(1) })
  rr:gt(TOLERANCE, { out = go })
  rounds:fill(0)
  stream:loop(go, function()
    apply(THREADS, q, p, n, RATE)
    dot(p, q, { out = pq:slice(1) })
    advance(u, p, rr, pq, { out = u })
    retreat(r, q, rr, pq, { out = r })
    before:set(rr)
    dot(r, r, { out = rr:slice(1) })
    advance(r, p, rr, before, { out = p })
    rr:gt(TOLERANCE, { out = go })
    rounds:add(1, { out = rounds })
  end)
end)

u:reshape { n, n }:slice({ n // 4 + 1, n // 2 }, { n // 4 + 1, n // 2 }):fill(100)
local counts = {}
for i = 1, steps do
  step:launch()
  counts[i] = rounds[1]
  print(("step %d: %d iterations, hottest point %.4f"):format(i, counts[i], u:max()))
end

return u:reshape { n, n }, RATE, steps, counts

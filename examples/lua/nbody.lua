-- Bodies that attract each other: one step in time, all pairs.   Arguments: [BODIES]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 1000)
local BLOCK, DT, SOFTENING = 128, 0.01, 0.0025

-- The pull of a body of mass m at the distance (dx, dy, dz), with three results. Kernels can call
-- ordinary functions; this one also runs in the check below.
local function pull(dx, dy, dz, m)
  local r2 = dx * dx + dy * dy + dz * dz + SOFTENING
  local f = m / (r2 * math.sqrt(r2))
  return f * dx, f * dy, f * dz
end

-- Rows are x, y, z, mass. Every thread moves one body; the block reads the others in groups of
-- BLOCK, so each body is fetched once for the whole block.
local step = cuda.jit(function(to, from, velocity)
  local tile = shared("float32", BLOCK, 4)
  local t = threadIdx.x + 1
  local i = blockIdx.x * BLOCK + t
  local me = from[math.min(i, n)] -- a row: threads past the end compute and write nothing
  local ax, ay, az = float32(0), float32(0), float32(0)
  for first = 0, n - 1, BLOCK do
    local other = math.min(first + t, n)
    for c = 1, 4 do tile[t][c] = from[other][c] end
    syncthreads()
    for j = 1, math.min(BLOCK, n - first) do
      local b = tile[j]
      local x, y, z = pull(b[1] - me[1], b[2] - me[2], b[3] - me[3], b[4])
      ax, ay, az = ax + x, ay + y, az + z
    end
    syncthreads()
  end
  if i > n then return end -- only here, since barriers wait for every thread of the block
  local v = velocity[i]
  v[1], v[2], v[3] = v[1] + ax * DT, v[2] + ay * DT, v[3] + az * DT
  for c = 1, 3 do to[i][c] = me[c] + v[c] * DT end
  to[i][4] = me[4]
end)

local bodies = {}
for i = 1, n do -- a flat spiral
  local angle, radius = i * 2.399963, math.sqrt(i / n)
  bodies[i] = { radius * math.cos(angle), radius * math.sin(angle), 0.1 * math.sin(3.0 * i), 1 / n }
end
local from = cuda.array(bodies, "float32")
local to, velocity = cuda.zeros_like(from), cuda.zeros_like(from)
step({ grid = (n + BLOCK - 1) // BLOCK, block = BLOCK }, to, from, velocity)

local me, sum = bodies[n], 0
for _, b in ipairs(bodies) do
  sum = sum + pull(b[1] - me[1], b[2] - me[2], b[3] - me[3], b[4])
end
assert(math.abs(velocity[n][1] - sum * DT) <= 1e-5 * (1 + math.abs(sum)))
print(("%d bodies on %s; the last one is at %s"):format(n, to.device.name, tostring(to[n])))

return from, to, velocity

-- nbody: the acceleration of bodies by all others, whose rows (x, y, z, mass) pass through shared
-- memory. The number of bodies is a multiple of the block.
local cuda = require "luacuda"

local BLOCK, SOFTENING = 128, 0.0025

local pair = { name = "nbody", gpu = 1 << 15, cpu = 512, tolerance = 1e-4 }

local function pull(dx, dy, dz, mass)
  local r2 = dx * dx + dy * dy + dz * dz + SOFTENING
  local f = mass / (r2 * math.sqrt(r2))
  return f * dx, f * dy, f * dz
end

function pair.lua(acceleration, bodies)
  local tile, t = shared("float32", BLOCK, 4), threadIdx.x + 1
  local i = blockIdx.x * BLOCK + t
  local me = bodies[i]
  local x, y, z = me[1], me[2], me[3]
  local ax, ay, az = float32(0), float32(0), float32(0)
  for first = 0, #bodies - 1, BLOCK do
    for c = 1, 4 do tile[t][c] = bodies[first + t][c] end
    syncthreads()
    for j = 1, BLOCK do
      local b = tile[j]
      local px, py, pz = pull(b[1] - x, b[2] - y, b[3] - z, b[4])
      ax, ay, az = ax + px, ay + py, az + pz
    end
    syncthreads()
  end
  local a = acceleration[i]
  a[1], a[2], a[3], a[4] = ax, ay, az, 0
end

pair.cuda = [==[
  const int BLOCK = 128;
  __device__ float3 pull(float dx, float dy, float dz, float mass) {
    float r2 = dx * dx + dy * dy + dz * dz + 0.0025f, f = mass / (r2 * sqrtf(r2));
    return make_float3(f * dx, f * dy, f * dz);
  }
  __global__ void nbody(float4 *__restrict__ acceleration, const float4 *__restrict__ bodies,
                        int n) {
    __shared__ float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float4 me = bodies[i];
    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < n; first += BLOCK) {
      tile[threadIdx.x] = bodies[first + threadIdx.x];
      __syncthreads();
      for (int j = 0; j < BLOCK; j++) {
        float4 b = tile[j];
        float3 p = pull(b.x - me.x, b.y - me.y, b.z - me.z, b.w);
        ax += p.x, ay += p.y, az += p.z;
      }
      __syncthreads();
    }
    acceleration[i] = make_float4(ax, ay, az, 0);
  }]==]

function pair.arrays(n)
  return { bodies = cuda.random.uniform { n, 4 }, out = cuda.zeros { n, 4 } }
end

function pair.launch(n) return { grid = n // BLOCK, block = BLOCK } end
function pair.for_lua(t) return t.out, t.bodies end
function pair.for_cuda(t, n) return t.out, t.bodies, n end

return pair

-- Bodies that attract each other: all pairs, with tiles of bodies in shared memory.
--   Arguments: [BODIES [STEPS]]
local cuda = require "luacuda"

local n, steps = ...
n, steps = math.tointeger(tonumber(n) or 1024), math.tointeger(tonumber(steps) or 10)
local BLOCK, DT, SOFTENING = 128, 0.01, 0.05

local source = cuda.template [==[
  // One step: positions are x, y, z, mass; velocities x, y, z, unused.
  __global__ void step(const float4 *from, float4 *to, float4 *velocity, int n, float dt) {
    __shared__ float4 tile[$(BLOCK)];
    int i = blockIdx.x * $(BLOCK) + threadIdx.x;
    float4 me = i < n ? from[i] : make_float4(0, 0, 0, 0);
    float3 pull = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += $(BLOCK)) {
      int j = first + threadIdx.x;
      tile[threadIdx.x] = j < n ? from[j] : make_float4(0, 0, 0, 0); // no mass, no pull
      __syncthreads();
      for (int k = 0; k < $(BLOCK); k++) {
        float3 d = make_float3(tile[k].x - me.x, tile[k].y - me.y, tile[k].z - me.z);
        float r = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z + $(SOFTENING^2)f);
        float f = tile[k].w * r * r * r;
        pull.x += f * d.x; pull.y += f * d.y; pull.z += f * d.z;
      }
      __syncthreads();
    }
    if (i >= n) return;
    float4 v = velocity[i];
    v.x += pull.x * dt; v.y += pull.y * dt; v.z += pull.z * dt;
    velocity[i] = v;
    to[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
  }]==]

local bodies = {} -- a flat spiral: every run starts with the same bodies
for i = 1, n do
  local angle, radius = i * 2.399963, math.sqrt(i / n)
  bodies[i] = { radius * math.cos(angle), radius * math.sin(angle), 0.1 * math.sin(3.0 * i), 1 / n }
end

local step = cuda.kernel(source { BLOCK = BLOCK, SOFTENING = SOFTENING })
local start = cuda.array(bodies, "float32")
local position, other, velocity = start:copy(), cuda.empty_like(start), cuda.zeros_like(start)
local launch = step:prepare { grid = (n + BLOCK - 1) // BLOCK, block = BLOCK }
for _ = 1, steps do
  launch(position, other, velocity, n, DT)
  position, other = other, position
end
local energy = 0
for _, v in ipairs(velocity:totable()) do
  energy = energy + (v[1] ^ 2 + v[2] ^ 2 + v[3] ^ 2) / (2 * n)
end
print(("%s: %d bodies, %d steps, kinetic energy %.6f"):format(start.device.name, n, steps, energy))

return start, position, velocity, { dt = DT, softening = SOFTENING, steps = steps }

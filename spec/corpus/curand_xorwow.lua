-- cuRAND's XORWOW in kernels: Marsaglia's recurrence from the state on, skips by an offset, and
-- sequences, which are 2^67 numbers apart: powers of the recurrence's matrix over GF(2).
local N = 8

-- The state after a number of steps: { d, v0, ..., v4 }.
local function step(s)
  local t = s[2] ~ s[2] >> 2
  local last = (s[6] ~ s[6] << 4) ~ (t ~ t << 1)
  return { s[1] + 362437 & 0xffffffff, s[3], s[4], s[5], s[6], last & 0xffffffff }
end

-- A matrix is the list of the images of the 160 unit vectors, each of five words.
local function apply(m, v)
  local a, b, c, d, e = 0, 0, 0, 0, 0
  for word = 1, 5 do
    local bits, at = v[word], 32 * word - 31
    while bits ~= 0 do
      if bits & 1 == 1 then
        local r = m[at]
        a, b, c, d, e = a ~ r[1], b ~ r[2], c ~ r[3], d ~ r[4], e ~ r[5]
      end
      bits, at = bits >> 1, at + 1
    end
  end
  return { a, b, c, d, e }
end

local function one_step()
  local m = {}
  for bit = 0, 159 do
    local s = { 0, 0, 0, 0, 0, 0 }
    s[bit // 32 + 2] = 1 << bit % 32
    m[bit + 1] = { table.unpack(step(s), 2) }
  end
  return m
end

local function squared(m)
  local r = {}
  for i = 1, 160 do r[i] = apply(m, m[i]) end
  return r
end

return {
  heavy = true,
  needs = "curand_kernel.h",
  source = [[
    #include <curand_kernel.h>
    __device__ void put(unsigned *out, const curandState &g) {
      out[0] = g.d;
      for (int i = 0; i < 5; i++) out[i + 1] = g.v[i];
    }
    __global__ void start(unsigned long long seed, unsigned long long offset, unsigned *states,
                          unsigned *numbers) {
      curandState g;
      curand_init(seed, threadIdx.x, offset, &g);
      put(states + 6 * threadIdx.x, g);
      for (int k = 0; k < 5; k++) numbers[5 * threadIdx.x + k] = curand(&g);
    }
    __global__ void moments(float *sums, int n) {
      curandState g;
      curand_init(7, blockIdx.x * blockDim.x + threadIdx.x, 0, &g);
      float uniform = 0, normal = 0, square = 0, poisson = 0;
      for (int i = 0; i < n; i++) {
        float u = curand_uniform(&g), z = curand_normal(&g);
        uniform += u;
        normal += z;
        square += z * z;
        poisson += curand_poisson(&g, 4.0);
      }
      atomicAdd(&sums[0], uniform);
      atomicAdd(&sums[1], normal);
      atomicAdd(&sums[2], square);
      atomicAdd(&sums[3], poisson);
    }]],
  run = function(kernels, t)
    local cuda = t.cuda
    local function start(seed, offset)
      local states, numbers = cuda.empty(6 * N, "uint32"), cuda.empty(5 * N, "uint32")
      kernels.start({ grid = 1, block = N }, seed, offset, states, numbers)
      return states:totable(), numbers:totable()
    end
    local states, numbers = start(0x1234567890, 0)
    local m = one_step()
    for _ = 1, 67 do m = squared(m) end
    local s = { table.unpack(states, 1, 6) }
    for i = 0, N - 1 do
      t.same(s, { table.unpack(states, 6 * i + 1, 6 * i + 6) }, "sequence " .. i)
      local now = s
      for k = 1, 5 do
        now = step(now)
        t.same(now[6] + now[1] & 0xffffffff, numbers[5 * i + k], "number")
      end
      s = { s[1], table.unpack(apply(m, { table.unpack(s, 2) })) }
    end
    local ahead, now = start(0x1234567890, 777), { table.unpack(states, 1, 6) }
    for _ = 1, 777 do now = step(now) end
    t.same(now, { table.unpack(ahead, 1, 6) }, "offset")
    local sums, threads, each = cuda.zeros(4), 128, 20
    kernels.moments({ grid = 2, block = threads // 2 }, sums, each)
    local mean = t.list(4, function(i) return sums[i] / (threads * each) end)
    for i, want in ipairs { 0.5, 0, 1, 4 } do
      assert(math.abs(mean[i] - want) < 0.12, "moment " .. i .. " is " .. mean[i])
    end
  end,
}

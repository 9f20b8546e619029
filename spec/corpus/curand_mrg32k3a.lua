-- cuRAND's MRG32k3a in kernels against L'Ecuyer's recurrences: seeds, offsets, and sequences, which
-- are 2^76 numbers apart, by powers of matrices.
local N = 6
local M1, M2 = 4294967087, 4294944443

local function multiply(a, b, m) return ((a * (b >> 16) % m << 16) + a * (b & 0xffff)) % m end

local function product(a, b, m)
  local c = {}
  for i = 1, 3 do
    c[i] = {}
    for j = 1, 3 do
      local s = 0
      for k = 1, 3 do s = s + multiply(a[i][k], b[k][j], m) end
      c[i][j] = s % m
    end
  end
  return c
end

local function apply(a, v, m)
  local r = {}
  for i = 1, 3 do
    local s = 0
    for k = 1, 3 do s = s + multiply(a[i][k], v[k], m) end
    r[i] = s % m
  end
  return r
end

local A1 = { { 0, 1, 0 }, { 0, 0, 1 }, { M1 - 810728, 1403580, 0 } }
local A2 = { { 0, 1, 0 }, { 0, 0, 1 }, { M2 - 1370589, 0, 527612 } }

return {
  heavy = true,
  needs = "curand_kernel.h",
  source = [[
    #include <curand_kernel.h>
    __global__ void start(unsigned long long seed, unsigned long long offset, unsigned *states,
                          unsigned *numbers, double *uniform) {
      curandStateMRG32k3a g;
      curand_init(seed, threadIdx.x, offset, &g);
      for (int k = 0; k < 3; k++) {
        states[6 * threadIdx.x + k] = g.s1[k];
        states[6 * threadIdx.x + 3 + k] = g.s2[k];
      }
      for (int k = 0; k < 4; k++) numbers[4 * threadIdx.x + k] = curand(&g);
      uniform[threadIdx.x] = curand_uniform_double(&g);
    }]],
  run = function(kernels, t)
    local cuda, offset = t.cuda, 12345
    local states, numbers = cuda.empty(6 * N, "uint32"), cuda.empty(4 * N, "uint32")
    local uniform = cuda.empty(N, "float64")
    kernels.start({ grid = 1, block = N }, 0, offset, states, numbers, uniform)
    states, numbers, uniform = states:totable(), numbers:totable(), uniform:totable()
    local s1, s2 = { 12345, 12345, 12345 }, { 12345, 12345, 12345 } -- the start for seed 0
    for _ = 1, offset do s1, s2 = apply(A1, s1, M1), apply(A2, s2, M2) end
    local j1, j2 = A1, A2
    for _ = 1, 76 do j1, j2 = product(j1, j1, M1), product(j2, j2, M2) end
    for i = 0, N - 1 do
      t.same({ s1[1], s1[2], s1[3], s2[1], s2[2], s2[3] },
        { table.unpack(states, 6 * i + 1, 6 * i + 6) }, "sequence " .. i)
      local a, b, z = s1, s2, nil
      for k = 1, 5 do
        a, b = apply(A1, a, M1), apply(A2, b, M2)
        z = (a[3] - b[3]) % M1
        if z == 0 then z = M1 end
        if k <= 4 then
          t.same(math.floor(z * 1.000000048662), numbers[4 * i + k], "number")
        end
      end
      t.close({ z / (M1 + 1) }, { uniform[i + 1] }, 1e-9, 1e-9, "uniform")
      s1, s2 = apply(j1, s1, M1), apply(j2, s2, M2)
    end
  end,
}

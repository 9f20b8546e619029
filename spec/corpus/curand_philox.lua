-- cuRAND's Philox 4x32-10 in kernels against the counter-based generator in Lua: sequences,
-- offsets, four at once, uniform and normal numbers.
local N = 48

local function philox(counter, key)
  local c, k = { table.unpack(counter) }, { key[1], key[2] }
  for _ = 1, 10 do
    local p, q = 0xd2511f53 * c[1], 0xcd9e8d57 * c[3]
    c = { (q >> 32) ~ c[2] ~ k[1], q & 0xffffffff, (p >> 32) ~ c[4] ~ k[2], p & 0xffffffff }
    k[1], k[2] = k[1] + 0x9e3779b9 & 0xffffffff, k[2] + 0xbb67ae85 & 0xffffffff
  end
  return c
end

-- The number at a position of a sequence.
local function number(seed, sequence, position)
  local block = position // 4
  return philox({ block & 0xffffffff, block >> 32, sequence & 0xffffffff, sequence >> 32 },
    { seed & 0xffffffff, seed >> 32 })[position % 4 + 1]
end

return {
  heavy = true,
  needs = "curand_kernel.h",
  source = [[
    #include <curand_kernel.h>
    typedef curandStatePhilox4_32_10_t generator;
    __global__ void numbers(unsigned long long seed, unsigned long long sequence,
                            unsigned long long offset, unsigned *out, uint4 *four, int n) {
      int i = threadIdx.x;
      generator g;
      curand_init(seed, sequence + i, offset, &g);
      for (int k = 0; k < n; k++) out[i * n + k] = curand(&g);
      curand_init(seed, sequence + i, offset, &g);
      four[i] = curand4(&g);
    }
    __global__ void floats(unsigned long long seed, float *uniform, float2 *normal,
                           double *doubles) {
      int i = threadIdx.x;
      generator g;
      curand_init(seed, i, 0, &g);
      uniform[i] = curand_uniform(&g);
      curand_init(seed, i, 0, &g);
      normal[i] = curand_normal2(&g);
      curand_init(seed, i, 0, &g);
      doubles[i] = curand_uniform_double(&g);
    }]],
  run = function(kernels, t)
    t.same({ 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 }, philox({ 0, 0, 0, 0 }, { 0, 0 }),
      "the oracle")
    local cuda, one = t.cuda, { grid = 1, block = N }
    local cases = { { 1234, 0, 0 }, { 0x123456789abcdef, 0xfffffff0, 4 * 0xffffffff + 3 } }
    for _, case in ipairs(cases) do
      local seed, sequence, offset = table.unpack(case)
      local out, four = cuda.empty(N * 7, "uint32"), cuda.empty(4 * N, "uint32")
      kernels.numbers(one, seed, sequence, offset, out, four, 7)
      t.same(t.list(N * 7, function(k)
        return number(seed, sequence + (k - 1) // 7, offset + (k - 1) % 7)
      end), out, "numbers")
      t.same(t.list(N * 4, function(k)
        return number(seed, sequence + (k - 1) // 4, offset + (k - 1) % 4)
      end), four, "four")
    end
    local uniform, normal, doubles = cuda.empty(N), cuda.empty(2 * N), cuda.empty(N, "float64")
    kernels.floats(one, 99, uniform, normal, doubles)
    local want_uniform, want_normal = {}, {}
    for i = 0, N - 1 do
      local a, b = number(99, i, 0) + 0.5, number(99, i, 1) + 0.5
      want_uniform[i + 1] = a / 2 ^ 32
      local radius, angle = math.sqrt(-2 * math.log(a / 2 ^ 32)), 2 * math.pi * b / 2 ^ 32
      want_normal[2 * i + 1], want_normal[2 * i + 2] = radius * math.sin(angle),
        radius * math.cos(angle)
    end
    t.close(want_uniform, uniform, 1e-7, 1e-6, "uniform")
    t.close(want_normal, normal, 2e-5, 1e-3, "normal")
    local function double(i) return (number(99, i - 1, 0) + 1) / 2 ^ 32 end
    t.same(t.list(N, double), doubles, "doubles")
  end,
}

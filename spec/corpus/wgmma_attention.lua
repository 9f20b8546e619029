-- The forward pass of attention: a warp group brings q, k and v, two multiply and keep the running
-- maximum and sum of each row. They take turns at the tensor cores, by two named barriers.
local hopper = require "spec.support.hopper"

local SOURCE = [[
#include "hopper.h"
enum {
  ROWS = 128, BOX = 128,                // rows of q in a block; bytes of a row of a box
  Q_BYTES = ROWS * D * 2, BYTES = BN * D * 2,  // of a tile of k, or of v
  BOXES = D / 64, STAGES = 2
};
INLINE float exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
// Over the four threads that share a row.
INLINE float row_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
  return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
INLINE float row_sum(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}
INLINE void load_boxes(byte *to, const Map *map, int row, int rows, u64 *bar) {
  expect(bar, rows * D * 2);
  for (int i = 0; i < BOXES; i++) load(to + i * rows * BOX, map, i * 64, row, bar);
}
struct Rows { float most, sum; };
// Makes weights of the products of one row, those of i % 4 / 2 == which, and returns the factor of
// what was summed before.
INLINE float weigh(float (&p)[BN / 2], int which, Rows &r, float scale) {
  float most = r.most;
#pragma unroll
  for (int i = 0; i < BN / 8; i++)
    most = fmaxf(most, fmaxf(p[4 * i + 2 * which], p[4 * i + 2 * which + 1]));
  most = row_max(most);
  float factor = exp2((r.most - most) * scale), sum = 0;
#pragma unroll
  for (int i = 0; i < BN / 4; i++) {
    float &v = p[i / 2 * 4 + 2 * which + i % 2];
    v = exp2((v - most) * scale);
    sum += v;
  }
  r = { most, r.sum * factor + sum };
  return factor;
}
extern "C" __global__ void __launch_bounds__(384, 1)
attention(const __grid_constant__ Map q, const __grid_constant__ Map k,
          const __grid_constant__ Map v, void *out, int n, float scale) {
  extern __shared__ __align__(1024) byte s[];
  __shared__ u64 q_full, k_full[STAGES], v_full[STAGES], k_empty[STAGES], v_empty[STAGES];
  byte *keys = s + Q_BYTES, *values = keys + STAGES * BYTES;
  int steps = n / BN, first = blockIdx.y * n, row = first + blockIdx.x * ROWS;
  if (threadIdx.x == 0) {
    init(&q_full, 1);
    for (int i = 0; i < STAGES; i++) {
      init(k_full + i, 1);
      init(v_full + i, 1);
      init(k_empty + i, 2);
      init(v_empty + i, 2);
    }
    init_fence();
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    few_registers();
    if (threadIdx.x == 0) {
      load_boxes(s, &q, row, ROWS, &q_full);
      for (int step = 0; step < steps; step++) {
        int i = step % STAGES, round = step / STAGES & 1;
        wait(k_empty + i, round ^ 1);
        load_boxes(keys + i * BYTES, &k, first + step * BN, BN, k_full + i);
        wait(v_empty + i, round ^ 1);
        load_boxes(values + i * BYTES, &v, first + step * BN, BN, v_full + i);
      }
    }
  } else {
    many_registers();
    int group = threadIdx.x / 128 - 1;
    bool leader = threadIdx.x % 128 == 0;
    float o[D / 2] = {};
    Rows upper = { -1e30f, 0 }, lower = upper;
    if (group == 1) pass(1, 256);  // the first turn is that of group 0
    wait(&q_full, 0);
    for (int step = 0; step < steps; step++) {
      int i = step % STAGES, round = step / STAGES & 1;
      float p[BN / 2];
      wait(k_full + i, round);
      sync(1 + group, 256);
      mma_fence();
#pragma unroll
      for (int j = 0; j < D / 16; j++)
        Mma<BN>::f16(p, rows(s + j / 4 * ROWS * BOX + group * 8192) + 2 * (j % 4),
                     rows(keys + i * BYTES + j / 4 * BN * BOX) + 2 * (j % 4), j);
      mma_commit();
      if (group == 0 || step + 1 < steps) pass(2 - group, 256);
      mma_wait<0>();
      pin(p);
      if (leader) arrive(k_empty + i);
      float up = weigh(p, 0, upper, scale), low = weigh(p, 1, lower, scale);
      u32 w[BN / 4];
#pragma unroll
      for (int j = 0; j < BN / 4; j++) w[j] = halves(p[2 * j], p[2 * j + 1]);
#pragma unroll
      for (int j = 0; j < D / 2; j++) o[j] *= j % 4 < 2 ? up : low;
      wait(v_full + i, round);
      pin(w);
      pin(o);
      mma_fence();
#pragma unroll
      for (int j = 0; j < BN / 16; j++)
        Mma<D>::f16_regs<1>(o, w[4 * j], w[4 * j + 1], w[4 * j + 2], w[4 * j + 3],
                            matrix(at(values + i * BYTES) + j * 2048, 128, 1024, BN * BOX));
      mma_commit();
      mma_wait<0>();
      pin(o);
      if (leader) arrive(v_empty + i);
    }
    float a = 1 / row_sum(upper.sum), b = 1 / row_sum(lower.sum);
#pragma unroll
    for (int j = 0; j < D / 2; j++) o[j] *= j % 4 < 2 ? a : b;
    write_sums(out, D, row + group * 64, 0, o);
  }
}]]

local SMALL, LARGE = { D = 64, BN = 64 }, { D = 128, BN = 128 }
local function options(config) return hopper.options(config, { 64, 128 }) end

-- q, k, v: {heads * n, d}
local function launcher(kernels, cuda, config, q, k, v, heads, n)
  local d, bn = config.D, config.BN
  local out = cuda.zeros({ heads * n, d }, "float16")
  local function map(a, rows)
    return cuda.tensor_map(a, { box = { rows, 64 }, swizzle = 128 })
  end
  local launch = { grid = { n // 128, heads }, block = 384, shared = (256 + 8 * bn) * d }
  return out, function()
    kernels.attention(launch, map(q, 128), map(k, bn), map(v, bn), out, n,
      d ^ -0.5 * 1.44269504)
  end
end

-- The rows first + 1 to first + n of the result, in plain Lua.
local function attend(to, q, k, v, first, n, d)
  for i = first + 1, first + n do
    local scores, most, total, row = {}, -math.huge, 0, {}
    for j = 1, n do
      local a, b, sum = q[i], k[first + j], 0
      for x = 1, d do sum = sum + a[x] * b[x] end
      scores[j] = sum * d ^ -0.5
      most = math.max(most, scores[j])
    end
    for x = 1, d do row[x] = 0 end
    for j = 1, n do
      local w, from = math.exp(scores[j] - most), v[first + j]
      total = total + w
      for x = 1, d do row[x] = row[x] + w * from[x] end
    end
    for x = 1, d do row[x] = row[x] / total end
    to[i] = row
  end
end

return {
  arch = 90,
  exactly = true,
  source = SOURCE,
  options = options(SMALL),
  large = options(LARGE),
  run = function(kernels, t)
    local d = SMALL.D
    for _, size in ipairs { { 1, 128 }, { 2, 256 } } do
      local heads, n = size[1], size[2]
      local function matrix()
        local rows = t.list(heads * n, function()
          return t.list(d, function() return (t.random(65) - 32) / 16 end)
        end)
        return rows, t.cuda.array(rows, "float16")
      end
      local vq, q = matrix()
      local vk, k = matrix()
      local vv, v = matrix()
      local out, launch = launcher(kernels, t.cuda, SMALL, q, k, v, heads, n)
      hopper.run({ out = out, launch = launch, want = function()
        local want = {}
        for head = 0, heads - 1 do attend(want, vq, vk, vv, head * n, n, d) end
        return want
      end }, function(want, got) t.close(want, got, 2e-3) end)
    end
  end,
  -- As in spec/support/products.lua; size: heads and n. The vendor's two products have the sizes of
  -- one head's.
  measure = function(kernels, cuda, config, size)
    local heads, n = size[1], size[2]
    config = config == "small" and SMALL or LARGE
    local function matrix()
      return cuda.random.normal({ heads * n, config.D }):astype "float16"
    end
    local q, k, v = matrix(), matrix(), matrix()
    local out, launch = launcher(kernels, cuda, config, q, k, v, heads, n)
    local q1, k1, v1 = q:slice { 1, n }, k:slice { 1, n }:transpose(), v:slice { 1, n }
    local scores = cuda.empty({ n, n }, "float16")
    local right = cuda.empty({ n, config.D }, "float16")
    return { launch = launch, out = out:slice { 1, n }, operations = 4 * heads * n * n * config.D,
      vendor = function()
        cuda.matmul(q1, k1, { out = scores })
        cuda.matmul(scores, v1, { out = right })
      end,
      vendor_operations = 4 * n * n * config.D,
      right = function()
        local p = q1:astype "float32":matmul(k1:astype "float32") * config.D ^ -0.5
        return cuda.softmax(p, { axis = 2 }):matmul(v1:astype "float32")
      end }
  end,
}

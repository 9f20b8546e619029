-- Atomics on vectors in global memory, which devices have from compute capability 9.0 on: atomicAdd
-- of float2 and float4, and sums, minima and maxima of vectors of halves.
return {
  arch = 90,
  source = [[
    __global__ void sums(float2 *pairs, float4 *fours, float2 *old) {
      int i = threadIdx.x;
      old[i] = atomicAdd(&pairs[i % 4], make_float2(1, i));
      atomicAdd(&fours[i % 3], make_float4(i, 1, 2, -i));
    }
    __global__ void exchanged(float *y) {
      float a = threadIdx.x, b = 100;
      float *p = y + 2 * threadIdx.x;
      asm volatile("atom.global.add.v2.f32 {%0, %1}, [%2], {%1, %0};"
        : "+f"(a), "+f"(b) : "l"(p) : "memory");
      asm volatile("{ .reg .f32 q;"
        " atom.relaxed.gpu.global.add.v2.f32 {_, q}, [%0], {%1, 0f40000000}; }"
        :: "l"(p), "f"(a * 8 + b) : "memory");
    }
    __global__ void halves(unsigned short *y, unsigned *z) {
      unsigned short one = 0x3c00, two = 0x4000, less = 0xc400;
      asm volatile("red.global.max.noftz.v4.f16 [%0], {%1, %2, %3, %1};"
        :: "l"(y), "h"(one), "h"(two), "h"(less) : "memory");
      asm volatile("red.global.add.noftz.v2.f16 [%0], {%1, %2};"
        :: "l"(y + 4), "h"(two), "h"(two) : "memory");
      asm volatile("{ .reg .b32 p, q; atom.global.min.noftz.v2.bf16x2 {p, q}, [%0], {%1, %2};"
        " st.global.v2.b32 [%0 + 8], {q, p}; }"
        :: "l"(z), "r"(0x3f80bf80), "r"(0x40004000) : "memory");
    }]],
  run = function(kernels, t)
    local pairs_, fours = t.cuda.zeros(8, "float32"), t.cuda.zeros(12, "float32")
    local old = t.cuda.empty(128, "float32")
    kernels.sums({ grid = 1, block = 64 }, pairs_, fours, old)
    local want, sums = { 0, 0, 0, 0, 0, 0, 0, 0 }, {}
    for k = 1, 12 do sums[k] = 0 end
    for i = 0, 63 do
      local p, f = i % 4 * 2, i % 3 * 4
      want[p + 1], want[p + 2] = want[p + 1] + 1, want[p + 2] + i
      for k, v in ipairs { i, 1, 2, -i } do sums[f + k] = sums[f + k] + v end
    end
    t.same(want, pairs_, "float2")
    t.same(sums, fours, "float4")
    local seen, list = {}, old:totable() -- every count from 0 to 15 once in each pair
    for i = 0, 63 do seen[i % 4 * 16 + list[2 * i + 1]] = true end
    for k = 0, 63 do t.same(true, seen[k], "old value " .. k) end

    local y = t.cuda.array(t.list(128, function(k) return k end), "float32")
    kernels.exchanged({ grid = 1, block = 64 }, y)
    t.same(t.list(128, function(k)
      local i, even = (k - 1) // 2, (k - 1) % 2 == 0
      local first, second = 2 * i + 1, 2 * i + 2
      return even and first + 100 + (first * 8 + second) or second + i + 2
    end), y, "exchanged")

    local h = t.cuda.array({ 0, 0x4200, 0, 0xbc00, 0x3c00, 0x4000, 0, 0 }, "uint16")
    local z = t.cuda.array({ 0x3f00bf81, 0x00004040, 0, 0 }, "uint32")
    kernels.halves({ grid = 1, block = 1 }, h, z)
    t.same({ 0x3c00, 0x4200, 0, 0x3c00, 0x4200, 0x4400, 0, 0 }, h, "halves")
    t.same({ 0x3f00bf81, 0x00004000, 0x00004040, 0x3f00bf81 }, z, "pairs of halves")
  end,
}

-- mma.sync in PTX: m16n8k16 of halves with ldmatrix, and m16n8k32 of bytes with exact integer sums.
return {
  arch = 80,
  source = [[
    #include <cuda_fp16.h>
    __device__ unsigned address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
    __global__ void halves(const half *a, const half *b, float *c) { // a 16 x 16, b 16 x 8
      __shared__ __align__(16) half sa[16][24], sb[16][16];
      int lane = threadIdx.x;
      for (int i = lane; i < 256; i += 32) sa[i / 16][i % 16] = a[i];
      for (int i = lane; i < 128; i += 32) sb[i / 8][i % 8] = b[i];
      __syncwarp();
      unsigned fa[4], fb[2];
      float d[4] = { 0, 0, 0, 0 };
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
        : "r"(address(&sa[lane % 16][lane / 16 * 8])) : "memory");
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
        : "=r"(fb[0]), "=r"(fb[1]) : "r"(address(&sb[lane % 16][0])) : "memory");
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
      int row = lane / 4, column = lane % 4 * 2;
      c[row * 8 + column] = d[0];
      c[row * 8 + column + 1] = d[1];
      c[(row + 8) * 8 + column] = d[2];
      c[(row + 8) * 8 + column + 1] = d[3];
    }
    __global__ void bytes(const int *a, const int *b, int *c) { // a 16 x 32, b as 8 columns of 32
      int lane = threadIdx.x, row = lane / 4, part = lane % 4, d[4] = { 1, 1, 1, 1 };
      int fa[4] = { a[row * 8 + part], a[(row + 8) * 8 + part], a[row * 8 + part + 4],
                    a[(row + 8) * 8 + part + 4] };
      int fb[2] = { b[row * 8 + part], b[row * 8 + part + 4] };
      asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
      for (int k = 0; k < 4; k++) c[(row + k / 2 * 8) * 8 + part * 2 + k % 2] = d[k];
    }]],
  run = function(kernels, t)
    local cuda = t.cuda
    local function numbers(n) return t.list(n, function() return (t.random(65) - 32) / 8 end) end
    local a, b, c = numbers(256), numbers(128), cuda.empty(128)
    kernels.halves({ grid = 1, block = 32 }, cuda.array(a, "float16"), cuda.array(b, "float16"), c)
    t.same(t.list(128, function(i)
      local row, column, sum = (i - 1) // 8, (i - 1) % 8, 0
      for k = 0, 15 do sum = sum + a[row * 16 + k + 1] * b[k * 8 + column + 1] end
      return sum
    end), c, "halves")
    local function bytes(n) return t.list(n, function() return t.random(256) - 128 end) end
    local p, q, r = bytes(512), bytes(256), cuda.empty(128, "int32")
    kernels.bytes({ grid = 1, block = 32 }, cuda.array(p, "int8"):view "int32",
      cuda.array(q, "int8"):view "int32", r)
    t.same(t.list(128, function(i)
      local row, column, sum = (i - 1) // 8, (i - 1) % 8, 1
      for k = 0, 31 do sum = sum + p[row * 32 + k + 1] * q[column * 32 + k + 1] end
      return sum
    end), r, "bytes")
  end,
}

-- Within warps, without shared memory: a bitonic sort by shuffles, a transposition of an 8 by 8
-- block of bits and of 32 by 32 words, the four largest of many, matches and reductions.
local N = 128

return {
  arch = 80,
  source = [[
    __device__ unsigned sorted(unsigned v) {
      int lane = threadIdx.x % 32;
      for (int size = 2; size <= 32; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
          unsigned other = __shfl_xor_sync(~0u, v, stride);
          bool up = (lane & size) == 0, low = (lane & stride) == 0;
          v = (up == low) == (v < other) ? v : other;
        }
      return v;
    }
    __global__ void sort(unsigned *x) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      x[i] = sorted(x[i]);
    }
    __global__ void transpose_bits(unsigned *x) { // 32 words of 32 bits
      int lane = threadIdx.x;
      unsigned v = x[lane], mask = 0x0000ffff;
      for (int d = 16; d > 0; d /= 2, mask ^= mask << d) {
        unsigned other = __shfl_xor_sync(~0u, v, d);
        v = lane & d ? (v & ~mask) | (other >> d & mask) : (v & mask) | (other << d & ~mask);
      }
      x[lane] = v;
    }
    __global__ void largest(const unsigned *x, int n, unsigned *out) {
      int lane = threadIdx.x;
      unsigned best[4] = { 0, 0, 0, 0 };
      for (int i = lane; i < n; i += 32) {
        unsigned v = x[i];
        #pragma unroll
        for (int k = 0; k < 4; k++)
          if (v > best[k]) { unsigned t = best[k]; best[k] = v; v = t; }
      }
      for (int k = 0; k < 4; k++) {
        unsigned top = __reduce_max_sync(~0u, best[0]);
        unsigned who = __ballot_sync(~0u, best[0] == top);
        if (lane == __ffs(who) - 1) {
          out[k] = top;
          best[0] = best[1];
          best[1] = best[2];
          best[2] = best[3];
          best[3] = 0;
        }
      }
    }
    __global__ void groups(const unsigned *x, unsigned *masks, unsigned *sums, int *all) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      unsigned v = x[i] % 6, same = __match_any_sync(~0u, v);
      masks[i] = same;
      sums[i] = __reduce_add_sync(same, x[i] % 1000) ^ __reduce_xor_sync(same, x[i]);
      int agreed;
      unsigned whole = __match_all_sync(~0u, x[i] >> 31, &agreed);
      if (i % 32 == 0) all[i / 32] = agreed * 2 + (whole == ~0u);
    }]],
  run = function(kernels, t)
    local cuda, x = t.cuda, t.integers(N, 1 << 31)
    for i = 33, 64 do x[i] = x[i] | 1 << 31 end
    x[70] = x[70] | 1 << 31
    local function u32(list) return cuda.array(list, "uint32") end
    local a, want = u32(x), {}
    kernels.sort({ grid = 2, block = N // 2 }, a)
    for w = 0, N // 32 - 1 do
      local part = table.move(x, 32 * w + 1, 32 * w + 32, 1, {})
      table.sort(part)
      table.move(part, 1, 32, #want + 1, want)
    end
    t.same(want, a, "sort")
    a = u32(table.move(x, 1, 32, 1, {}))
    kernels.transpose_bits({ grid = 1, block = 32 }, a)
    t.same(t.list(32, function(i)
      local v = 0
      for k = 0, 31 do v = v | (x[k + 1] >> (i - 1) & 1) << k end
      return v
    end), a, "bits")
    local top, order = cuda.empty(4, "uint32"), table.move(x, 1, N, 1, {})
    kernels.largest({ grid = 1, block = 32 }, u32(x), N, top)
    table.sort(order, function(p, q) return p > q end)
    t.same({ table.unpack(order, 1, 4) }, top, "largest")
    local masks, sums, all = cuda.empty(N, "uint32"), cuda.empty(N, "uint32"),
      cuda.empty(N // 32, "int32")
    kernels.groups({ grid = 2, block = N // 2 }, u32(x), masks, sums, all)
    local want_masks, want_sums = {}, {}
    for i = 0, N - 1 do
      local mask, sum, xor = 0, 0, 0
      for k = 0, 31 do
        local v = x[i // 32 * 32 + k + 1]
        if v % 6 == x[i + 1] % 6 then
          mask, sum, xor = mask | 1 << k, sum + v % 1000, xor ~ v
        end
      end
      want_masks[i + 1], want_sums[i + 1] = mask, sum ~ xor
    end
    t.same(want_masks, masks, "masks")
    t.same(want_sums, sums, "sums")
    t.same({ 3, 3, 0, 3 }, all, "all")
  end,
}

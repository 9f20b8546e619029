-- Atomics of all kinds on shared and global memory: 16 to 64 bits, floats by compare-exchange,
-- wrapping counters, results of the operations; combined within a warp first.
local N = 512

return {
  source = [[
    typedef unsigned long long ull;
    __device__ float most(float *to, float v) {
      int *at = (int *)to, old = *(volatile int *)at, seen;
      do {
        seen = old;
        if (__int_as_float(seen) >= v) break;
        old = atomicCAS(at, seen, __float_as_int(v));
      } while (old != seen);
      return __int_as_float(old);
    }
    __device__ void times(unsigned short *to, unsigned short v) {
      unsigned short old = *(volatile unsigned short *)to, seen;
      do {
        seen = old;
        old = atomicCAS(to, seen, (unsigned short)(seen * v));
      } while (old != seen);
    }
    struct sums { ull add, most, least, bits; int inc, dec, least_signed, swaps; float top; };
    __global__ void all(const int *x, sums *out, unsigned short *product, int *tickets) {
      __shared__ sums s;
      __shared__ unsigned short p;
      if (threadIdx.x == 0) {
        s = { 0, 0, ~0ull, 0, 0, 0, 0x7fffffff, 0, -1e30f };
        p = 1;
      }
      __syncthreads();
      int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i];
      atomicAdd(&s.add, (ull)v << 20);
      atomicMax(&s.most, (ull)v << 33 | i);
      atomicMin(&s.least, (ull)v << 33 | i);
      atomicXor(&s.bits, 1ull << (v & 63));
      atomicInc((unsigned *)&s.inc, 9);
      atomicDec((unsigned *)&s.dec, 12);
      atomicMin(&s.least_signed, v - 500);
      most(&s.top, v * 0.25f);
      if (v % 3 == 0) times(&p, 2 * (v % 8) + 1);
      tickets[i] = atomicAdd(&s.swaps, 1);
      __syncthreads();
      if (threadIdx.x == 0) {
        out[blockIdx.x] = s;
        product[blockIdx.x] = p;
      }
    }
    __global__ void combined(const int *x, int *sum) {
      int key = x[threadIdx.x] % 4;
      unsigned same = __match_any_sync(~0u, key);
      if (threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(&sum[key], __popc(same));
    }]],
  run = function(kernels, t)
    local x, blocks = t.integers(N, 1000), 4
    local size = N // blocks
    local a, tickets = t.cuda.array(x, "int32"), t.cuda.empty(N, "int32")
    local out, product = t.cuda.empty(blocks * 56, "uint8"), t.cuda.empty(blocks, "uint16")
    kernels.all({ grid = blocks, block = size }, a, t.cuda.ptr(out.pointer), product, tickets)
    t.cuda.synchronize() -- a launch does not track arrays reached through pointers
    local bytes, place = out:tobytes(), tickets:totable()
    for b = 0, blocks - 1 do
      local add, top, least, bits, small, p, seen = 0, 0, math.maxinteger, 0, 1 << 31, 1, {}
      local largest = 0
      for i = b * size, b * size + size - 1 do
        local v = x[i + 1]
        add, top, least = add + (v << 20), math.max(top, v << 33 | i), math.min(least, v << 33 | i)
        bits, small, largest = bits ~ 1 << (v & 63), math.min(small, v - 500), math.max(largest, v)
        if v % 3 == 0 then p = p * (2 * (v % 8) + 1) & 0xffff end
        assert(not seen[place[i + 1]] and place[i + 1] < size, "a ticket twice")
        seen[place[i + 1]] = true
      end
      local dec = 0
      for _ = 1, size do dec = (dec == 0 or dec > 12) and 12 or dec - 1 end
      t.same({ add, top, least, bits, size % 10, dec, small, size, largest / 4 },
        { table.unpack({ ("<i8i8i8i8i4i4i4i4f"):unpack(bytes, 56 * b + 1) }, 1, 9) }, "block " .. b)
      t.same(p, product[b + 1], "product")
    end
    local sum, want = t.cuda.zeros(4, "int32"), { 0, 0, 0, 0 }
    for i = 1, 128 do want[x[i] % 4 + 1] = want[x[i] % 4 + 1] + 1 end
    kernels.combined({ grid = 1, block = 128 }, a, sum)
    t.same(want, sum, "combined")
  end,
}

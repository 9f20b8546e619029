-- Radix sort of signed numbers, four bits a pass: warps rank their keys with match.any or ballots,
-- blocks count, one block scans the counts.
local N, BLOCK = 5000, 256

return {
  source = [[
    #define BLOCK 256
    #define WARPS (BLOCK / 32)
    __device__ unsigned digit(int key, int shift) {
      return ((unsigned)key ^ 0x80000000u) >> shift & 15;
    }
    __device__ unsigned peers_of(unsigned d, bool valid) {
      unsigned peers = __ballot_sync(~0u, valid);
      for (int bit = 0; bit < 4; bit++) {
        unsigned vote = __ballot_sync(~0u, d >> bit & 1);
        peers &= d >> bit & 1 ? vote : ~vote;
      }
      return peers;
    }
    __global__ void count(const int *keys, int n, int shift, unsigned *counts) {
      __shared__ unsigned sum[16];
      if (threadIdx.x < 16) sum[threadIdx.x] = 0;
      __syncthreads();
      int i = blockIdx.x * BLOCK + threadIdx.x;
      if (i < n) atomicAdd(&sum[digit(keys[i], shift)], 1);
      __syncthreads();
      if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = sum[threadIdx.x];
    }
    __global__ void scan(unsigned *counts, int n) {
      __shared__ unsigned s[512];
      int i = threadIdx.x;
      unsigned own = i < n ? counts[i] : 0;
      s[i] = own;
      for (int d = 1; d < 512; d *= 2) {
        __syncthreads();
        unsigned v = i >= d ? s[i - d] : 0;
        __syncthreads();
        s[i] += v;
      }
      if (i < n) counts[i] = s[i] - own;
    }
    __global__ void scatter(const int *in, int *out, int n, int shift, const unsigned *starts) {
      __shared__ unsigned per_warp[WARPS][16];
      int i = blockIdx.x * BLOCK + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
      if (threadIdx.x < WARPS * 16) per_warp[threadIdx.x / 16][threadIdx.x % 16] = 0;
      __syncthreads();
      bool valid = i < n;
      int key = valid ? in[i] : 0;
      unsigned d = digit(key, shift), peers = peers_of(d, valid);
      unsigned before = __popc(peers & ((1u << lane) - 1));
      if (valid && before == 0) per_warp[warp][d] = __popc(peers);
      __syncthreads();
      if (!valid) return;
      unsigned at = starts[d * gridDim.x + blockIdx.x] + before;
      for (int w = 0; w < warp; w++) at += per_warp[w][d];
      out[at] = key;
    }]],
  run = function(kernels, t)
    local keys = t.list(N, function() return t.random(1 << 32) - (1 << 31) end)
    local a, b = t.cuda.array(keys, "int32"), t.cuda.empty(N, "int32")
    local blocks = (N + BLOCK - 1) // BLOCK
    local counts = t.cuda.zeros(16 * blocks, "uint32")
    for shift = 0, 28, 4 do
      kernels.count({ grid = blocks, block = BLOCK }, a, N, shift, counts)
      kernels.scan({ grid = 1, block = 512 }, counts, 16 * blocks)
      kernels.scatter({ grid = blocks, block = BLOCK }, a, b, N, shift, counts)
      a, b = b, a
    end
    table.sort(keys)
    t.same(keys, a)
  end,
}

-- Clusters: a histogram whose bins are spread over the shared memory of four blocks, and a sum that
-- travels around the ring of blocks.
local N, BINS = 4000, 128

return {
  arch = 90,
  heavy = true,
  source = [[
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __global__ void __cluster_dims__(4, 1, 1) histogram(const unsigned char *x, int n,
                                                       unsigned *bins) {
      __shared__ unsigned own[32];
      cg::cluster_group cluster = cg::this_cluster();
      if (threadIdx.x < 32) own[threadIdx.x] = 0;
      cluster.sync();
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(cluster.map_shared_rank(own, x[i] / 32) + x[i] % 32, 1);
      cluster.sync();
      if (threadIdx.x < 32)
        atomicAdd(&bins[cluster.block_rank() * 32 + threadIdx.x], own[threadIdx.x]);
    }
    __global__ void __cluster_dims__(4, 1, 1) ring(int *out) {
      __shared__ int inbox[32];
      cg::cluster_group cluster = cg::this_cluster();
      unsigned rank = cluster.block_rank(), size = cluster.num_blocks();
      int own = blockIdx.x * 100 + threadIdx.x, sum = own, pass = own;
      cluster.sync();
      for (int step = 1; step < size; step++) {
        cluster.map_shared_rank(inbox, (rank + 1) % size)[threadIdx.x] = pass;
        cluster.sync();
        pass = inbox[threadIdx.x];
        sum += pass;
        cluster.sync();
      }
      out[blockIdx.x * 32 + threadIdx.x] = sum;
    }]],
  run = function(kernels, t)
    local x, want = t.integers(N, BINS), t.list(BINS, function() return 0 end)
    for _, v in ipairs(x) do want[v + 1] = want[v + 1] + 1 end
    local bins, out = t.cuda.zeros(BINS, "uint32"), t.cuda.empty(256, "int32")
    kernels.histogram({ grid = 8, block = 64 }, t.cuda.array(x, "uint8"), N, bins)
    t.same(want, bins, "histogram")
    kernels.ring({ grid = 8, block = 32 }, out)
    t.same(t.list(256, function(i)
      local first = (i - 1) // 128 * 4
      return 100 * (4 * first + 6) + 4 * ((i - 1) % 32)
    end), out, "ring")
  end,
}

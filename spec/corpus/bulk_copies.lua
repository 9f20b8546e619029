-- Bulk copies with libcu++: a barrier that counts bytes, tiles in, results out, one thread starts
-- the copies.
local N = 1024

return {
  arch = 90,
  heavy = true,
  needs = "cuda/barrier",
  source = [[
    #include <cuda/barrier>
    #include <cuda/ptx>
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    namespace ptx = cuda::ptx;
    #pragma nv_diag_suppress static_var_with_dynamic_init
    __global__ void scale(const int *x, int *y, int tiles) {
      __shared__ alignas(128) int tile[2][128];
      __shared__ alignas(128) int result[128];
      __shared__ barrier full[2];
      if (threadIdx.x == 0) {
        init(&full[0], blockDim.x);
        init(&full[1], blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared);
      }
      __syncthreads();
      auto start = [&](int k) {
        barrier &b = full[k % 2];
        if (threadIdx.x == 0) {
          cuda::device::memcpy_async_tx(tile[k % 2], x + 128 * k,
                                        cuda::aligned_size_t<16>(sizeof tile[0]), b);
          return cuda::device::barrier_arrive_tx(b, 1, sizeof tile[0]);
        }
        return b.arrive();
      };
      int i = threadIdx.x;
      barrier::arrival_token token = start(0);
      for (int k = 0; k < tiles; k++) {
        full[k % 2].wait(cuda::std::move(token));
        if (k + 1 < tiles) token = start(k + 1);
        if (i == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        __syncthreads();
        result[i] = tile[k % 2][127 - i] * 3 + k;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (i == 0) {
          ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, y + 128 * k, result,
                             sizeof result);
          ptx::cp_async_bulk_commit_group();
        }
      }
      if (i == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }]],
  run = function(kernels, t)
    local x, y = t.integers(N, 1000), t.cuda.empty(N, "int32")
    kernels.scale({ grid = 1, block = 128 }, t.cuda.array(x, "int32"), y, N // 128)
    t.same(t.list(N, function(i)
      local tile, at = (i - 1) // 128, (i - 1) % 128
      return x[tile * 128 + 128 - at] * 3 + tile
    end), y)
  end,
}

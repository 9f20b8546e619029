-- cuda::pipeline: copies of later tiles run while a tile is summed, for a thread and for a block.
local N, STAGES = 2048, 3

return {
  heavy = true,
  arch = 80,
  needs = "cuda/pipeline",
  source = [[
    #include <cuda/pipeline>
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    #define STAGES 3
    #pragma nv_diag_suppress static_var_with_dynamic_init
    __global__ void by_block(const int *x, int *y, int tiles) {
      __shared__ int s[STAGES][128];
      __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
      auto block = cg::this_thread_block();
      auto pipe = cuda::make_pipeline(block, &state);
      int sum = 0;
      for (int tile = 0, next = 0; tile < tiles; tile++) {
        for (; next < tiles && next < tile + STAGES; next++) {
          pipe.producer_acquire();
          cuda::memcpy_async(block, s[next % STAGES], x + next * 128, sizeof s[0], pipe);
          pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += s[tile % STAGES][(threadIdx.x + 1) % 128];
        pipe.consumer_release();
      }
      y[threadIdx.x] = sum;
    }
    __global__ void by_thread(const int4 *x, int *y, int tiles) {
      __shared__ int4 s[2][32];
      auto pipe = cuda::make_pipeline();
      int i = threadIdx.x, sum = 0;
      cuda::aligned_size_t<16> size(sizeof(int4));
      pipe.producer_acquire();
      cuda::memcpy_async(&s[0][i], x + i, size, pipe);
      pipe.producer_commit();
      for (int tile = 0; tile < tiles; tile++) {
        if (tile + 1 < tiles) {
          pipe.producer_acquire();
          cuda::memcpy_async(&s[(tile + 1) % 2][i], x + (tile + 1) * 32 + i, size, pipe);
          pipe.producer_commit();
          cuda::pipeline_consumer_wait_prior<1>(pipe);
        } else {
          cuda::pipeline_consumer_wait_prior<0>(pipe);
        }
        int4 v = s[tile % 2][i];
        sum += v.x * 1 + v.y * 2 + v.z * 3 + v.w * 4;
        pipe.consumer_release();
      }
      y[i] = sum;
    }]],
  run = function(kernels, t)
    local x, want = t.integers(N, 1000), t.list(128, function() return 0 end)
    local a, y = t.cuda.array(x, "int32"), t.cuda.empty(128, "int32")
    for i = 0, N - 1 do
      local at = (i - 1) % 128 + 1
      want[at] = want[at] + x[i + 1]
    end
    kernels.by_block({ grid = 1, block = 128 }, a, y, N // 128)
    t.same(want, y, "by a block")
    want = t.list(32, function() return 0 end)
    for i = 0, N - 1 do
      local at = i // 4 % 32 + 1
      want[at] = want[at] + x[i + 1] * (i % 4 + 1)
    end
    y = t.cuda.empty(32, "int32")
    kernels.by_thread({ grid = 1, block = 32 }, a, y, N // 128)
    t.same(want, y, "by threads")
    assert(STAGES == 3)
  end,
}

-- cuda::barrier in shared memory: producers and consumers of a block hand two buffers back and
-- forth; and arrive and wait apart, with work between them.
return {
  heavy = true,
  arch = 80,
  needs = "cuda/barrier",
  source = [[
    #include <cuda/barrier>
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    #pragma nv_diag_suppress static_var_with_dynamic_init
    __global__ void squares(int *out, int rounds) {
      __shared__ barrier full[2], empty[2];
      __shared__ int buffer[2][32];
      if (threadIdx.x < 2) {
        init(&full[threadIdx.x], blockDim.x);
        init(&empty[threadIdx.x], blockDim.x);
      }
      __syncthreads();
      int lane = threadIdx.x % 32;
      if (threadIdx.x < 32) {
        for (int r = 0; r < rounds; r++) {
          empty[r % 2].arrive_and_wait();
          buffer[r % 2][lane] = r * 32 + lane;
          (void)full[r % 2].arrive();
        }
      } else {
        (void)empty[0].arrive();
        (void)empty[1].arrive();
        for (int r = 0; r < rounds; r++) {
          full[r % 2].arrive_and_wait();
          int v = buffer[r % 2][31 - lane];
          out[r * 32 + lane] = v * v;
          if (r + 2 < rounds) (void)empty[r % 2].arrive();
        }
      }
    }
    __global__ void neighbors(const int *x, int *y) {
      __shared__ barrier b;
      __shared__ int s[64];
      if (threadIdx.x == 0) init(&b, blockDim.x);
      __syncthreads();
      int i = threadIdx.x, own = x[i];
      for (int round = 0; round < 3; round++) {
        s[i] = own;
        barrier::arrival_token token = b.arrive();
        own *= 2;
        b.wait(cuda::std::move(token));
        own += s[(i + 1) % blockDim.x];
        b.arrive_and_wait();
      }
      y[i] = own;
    }
    __global__ void drops(int *out) {
      __shared__ barrier b;
      __shared__ int sum;
      if (threadIdx.x == 0) { init(&b, blockDim.x); sum = 0; }
      __syncthreads();
      for (int round = 0; ; round++) {
        if (threadIdx.x / 32 == round) { b.arrive_and_drop(); return; }
        atomicAdd(&sum, 1);
        b.arrive_and_wait();
        if (threadIdx.x == blockDim.x - 1) out[round] = sum;
        b.arrive_and_wait();
      }
    }]],
  run = function(kernels, t)
    local out = t.cuda.empty(7 * 32, "int32")
    kernels.squares({ grid = 1, block = 64 }, out, 7)
    t.same(t.list(7 * 32, function(i)
      local round, lane = (i - 1) // 32, (i - 1) % 32
      return (round * 32 + 31 - lane) ^ 2 // 1 | 0
    end), out, "squares")
    local x, y = t.integers(64, 50), t.cuda.empty(64, "int32")
    kernels.neighbors({ grid = 1, block = 64 }, t.cuda.array(x, "int32"), y)
    for _ = 1, 3 do
      x = t.list(64, function(i) return 2 * x[i] + x[i % 64 + 1] end)
    end
    t.same(x, y, "neighbors")
    local counts = t.cuda.zeros(4, "int32")
    kernels.drops({ grid = 1, block = 128 }, counts)
    t.same({ 96, 160, 192, 0 }, counts, "drops")
  end,
}

-- cuda::atomic_ref and cuda::atomic of several scopes and types: maximum of floats, a claim by
-- compare-exchange, sums, and a flag with release and acquire between blocks.
local N = 1000

return {
  heavy = true,
  needs = "cuda/atomic",
  source = [[
    #include <cuda/atomic>
    __global__ void gather(const float *x, int n, float *most, double *sum, int *owners,
                           unsigned long long *bits) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      cuda::atomic_ref<float, cuda::thread_scope_device> top(*most);
      float seen = top.load(cuda::memory_order_relaxed);
      while (x[i] > seen && !top.compare_exchange_weak(seen, x[i])) ;
      cuda::atomic_ref<double, cuda::thread_scope_device>(*sum).fetch_add(
        x[i], cuda::memory_order_relaxed);
      int none = -1;
      cuda::atomic_ref<int>(owners[i % 10]).compare_exchange_strong(none, i % 10 * 7);
      cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(bits[i / 64])
        .fetch_or(1ull << i % 64, cuda::memory_order_acq_rel);
    }
    __device__ cuda::atomic<int, cuda::thread_scope_device> ready;
    __device__ int message[32];
    __global__ void pass_on(int *out) {
      __shared__ cuda::atomic<int, cuda::thread_scope_block> arrived;
      if (threadIdx.x == 0) new (&arrived) cuda::atomic<int, cuda::thread_scope_block>(0);
      __syncthreads();
      if (blockIdx.x == 0) {
        message[threadIdx.x] = 100 + threadIdx.x;
        if (arrived.fetch_add(1, cuda::memory_order_acq_rel) == blockDim.x - 1) {
          ready.store(1, cuda::memory_order_release);
          ready.notify_all();
        }
      } else {
        ready.wait(0, cuda::memory_order_acquire);
        out[(blockIdx.x - 1) * blockDim.x + threadIdx.x] = message[31 - threadIdx.x];
      }
    }]],
  run = function(kernels, t)
    local x = t.floats(N)
    local most, sum = t.cuda.full(1, -100), t.cuda.zeros(1, "float64")
    local owners, bits = t.cuda.full(10, -1, "int32"), t.cuda.zeros(16, "uint64")
    kernels.gather({ threads = N, block = 64 }, t.cuda.array(x), N, most, sum, owners, bits)
    local total = 0
    for _, v in ipairs(x) do total = total + v end
    t.same({ math.max(table.unpack(x)) }, most, "maximum")
    t.same({ total }, sum, "sum")
    t.same(t.list(10, function(i) return (i - 1) * 7 end), owners, "owners")
    t.same(t.list(16, function(i) return i < 16 and -1 or (1 << N % 64) - 1 end),
      t.list(16, function(i) return bits:view "int64"[i] end), "bits")
    local out = t.cuda.zeros(64, "int32")
    kernels.pass_on({ grid = 3, block = 32 }, out)
    t.same(t.list(64, function(i) return 131 - (i - 1) % 32 end), out, "message")
  end,
}

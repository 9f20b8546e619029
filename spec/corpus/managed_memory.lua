-- Memory that host and kernels share: managed arrays, mapped host memory, a managed variable and a
-- variable with an address of another.
local N = 300

return {
  source = [[
    __managed__ int total;
    __device__ int counts[4];
    __device__ int *third = &counts[2];
    __global__ void add(const int *x, int *y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      y[i] = x[i] + y[i];
      atomicAdd(&total, x[i]);
      atomicAdd(third + i % 2, 1);
    }]],
  run = function(kernels, t)
    local cuda, x = t.cuda, t.integers(N, 100)
    local a, b = cuda.managed(N, "int32"), cuda.pinned(N, "int32")
    local sum = 0
    for i = 1, N do
      a[i], b[i] = x[i], 2 * i
      sum = sum + x[i]
    end
    local on_device = cuda.empty(N, "int32")
    cuda.copy(on_device, b)
    kernels.add({ threads = N }, a, on_device, N)
    t.same(t.list(N, function(i) return x[i] + 2 * i end), on_device, "sum")
    t.same(sum, t.module:global "total":item(), "total")
    t.same({ 0, 0, N // 2, N // 2 }, t.module:global "counts", "counts")
    kernels.add({ threads = N }, a, a, N)
    cuda.synchronize()
    t.same(t.list(N, function(i) return 2 * x[i] end), a, "managed")
  end,
}

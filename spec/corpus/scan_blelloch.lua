-- Work-efficient exclusive scan with dynamic shared memory, padded against bank conflicts.
local N = 512

return {
  source = [[
    __device__ int padded(int i) { return i + (i >> 5); }
    __global__ void scan(const float *x, float *y, float *total, int n) {
      extern __shared__ float s[];
      int i = threadIdx.x, offset = 1;
      s[padded(2 * i)] = x[2 * i];
      s[padded(2 * i + 1)] = x[2 * i + 1];
      for (int d = n / 2; d > 0; d /= 2) {
        __syncthreads();
        if (i < d) s[padded(offset * (2 * i + 2) - 1)] += s[padded(offset * (2 * i + 1) - 1)];
        offset *= 2;
      }
      if (i == 0) {
        *total = s[padded(n - 1)];
        s[padded(n - 1)] = 0;
      }
      for (int d = 1; d < n; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (i < d) {
          int a = padded(offset * (2 * i + 1) - 1), b = padded(offset * (2 * i + 2) - 1);
          float v = s[a];
          s[a] = s[b];
          s[b] += v;
        }
      }
      __syncthreads();
      y[2 * i] = s[padded(2 * i)];
      y[2 * i + 1] = s[padded(2 * i + 1)];
    }]],
  run = function(kernels, t)
    local x = t.floats(N)
    local y, total = t.cuda.empty(N), t.cuda.empty(1)
    kernels.scan({ grid = 1, block = N // 2, shared = (N + N // 32) * 4 }, t.cuda.array(x), y,
      total, N)
    local sum = 0
    t.same(t.list(N, function(i) sum = sum + x[i] return sum - x[i] end), y)
    t.same({ sum }, total)
  end,
}

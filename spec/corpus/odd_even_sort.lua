-- Odd-even transposition sort in shared memory: a barrier per round.
local N = 200

return {
  source = [[
    __global__ void odd_even(int *keys, int n) {
      __shared__ int s[256];
      int i = threadIdx.x;
      if (i < n) s[i] = keys[i];
      __syncthreads();
      for (int round = 0; round < n; round++) {
        int left = 2 * i + (round & 1);
        if (left + 1 < n && s[left] > s[left + 1]) {
          int t = s[left];
          s[left] = s[left + 1];
          s[left + 1] = t;
        }
        __syncthreads();
      }
      if (i < n) keys[i] = s[i];
    }]],
  run = function(kernels, t)
    local keys = t.integers(N, 1000)
    local x = t.cuda.array(keys, "int32")
    kernels.odd_even({ grid = 1, block = 256 }, x, N)
    table.sort(keys)
    t.same(keys, x)
  end,
}

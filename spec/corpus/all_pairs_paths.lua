-- Shortest paths between all pairs: the blocked algorithm of Floyd and Warshall, three kernels for
-- each block of the diagonal.
local BLOCKS, T = 4, 16
local N = BLOCKS * T

return {
  source = [[
    #define T 16
    __device__ void relax(int (*c)[T], int (*a)[T], int (*b)[T], bool apart) {
      int x = threadIdx.x, y = threadIdx.y;
      for (int k = 0; k < T; k++) {
        int v = a[y][k] + b[k][x];
        if (!apart) __syncthreads();
        if (v < c[y][x]) c[y][x] = v;
        if (!apart) __syncthreads();
      }
    }
    __device__ void load(int (*s)[T], const int *d, int n, int by, int bx) {
      s[threadIdx.y][threadIdx.x] = d[(by * T + threadIdx.y) * n + bx * T + threadIdx.x];
    }
    __device__ void store(int (*s)[T], int *d, int n, int by, int bx) {
      d[(by * T + threadIdx.y) * n + bx * T + threadIdx.x] = s[threadIdx.y][threadIdx.x];
    }
    __global__ void diagonal(int *d, int n, int k) {
      __shared__ int s[T][T];
      load(s, d, n, k, k);
      __syncthreads();
      relax(s, s, s, false);
      store(s, d, n, k, k);
    }
    __global__ void cross(int *d, int n, int k) {
      __shared__ int s[T][T], c[T][T];
      int other = blockIdx.x + (blockIdx.x >= k);
      bool row = blockIdx.y == 0;
      load(s, d, n, k, k);
      load(c, d, n, row ? k : other, row ? other : k);
      __syncthreads();
      if (row) relax(c, s, c, false);
      else relax(c, c, s, false);
      store(c, d, n, row ? k : other, row ? other : k);
    }
    __global__ void rest(int *d, int n, int k) {
      __shared__ int a[T][T], b[T][T], c[T][T];
      int x = blockIdx.x + (blockIdx.x >= k), y = blockIdx.y + (blockIdx.y >= k);
      load(a, d, n, y, k);
      load(b, d, n, k, x);
      load(c, d, n, y, x);
      __syncthreads();
      relax(c, a, b, true);
      store(c, d, n, y, x);
    }]],
  run = function(kernels, t)
    local far, d = 1000000, {}
    for i = 1, N do
      for j = 1, N do
        d[(i - 1) * N + j] = i == j and 0 or t.random(6) == 0 and 1 + t.random(90) or far
      end
    end
    local x = t.cuda.array(d, "int32")
    local block = { T, T }
    for k = 0, BLOCKS - 1 do
      kernels.diagonal({ grid = 1, block = block }, x, N, k)
      kernels.cross({ grid = { BLOCKS - 1, 2 }, block = block }, x, N, k)
      kernels.rest({ grid = { BLOCKS - 1, BLOCKS - 1 }, block = block }, x, N, k)
    end
    for k = 0, N - 1 do
      for i = 0, N - 1 do
        local first = d[i * N + k + 1]
        for j = 1, N do
          local v = first + d[k * N + j]
          if v < d[i * N + j] then d[i * N + j] = v end
        end
      end
    end
    t.same(d, x)
  end,
}

-- Dense factorizations of small matrices, a block each: LU with pivoting, Cholesky, and QR by
-- Householder's reflections, in double precision.
local N, BATCH = 12, 4

local function product(a, b, n)
  local c = {}
  for i = 0, n - 1 do
    for j = 0, n - 1 do
      local s = 0
      for k = 0, n - 1 do s = s + a[i * n + k + 1] * b[k * n + j + 1] end
      c[i * n + j + 1] = s
    end
  end
  return c
end

local function transposed(a, n)
  local c = {}
  for i = 0, n - 1 do
    for j = 0, n - 1 do c[i * n + j + 1] = a[j * n + i + 1] end
  end
  return c
end

local function part_of(a, keep)
  local c = {}
  for i = 0, N - 1 do
    for j = 0, N - 1 do c[i * N + j + 1] = keep(i, j, a[i * N + j + 1]) end
  end
  return c
end

return {
  source = [[
    #define N 12
    __global__ void lu(double *batch, int *pivots) {
      double (*a)[N] = (double (*)[N])(batch + blockIdx.x * N * N);
      int i = threadIdx.x;
      __shared__ int pivot;
      for (int k = 0; k < N; k++) {
        if (i == 0) {
          int best = k;
          for (int r = k + 1; r < N; r++) if (fabs(a[r][k]) > fabs(a[best][k])) best = r;
          pivot = best;
          pivots[blockIdx.x * N + k] = best;
        }
        __syncthreads();
        if (i < N && pivot != k) {
          double t = a[k][i];
          a[k][i] = a[pivot][i];
          a[pivot][i] = t;
        }
        __syncthreads();
        if (i > k && i < N) {
          double f = a[i][k] / a[k][k];
          a[i][k] = f;
          for (int j = k + 1; j < N; j++) a[i][j] -= f * a[k][j];
        }
        __syncthreads();
      }
    }
    __global__ void cholesky(double *batch) {
      __shared__ double a[N][N + 1];
      double *own = batch + blockIdx.x * N * N;
      int i = threadIdx.y, j = threadIdx.x;
      a[i][j] = own[i * N + j];
      for (int k = 0; k < N; k++) {
        __syncthreads();
        if (i == k && j == k) a[k][k] = sqrt(a[k][k]);
        __syncthreads();
        if (j == k && i > k) a[i][k] /= a[k][k];
        __syncthreads();
        if (j > k && i >= j) a[i][j] -= a[i][k] * a[j][k];
      }
      __syncthreads();
      own[i * N + j] = i >= j ? a[i][j] : 0;
    }
    __device__ double warp_sum(double v) {
      for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
      return v;
    }
    __global__ void qr(double *batch, double *q_batch) { // one warp; lane = row
      double *a = batch + blockIdx.x * N * N, *q = q_batch + blockIdx.x * N * N;
      int i = threadIdx.x;
      double row[N], q_row[N];
      for (int j = 0; j < N; j++) {
        row[j] = i < N ? a[i * N + j] : 0;
        q_row[j] = i == j;
      }
      for (int k = 0; k < N - 1; k++) {
        double x = i >= k ? row[k] : 0, norm = sqrt(warp_sum(x * x));
        double first = __shfl_sync(~0u, x, k);
        double v = i == k ? x + copysign(norm, first) : x;
        double length = warp_sum(v * v);
        for (int j = 0; j < N; j++) row[j] -= 2 / length * v * warp_sum(v * row[j]);
        for (int j = 0; j < N; j++) q_row[j] -= 2 / length * v * warp_sum(v * q_row[j]);
      }
      for (int j = 0; i < N && j < N; j++) a[i * N + j] = row[j], q[i * N + j] = q_row[j];
    }]],
  run = function(kernels, t)
    local cuda, all, definite = t.cuda, {}, {}
    for b = 1, BATCH do
      local a = t.floats(N * N)
      table.move(a, 1, N * N, (b - 1) * N * N + 1, all)
      local s = product(a, transposed(a, N), N)
      for i = 0, N - 1 do s[i * N + i + 1] = s[i * N + i + 1] + 1 end
      table.move(s, 1, N * N, (b - 1) * N * N + 1, definite)
    end
    local function matrix(list, b)
      return table.move(list, b * N * N + 1, (b + 1) * N * N, 1, {})
    end
    local function f64(list) return cuda.array(list, "float64") end
    local x, pivots = f64(all), cuda.empty(N * BATCH, "int32")
    kernels.lu({ grid = BATCH, block = 32 }, x, pivots)
    local y = f64(definite)
    kernels.cholesky({ grid = BATCH, block = { N, N } }, y)
    local z, q = f64(all), cuda.empty(N * N * BATCH, "float64")
    kernels.qr({ grid = BATCH, block = 32 }, z, q)
    x, pivots, y, z, q = x:totable(), pivots:totable(), y:totable(), z:totable(), q:totable()
    for b = 0, BATCH - 1 do
      local a, f = matrix(all, b), matrix(x, b)
      for k = 0, N - 1 do
        local p = pivots[b * N + k + 1]
        for j = 1, N do
          a[k * N + j], a[p * N + j] = a[p * N + j], a[k * N + j]
        end
      end
      local lower = part_of(f, function(i, j, v) return i == j and 1 or i > j and v or 0 end)
      for _, v in ipairs(lower) do assert(math.abs(v) <= 1, "no pivot") end
      t.close(a, product(lower, part_of(f, function(i, j, v) return i <= j and v or 0 end), N),
        1e-12, 1e-12, "LU")
      f = matrix(y, b)
      t.close(matrix(definite, b), product(f, transposed(f, N), N), 1e-12, 1e-12, "Cholesky")
      local r, reflected = matrix(z, b), matrix(q, b)
      part_of(r, function(i, j, v) assert(i <= j or math.abs(v) < 1e-10, "R") end)
      t.close(matrix(all, b), product(transposed(reflected, N), r, N), 1e-10, 1e-10, "QR")
      t.close(part_of(r, function(i, j) return i == j and 1 or 0 end),
        product(reflected, transposed(reflected, N), N), 1e-12, 1e-12, "Q")
    end
  end,
}

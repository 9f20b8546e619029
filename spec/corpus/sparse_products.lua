-- Sparse matrices times a vector: CSR with a thread per row and with a warp per row, ELL, and COO
-- with atomics and with a segmented sum in a warp.
local ROWS, COLUMNS = 150, 120

return {
  source = [=[
    __global__ void csr_scalar(const int *first, const int *column, const float *value,
                               const float *x, float *y, int rows) {
      int row = blockIdx.x * blockDim.x + threadIdx.x;
      if (row >= rows) return;
      float sum = 0;
      for (int k = first[row]; k < first[row + 1]; k++) sum += value[k] * __ldg(&x[column[k]]);
      y[row] = sum;
    }
    __global__ void csr_vector(const int *__restrict__ first, const int *__restrict__ column,
                               const float *__restrict__ value, const float *__restrict__ x,
                               float *__restrict__ y, int rows) {
      int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
      if (row >= rows) return;
      float sum = 0;
      for (int k = first[row] + lane; k < first[row + 1]; k += 32) sum += value[k] * x[column[k]];
      for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
      if (lane == 0) y[row] = sum;
    }
    __global__ void ell(const int *column, const float *value, int width, const float *x, float *y,
                        int rows) {
      int row = blockIdx.x * blockDim.x + threadIdx.x;
      if (row >= rows) return;
      float sum = 0;
      for (int k = 0; k < width; k++) {
        int c = column[k * rows + row];
        if (c >= 0) sum += value[k * rows + row] * x[c];
      }
      y[row] = sum;
    }
    __global__ void coo(const int *row, const int *column, const float *value, int n,
                        const float *x, float *y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) atomicAdd(&y[row[i]], value[i] * x[column[i]]);
    }
    __global__ void coo_segmented(const int *row, const int *column, const float *value, int n,
                                  const float *x, float *y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
      int r = i < n ? row[i] : -1;
      float v = i < n ? value[i] * x[column[i]] : 0;
      for (int d = 1; d < 32; d *= 2) {
        float u = __shfl_up_sync(~0u, v, d);
        int s = __shfl_up_sync(~0u, r, d);
        if (lane >= d && s == r) v += u;
      }
      int next = __shfl_down_sync(~0u, r, 1);
      if (r >= 0 && (lane == 31 || next != r)) atomicAdd(&y[r], v);
    }]=],
  run = function(kernels, t)
    local cuda, first, row, column, value, width = t.cuda, { 0 }, {}, {}, {}, 0
    for r = 0, ROWS - 1 do
      local count = r % 10 == 0 and t.random(100) or t.random(6)
      for _ = 1, count do
        row[#row + 1], column[#column + 1] = r, t.random(COLUMNS)
        value[#value + 1] = (t.random(129) - 64) / 8
      end
      first[r + 2], width = #row, math.max(width, count)
    end
    local x, want = t.list(COLUMNS, function() return (t.random(65) - 32) / 8 end), {}
    local n = #row
    for r = 1, ROWS do want[r] = 0 end
    for k = 1, n do want[row[k] + 1] = want[row[k] + 1] + value[k] * x[column[k] + 1] end
    local ell_column, ell_value = {}, {}
    for k = 0, width - 1 do
      for r = 0, ROWS - 1 do
        local at = first[r + 1] + k + 1
        local inside = at <= first[r + 2]
        ell_column[#ell_column + 1] = inside and column[at] or -1
        ell_value[#ell_value + 1] = inside and value[at] or 0
      end
    end
    local function int(list) return cuda.array(list, "int32") end
    first, row, column, value, x = int(first), int(row), int(column), cuda.array(value),
      cuda.array(x)
    local function check(name, threads, ...)
      local y = cuda.zeros(ROWS)
      local arguments = table.pack(...)
      for i = 1, arguments.n do if arguments[i] == "y" then arguments[i] = y end end
      kernels[name]({ threads = threads, block = 64 }, table.unpack(arguments))
      t.same(want, y, name)
    end
    check("csr_scalar", ROWS, first, column, value, x, "y", ROWS)
    check("csr_vector", ROWS * 32, first, column, value, x, "y", ROWS)
    check("ell", ROWS, int(ell_column), cuda.array(ell_value), width, x, "y", ROWS)
    check("coo", n, row, column, value, n, x, "y")
    check("coo_segmented", (n + 63) // 64 * 64, row, column, value, n, x, "y")
  end,
}

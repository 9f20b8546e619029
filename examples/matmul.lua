-- A matrix product with tiles in shared memory.   Arguments: [M [N [K [TILE]]]]
local cuda = require "luacuda"

local m, n, k, tile = ...
m, n = math.tointeger(tonumber(m) or 500), math.tointeger(tonumber(n) or 400)
k, tile = math.tointeger(tonumber(k) or 300), math.tointeger(tonumber(tile) or 16)

local source = cuda.template [==[
  // C (m x n) = A (m x k) * B (k x n), all in row order. Each block computes a tile of C.
  __global__ void matmul(const float *A, const float *B, float *C, int m, int n, int k) {
    __shared__ float a[$(TILE)][$(TILE)], b[$(TILE)][$(TILE)];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * $(TILE) + ty, col = blockIdx.x * $(TILE) + tx;
    float sum = 0;
    for (int from = 0; from < k; from += $(TILE)) {
      a[ty][tx] = row < m && from + tx < k ? A[row * k + from + tx] : 0;
      b[ty][tx] = col < n && from + ty < k ? B[(from + ty) * n + col] : 0;
      __syncthreads();
  @ for i = 0, TILE - 1 do
      sum += a[ty][$(i)] * b[$(i)][tx];
  @ end
      __syncthreads();
    }
    if (row < m && col < n) C[row * n + col] = sum;
  }]==]

local function ramp(rows, cols, period) -- fractions that a float holds exactly
  local numbers = {}
  for i = 1, rows * cols do numbers[i] = i % period / period end
  return cuda.array(numbers, "float32"):reshape { rows, cols }
end

local matmul = cuda.kernel(source { TILE = tile })
local A, B, C = ramp(m, k, 8), ramp(k, n, 16), cuda.empty({ m, n }, "float32")
local launch = { grid = { (n + tile - 1) // tile, (m + tile - 1) // tile }, block = { tile, tile } }
local ms = matmul:time_ms(launch, A, B, C, m, n, k)
local rate = 2e-6 * m * n * k / ms
print(("%s: %d x %d x %d in %.3f ms, %.1f GFLOP/s"):format(C.device.name, m, n, k, ms, rate))

return A, B, C

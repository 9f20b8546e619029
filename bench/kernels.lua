-- The kernels that bench/*.lua and bench/limit.c measure.
local M = {}

M.saxpy = [==[
  extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
  }]==]

M.fetch = [==[
  extern "C" __global__ void fetch(float *y, cudaTextureObject_t texture) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 16; k++) sum += tex2D<float>(texture, i + k * 0.25f, j + 0.3f);
    y[j * 1024 + i] = sum;
  }]==]

M.mandelbrot = [==[
  __global__ void mandelbrot(int *steps, int width, int height, int limit) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float cr = 3.0f * x / width - 2.2f, ci = 2.0f * y / height - 1.0f, zr = 0, zi = 0;
    int n = 0;
    while (n < limit && zr * zr + zi * zi <= 4) {
      float t = zr * zr - zi * zi + cr;
      zi = 2 * zr * zi + ci;
      zr = t;
      n++;
    }
    steps[y * width + x] = n;
  }]==]

M.matmul = [==[
  __global__ void matmul(const float *A, const float *B, float *C, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
  }]==]

M.matmul_tiled = [==[
  __global__ void matmul_tiled(const float *A, const float *B, float *C, int n) {
    __shared__ float a[16][16], b[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int from = 0; from < n; from += 16) {
      a[ty][tx] = A[row * n + from + tx];
      b[ty][tx] = B[(from + ty) * n + col];
      __syncthreads();
      for (int k = 0; k < 16; k++) sum += a[ty][k] * b[k][tx];
      __syncthreads();
    }
    C[row * n + col] = sum;
  }]==]

-- One warp per tile of 16 x 16.
M.wmma = [==[
  #include <mma.h>
  using namespace nvcuda;
  extern "C" __global__ void wmma_matmul(const __half *A, const __half *B, float *C, int n) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    int row = blockIdx.y * 16, col = blockIdx.x * 16;
    wmma::fill_fragment(c, 0.0f);
    for (int k = 0; k < n; k += 16) {
      wmma::load_matrix_sync(a, A + row * n + k, n);
      wmma::load_matrix_sync(b, B + k * n + col, n);
      wmma::mma_sync(c, a, b, c);
    }
    wmma::store_matrix_sync(C + row * n + col, c, n, wmma::mem_row_major);
  }]==]

return M

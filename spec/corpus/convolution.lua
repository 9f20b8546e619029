-- Separable convolution of an image: weights in constant memory, rows in shared memory with an
-- apron, columns through a template's radius; and a two-dimensional filter to compare.
local W, H, R = 70, 33, 3

return {
  source = [[
    #define R 3
    #define TILE 32
    __constant__ float weights[2 * R + 1];
    __global__ void rows(const float *in, float *out, int w, int h) {
      __shared__ float s[4][TILE + 2 * R];
      int y = blockIdx.y * 4 + threadIdx.y, base = blockIdx.x * TILE - R;
      for (int i = threadIdx.x; i < TILE + 2 * R; i += TILE) {
        int x = base + i;
        s[threadIdx.y][i] = y < h && x >= 0 && x < w ? in[y * w + x] : 0;
      }
      __syncthreads();
      int x = blockIdx.x * TILE + threadIdx.x;
      if (x >= w || y >= h) return;
      float sum = 0;
      #pragma unroll
      for (int k = -R; k <= R; k++) sum += weights[k + R] * s[threadIdx.y][threadIdx.x + R + k];
      out[y * w + x] = sum;
    }
    template <int RADIUS> __global__ void columns(const float *in, float *out, int w, int h) {
      int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
      if (x >= w || y >= h) return;
      float sum = 0;
      for (int k = -RADIUS; k <= RADIUS; k++)
        if (y + k >= 0 && y + k < h) sum = fmaf(weights[k + RADIUS], in[(y + k) * w + x], sum);
      out[y * w + x] = sum;
    }]],
  options = { instances = { "columns<R>" } },
  run = function(kernels, t)
    local image, weight = t.floats(W * H), t.list(2 * R + 1, function(i)
      return math.exp(-((i - R - 1) / 2) ^ 2)
    end)
    t.module:global "weights":set(weight)
    local a, b, c = t.cuda.array(image), t.cuda.empty(W * H), t.cuda.empty(W * H)
    kernels.rows({ grid = { 3, (H + 3) // 4 }, block = { 32, 4 } }, a, b, W, H)
    t.module:kernel "columns<R>"({ threads = { W, H } }, b, c, W, H)
    t.close(t.list(W * H, function(i)
      local x, y, sum = (i - 1) % W, (i - 1) // W, 0
      for dy = -R, R do
        for dx = -R, R do
          if x + dx >= 0 and x + dx < W and y + dy >= 0 and y + dy < H then
            sum = sum + weight[dx + R + 1] * weight[dy + R + 1] * image[(y + dy) * W + x + dx + 1]
          end
        end
      end
      return sum
    end), c, 1e-5)
  end,
}

-- Stencils: five points in a tile with a halo, and seven points in space with a queue of planes in
-- registers.
local W, H, D = 37, 29, 9

return {
  source = [[
    #define T 16
    __global__ void five(const float *a, float *b, int w, int h) {
      __shared__ float s[T + 2][T + 2];
      int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
      int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
      auto at = [&](int x, int y) {
        return a[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)];
      };
      s[ty][tx] = at(x, y);
      if (threadIdx.x == 0) s[ty][0] = at(x - 1, y);
      if (threadIdx.x == T - 1) s[ty][T + 1] = at(x + 1, y);
      if (threadIdx.y == 0) s[0][tx] = at(x, y - 1);
      if (threadIdx.y == T - 1) s[T + 1][tx] = at(x, y + 1);
      __syncthreads();
      // A tile that reaches over the edge takes the value of the edge, which is in the tile.
      if (x < w && y < h)
        b[y * w + x] = 0.5f * s[ty][tx]
          + 0.125f * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx]);
    }
    __global__ void seven(const float *a, float *b, int w, int h, int d) {
      int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
      if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
      int plane = w * h, i = y * w + x;
      float below = a[i], here = a[i + plane], above;
      #pragma unroll 4
      for (int z = 1; z < d - 1; z++) {
        i += plane;
        above = a[i + plane];
        b[i] = below + above + a[i - 1] + a[i + 1] + a[i - w] + a[i + w] - 6 * here;
        below = here;
        here = above;
      }
    }]],
  run = function(kernels, t)
    local a, b = t.floats(W * H), t.cuda.empty(W * H)
    kernels.five({ grid = { 3, 2 }, block = { 16, 16 } }, t.cuda.array(a), b, W, H)
    local function at(x, y)
      return a[math.max(0, math.min(y, H - 1)) * W + math.max(0, math.min(x, W - 1)) + 1]
    end
    t.close(t.list(W * H, function(i)
      local x, y = (i - 1) % W, (i - 1) // W
      return 0.5 * at(x, y) + 0.125 * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1))
    end), b, 1e-6)
    local c, d = t.floats(W * H * D), t.cuda.zeros(W * H * D)
    kernels.seven({ threads = { W, H } }, t.cuda.array(c), d, W, H, D)
    t.same(t.list(W * H * D, function(i)
      local x, y, z = (i - 1) % W, (i - 1) // W % H, (i - 1) // (W * H)
      if x % (W - 1) == 0 or y % (H - 1) == 0 or z % (D - 1) == 0 then return 0 end
      return c[i - 1] + c[i + 1] + c[i - W] + c[i + W] + c[i - W * H] + c[i + W * H] - 6 * c[i]
    end), d)
  end,
}

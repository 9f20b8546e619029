-- A persistent grid: warps take tiles of a Mandelbrot set from a counter until none is left; a
-- second queue in which tasks create tasks until all are done.
local W, H, LIMIT = 48, 32, 100

return {
  source = [[
    __device__ unsigned next_tile;
    __global__ void mandelbrot(int *out, int w, int h, int limit) {
      int lane = threadIdx.x % 32;
      for (;;) {
        unsigned tile;
        if (lane == 0) tile = atomicAdd(&next_tile, 1);
        tile = __shfl_sync(~0u, tile, 0);
        if (tile * 32 >= w * h) return;
        int i = tile * 32 + lane, x = i % w, y = i / w, n = 0;
        double cr = 3.0 * x / w - 2.25, ci = 2.0 * y / h - 1.03125, zr = 0, zi = 0;
        while (n < limit && zr * zr + zi * zi < 4) {
          double r = __dadd_rn(__dsub_rn(__dmul_rn(zr, zr), __dmul_rn(zi, zi)), cr);
          zi = __dadd_rn(__dmul_rn(2 * zr, zi), ci);
          zr = r;
          n++;
        }
        out[i] = n;
      }
    }
    // Each task of size n makes two of half the size, down to 1.
    __device__ volatile int queue[1024];
    __device__ int head, tail, open;
    __global__ void start(int n) {
      for (int i = 0; i < 1024; i++) queue[i] = 0;
      queue[0] = n;
      head = 0;
      tail = open = 1;
    }
    __global__ void split(int *leaves) {
      if (threadIdx.x != 0) return;
      while (atomicAdd(&open, 0) > 0) {
        int at = atomicAdd(&head, 0), size;
        if (at >= atomicAdd(&tail, 0) || (size = queue[at]) == 0) continue;
        if (atomicCAS(&head, at, at + 1) != at) continue;
        if (size == 1) {
          atomicAdd(leaves, 1);
        } else {
          atomicAdd(&open, 2);
          int place = atomicAdd(&tail, 2);
          queue[place] = size / 2;
          queue[place + 1] = size - size / 2;
          __threadfence();
        }
        atomicSub(&open, 1);
      }
    }]],
  run = function(kernels, t)
    local out = t.cuda.empty(W * H, "int32")
    kernels.mandelbrot({ grid = 3, block = 64 }, out, W, H, LIMIT)
    t.same(t.list(W * H, function(k)
      local x, y, n = (k - 1) % W, (k - 1) // W, 0
      local cr, ci, zr, zi = 3.0 * x / W - 2.25, 2.0 * y / H - 1.03125, 0, 0
      while n < LIMIT and zr * zr + zi * zi < 4 do
        zr, zi, n = zr * zr - zi * zi + cr, 2 * zr * zi + ci, n + 1
      end
      return n
    end), out)
    local leaves = t.cuda.zeros(1, "int32")
    kernels.start({ grid = 1, block = 1 }, 300)
    kernels.split({ grid = 4, block = 32, cooperative = true }, leaves)
    t.same({ 300 }, leaves, "leaves")
  end,
}

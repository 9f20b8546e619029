-- Textures: a picture enlarged with linear filtering, borders and wrapping, a table looked up with
-- normalized coordinates, a surface written and read.
local W, H = 12, 9

return {
  source = [[
    __global__ void enlarge(cudaTextureObject_t picture, float *out, int w, int h, int factor) {
      int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
      if (x < w && y < h)
        out[y * w + x] = tex2D<float>(picture, (x + 0.5f) / factor, (y + 0.5f) / factor);
    }
    __global__ void around(cudaTextureObject_t table, float *out, int n) {
      int i = threadIdx.x;
      if (i < n) out[i] = tex2D<float>(table, (i - n / 2) * 0.125f + 0.0625f, 0.5f);
    }
    __global__ void flip(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w, int h) {
      int x = threadIdx.x, y = threadIdx.y;
      if (x >= w || y >= h) return;
      float v;
      surf2Dread(&v, from, x * (int)sizeof(float), y);
      surf2Dwrite(v * 2, to, (w - 1 - x) * (int)sizeof(float), y);
    }]],
  run = function(kernels, t)
    local cuda, rows = t.cuda, {}
    for y = 1, H do rows[y] = t.integers(W, 64) end
    local picture = cuda.cuda_array { H, W }
    picture:set(rows)
    local factor = 4
    local texture = cuda.texture(picture, { filter = "linear", address = "clamp" })
    local out = cuda.empty(W * H * factor * factor)
    kernels.enlarge({ threads = { W * factor, H * factor } }, texture, out, W * factor, H * factor,
      factor)
    local function at(x, y)
      return rows[math.max(1, math.min(H, y + 1))][math.max(1, math.min(W, x + 1))]
    end
    t.close(t.list(W * H * factor * factor, function(i)
      local x = ((i - 1) % (W * factor) + 0.5) / factor - 0.5
      local y = ((i - 1) // (W * factor) + 0.5) / factor - 0.5
      local left, top = math.floor(x), math.floor(y)
      local a, b = x - left, y - top
      return (1 - b) * ((1 - a) * at(left, top) + a * at(left + 1, top))
        + b * ((1 - a) * at(left, top + 1) + a * at(left + 1, top + 1))
    end), out, 1e-6)
    local line = cuda.cuda_array { 1, 8 }
    line:set { { 1, 2, 3, 4, 5, 6, 7, 8 } }
    local wrapped = cuda.texture(line, { normalized = true, address = "wrap" })
    local got = cuda.empty(48)
    kernels.around({ grid = 1, block = 48 }, wrapped, got, 48)
    t.same(t.list(48, function(i) return (i - 25) % 8 + 1 end), got, "wrapped")
    local from = cuda.cuda_array({ H, W }, { surface = true })
    local to = cuda.cuda_array({ H, W }, { surface = true })
    from:set(rows)
    kernels.flip({ grid = 1, block = { 16, 16 } }, cuda.surface(from), cuda.surface(to), W, H)
    local flipped = to:array():totable()
    for y = 1, H do
      t.same(t.list(W, function(x) return 2 * rows[y][W + 1 - x] end), flipped[y], "flipped")
    end
  end,
}

-- Programs of textures at the sizes of whole images: layers, cubemaps and rows of pitched memory,
-- each beside the same computation with operators of arrays.
local helper = require "spec.helper"
local cuda = require "luacuda"

-- The rows and columns of the last two axes moved towards the first, in a circle.
local function rolled(a, rows, columns)
  local function roll(v, n, axis)
    local low, high = {}, {}
    for i = 1, v.ndim do low[i], high[i] = {}, {} end
    low[axis], high[axis] = { n + 1, -1 }, { 1, n }
    return cuda.concatenate({ v:slice(table.unpack(low)), v:slice(table.unpack(high)) },
      { axis = axis })
  end
  return roll(roll(a, rows, a.ndim - 1), columns, a.ndim)
end

helper.for_each_device(function()
  it("layers are negated and numbered, and each is moved by its own step", function()
    local W, H, LAYERS = 256, 192, 5
    local data = cuda.random.generator(3):uniform { LAYERS, H, W }
    local layers = cuda.cuda_array(data, { layered = true })
    local tex <close> = cuda.texture(layers,
      { normalized = true, address = "wrap" })
    local k = cuda.kernel [[
      extern "C" __global__ void k(float *out, cudaTextureObject_t in, int w, int h, int step) {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        int layer = blockIdx.z;
        if (x >= w || y >= h) return;
        out[(layer * h + y) * w + x] = layer
          - tex2DLayered<float>(in, (x + 0.5f) / w, (y + 0.5f) / h, layer);
      }]]
    local out = cuda.zeros { LAYERS, H, W }
    k({ grid = { W // 32, H // 8, LAYERS }, block = { 32, 8 } }, out, tex, W, H, 0)
    local number = cuda.arange(LAYERS, "float32"):reshape { LAYERS, 1, 1 }
    assert.is_true(out:equals(number - data))
    local same = cuda.texture(layers)
    cuda.kernel [[
      extern "C" __global__ void k(float *out, cudaTextureObject_t in, int w, int h) {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        int layer = blockIdx.z;
        if (x >= w || y >= h) return;
        out[(layer * h + y) * w + x] = tex2DLayered<float>(in, (x + layer) % w, (y + 3 * layer) % h,
          layer);
      }]]({ grid = { W // 32, H // 8, LAYERS }, block = { 32, 8 } }, out, same, W, H)
    assert.is_true(out:slice(1):equals(data:slice(1)))
    for layer = 1, LAYERS - 1 do
      assert.is_true(out:slice(layer + 1):equals(rolled(data:slice(layer + 1), 3 * layer, layer)))
    end
  end)

  it("cubemaps give each face back along its directions, alone and in layers", function()
    local W, CUBES = 64, 2
    local data = cuda.random.generator(4):uniform { 6 * CUBES, W, W }
    local DIRECTION = [[
      __device__ float3 direction(int face, float u, float v) {
        switch (face) {
          case 0: return make_float3(1, -v, -u);
          case 1: return make_float3(-1, -v, u);
          case 2: return make_float3(u, 1, v);
          case 3: return make_float3(u, -1, -v);
          case 4: return make_float3(u, -v, 1);
          default: return make_float3(-u, -v, -1);
        }
      }
      extern "C" __global__ void k(float *out, cudaTextureObject_t in, int w, float scale) {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        int face = blockIdx.z % 6, cube = blockIdx.z / 6;
        float3 d = direction(face, (x + 0.5f) / w * 2 - 1, (y + 0.5f) / w * 2 - 1);
        out[(blockIdx.z * w + y) * w + x] = face - FETCH;
      }]]
    local function run(array, fetch, cubes, scale)
      local out = cuda.zeros { 6 * cubes, W, W }
      local tex <close> = cuda.texture(array)
      cuda.kernel((DIRECTION:gsub("FETCH", fetch)))(
        { grid = { W // 16, W // 16, 6 * cubes }, block = { 16, 16 } }, out, tex, W, scale)
      return out
    end
    local number = cuda.arange(6, "float32"):reshape { 6, 1, 1 }
    local one = data:slice { 1, 6 }
    for _, scale in ipairs { 1, 8 } do -- only the direction counts
      assert.is_true(run(cuda.cuda_array(one, { cubemap = true }),
        "texCubemap<float>(in, scale * d.x, scale * d.y, scale * d.z)", 1, scale)
        :equals(number - one))
    end
    local both = run(cuda.cuda_array(data, { cubemap = true, layered = true }),
      "texCubemapLayered<float>(in, d.x, d.y, d.z, cube)", CUBES, 1)
    assert.is_true(both:equals(cuda.concatenate { number, number } - data))
  end)

  it("pitched memory and a CUDA array are shifted alike, with wrapping", function()
    local W, H, DX, DY = 512, 256, 37, 21
    local image = cuda.random.generator(5):integers(0, 1 << 20, { H, W }):astype "float32"
    local rows = cuda.alloc_pitch { width = 4 * W, height = H }:view "float32"
    cuda.copy(rows, image)
    local k = cuda.kernel [[
      extern "C" __global__
      void k(float *out, cudaTextureObject_t in, int w, int h, int dx, int dy) {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x < w && y < h)
          out[y * w + x] = tex2D<float>(in, (x + dx + 0.5f) / w, (y + dy + 0.5f) / h);
      }]]
    local want = rolled(image, DY, DX)
    for _, source in ipairs { rows, cuda.cuda_array(image) } do
      local tex <close> = cuda.texture(source, { normalized = true, address = "wrap" })
      local out = cuda.zeros { H, W }
      k({ threads = { W, H }, block = { 16, 16 } }, out, tex, W, H, DX, DY)
      assert.is_true(out:equals(want))
      k({ threads = { W, H }, block = { 16, 16 } }, out, tex, W, H, DX - 3 * W, DY - 5 * H)
      assert.is_true(out:equals(want))
    end
  end)
end)

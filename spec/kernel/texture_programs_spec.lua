-- Programs of textures as people write them: image filters, a volume and a simulation step, each
-- beside the same computation in plain Lua.
local helper = require "spec.helper"
local sampling = require "spec.support.sampling"
local cuda = require "luacuda"

local W, H, D = 14, 11, 6

local function image(rng)
  local t = {}
  for y = 1, H do
    t[y] = {}
    for x = 1, W do t[y][x] = rng(256) / 255 end
  end
  return t
end

local function each(fn)
  local t = {}
  for y = 0, H - 1 do
    t[y + 1] = {}
    for x = 0, W - 1 do t[y + 1][x + 1] = fn(x, y) end
  end
  return t
end

-- A launch over the image with a texture of it; gives the result as tables.
local function filtered(source, texels, opts, ...)
  local out = cuda.zeros { H, W }
  local tex <close> = cuda.texture(cuda.cuda_array({ H, W }):set(texels), opts)
  cuda.kernel(source)({ threads = { W, H } }, out, tex, W, H, ...)
  return out:totable()
end

local HEAD = [[
  extern "C" __global__ void k(float *out, cudaTextureObject_t in, int w, int h, float p, float q) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
]]

helper.for_each_device(function()
  local rng = helper.random(5)

  it("rotates in normalized coordinates, with wrapping", function()
    local texels, angle = image(rng), 0.7
    local got = filtered(HEAD .. [[
      float u = x / (float)w - 0.5f, v = y / (float)h - 0.5f;
      out[y * w + x] = tex2D<float>(in, u * p - v * q + 0.5f, v * p + u * q + 0.5f); }]], texels,
      { filter = "linear", address = "wrap", normalized = true }, math.cos(angle), math.sin(angle))
    helper.assert_close(each(function(x, y)
      local u, v = x / W - 0.5, y / H - 0.5
      local c, s = math.cos(angle), math.sin(angle)
      return sampling.fetch(texels, { u * c - v * s + 0.5, v * c + u * s + 0.5 },
        { filter = "linear", address = "wrap", normalized = true })
    end), got, { atol = 0.01, rtol = 0 })
  end)

  it("magnifies with a cubic B-spline of four filtered fetches", function()
    local texels = image(rng)
    local got = filtered([[
      __device__ float w0(float a) { return (1 - a) * (1 - a) * (1 - a) / 6; }
      __device__ float w1(float a) { return (a * a * (3 * a - 6) + 4) / 6; }
      __device__ float w2(float a) { return (a * (a * (3 - 3 * a) + 3) + 1) / 6; }
      __device__ float w3(float a) { return a * a * a / 6; }
      ]] .. HEAD .. [[
      float u = x * p + 0.37f - 0.5f, v = y * p + 0.61f - 0.5f, px = floorf(u), py = floorf(v);
      float fx = u - px, fy = v - py;
      float g0x = w0(fx) + w1(fx), g1x = w2(fx) + w3(fx);
      float g0y = w0(fy) + w1(fy), g1y = w2(fy) + w3(fy);
      float h0x = px - 0.5f + w1(fx) / g0x, h1x = px + 1.5f + w3(fx) / g1x;
      float h0y = py - 0.5f + w1(fy) / g0y, h1y = py + 1.5f + w3(fy) / g1y;
      out[y * w + x] = g0y * (g0x * tex2D<float>(in, h0x, h0y) + g1x * tex2D<float>(in, h1x, h0y))
        + g1y * (g0x * tex2D<float>(in, h0x, h1y) + g1x * tex2D<float>(in, h1x, h1y)); }]],
      texels, { filter = "linear" }, 0.5, 0)
    local function weights(a)
      return { (1 - a) ^ 3 / 6, (a * a * (3 * a - 6) + 4) / 6, (a * (a * (3 - 3 * a) + 3) + 1) / 6,
        a ^ 3 / 6 }
    end
    helper.assert_close(each(function(x, y)
      local u, v = x * 0.5 + 0.37 - 0.5, y * 0.5 + 0.61 - 0.5
      local px, py, sum = math.floor(u), math.floor(v), 0
      local wx, wy = weights(u - px), weights(v - py)
      for j = -1, 2 do
        for i = -1, 2 do
          sum = sum + wx[i + 2] * wy[j + 2] * sampling.fetch(texels, { px + i, py + j }, {})
        end
      end
      return sum
    end), got, { atol = 0.01, rtol = 0 })
  end)

  it("filters with a box and bilaterally", function()
    local texels = image(rng)
    local function around(fn)
      return each(function(x, y)
        local sum, total, middle = 0, 0, texels[y + 1][x + 1]
        for j = -2, 2 do
          for i = -2, 2 do
            local v = sampling.fetch(texels, { x + i, y + j }, {})
            local weight = fn(i, j, v - middle)
            sum, total = sum + weight * v, total + weight
          end
        end
        return sum / total
      end)
    end
    local loop = HEAD .. [[
      float sum = 0, total = 0, m = tex2D<float>(in, x, y);
      for (int j = -2; j <= 2; j++) for (int i = -2; i <= 2; i++) {
        float v = tex2D<float>(in, x + i, y + j), weight = WEIGHT;
        sum += weight * v;
        total += weight;
      }
      out[y * w + x] = sum / total; }]]
    helper.assert_close(around(function() return 1 end),
      filtered((loop:gsub("WEIGHT", "1")), texels, nil, 0, 0), { atol = 1e-5, rtol = 0 })
    local function bell(i, j, d) return math.exp(-(i * i + j * j) / 4 - d * d * 8) end
    helper.assert_close(around(bell),
      filtered((loop:gsub("WEIGHT", "expf(-(i * i + j * j) / p - (v - m) * (v - m) * q)")), texels,
        nil, 4, 8), { atol = 1e-5, rtol = 0 })
  end)

  it("renders a volume along oblique rays", function()
    local volume = {}
    for z = 1, D do volume[z] = image(rng) end
    local tex <close> = cuda.texture(cuda.cuda_array({ D, H, W }):set(volume),
      { filter = "linear", address = "border" })
    local out = cuda.zeros { H, W }
    cuda.kernel [[extern "C" __global__ void k(float *out, cudaTextureObject_t in, int w, int h) {
      int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
      if (x >= w || y >= h) return;
      float sum = 0, light = 1;
      for (int k = 0; k < 16; k++) {
        float v = 0.3f * tex3D<float>(in, x + 0.4f + 0.2f * k, y + 0.6f, 0.45f * k);
        sum += light * v;
        light *= 1 - v;
      }
      out[y * w + x] = sum;
    }]]({ threads = { W, H } }, out, tex, W, H)
    helper.assert_close(each(function(x, y)
      local sum, light = 0, 1
      for k = 0, 15 do
        local v = 0.3 * sampling.fetch(volume, { x + 0.4 + 0.2 * k, y + 0.6, 0.45 * k },
          { filter = "linear", address = "border" })
        sum, light = sum + light * v, light * (1 - v)
      end
      return sum
    end), out:totable(), { atol = 0.01, rtol = 0 })
  end)

  it("takes turns between two CUDA arrays, read by texture and written by surface", function()
    local texels = image(rng)
    local k = cuda.kernel [[
      extern "C" __global__ void k(cudaSurfaceObject_t out, cudaTextureObject_t in, int w, int h) {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x >= w || y >= h) return;
        surf2Dwrite((tex2D<float>(in, x - 1, y) + tex2D<float>(in, x + 1, y)
          + tex2D<float>(in, x, y - 1) + tex2D<float>(in, x, y + 1)) / 4, out, 4 * x, y);
      }]]
    local a = cuda.cuda_array({ H, W }, { surface = true }):set(texels)
    local b = cuda.cuda_array({ H, W }, { surface = true })
    local views = { { cuda.texture(a), cuda.surface(b) }, { cuda.texture(b), cuda.surface(a) } }
    for step = 1, 6 do
      local view = views[(step - 1) % 2 + 1]
      k({ threads = { W, H } }, view[2], view[1], W, H)
      local from = texels
      texels = each(function(x, y)
        local function at(i, j) return sampling.fetch(from, { x + i, y + j }, {}) end
        return (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)) / 4
      end)
    end
    helper.assert_close(texels, a:totable(), { atol = 1e-5, rtol = 0 })
  end)
end)

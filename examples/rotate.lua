-- Rotates a photograph. A texture averages the pixels around each place and gives black outside; a
-- surface takes the result.   Arguments: [DEGREES [PHOTO.png [OUT.png]]]
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local cuda = require "luacuda"

local degrees, photo, out = ...
degrees, photo, out = tonumber(degrees) or 30, photo or here .. "data/coffee.png",
  out or "rotated.png"

local rotate = cuda.kernel [[
  __device__ unsigned char byte(float share) { return (unsigned char)(255 * share + 0.5f); }
  __global__ void rotate(cudaSurfaceObject_t out, cudaTextureObject_t in, int width, int height,
                         float sine, float cosine) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = x + 0.5f - width / 2.0f, v = y + 0.5f - height / 2.0f;
    float4 p = tex2D<float4>(in, u * cosine + v * sine + width / 2.0f,
                             v * cosine - u * sine + height / 2.0f);
    surf2Dwrite(make_uchar4(byte(p.x), byte(p.y), byte(p.z), 255), out, 4 * x, y);
  }]]

-- Texels have 1, 2 or 4 channels: the fourth is not used.
local rgb = cuda.load_png(photo)
local height, width = rgb.shape[1], rgb.shape[2]
local rgba = cuda.zeros({ height, width, 4 }, "uint8")
rgba:slice({}, {}, { 1, 3 }):set(rgb)
local texture = cuda.texture(cuda.cuda_array(rgba, { channels = 4 }),
  { read = "normalized", filter = "linear", address = "border" })
local result = cuda.cuda_array({ height, width }, "uint8", { channels = 4, surface = true })

local angle = math.rad(degrees)
local ms = rotate:time_ms({ threads = { width, height } }, cuda.surface(result), texture, width,
  height, math.sin(angle), math.cos(angle))
local rotated = result:array():slice({}, {}, { 1, 3 })
rotated:save_png(out)
print(("%s by %g degrees in %.3f ms: %s"):format(photo:match "[^/]*$", degrees, ms, out))

return rotated

-- The Mandelbrot set as a picture.   Arguments: [WIDTH [OUT.png [ITERATIONS]]]
local cuda = require "luacuda"

local width, out, limit = ...
width = math.tointeger(tonumber(width) or 960)
out, limit = out or "mandelbrot.png", math.tointeger(tonumber(limit) or 256)
local height = width * 2 // 3

local module = cuda.module [==[
  // Counts the steps of z = z*z + c that stay within |z| <= 2, for a window around (-0.7, 0).
  __global__ void escape(int *steps, int width, int height, int limit) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float scale = 3.0f / width;
    float cr = (x - 0.5f * width) * scale - 0.7f, ci = (y - 0.5f * height) * scale;
    float zr = 0, zi = 0;
    int n = 0;
    while (n < limit && zr * zr + zi * zi <= 4) {
      float t = zr * zr - zi * zi + cr;
      zi = 2 * zr * zi + ci;
      zr = t;
      n++;
    }
    steps[y * width + x] = n;
  }

  // Smooth colors from three cosines; the set itself is black.
  __global__ void color(const int *steps, unsigned char *rgb, int n, int limit) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float t = sqrtf((float)steps[i] / limit) * 6.2831853f;
    bool inside = steps[i] == limit;
    for (int c = 0; c < 3; c++)
      rgb[3 * i + c] = inside ? 0 : (unsigned char)(127.5f - 127.5f * cosf(t + 0.7f * c));
  }]==]

local steps = cuda.empty({ height, width }, "int32")
local rgb = cuda.empty({ height, width, 3 }, "uint8")
local launch = { threads = { width, height }, block = { 32, 4 } }
local ms = module.kernels.escape:time_ms(launch, steps, width, height, limit)
module.kernels.color({ threads = steps.size }, steps, rgb, steps.size, limit)
rgb:save_png(out)
local device = steps.device.name
print(("%s: %d x %d pixels in %.2f ms, written to %s"):format(device, width, height, ms, out))

return steps, rgb

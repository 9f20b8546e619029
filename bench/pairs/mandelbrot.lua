-- mandelbrot: steps until a point leaves the circle, at most LIMIT.
local cuda = require "luacuda"

local LIMIT = 256

local pair = { name = "mandelbrot", gpu = 4096, cpu = 192, tolerance = 0 }

function pair.lua(steps, left, top, scale)
  for row, column in grid(#steps, steps.shape[2]) do
    local cr, ci = left + scale * column, top + scale * row
    local zr, zi, n = float32(0), float32(0), 0
    while n < LIMIT and zr * zr + zi * zi <= 4 do
      zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
      n = n + 1
    end
    steps[row][column] = n
  end
end

pair.cuda = [==[
  __global__ void mandelbrot(int *steps, int height, int width, float left, float top,
                             float scale) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height || column >= width) return;
    float cr = left + scale * (column + 1), ci = top + scale * (row + 1), zr = 0, zi = 0;
    int n = 0;
    while (n < 256 && zr * zr + zi * zi <= 4) {
      float t = zr * zr - zi * zi + cr;
      zi = 2 * zr * zi + ci;
      zr = t;
      n++;
    }
    steps[row * width + column] = n;
  }]==]

function pair.arrays(n) return { out = cuda.zeros({ n, n }, "int32") } end
function pair.launch(n) return { threads = { n, n }, block = { 32, 8 } } end

local f32 = cuda.float32
function pair.for_lua(t)
  return t.out, f32(-2.2), f32(-1.5), f32(3 / t.out.shape[1])
end
function pair.for_cuda(t, n) return t.out, n, n, -2.2, -1.5, 3 / n end

return pair

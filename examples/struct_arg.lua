-- Passes a struct to a kernel. The names, types and offsets of its fields come from the compiler.
--   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 1000)

local wave = cuda.kernel [==[
  struct Wave {
    float amplitude, frequency;
    double phase;
    int harmonics;
  };

  __global__ void wave(Wave w, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double sum = 0, t = (double)i / n;
    for (int h = 1; h <= w.harmonics; h++)
      sum += sin(6.283185307179586 * w.frequency * h * t + w.phase) / h;
    out[i] = w.amplitude * sum;
  }]==]

local out = cuda.empty(n, "float32")
local by_name = { amplitude = 2, frequency = 3, phase = 0.25, harmonics = 5 }
wave({ threads = n }, by_name, out, n)

local again = cuda.empty(n, "float32")
wave({ threads = n }, { 2, 3, 0.25, 5 }, again, n) -- by position
local bytes = ("ffdi4i4"):pack(2, 3, 0.25, 5, 0) -- the layout of C, padding included
wave({ threads = n }, bytes, again, n)
print(out)
print("the same from a table and from bytes: " .. tostring(out:equals(again)))

return out, again, by_name

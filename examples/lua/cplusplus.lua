-- Functions in CUDA C++ that a kernel in Lua calls.   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 1000)

-- The types of its arguments and of its result are those of the declaration.
local sum_of_bytes = cuda.device_function [[
  // the sum of the absolute differences of four bytes, one instruction of the GPU
  __device__ unsigned sum_of_bytes(unsigned a, unsigned b) { return __vsadu4(a, b); }]]

-- A pointer takes an array or a row.
local mean = cuda.device_function [[
  __device__ float mean(const float *x, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    return sum / n;
  }]]

local distances = cuda.jit(function(out, a, b)
  for i in grid(#out) do out[i] = sum_of_bytes(a[i], b[i]) end
end)
local means = cuda.jit(function(out, m)
  for i in grid(#m) do out[i] = mean(m[i], m.shape[2]) end
end)

local a = cuda.arange(n, "uint32") * 2654435761
local b = cuda.arange(n, "uint32") * 40503
local out = cuda.empty(n, "uint32")
distances({ threads = n }, out, a, b)
local m = cuda.arange(n * 8, "float32"):reshape { n, 8 }
local by_row = cuda.empty(n)
means({ threads = n }, by_row, m)

assert(by_row:allclose(m:mean { axis = 2 }))
local want = 0
for k = 0, 24, 8 do want = want + math.abs((a[n] >> k & 255) - (b[n] >> k & 255)) end
assert(out[n] == want)
print(("%d sums of differences on %s: %s"):format(n, out.device.name, tostring(out)))

return a, b, out, m, by_row

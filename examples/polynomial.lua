-- Several kernels of one module share a table in constant memory.   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 1000)
local COEFFICIENTS = { 1, -2, 0.5, 0.25, -0.125 } -- of x^0, x^1, ...

local source = cuda.template [==[
  __constant__ float coefficient[$(COUNT)];

  __global__ void value(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = $(COUNT) - 1; k >= 0; k--) sum = sum * x[i] + coefficient[k];
    y[i] = sum;
  }

  __global__ void slope(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = $(COUNT) - 1; k >= 1; k--) sum = sum * x[i] + k * coefficient[k];
    y[i] = sum;
  }

  // One step of Newton's method towards a zero of the polynomial.
  __global__ void newton(float *x, const float *value, const float *slope, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && slope[i] != 0) x[i] -= value[i] / slope[i];
  }]==]

local module = cuda.module(source { COUNT = #COEFFICIENTS })
module:global "coefficient":set(COEFFICIENTS)

local x = cuda.linspace(-1, 1, n, "float32")
local value, slope, root = cuda.empty_like(x), cuda.empty_like(x), x:copy()
local kernels, launch = module.kernels, { threads = n }
kernels.value(launch, x, value, n)
kernels.slope(launch, x, slope, n)

local v, s = cuda.empty_like(x), cuda.empty_like(x)
for _ = 1, 20 do
  kernels.value(launch, root, v, n)
  kernels.slope(launch, root, s, n)
  kernels.newton(launch, root, v, s, n)
end
print(("a root near 0 is %.6f"):format(root:item(n // 2)))

return x, value, slope, root, COEFFICIENTS

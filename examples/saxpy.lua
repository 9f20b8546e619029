-- Saxpy, the smallest complete program: y = a * x + y.   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 1 << 20)

local saxpy = cuda.kernel [==[
  __global__ void saxpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
  }]==]

local x, y = cuda.arange(n, "float32"), cuda.ones(n, "float32")
saxpy({ threads = n }, 2, x, y, n) -- grid and block are chosen; 2 becomes a float, n an int
print(y)

return y

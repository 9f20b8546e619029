-- Measures what one more kernel of the cache costs in a process that has run another: ms of CPU
-- time from cuda.kernel(source) through its first launch, as a "name value" line. The best of
-- several counts; the first process compiles them.
local cuda = require "luacuda"

cuda.use "cpu"
local SOURCE = [[
  __global__ void scale_%d(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + %d;
  }]]
local x, y = cuda.arange(1000, "float32"), cuda.zeros(1000, "float32")

local function first_launch(source)
  local start = os.clock()
  local scale = cuda.kernel(source)
  scale({ threads = 1000 }, 2, x, y, 1000)
  cuda.synchronize()
  return os.clock() - start
end

first_launch(SOURCE:format(0, 0))
local best = math.huge
for k = 1, 5 do
  best = math.min(best, first_launch(SOURCE:format(k, k)))
  assert(y:item(1000) == 2 * 999 + k)
end
print(("second_kernel_ms %.4f"):format(best * 1e3))

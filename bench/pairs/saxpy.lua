-- saxpy: y = a * x + y, one element for each thread.
local cuda = require "luacuda"

local pair = { name = "saxpy", gpu = 1 << 26, cpu = 1 << 20 }

function pair.lua(a, x, y)
  for i in grid(#x) do y[i] = a * x[i] + y[i] end
end

pair.cuda = [==[
  __global__ void saxpy(float a, const float *__restrict__ x, float *__restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
  }]==]

function pair.arrays(n)
  return { x = cuda.random.uniform(n), out = cuda.ones(n) }
end

function pair.launch(n) return { threads = n, block = 256 } end
function pair.for_lua(t) return 2.5, t.x, t.out end
function pair.for_cuda(t, n) return 2.5, t.x, t.out, n end

return pair

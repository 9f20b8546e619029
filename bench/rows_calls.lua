-- Rows of array_rows.lua: microseconds of calls with small arrays.
local cuda = require "luacuda"
local measure = require "measure"
local call = measure.call

local square = cuda.elementwise("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")
local norm2 = cuda.reduction("T x", "T y", "x * x", "a + b", "y = a", "0", "sum_of_squares")
local x, y, z, s = cuda.ones(1024), cuda.ones(1024), cuda.ones(1024), cuda.zeros({}, "float32")

call("call_prepared", function()
  local f = cuda.kernel [[__global__ void sub(const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] - y[i];
  }]]:prepare { grid = 4, block = 256 }
  return function() f(x, y, z, 1024) end
end)
call("call_elementwise_out", function() return function() square(x, y, z) end end)
call("call_elementwise_new", function() return function() square(x, y) end end)
call("call_add", function() return function() local _ = x + y end end)
call("call_reduction_out", function()
  local options = { out = s }
  return function() norm2(x, options) end
end)
call("call_matmul_32", function()
  local a, b = cuda.ones { 32, 32 }, cuda.ones { 32, 32 }
  return function() local _ = cuda.matmul(a, b) end
end)
local indices = cuda.random.integers(1, 1024, 1024)
local mask = cuda.random.uniform(1024):lt(0.5)
call("call_take", function() return function() local _ = cuda.take(x, indices) end end)
call("call_take_rows", function()
  local a, rows = cuda.ones { 32, 32 }, cuda.random.integers(1, 32, 32)
  local options = { axis = 1 }
  return function() local _ = cuda.take(a, rows, options) end
end)
call("call_put", function() return function() cuda.put(z, indices, y) end end)
call("call_scatter_add", function() return function() cuda.scatter_add(z, indices, y) end end)
call("call_mask", function() return function() local _ = x[mask] end end)
call("call_putmask", function() return function() cuda.putmask(z, mask, 1) end end)
call("call_concatenate", function()
  local list = { x, y }
  return function() local _ = cuda.concatenate(list) end
end)
call("call_stack", function()
  local list = { x, y }
  return function() local _ = cuda.stack(list) end
end)
call("call_roll", function() return function() local _ = cuda.roll(x, 3) end end)
call("call_softmax", function()
  local a, options = cuda.ones { 32, 32 }, { axis = 2 }
  return function() local _ = cuda.softmax(a, options) end
end)
call("call_cumsum", function() return function() local _ = cuda.cumsum(x) end end)
call("call_sort", function() return function() local _ = cuda.sort(x) end end)
call("call_uniform", function() return function() local _ = cuda.random.uniform(1024) end end)
call("call_permutation", function()
  return function() local _ = cuda.random.permutation(1024) end
end)
measure.time_calls()

-- Measures array functions of the CPU device and prints "name value" lines, in milliseconds; the
-- best of several runs.
--   cpu_rows.lua [NAME...]: only these rows
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local cuda = require "luacuda"
local measure = require "measure"

cuda.use "cpu"
cuda.random.seed(1)

local N = 1000000

-- A row: make() returns the function to time.
local function row(name, make)
  measure.row(name, function() return measure.wall_ms(make()) end)
end

-- A row of a function of one array from 0 to 1, of that shape.
local function unary(name, fn, shape)
  row(name, function()
    local x = cuda.random.uniform(shape or N)
    return function() return fn(x) end
  end)
end

row("add", function()
  local x, y = cuda.random.uniform(N), cuda.random.uniform(N)
  return function() return x + y end
end)
unary("exp", cuda.exp)
unary("sum", cuda.sum)
unary("max", cuda.max)
unary("sum_rows", function(x) return x:sum { axis = 2 } end, { 1000, 1000 })
unary("sum_columns", function(x) return x:sum { axis = 1 } end, { 1000, 1000 })
unary("cumsum", function(x) return x:cumsum() end)
unary("transpose", function(x) return x:transpose():copy() end, { 1000, 1000 })
row("mask", function()
  local x = cuda.random.uniform(N)
  local mask = x:lt(0.5)
  return function() return x[mask] end
end)
row("take", function()
  local x, indices = cuda.random.uniform(N), cuda.random.integers(1, N, N)
  return function() return cuda.take(x, indices) end
end)
unary("sort", cuda.sort)
unary("argsort", cuda.argsort)
row("uniform", function() return function() return cuda.random.uniform(N) end end)
row("normal", function() return function() return cuda.random.normal(N) end end)
row("integers", function() return function() return cuda.random.integers(0, 99, N) end end)
row("permutation", function() return function() return cuda.random.permutation(N) end end)

local function product(name, dtype, left, right)
  row(name, function()
    local a, b = cuda.random.uniform(left, { dtype = dtype }), cuda.random.uniform(right,
      { dtype = dtype })
    return function() return cuda.matmul(a, b) end
  end)
end
product("matmul_512", "float32", { 512, 512 }, { 512, 512 })
product("matmul_512_float64", "float64", { 512, 512 }, { 512, 512 })
product("matmul_narrow", "float32", { 10000, 4 }, { 4, 4 })

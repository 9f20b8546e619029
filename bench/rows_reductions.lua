-- Rows of array_rows.lua: reductions and scans.
local cuda = require "luacuda"
local measure = require "measure"
local row, rate, empty, N, SIDE = measure.row, measure.rate, measure.empty, measure.N, measure.SIDE

local norm2 = cuda.reduction("T x", "T y", "x * x", "a + b", "y = a", "0", "sum_of_squares")

row("reduce_all", function()
  local x, y = empty "float32", cuda.zeros({}, "float32")
  return rate(4 * N, function() norm2(x, { out = y }) end)
end)
row("reduce_last_axis", function()
  local x, y = empty("float32", { SIDE, SIDE }), empty("float32", SIDE)
  return rate(4 * N + 4 * SIDE, function() norm2(x, { axis = -1, out = y }) end)
end)
row("reduce_first_axis", function()
  local x, y = empty("float32", { SIDE, SIDE }), empty("float32", SIDE)
  return rate(4 * N + 4 * SIDE, function() norm2(x, { axis = 1, out = y }) end)
end)
row("argmax", function()
  local x, y = empty "float32", cuda.zeros({}, "int64")
  return rate(4 * N, function() x:argmax { out = y } end)
end)
row("sum_int8", function()
  local x, y = empty("int8", 4 * N), cuda.zeros({}, "int64")
  return rate(4 * N, function() x:sum { out = y } end)
end)
row("sum_rows_of_32", function()
  local x, y = empty("float32", { N // 32, 32 }), empty("float32", N // 32)
  return rate(4 * N + N // 8, function() x:sum { axis = -1, out = y } end)
end)
row("sum_strided", function()
  local x, y = empty("float32", 2 * N):slice { 1, -1, 2 }, cuda.zeros({}, "float32")
  return rate(8 * N, function() x:sum { out = y } end)
end)

-- A method that gives one float32 of N.
local function one_number(method)
  return function()
    local x, y = empty "float32", cuda.zeros({}, "float32")
    local options = { out = y }
    return rate(4 * N, function() x[method](x, options) end)
  end
end
row("mean", one_number "mean")
row("var", one_number "var")
row("std", one_number "std")
row("var_last_axis", function()
  local x, y = empty("float32", { SIDE, SIDE }), empty("float32", SIDE)
  return rate(4 * N + 4 * SIDE, function() x:var { axis = -1, out = y } end)
end)
row("softmax", function()
  local shape = { N >> 12, 1 << 12 }
  local x, z = cuda.random.uniform(shape), empty("float32", shape)
  return rate(8 * N, function() cuda.softmax(x, { axis = -1, out = z }) end)
end)

local function scan(dtype, bytes, shape, axis)
  return function()
    local x, z = empty(dtype, shape), empty(dtype, shape)
    return rate(2 * bytes * x.size, function() x:cumsum { axis = axis, out = z } end)
  end
end
row("scan_all", scan("float32", 4, N))
row("scan_last_axis", scan("float32", 4, { SIDE, SIDE }, -1))
row("scan_first_axis", scan("float32", 4, { SIDE, SIDE }, 1))
row("scan_float64", scan("float64", 8, N // 2))
row("scan_int64", scan("int64", 8, N // 2))
row("scan_float64_last_axis", scan("float64", 8, { SIDE // 2, SIDE }, -1))
row("scan_float64_first_axis", scan("float64", 8, { SIDE // 2, SIDE }, 1))

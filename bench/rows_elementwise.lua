-- Rows of array_rows.lua: elementwise functions.
local cuda = require "luacuda"
local measure = require "measure"
local row, rate, empty, N, SIDE = measure.row, measure.rate, measure.empty, measure.N, measure.SIDE

local square = cuda.elementwise("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")

local function binary(dtype, bytes)
  return function()
    local x, y, z = empty(dtype), empty(dtype), empty(dtype)
    return rate(3 * bytes * N, function() square(x, y, z) end)
  end
end
row("elementwise_float32", binary("float32", 4))
row("elementwise_float16", binary("float16", 2))
row("elementwise_uint8", binary("uint8", 1))
row("row_broadcast", function()
  local x, y = empty("float32", { SIDE, SIDE }), empty("float32", SIDE)
  local z = empty("float32", { SIDE, SIDE })
  return rate(8 * N + 4 * SIDE, function() square(x, y, z) end)
end)
row("transposed_input", function()
  local x = empty("float32", { SIDE, SIDE }):transpose()
  local y, z = empty("float32", { SIDE, SIDE }), empty("float32", { SIDE, SIDE })
  return rate(12 * N, function() square(x, y, z) end)
end)
row("astype_float16", function()
  local x = empty "float32"
  return rate(6 * N, function() x:astype "float16":free() end)
end)
row("where", function()
  local c, x, y, z = empty "bool", empty "float32", empty "float32", empty "float32"
  return rate(13 * N, function() cuda.where(c, x, y, { out = z }) end)
end)
row("fuse", function()
  local f = cuda.fuse(function(x, y) return (x - y) * (x - y) end)
  local x, y, z = empty "float32", empty "float32", empty "float32"
  return rate(12 * N, function() f(x, y, { out = z }) end)
end)

-- A function of one array with values from 0 to 1.
local function unary(fn)
  return function()
    local x, z = cuda.random.uniform(N), empty "float32"
    local options = { out = z }
    return rate(8 * N, function() fn(x, options) end)
  end
end
row("exp", unary(cuda.exp))
row("power_float", unary(function(x, options) cuda.power(x, 2.5, options) end))
row("power_square", unary(function(x, options) cuda.power(x, 2, options) end))
row("power_arrays", function()
  local x, y, z = cuda.random.uniform(N), cuda.random.uniform(N), empty "float32"
  return rate(12 * N, function() cuda.power(x, y, { out = z }) end)
end)
row("maximum", function()
  local x, y, z = cuda.random.uniform(N), cuda.random.uniform(N), empty "float32"
  return rate(12 * N, function() cuda.maximum(x, y, { out = z }) end)
end)
row("clip_uint8", function()
  local x, z = empty("uint8", 4 * N), empty("uint8", 4 * N)
  return rate(8 * N, function() cuda.clip(x, 16, 235, { out = z }) end)
end)

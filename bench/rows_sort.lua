-- Rows of array_rows.lua: sorting and matrix products.
local cuda = require "luacuda"
local measure = require "measure"
local row, elements, empty = measure.row, measure.elements, measure.empty

local n = measure.KEYS

local function keys(dtype)
  if dtype:find "float" then return cuda.random.normal(n, { dtype = dtype }) end
  return cuda.random.bits(n, { dtype = dtype == "uint32" and dtype or "uint64" }):view(dtype)
end

local function sort(dtype)
  return function()
    local x, z = keys(dtype), empty(dtype, n)
    return elements(n, function() cuda.sort(x, { out = z }) end)
  end
end
for _, dtype in ipairs { "uint32", "float32", "int64", "uint64", "float64" } do
  row("sort_" .. dtype, sort(dtype))
end

local function argsort(dtype)
  return function()
    local x, z = keys(dtype), empty("int64", n)
    return elements(n, function() cuda.argsort(x, { out = z }) end)
  end
end
for _, dtype in ipairs { "float32", "int64", "float64" } do
  row("argsort_" .. dtype, argsort(dtype))
end

row("unique", function()
  local x = cuda.random.integers(0, 1 << 20, n, { dtype = "int32" })
  return elements(n, function() cuda.unique(x):free() end)
end)

local function product(dtype)
  return function()
    local side = 8192
    local options = { low = -1, high = 1, dtype = dtype }
    local function random() return cuda.random.uniform({ side, side }, options) end
    local a, b, c = random(), random(), empty(dtype, { side, side })
    return 2 * side ^ 3 * 1e-9 / measure.device_ms(function() cuda.matmul(a, b, { out = c }) end)
  end
end
for _, dtype in ipairs { "float32", "float16", "bfloat16", "float64" } do
  row("matmul_" .. dtype, product(dtype))
end

-- Rows of array_rows.lua: random numbers.
local cuda = require "luacuda"
local measure = require "measure"
local row, rate, empty, N = measure.row, measure.rate, measure.empty, measure.N
local random = cuda.random

-- Fills an array of 4 N bytes.
local function fill(dtype, bytes, fn)
  return function()
    local z = empty(dtype, 4 * N // bytes)
    local options = { out = z }
    return rate(4 * N, function() fn(options) end)
  end
end
local function uniform(options) random.uniform(nil, options) end
local function normal(options) random.normal(nil, options) end
local function exponential(options) random.exponential(nil, options) end
local function integers(low, high)
  return function(options) random.integers(low, high, nil, options) end
end
row("random_uniform", fill("float32", 4, uniform))
row("random_uniform_float64", fill("float64", 8, uniform))
row("random_normal", fill("float32", 4, normal))
row("random_normal_float64", fill("float64", 8, normal))
row("random_exponential", fill("float32", 4, exponential))
row("integers_int64", fill("int64", 8, integers(0, 99)))
row("integers_int64_wide", fill("int64", 8, integers(0, 1000000000000000)))
row("integers_int32", fill("int32", 4, integers(0, 99)))
row("integers_int32_power", fill("int32", 4, integers(0, 1023)))
row("integers_uint8", fill("uint8", 1, integers(0, 255)))

local n = measure.KEYS
row("permutation", function()
  return measure.elements(n, function() random.permutation(n):free() end)
end)
row("shuffle", function()
  local x = empty("float32", n)
  return measure.elements(n, function() random.shuffle(x) end)
end)
row("choice", function()
  local x = empty("float32", n)
  return measure.elements(n, function() random.choice(x, n):free() end)
end)

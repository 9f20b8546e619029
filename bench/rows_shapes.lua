-- Rows of array_rows.lua: elements moved, joined and selected.
local cuda = require "luacuda"
local measure = require "measure"
local row, rate, empty, N = measure.row, measure.rate, measure.empty, measure.N

row("copy_transpose3", function()
  local x = empty("float32", { 512, 512, N >> 18 }):transpose(3, 2, 1)
  return rate(8 * N, function() x:copy():free() end)
end)
row("flip", function()
  local x, z = empty "float32", empty "float32"
  return rate(8 * N, function() cuda.copy(z, cuda.flip(x)) end)
end)
row("roll", function()
  local x, z = empty "float32", empty "float32"
  return rate(8 * N, function() cuda.roll(x, 1001, { out = z }) end)
end)
row("concatenate", function()
  local x, y, z = empty("float32", N // 2), empty("float32", N // 2), empty "float32"
  return rate(8 * N, function() cuda.concatenate({ x, y }, { out = z }) end)
end)

-- `count` arrays stacked on a new last axis.
local function stack(count)
  return function()
    local n, list = N // count, {}
    for i = 1, count do list[i] = empty("float32", n) end
    local z = empty("float32", { n, count })
    return rate(8 * n * count, function() cuda.stack(list, { axis = -1, out = z }) end)
  end
end
row("stack_2_last", stack(2))
row("stack_3_last", stack(3))
row("boolean_selection", function()
  local x = cuda.random.uniform(N)
  local mask = x:lt(0.5)
  return rate(5 * N, function() x[mask]:free() end)
end)
row("take", function()
  local n = measure.KEYS
  local x, z = cuda.random.uniform(n), empty("float32", n)
  local indices = cuda.random.integers(1, n, n)
  return measure.elements(n, function() cuda.take(x, indices, { out = z }) end)
end)

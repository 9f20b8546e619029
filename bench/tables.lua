-- Measures conversions of tables to arrays and back on the current device. Prints "name value"
-- lines.
local cuda = require "luacuda"
local now = require "bench_clock"

local numbers = {}
for i = 1, 1000000 do numbers[i] = i * 0.5 end

local function best_ms(fn)
  local best = math.huge
  for _ = 1, 7 do
    local start = now()
    fn()
    best = math.min(best, (now() - start) * 1e3)
  end
  return best
end

local array
print(("table_to_array %.4f"):format(best_ms(function()
  array = cuda.array(numbers, "float32")
  cuda.synchronize()
end)))
local back
print(("array_to_table %.4f"):format(best_ms(function() back = array:totable() end)))
assert(back[1000000] == 500000)

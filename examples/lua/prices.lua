-- What a kernel takes from around it: numbers, tables of numbers, and arrays.   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 1000)
local tax = 0.08                                  -- a constant of the kernel
local PRICES = { 10, 25, 5, 15, 30 }              -- so is a table of numbers
local stock = cuda.full(#PRICES, 100000, "int32") -- an array is an argument that nobody writes down

local sell = cuda.jit(function(total, item, count)
  for i in grid(#total) do
    total[i] = count[i] * PRICES[item[i]] * (1 + tax)
    atomic_sub(stock, item[i], count[i])
  end
end)

local item = cuda.arange(n, "int32") % #PRICES + 1
local count = cuda.arange(n, "int32") % 4
local total = cuda.empty(n, "float64")
sell({ threads = n }, total, item, count)
local before = total:copy()

-- A change is noticed at the next launch, which makes another kernel where a constant has changed.
tax, PRICES[2] = 0.1, 50
sell({ threads = n }, total, item, count)

local left, sold = 0, count:astype("int64"):sum()
for _, v in ipairs(stock:totable()) do left = left + v end
assert(left == 100000 * #PRICES - 2 * sold)
assert(math.abs(before[4] - 3 * 15 * 1.08) < 1e-9 and math.abs(total[2] - 50 * 1.1) < 1e-9)
print(("%d sales on %s: %.2f, later %.2f; %d left"):format(n, total.device.name, before:sum(),
  total:sum(), left))

return item, count, before, total, stock

-- Adds 1 to the elements of a vector, a matrix and every second column of it.
--   Arguments: [ROWS COLUMNS]
local cuda = require "luacuda"

local rows, columns = ...
rows, columns = math.tointeger(tonumber(rows) or 40), math.tointeger(tonumber(columns) or 100)

local increment = cuda.jit(function(x)
  for i in grid(#x) do x[i] = x[i] + 1 end
end)

-- The extents of `grid` are in the order of the axes; in a launch, x comes first.
local increment_matrix = cuda.jit(function(m)
  for i, j in grid(#m, m.shape[2]) do m[i][j] = m[i][j] + 1 end
end)

local x, m = cuda.arange(columns), cuda.zeros({ rows, columns }, "int32")
increment({ threads = columns }, x)
increment_matrix({ threads = { columns, rows } }, m)
increment_matrix({ threads = { columns // 2, rows } }, m:slice({}, { 2, columns, 2 })) -- a view
increment_matrix({ grid = { 1, 1 }, block = { 8, 8 } }, m) -- each thread takes several elements

assert(cuda.array_equal(x, cuda.arange(1, columns + 1)))
assert(m[1][1] == 2 and m[rows][2] == 3)
print(("%d x %d on %s: %s"):format(rows, columns, m.device.name, tostring(m[1])))

return x, m

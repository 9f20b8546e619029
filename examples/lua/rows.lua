-- Row by row through a matrix, each row by the whole grid: a row needs the one before it.
--   Arguments: [ROWS COLUMNS]
local cuda = require "luacuda"

local rows, columns = ...
rows, columns = math.tointeger(tonumber(rows) or 200), math.tointeger(tonumber(columns) or 500)

-- An element is one more than its mirror image in the row above, which another block may have
-- written.
local count = cuda.jit(function(m)
  for i = 2, #m do
    local row, above = m[i], m[i - 1]
    for j in grid(#row) do row[j] = above[#above + 1 - j] + 1 end
    syncgrid()
  end
end)

local m = cuda.zeros({ rows, columns }, "int32")
m[1] = cuda.arange(columns, "int32")
count({ grid = 4, block = 64 }, m)
local sum = m[rows - 1] + m[rows]
-- A row and its mirror image have the same sum everywhere.
assert(sum:min() == sum:max() and sum[1] == columns - 1 + 2 * rows - 3)
print(("%d x %d on %s: the last row is %s"):format(rows, columns, m.device.name,
  tostring(m[rows])))

return m

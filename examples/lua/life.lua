-- The game of life on a board whose edges meet.   Arguments: [ROWS COLUMNS [GENERATIONS]]
local cuda = require "luacuda"

local rows, columns, generations = ...
rows, columns = math.tointeger(tonumber(rows) or 20), math.tointeger(tonumber(columns) or 60)
generations = math.tointeger(tonumber(generations) or 50)

local live = cuda.jit(function(later, now)
  local height, width = #now, now.shape[2]
  for i, j in grid(height, width) do
    local alive = 0 -- in the square of 3 x 3 cells around this one, itself included
    for di = -1, 1 do
      -- `%` gives 0 ... height - 1, also for negative numbers; indices begin at 1.
      local row = now[(i + di - 1) % height + 1]
      for dj = -1, 1 do alive = alive + row[(j + dj - 1) % width + 1] end
    end
    -- A condition is a boolean; an element is a number, and 0 would be true in Lua.
    later[i][j] = (alive == 3 or alive == 4 and now[i][j] == 1) and 1 or 0
  end
end)

local seed, board = 1, {}
for i = 1, rows do
  board[i] = {}
  for j = 1, columns do
    seed = (seed * 1103515245 + 12345) & 0x7fffffff
    board[i][j] = (seed >> 16) % 3 == 0 and 1 or 0
  end
end
local first = cuda.array(board, "uint8")

local now, later, check = first:copy(), cuda.empty_like(first), first:copy()
for _ = 1, generations do
  live({ threads = { columns, rows } }, later, now)
  now, later = later, now
end

for _ = 1, generations do -- the same with shifted copies of the board
  local around = -check
  for di = -1, 1 do
    for dj = -1, 1 do around = around + cuda.roll(check, { di, dj }, { axis = { 1, 2 } }) end
  end
  local alive = cuda.logical_or(around:eq(3), cuda.logical_and(around:eq(2), check:eq(1)))
  check = alive:astype "uint8"
end
assert(cuda.array_equal(now, check))

for _, row in ipairs(now:totable()) do
  for j, cell in ipairs(row) do row[j] = cell == 1 and "O" or "." end
  print(table.concat(row))
end

return first, now, generations

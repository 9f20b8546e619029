-- layout_places.lua: the elements of threads, and the threads of elements, in a layout
-- (thread_layout.lua). Threads and registers count from 0, rows and columns from 1.

local layout = require "luacuda.tiles.thread_layout"

local M = {}

-- place(l, thread, register) -> the row and the column of the element
function M.place(l, thread, register)
  local numbers = { lane = thread % layout.LANES, warp = thread // layout.LANES, reg = register }
  local at = { 1, 1 }
  for _, f in ipairs(l.factors) do
    if f.axis ~= 0 then
      at[f.axis] = at[f.axis] + numbers[f.owner] // f.weight % f.size * f.stride
    end
  end
  return at[1], at[2]
end

local holders = setmetatable({}, { __mode = "k" }) -- layout -> row * columns + column -> holder

local function holders_of(l)
  local list = holders[l]
  if list then return list end
  list = {}
  for thread = 0, l.warps * layout.LANES - 1 do
    for register = 0, l.registers - 1 do
      local row, column = M.place(l, thread, register)
      local element = row * l.shape[2] + column
      list[element] = list[element] or thread * l.registers + register
    end
  end
  holders[l] = list
  return list
end

-- holder(l, row, column) -> the first thread that holds the element, and the register
function M.holder(l, row, column)
  local number = holders_of(l)[row * l.shape[2] + column]
  return number // l.registers, number % l.registers
end

-- copies(l) -> how many threads hold each element
function M.copies(l)
  local n = 1
  for _, f in ipairs(layout.each(l, nil, 0)) do n = n * f.size end
  return n
end

-- runs(l, row, first, last) -> what threads hold of the columns of a row, those that one holds in
-- registers side by side together: { column =, size =, thread =, register = }
function M.runs(l, row, first, last)
  local list, run = {}, nil
  for column = first, last do
    local thread, register = M.holder(l, row, column)
    if run and run.thread == thread and register == run.register + run.size then
      run.size = run.size + 1
    else
      run = { column = column, size = 1, thread = thread, register = register }
      list[#list + 1] = run
    end
  end
  return list
end

return M

-- layout_picture.lua: a layout (thread_layout.lua) as an SVG picture: a color for each warp, and
-- the numbers of the lanes.

local layout = require "luacuda.tiles.thread_layout"
local places = require "luacuda.tiles.layout_places"
local title = require("luacuda.tiles.layout_text").title

local M = {}

local WIDTH, HEIGHT = 16, 18          -- of an element
local LEFT, TOP, MARGIN = 40, 62, 12  -- of the first element; beside the last
local LETTER, ENTRY = 7, 62           -- width of a letter of the title, of a warp of the legend
local MARK = 8                        -- rows and columns from one number at the edge to the next
local MOST_ROWS, MOST_COLUMNS = 32, 64 -- that are shown by default

-- Colors that differ: the golden angle apart on the wheel.
local function color(warp, lightness)
  return ("hsl(%d, 60%%, %d%%)"):format(warp * 137 % 360, lightness)
end

local function range(word, first, last)
  if first == last then return ("%s %d"):format(word, first) end
  return ("%ss %d to %d"):format(word, first, last)
end

local function put(lines, text, ...) lines[#lines + 1] = text:format(...) end

-- The box of what a thread holds side by side in a row, with a text that is shown at the pointer.
local function add_box(lines, x, y, row, run)
  local warp, lane = run.thread // layout.LANES, run.thread % layout.LANES
  put(lines, '<rect x="%d" y="%d" width="%d" height="%d" fill="%s"><title>row %d, %s: warp %d, '
    .. 'lane %d, %s</title></rect>', x, y, run.size * WIDTH, HEIGHT,
    color(warp, run.register // run.size % 2 == 0 and 78 or 70), row,
    range("column", run.column, run.column + run.size - 1), warp, lane,
    range("register", run.register, run.register + run.size - 1))
end

local function add_elements(lines, l, rows, columns)
  local numbers = {}
  put(lines, '<g stroke="#ffffff">')
  for row = rows[1], rows[2] do
    local y = TOP + (row - rows[1]) * HEIGHT
    for _, run in ipairs(places.runs(l, row, columns[1], columns[2])) do
      local x = LEFT + (run.column - columns[1]) * WIDTH
      add_box(lines, x, y, row, run)
      put(numbers, '<text x="%d" y="%d">%d</text>', x + run.size * WIDTH // 2, y + HEIGHT - 5,
        run.thread % layout.LANES)
    end
  end
  put(lines, "</g>")
  table.move(numbers, 1, #numbers, #lines + 1, lines)
end

-- The numbers of rows and columns at the edges.
local function add_marks(lines, rows, columns)
  for column = columns[1], columns[2], MARK do
    put(lines, '<text x="%d" y="%d">%d</text>',
      LEFT + (column - columns[1]) * WIDTH + WIDTH // 2, TOP - 5, column)
  end
  for row = rows[1], rows[2], MARK do
    put(lines, '<text x="%d" y="%d" text-anchor="end">%d</text>', LEFT - 5,
      TOP + (row - rows[1]) * HEIGHT + HEIGHT - 5, row)
  end
end

local function add_legend(lines, warps)
  for warp = 0, warps - 1 do
    local x = LEFT + warp * ENTRY
    put(lines, '<rect x="%d" y="26" width="10" height="10" fill="%s"/>', x, color(warp, 74))
    put(lines, '<text x="%d" y="35" text-anchor="start">warp %d</text>', x + 14, warp)
  end
end

-- svg(name, dtype, l, part) -> the picture; part: { rows =, columns = { first, last } or nil }
function M.svg(name, dtype, l, part)
  local rows = part.rows or { 1, math.min(l.shape[1], MOST_ROWS) }
  local columns = part.columns or { 1, math.min(l.shape[2], MOST_COLUMNS) }
  local words = ("%s; %s, %s"):format(title(name, dtype, l), range("row", rows[1], rows[2]),
    range("column", columns[1], columns[2]))
  local width = LEFT + MARGIN + math.max((columns[2] - columns[1] + 1) * WIDTH, l.warps * ENTRY,
    #words * LETTER)
  local height = TOP + (rows[2] - rows[1] + 1) * HEIGHT + MARGIN
  local lines = {}
  put(lines, '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" '
    .. 'font-family="sans-serif" font-size="10" text-anchor="middle" fill="#333333">', width,
    height, width, height)
  put(lines, '<rect width="%d" height="%d" fill="#ffffff"/>', width, height)
  put(lines, '<text x="%d" y="16" font-size="13" text-anchor="start">%s</text>', LEFT, words)
  add_legend(lines, l.warps)
  add_marks(lines, rows, columns)
  add_elements(lines, l, rows, columns)
  put(lines, "</svg>\n")
  return table.concat(lines, "\n")
end

return M

-- layout_text.lua: a layout (thread_layout.lua) as text: its factors, the warps of the tile, and
-- the threads of some elements.

local columns = require "luacuda.base.columns"
local layout = require "luacuda.tiles.thread_layout"
local places = require "luacuda.tiles.layout_places"

local M = {}

local OWNERS = { "lane", "reg", "warp" }
local AXES = { "row", "column" }
local MOST_ROWS, MOST_CELLS, MOST_BOXES = 16, 8, 16

-- Factors -----------------------------------------------------------------------------------------

-- "2 by 1, 32 by 8": how many digits, and how far apart
local function factors_text(l, owner, axis)
  local words = {}
  for _, f in ipairs(layout.each(l, owner, axis)) do
    words[#words + 1] = axis == 0 and tostring(f.size) or ("%d by %d"):format(f.size, f.stride)
  end
  return #words > 0 and table.concat(words, ", ") or "-"
end

local function factor_lines(l)
  local rows = { { "", "lanes", "registers", "warps" } }
  local function add(label, axis)
    local row = { label }
    for k, owner in ipairs(OWNERS) do row[k + 1] = factors_text(l, owner, axis) end
    rows[#rows + 1] = row
  end
  add("rows", 1)
  add("columns", 2)
  if places.copies(l) > 1 then add("copies", 0) end
  return columns.lines(rows, 4)
end

-- "row = 1 + lane // 4 + register // 2 % 2 * 8"
local function formula(l, axis)
  local text = "1"
  for _, part in ipairs{ layout.base(l, axis), layout.offset(l, axis, "register") } do
    if part ~= "0" then text = ("%s + %s"):format(text, part) end
  end
  text = text:gsub("_(%a+)", "%1"):gsub("/", "//"):gsub("%(([%w]+)%)", "%1")
  return ("%-6s = %s"):format(AXES[axis], text:gsub("[()]", ""))
end

-- Warps -------------------------------------------------------------------------------------------

-- The extent of a box that one warp holds, along an axis.
local function box_of(l, axis)
  local least = l.shape[axis]
  for _, f in ipairs(layout.each(l, "warp", axis)) do least = math.min(least, f.stride) end
  return least
end

local function warp_lines(l)
  local height, width = box_of(l, 1), box_of(l, 2)
  local down, across = l.shape[1] // height, l.shape[2] // width
  if down * across == 1 then return {} end
  local rows = {}
  if across > 1 then
    rows[1] = { "" }
    for j = 0, math.min(across, MOST_BOXES) - 1 do rows[1][j + 2] = tostring(1 + j * width) end
  end
  for i = 0, math.min(down, MOST_BOXES) - 1 do
    local row = { ("row %d"):format(1 + i * height) }
    for j = 0, math.min(across, MOST_BOXES) - 1 do
      row[#row + 1] = tostring(places.holder(l, 1 + i * height, 1 + j * width) // layout.LANES)
    end
    if across > MOST_BOXES then row[#row + 1] = "..." end
    rows[#rows + 1] = row
  end
  local lines = columns.lines(rows, 1)
  if down > MOST_BOXES then lines[#lines + 1] = "..." end
  table.insert(lines, 1, ("warps, of %d x %d elements each:"):format(height, width))
  return lines
end

-- Elements ----------------------------------------------------------------------------------------

local function range(first, last)
  return first == last and tostring(first) or ("%d-%d"):format(first, last)
end

-- "row 1", "rows 1-16"
local function named(word, first, last)
  return ("%s%s %s"):format(word, first == last and "" or "s", range(first, last))
end

local function cell(run)
  return ("%d/%d:%s"):format(run.thread // layout.LANES, run.thread % layout.LANES,
    range(run.register, run.register + run.size - 1))
end

-- The last column of as many runs as a line has room for.
local function last_column(l)
  local runs = places.runs(l, 1, 1, l.shape[2])
  local last = runs[math.min(#runs, MOST_CELLS)]
  return last.column + last.size - 1
end

-- default_part(l) -> the rows and columns that are shown
local function default_part(l)
  return { 1, math.min(l.shape[1], MOST_ROWS) }, { 1, last_column(l) }
end

local function element_lines(l, part)
  local rows, across = default_part(l)
  rows, across = part.rows or rows, part.columns or across
  local head, list = { "" }, {}
  for _, run in ipairs(places.runs(l, rows[1], across[1], across[2])) do
    head[#head + 1] = range(run.column, run.column + run.size - 1)
  end
  list[1] = head
  for row = rows[1], rows[2] do
    local line = { ("row %d"):format(row) }
    for _, run in ipairs(places.runs(l, row, across[1], across[2])) do
      line[#line + 1] = cell(run)
    end
    list[#list + 1] = line
  end
  local lines = columns.lines(list, 1)
  table.insert(lines, 1, ("warp/lane:registers of %s and %s:"):format(
    named("row", rows[1], rows[2]), named("column", across[1], across[2])))
  return lines
end

-- title(name, dtype, l) -> "total: float32 128 x 256, 128 registers in each of 8 x 32 threads"
function M.title(name, dtype, l)
  local copies = places.copies(l)
  return ("%s: %s %d x %d, %d %s in each of %d x %d threads%s"):format(name, dtype, l.shape[1],
    l.shape[2], l.registers, l.registers == 1 and "element" or "elements", l.warps, layout.LANES,
    copies > 1 and (", %d of which hold each element"):format(copies) or "")
end

-- text(name, dtype, l, part) -> all of it; part: { rows =, columns = { first, last } or nil }
function M.text(name, dtype, l, part)
  local lines = { M.title(name, dtype, l) }
  local function add(more)
    for _, line in ipairs(more) do lines[#lines + 1] = "  " .. line end
  end
  add(factor_lines(l))
  add{ formula(l, 1), formula(l, 2) }
  add(warp_lines(l))
  add(element_lines(l, part))
  return table.concat(lines, "\n")
end

return M

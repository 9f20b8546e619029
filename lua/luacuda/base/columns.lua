-- columns.lua: rows of texts as lines with aligned columns.

local function length_of(text) return utf8.len(text) or #text end

local function widths_of(rows)
  local widths = {}
  for _, row in ipairs(rows) do
    for i, text in ipairs(row) do widths[i] = math.max(widths[i] or 0, length_of(text)) end
  end
  return widths
end

local function line_of(row, widths, left)
  local cells = {}
  for i, text in ipairs(row) do
    local space = (" "):rep(widths[i] - length_of(text))
    cells[i] = i <= left and text .. space or space .. text
  end
  return (table.concat(cells, "  "):gsub("%s+$", ""))
end

-- columns.lines(rows, left) -> a line for each row; the first `left` columns are aligned on the
-- left, the others on the right
local function lines(rows, left)
  local widths, list = widths_of(rows), {}
  for i, row in ipairs(rows) do list[i] = line_of(row, widths, left) end
  return list
end

return { lines = lines }

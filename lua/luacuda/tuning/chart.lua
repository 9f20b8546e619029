-- chart.lua: the result of cuda.tune as an SVG picture: a panel for each parameter with the times
-- of all candidates over its values, and a line through the best time of each value.

local lists = require "luacuda.base.lists"
local text_of = require("luacuda.tuning.space").text_of

local WIDTH, HEIGHT, ACROSS = 340, 240, 3     -- of a panel; panels in a row
local LEFT, RIGHT, TOP, BOTTOM = 62, 16, 30, 42 -- margins in a panel
local HEAD = 52                               -- above the panels
local LOG_FROM = 20                           -- ratio of times from which the scale is logarithmic
local DOT, BEST, LINE, GRID, INK = "#5b8db8", "#c8442f", "#1f4e79", "#dddddd", "#333333"

local ESCAPES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

-- Text of XML, which has no control characters.
local function escape(text)
  text = text:gsub('[&<>"]', ESCAPES):gsub("%c", " ")
  return utf8.len(text) and text or text:gsub("[\128-\255]", "?")
end

-- With a decimal point in every locale, and no more than two digits after it.
local function coordinate(v)
  local hundredths = math.floor(v * 100 + 0.5)
  return ("%d.%02d"):format(hundredths // 100, hundredths % 100)
end

-- Markup with coordinates for the marks "@" and texts for the marks "$".
local function markup(format, ...)
  local values, i = { ... }, 0
  return (format:gsub("[@$]", function(mark)
    i = i + 1
    return mark == "@" and coordinate(values[i]) or escape(tostring(values[i]))
  end))
end

-- Scales ------------------------------------------------------------------------------------------

local function time_scale(rows)
  local least, most = math.huge, 0
  for _, row in ipairs(rows) do least, most = math.min(least, row.ms), math.max(most, row.ms) end
  if least > 0 and most / least >= LOG_FROM then
    return { log = true, low = math.log(least, 10), high = math.log(most, 10) }
  end
  return { low = 0, high = most > 0 and most * 1.05 or 1 }
end

-- The height of a time, from the top of a panel.
local function y_of(scale, ms)
  local at = scale.log and math.log(ms, 10) or ms
  local span = math.max(scale.high - scale.low, 1e-9)
  return TOP + (1 - (at - scale.low) / span) * (HEIGHT - TOP - BOTTOM)
end

local TICKS = 4

local function ticks_of(scale)
  local list = {}
  for i = 0, TICKS do
    local at = scale.low + (scale.high - scale.low) * i / TICKS
    list[i + 1] = scale.log and 10 ^ at or at
  end
  return list
end

-- Numbers in order, then the others as texts.
local function comes_before(a, b)
  local first, other = math.type(a) ~= nil, math.type(b) ~= nil
  if first ~= other then return first end
  if first then return a < b end
  return text_of(a) < text_of(b)
end

-- The values of a parameter among the rows, and the place of each: text -> x in a panel.
local function places_of(rows, name)
  local values, place, seen = {}, {}, {}
  for _, row in ipairs(rows) do
    local v = row.parameters[name]
    if not seen[text_of(v)] then seen[text_of(v)], values[#values + 1] = true, v end
  end
  table.sort(values, comes_before)
  local step = (WIDTH - LEFT - RIGHT) / #values
  for i, v in ipairs(values) do
    place[text_of(v)] = LEFT + (i - 0.5) * step
    values[i] = text_of(v)
  end
  return values, place
end

-- Panels ------------------------------------------------------------------------------------------

local function add_axes(out, name, scale, values, place)
  for _, ms in ipairs(ticks_of(scale)) do
    local y = y_of(scale, ms)
    out[#out + 1] = markup('<line x1="@" y1="@" x2="@" y2="@" stroke="$"/>', LEFT, y,
      WIDTH - RIGHT, y, GRID)
    out[#out + 1] = markup('<text x="@" y="@" text-anchor="end">$</text>', LEFT - 6, y + 4,
      ("%.3g"):format(ms))
  end
  for _, value in ipairs(values) do
    out[#out + 1] = markup('<text x="@" y="@" text-anchor="middle">$</text>', place[value],
      HEIGHT - BOTTOM + 16, value)
  end
  out[#out + 1] = markup('<text x="@" y="@" text-anchor="middle" font-weight="bold">$</text>',
    (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, name)
end

-- A line through the best time of each value.
local function add_line(out, rows, name, scale, values, place)
  local best, points = {}, {}
  for _, row in ipairs(rows) do
    local value = text_of(row.parameters[name])
    best[value] = math.min(best[value] or math.huge, row.ms)
  end
  for i, value in ipairs(values) do
    points[i] = coordinate(place[value]) .. "," .. coordinate(y_of(scale, best[value]))
  end
  out[#out + 1] = markup('<polyline points="$" fill="none" stroke="$" stroke-width="1.5"/>',
    table.concat(points, " "), LINE)
end

local function words_of(row)
  local words = {}
  for i, name in ipairs(lists.sorted_keys(row.parameters)) do
    words[i] = name .. "=" .. text_of(row.parameters[name])
  end
  return table.concat(words, " ")
end

-- A dot for each candidate; the winner, which is the first row, comes last, above the others.
local function add_dots(out, rows, name, scale, place)
  for i = #rows, 1, -1 do
    local row = rows[i]
    out[#out + 1] = markup(
      '<circle cx="@" cy="@" r="@" fill="$" fill-opacity="$"><title>$: $ ms</title></circle>',
      place[text_of(row.parameters[name])], y_of(scale, row.ms), i == 1 and 5 or 3,
      i == 1 and BEST or DOT, i == 1 and "1" or "0.7", words_of(row), ("%.4g"):format(row.ms))
  end
end

local function add_panel(out, rows, name, scale, column, line)
  local values, place = places_of(rows, name)
  out[#out + 1] = markup('<g transform="translate(@ @)">', column * WIDTH, HEAD + line * HEIGHT)
  add_axes(out, name, scale, values, place)
  add_line(out, rows, name, scale, values, place)
  add_dots(out, rows, name, scale, place)
  out[#out + 1] = "</g>"
end

local function good_rows(result)
  local list = {}
  for _, row in ipairs(result.rows) do
    if row.state == "ok" then list[#list + 1] = row end
  end
  return list
end

-- chart.svg(result) -> SVG
local function svg(result)
  local rows, names = good_rows(result), lists.sorted_keys(result.best)
  local across = math.min(#names, ACROSS)
  local width = math.max(across * WIDTH, 2 * WIDTH)
  local height = HEAD + (#names + ACROSS - 1) // ACROSS * HEIGHT
  local scale = time_scale(rows)
  local out = {
    markup('<svg xmlns="http://www.w3.org/2000/svg" width="$" height="$" viewBox="0 0 $ $" '
      .. 'font-family="sans-serif" font-size="11" fill="$">', width, height, width, height, INK),
    markup('<rect width="$" height="$" fill="#ffffff"/>', width, height),
    markup('<text x="12" y="22" font-size="15">$ on $: $ ms</text>', result.name, result.device,
      ("%.4g"):format(result.ms)),
    markup('<text x="12" y="40" fill="$">$</text>', BEST, words_of { parameters = result.best }),
    markup('<text x="$" y="22" text-anchor="end">$</text>', width - 12,
      scale.log and "ms, logarithmic" or "ms"),
  }
  for i, name in ipairs(names) do
    add_panel(out, rows, name, scale, (i - 1) % ACROSS, (i - 1) // ACROSS)
  end
  out[#out + 1] = "</svg>"
  return table.concat(out, "\n") .. "\n"
end

return { svg = svg }

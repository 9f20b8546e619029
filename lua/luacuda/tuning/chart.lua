-- chart.lua: the result of cuda.tune as an SVG picture: a panel for each parameter with the times
-- of all candidates over its values, and a line through the best time of each value.

local lists = require "luacuda.base.lists"
local text_of = require("luacuda.tuning.space").text_of

local WIDTH, HEIGHT, ACROSS = 340, 240, 3     -- of a panel; panels in a row
local LEFT, RIGHT, TOP, BOTTOM = 62, 16, 30, 42 -- margins in a panel
local HEAD = 52                               -- above the panels
local LETTER, MOST_LABEL = 6.2, 90            -- width of a letter; of labels that have room
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
    local low, high = math.log(least, 10), math.log(most, 10)
    local room = (high - low) / 20
    return { log = true, low = low - room, high = high + room }
  end
  return { low = 0, high = most > 0 and most * 1.05 or 1 }
end

-- The height of a time, from the top of a panel.
local function y_of(scale, ms)
  local at = scale.log and math.log(ms, 10) or ms
  local span = math.max(scale.high - scale.low, 1e-9)
  return TOP + (1 - (at - scale.low) / span) * (HEIGHT - TOP - BOTTOM)
end

local TICKS = 5 -- about as many

-- Multiples of 1, 2 or 5 times a power of ten.
local function linear_ticks(scale)
  local least = scale.high / TICKS
  local power = 10 ^ math.floor(math.log(least, 10))
  local step = 10 * power
  for _, factor in ipairs { 5, 2, 1 } do
    if factor * power >= least then step = factor * power end
  end
  local list = {}
  for i = 0, math.floor(scale.high / step) do list[i + 1] = i * step end
  return list
end

-- Powers of ten; of few decades also their doubles and their fives.
local function decade_ticks(scale)
  local list = {}
  local factors = scale.high - scale.low < TICKS / 2 and { 1, 2, 5 } or { 1 }
  for power = math.floor(scale.low), math.ceil(scale.high) do
    for _, factor in ipairs(factors) do
      local at = math.log(factor, 10) + power
      if at >= scale.low and at <= scale.high then list[#list + 1] = factor * 10.0 ^ power end
    end
  end
  return list
end

local function ticks_of(scale)
  return scale.log and decade_ticks(scale) or linear_ticks(scale)
end

-- Numbers in order, then the others as texts; lists by their items.
local comes_before
function comes_before(a, b)
  if type(a) == "table" and type(b) == "table" then
    for i = 1, math.min(#a, #b) do
      if text_of(a[i]) ~= text_of(b[i]) then return comes_before(a[i], b[i]) end
    end
    return #a < #b
  end
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

-- Are the labels too wide to stand side by side? Then also how wide the widest is.
local function are_wide(values)
  local widest = 0
  for _, value in ipairs(values) do
    widest = math.max(widest, LETTER * (utf8.len(value) or #value))
  end
  return widest > (WIDTH - LEFT - RIGHT) / #values - LETTER, math.min(widest, MOST_LABEL)
end

-- Labels that do not fit side by side are turned, and of very many some are left out.
local function add_labels(out, values, place)
  local y, turned = HEIGHT - BOTTOM + 16, are_wide(values)
  local every = turned and math.ceil(2 * LETTER * #values / (WIDTH - LEFT - RIGHT)) or 1
  for i = 1, #values, every do
    local x = place[values[i]]
    out[#out + 1] = turned
      and markup('<text x="@" y="@" text-anchor="end" transform="rotate(-45 @ @)">$</text>', x + 4,
        y - 4, x + 4, y - 4, values[i])
      or markup('<text x="@" y="@" text-anchor="middle">$</text>', x, y, values[i])
  end
end

-- `extra`: what turned labels add to the height
local function add_axes(out, name, scale, values, place, extra)
  for _, ms in ipairs(ticks_of(scale)) do
    local y = y_of(scale, ms)
    out[#out + 1] = markup('<line x1="@" y1="@" x2="@" y2="@" stroke="$"/>', LEFT, y,
      WIDTH - RIGHT, y, GRID)
    out[#out + 1] = markup('<text x="@" y="@" text-anchor="end">$</text>', LEFT - 6, y + 4,
      ("%.3g"):format(ms))
  end
  add_labels(out, values, place)
  out[#out + 1] = markup('<text x="@" y="@" text-anchor="middle" font-weight="bold">$</text>',
    (LEFT + WIDTH - RIGHT) / 2, HEIGHT + extra - 8, name)
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

local function add_panel(out, rows, name, scale, column, line, extra)
  local values, place = places_of(rows, name)
  out[#out + 1] = markup('<g transform="translate(@ @)">', column * WIDTH,
    HEAD + line * (HEIGHT + extra))
  add_axes(out, name, scale, values, place, extra)
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

-- The height that turned labels add to every panel.
local function extra_height(rows, names)
  local most = 0
  for _, name in ipairs(names) do
    local wide, widest = are_wide((places_of(rows, name)))
    if wide then most = math.max(most, math.ceil(widest * 0.71) - 8) end
  end
  return most
end

-- chart.svg(result) -> SVG
local function svg(result)
  local rows, names = good_rows(result), lists.sorted_keys(result.best)
  local across = math.min(#names, ACROSS)
  local width = math.max(across * WIDTH, 2 * WIDTH)
  local extra = extra_height(rows, names)
  local height = HEAD + (#names + ACROSS - 1) // ACROSS * (HEIGHT + extra)
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
    add_panel(out, rows, name, scale, (i - 1) % ACROSS, (i - 1) // ACROSS, extra)
  end
  out[#out + 1] = "</svg>"
  return table.concat(out, "\n") .. "\n"
end

return { svg = svg }

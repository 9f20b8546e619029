-- The picture of a search, read back and compared with a calculation of where everything belongs.
local helper = require "spec.helper"
local cuda = require "luacuda"
local svg = require "spec.support.svg"
local tuning = require "spec.support.tuning"

-- Panels, three in a row under a head; axes in them, from the left to the right and from the top to
-- the bottom; the width of a letter.
local WIDE, HIGH, HEAD = 340, 240, 52
local LEFT, RIGHT, TOP, BOTTOM = 62, 324, 30, 198
local LETTER = 6.2

local function log10(v) return math.log(v) / math.log(10) end

-- What is expected -------------------------------------------------------------------------------

local function text_of(v)
  if math.type(v) == "float" then return ("%.14g"):format(v) end
  if type(v) ~= "table" then return tostring(v) end
  local items = {}
  for i, item in ipairs(v) do items[i] = text_of(item) end
  return "{" .. table.concat(items, ", ") .. "}"
end

-- Is a before b? Numbers by size, then texts; lists by their first difference.
local function before(a, b)
  if type(a) == "table" and type(b) == "table" then
    local i = 1
    while a[i] ~= nil and a[i] == b[i] do i = i + 1 end
    if a[i] == nil or b[i] == nil then return b[i] ~= nil end
    return before(a[i], b[i])
  end
  if type(a) == "number" and type(b) == "number" then return a < b end
  if type(a) == "number" or type(b) == "number" then return type(a) == "number" end
  return text_of(a) < text_of(b)
end

local function sorted_names(parameters)
  local names = {}
  for name in pairs(parameters) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function words_of(parameters)
  local words = {}
  for i, name in ipairs(sorted_names(parameters)) do
    words[i] = name .. "=" .. text_of(parameters[name])
  end
  return table.concat(words, " ")
end

-- The texts of the values of a parameter that have a time, in order, by an insertion of each.
local function values_of(rows, name)
  local values, texts, seen = {}, {}, {}
  for _, row in ipairs(rows) do
    local v, i = row.parameters[name], 1
    if not seen[text_of(v)] then
      seen[text_of(v)] = true
      while values[i] ~= nil and before(values[i], v) do i = i + 1 end
      table.insert(values, i, v)
      table.insert(texts, i, text_of(v))
    end
  end
  return texts
end

-- Numbers 1, 2 and 5 times a power of ten, from 1e-12 on, in order.
local function round_numbers()
  local list = {}
  for power = -12, 12 do
    for _, digit in ipairs { "1", "2", "5" } do
      list[#list + 1] = tonumber(digit .. "e" .. power)
    end
  end
  return list
end

-- { part = function(ms): 0 at the bottom of the axis to 1 at its top, ticks =, log = }
local function linear(most)
  local high, ticks, step = most > 0 and most * 1.05 or 1, {}, nil
  for _, v in ipairs(round_numbers()) do
    step = step or v * 5 >= high and v
  end
  local n = 0
  while n * step <= high do
    n = n + 1
    ticks[n] = (n - 1) * step
  end
  return { part = function(ms) return ms / high end, ticks = ticks }
end

local function logarithmic(least, most)
  local low, high, ticks = log10(least), log10(most), {}
  low, high = low - (high - low) / 20, high + (high - low) / 20
  for _, v in ipairs(round_numbers()) do
    local is_power = ("%e"):format(v):find "^1"
    if 10 ^ low <= v and v <= 10 ^ high and (is_power or high - low < 2.5) then
      ticks[#ticks + 1] = v
    end
  end
  return { part = function(ms) return (log10(ms) - low) / (high - low) end, ticks = ticks,
    log = true }
end

local function scale_of(rows)
  local least, most = rows[1].ms, rows[1].ms
  for _, row in ipairs(rows) do least, most = math.min(least, row.ms), math.max(most, row.ms) end
  if least > 0 and most / least >= 20 then return logarithmic(least, most) end
  return linear(most)
end

local function length_of(text) return utf8.len(text) or #text end

-- { turned =, every =, height = that the labels need beyond the usual }
local function labels_of(values)
  local longest = 0
  for _, text in ipairs(values) do longest = math.max(longest, length_of(text)) end
  local step, width = (RIGHT - LEFT) / #values, LETTER * longest
  if width + LETTER <= step then return { turned = false, every = 1, height = 0 } end
  local every = 1
  while every * step < 2 * LETTER do every = every + 1 end
  return { turned = true, every = every,
    height = math.max(0, math.ceil(math.min(width, 90) * 0.71) - 8) }
end

-- As it is in a picture: without control characters and bytes that are not UTF-8.
local function shown(text)
  text = text:gsub("%c", " ")
  return utf8.len(text) and text or text:gsub("[\128-\255]", "?")
end

-- Checks -----------------------------------------------------------------------------------------

local function near(want, got, what)
  got = tonumber(got)
  if not got or math.abs(want - got) > 0.0051 then
    error(("%s: expected %s, got %s"):format(what, want, got), 2)
  end
end

-- assert.equal takes too long for tens of thousands of numbers.
local function equal(want, got)
  if want ~= got then error(("expected %s, got %s"):format(want, got), 2) end
end

local function at(it, want, what)
  for name, v in pairs(want) do
    if type(v) == "number" then near(v, it.attributes[name], what .. " " .. name)
    else equal(v, it.attributes[name]) end
  end
end

local function check_text(it, text, want)
  at(it, want, text)
  equal(shown(text), svg.plain(it.text))
end

local function y_of(scale, ms) return BOTTOM - scale.part(ms) * (BOTTOM - TOP) end

local function check_ticks(lines, texts, scale)
  equal(#scale.ticks, #lines)
  for i, ms in ipairs(scale.ticks) do
    local y = y_of(scale, ms)
    at(lines[i], { x1 = LEFT, x2 = RIGHT, y1 = y, y2 = y }, "tick " .. ms)
    check_text(texts[i], ("%.3g"):format(ms), { x = LEFT - 6, y = y + 4, ["text-anchor"] = "end" })
  end
end

local function check_labels(texts, values, place)
  local labels, n = labels_of(values), 0
  for i = 1, #values, labels.every do
    n = n + 1
    local x = place[values[i]]
    if labels.turned then
      check_text(texts[n], values[i], { x = x + 4, y = BOTTOM + 12, ["text-anchor"] = "end" })
      local angle, cx, cy = texts[n].attributes.transform:match "^rotate%((%S+) (%S+) (%S+)%)$"
      equal("-45", angle)
      near(x + 4, cx, values[i])
      near(BOTTOM + 12, cy, values[i])
    else
      check_text(texts[n], values[i], { x = x, y = BOTTOM + 16, ["text-anchor"] = "middle" })
      equal(nil, texts[n].attributes.transform)
    end
  end
  equal(n, #texts)
end

-- A line through the best time of each value.
local function check_line(line, rows, name, values, place, scale)
  local points = {}
  for x, y in line.attributes.points:gmatch "(%S+),(%S+)" do points[#points + 1] = { x, y } end
  equal(#values, #points)
  for i, value in ipairs(values) do
    local best = math.huge
    for _, row in ipairs(rows) do
      if text_of(row.parameters[name]) == value then best = math.min(best, row.ms) end
    end
    near(place[value], points[i][1], value)
    near(y_of(scale, best), points[i][2], value)
  end
end

-- A dot for each time, the best one last, larger and in a color of its own, `best`.
local function check_dots(dots, titles, rows, name, place, scale, best)
  equal(#rows, #dots)
  for i, row in ipairs(rows) do
    local dot, is_best = dots[#rows + 1 - i], i == 1
    local words = words_of(row.parameters)
    at(dot, { cx = place[text_of(row.parameters[name])], cy = y_of(scale, row.ms),
      r = is_best and 5 or 3, ["fill-opacity"] = is_best and "1" or "0.7" }, words)
    equal(is_best, dot.attributes.fill == best)
    equal(shown(("%s: %.4g ms"):format(words, row.ms)),
      svg.plain(titles[dot].text))
  end
end

local function titles_of(list)
  local titles = {}
  for _, it in ipairs(svg.all(list, "title")) do titles[it.parent] = it end
  return titles
end

local function places_of(values)
  local place = {}
  for i, text in ipairs(values) do
    place[text] = LEFT + (RIGHT - LEFT) * (2 * i - 1) / (2 * #values)
  end
  return place
end

local function check_panel(list, panel, rows, name, scale, extra)
  local values = values_of(rows, name)
  local place = places_of(values)
  local texts = svg.all(list, "text", panel)
  local title = table.remove(texts)
  check_text(title, name, { x = (LEFT + RIGHT) / 2, y = HIGH + extra - 8,
    ["text-anchor"] = "middle", ["font-weight"] = "bold" })
  local ticks = table.move(texts, 1, #scale.ticks, 1, {})
  check_ticks(svg.all(list, "line", panel), ticks, scale)
  check_labels(table.move(texts, #ticks + 1, #texts, 1, {}), values, place)
  local lines = svg.all(list, "polyline", panel)
  equal(1, #lines)
  check_line(lines[1], rows, name, values, place, scale)
  local best = svg.all(list, "text", list[1])[2].attributes.fill
  check_dots(svg.all(list, "circle", panel), titles_of(list), rows, name, place, scale, best)
end

local function check_head(list, result, width, height, scale)
  at(list[1], { width = width, height = height,
    viewBox = ("0 0 %d %d"):format(width, height) }, "picture")
  at(list[2], { width = width, height = height }, "background")
  local texts = svg.all(list, "text", list[1])
  check_text(texts[1], ("%s on cpu: %.4g ms"):format(result.name, result.ms), { x = 12, y = 22 })
  check_text(texts[2], words_of(result.best), { x = 12, y = 40 })
  check_text(texts[3], scale.log and "ms, logarithmic" or "ms",
    { x = width - 12, y = 22, ["text-anchor"] = "end" })
  equal(3, #texts)
end

local function check(result)
  local list, rows, names = svg.elements(result:svg()), {}, sorted_names(result.best)
  for _, row in ipairs(result.rows) do
    if row.state == "ok" then rows[#rows + 1] = row end
  end
  local scale, extra = scale_of(rows), 0
  for _, name in ipairs(names) do
    extra = math.max(extra, labels_of(values_of(rows, name)).height)
  end
  local across, down = math.min(math.max(#names, 2), 3), math.ceil(#names / 3)
  check_head(list, result, across * WIDE, HEAD + down * (HIGH + extra), scale)
  local panels = svg.all(list, "g")
  equal(#names, #panels)
  for i, name in ipairs(names) do
    local x, y = panels[i].attributes.transform:match "^translate%((%S+) (%S+)%)$"
    near((i - 1) % 3 * WIDE, x, name)
    near(HEAD + math.floor((i - 1) / 3) * (HIGH + extra), y, name)
    check_panel(list, panels[i], rows, name, scale, extra)
  end
end

-- Searches ---------------------------------------------------------------------------------------

local LETTERS = { "a", "Z", "é", "<", "&", '"', " ", "\t", "\xff", "漢", "0", ">" }

local function random_text(rng, most)
  local letters = {}
  for i = 1, 1 + rng(most) do letters[i] = LETTERS[1 + rng(#LETTERS)] end
  return table.concat(letters)
end

local KINDS = {
  function(rng) return rng(1000) end,
  function(rng) return (rng(2000) - 1000) / 8 end,
  function(rng) return random_text(rng, 6) end,
  function(rng) return random_text(rng, 30) end,
  function(rng) return rng(2) == 0 end,
  function(rng)
    return helper.random_list(rng, 1 + rng(3), function() return rng(4) end)
  end,
  function(rng)
    return helper.random_list(rng, 1 + rng(3), function() return random_text(rng, 2) end)
  end,
}

-- Values of one or two kinds.
local function random_values(rng, n)
  local one, other = KINDS[1 + rng(#KINDS)], KINDS[1 + rng(#KINDS)]
  local values, seen = {}, {}
  for _ = 1, n do
    local v = (rng(3) == 0 and other or one)(rng)
    if not seen[text_of(v)] then seen[text_of(v)], values[#values + 1] = true, v end
  end
  return values
end

local SHAPES = { { 1 }, { 2 }, { 7 }, { 24 }, { 60 }, { 200 }, { 3, 4 }, { 40, 2 }, { 5, 3, 4 },
  { 2, 3, 2, 4 }, { 2, 2, 2, 2, 2 }, { 2, 2, 2, 2, 2, 2, 2 } }

local function random_space(rng, shape)
  local space = {}
  for i, n in ipairs(shape) do
    local letter = ("XAMB"):sub(i % 4 + 1, i % 4 + 1)
    space[letter .. i] = random_values(rng, n)
  end
  return space
end

-- A search whose times are from `least` to `ratio` times that; of all candidates but two, a tenth
-- are skipped.
local function random_search(rng, shape, least, ratio)
  local skipped, number = {}, 0
  return tuning.search({ name = random_text(rng, 12), space = random_space(rng, shape),
    make = function(candidate)
      return function(p)
        local words = words_of(p)
        if skipped[words] == nil then
          number = number + 1
          skipped[words] = number > 2 and rng(10) == 0
        end
        if skipped[words] then return nil, "not this one" end
        return candidate(p)
      end
    end }, function() return least * ratio ^ (rng(101) / 100) end)
end

describe("the picture of a search", function()
  setup(function() cuda.use "cpu" end)

  it("has dots, lines, ticks and labels where they belong", function()
    local rng = helper.random(17)
    for _, ratio in ipairs { 1, 1.5, 19, 24, 70, 300, 3000, 1e6 } do
      for i = 1, 3 do
        local shape = SHAPES[i == 1 and 1 + rng(6) or 1 + rng(#SHAPES)]
        check(random_search(rng, shape, 10 ^ (rng(1000) / 100 - 5), ratio))
      end
    end
  end)

  it("has ticks of 1, 2 or 5 times any power of ten", function()
    local rng = helper.random(5)
    for i = 1, 300 do
      local least = 10 ^ (rng(12000) / 1000 - 6)
      local ratio = i % 3 == 0 and 2 or 10 ^ (1.3 + rng(i % 3 == 1 and 1000 or 5000) / 1000)
      check(tuning.search({ space = { A = { 1, 2 } } },
        function(p) return p.A == 1 and least or least * ratio end))
    end
  end)

  it("has steps of a power of ten where five of them reach just to the top", function()
    for k = -4, 4 do
      local most = 5 * 10.0 ^ k / 1.05 -- the top is 1.05 times the longest time
      check(tuning.search({ space = { A = { 1, 2 } } },
        function(p) return p.A == 1 and most / 2 or most end))
    end
  end)

  it("has a logarithmic scale for times that are 20 times as long or more", function()
    for most, is_log in pairs { [1] = false, [39.9] = false, [40] = true, [4e4] = true } do
      local result = tuning.search({ space = { A = { 1, 2 } } },
        function(p) return p.A == 1 and 2 or most end)
      assert.equal(is_log, result:svg():find("logarithmic", 1, true) ~= nil)
      check(result)
    end
  end)

  it("has a scale for times of nothing", function()
    for _, most in ipairs { 0, 3 } do
      check(tuning.search({ space = { A = { 1, 2 } } },
        function(p) return p.A == 1 and 0 or most end))
    end
  end)

  it("turns labels at exactly the width that does not fit", function()
    for length = 1, 50 do
      for _, n in ipairs { 2, 3, 5, 10 } do
        local values = {}
        for i = 1, n do values[i] = ("%0" .. length .. "d"):format(i) end
        if length > 1 or n < 10 then
          check(tuning.search({ space = { A = values } }, function() return 1 end))
        end
      end
    end
  end)
end)

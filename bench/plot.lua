-- plot.lua [RESULTS [OUT.svg]]: draws what bench/arrays printed as bars: how many times as fast as
-- the better of CuPy and torch each row is. A row that no peer has is left out.
--   lua5.4 bench/plot.lua                    the README's plot, of bench/results/arrays-h100.txt
--   bench/arrays >a.txt && lua5.4 bench/plot.lua a.txt a.svg
local here = arg[0]:match "^(.*/)" or "./"
local source = arg[1] or here .. "results/arrays-h100.txt"
local target = arg[2] or here .. "../docs/img/speed.svg"

local AHEAD, BEHIND = "#2f6fb2", "#c47a2c"
local WIDTH, LABEL, RIGHT, BAR, GAP = 880, 330, 190, 10, 5
local ROW = BAR + GAP
local MOST = 4 -- longer bars are cut

-- A line: name, ours, CuPy's, torch's, ratio, what is wanted, ok or MISSED, text.
local ROW_PATTERN = "^([%w_]+) +([%d.-]+) +([%d.-]+) +([%d.-]+) +[%d.-]+ [<>]= [%d.]+ +%S+ +(.*)$"

local function better(is_call, a, b)
  if not (a and b) then return a or b end
  return is_call and math.min(a, b) or math.max(a, b)
end

-- The rows of a file: { ours =, peer =, times =, text =, unit =, is_call = }.
local function read(path)
  local rows = {}
  for line in io.lines(path) do
    local name, ours, cupy, torch, text = line:match(ROW_PATTERN)
    local is_call = name and name:find "^call_" ~= nil
    local peer = name and better(is_call, tonumber(cupy), tonumber(torch))
    if peer and tonumber(ours) then
      text = text:gsub(" %(%a+ [%d.]+.*%)$", "")
      local what, unit = text:match "^(.*), ([%w/]+)$"
      local known = unit and (unit:find "/s$" or unit == "us")
      ours = tonumber(ours)
      rows[#rows + 1] = { ours = ours, peer = peer, is_call = is_call,
        times = is_call and peer / ours or ours / peer,
        text = known and what or text, unit = known and unit:gsub("^us$", "µs") or "GB/s" }
    end
  end
  assert(#rows > 0, path .. ": no rows of bench/arrays")
  return rows
end

local out = {}
local function put(format, ...) out[#out + 1] = format:format(...) end

local ENTITIES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" }

local function text(x, y, anchor, style, words)
  words = words:gsub("[&<>]", ENTITIES)
  put('<text x="%.0f" y="%.1f" text-anchor="%s" class="%s">%s</text>', x, y, anchor, style, words)
end

local function figure(v) return (v >= 100 and "%.0f" or "%.1f"):format(v) end

-- Draws the rows with that value of is_call below y and returns where they end.
local function draw(rows, is_call, title, y)
  local scale = (WIDTH - LABEL - RIGHT) / MOST
  text(LABEL, y + 14, "start", "title", title)
  y = y + 24
  local top = y
  for _, row in ipairs(rows) do
    if row.is_call == is_call then
      local length = scale * math.min(row.times, MOST)
      text(LABEL - 10, y + BAR - 1, "end", "name", row.text)
      put('<rect x="%d" y="%.1f" width="%.1f" height="%d" fill="%s"/>', LABEL, y, length, BAR,
        row.times >= 0.995 and AHEAD or BEHIND)
      text(LABEL + length + 4, y + BAR - 1, "start", "value", ("%.2f (%s, peer %s %s)"):format(
        row.times, figure(row.ours), figure(row.peer), row.unit))
      y = y + ROW
    end
  end
  put('<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#222"/>', LABEL + scale, LABEL + scale,
    top - 3, y)
  return y + 14
end

local rows = read(source)
local y = draw(rows, false, "Rate, relative to the better of CuPy and torch", 8)
y = draw(rows, true, "Calls per second, relative to the better of CuPy and torch", y)

local file = assert(io.open(target, "w"))
file:write(([[
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d">
<style>
text { font-family: "DejaVu Sans", "Segoe UI", Helvetica, Arial, sans-serif; fill: #222 }
.title { font-size: 13px; font-weight: bold }
.name { font-size: 11px }
.value { font-size: 9px; fill: #555 }
</style>
<rect width="100%%" height="100%%" fill="#fff"/>
]]):format(WIDTH, y, WIDTH, y), table.concat(out, "\n"), "\n</svg>\n")
file:close()

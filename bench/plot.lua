-- plot.lua [RESULTS [OUT.svg]]: draws what bench/arrays printed as bars, LuaCUDA beside CuPy.
--   lua5.4 bench/plot.lua                    the README's plot, of bench/results/arrays-h200.txt
--   bench/arrays >a.txt && lua5.4 bench/plot.lua a.txt a.svg
local here = arg[0]:match "^(.*/)" or "./"
local source = arg[1] or here .. "results/arrays-h200.txt"
local target = arg[2] or here .. "../docs/img/speed.svg"

local OURS, PEER = "#2f6fb2", "#c9ccd1"
local WIDTH, LABEL, RIGHT, BAR, GAP = 880, 300, 72, 9, 8
local ROW = 2 * BAR + GAP

-- The rows of a file: { name =, ours =, peer =, ratio =, text = }. `ratio` is a share of the copy
-- bandwidth where `share` holds CuPy's.
local function read(path)
  local rows = {}
  for line in io.lines(path) do
    local name, ours, peer, ratio, text =
      line:match "^([%w_]+) +([%d.-]+) +([%d.-]+) +([%d.-]+) [<>]= [%d.]+ +%S+ +(.*)$"
    if name then
      local share = text:match "%(CuPy ([%d.]+)%)$"
      rows[#rows + 1] = { name = name, ours = tonumber(ours), peer = tonumber(peer),
        ratio = tonumber(ratio), share = tonumber(share),
        text = (text:gsub(" %(CuPy [%d.]+%)$", ""):gsub(", us$", "")) }
    end
  end
  assert(#rows > 0, path .. ": no rows of bench/arrays")
  return rows
end

-- A panel: bars, their title, the format of their values, and where a line crosses them. A bar is
-- { text, ours, peer }, then the labels of its two values where these are not the values.
local function panels(rows)
  local shares = { title = "Share of the bandwidth of a device copy (longer is better)",
    format = "%.2f", line = 1 }
  local calls = { title = "Microseconds per call (shorter is better)", format = "%.1f" }
  local rates = { title = "Throughput relative to CuPy (longer is better)" }
  for _, row in ipairs(rows) do
    if row.share then shares[#shares + 1] = { row.text, row.ratio, row.share }
    elseif not (row.ours and row.peer) then goto continue -- not measured
    elseif row.name:find "^call_" then calls[#calls + 1] = { row.text, row.ours, row.peer }
    else
      local text, unit = row.text:match "^(.*), (.-)$"
      rates[#rates + 1] = { text, row.ours / row.peer, 1,
        ("%g %s"):format(row.ours, unit), ("%g %s"):format(row.peer, unit) }
    end
    ::continue::
  end
  return { shares, rates, calls }
end

local out = {}
local function put(format, ...) out[#out + 1] = format:format(...) end

local ENTITIES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" }

local function text(x, y, anchor, style, words)
  words = words:gsub("[&<>]", ENTITIES)
  put('<text x="%.0f" y="%.1f" text-anchor="%s" class="%s">%s</text>', x, y, anchor, style, words)
end

local function bar(y, length, color, words)
  put('<rect x="%d" y="%.1f" width="%.1f" height="%d" fill="%s"/>', LABEL, y, length, BAR, color)
  text(LABEL + length + 4, y + BAR - 1, "start", "value", words)
end

-- Draws a panel below y and returns where it ends.
local function draw(panel, y)
  local most = 0
  for _, b in ipairs(panel) do most = math.max(most, b[2], b[3]) end
  local scale = (WIDTH - LABEL - RIGHT) / most
  text(LABEL, y + 14, "start", "title", panel.title)
  y = y + 26
  if panel.line then
    put('<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#ddd"/>',
      LABEL + scale * panel.line, LABEL + scale * panel.line, y - 4, y + #panel * ROW - 2)
  end
  for _, b in ipairs(panel) do
    text(LABEL - 10, y + BAR + 4, "end", "name", b[1])
    bar(y, b[2] * scale, OURS, b[4] or panel.format:format(b[2]))
    bar(y + BAR, b[3] * scale, PEER, b[5] or panel.format:format(b[3]))
    y = y + ROW
  end
  return y + 14
end

local function legend(x, y)
  for _, entry in ipairs { { OURS, "LuaCUDA" }, { PEER, "CuPy" } } do
    put('<rect x="%d" y="%d" width="12" height="12" fill="%s"/>', x, y, entry[1])
    text(x + 18, y + 10, "start", "name", entry[2])
    x = x + 100
  end
end

local y = 36
legend(LABEL, 14)
for _, panel in ipairs(panels(read(source))) do
  if #panel > 0 then y = draw(panel, y) end
end

local file = assert(io.open(target, "w"))
file:write(([[
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d">
<style>
text { font-family: "DejaVu Sans", "Segoe UI", Helvetica, Arial, sans-serif; fill: #222 }
.title { font-size: 13px; font-weight: bold }
.name { font-size: 12px }
.value { font-size: 9px; fill: #555 }
</style>
<rect width="100%%" height="100%%" fill="#fff"/>
]]):format(WIDTH, y, WIDTH, y), table.concat(out, "\n"), "\n</svg>\n")
file:close()

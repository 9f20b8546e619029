-- page.lua: a kernel's profile as one page of HTML, without links to other files.

local estimates = require "luacuda.profiling.estimate"
local listing = require "luacuda.profiling.listing"

local STYLE = [[
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em;
  color: #1c2024; background: #fff; }
h1 { font-size: 1.5em; margin: 0; } h2 { font-size: 1.1em; margin: 1.6em 0 .4em; }
ul { margin: .4em 0; padding-left: 1.2em; } .quiet { color: #667; }
table { border-collapse: collapse; width: 100%; }
th { font-weight: 600; font-size: .85em; text-align: right; vertical-align: bottom;
  padding: .3em .6em; border-bottom: 2px solid #aab; cursor: help; }
th.source { text-align: left; }
td { text-align: right; padding: 0 .6em; white-space: nowrap; font-size: .9em; }
td.number { color: #889; border-left: 1px solid #dde; } td.bad { color: #b00020; font-weight: 600; }
td.source { text-align: left; white-space: pre; font: 13px/1.6 ui-monospace, monospace;
  width: 100%; }
td.bar { min-width: 6.5em; text-align: left; }
td.bar span { display: inline-block; height: .75em; background: #d9480f; margin-right: .4em; }
tr:hover td { outline: 1px solid #bcd; }
.scroll { overflow-x: auto; }
dl { display: grid; grid-template-columns: max-content auto; gap: .15em 1em; }
dt { font-weight: 600; } dd { margin: 0; }
.verdict { font-size: 1.1em; font-weight: 600; }
.limits td { padding: .1em .6em; } .limits td:first-child { text-align: left; }
]]

local ESCAPES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

local function escape(text) return (tostring(text):gsub('[&<>"]', ESCAPES)) end

-- Source ------------------------------------------------------------------------------------------

-- A line's background: from white to orange, by its cost compared with the most expensive line.
local function colour(share, most)
  local heat = most > 0 and share / most or 0
  return ("background:rgba(253,126,20,%.2f)"):format(0.75 * heat)
end

-- What deserves attention is set in red.
local BAD = {
  lanes = function(c) return c.lane_use <= 0.5 end,
  sectors = function(c) return c.global_sectors > 2 * c.global_sectors_least end,
  conflicts = function(c) return c.bank_conflicts > c.shared_accesses end,
  diverged = function(c) return c.divergent_branches * 2 > c.branches end,
}

local function cost_cells(add, cost, most)
  add(('<td class="bar"><span style="width:%.1fem"></span>%s</td>'):format(
    most > 0 and 3.5 * cost.share / most or 0, listing.columns[1][3](cost)))
  for i = 2, #listing.columns do
    local name, _, text = table.unpack(listing.columns[i])
    local bad = BAD[name] and BAD[name](cost)
    add(("<td%s>%s</td>"):format(bad and ' class="bad"' or "", text(cost)))
  end
end

local function add_row(add, row, most)
  add "<tr>"
  if row.cost then cost_cells(add, row.cost, most)
  else add(("<td></td>"):rep(#listing.columns)) end
  add(('<td class="number">%s</td><td class="source" style="%s">%s</td></tr>\n'):format(
    row.line or "", colour(row.cost and row.cost.share or 0, most),
    row.line and escape(row.text or "") or row.cost and "" or "…"))
end

local function add_file(add, file, most)
  add(("<h2>%s</h2>\n<div class=\"scroll\"><table><tr>"):format(escape(file.file
    or listing.generated)))
  for _, column in ipairs(listing.columns) do
    add(('<th title="%s">%s</th>'):format(escape(column[2]), column[1]))
  end
  add '<th>line</th><th class="source">source</th></tr>\n'
  for _, row in ipairs(file.rows) do add_row(add, row, most) end
  add "</table></div>\n"
end

-- The rest ----------------------------------------------------------------------------------------

local function add_heading(add, profile)
  for _, kernel in ipairs(profile.kernels) do
    add(("<p><b>%s</b></p>\n"):format(escape(listing.heading(kernel))))
  end
  add "<ul>"
  for _, sentence in ipairs(listing.summary(profile.totals)) do
    add(("<li>%s</li>"):format(escape(sentence)))
  end
  add "</ul>\n"
end

local function add_estimate(add, estimate)
  local sentences = estimates.sentences(estimate)
  add(('<h2>Estimate for %s (%s)</h2>\n<p class="verdict">%s</p><ul>'):format(
    escape(estimate.gpu), escape(estimate.arch), escape(sentences[1])))
  for i = 2, #sentences do add(("<li>%s</li>"):format(escape(sentences[i]))) end
  add '</ul><table class="limits" style="width:auto">'
  local most = estimate.limits[1].milliseconds
  for _, limit in ipairs(estimate.limits) do
    if limit.milliseconds > 0 then
      add(('<tr><td>%s</td><td>%s</td><td class="bar"><span style="width:%.1fem"></span></td></tr>')
        :format(limit.name, estimates.time(limit.milliseconds), 16 * limit.milliseconds / most))
    end
  end
  add "</table>\n"
end

local function add_legend(add)
  add "<h2>What the columns mean</h2>\n<dl>"
  for _, column in ipairs(listing.columns) do
    add(("<dt>%s</dt><dd>%s</dd>"):format(column[1], escape(column[2])))
  end
  add '</dl>\n<p class="quiet">Red: at most half of the lanes on, more than twice the least '
  add "number of sectors, more than one conflict per access, or lanes that part at most branches. "
  add "Counted on the CPU device, instruction by instruction of the PTX; caches are not modelled."
  add "</p>\n"
end

-- page.text(profile, estimate) -> the page; `estimate` may be nil
local function text(profile, estimate)
  local list, most = {}, 0
  local function add(piece) list[#list + 1] = piece end
  for _, line in ipairs(profile.lines) do most = math.max(most, line.share) end
  local name = profile.kernels[1] and profile.kernels[1].name or "nothing"
  add(('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Profile of %s</title>'
    .. "\n<style>%s</style></head><body>\n<h1>Profile of %s</h1>\n"):format(escape(name), STYLE,
    escape(name)))
  add_heading(add, profile)
  if estimate then add_estimate(add, estimate) end
  for _, file in ipairs(profile.files) do add_file(add, file, most) end
  add_legend(add)
  add "</body></html>\n"
  return table.concat(list)
end

return { text = text }

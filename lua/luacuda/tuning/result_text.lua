-- result_text.lua: the result of cuda.tune as a table of text and as JSON.

local columns = require "luacuda.base.columns"
local json = require "luacuda.base.json"
local lists = require "luacuda.base.lists"
local text_of = require("luacuda.tuning.space").text_of

local ROWS, FAILURES = 30, 10 -- in the text

local function number(v) return v and ("%.4g"):format(v) or "" end

-- The names of all metrics, in order.
local function metric_names(rows)
  local set = {}
  for _, row in ipairs(rows) do
    for name in pairs(row.metrics or {}) do set[name] = true end
  end
  return lists.sorted_keys(set)
end

local function head_of(axes, metrics)
  local head = lists.copy(axes)
  for _, name in ipairs { "ms", "min ms", "spread ms", "runs", "x best" } do
    head[#head + 1] = name
  end
  return table.move(metrics, 1, #metrics, #head + 1, head)
end

local function cells_of(row, axes, metrics, best_ms)
  local cells = {}
  for i, name in ipairs(axes) do cells[i] = text_of(row.parameters[name]) end
  for _, text in ipairs { number(row.ms), number(row.min_ms), number(row.spread_ms),
    tostring(row.runs), best_ms > 0 and ("%.2f"):format(row.ms / best_ms) or "" } do
    cells[#cells + 1] = text
  end
  for _, name in ipairs(metrics) do cells[#cells + 1] = number((row.metrics or {})[name]) end
  return cells
end

local function table_lines(result, axes, good)
  local metrics = metric_names(good)
  local rows = { head_of(axes, metrics) }
  for i = 1, math.min(#good, ROWS) do rows[i + 1] = cells_of(good[i], axes, metrics, result.ms) end
  local lines = columns.lines(rows, #axes)
  if #good > ROWS then lines[#lines + 1] = ("and %d more"):format(#good - ROWS) end
  return lines
end

-- The rows that were measured, and those that have a reason of their own why not.
local function sorted_out(result)
  local good, bad = {}, {}
  for _, row in ipairs(result.rows) do
    if row.state == "ok" then good[#good + 1] = row
    elseif row.reason ~= result.stopped then bad[#bad + 1] = row end
  end
  return good, bad
end

-- The first line of a reason, without the end of a long one.
local function brief(reason)
  local line = reason:match "[^\n]*"
  return #line > 160 and line:sub(1, 157) .. "..." or line
end

-- text.failures(rows, words) -> a line for each of the first rows; words(row): its parameters
local function failures(rows, words)
  local lines = {}
  for i = 1, math.min(#rows, FAILURES) do
    lines[i] = ("%s: %s: %s"):format(words(rows[i]), rows[i].state, brief(rows[i].reason))
  end
  if #rows > FAILURES then lines[#lines + 1] = ("and %d more"):format(#rows - FAILURES) end
  return lines
end

local function words_with(axes)
  return function(row)
    local words = {}
    for i, name in ipairs(axes) do words[i] = name .. "=" .. text_of(row.parameters[name]) end
    return table.concat(words, " ")
  end
end

local function summary(result, measured)
  local words = ("%d of %d points measured"):format(measured, result.size)
  if result.cached then words = words .. " in an earlier run"
  else words = ("%s in %.1f s"):format(words, result.elapsed_ms / 1000) end
  return result.stopped and words .. "; " .. brief(result.stopped) or words
end

-- text.of(result) -> lines in one string, without a line end
local function of(result)
  local axes = lists.sorted_keys(result.best)
  local good, bad = sorted_out(result)
  local words = words_with(axes)
  local lines = { ("%s on %s: %s takes %s ms"):format(result.name, result.device,
    words { parameters = result.best }, number(result.ms)) }
  table.move(table_lines(result, axes, good), 1, #good + 2, 2, lines)
  for _, line in ipairs(failures(bad, words)) do lines[#lines + 1] = line end
  lines[#lines + 1] = summary(result, #good)
  return table.concat(lines, "\n")
end

-- What programs read of a row.
local FIELDS = { "parameters", "state", "reason", "ms", "min_ms", "spread_ms", "runs", "repeats",
  "metrics" }

-- text.json(result) -> JSON
local function as_json(result)
  local rows = {}
  for i, row in ipairs(result.rows) do
    rows[i] = {}
    for _, name in ipairs(FIELDS) do rows[i][name] = row[name] end
  end
  return json.encode { name = result.name, key = result.key or nil, device = result.device,
    best = result.best, ms = result.ms, cached = result.cached, size = result.size,
    elapsed_ms = result.elapsed_ms, stopped = result.stopped or nil, rows = rows } .. "\n"
end

return { of = of, json = as_json, failures = failures }

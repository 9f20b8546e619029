-- result.lua: what cuda.tune returns: the winner and the table of all candidates.

local arguments = require "luacuda.base.arguments"
local class = require "luacuda.base.class"
local text = require "luacuda.tuning.result_text"

local fail = arguments.fail

local methods = {}
local Tuning = class.new("Tuning", methods, { "name", "key", "device", "best", "ms", "rows", "size",
  "run", "cached", "stopped", "elapsed_ms", "text", "json", "svg", "save" })

Tuning.__tostring = text.of

local function check(tuning, method, ...)
  if getmetatable(tuning) ~= Tuning then
    fail(method, "expected Tuning before the ':', got %s", arguments.describe(tuning))
  end
  if select("#", ...) > 0 then fail(method, "too many arguments; :save(path) writes a file") end
end

-- tuning:text() -> a table of the candidates
function methods:text(...)
  check(self, "text", ...)
  return text.of(self)
end

-- tuning:json() -> everything as JSON
function methods:json(...)
  check(self, "json", ...)
  return text.json(self)
end

-- tuning:svg() -> a picture: times over the values of each parameter
function methods:svg(...)
  check(self, "svg", ...)
  return require("luacuda.tuning.chart").svg(self)
end

local FORMATS = { svg = methods.svg, json = methods.json,
  txt = function(tuning) return methods.text(tuning) .. "\n" end }

-- tuning:save(path) writes the picture, the JSON or the text to a file, by the ending of its name;
-- returns the tuning.
function methods:save(path, ...)
  check(self, "save", ...)
  local file = require "luacuda.files.file"
  file.check_path("save", path)
  local format = FORMATS[path:match "%.(%a+)$"]
  if not format then
    fail("save", "argument 1 'path': '%s' ends in none of .svg, .json and .txt", path)
  end
  local bytes = format(self)
  file.replace("save", path, function(handle) file.put("save", path, handle, bytes) end)
  return self
end

-- Inside a session rows have more fields.
local ROW = { "parameters", "state", "reason", "ms", "min_ms", "spread_ms", "runs", "repeats",
  "metrics", "score" }

local function public_row(row)
  local copy = {}
  for _, name in ipairs(ROW) do copy[name] = row[name] end
  return copy
end

-- Those with a score first, the best one first; then the others as they came.
local function sorted_rows(rows, winner)
  local list, order = {}, {}
  for i, row in ipairs(rows) do
    list[i] = public_row(row)
    order[list[i]] = row == winner and 0 or i
  end
  table.sort(list, function(a, b)
    local first, other = order[a] == 0, order[b] == 0
    if first ~= other then return first end
    if (a.score == nil) ~= (b.score == nil) then return a.score ~= nil end
    if a.score ~= b.score then return a.score < b.score end
    return order[a] < order[b]
  end)
  for _, row in ipairs(list) do row.score = nil end
  return list
end

-- The points that are allowed; where they are too many to list, all.
local function size_of(space)
  local list = space:list()
  return list and #list or space.size
end

-- result.new(job, outcome) -> Tuning; outcome: rows, winner (one of them), run, cached, stopped,
-- elapsed_ms
local function new(job, outcome)
  local winner = outcome.winner
  return setmetatable({ name = job.name, key = job.key or false, device = job.device.label,
    best = job.space:copy(winner.parameters), ms = winner.ms, size = size_of(job.space),
    rows = sorted_rows(outcome.rows, winner), run = outcome.run or false, cached = outcome.cached,
    stopped = outcome.stopped or false, elapsed_ms = outcome.elapsed_ms }, Tuning)
end

return { new = new }

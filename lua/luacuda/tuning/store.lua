-- store.lua: what was measured, on disk, in files of the cache. The key covers the device, the
-- driver, the compiler, the library, the name and the key of the search, its space and the code of
-- its functions; each row has the digest of the kernels that it was measured with.

local core = require "luacuda.core"
local cache = require "luacuda.compile.cache"
local code = require "luacuda.tuning.digests"
local text_of = require("luacuda.tuning.space").text_of

local FORMAT = "tune 1" -- increase the number when the meaning of the fields changes

local FIELDS = { "parameters", "state", "reason", "ms", "min_ms", "spread_ms", "runs", "repeats",
  "metrics", "score", "effort", "code", "checked",
  "fatal" }

local function axes_text(space)
  local parts = {}
  for i, name in ipairs(space.names) do
    parts[#parts + 1] = name
    for _, v in ipairs(space.values[i]) do
      parts[#parts + 1] = (math.type(v) or type(v)) .. " " .. text_of(v)
    end
    parts[#parts + 1] = ""
  end
  return table.concat(parts, "\0")
end

-- "gpu: NVIDIA H200, 9.0, 132 multiprocessors, driver 13000"
local function device_text(device)
  return ("%s: %s, %s, %s multiprocessors, driver %s"):format(device.kind, device.name, device.cc,
    device.multiprocessor_count, (core.driver_version()))
end

-- store.key_of(job) -> the key of its file
local function key_of(job)
  return core.sha256(FORMAT, core.version, device_text(job.device), code.compiler_text(),
    job.name, job.key or "", axes_text(job.space), code.of_function(job.make),
    job.space.where and code.of_function(job.space.where) or "", job.identity or "",
    job.objective or "", tostring(job.maximize))
end

local function place_of(job)
  if job.cache == false then return nil end
  return job.cache_dir or true
end

local function is_row(row)
  return type(row) == "table" and type(row.parameters) == "table" and type(row.state) == "string"
    and (row.state ~= "ok" or type(row.ms) == "number" and type(row.effort) == "number")
end

-- Is this the record of a search, with fields of the right types?
local function is_record(record)
  if type(record) ~= "table" or type(record.rows) ~= "table" then return false end
  for _, row in ipairs(record.rows) do
    if not is_row(row) then return false end
  end
  return math.type(record.winner) == "integer" and type(record.finished) == "boolean"
    and math.type(record.candidates) == "integer" and type(record.budget_ms) == "number"
end

-- store.load(job) -> { rows =, winner = (index), finished =, candidates =, budget_ms = }, or nil
local function load_record(job)
  local place = place_of(job)
  if not place or job.refresh then return nil end
  local record = cache.read(key_of(job), place)
  return is_record(record) and record or nil
end

-- store.covers(record, job): did that search look at least as far as this one would?
local function covers(record, job)
  return record.finished and record.winner ~= 0 and record.candidates >= job.candidates
    and record.budget_ms >= (job.budget_ms or math.huge)
end

local function kept_fields(row)
  local copy = {}
  for _, name in ipairs(FIELDS) do copy[name] = row[name] end
  return copy
end

-- store.save(session, finished) keeps the rows that were measured.
local function save(session, finished)
  local job, rows, winner = session.job, {}, 0
  local place = place_of(job)
  if not place then return end
  for _, row in ipairs(session.rows) do
    if row.state then
      rows[#rows + 1] = kept_fields(row)
      if row == session.winner then winner = #rows end
    end
  end
  local budget = session.stopped and job.budget_ms or math.huge
  cache.write(key_of(job), { rows = rows, winner = winner, finished = finished,
    candidates = job.candidates, budget_ms = budget }, place)
end

return { load = load_record, covers = covers, save = save }

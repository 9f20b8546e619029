-- session.lua: one search: the rows of its candidates, its time, what is shown and kept meanwhile.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local ahead = require "luacuda.tuning.next_candidates"
local measure = require "luacuda.tuning.measure"
local search = require "luacuda.tuning.search"
local store = require "luacuda.tuning.store"

local SHOW_MS, SAVE_MS = 100, 2000 -- how often the line is shown and the rows are kept

local methods = {}
methods.__index = methods

-- Rows --------------------------------------------------------------------------------------------

local function row_of(session, point)
  local parameters = session.job.space:parameters(point)
  local text = session.job.space:text(parameters)
  local row = session.by_text[text]
  if not row then
    row = { parameters = parameters, text = text }
    session.by_text[text] = row
    session.rows[#session.rows + 1] = row
  end
  return row
end

local function check_metrics(job, metrics)
  if type(metrics) ~= "table" then
    arguments.fail(job.what, "option 'metrics': expected a table as its result, got %s",
      arguments.describe(metrics))
  end
  local copy = {}
  for name, value in pairs(metrics) do
    if type(name) ~= "string" or type(value) ~= "number" then
      arguments.fail(job.what, "option 'metrics': expected name = number, got %s = %s",
        tostring(name), arguments.describe(value))
    end
    copy[name] = value
  end
  return copy
end

-- What the search makes small.
local function score_of(job, row)
  local value = row.ms
  if job.objective then
    value = row.metrics and row.metrics[job.objective]
    if not value or value ~= value then
      arguments.fail(job.what, "option '%s': metrics gave no number '%s'",
        job.maximize and "maximize" or "minimize", job.objective)
    end
  end
  return job.maximize and -value or value
end

-- The better one of the best row so far, or nil, and a row that may have no score.
local function better(best, row)
  if not row.score or best and best.score <= row.score then return best end
  return row
end

-- A row that was the best may have failed or become worse at a second measurement.
local function note_best(session, row)
  if row ~= session.best then
    session.best = better(session.best, row)
    return
  end
  session.best = nil
  for _, other in ipairs(session.rows) do session.best = better(session.best, other) end
end

local function complete(session, row)
  local job = session.job
  if job.metrics then
    row.metrics = check_metrics(job, job.metrics(job.space:copy(row.parameters), row.ms))
  end
  row.score = score_of(job, row)
end

-- Time and what can be seen -----------------------------------------------------------------------

-- Is this share of the time used up? One candidate is measured whatever the time.
function methods:is_over(share)
  local budget = self.job.budget_ms
  if self.lost or not budget or self.done == 0 then return self.lost end
  local over = core._now_ms() - self.start >= budget * share
  if over then self.stopped = ("the budget of %g ms was used up"):format(budget) end
  return over
end

local function show(session)
  local now, best = core._now_ms(), session.best
  if now - session.shown < SHOW_MS then return end
  session.shown, session.visible = now, true
  local words = ("luacuda: tuning %s: %d of %d"):format(session.job.name, session.done,
    session.total)
  if best then words = ("%s, best %.4g ms (%s)"):format(words, best.ms, best.text) end
  core._progress((words:gsub("%c", " ")))
end

local function save(session)
  local now = core._now_ms()
  if now - session.saved < SAVE_MS then return end
  session.saved = now
  store.save(session, false)
end

-- After a failure: what is pending is raised here. A device that goes on failing is lost: on a GPU
-- a fault ends CUDA for the process.
local function settle(session, row)
  local device = session.job.device
  if pcall(device.synchronize, device) then return end
  local ok, why = pcall(device.synchronize, device)
  if ok then return end
  session.stopped, session.lost = "the device is lost: " .. tostring(why), true
  row.fatal = true
end

-- Measuring ---------------------------------------------------------------------------------------

-- A row from the disk counts if its kernels are still made from the same code. A failure may have
-- had other reasons, but one that has lost the device is not tried again.
local function is_current(job, row)
  local kept = row.kept
  row.kept = nil
  if not kept then return true end
  if row.state ~= "ok" and row.state ~= "skipped" and not row.fatal then return false end
  local probe = { parameters = row.parameters }
  row.made = measure.make(job, probe)
  return probe.code == row.code
end

local function forget(row)
  local parameters, text = row.parameters, row.text
  for key in pairs(row) do row[key] = nil end
  row.parameters, row.text = parameters, text
end

local function needs_measuring(session, row, effort)
  if not row.state then return true end
  if not is_current(session.job, row) then
    forget(row)
    return true
  end
  if row.state ~= "ok" then return false end
  if not row.score then
    complete(session, row)
    note_best(session, row)
  end
  return row.effort < effort
end

local function report(session, row)
  if session.job.observe then session.job.observe(row, session.done, session.total) end
  show(session)
  save(session)
end

local function measure_row(session, row, effort)
  local job = session.job
  local best_ms = not job.objective and session.best and session.best.ms or nil
  measure.candidate(job, row, effort, best_ms)
  if row.state == "ok" then complete(session, row) else settle(session, row) end
  note_best(session, row)
end

local function count(session, row)
  if row.counted then return end
  row.counted, session.done = true, session.done + 1
end

-- The point's score, false or nil, as search.lua wants it.
local function evaluate(session, point, effort, share)
  local row = row_of(session, point)
  local needed = needs_measuring(session, row, effort)
  if needed and session:is_over(share) then
    row.made = nil
    return nil
  end
  if needed then measure_row(session, row, effort) end
  row.made = nil
  count(session, row)
  if needed then report(session, row) end
  return row.score or false
end

-- The rows of those points that will be measured next and are new.
local function coming(session, list, from)
  local rows = {}
  for i = from, math.min(#list, from + ahead.BATCH - 1) do
    local row = row_of(session, list[i])
    if not row.state then rows[#rows + 1] = row end
  end
  return rows
end

local function evaluate_list(session, list, effort, share)
  local scores, prepared = {}, 0
  for i, point in ipairs(list) do
    if session.job.ahead and i > prepared and not session:is_over(share) then
      ahead.prepare(session.job, coming(session, list, i))
      prepared = i + ahead.BATCH - 1
    end
    scores[i] = evaluate(session, point, effort, share)
  end
  return scores
end

-- Sessions ----------------------------------------------------------------------------------------

local function new(job, kept)
  local now = core._now_ms()
  local session = setmetatable({ job = job, rows = {}, by_text = {}, done = 0, start = now,
    shown = now, saved = now, lost = false }, methods)
  for _, row in ipairs(kept or {}) do
    row.kept, row.score, row.text = true, nil, job.space:text(row.parameters)
    session.by_text[row.text] = row
    session.rows[#session.rows + 1] = row
  end
  local all = job.space:list()
  session.total = math.min(job.candidates, all and #all or math.maxinteger)
  return session
end

-- Where all points were to be measured, those that were not say why. Rows from the disk that this
-- search did not reach are dropped.
local function close_rows(session)
  local rows, all = {}, session.job.strategy == "all"
  for _, row in ipairs(session.rows) do
    row.made = nil
    if row.state and not row.kept then rows[#rows + 1] = row end
    if not row.state and all then
      row.state, row.reason = "skipped", session.stopped
      rows[#rows + 1] = row
    end
  end
  session.rows = rows
end

local function search_space(session)
  local job = session.job
  local point = search.run(job.space, job.strategy, {
    evaluate = function(...) return evaluate_list(session, ...) end,
    over = function(share) return session:is_over(share) end,
    candidates = job.candidates, seed = job.seed, limited = job.budget_ms ~= nil,
  })
  session.winner = point and row_of(session, point)
end

-- session.run(job, kept) -> the session of a search: rows, winner (a row or nil), stopped (why it
-- ended early, or nil), lost (is the device lost?), elapsed_ms. `kept`: rows of an earlier one.
-- What was measured is kept on disk, also where an error ends the search.
local function run(job, kept)
  local session = new(job, kept)
  local ok, problem = pcall(search_space, session)
  if session.visible then core._progress() end
  store.save(session, ok and not session.lost)
  if not ok then error(problem, 0) end
  close_rows(session)
  session.elapsed_ms = core._now_ms() - session.start
  return session
end

return { run = run }

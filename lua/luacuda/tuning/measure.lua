-- measure.lua: one candidate: makes it, runs it once, checks it, and takes its time by events on
-- the stream, with the loop of cuda.benchmark.
--
-- The state of a row: "ok", "failed" (it cannot be made or run), "wrong" (the check says so) or
-- "skipped" (`make` declined).

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local ahead = require "luacuda.tuning.next_candidates"
local attempt = require "luacuda.tuning.attempt"
local code = require "luacuda.tuning.digests"

-- How long a measurement takes if it can, in ms, and its least and most runs, by effort
-- (search.lua).
local EFFORTS = {
  { ms = 5, least = 1, most = 10 },
  { ms = 40, least = 3, most = 50 },
  { ms = 120, least = 5, most = 100 },
}
-- Events tell about half a microsecond: shorter work is timed several times in a row.
local SHORT_MS, MOST_IN_A_ROW = 0.05, 64
local HOPELESS = 4        -- times as slow as the best: two runs are enough
local NOISY = 0.2         -- spread of the runs, as a part of the median
local MOST_REPEATS = 2    -- of a noisy measurement
local MOST_REASON = 4000  -- bytes of a reason

-- What an earlier measurement may have left in a row.
local TIMES = { "ms", "min_ms", "spread_ms", "runs", "repeats", "score", "metrics" }

local function end_row(row, state, reason)
  row.state, row.reason = state, tostring(reason):sub(1, MOST_REASON)
  for _, name in ipairs(TIMES) do row[name] = nil end
  return false
end

local function answer(row, state, ok, ...)
  if ok then return true, ... end
  return end_row(row, state, (...))
end

-- Calls fn(...). A failure ends the row in `state`; the result is then false.
local function try(row, state, fn, ...) return answer(row, state, attempt.call(fn, ...)) end

-- Calls job.make; returns the function, or nil where there is none to measure. Notes in job.ahead
-- whether candidates can be compiled ahead.
local function make(job, row)
  local ok, digest, fn, why, states = try(row, "failed", code.digest_of, job.make,
    job.space:copy(row.parameters))
  if not ok then return nil end
  row.code = digest
  job.ahead = job.ahead or ahead.can(states)
  if not fn and type(why) == "string" then
    end_row(row, "skipped", why)
    return nil
  end
  if not fn then
    arguments.fail(job.what, "option 'make': expected a function as its result, got %s for %s; "
      .. "return nil and a reason to skip a candidate", tostring(fn),
      job.space:text(row.parameters))
  end
  core._check_callable(fn, job.what .. ": option 'make'")
  return fn
end

-- Raises the errors of the work that was queued.
local function wait(job) job.device:synchronize() end

local function run_first(job, fn)
  fn()
  wait(job)
end

local function check(job, row)
  if not job.check then return true end
  local ok, result = try(row, "wrong", job.check, job.space:copy(row.parameters))
  if ok and result == false then return end_row(row, "wrong", "check returned false") end
  return ok
end

-- Resets, runs and checks a candidate; the first run compiles its kernels.
local function first_run(job, row, fn)
  if job.reset then job.reset(job.space:copy(row.parameters)) end
  if not try(row, "failed", run_first, job, fn) then return false end
  if row.checked then return true end
  row.checked = true
  return check(job, row)
end

-- Times ------------------------------------------------------------------------------------------

local function in_a_row(fn, count)
  if count == 1 then return fn end
  return function() for _ = 1, count do fn() end end
end

local function benchmark(job, fn, runs)
  return core._benchmark(fn, runs, 0, job.stream).gpu
end

local function series(job, fn, runs, count)
  local t = benchmark(job, in_a_row(fn, count), runs)
  return { ms = t.median_ms / count, min_ms = t.min_ms / count, spread_ms = t.spread_ms / count,
    runs = runs * count, repeats = 0 }
end

local function is_noisy(t) return t.runs >= 3 and t.spread_ms > NOISY * t.ms end

-- Measures again what varies too much, and keeps the lower median.
local function calm_series(job, fn, runs, count)
  local best = series(job, fn, runs, count)
  for repeats = 1, MOST_REPEATS do
    if not is_noisy(best) then break end
    local again = series(job, fn, runs, count)
    if again.ms < best.ms then best = again end
    best.repeats = repeats
  end
  return best
end

local function runs_for(ms, effort)
  local e = EFFORTS[effort]
  local fitting = ms > 0 and e.ms / ms or e.most
  return math.max(e.least, math.floor(math.min(fitting, e.most)))
end

-- The clocks of a GPU rise while it works: the first candidate of a search runs for a while first.
local function warm_up(job, fn)
  if job.warm or job.device.kind == "cpu" then return end
  job.warm = true
  local e = EFFORTS[3]
  local runs = e.ms / math.max(series(job, fn, 1, 1).ms, e.ms / e.most)
  series(job, fn, math.max(1, math.floor(runs)), 1)
end

-- One run, or where that takes hopelessly long the better of two; then the second result is true.
local function look_at(job, fn, best_ms)
  local limit = not job.runs and best_ms and HOPELESS * best_ms or math.huge
  local look = series(job, fn, 1, 1)
  if look.ms <= limit then return look, false end
  local again = series(job, fn, 1, 1)
  if again.ms < look.ms then look = again end
  look.runs = 2
  return look, look.ms > limit
end

-- The times of a function; `best_ms`: of the best one so far, or nil
local function time(job, fn, effort, best_ms)
  warm_up(job, fn)
  local look, hopeless = look_at(job, fn, best_ms)
  if hopeless then return look end
  local count = 1
  if look.ms < SHORT_MS then
    count = look.ms > 0 and math.min(math.ceil(SHORT_MS / look.ms), MOST_IN_A_ROW) or MOST_IN_A_ROW
  end
  for _ = 1, job.warmup do fn() end
  return calm_series(job, fn, job.runs or runs_for(look.ms * count, effort), count)
end

-- measure.candidate(job, row, effort, best_ms) measures the row's parameters and sets its fields.
-- A failed one sets state and reason. Raises what job.reset raises.
local function candidate(job, row, effort, best_ms)
  local fn = row.made or make(job, row)
  row.made = nil
  if not fn then return end
  if not first_run(job, row, fn) then return end
  local ok, t = try(row, "failed", time, job, fn, effort, best_ms)
  if not ok then return end
  for name, value in pairs(t) do row[name] = value end
  row.state, row.effort = "ok", effort
end

return { candidate = candidate, make = make }

-- Measurements that a spec makes up, in place of those of cuda.tune.
local core = require "luacuda.core"
local cuda = require "luacuda"

local M = {}

-- Calls fn(made) while every measurement of cuda.tune takes cost(p, number, runs) milliseconds by a
-- clock that stands still otherwise: p: the candidate whose function ran last, number: of the
-- measurement of it. cost may return a spread as a second result.
--
-- made.candidate(p) returns a function for the option make. made.series: a list of { p =, runs =,
-- in_a_row =, warmup =, stream = }, one for each measurement; made.now: the clock.
function M.with_times(cost, fn)
  local made = { series = {}, now = 0 }
  local current, calls, numbers = nil, 0, {}
  function made.candidate(p)
    return function() current, calls = p, calls + 1 end
  end
  local function benchmark(work, runs, warmup, stream)
    calls = 0
    work()
    local name = core.sha256(table.unpack(M.words(current)))
    numbers[name] = (numbers[name] or 0) + 1
    local ms, spread = cost(current, numbers[name], runs)
    made.series[#made.series + 1] = { p = current, runs = runs, in_a_row = calls,
      warmup = warmup, stream = stream }
    made.now = made.now + ms * calls * runs
    return { gpu = { min_ms = ms * calls, median_ms = ms * calls,
      spread_ms = (spread or 0) * calls, runs = runs } }
  end
  local own_benchmark, own_clock = core._benchmark, core._now_ms
  core._benchmark, core._now_ms = benchmark, function() return made.now end
  local ok, problem = pcall(fn, made)
  core._benchmark, core._now_ms = own_benchmark, own_clock
  if not ok then error(problem, 0) end
end

-- A search with made-up times: of the candidates of options.make(candidate), or of all points.
function M.search(options, cost)
  local result
  M.with_times(cost, function(made)
    options.name, options.cache = options.name or "test", false
    options.make = options.make and options.make(made.candidate) or made.candidate
    result = cuda.tune(options)
  end)
  return result
end

-- The parameters as a list of words, in a fixed order.
function M.words(p)
  local words = {}
  for name, value in pairs(p) do words[#words + 1] = name .. "=" .. tostring(value) end
  table.sort(words)
  return words
end

return M

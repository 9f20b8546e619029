-- search.lua: strategies: which points of a space are measured, and how well. They know nothing of
-- devices.
--
-- job.evaluate(points, effort, share) measures and returns scores by index, of which less is
-- better: false for a point that failed, nil for one that was not measured because that share of
-- the time is used up. Efforts are 1 (a look), 2 (a measurement) and 3 (a careful one).
-- job.over(share): is that share of the time used up?  job.limited: may it be used up?
-- job.candidates: the most different points.  job.seed: of the random numbers.
--
-- Successive halving: Jamieson and Talwalkar, "Non-stochastic best arm identification and
-- hyperparameter optimization", AISTATS 2016.

local id_of = require("luacuda.tuning.space").id_of

local LOOK, MEASURE, CARE = 1, 2, 3

-- random(n) -> 1 to n, the same series for the same seed: xorshift64* (Vigna 2016).
local function generator(seed)
  local x = seed * 0x9E3779B97F4A7C15 ~ 0x2545F4914F6CDD1D
  if x == 0 then x = 1 end
  return function(n)
    x = x ~ x >> 12
    x = x ~ x << 25
    x = x ~ x >> 27
    return (x * 0x2545F4914F6CDD1D >> 33) % n + 1
  end
end

-- What has been measured: by_id, id -> { point, id, score, effort }; seen, a set of ids, also of
-- points without a score; count, their number; share, of the time, that the present
-- stage ends at.
local function new_run(space, job)
  return { space = space, job = job, seen = {}, count = 0, by_id = {}, share = 1 }
end

local function is_full(run) return run.job.over(run.share) or run.count >= run.job.candidates end

-- Those of the points that may be measured; they count as seen.
local function admitted(run, list)
  local some = {}
  for _, point in ipairs(list) do
    local id = id_of(point)
    if run.seen[id] or not is_full(run) then
      if not run.seen[id] then run.count = run.count + 1 end
      run.seen[id] = true
      some[#some + 1] = point
    end
  end
  return some
end

-- A point that is not measured again keeps its score, one that fails then loses it.
local function evaluate(run, list, effort)
  list = admitted(run, list)
  local scores = run.job.evaluate(list, effort, run.share)
  for i, point in ipairs(list) do
    local id, score = id_of(point), scores[i]
    if score then run.by_id[id] = { id = id, point = point, score = score, effort = effort }
    elseif score == false then run.by_id[id] = nil end
  end
end

local function comes_before(a, b)
  local looked, other = a.effort == LOOK, b.effort == LOOK
  if looked ~= other then return other end
  if a.score ~= b.score then return a.score < b.score end
  return a.id < b.id
end

-- The entries, the best first: those that were measured, then those that were only looked at.
local function ranked(run)
  local list = {}
  for _, entry in pairs(run.by_id) do list[#list + 1] = entry end
  table.sort(list, comes_before)
  return list
end

local function points_of(entries, count)
  local list = {}
  for i = 1, math.min(count, #entries) do list[i] = entries[i].point end
  return list
end

-- The last stage: those that are nearly the best are measured carefully.
local MOST_FINALISTS, NEARLY = 3, 0.1

local function finish(run)
  local list = ranked(run)
  local finalists = {}
  for i = 1, math.min(MOST_FINALISTS, #list) do
    if list[i].score <= list[1].score + NEARLY * math.abs(list[1].score) then
      finalists[i] = list[i].point
    end
  end
  run.share = 1
  if #finalists > 1 then evaluate(run, finalists, CARE) end
end

-- Strategies --------------------------------------------------------------------------------------

-- Shares of the time that are used up at the end of a stage.
local AFTER_LOOKS, AFTER_HALVING, BEFORE_FINISH = 0.5, 0.65, 0.95

local strategies = {}

-- Every point; in random order where the time may not suffice for all.
function strategies.all(run, random)
  local list = run.space:list()
  if run.job.limited then list = run.space:sample(#list, random) end
  run.share = BEFORE_FINISH
  evaluate(run, list, MEASURE)
  finish(run)
end

function strategies.random(run, random)
  run.share = BEFORE_FINISH
  evaluate(run, run.space:sample(run.job.candidates, random), MEASURE)
  finish(run)
end

local SHARE = 2 / 3 -- of the candidates that are drawn; the rest are neighbors of the best
local KEPT = 3      -- one of so many goes on to the next effort

local function halve(run, random)
  local count = math.max(1, math.floor(run.job.candidates * SHARE))
  run.share = AFTER_LOOKS
  evaluate(run, run.space:sample(count, random), LOOK)
  run.share = AFTER_HALVING
  evaluate(run, points_of(ranked(run), (count + KEPT - 1) // KEPT), MEASURE)
end

local function unseen(run, list)
  local new = {}
  for _, point in ipairs(list) do
    if not run.seen[id_of(point)] then new[#new + 1] = point end
  end
  return new
end

-- Measures neighbors that are ever farther away until one has a lower score; returns it.
local function step(run, entry)
  for reach = 1, run.space.widest - 1 do
    local list, best = unseen(run, run.space:neighbors(entry.point, reach)), entry
    evaluate(run, list, MEASURE)
    for _, point in ipairs(list) do
      local other = run.by_id[id_of(point)]
      if other and other.score < best.score then best = other end
    end
    if best ~= entry then return best end
  end
end

-- Goes down from the best point, then from the next ones, while points may be measured. A step
-- leads to new points only, so no way is taken twice.
local function climb(run)
  run.share = BEFORE_FINISH
  for _, start in ipairs(ranked(run)) do
    local at = start
    while at and not is_full(run) do at = step(run, at) end
  end
end

function strategies.halving(run, random)
  halve(run, random)
  climb(run)
  finish(run)
end

-- search.run(space, strategy, job) measures points by one of the strategies; returns the best one,
-- or nil if none has a score.
local function run(space, strategy, job)
  local state = new_run(space, job)
  strategies[strategy](state, generator(job.seed))
  local best = ranked(state)[1]
  return best and best.point
end

return { run = run, generator = generator, STRATEGIES = { "all", "halving", "random" } }

-- The parameters of the collector, which Lua 5.4 and 5.5 set in different ways.
local M = {}

local is_5_4 = _VERSION == "Lua 5.4"

-- Sets "pause" or "stepmul"; returns the value before.
local function set(name, value)
  if is_5_4 then return collectgarbage("set" .. name, value) end
  return collectgarbage("param", name, value)
end

-- Runs fn() while cycles follow each other immediately; returns what pcall does.
function M.eagerly(fn)
  local pause, multiplier = set("pause", 0), set("stepmul", 1000)
  local results = table.pack(pcall(fn))
  set("pause", pause)
  set("stepmul", multiplier)
  return table.unpack(results, 1, results.n)
end

-- The work of the collector for each allocated byte. The time of the stressed run is proportional
-- to it: with 200 the collector takes nine tenths of the time of a spec.
local STRESS = 50

-- From now on a cycle starts as soon as the last one ended, and each step is as small as possible.
function M.stress_collector()
  if is_5_4 then collectgarbage("incremental", 0, STRESS, 1)
  else
    collectgarbage "incremental"
    collectgarbage("param", "stepsize", 2)
    set("stepmul", STRESS)
  end
  set("pause", 0)
end

return M

-- tiles_measure.lua: what the rows of bench/tiles.lua have in common: times, peers, sizes.
-- With --small, sizes are small and rows print errors instead of rates, also on the CPU device.
local cuda = require "luacuda"

local M = { small = false, ROUNDS = 7, CALLS = 5 }

local ROUNDS, CALLS = M.ROUNDS, M.CALLS

local patterns = {}
for _, word in ipairs(arg) do
  if word == "--small" then M.small = true else patterns[#patterns + 1] = word end
end

function M.wanted(name)
  for _, pattern in ipairs(patterns) do if name:find(pattern) then return true end end
  return #patterns == 0
end

local function timed(fn)
  local from, to = cuda.event{}, cuda.event{}
  from:record()
  for _ = 1, CALLS do fn() end
  to:record()
  return to:elapsed_ms(from) / CALLS
end

-- The median times of functions that run in turn.
function M.medians(list)
  local times = {}
  for k, fn in ipairs(list) do fn(); times[k] = {} end
  for round = 1, ROUNDS do
    for k, fn in ipairs(list) do times[k][round] = timed(fn) end
  end
  for k, own in ipairs(times) do table.sort(own); times[k] = own[ROUNDS // 2 + 1] end
  return times
end

-- The least of times[first..last], and its number.
function M.least(times, first, last)
  local which = first
  for k = first, last do if times[k] < times[which] then which = k end end
  return times[which], which
end

-- The figures of a script for python3, by what stands before them; empty without torch.
function M.peers(script, ...)
  local rates = {}
  if M.small then return rates end
  local folder = arg[0]:match "^(.*)/[^/]*$" or "."
  local words = table.concat({ ... }, " ")
  local pipe = io.popen(("python3 '%s/%s' %s 2>/dev/null"):format(folder, script, words))
  for line in pipe:lines() do
    local key, rate = line:match "^(.*) ([%d.]+)$"
    if key then rates[key] = tonumber(rate) end
  end
  pipe:close()
  return rates
end

-- beside(name, rate, own) -> "name rate ratio", for a peer's rate that may be unknown
function M.beside(name, rate, own)
  return name .. (rate and (" %5.0f  %.2f"):format(rate, own / rate) or " -")
end

-- The largest difference of an array from what is expected, beside the largest element of that.
function M.off(got, expected)
  return cuda.abs(got:astype "float64" - expected):max() / cuda.abs(expected):max()
end

return M

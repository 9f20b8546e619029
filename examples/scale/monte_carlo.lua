-- Estimates the volume of a ball by random points. Ranks divide the points among them; the hits are
-- added at the end.   Arguments: [POINTS [DIMENSIONS]]
-- One process for all GPUs, or several: mpirun -n 2 lua5.4 monte_carlo.lua
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local cuda = require "luacuda"
local team = require "team"

local points, dimensions = ...
points = math.tointeger(tonumber(points) or 1 << 20)
dimensions = math.tointeger(tonumber(dimensions) or 3)
local PIECES = 32 -- of the points, which ranks divide; the most ranks

-- The number of points of a piece in the ball; the points are the same whichever rank makes them.
local function hits(number)
  local n = points * number // PIECES - points * (number - 1) // PIECES
  local random, squares = cuda.random.generator(number), nil
  for _ = 1, dimensions do
    local x = random:uniform(n)
    squares = squares and squares + x * x or x * x
  end
  return squares:lt(1):sum()
end

local function job(comms)
  local counts = team.each(comms, function() return cuda.zeros({}, "int64") end)
  local function count()
    team.each(comms, function(comm, i)
      local first, last = team.share(comm, PIECES)
      for number = first, last do
        cuda.add(counts[i], hits(number), { out = counts[i] })
      end
    end)
    team.exchange(comms, function(comm, i)
      comm:all_reduce(counts[i], { out = counts[i] })
    end)
  end
  return count, function() return counts[1]:item() end
end

local report = team.compare(job)
if report.one then
  local share = report.all / points
  print(report.text)
  print(("volume in %d dimensions %.4f, give or take %.4f"):format(dimensions,
    2 ^ dimensions * share, 2 ^ dimensions * math.sqrt(share * (1 - share) / points)))
  assert(report.all == report.one, "the numbers of hits differ")
end

return report

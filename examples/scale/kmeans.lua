-- Groups points by k-means. Each rank has a part of the points, and all have the same centers: a
-- step adds the sums and the counts of all ranks.   Arguments: [POINTS [AXES [CENTERS [STEPS]]]]
-- One process for all GPUs, or several: mpirun -n 2 lua5.4 kmeans.lua
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local cuda = require "luacuda"
local team = require "team"

local points, axes, k, steps = ...
points = math.tointeger(tonumber(points) or 1 << 13)
axes, k = math.tointeger(tonumber(axes) or 8), math.tointeger(tonumber(k) or 16)
steps = math.tointeger(tonumber(steps) or 10)
local PIECES = 32 -- of the points, which ranks divide; the most ranks

-- A piece of the points, the same whichever rank makes it. Coordinates are multiples of 1/256, so
-- that sums are exact in any order.
local function piece(number)
  local n = points * number // PIECES - points * (number - 1) // PIECES
  local clump = cuda.random.generator(number):integers(1, k + 1, { n, 1 })
  local around = cuda.random.generator(PIECES + number):uniform({ n, axes })
  return (clump:astype "float32" * (256 / k) + (around * 64):floor()) / 256
end

local function part(comm)
  local first, last = team.share(comm, PIECES)
  local pieces = {}
  for number = first, last do pieces[#pieces + 1] = piece(number) end
  return { points = cuda.concatenate(pieces), centers = piece(1):slice({ 1, k }):copy() }
end

-- The nearest center of each point: the argmin of {n, k} distances.
local distance = cuda.reduction("float32 x, float32 y", "float32 d", "(x - y) * (x - y)", "a + b",
  "d = a", "0", "distance")

-- What is as large as the points is closed at once: memory is used again before the collector runs.
local function sums_of(p)
  local n = p.points.shape[1]
  local distances <close> = distance(p.points:reshape { n, 1, axes }, p.centers, { axis = 3 })
  if p.labels then p.labels:close() end
  p.labels = distances:argmin { axis = 2 }
  local column <close> = p.labels:reshape { n, 1 }
  local is_member <close> = column:eq(cuda.arange(1, k + 1))
  local members <close> = is_member:astype "float32" -- {n, k}: 1 where a point has a center, else 0
  local of_centers <close> = members:transpose()
  p.sums, p.counts = of_centers:matmul(p.points), members:sum { axis = 1 }
end

local function job(comms)
  local parts = team.each(comms, part)
  local function step()
    team.each(comms, function(_, i) sums_of(parts[i]) end)
    team.exchange(comms, function(comm, i)
      comm:all_reduce(parts[i].sums, { out = parts[i].sums })
      comm:all_reduce(parts[i].counts, { out = parts[i].counts })
    end)
    for _, p in ipairs(parts) do
      local counts = p.counts:reshape { k, 1 }
      p.centers = cuda.where(counts:gt(0), p.sums / counts, p.centers)
    end
  end
  return function() for _ = 1, steps do step() end end, function()
    return { points = parts[1].points, labels = parts[1].labels, centers = parts[1].centers }
  end
end

local report = team.compare(job)
if report.one then
  local apart = (report.all.centers - report.one.centers):abs():max()
  print(report.text)
  print(("%d centers, at most %.1g from those of one rank"):format(k, apart))
  assert(apart < 1e-5)
end

return report

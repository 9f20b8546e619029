-- Fits a plane to points by gradient descent. Each rank has a part of the points, and all have the
-- same weights: a step adds the gradients of all ranks.
--   Arguments: [POINTS [FEATURES [STEPS]]]
-- One process for all GPUs, or several: mpirun -n 2 lua5.4 regression.lua
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local cuda = require "luacuda"
local team = require "team"

local points, features, steps = ...
points = math.tointeger(tonumber(points) or 1 << 16)
features = math.tointeger(tonumber(features) or 32)
steps = math.tointeger(tonumber(steps) or 50)
local PIECES = 32 -- of the points, which ranks divide; the most ranks

-- A piece of the points, the same whichever rank makes it, and the value that belongs to each.
local function piece(number)
  local n = points * number // PIECES - points * (number - 1) // PIECES
  local x = cuda.random.generator(number):uniform({ n, features }) - 0.5
  local weights = cuda.arange(1, features + 1, "float32")
  return x, x:matmul(weights) / features
end

local function part(comm)
  local first, last = team.share(comm, PIECES)
  local x, y = {}, {}
  for number = first, last do
    local i = number - first + 1
    x[i], y[i] = piece(number)
  end
  return { x = cuda.concatenate(x), y = cuda.concatenate(y), weights = cuda.zeros(features) }
end

local function job(comms)
  local parts = team.each(comms, part)
  local function step()
    local gradients = team.each(comms, function(_, i)
      local p = parts[i]
      return p.x:transpose():matmul(p.x:matmul(p.weights) - p.y)
    end)
    team.exchange(comms, function(comm, i)
      comm:all_reduce(gradients[i], { out = gradients[i] })
    end)
    for i, p in ipairs(parts) do
      cuda.subtract(p.weights, gradients[i] * (12 / points), { out = p.weights })
    end
  end
  return function() for _ = 1, steps do step() end end, function() return parts[1].weights end
end

local report = team.compare(job)
if report.one then
  local apart = (report.all - report.one):abs():max()
  print(report.text)
  print(("weights from %.4f to %.4f, at most %.1g from those of one rank"):format(
    report.all:min(), report.all:max(), apart))
  assert(apart < 1e-4)
end

return report

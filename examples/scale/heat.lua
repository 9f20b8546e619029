-- Heat spreads in a plate with a hot rim. Each rank has some rows, and exchanges the outer ones
-- with its neighbors while it computes the inner ones.   Arguments: [SIZE [STEPS]]
-- One process for all GPUs, or several: mpirun -n 2 lua5.4 heat.lua
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local cuda = require "luacuda"
local team = require "team"

local n, steps = ...
n, steps = math.tointeger(tonumber(n) or 256), math.tointeger(tonumber(steps) or 100)
local RATE = 0.2 -- stable up to 0.25

local spread = cuda.fuse(function(u, up, down, left, right)
  return u + RATE * (up + down + left + right - 4 * u)
end)

-- The rows of a rank, twice, and the rows of its neighbors next to them.
local function part(comm)
  local first, last = team.share(comm, n)
  local p = { rows = last - first + 1, first = first, last = last }
  p.now = cuda.zeros { p.rows, n }
  if first == 1 then p.now[1] = 100 end -- the upper rim; the other rims stay cold
  p.later = p.now:copy()
  p.above, p.below = cuda.zeros { 1, n }, cuda.zeros { 1, n }
  p.stream = cuda.stream() -- for the exchange
  return p
end

-- Row i, which may be one of a neighbor.
local function row(p, i)
  return i < 1 and p.above or i > p.rows and p.below or p.now:slice { i, i }
end

local INSIDE, BEFORE, AFTER = { 2, -2 }, { 1, -3 }, { 3, -1 } -- columns

local function update_row(p, i)
  if p.first + i == 2 or p.first + i - 1 == n then return end -- a rim
  local here_, all = row(p, i), {}
  spread(here_:slice(all, INSIDE), row(p, i - 1):slice(all, INSIDE),
    row(p, i + 1):slice(all, INSIDE), here_:slice(all, BEFORE), here_:slice(all, AFTER),
    { out = p.later:slice({ i, i }, INSIDE) })
end

local function update_inner(p)
  local last = p.rows - 1
  if last < 2 then return end
  spread(p.now:slice({ 2, last }, INSIDE), p.now:slice({ 1, last - 1 }, INSIDE),
    p.now:slice({ 3, last + 1 }, INSIDE), p.now:slice({ 2, last }, BEFORE),
    p.now:slice({ 2, last }, AFTER), { out = p.later:slice({ 2, last }, INSIDE) })
end

-- Rows go up and down; the operations are queued on streams of their own.
local function exchange(comms, parts, streams)
  if comms[1].size == 1 then return end
  team.exchange(comms, function(comm, i)
    local p = parts[i]
    if comm.rank > 0 then
      comm:send(row(p, 1), comm.rank - 1)
      comm:recv(p.above, comm.rank - 1)
    end
    if comm.rank < comm.size - 1 then
      comm:send(row(p, p.rows), comm.rank + 1)
      comm:recv(p.below, comm.rank + 1)
    end
  end, { streams = streams })
end

local function job(comms)
  local parts = team.each(comms, part)
  local streams = {}
  for i, p in ipairs(parts) do streams[i] = p.stream end
  local function step()
    exchange(comms, parts, streams)
    for _, p in ipairs(parts) do update_inner(p) end
    for _, p in ipairs(parts) do
      update_row(p, 1)
      if p.rows > 1 then update_row(p, p.rows) end
      p.now, p.later = p.later, p.now
    end
  end
  local function whole()
    local counts = {}
    for r = 0, comms[1].size - 1 do
      local first, last = team.share({ rank = r, size = comms[1].size }, n)
      counts[r + 1] = last - first + 1
    end
    return team.exchange(comms, function(comm, i)
      return comm:gather(parts[i].now, { counts = counts })
    end)[1]
  end
  return function() for _ = 1, steps do step() end end, whole
end

local report = team.compare(job)
if report.one then
  print(report.text)
  print(("mean temperature %.4f"):format(report.all:mean()))
  assert(report.all:equals(report.one), "the results differ")
end

return report

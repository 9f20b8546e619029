-- A product of matrices. Each rank has the left matrix and some columns of the right one, and
-- computes these columns of the product.   Arguments: [ROWS [COLUMNS [INNER]]]
-- One process for all GPUs, or several: mpirun -n 2 lua5.4 matmul.lua
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local cuda = require "luacuda"
local team = require "team"

local m, n, k = ...
m, n, k = math.tointeger(tonumber(m) or 256), math.tointeger(tonumber(n) or 256),
  math.tointeger(tonumber(k) or 256)

-- Small integers, so that every sum is exact.
local function left()
  return cuda.random.generator(1):integers(-8, 8, { m, k }):astype "float32"
end

-- Columns first to last of the right matrix, as rows of its transpose.
local function right(first, last)
  local all = cuda.random.generator(2):integers(-8, 8, { n, k })
  return all:slice({ first, last }):astype "float32"
end

local function job(comms)
  local parts = team.each(comms, function(comm)
    local first, last = team.share(comm, n)
    -- rank 0 sends the left matrix to all
    return { a = comm.rank == 0 and left() or cuda.empty { m, k }, b = right(first, last) }
  end)
  team.exchange(comms, function(comm, i) comm:broadcast(parts[i].a) end)
  local function multiply()
    team.each(comms, function(_, i) parts[i].c = parts[i].a:matmul(parts[i].b:transpose()) end)
  end
  -- The columns of all ranks are rows of the transpose.
  local function whole()
    local counts = {}
    for r = 0, comms[1].size - 1 do
      local first, last = team.share({ rank = r, size = comms[1].size }, n)
      counts[r + 1] = last - first + 1
    end
    local columns = team.each(comms, function(_, i) return parts[i].c:transpose():contiguous() end)
    local all = team.exchange(comms, function(comm, i)
      return comm:gather(columns[i], { counts = counts })
    end)[1]
    return all and { a = parts[1].a, b = right(1, n):transpose(), c = all:transpose() }
  end
  return multiply, whole
end

local report = team.compare(job)
if report.one then
  print(report.text)
  print(("%d x %d x %d, sum %.0f"):format(m, n, k, report.all.c:sum()))
  assert(report.all.c:equals(report.one.c), "the products differ")
end

return report

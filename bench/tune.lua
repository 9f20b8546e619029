-- Searches for the tiles of the library's own matrix product and of its copy of a transposed
-- matrix, and shows where the present ones are. The constants are in linalg/gemm_source.lua (TILES)
-- and builder/elementwise_parts.lua (tuning).
--
--   tools/run bench/tune.lua matmul|transpose [SIZE [BUDGET_S [PICTURE.svg]]]
local cuda = require "luacuda"
local core = require "luacuda.core"

local what, size, budget, picture = ...
local on_gpu = cuda.device().kind ~= "cpu"
size = math.tointeger(tonumber(size) or on_gpu and 4096 or 128)
budget = tonumber(budget) or on_gpu and 300 or 20

-- Numbers whose products and sums are exact in any order.
local function numbers(count, period)
  return (cuda.arange(count, "int32") % period):astype "float32"
end

local jobs = {}

-- The product of square matrices, in the library's kernel with other tiles.
function jobs.matmul()
  local source = require "luacuda.linalg.gemm_source"
  local a = numbers(size * size, 5):reshape{ size, size }
  local b = numbers(size * size, 7):reshape{ size, size }
  local c, want = cuda.empty{ size, size }, a:matmul(b)
  local plan = core.gemm_plan(a, b, c)

  local function threads_of(p) return p.ROWS // p.TR * (p.COLUMNS // p.TC) end

  local function fits(p)
    local threads = threads_of(p)
    if threads < 64 or threads > 1024 then return false end
    if p.DEPTH * (p.ROWS + p.COLUMNS + 8) * 4 > 48 * 1024 then return false end
    return threads % p.ROWS == 0 and threads % p.COLUMNS == 0 and threads % p.DEPTH == 0
      and p.ROWS * p.DEPTH % threads == 0 and p.COLUMNS * p.DEPTH % threads == 0
  end

  return {
    space = { ROWS = { 16, 32, 64, 128, 256 }, COLUMNS = { 16, 32, 64, 128, 256 },
      DEPTH = { 8, 16, 32 }, TR = { 2, 4, 8, 16 }, TC = { 2, 4, 8, 16 } },
    where = fits,
    make = function(p)
      local tile = { rows = p.ROWS, columns = p.COLUMNS, depth = p.DEPTH, thread_rows = p.TR,
        thread_columns = p.TC }
      local kernel = cuda.kernel(source.text("float32", tile, "float32"), source.NAME)
      local blocks = ((size - 1) // p.ROWS + 1) * ((size - 1) // p.COLUMNS + 1)
      local launch = kernel:prepare{ grid = blocks, block = threads_of(p) }
      return function() launch(a, b, c, plan.bytes, size, size * size) end
    end,
    reset = function() c:fill(-1) end,
    check = function() return c:equals(want) end,
    metrics = function(_, ms) return { gflops = 2e-6 * size ^ 3 / ms } end,
    present = function()
      local list = {}
      for _, which in ipairs { "tiny", "small", "large" } do
        local t = source.shape("float32", which)
        list[#list + 1] = { ROWS = t.rows, COLUMNS = t.columns, DEPTH = t.depth,
          TR = t.thread_rows, TC = t.thread_columns }
      end
      return list
    end,
  }
end

-- The copy of a transposed matrix, an elementwise kernel that reads through shared memory.
function jobs.transpose()
  local tuning = require("luacuda.builder.elementwise_parts").tuning
  local x, y = numbers(size * size, 1 << 20):reshape{ size, size }, cuda.empty{ size, size }
  local turned = x:transpose()
  local now = { BLOCK = tuning.block, EDGE = tuning.tile_edge, WIDTH = tuning.tile_width }
  -- The constants are read when the kernel's text is made, at the first call.
  local function with(p, fn, ...)
    tuning.block, tuning.tile_edge, tuning.tile_width = p.BLOCK, p.EDGE, p.WIDTH
    local ok, problem = pcall(fn, ...)
    tuning.block, tuning.tile_edge, tuning.tile_width = now.BLOCK, now.EDGE, now.WIDTH
    if not ok then error(problem, 0) end
  end
  return {
    space = { BLOCK = { 64, 128, 256, 512 }, EDGE = { 16, 32, 64 }, WIDTH = { 16, 32 } },
    where = function(p)
      local rows = p.BLOCK // p.WIDTH
      return p.EDGE % p.WIDTH == 0 and p.EDGE % rows == 0
    end,
    make = function(p)
      local copy = cuda.elementwise("T x", "T y", "y = x", "copy_of_transpose")
      with(p, copy, turned, y)
      return function() copy(turned, y) end
    end,
    reset = function() y:fill(-1) end,
    check = function() return y:transpose():equals(x) end,
    metrics = function(_, ms) return { gb_per_s = 8e-6 * size * size / ms } end,
    present = function() return { now } end,
  }
end

assert(jobs[what], "bench/tune.lua matmul|transpose [SIZE [BUDGET_S [PICTURE.svg]]]")
local job = jobs[what]()
local present = job.present()
job.name, job.key, job.present = "bench " .. what, size, nil
job.budget_ms, job.candidates, job.refresh = budget * 1000, 400, true
local result = cuda.tune(job)
print(result)
if picture then result:save(picture) end

local function is_same(a, b)
  for name, value in pairs(a) do
    if b[name] ~= value then return false end
  end
  return true
end

for place, row in ipairs(result.rows) do
  for _, p in ipairs(present) do
    if row.ms and is_same(row.parameters, p) then
      print(("in use now: place %d, %.2f times the best time"):format(place, row.ms / result.ms))
    end
  end
end

-- Measures products over tiles on the CPU device beside a BLAS in float32, in turn, on random
-- normal data. Prints GFLOP/s and ratios. LUACUDA_LIBBLAS names the BLAS; LUACUDA_CPU_THREADS and
-- the BLAS's own variable (OPENBLAS_NUM_THREADS) set the threads.
--   LUACUDA_DEVICE=cpu lua5.4 bench/tiles_cpu.lua [SIZE...]
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local cuda = require "luacuda"
local measure = require "tiles_measure"
local products = require("tiles_products").products

-- rows, columns and depth of tiles, and warps
local EXTENTS = { { 128, 256, 32, 4 }, { 128, 128, 64, 4 }, { 128, 128, 32, 4 } }

-- The threads of a BLAS stay busy for a while after its work.
local function rest() os.execute "sleep 0.03" end

local function row(dtype, n, layout)
  local a, b = cuda.random.normal{ n, n }, cuda.random.normal{ n, n }
  local x, y = a:astype(dtype), b:astype(dtype)
  local c, r = cuda.empty{ n, n }, cuda.empty{ n, n }
  local right = layout == "nt" and b:transpose() or b
  local fns = { function() cuda.matmul(a, right, { out = r }) end, rest }
  for k, e in ipairs(EXTENTS) do
    local kernel = products(table.unpack(e))[layout]
    fns[k + 2] = function() kernel({ tiles = c }, c, x, y) end
  end
  local times = measure.medians(fns)
  local _, best = measure.least(times, 3, #times)
  local function rate(k) return 2 * n ^ 3 / times[k] * 1e-6 end
  print(("%-9s%6d %s  ours %6.1f  BLAS %6.1f  %.2f  (%d x %d x %d, %d warps)"):format(dtype, n,
    layout, rate(best), rate(1), rate(best) / rate(1), table.unpack(EXTENTS[best - 2])))
end

local sizes = #arg > 0 and arg or { 256, 512, 1024 }
for _, dtype in ipairs{ "float16", "float32" } do
  for _, n in ipairs(sizes) do
    for _, layout in ipairs{ "nn", "nt" } do row(dtype, math.tointeger(tonumber(n)), layout) end
  end
end

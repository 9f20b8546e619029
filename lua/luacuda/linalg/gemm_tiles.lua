-- gemm_tiles.lua: products of matrices of 16-bit floats by kernels over tiles, on devices with
-- tensor cores. Operands are contiguous, or transposed arrays that are.

local tiled = require("luacuda.tiles.tiled").tiled

local M = {}

-- Kernels -----------------------------------------------------------------------------------------

local LEFT = { n = "load(a, { BATCH i, k }, { M, K })",
  t = "transpose(load(a, { BATCH k, i }, { K, M }))" }
local RIGHT = { n = "load(b, { BATCH k, j }, { K, N })",
  t = "transpose(load(b, { BATCH j, k }, { N, K }))" }

local TEXT = [[
function(c, a, b)
  local i, j, h = program(1), program(2), program(3)
  local sum = zeros("float32", M, N)
  for k = 1, tiles(a, AXIS, K) do sum = dot(LEFT, RIGHT, sum) end
  store(c, { BATCH i, j }, sum)
end]]

local function text_of(left, right, has_batch)
  local axis = (left == "n" and 2 or 1) + (has_batch and 1 or 0)
  return (TEXT:gsub("%u%u%u+", { LEFT = LEFT[left], RIGHT = RIGHT[right], AXIS = tostring(axis) })
    :gsub("BATCH ", has_batch and "h, " or ""))
end

local kernels = {} -- by text and extents

local function kernel_of(text, e)
  local key = ("%s %d %d %d %d"):format(text, e.rows, e.columns, e.warps, e.cluster or 1)
  kernels[key] = kernels[key] or tiled(text, { M = e.rows, N = e.columns, K = e.depth,
    warps = e.warps, cluster = e.cluster, name = "matmul" })
  return kernels[key]
end

-- Extents -----------------------------------------------------------------------------------------

-- `rate`: about how fast a multiprocessor computes such a tile. With wgmma, and with mma.sync.
local GROUPS = {
  { rows = 128, columns = 256, depth = 64, warps = 8, rate = 1 },
  { rows = 256, columns = 128, depth = 64, warps = 8, rate = 1 },
  { rows = 128, columns = 192, depth = 64, warps = 4, rate = 0.97 },
  { rows = 128, columns = 128, depth = 64, warps = 4, rate = 0.9 },
  { rows = 64, columns = 128, depth = 64, warps = 4, rate = 0.75 },
  { rows = 64, columns = 64, depth = 64, warps = 4, rate = 0.5 },
}
-- Of rows that begin at no multiple of 128 bytes, of which two blocks share tiles.
local SHARED = { { rows = 128, columns = 192, depth = 64, warps = 4, cluster = 2, rate = 1.1 } }
table.move(GROUPS, 1, #GROUPS, 2, SHARED)
local WARPS = {
  { rows = 128, columns = 128, depth = 32, warps = 8, rate = 1 },
  { rows = 64, columns = 64, depth = 32, warps = 4, rate = 0.6 },
}

local function count_of(e, m, n, batch)
  return (m + e.rows - 1) // e.rows * ((n + e.columns - 1) // e.columns) * batch
end

-- The extents whose tiles fill the multiprocessors best.
local function choose(list, m, n, batch, processors)
  local best, least
  for _, e in ipairs(list) do
    local waves = (count_of(e, m, n, batch) + processors - 1) // processors
    local cost = waves * e.rows * e.columns / e.rate
    if not least or cost < least then best, least = e, cost end
  end
  return best
end

-- Do the rows of both begin at multiples of so many bytes?
local function are_aligned(a, b, bytes)
  return a.shape[a.ndim] * 2 % bytes == 0 and b.shape[b.ndim] * 2 % bytes == 0
end

local function list_for(device, a, b)
  if device.cc ~= 90 or not are_aligned(a, b, 16) then return WARPS end
  return are_aligned(a, b, 128) and GROUPS or SHARED
end

-- The product -------------------------------------------------------------------------------------

local IS_SHORT = { float16 = true, bfloat16 = true }
local LEAST = 64 -- of each extent

-- An operand as it is in memory, "n" or "t"; nil: neither it nor its transpose is contiguous.
local function layout_of(x, swapped)
  if x.is_contiguous then return x, "n" end
  local turned = swapped(x)
  if turned.is_contiguous then return turned, "t" end
end

-- Is the batch of an operand that of the product?
local function has_batch(x, batch)
  if x.ndim ~= #batch + 2 then return false end
  for k, n in ipairs(batch) do
    if x.shape[k] ~= n then return false end
  end
  return true
end

local function fits(job, m, n, k)
  local device = job.c.device
  return IS_SHORT[job.c.dtype] and job.a.dtype == job.c.dtype and device.cc >= 80
    and math.min(m, n, k) >= LEAST and #job.batch <= 1 and job.c.is_contiguous
    and has_batch(job.a, job.batch) and has_batch(job.b, job.batch)
end

-- multiply(job, swapped) -> did it multiply? job: of gemm.lua; swapped(x): a view with the last two
-- axes exchanged. Few tiles with many terms are left to kernels whose blocks share the terms.
function M.multiply(job, swapped)
  local c = job.c
  local m, n, k = c.shape[c.ndim - 1], c.shape[c.ndim], job.a.shape[job.a.ndim]
  if not fits(job, m, n, k) then return false end
  local a, left = layout_of(job.a, swapped)
  local b, right = layout_of(job.b, swapped)
  if not a or not b then return false end
  local batch, processors = job.batch[1] or 1, c.device.multiprocessor_count
  if 4 * count_of({ rows = 64, columns = 64 }, m, n, batch) < processors then return false end
  local e = choose(list_for(c.device, a, b), m, n, batch, processors)
  local programs = { (m + e.rows - 1) // e.rows, (n + e.columns - 1) // e.columns, batch }
  kernel_of(text_of(left, right, job.batch[1] ~= nil), e)({ programs = programs,
    stream = job.stream }, c, a, b)
  return true
end

return M

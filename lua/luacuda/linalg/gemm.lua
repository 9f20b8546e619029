-- gemm.lua: products of matrices of one dtype on one device: by cuBLAS on a GPU that has it, by the
-- CPU device itself, else by kernels over tiles (gemm_tiles.lua) or by that of gemm_source.lua.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local lists = require "luacuda.base.lists"
local kernel = require("luacuda.kernel.kernel").own
local source = require "luacuda.linalg.gemm_source"
local sums = require "luacuda.linalg.sums"

local BACKENDS = { cublas = true, kernel = true }

-- By cuBLAS ---------------------------------------------------------------------------------------

-- by device: why it cannot use cuBLAS, or false
local obstacles = setmetatable({}, { __mode = "k" })

local function obstacle_on(device)
  local found, why = core.cublas(device)
  if not found and core.cublas() and warn then
    warn("luacuda: matrix products do without cuBLAS: ", why)
  end
  return not found and why
end

-- Can cuBLAS be used for a dtype on a device? If not, the second result says why.
local function can_use_cublas(dtype, device)
  local kind = dtypes.of(dtype).kind
  if kind ~= "float" and kind ~= "complex" then return false, "cuBLAS has no " .. dtype end
  if device.kind == "cpu" then
    return false, "cuBLAS is for GPUs, the arrays are on " .. device.label
  end
  if obstacles[device] == nil then obstacles[device] = obstacle_on(device) end
  return not obstacles[device], obstacles[device]
end

-- Frees the arrays that a step made, when the work that uses them is queued.
local function release(job, ...)
  for _, x in ipairs { ... } do
    if x ~= job.a and x ~= job.b and x ~= job.c then x:free() end
  end
end

-- Elements in C order without gaps, before repetition; the batch axes of `x` are broadcast
-- afterwards.
local function compact(x, stream) return x:copy{ stream = stream } end

local function another(c, stream)
  return core.new(c, c, c.dtype, stream)
end

-- Hands over the product in c to the job's own c.
local function finish(job, a, b, c)
  if c ~= job.c then job.c:set(c, { stream = job.stream }) end
  release(job, a, b, c)
end

local function broadcast(x, batch)
  local shape = table.move(batch, 1, #batch, 1, {})
  local own = x.shape
  shape[#shape + 1], shape[#shape + 2] = own[#own - 1], own[#own]
  return lists.same(shape, own) and x or x:broadcast_to(shape)
end

-- Multiplies by cuBLAS; returns false when the matrices are too large for its integers. Operands
-- that it cannot take directly are copied.
local function by_cublas(job)
  local a, b, c = job.a, job.b, job.c
  for _ = 1, 4 do
    local done, obstacle = core.gemm(broadcast(a, job.batch), broadcast(b, job.batch), c,
      job.stream, job.tf32)
    if done then
      finish(job, a, b, c)
      return true
    end
    if obstacle == "a" then a = compact(a, job.stream)
    elseif obstacle == "b" then b = compact(b, job.stream)
    elseif obstacle == "c" then c = another(c, job.stream)
    else break end
  end
  release(job, a, b, c)
  return false
end

-- By the CPU device itself ------------------------------------------------------------------------

local function by_host(job)
  local a, b, c = job.a, job.b, job.c
  for _ = 1, 2 do
    local x, y = broadcast(a, job.batch), broadcast(b, job.batch)
    if core.host_gemm(x, y, c, job.stream) then break end
    -- strides between elements
    a, b, c = compact(a, job.stream), compact(b, job.stream), another(c, job.stream)
  end
  finish(job, a, b, c)
end

-- By the kernel of the library --------------------------------------------------------------------

local kernels = {} -- by dtype, tile and dtype of the products

local function kernel_of(dtype, which, result)
  local key = ("%s %s %s"):format(dtype, which, result)
  kernels[key] = kernels[key]
    or kernel{ source = source.source(dtype, which, result), name = source.NAME }
  return kernels[key]
end

local function blocks(plan, dtype, which)
  local rows, columns = source.tile(dtype, which)
  return ((plan.m + rows - 1) // rows) * ((plan.n + columns - 1) // columns) * plan.count
end

-- Blocks that keep a large GPU busy; terms that are worth a block of their own; terms for which
-- the steps of flat tiles, of 8 terms, are long enough.
local MANY_BLOCKS, MANY_TERMS, FEW_TERMS = 264, 256, 32

-- Larger tiles read less memory per product, but there must be enough of them, or enough parts of
-- their terms, for all multiprocessors, and enough elements to fill most of a tile. Flat and thin
-- tiles have 8 columns.
local function choose_tile(plan, dtype, device)
  local side, processors = math.min(plan.m, plan.n), device.multiprocessor_count
  local shares = math.max(plan.k // MANY_TERMS, 1)
  if plan.n <= 8 and plan.m > 16 then return plan.k <= FEW_TERMS and "flat" or "thin" end
  if side > 64 and blocks(plan, dtype, "large") >= processors then return "large" end
  if side > 32 and blocks(plan, dtype, "small") * shares >= processors then return "small" end
  return "tiny"
end

-- The number of terms per block.
local function choose_depth(plan, tiles)
  local parts = math.min(MANY_BLOCKS // tiles, plan.k // MANY_TERMS)
  if parts < 2 then return plan.k end
  return ((plan.k + parts - 1) // parts + 15) // 16 * 16
end

local function swapped(x)
  local order = {}
  for i = 1, x.ndim do order[i] = i end
  order[x.ndim - 1], order[x.ndim] = x.ndim, x.ndim - 1
  return x:transpose(order)
end

-- A view of one element of the last axis (or the one before it).
local function first_of(x, axis)
  local parts = {}
  for i = 1, x.ndim do parts[i] = i == axis and 1 or {} end
  return x:slice(table.unpack(parts))
end

-- A matrix times a vector, or a vector times a matrix.
local function by_sums(job, m)
  local c, ndim = job.c, job.c.ndim
  -- {..., m, k} and {..., 1, k} along k
  local x, y, axis, dropped = job.a, swapped(job.b), -1, ndim
  -- {..., k, 1} and {..., k, n}
  if m == 1 then x, y, axis, dropped = swapped(job.a), job.b, -2, ndim - 1 end
  sums.sum_of_products(x, y, c.dtype,
    { axis = axis, out = first_of(c, dropped), stream = job.stream })
end

local function launch(job, plan, a, b, c, result)
  local dtype, which = a.dtype, plan.tile
  local _, _, threads = source.tile(dtype, which)
  local parts = (plan.k + plan.depth - 1) // plan.depth
  kernel_of(dtype, which, result)({ grid = blocks(plan, dtype, which) * parts, block = threads,
    stream = job.stream }, core.raw(a), core.raw(b), core.raw(c), plan.bytes, plan.depth,
    plan.m * plan.n * plan.count)
end

-- Few tiles with many terms: products of parts of the terms, in an array of their own, and their
-- sum.
local function in_parts(job, plan, a, b, c)
  local shape = c.shape
  local count = (plan.k + plan.depth - 1) // plan.depth
  local wide = dtypes.product_sum_of(c.dtype)
  local parts = core.empty({ count, table.unpack(shape) }, wide,
    { device = c.device, stream = job.stream })
  local first = parts[1]
  local same = wide == c.dtype and first
    or core.new(c, shape, c.dtype, job.stream)
  local layout = core.gemm_plan(broadcast(a, job.batch), broadcast(b, job.batch), same)
  layout.depth, layout.tile = plan.depth, plan.tile
  launch(job, layout, a, b, parts, wide)
  sums.sum_of_parts(parts, c, job.stream)
  for _, x in ipairs { parts, first, same } do x:free() end
end

-- Every sum has one term.
local function by_elements(job)
  require("luacuda.array.operators").multiply(job.a, job.b, { out = job.c, stream = job.stream })
end

local function plan_of(job, a, b, c)
  local plan = core.gemm_plan(broadcast(a, job.batch), broadcast(b, job.batch), c)
  if plan then
    plan.tile = choose_tile(plan, c.dtype, c.device)
    plan.depth = choose_depth(plan, blocks(plan, c.dtype, plan.tile))
  end
  return plan
end

local function by_kernel(job)
  local c = job.c
  local m, n = c.shape[c.ndim - 1], c.shape[c.ndim]
  if m == 1 or n == 1 then return by_sums(job, m) end
  if job.a.shape[job.a.ndim] == 1 then return by_elements(job) end
  if require("luacuda.linalg.gemm_tiles").multiply(job, swapped) then return end
  local a, b = job.a, job.b
  if m < n and m <= 8 then -- the transposed product: few columns
    a, b, c = swapped(b), swapped(a), swapped(c)
  end
  local own = { a = a, b = b, c = c, stream = job.stream, batch = job.batch }
  local plan = plan_of(own, a, b, c)
  if not plan then -- strides between elements
    a, b, c = compact(a, job.stream), compact(b, job.stream), another(c, job.stream)
    plan = plan_of(own, a, b, c)
  end
  if plan.depth < plan.k then in_parts(own, plan, a, b, c)
  else launch(own, plan, a, b, c, c.dtype) end
  finish(own, a, b, c)
end

-- The choice --------------------------------------------------------------------------------------

local function by_best(job, what, backend)
  local usable, why
  if not backend and job.c.device.kind == "cpu" then return by_host(job) end
  if backend ~= "kernel" then usable, why = can_use_cublas(job.c.dtype, job.c.device) end
  if backend == "cublas" and not usable then arguments.fail(what, "option 'backend': %s", why) end
  if not (usable and by_cublas(job)) then by_kernel(job) end
end

-- multiply(what, job, backend): job.c {batch..., m, n} = job.a {..., m, k} times job.b {..., k, n},
-- whose leading axes broadcast to job.batch; also job.stream, job.tf32. backend: nil, "cublas" or
-- "kernel". c may not overlap a or b.
local function multiply(what, job, backend)
  if job.c.size == 0 then return end
  local shape = job.a.shape
  if shape[#shape] == 0 then
    job.c:fill(dtypes.of(job.c.dtype).kind ~= "bool" and 0, { stream = job.stream })
    return
  end
  by_best(job, what, backend)
end

return { multiply = multiply, by_cublas = by_cublas, BACKENDS = BACKENDS }

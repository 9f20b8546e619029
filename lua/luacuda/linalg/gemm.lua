-- gemm.lua: products of matrices of one dtype on one device: by cuBLAS on a GPU that has it, else
-- by the kernel of gemm_source.lua.

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
  return core.empty(c.shape, c.dtype, { device = c.device, stream = stream })
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

-- By the kernel of the library --------------------------------------------------------------------

local kernels = { tiny = {}, small = {}, large = {} } -- by dtype

local function kernel_of(dtype, which)
  local found = kernels[which][dtype]
  if not found then
    found = kernel{ source = source.source(dtype, which), name = source.NAME }
    kernels[which][dtype] = found
  end
  return found
end

local function blocks(plan, dtype, which)
  local rows, columns = source.tile(dtype, which)
  return ((plan.m + rows - 1) // rows) * ((plan.n + columns - 1) // columns) * plan.count
end

-- Larger tiles read less memory per product, but there must be enough of them for all
-- multiprocessors, and enough elements to fill most of a tile.
local function choose_tile(plan, dtype, device)
  local side, processors = math.min(plan.m, plan.n), device.multiprocessor_count
  if side > 64 and blocks(plan, dtype, "large") >= processors then return "large" end
  if side > 32 and blocks(plan, dtype, "small") >= processors then return "small" end
  return "tiny"
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

local function by_kernel(job)
  local c, dtype = job.c, job.c.dtype
  local m, n = c.shape[c.ndim - 1], c.shape[c.ndim]
  if m == 1 or n == 1 then return by_sums(job, m) end
  local a, b = job.a, job.b
  local plan = core.gemm_plan(broadcast(a, job.batch), broadcast(b, job.batch), c)
  if not plan then -- strides between elements
    a, b, c = compact(a, job.stream), compact(b, job.stream), another(c, job.stream)
    plan = core.gemm_plan(broadcast(a, job.batch), broadcast(b, job.batch), c)
  end
  local which = choose_tile(plan, dtype, c.device)
  local _, _, threads = source.tile(dtype, which)
  kernel_of(dtype, which)({ grid = blocks(plan, dtype, which), block = threads,
    stream = job.stream },
    core.raw(a), core.raw(b), core.raw(c), plan.bytes)
  finish(job, a, b, c)
end

-- The choice --------------------------------------------------------------------------------------

local function by_best(job, what, backend)
  local usable, why
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

-- take.lua: elements by indices: take (a[indices]) and put.

local core = require "luacuda.core"
local elements = require "luacuda.array.elements"
local index = require "luacuda.array.indices"
local source = require "luacuda.array.take_source"
local widest = require("luacuda.array.words").widest
local arguments = require "luacuda.base.arguments"
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"
local plans = require "luacuda.base.plans"
local find_kernel = require("luacuda.kernel.kernel").find

local product = lists.product

local BLOCKS_PER_SM = 32

local takes = plans.new() -- of calls of `take` along an axis that make the result

local function grid_of(count, device)
  return math.min((count + source.THREADS - 1) // source.THREADS,
    BLOCKS_PER_SM * device.multiprocessor_count)
end

-- take --------------------------------------------------------------------------------------------

local function taken_shape(shape, axis, of_indices)
  local out = {}
  for i = 1, axis - 1 do out[i] = shape[i] end
  for i = 1, #of_indices do out[#out + 1] = of_indices[i] end
  for i = axis + 1, #shape do out[#out + 1] = shape[i] end
  return out
end

local kernels = {} -- what distinguishes them, as a number -> kernel

local function find_take(size, dtype, mode, wide)
  local flags = (dtype == "int32" and 1 or 0) | (wide and 2 or 0)
  local key = size << 4 | source.MODES[mode] << 2 | flags
  local run = kernels[key]
  if not run then
    run = find_kernel("luacuda_take", key, source.take, size, dtype, mode, wide)
    kernels[key] = run
  end
  return run
end

-- How a kernel takes the elements at indices on an axis of m elements, each with the `row` bytes
-- after it.
local function plan_of(src, indices, dst, m, row, mode)
  local size = widest(row | src.pointer | dst.pointer)
  local count = dst.nbytes // size
  local wide = count >= source.NARROW or src.nbytes // size >= source.NARROW
  local run = find_take(size, indices.dtype, mode, wide)
  local each = source.THREADS * source.AHEAD
  return { run = run, grid = (count + each - 1) // each, m = m,
    args = { count, m, indices.size, row // size } }
end

local function launch_take(plan, src, indices, dst, bad, stream)
  plan.run({ grid = plan.grid, block = source.THREADS, stream = stream }, src, indices, dst, bad,
    table.unpack(plan.args))
end

-- The elements of a along an axis, with checked arguments; indices must be contiguous int32 or
-- int64. With a key the plan is kept.
local function along(what, a, indices, axis, mode, opts, owned, key)
  local shape, stream = a.shape, opts.stream
  local m = shape[axis]
  index.check_empty(what, 2, indices, m)
  local out = operands.result(what, opts, taken_shape(shape, axis, indices.shape), a.dtype, a)
  if out.size == 0 then
    if mode == "raise" and indices.size > 0 then index.check(what, indices, owned, m, stream) end
    return out
  end
  local src, bad = operands.dense(a, stream), index.new_bad(mode, a)
  local row = product(shape, axis + 1, #shape) * (a.nbytes // a.size)
  local function write(dst)
    local plan = plan_of(src, indices, dst, m, row, mode)
    launch_take(plan, src, indices, dst, bad, stream)
    return plan
  end
  if opts.out ~= nil then operands.into(out, { src, indices }, stream, write)
  else
    local plan = write(out)
    plan.shape, plan.dtype = out.shape, a.dtype
    if rawequal(src, a) then takes:keep(key, plan) end
  end
  if not rawequal(src, a) then src:free() end
  index.check_bad(what, 2, bad, indices, owned, m)
  return out
end

local function is_numeric(a) return type(a.dtype) == "string" end

-- The elements of a in C order at these integers.
local function flat(a, indices, mode, opts)
  local out, bad = opts.out, index.new_bad(mode, a)
  index.check_empty("take", 2, indices, a.size)
  if out then
    operands.result("take", opts, indices, a.dtype, a)
    operands.into(out, { a, indices }, opts.stream,
      function(dst) elements.take(a, indices, dst, bad, mode, opts.stream) end)
  else out = elements.take(a, indices, nil, bad, mode, opts.stream) end
  index.check_bad("take", 2, bad, indices, false, a.size)
  return out
end

-- A call like an earlier one, of arrays that the kernel takes directly.
local function again(plan, a, indices, mode, stream)
  local bad = index.new_bad(mode, a)
  local out = core.new(a, plan.shape, plan.dtype, stream)
  launch_take(plan, a, indices, out, bad, stream)
  index.check_bad("take", 2, bad, indices, false, plan.m)
  return out
end

local TAKE_OPTIONS = { "axis", "out", "mode", "stream" }

-- cuda.take(a, indices [, options]), a:take(indices [, options])
local function take(a, given, options)
  a = arguments.array("take", 1, "a", a)
  local opts = arguments.options("take", options, TAKE_OPTIONS)
  local mode, stream, ndim = index.check_mode("take", opts.mode), opts.stream, a.ndim
  local key = ndim > 1 and opts.out == nil and core.call_key(a, given, opts.axis, mode)
  local plan = takes:find(key)
  if plan then return again(plan, a, given, mode, stream) end
  local axis = opts.axis ~= nil and arguments.axis("take", opts.axis, ndim)
  local indices, owned = index.integers("take", 2, given, a, axis and a.shape[axis] or a.size, mode,
    stream)
  local out
  if (not axis or ndim == 1) and is_numeric(a) then out = flat(a, indices, mode, opts)
  else
    local src = a
    if not axis and ndim ~= 1 then src = operands.dense(a, stream):reshape(a.size) end
    indices, owned = index.dense(indices, owned, stream)
    out = along("take", src, indices, axis or 1, mode, opts, owned, not owned and key)
  end
  if owned then indices:free() end
  return out
end

-- put ---------------------------------------------------------------------------------------------

local function launch_put(dst, indices, v, mode, stream)
  local bytes = dst.nbytes // dst.size
  local size = widest(bytes | dst.pointer | v.pointer)
  local inner = bytes // size
  local count = indices.size * inner
  local wide = count >= source.NARROW or dst.nbytes // size >= source.NARROW
  local key = ("%d %s %s%s"):format(size, indices.dtype, mode, wide and " wide" or "")
  local run = find_kernel("luacuda_put", key, source.put, size, indices.dtype, mode, wide)
  run({ grid = grid_of(count, dst.device), block = source.THREADS, stream = stream }, dst, indices,
    v, count, dst.size, v.size, inner)
end

local few = {} -- size of a word, dtype of the indices -> kernel

-- The same in mode "raise" for few indices; waits.
local function put_few(dst, indices, owned, v, stream)
  local bytes, m = dst.nbytes // dst.size, dst.size
  local size = widest(bytes | dst.pointer | v.pointer)
  local wide = dst.nbytes // size >= source.NARROW
  local key = size << 2 | (indices.dtype == "int32" and 1 or 0) | (wide and 2 or 0)
  few[key] = few[key]
    or find_kernel("luacuda_put_few", key, source.put_few, size, indices.dtype, wide)
  local bad, count = index.new_bad("raise", dst), indices.size
  few[key]({ grid = 1, block = source.FEW_THREADS, stream = stream }, dst, indices, v, bad, count,
    m, v.size, bytes // size)
  index.check_bad("put", 2, bad, indices, owned, m)
end

local PUT_OPTIONS = { "mode", "stream" }

-- The end of an update of `a` through dst: copies it back where it is a copy, and frees what the
-- call has made.
local function give(a, dst, indices, owned, stream)
  if not rawequal(dst, a) then
    a:set(dst, { stream = stream })
    dst:free()
  end
  if owned then indices:free() end
  return a
end

local function put_structs(a, given, v, mode, stream)
  local indices, owned = index.dense(given, false, stream)
  local dst = operands.dense(a, stream)
  launch_put(dst, indices, v, mode, stream)
  give(a, dst, indices, owned, stream)
end

-- cuda.put(a, indices, values [, options]), a:put(indices, values [, options]) -> a
local function put(a, given, values, options)
  a = arguments.array("put", 1, "a", a)
  local opts = arguments.options("put", options, PUT_OPTIONS)
  local mode, stream = index.check_mode("put", opts.mode), opts.stream
  local indices, owned = index.integers("put", 2, given, a, a.size, mode, stream)
  local numeric = is_numeric(a)
  local v = numeric and type(values) == "number" and values
    or operands.values("put", 3, values, a, stream)
  index.check_empty("put", 2, indices, a.size)
  if indices.size == 0 then return a end
  if type(v) ~= "number" then v = index.match_values("put", v, indices, "", stream) end
  if operands.overlap(indices, a) then indices, owned = indices:copy { stream = stream }, true end
  if mode == "raise" and numeric and type(v) ~= "number" and index.is_few(indices, a, stream) then
    put_few(a, indices, owned, v, stream)
    if owned then indices:free() end
    return a
  end
  if mode == "raise" then index.check("put", indices, owned, a.size, stream) end
  local run = numeric and elements.put or put_structs
  run(a, indices, v, mode, stream)
  if owned then indices:free() end
  return a
end

return { take = take, put = put, along = along, taken_shape = taken_shape, grid_of = grid_of,
  give = give }

-- products.lua: products of arrays by NumPy's rules: matmul, dot, inner, outer, vdot, trace. norm
-- is in norm.lua.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"
local gemm = require "luacuda.linalg.gemm"
local sums = require "luacuda.linalg.sums"

local fail, shape_text = arguments.fail, lists.shape_text

-- Arguments ---------------------------------------------------------------------------------------

local OPTIONS = { "out", "stream", "backend", "tf32" }

local function check_options(what, given)
  local opts = arguments.options(what, given, OPTIONS)
  arguments.boolean(what, opts, "tf32")
  if opts.backend ~= nil and not gemm.BACKENDS[opts.backend] then
    fail(what, "option 'backend': expected 'cublas' or 'kernel', got %s", tostring(opts.backend))
  end
  return opts
end

local function check_numbers(what, arg, name, array)
  if type(array.dtype) ~= "string" then
    fail(what, "argument %d '%s': expected numbers, got %s", arg, name, tostring(array.dtype))
  end
end

-- Checks both arrays; returns them, and the dtype of the result with the place and manner of the
-- work.
local function begin(what, a, b, given)
  local work = { what = what, opts = check_options(what, given), temporaries = {} }
  a = arguments.array(what, 1, "a", a)
  b = arguments.array(what, 2, "b", b)
  check_numbers(what, 1, "a", a)
  check_numbers(what, 2, "b", b)
  if a.device ~= b.device then
    arguments.apart(what, "argument 1 'a' is", a.device, "argument 2 'b'", b.device)
  end
  work.like = a
  work.dtype = dtypes.promote(a.dtype, b.dtype)
  work.stream = work.opts.stream or a.device.stream
  if work.stream.device ~= a.device then
    fail(what, "option 'stream': it belongs to %s, the arrays are on %s", work.stream.device.label,
      a.device.label)
  end
  return work, a, b
end

-- Notes an array that only this call uses: its memory is freed when the work is queued, not when
-- the collector finds it.
local function temporary(work, x)
  work.temporaries[#work.temporaries + 1] = x
  return x
end

local function converted(x, work)
  return x.dtype == work.dtype and x
    or temporary(work, x:astype(work.dtype, { stream = work.stream }))
end

local function scratch(work, shape)
  return temporary(work,
    core.new(work.like, shape, work.dtype, work.stream))
end

-- Shapes ------------------------------------------------------------------------------------------

local function mismatch(work, a, b, why)
  fail(work.what, "shapes %s and %s do not fit: %s", shape_text(a.shape), shape_text(b.shape), why)
end

-- A view with one more axis of one element, before axis `at`.
local function insert_axis(x, at)
  local shape, order = table.move(x.shape, 1, x.ndim, 2, { 1 }), {}
  for i = 1, #shape do order[i] = i < at and i + 1 or i == at and 1 or i end
  local view = x:broadcast_to(shape)
  return at == 1 and view or view:transpose(order)
end

-- The axes before the last two, broadcast against each other; nil where they do not broadcast.
local function broadcast_batch(a, b)
  local batch, n = {}, math.max(a.ndim, b.ndim)
  local as, bs = lists.padded(a.shape, n), lists.padded(b.shape, n)
  for i = 1, n - 2 do
    local x, y = as[i], bs[i]
    if x ~= y and x ~= 1 and y ~= 1 then return nil end
    batch[i] = x == 1 and y or x
  end
  return batch
end

local function extend(list, ...)
  local out = table.move(list, 1, #list, 1, {})
  for _, v in ipairs { ... } do out[#out + 1] = v end
  return out
end

-- Results -----------------------------------------------------------------------------------------

-- The array of this shape that the caller gets, and the array to compute into: another one where
-- `out` overlaps an operand.
local function make_result(work, shape, a, b)
  local opts = { out = work.opts.out, stream = work.stream }
  local result = operands.result(work.what, opts, shape, work.dtype, work.like)
  if not opts.out then return result, result end
  if not (operands.overlap(result, a) or operands.overlap(result, b)) then return result, result end
  return result, scratch(work, shape)
end

-- The result for the caller: an array without axes that was not requested as an array becomes its
-- value.
local function deliver(work, result, target)
  if result ~= target then result:set(target, { stream = work.stream }) end
  for _, x in ipairs(work.temporaries) do x:free() end
  if result.ndim > 0 or work.opts.out then return result end
  local value = result:item()
  result:free()
  return value
end

-- target {batch..., m, n}, or a view of it without the axes that vectors lack, = a b.
local function multiply(work, a, b, batch, target)
  gemm.multiply(work.what, { a = converted(a, work), b = converted(b, work), c = target,
    batch = batch, stream = work.stream, tf32 = work.opts.tf32 }, work.opts.backend)
end

-- The sum over all elements of a * b, of one size and shape.
local function scalar_product(work, a, b, conjugate)
  local result, target = make_result(work, {}, a, b)
  sums.sum_of_products(a, b, work.dtype, { out = target, stream = work.stream }, conjugate)
  return deliver(work, result, target)
end

-- matmul ------------------------------------------------------------------------------------------

-- A vector is a row on the left and a column on the right; the result lacks that axis.
local function product(work, a, b)
  local row, column = a.ndim == 1, b.ndim == 1
  local x, y = row and insert_axis(a, 1) or a, column and insert_axis(b, 2) or b
  local xs, ys = x.shape, y.shape
  local k, batch = xs[#xs], broadcast_batch(x, y)
  if k ~= ys[#ys - 1] then
    mismatch(work, a, b, ("%d elements against %d"):format(k, ys[#ys - 1]))
  end
  if not batch then mismatch(work, a, b, "the axes before the matrices do not broadcast") end
  local shape = extend(batch)
  if not row then shape[#shape + 1] = xs[#xs - 1] end
  if not column then shape[#shape + 1] = ys[#ys] end
  if row and column and work.opts.backend ~= "cublas" then return scalar_product(work, a, b) end
  local result, target = make_result(work, shape, a, b)
  local matrix = target
  if row then matrix = insert_axis(matrix, #batch + 1) end
  if column then matrix = insert_axis(matrix, #batch + 2) end
  multiply(work, x, y, batch, matrix)
  return deliver(work, result, target)
end

-- What core.matmul found: the product, or false for two vectors whose products are to be summed. A
-- result without axes that was not requested as an array becomes its value.
local function usual_result(found, a, b, options)
  local out = options and options.out
  local result = found or sums.sum_of_products(a, b, a.dtype,
    { out = out, stream = options and options.stream })
  if out ~= nil or result.ndim > 0 then return result end
  local value = result:item()
  result:free()
  return value
end

local function matmul(a, b, options)
  local usual = core.matmul(a, b, options)
  if usual ~= nil then return usual_result(usual, a, b, options) end
  local work
  work, a, b = begin("matmul", a, b, options)
  if a.ndim == 0 or b.ndim == 0 then
    mismatch(work, a, b, "an array of no axes is not a matrix; use a * b")
  end
  return product(work, a, b)
end

-- dot, inner, outer -------------------------------------------------------------------------------

-- As a matrix: the last axis across, or all axes down a column; a view where possible.
local function flat(x, shape, work)
  local ok, view = pcall(x.reshape, x, shape)
  return ok and view or temporary(work,
    temporary(work, x:copy{ stream = work.stream }):reshape(shape))
end

-- a {..., k} and b {n, k}' -> {..., n}, then reshaped.
local function contract(work, a, b, b_matrix, rest)
  local as = a.shape
  local k = as[#as]
  local shape = extend(table.move(as, 1, #as - 1, 1, {}), table.unpack(rest))
  local m, n = lists.product(as, 1, #as - 1), lists.product(rest, 1, #rest)
  local result, target = make_result(work, shape, a, b)
  local plain = target.is_contiguous and target or scratch(work, shape)
  multiply(work, flat(a, { m, k }, work), b_matrix, {}, plain:reshape{ m, n })
  if plain ~= target then target:set(plain, { stream = work.stream }) end
  return deliver(work, result, target)
end

-- Every element times one value.
local function scale(work, a, b)
  local shape = b.ndim == 0 and a.shape or b.shape
  local result, target = make_result(work, shape, a, b)
  local plain = target.is_contiguous and target or scratch(work, shape)
  multiply(work, flat(a, { a.size, 1 }, work), flat(b, { 1, b.size }, work), {},
    plain:reshape{ a.size, b.size })
  if plain ~= target then target:set(plain, { stream = work.stream }) end
  return deliver(work, result, target)
end

-- All axes of b except `axis` as columns, axis `axis` down.
local function columns_of(b, axis, work)
  local order, rest = { axis }, {}
  for i, n in ipairs(b.shape) do
    if i ~= axis then order[#order + 1], rest[#rest + 1] = i, n end
  end
  local turned = b.ndim > 1 and b:transpose(order) or b
  return flat(turned, { b.shape[axis], lists.product(rest, 1, #rest) }, work), rest
end

-- Sums over the last axis of a and axis `axis` of b.
local function sum_product(work, a, b, axis)
  if a.ndim == 0 or b.ndim == 0 then return scale(work, a, b) end
  local k, other = a.shape[a.ndim], b.shape[axis]
  if k ~= other then mismatch(work, a, b, ("%d elements against %d"):format(k, other)) end
  if a.ndim <= 2 and b.ndim <= 2 then
    return product(work, a, axis < b.ndim and b or b.ndim == 2 and b:transpose() or b)
  end
  local matrix, rest = columns_of(b, axis, work)
  return contract(work, a, b, matrix, rest)
end

local function dot(a, b, options)
  local usual = core.matmul(a, b, options, "dot")
  if usual ~= nil then return usual_result(usual, a, b, options) end
  local work
  work, a, b = begin("dot", a, b, options)
  return sum_product(work, a, b, math.max(b.ndim - 1, 1))
end

local function inner(a, b, options)
  local usual = core.matmul(a, b, options, "inner")
  if usual ~= nil then return usual_result(usual, a, b, options) end
  local work
  work, a, b = begin("inner", a, b, options)
  return sum_product(work, a, b, b.ndim)
end

local function is_plain_vector(x)
  return arguments.open_type(x) == "array" and x.ndim == 1 and x.is_contiguous
    and type(x.dtype) == "string"
end

-- Every element of one times every element of the other: a column times a row.
local function outer(a, b, options)
  local elementwise = require("luacuda.array.operators").multiply
  if options == nil and is_plain_vector(a) and is_plain_vector(b) and a.device == b.device then
    local x, y = a:reshape{ a.size, 1 }, b:reshape{ 1, b.size }
    return a.device.kind == "cpu" and core.matmul(x, y) or elementwise(x, y)
  end
  local work
  work, a, b = begin("outer", a, b, options)
  local result, target = make_result(work, { a.size, b.size }, a, b)
  local column, row = flat(a, { a.size, 1 }, work), flat(b, { 1, b.size }, work)
  if work.opts.backend or a.device.kind == "cpu" then multiply(work, column, row, {}, target)
  else elementwise(column, row, { out = target, stream = work.stream }) end
  return deliver(work, result, target)
end

-- vdot, trace -------------------------------------------------------------------------------------

local function vdot(a, b, options)
  local work
  work, a, b = begin("vdot", a, b, options)
  if a.size ~= b.size then
    mismatch(work, a, b, ("%d elements against %d"):format(a.size, b.size))
  end
  if not lists.same(a.shape, b.shape) then
    a, b = flat(a, { a.size }, work), flat(b, { b.size }, work)
  end
  return scalar_product(work, a, b, true)
end

local function trace(a, options)
  a = arguments.array("trace", 1, "a", a)
  check_numbers("trace", 1, "a", a)
  if a.ndim ~= 2 then
    fail("trace", "argument 1 'a': expected a matrix, got an array of shape %s",
      shape_text(a.shape))
  end
  local opts = arguments.options("trace", options, { "out", "stream", "dtype" })
  local dtype = opts.dtype ~= nil and dtypes.normal(opts.dtype, "trace: option 'dtype'")
    or dtypes.total_of(a.dtype)
  if opts.out ~= nil then operands.result("trace", opts, {}, dtype, a) end
  local x = core.diagonal(a, 0, 1, 2)
  return require("luacuda.array.reductions").sum(x, opts)
end

return {
  matmul = matmul, dot = dot, inner = inner, outer = outer, vdot = vdot, trace = trace,
}

-- take.lua: elements by indices: take (a[indices]) and put.

local core = require "luacuda.core"
local source = require "luacuda.array.take_source"
local arguments = require "luacuda.base.arguments"
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"
local find_kernel = require("luacuda.kernel.kernel").find

local fail, product = arguments.fail, lists.product

local BLOCKS_PER_SM = 32

local INTEGER = { int8 = true, int16 = true, int32 = true, int64 = true, uint8 = true,
  uint16 = true, uint32 = true, uint64 = true }

-- uint64 indices as int64: no axis has 2^63 elements, so larger indices may become the largest
-- int64, or are wrapped here already.
local function narrow(given, m, mode, stream)
  local opts = { stream = stream }
  local fits = mode == "wrap" and given:mod(m, opts)
    or given:minimum(math.maxinteger, opts)
  local indices = fits:astype("int64", opts)
  fits:free()
  return indices
end

-- Indices into m elements as a contiguous int32 or int64 array on the device of `a`. `owned`: it
-- was made here.
local function index_array(what, arg, given, a, m, mode, stream)
  given = core.foreign(given) or given
  local kind = core.type(given)
  if kind == nil then
    local ok, made
    local list = type(given) == "table"
    if list then core.list_check(given, ("%s: argument %d 'indices'"):format(what, arg), what) end
    if list and next(given) == nil then
      ok, made = true, core.empty(0, "int64", { device = a.device, stream = stream })
    else ok, made = pcall(core.array, given, "int64", { device = a.device, stream = stream }) end
    if ok then return made, true end
    if type(made) ~= "string" or core.is_error(made) then error(made, 0) end
    fail(what, "argument %d 'indices': expected integers%s %s", arg, list and ":" or ", got",
      list and operands.reason(made) or arguments.describe(given))
  end
  given = arguments.array(what, arg, "indices", given)
  if not INTEGER[given.dtype] then
    fail(what, "argument %d 'indices': expected integers, got an array of %s", arg,
      tostring(given.dtype))
  end
  if given.device ~= a.device then
    fail(what, "argument %d 'indices': they are on %s, the array on %s", arg,
      tostring(given.device), tostring(a.device))
  end
  if given.dtype == "uint64" then return narrow(given, m, mode, stream), true end
  if given.dtype ~= "int32" and given.dtype ~= "int64" then
    return given:astype("int64", { stream = stream }), true
  end
  if given.is_contiguous then return given, false end
  return given:contiguous { stream = stream }, true
end

local function check_mode(what, mode)
  if mode == nil then return "raise" end
  if not source.MODES[mode] then
    fail(what, "option 'mode': expected 'raise', 'clip' or 'wrap', got %s",
      type(mode) == "string" and "'" .. mode .. "'" or type(mode))
  end
  return mode
end

local WORD = { 16, 8, 4, 2, 1 }

-- The widest word that divides rows of that many bytes and the addresses.
local function word_size(bytes, ...)
  for _, address in ipairs { ... } do bytes = bytes | address end
  for _, size in ipairs(WORD) do
    if bytes % size == 0 then return size end
  end
end

local function grid_of(count, device)
  return math.min((count + source.THREADS - 1) // source.THREADS,
    BLOCKS_PER_SM * device.multiprocessor_count)
end

-- Where mode "raise" stores a wrong index: 0, or its position from 1.
local function new_bad(mode, a, stream)
  if mode ~= "raise" then return core.null end
  return core.zeros(1, "int64", { device = a.device, stream = stream })
end

-- Waits; raises when an index was outside of the axis.
local function check_bad(what, arg, bad, indices, owned, m)
  if rawequal(bad, core.null) then return end
  local at = bad:item()
  bad:free()
  if at == 0 then return end
  local index = indices:reshape(indices.size):item(at)
  if owned then indices:free() end
  fail(what, "argument %d 'indices': %d (element %d) is outside an axis of %d elements (1 to "
    .. "%d, or -%d to -1); see option 'mode'",
    arg, index, at, m, m, m)
end

local function check_empty(what, arg, indices, m)
  if m == 0 and indices.size > 0 then
    fail(what, "argument %d 'indices': the axis is empty", arg)
  end
end

-- take --------------------------------------------------------------------------------------------

local function taken_shape(shape, axis, of_indices)
  local out = { table.unpack(shape, 1, axis - 1) }
  for _, n in ipairs(of_indices) do out[#out + 1] = n end
  for i = axis + 1, #shape do out[#out + 1] = shape[i] end
  return out
end

local function launch_take(src, indices, dst, bad, axis, mode, stream)
  local shape = src.shape
  local bytes = src.nbytes // src.size
  local row = product(shape, axis + 1, #shape) * bytes
  local size = word_size(row, src.pointer, dst.pointer)
  local count = dst.nbytes // size
  local wide = count >= source.NARROW or src.nbytes // size >= source.NARROW
  local key = ("%d %s %s%s"):format(size, indices.dtype, mode, wide and " wide" or "")
  local run = find_kernel("luacuda_take", key, source.take, size, indices.dtype, mode, wide)
  run({ grid = grid_of(count, src.device), block = source.THREADS, stream = stream }, src, indices,
    dst, bad, count, shape[axis], indices.size, row // size)
end

-- The elements of a along an axis, with checked arguments; indices must be contiguous int32 or
-- int64.
local function along(what, a, indices, axis, mode, opts, owned)
  check_empty(what, 2, indices, a.shape[axis])
  local out = operands.result(what, opts, taken_shape(a.shape, axis, indices.shape), a.dtype,
    a.device)
  if out.size == 0 then return out end
  local src, bad = a:contiguous { stream = opts.stream }, new_bad(mode, a, opts.stream)
  operands.into(out, { src, indices }, opts.stream,
    function(dst) launch_take(src, indices, dst, bad, axis, mode, opts.stream) end)
  if not rawequal(src, a) then src:free() end
  check_bad(what, 2, bad, indices, owned, a.shape[axis])
  return out
end

local TAKE_OPTIONS = { "axis", "out", "mode", "stream" }

-- cuda.take(a, indices [, options]), a:take(indices [, options])
local function take(a, given, options)
  a = arguments.array("take", 1, "a", a)
  local opts = arguments.options("take", options, TAKE_OPTIONS)
  local mode = check_mode("take", opts.mode)
  local axis = opts.axis ~= nil and arguments.axis("take", opts.axis, a.ndim)
  local indices, owned = index_array("take", 2, given, a, axis and a.shape[axis] or a.size, mode,
    opts.stream)
  local src = a
  if not axis then
    axis = 1
    if a.ndim ~= 1 then src = a:contiguous({ stream = opts.stream }):reshape(a.size) end
  end
  local out = along("take", src, indices, axis, mode, opts, owned)
  if owned then indices:free() end
  return out
end

-- put ---------------------------------------------------------------------------------------------

local function launch_put(dst, indices, v, bad, mode, writes, stream)
  local bytes = dst.nbytes // dst.size
  local size = word_size(bytes, dst.pointer, v.pointer)
  local inner = bytes // size
  local count = indices.size * (writes and inner or 1)
  local wide = count >= source.NARROW or dst.nbytes // size >= source.NARROW
  local key = ("%d %s %s%s%s"):format(size, indices.dtype, mode, wide and " wide" or "",
    writes and "" or " check")
  local run = find_kernel("luacuda_put", key, source.put, size, indices.dtype, mode, wide, writes)
  run({ grid = grid_of(count, dst.device), block = source.THREADS, stream = stream }, dst, indices,
    v, bad, count, dst.size, math.min(v.size, indices.size), writes and inner or 1)
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

-- cuda.put(a, indices, values [, options]), a:put(indices, values [, options]) -> a
local function put(a, given, values, options)
  a = arguments.array("put", 1, "a", a)
  local opts = arguments.options("put", options, PUT_OPTIONS)
  local mode, stream = check_mode("put", opts.mode), opts.stream
  local indices, owned = index_array("put", 2, given, a, a.size, mode, stream)
  local v = operands.values("put", 3, values, a, stream)
  check_empty("put", 2, indices, a.size)
  if indices.size == 0 then return a end
  if v.size == 0 then
    fail("put", "argument 3 'values': there are none for %d indices", indices.size)
  end
  local dst = a:contiguous { stream = stream }
  if operands.overlap(indices, dst) then indices, owned = indices:copy { stream = stream }, true end
  if mode == "raise" then                            -- before anything is written
    local bad = new_bad(mode, a, stream)
    launch_put(dst, indices, v, bad, mode, false, stream)
    check_bad("put", 2, bad, indices, owned, a.size)
  end
  launch_put(dst, indices, v, new_bad("wrap", a), mode, true, stream)
  return give(a, dst, indices, owned, stream)
end

return { take = take, put = put, along = along, taken_shape = taken_shape,
  index_array = index_array, check_mode = check_mode, check_empty = check_empty, grid_of = grid_of,
  new_bad = new_bad, check_bad = check_bad, give = give }

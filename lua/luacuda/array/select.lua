-- select.lua: elements by masks: compress (a[mask]), nonzero, putmask and place (a[mask] = v).

local core = require "luacuda.core"
local elements = require "luacuda.array.elements"
local source = require "luacuda.array.select_source"
local selection = require "luacuda.array.selection"
local take = require "luacuda.array.take"
local arguments = require "luacuda.base.arguments"
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"
local find_kernel = require("luacuda.kernel.kernel").find

local fail, dense, empty = arguments.fail, operands.dense, core.new

-- Frees the copy that `dense` made, if any.
local function drop(made, a)
  if not rawequal(made, a) then made:free() end
end

-- Masks -------------------------------------------------------------------------------------------

local function check_mask(what, arg, mask, a)
  mask = arguments.array(what, arg, "mask", mask)
  if mask.dtype ~= "bool" then
    fail(what, "argument %d 'mask': expected a bool array, got %s", arg, tostring(mask.dtype))
  end
  if not core.same_device(mask, a) then
    arguments.apart(what, ("argument %d 'mask': it is"):format(arg), mask.device, "the array",
      a.device)
  end
  return mask
end

-- Checks that the mask covers the first axes of the array.
local function check_leading(what, arg, mask, a)
  if mask.ndim > 0 and mask:same_shape(a) then return end
  local shape, given = a.shape, mask.shape
  local fits = #given >= 1 and #given <= #shape
  for i, n in ipairs(given) do fits = fits and n == shape[i] end
  if not fits then
    fail(what, "argument %d 'mask': shape %s does not fit the first axes of an array of shape %s",
      arg, lists.shape_text(given), lists.shape_text(shape))
  end
end

-- The positions (int64, from 1, in C order) that a mask selects: a new array of one axis.
local function places_of(mask, stream)
  if mask.size == 0 then return empty(mask, 0, "int64", stream) end
  local flat = dense(mask, stream)
  if selection.is_few(mask.size) then
    local places = selection.few(nil, flat, stream)
    drop(flat, mask)
    return places
  end
  local chosen = selection.new(flat, stream)
  drop(flat, mask)
  local places = empty(mask, chosen.total, "int64", stream)
  if chosen.total > 0 then selection.write(chosen, nil, places) end
  selection.free(chosen)
  return places
end

-- compress ----------------------------------------------------------------------------------------

local function compress_few(a, mask, opts)
  local src, flat = dense(a, opts.stream), dense(mask, opts.stream)
  local found = selection.few(src, flat, opts.stream)
  drop(src, a)
  drop(flat, mask)
  if opts.out == nil then return found end
  local out = operands.result("compress", opts, { found.size }, a.dtype, a)
  out:set(found, { stream = opts.stream })
  found:free()
  return out
end

-- The elements of a where a mask of its shape is set.
local function compress_elements(a, mask, opts)
  if a.size == 0 then return operands.result("compress", opts, { 0 }, a.dtype, a) end
  if selection.is_few(a.size) then return compress_few(a, mask, opts) end
  local flat = dense(mask, opts.stream)
  local chosen = selection.new(flat, opts.stream)
  drop(flat, mask)
  local out = operands.result("compress", opts, { chosen.total }, a.dtype, a)
  if chosen.total > 0 then
    local src = dense(a, opts.stream)
    operands.into(out, { src }, opts.stream, function(dst) selection.write(chosen, src, dst) end)
    drop(src, a)
  end
  selection.free(chosen)
  return out
end

-- The rows of a along an axis where a mask of that length is set.
local function compress_axis(a, mask, axis, opts)
  local places = places_of(mask, opts.stream)
  local out = take.along("compress", a, places, axis, "wrap", opts)
  places:free()
  return out
end

local OPTIONS = { "axis", "out", "stream" }

-- cuda.compress(a, mask [, options]), a:compress(mask [, options])
local function compress(a, mask, given)
  a = arguments.array("compress", 1, "a", a)
  mask = check_mask("compress", 2, mask, a)
  local opts = arguments.options("compress", given, OPTIONS)
  if opts.axis ~= nil then
    local axis = arguments.axis("compress", opts.axis, a.ndim)
    if mask.ndim ~= 1 or mask.size ~= a.shape[axis] then
      fail("compress", "argument 2 'mask': expected shape {%d} for axis %d, got %s", a.shape[axis],
        axis, lists.shape_text(mask.shape))
    end
    return compress_axis(a, mask, axis, opts)
  end
  check_leading("compress", 2, mask, a)
  if mask.ndim == a.ndim and (a.size == 0 or selection.can_write(a.nbytes // a.size)) then
    return compress_elements(a, mask, opts)
  end
  local shape = { mask.size, table.unpack(a.shape, mask.ndim + 1) }
  local src = dense(a, opts.stream)
  local out = compress_axis(src:reshape(shape), mask, 1, opts)
  drop(src, a)
  return out
end

-- nonzero -----------------------------------------------------------------------------------------

local STREAM_ONLY = { "stream" }

-- cuda.nonzero(a [, options]), a:nonzero([options]) -> one int64 array per axis
local function nonzero(a, given)
  a = arguments.array("nonzero", 1, "a", a)
  local opts = arguments.options("nonzero", given, STREAM_ONLY)
  if a.ndim == 0 then
    fail("nonzero", "an array without axes has no indices; a:reshape(1) has one")
  end
  if type(a.dtype) ~= "string" then
    fail("nonzero", "elements of %s are neither zero nor not", tostring(a.dtype))
  end
  local mask = a.dtype == "bool" and a or a:astype("bool", { stream = opts.stream })
  local places = places_of(mask, opts.stream)
  drop(mask, a)
  if a.ndim == 1 then return places end
  local count = places.size
  local all = empty(a, { a.ndim, count }, "int64", opts.stream)
  if count > 0 then
    local shape = lists.copy(a.shape)
    for i = #shape + 1, 16 do shape[i] = 1 end
    local run = find_kernel("luacuda_select_unravel", "", function() return source.UNRAVEL end)
    run({ threads = count, stream = opts.stream }, places, all, count, a.ndim,
      ("i8"):rep(16):pack(table.unpack(shape, 1, 16)))
  end
  places:free()
  local views = {}
  for d = 1, a.ndim do views[d] = all:slice(d) end
  return table.unpack(views)
end

-- putmask, place ----------------------------------------------------------------------------------

-- Writes the elements of v in order to the positions of a that the mask selects; the numbers must
-- match.
local function put_in_order(a, mask, v, stream)
  local chosen = selection.new(mask, stream)
  local total = chosen.total
  if total == v.size and total > 0 then selection.place(chosen, v, a) end
  selection.free(chosen)
  if total ~= v.size then
    fail("place", "argument 3 'values': %d values for %d selected elements; expected one value "
      .. "or one for each element; to use the same places of an array of shape %s, see putmask",
      v.size, total, lists.shape_text(a.shape))
  end
end

-- A mask of the first axes as a view that broadcasts to the array: it applies to all elements of a
-- row.
local function spread(mask, a, stream)
  if mask.ndim == a.ndim then return mask end
  local shape = lists.copy(mask.shape)
  for i = mask.ndim + 1, a.ndim do shape[i] = 1 end
  return dense(mask, stream):reshape(shape)
end

-- The same for values of a's shape, or one, and arrays of structs.
local function put_structs(a, mask, v, stream)
  local size = a.nbytes // a.size
  local run = find_kernel("luacuda_select_put", size, source.put_where, size)
  local blocks = math.min((a.size + source.THREADS - 1) // source.THREADS,
    32 * a.device.multiprocessor_count)
  run({ grid = blocks, block = source.THREADS, stream = stream }, a, mask, v, a.size,
    v.size == 1 and 0 or 1)
end

-- For the kernels that take only arrays without gaps. run: put_structs or put_in_order.
local function put_dense(run, a, mask, v, stream)
  local m, dst = dense(mask:broadcast_to(a.shape), stream), dense(a, stream)
  if operands.overlap(m, dst) then m = m:copy { stream = stream } end
  run(dst, m, v, stream)
  if not rawequal(dst, a) then a:set(dst, { stream = stream }) end
  drop(dst, a)
  drop(m, mask)
end

-- Writes one value, or the one at the same place of v, to each selected element.
local function put_at_place(a, mask, v, stream)
  local plain = type(v) == "number" or v:same_shape(a) or v.ndim <= a.ndim
  if plain and type(a.dtype) == "string" then elements.putmask(a, mask, v, stream)
  else put_dense(put_structs, a, mask, v, stream) end
end

local function refuse_places(v, a)
  fail("putmask", "argument 3 'values': shape %s for an array of shape %s; expected that shape or "
    .. "one value; to give one value for each selected element, see place",
    lists.shape_text(v.shape), lists.shape_text(a.shape))
end

-- The function `what`. It takes values of other shapes in order if `in_order`, or else refuses
-- them.
local function writer(what, in_order, same_place)
  return function(a, mask, values, given)
    a = arguments.array(what, 1, "a", a)
    mask = check_mask(what, 2, mask, a)
    local whole = mask:same_shape(a)
    if not whole or mask.ndim == 0 then check_leading(what, 2, mask, a) end
    local opts = arguments.options(what, given, STREAM_ONLY)
    local stream, numeric = opts.stream, type(a.dtype) == "string"
    if not numeric and a.size > 0 and not selection.can_write(a.nbytes // a.size) then
      fail(what, "elements of %d bytes are not supported", a.nbytes // a.size)
    end
    local v = numeric and type(values) == "number" and values
      or operands.values(what, 3, values, a, stream)
    local at_place = type(v) == "number" or v.size == 1 or same_place and v:same_shape(a)
    if not at_place and not in_order then refuse_places(v, a) end
    if a.size == 0 then return a end
    if not whole then mask = spread(mask, a, stream) end
    if at_place then put_at_place(a, mask, v, stream)
    else put_dense(put_in_order, a, mask, v, stream) end
    return a
  end
end

-- cuda.putmask(a, mask, values [, options]), a:putmask(mask, values [, options]) -> a
local putmask = writer("putmask", false, true)
-- cuda.place(a, mask, values [, options]), a:place(mask, values [, options]) -> a
local place = writer("place", true, false)
-- a[mask] = values: takes what either function takes
local assign = writer("place", true, true)

return { compress = compress, nonzero = nonzero, putmask = putmask, place = place,
  assign = assign }

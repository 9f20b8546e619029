-- segments.lua: option `segments` of reductions: each segment of an axis is reduced by itself.

local core = require "luacuda.core"
local source = require "luacuda.array.segments_source"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"
local find_kernel = require("luacuda.kernel.kernel").find

local fail, product = arguments.fail, lists.product

local BLOCKS_PER_SM = 32

-- The offsets as a contiguous int32 or int64 array on the device of `a`.
local function offsets_of(what, given, a, stream)
  local by = { device = a.device, stream = stream }
  if type(given) == "table" and core.foreign(given) == nil then
    local ok, made = pcall(core.array, given, "int64", by)
    if not ok then fail(what, "option 'segments': %s", operands.reason(made)) end
    given = made
  end
  local list = arguments.open_type(given) == "array" and given or core.foreign(given)
  if not list then
    fail(what, "option 'segments': expected an Array of offsets, got %s", arguments.describe(given))
  end
  local row = type(list.dtype) == "string" and dtypes.of(list.dtype)
  if not row or (row.kind ~= "int" and row.kind ~= "uint") then
    fail(what, "option 'segments': expected integers, got %s", tostring(list.dtype))
  end
  if list.ndim ~= 1 or list.size == 0 then
    fail(what, "option 'segments': expected one offset more than segments, in one axis, got shape "
      .. "%s", lists.shape_text(list.shape))
  end
  if list.device ~= a.device then
    arguments.apart(what, "option 'segments': it is", list.device, "the array", a.device)
  end
  if row.name ~= "int32" and row.name ~= "int64" then list = list:astype("int64", by) end
  return list:contiguous { stream = stream }
end

-- Threads per result: about as many as a segment has elements on average, one where adjacent
-- threads have adjacent results.
local function group_of(m, segments, inner)
  if inner > 1 then return 1 end
  local average, group = m // math.max(segments, 1), 1
  while group < 32 and group * 2 <= average do group = group * 2 end
  return average >= 2048 and source.THREADS or group
end

local function launch(what, make, a, asked, offsets, y, axis, stream)
  local m, inner = a.shape[axis], product(a.shape, axis + 1, a.ndim)
  local segments = offsets.size - 1
  local group = group_of(m, segments, inner)
  local key = ("%s %s %s %s %d"):format(what, a.dtype, y.dtype, offsets.dtype, group)
  local run = find_kernel("luacuda_segments", key, function()
    return source.text(make(what, a.dtype, asked), a.dtype, y.dtype, offsets.dtype, group)
  end)
  local blocks = (y.size + source.THREADS // group - 1) // (source.THREADS // group)
  run({ grid = math.min(blocks, BLOCKS_PER_SM * a.device.multiprocessor_count),
    block = source.THREADS, stream = stream }, a, offsets, y, y.size, m, segments, inner)
end

-- reduce(what, make, a, options, typed) -> an Array with a result for each segment of axis
-- options.axis (default 1); `make` is the maker of the reduction, `typed`: it takes option dtype.
local function reduce(what, make, a, options, typed)
  local names = { "segments", "axis", "out", "stream" }
  if typed then names[#names + 1] = "dtype" end
  local opts = arguments.options(what, options, names)
  if a.ndim == 0 then fail(what, "option 'segments': the array has no axes") end
  local axis = arguments.axis(what, opts.axis == nil and 1 or opts.axis, a.ndim)
  local offsets = offsets_of(what, opts.segments, a, opts.stream)
  local dtype = make(what, a.dtype, opts.dtype).outputs:match "^%S+"
  local shape = { table.unpack(a.shape) }
  shape[axis] = offsets.size - 1
  local out = operands.result(what, opts, shape, dtype, a)
  if out.size == 0 then return out end
  local x = a:contiguous { stream = opts.stream }
  operands.into(out, { x, offsets }, opts.stream, function(y)
    launch(what, make, x, opts.dtype, offsets, y, axis, opts.stream)
  end)
  if not rawequal(x, a) then x:free() end
  return out
end

return { reduce = reduce }

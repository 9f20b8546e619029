-- grids.lua: arrays of coordinates: meshgrid, indices.

local axes = require "luacuda.array.axes"
local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"

local fail, describe = arguments.fail, arguments.describe

-- A list of ones, but n at `axis`.
local function along(ndim, axis, n)
  local shape = {}
  for d = 1, ndim do shape[d] = d == axis and n or 1 end
  return shape
end

-- meshgrid ----------------------------------------------------------------------------------------

local function read_meshgrid(...)
  local list = { ... }
  local given = list[#list]
  if type(given) == "table" and core.type(given) == nil and not core.foreign(given) then
    list[#list] = nil
  else given = nil end
  for i, a in ipairs(list) do list[i] = arguments.array("meshgrid", i, "arrays", a) end
  axes.check_count("meshgrid", #list)
  local opts = arguments.options("meshgrid", given, { "indexing", "sparse", "copy", "stream" })
  local indexing = opts.indexing == nil and "xy" or opts.indexing
  if indexing ~= "xy" and indexing ~= "ij" then
    fail("meshgrid", "option 'indexing': expected 'xy' or 'ij', got %s",
      type(indexing) == "string" and "'" .. indexing .. "'" or describe(indexing))
  end
  local sparse = arguments.boolean("meshgrid", opts, "sparse") or false
  return list, opts.stream, indexing, sparse, arguments.boolean("meshgrid", opts, "copy") ~= false
end

-- cuda.meshgrid(a, b, ... [, options]) -> one array for each
local function meshgrid(...)
  local list, stream, indexing, sparse, copy = read_meshgrid(...)
  local place, shape, grids = {}, {}, {}
  for i = 1, #list do place[i] = i end
  if indexing == "xy" and #list > 1 then place[1], place[2] = 2, 1 end
  for i, a in ipairs(list) do shape[place[i]] = a.size end
  for i, a in ipairs(list) do
    local line = a:contiguous({ stream = stream }):reshape(along(#list, place[i], a.size))
    local grid = sparse and line or line:broadcast_to(shape)
    grids[i] = copy and grid:copy { stream = stream } or grid
  end
  return table.unpack(grids)
end

-- indices -----------------------------------------------------------------------------------------

local DIMENSIONS = "argument 1 'dimensions'"

local function extents_of(given)
  local shape = axes.integers("indices", DIMENSIONS, given)
  axes.check_count("indices", #shape + 1)
  local bytes = 16 * #shape
  for _, n in ipairs(shape) do
    if n < 0 then fail("indices", "%s: %d is negative", DIMENSIONS, n) end
    bytes = axes.times("indices", DIMENSIONS, bytes, n)
  end
  return shape
end

-- Raises where a dtype of integers does not hold the indices.
local function check_range(shape, dtype)
  local most, kind = dtypes.max(dtype), dtypes.of(dtype).kind
  for _, n in ipairs(shape) do
    if (kind == "int" or kind == "uint") and math.ult(most, n) then
      fail("indices", "argument 2 'dtype': %s does not hold %d", dtype, n)
    end
  end
end

-- 1 to n along an axis of `ndim`.
local function line(dtype, n, ndim, axis, where)
  return core.arange(1, n + 1, dtype, where):reshape(along(ndim, axis, n))
end

local function sparse_indices(shape, dtype, where)
  local lines = {}
  for d, n in ipairs(shape) do lines[d] = line(dtype, n, #shape, d, where) end
  return table.unpack(lines)
end

-- cuda.indices(dimensions [, dtype] [, options]) -> an array, or with `sparse` one for each axis
local function indices(dimensions, dtype, given)
  if type(dtype) == "table" and given == nil then dtype, given = nil, dtype end
  local shape = extents_of(dimensions)
  local opts = arguments.options("indices", given, { "dtype", "sparse", "device", "stream" })
  if dtype == nil then dtype = opts.dtype end
  dtype = dtype == nil and "int64" or dtypes.normal(dtype, "indices: argument 2 'dtype'")
  check_range(shape, dtype)
  local where = { device = opts.device, stream = opts.stream }
  if arguments.boolean("indices", opts, "sparse") then
    return sparse_indices(shape, dtype, where)
  end
  local out = core.empty({ #shape, table.unpack(shape) }, dtype, where)
  if out.size == 0 then return out end
  where.device = out.device
  for d, n in ipairs(shape) do
    local from, to = line(dtype, n, #shape, d, where), out:slice(d)
    to:set(from, { stream = opts.stream })
    from:free()
    to:free()
  end
  return out
end

return { meshgrid = meshgrid, indices = indices }

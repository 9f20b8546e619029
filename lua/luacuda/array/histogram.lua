-- histogram.lua: histogram and bincount.

local core = require "luacuda.core"
local extremes = require "luacuda.array.extremes"
local source = require "luacuda.array.histogram_source"
local reductions = require "luacuda.array.reductions"
local values = require "luacuda.array.values"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local either = require("luacuda.base.either").either
local elementwise = require("luacuda.builder.elementwise").elementwise
local find_kernel = require("luacuda.kernel.kernel").find

local fail, describe = arguments.fail, arguments.describe

local BLOCKS_PER_SM = 8

-- Counting ----------------------------------------------------------------------------------------

local function drop(made, given)
  if not rawequal(made, given) then made:free() end
end

-- The counts (int64) or sums of weights (float64) of the elements of `a` in each bin.
local function count(kind, a, weights, edges, bins, stream)
  local out = core.zeros(bins, weights and "float64" or "int64",
    { device = a.device, stream = stream })
  if a.size == 0 or bins == 0 then return out end
  local src = a:contiguous { stream = stream }
  local w = weights and weights:contiguous { stream = stream }
  local shared = bins <= source.SHARED_BINS
  local edge, weight = edges and edges.dtype or "int64", weights and weights.dtype
  local batch = source.BATCH[a.device.kind] or source.BATCH.gpu
  local key = ("%s %s %s %s %s %d"):format(kind, a.dtype, edge, weight, shared, batch)
  local run = find_kernel("luacuda_histogram", key, source.text, kind, a.dtype, edge, weight,
    shared, batch)
  local blocks = math.min((a.size + source.THREADS - 1) // source.THREADS,
    BLOCKS_PER_SM * a.device.multiprocessor_count)
  run({ grid = blocks, block = source.THREADS, shared = shared and bins * (weights and 8 or 4) or 0,
    stream = stream }, src, w or core.null, edges or core.null, out, a.size, bins)
  drop(src, a)
  if w then drop(w, weights) end
  return out
end

-- Option weights: an array of real numbers of the shape of `a`.
local function weights_of(what, opts, a)
  local weights = opts.weights
  if weights == nil then return nil end
  weights = core.foreign(weights) or weights
  if arguments.open_type(weights) ~= "array" then
    fail(what, "option 'weights': expected an Array, got %s", describe(weights))
  end
  local row = dtypes.of(weights.dtype)
  if not row or row.kind == "complex" or row.kind == "bool" then
    fail(what, "option 'weights': expected real numbers, got an array of %s",
      tostring(weights.dtype))
  end
  if not weights:same_shape(a) then
    fail(what, "option 'weights': its shape differs from that of argument 1")
  end
  if weights.device ~= a.device then
    arguments.apart(what, "option 'weights': it is", weights.device, "the array", a.device)
  end
  return weights
end

-- bincount ----------------------------------------------------------------------------------------

local COUNT_OPTIONS = { "weights", "minlength", "stream" }

-- cuda.bincount(x [, options])
local function bincount(given, options)
  local what = "bincount"
  local x, dtype = values.line(what, "argument 1 'x'", (values.array(what, 1, "x", given)))
  local opts = arguments.options(what, options, COUNT_OPTIONS)
  local kind = dtypes.of(dtype).kind
  if kind ~= "int" and kind ~= "uint" then
    fail(what, "argument 1 'x': expected integers, got an array of %s", dtype)
  end
  local weights = weights_of(what, opts, x)
  local least = values.integer_option(what, opts, "minlength", 0, 0)
  local low, high = 1, 0
  if x.size > 0 then low, high = extremes.of(what, x, opts.stream) end
  if low < 1 or high < 0 then
    fail(what, "argument 1 'x': %d is not a bin: bins count from 1 (to count from 0: x + 1)",
      low < 1 and low or high)
  end
  return count("value", x, weights, nil, math.max(high, least), opts.stream)
end

-- histogram ---------------------------------------------------------------------------------------

-- Edges of bins of equal width, computed as NumPy's linspace does in the type CALC.
local function edge_kernel(dtype, calc)
  return elementwise { inputs = "float64 first, float64 last, int64 bins",
    outputs = dtype .. " edge", body = ([[
const CALC step = ((CALC)last - (CALC)first) / (CALC)bins;
edge = i == bins ? (CALC)last : (CALC)i * step + (CALC)first;]]):gsub("CALC", calc),
    name = "histogram_edges", flags = { "--fmad=false" } }
end

local kept = {}

local function find(key, make, ...)
  kept[key] = kept[key] or make(...)
  return kept[key]
end

-- Option range: two finite numbers in order.
local function given_range(opts)
  local range, what = opts.range, "histogram"
  if type(range) ~= "table" or core.type(range) or #range ~= 2 or not math.type(range[1])
    or not math.type(range[2]) then
    fail(what, "option 'range': expected a list of two numbers, got %s", describe(range))
  end
  local first, last = range[1] + 0.0, range[2] + 0.0
  if first ~= first or last ~= last or first > last or first == -math.huge
    or last == math.huge then
    fail(what, "option 'range': expected two finite numbers in ascending order, got %g and %g",
      first, last)
  end
  return first, last
end

-- An element as a float; uint64 elements are Lua integers of the same bits.
local function as_float(dtype, value)
  if dtype == "bool" then return value and 1.0 or 0.0 end
  return (dtype == "uint64" and tonumber(("%u"):format(value)) or value) + 0.0
end

local function range_of(a, opts)
  local first, last = 0.0, 1.0
  if opts.range ~= nil then first, last = given_range(opts)
  elseif a.size > 0 then
    first, last = extremes.of("histogram", a, opts.stream)
    first, last = as_float(a.dtype, first), as_float(a.dtype, last)
    if last ~= last or first ~= first or last - first == math.huge then
      fail("histogram", "the elements from %g to %g have no finite range: give option 'range'",
        first, last)
    end
  end
  if first == last then first, last = first - 0.5, last + 0.5 end
  return first, last
end

-- Raises an error if edges coincide. Edges of bins wider than a few float distances never do.
local function check_widths(edges, dtype, first, last, bins)
  local row = dtypes.of(dtype)
  -- the relative distance between neighboring floats, and the least positive float
  local near = 2.0 ^ -row.mantissa
  local least = near * 2.0 ^ (1 - row.exponent)
  local width = (last - first) / bins
  if width > 8 * near * math.max(math.abs(first), math.abs(last)) and width > 8 * least then
    return
  end
  local list = edges:totable()
  for i = 2, #list do
    if list[i] <= list[i - 1] then
      fail("histogram", "%d bins from %g to %g are too narrow: edges of %s coincide; take fewer "
        .. "bins or elements of a wider dtype", bins, first, last, dtype)
    end
  end
end

-- Edges of `bins` bins of equal width, and their number.
local function uniform_edges(a, bins, opts)
  local first, last = range_of(a, opts)
  local row = dtypes.of(a.dtype)
  local dtype = row.kind == "float" and a.dtype or "float64"
  local calc = (opts.range ~= nil or dtype == "float64") and "double" or "float"
  local edges = core.new(a, bins + 1, dtype, opts.stream)
  find("edges " .. dtype .. calc, edge_kernel, dtype, calc)(first, last, bins,
    { out = edges, stream = opts.stream })
  check_widths(edges, dtype, first, last, bins)
  return edges, bins
end

-- Edges that the caller gives: a list, which is checked, or an array.
local function given_edges(a, bins, label, stream)
  local edges, dtype, made = values.list("histogram", label, bins, a.device, nil, stream)
  if dtypes.of(dtype).kind == "complex" then
    fail("histogram", "%s: complex numbers have no order", label)
  end
  if edges.size == 0 then fail("histogram", "%s: there are no edges", label) end
  if edges.device ~= a.device then
    arguments.apart("histogram", label .. ": it is", edges.device, "the array", a.device)
  end
  for i = 2, made and #bins or 0 do
    local before, after = bins[i - 1], bins[i]
    if before ~= before or after ~= after or before > after then
      fail("histogram", "%s: the edges do not ascend: %g is followed by %g", label, before,
        after)
    end
  end
  return edges, edges.size - 1
end

-- Divides counts by the widths of their bins and by their sum.
local function density_of(counts, edges, stream)
  local total = reductions.sum(counts, { axis = 1, keepdims = true, stream = stream })
  local run = find(("density %s %s"):format(counts.dtype, edges.dtype), function()
    return elementwise { inputs = ("%s x, %s total, raw %s edges"):format(counts.dtype,
      counts.dtype, edges.dtype), outputs = "float64 y",
      body = "y = (double)x / ((double)edges[i + 1] - (double)edges[i]) / (double)total;",
      name = "histogram_density" }
  end)
  local out = run(counts, total, edges, { stream = stream })
  total:free()
  counts:free()
  return out
end

local OPTIONS = { "range", "bins", "weights", "density", "stream" }

-- cuda.histogram(a [, bins] [, options]) -> counts, edges
local function histogram(given, asked, options)
  local what = "histogram"
  local a, dtype = values.array(what, 1, "a", given)
  local label
  asked, options, label = either(what, "argument 2 'bins'", "bins", asked, options)
  local opts = arguments.options(what, options, OPTIONS)
  if dtypes.of(dtype).kind == "complex" then fail(what, "complex numbers have no order") end
  local weights = weights_of(what, opts, a)
  local density = arguments.boolean(what, opts, "density")
  local edges, bins, uniform
  if asked == nil or math.type(asked) then
    uniform = true
    edges, bins = uniform_edges(a, values.integer(what, label, asked, 1, 10), opts)
  else
    if opts.range ~= nil then fail(what, "option 'range': the edges are given already") end
    edges, bins = given_edges(a, asked, label, opts.stream)
  end
  local flat = edges:contiguous { stream = opts.stream }
  local counts = count(uniform and "uniform" or "edges", a, weights, flat, bins, opts.stream)
  drop(flat, edges)
  if density then return density_of(counts, edges, opts.stream), edges end
  if weights and weights.dtype ~= "float64" then
    local sums = counts
    counts = sums:astype(weights.dtype, { stream = opts.stream })
    sums:free()
  end
  return counts, edges
end

return { histogram = histogram, bincount = bincount }

-- average.lua: average, with weights in one pass, and ptp.

local axes = require "luacuda.array.axes"
local core = require "luacuda.core"
local extremes = require "luacuda.array.extremes"
local reductions = require "luacuda.array.reductions"
local values = require "luacuda.array.values"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local lists = require "luacuda.base.lists"
local prelude = require "luacuda.builder.prelude"
local own = require("luacuda.builder.reduction").own

local fail = arguments.fail

-- Weights -----------------------------------------------------------------------------------------

-- Weights of the shape of the reduced axes, as a view that is broadcast along the others.
local function along(what, a, weights, reduced, stream)
  local fits = reduced ~= nil and #reduced == weights.ndim
  for k, axis in ipairs(fits and reduced or {}) do
    fits = fits and weights.shape[k] == a.shape[axis]
  end
  if not fits then
    fail(what, "option 'weights': shape %s fits neither the array's shape %s nor its reduced axes",
      lists.shape_text(weights.shape), lists.shape_text(a.shape))
  end
  local order, shape = {}, {}
  for k in ipairs(reduced) do order[k] = k end
  table.sort(order, function(i, j) return reduced[i] < reduced[j] end)
  for d = 1, a.ndim do shape[d] = 1 end
  for _, axis in ipairs(reduced) do shape[axis] = a.shape[axis] end
  local view = #order > 1 and weights:transpose(order) or weights
  return view:contiguous({ stream = stream }):reshape(shape)
end

local function float_of(dtype)
  local kind = dtypes.of(dtype).kind
  return (kind == "float" or kind == "complex") and dtype or "float64"
end

-- Option weights as an array that broadcasts against `a`; nil where it is not given. A list of
-- numbers takes the float dtype of `a`.
local function weights_of(what, a, opts)
  local given = opts.weights
  if given == nil then return nil end
  local weights = core.foreign(given) or given
  if arguments.open_type(weights) ~= "array" then
    weights = values.list(what, "option 'weights'", weights, a.device, float_of(a.dtype),
      opts.stream)
  elseif type(weights.dtype) ~= "string" then
    fail(what, "option 'weights': expected numbers, got an array of %s", tostring(weights.dtype))
  end
  local reduced
  if opts.axis ~= nil then reduced = axes.axes(what, "option 'axis'", opts.axis, a.ndim) end
  if weights:same_shape(a) then return weights end
  return along(what, a, weights, reduced, opts.stream)
end

-- Weighted sums -----------------------------------------------------------------------------------

local SUMS = [[
struct _lcu_sums { VALUE sum, weight; };
__device__ __forceinline__ _lcu_sums _lcu_make(VALUE sum, VALUE weight) {
  _lcu_sums a;
  a.sum = sum, a.weight = weight;
  return a;
}
]]

-- The dtype of an average.
local function result_dtype(a, weight)
  local joined, kind = dtypes.promote(a, weight), dtypes.of(a).kind
  if kind == "float" or kind == "complex" then return joined end
  return dtypes.promote(joined, "float64")
end

local kept = {}

-- The reduction of elements and weights to their average and the sum of the weights.
local function weighted(a, weight, result)
  local key = ("%s %s"):format(a, weight)
  if kept[key] then return kept[key] end
  local row = dtypes.of(result)
  local wide = row.narrow and "float32" or result
  local ctype = prelude.cname(wide)
  local function converted(name, dtype)
    if row.kind == "complex" and dtypes.of(dtype).kind ~= "complex" then
      return ("%s((%s)%s)"):format(ctype, prelude.cname(dtypes.part_of(wide)), name)
    end
    return ("(%s)(%s)"):format(ctype, name)
  end
  kept[key] = own { inputs = ("%s x, %s w"):format(a, weight),
    outputs = ("%s y, %s total"):format(result, result),
    map = ("_lcu_make(%s * %s, %s)"):format(converted("x", a), converted("w", weight),
      converted("w", weight)),
    reduce = "_lcu_make(a.sum + b.sum, a.weight + b.weight)",
    post = "y = a.sum / a.weight, total = a.weight", identity = ("_lcu_make((%s)(0), (%s)(0))")
      :format(ctype, ctype),
    preamble = SUMS:gsub("VALUE", ctype), reduce_type = "_lcu_sums",
    bytes = 2 * dtypes.of(wide).size, name = "average" }
  return kept[key]
end

-- The average without weights, and the number of elements as an array of its shape.
local function plain(a, opts)
  local y = reductions.mean(a, { axis = opts.axis, keepdims = opts.keepdims, out = opts.out,
    stream = opts.stream })
  if not opts.returned then return y end
  if core.type(y) ~= "array" then return y, a.size end
  local count = y.size > 0 and a.size // y.size or 0
  return y, core.full_like(y, count, { stream = opts.stream })
end

local OPTIONS = { "axis", "weights", "keepdims", "returned", "out", "stream" }

-- cuda.average(a [, options]), a:average([options])
local function average(given, options)
  local what = "average"
  local a, dtype = values.array(what, 1, "a", given)
  local opts = arguments.options(what, options, OPTIONS)
  arguments.boolean(what, opts, "keepdims")
  local returned = arguments.boolean(what, opts, "returned")
  local w = weights_of(what, a, opts)
  if not w then return plain(a, opts) end
  local run = weighted(dtype, w.dtype, result_dtype(dtype, w.dtype))
  local y, total = run(a, w, { axis = opts.axis, keepdims = opts.keepdims, stream = opts.stream })
  local out = opts.out
  if out ~= nil then
    if core.type(out) ~= "array" or out.dtype ~= y.dtype or not out:same_shape(y) then
      fail(what, "option 'out': expected %s array of shape %s", y.dtype,
        lists.shape_text(y.shape))
    end
    out:set(y, { stream = opts.stream })
    y:free()
    y = out
  end
  if not returned then
    total:free()
    total = nil
  end
  if opts.axis == nil and out == nil and not opts.keepdims then
    y, total = values.answer(y), total and values.answer(total)
  end
  if returned then return y, total end
  return y
end

-- ptp ---------------------------------------------------------------------------------------------

local function range(what, dtype)
  local kind = dtypes.of(dtype).kind
  if kind == "complex" or kind == "bool" then
    fail(what, "%s have no range", kind == "bool" and "booleans" or "complex numbers")
  end
  return extremes.declaration(dtype, dtype .. " y", "y = a.high - a.low", what)
end

return { average = average, ptp = reductions.method("ptp", range) }

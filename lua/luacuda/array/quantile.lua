-- quantile.lua: median, quantile and percentile. The elements are sorted along the reduced axes, or
-- of long rows only those found that are needed; one kernel takes the neighbours of each quantile.

local axes = require "luacuda.array.axes"
local core = require "luacuda.core"
local ranks = require "luacuda.array.ranks"
local sort_rows = require("luacuda.array.sort_rows").sort_rows
local values = require "luacuda.array.values"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"
local elementwise = require("luacuda.builder.elementwise").elementwise
local prelude = require "luacuda.builder.prelude"

local fail, describe, product = arguments.fail, arguments.describe, lists.product

-- Axes --------------------------------------------------------------------------------------------

-- Which axes option `axis` reduces: axis -> true.
local function reduced_axes(what, given, ndim)
  local reduced = {}
  if given == nil then
    for d = 1, ndim do reduced[d] = true end
    return reduced
  end
  for _, axis in ipairs(axes.axes(what, "option 'axis'", given, ndim)) do reduced[axis] = true end
  return reduced
end

-- The order of axes that puts the reduced ones last, the shape of the others, and the shape of a
-- result that keeps all.
local function split_axes(a, reduced)
  local order, last, rest, kept = {}, {}, {}, {}
  for d, n in ipairs(a.shape) do
    kept[d] = reduced[d] and 1 or n
    if reduced[d] then last[#last + 1] = d
    else order[#order + 1], rest[#rest + 1] = d, n end
  end
  table.move(last, 1, #last, #order + 1, order)
  return order, rest, kept
end

-- A new array {rows, m} of the elements, with the reduced axes as rows in ascending order.
local function sorted_rows(a, order, rows, m, stream)
  local view = a.ndim > 1 and a:transpose(order) or a
  local src = view:contiguous { stream = stream }
  if src.pointer ~= a.pointer then
    local dst = src:reshape { rows, m }
    sort_rows(false, dst, dst, m, false, stream)
    return dst
  end
  local dst = core.new(a, { rows, m }, a.dtype, stream)
  sort_rows(false, src, dst, m, false, stream)
  return dst
end

-- The places in a row (from 0, ascending) of the elements that the kernels read, and place -> index
-- among them (from 0).
local function places_of(low, high, m)
  local wanted, places, at = { [m - 1] = true }, {}, {}
  for k = 1, #low do wanted[low[k]], wanted[high[k]] = true, true end
  for place in pairs(wanted) do places[#places + 1] = place end
  table.sort(places)
  for k, place in ipairs(places) do at[place] = k - 1 end
  return places, at
end

local function mapped(list, at)
  local out = {}
  for k, place in ipairs(list) do out[k] = at[place] end
  return out
end

-- Rows in ascending order in which the elements at low and high and the last of each row are found:
-- -> rows, their length, low, high
local function ordered_rows(a, order, rows, m, low, high, stream)
  local places, at = places_of(low, high, m)
  if not ranks.pays(a, m, #places) then
    return sorted_rows(a, order, rows, m, stream), m, low, high
  end
  local view = a.ndim > 1 and a:transpose(order) or a
  local src = view:contiguous { stream = stream }
  local found = ranks.take(src, rows, m, places, stream)
  if src.pointer ~= a.pointer then src:free() end
  return found, #places, mapped(low, at), mapped(high, at)
end

-- Kernels -----------------------------------------------------------------------------------------

-- A NaN is last in its row, and the result then. LERP is NumPy's: monotonous, and exact at both
-- ends.
local BODY = [[
const long long base = i % rows * m;
const CALC last = CONVERT(x[base + m - 1]), p = CONVERT(x[base + low]),
    q = CONVERT(x[base + high]);
if (last != last) value = last;
else value = RESULT;]]
local RESULTS = {
  lerp = "low == high || t == 0 ? p : t < 0.5 ? p + (q - p) * (REAL)t"
    .. " : q - (q - p) * (REAL)(1 - t)",
  middle = "low == high ? p : (p + q) / REAL(2)",
}
-- Methods that take an element keep its dtype and bits.
local TAKE = [[
const long long base = i % rows * m;
const bool nan = x[base + m - 1] != x[base + m - 1];
value = x[base + (nan ? m - 1 : low)];]]

local kept = {}

local function kernel(dtype, result, mode)
  local key = ("%s %s %s"):format(dtype, result, mode)
  if kept[key] then return kept[key] end
  local body = TAKE
  if RESULTS[mode] then
    local row = dtypes.of(result)
    local calc = row.narrow and "float32" or result
    local ctype = prelude.cname(calc)
    body = BODY:gsub("RESULT", RESULTS[mode]):gsub("CALC", ctype)
      :gsub("CONVERT", ("(%s)"):format(ctype)):gsub("REAL", prelude.cname(dtypes.part_of(calc)))
  elseif dtypes.is_narrow(dtype) then
    body = body:gsub("x%[base %+ m %- 1%]", "(float)%0")
  end
  kept[key] = elementwise { inputs = ("int64 low, int64 high, float64 t, raw %s x, int64 m, "
    .. "int64 rows"):format(dtype), outputs = result .. " value", body = body, name = "quantile",
    flags = { "--fmad=false" } }
  return kept[key]
end

-- The work ----------------------------------------------------------------------------------------

-- A list of numbers as an array of one column; one number for a list of one.
local function column(list, dtype, like, stream)
  if #list == 1 then return list[1] end
  return core.array(list, dtype, { device = like.device, stream = stream }):reshape { #list, 1 }
end

local function free(...)
  for _, array in ipairs { ... } do
    if core.type(array) == "array" then array:free() end
  end
end

-- Runs a kernel on places = { low =, high =, t = }, lists of elements' indices from 0, for a result
-- whose shape begins with `first`.
local function reduce(what, a, opts, places, mode, dtype, first)
  local stream = opts.stream
  local reduced = reduced_axes(what, opts.axis, a.ndim)
  local order, rest, all = split_axes(a, reduced)
  local rows = product(rest, 1, #rest)
  local m = 1
  for d in pairs(reduced) do m = m * a.shape[d] end
  local shape = lists.copy(first)
  for _, n in ipairs(opts.keepdims and all or rest) do shape[#shape + 1] = n end
  local out = operands.result(what, opts, shape, dtype, a)
  if out.size == 0 then return out end
  local low, high, t = places(m)
  if not low then return out:fill(0 / 0, { stream = stream }) end
  local x
  x, m, low, high = ordered_rows(a, order, rows, m, low, high, stream)
  local one, two, gamma = column(low, "int64", a, stream), column(high, "int64", a, stream),
    column(t, "float64", a, stream)
  operands.into(out, {}, stream, function(dst)
    local table_of_all = dst:reshape { #low, rows }
    kernel(a.dtype, dtype, mode)(one, two, gamma, x, m, rows,
      { out = table_of_all, stream = stream })
    table_of_all:free()
  end)
  free(one, two, gamma, x)
  return out
end

-- The result for the user: one value where neither axes nor an array were asked for.
local function answer(result, opts, single)
  if single and opts.axis == nil and opts.out == nil and not opts.keepdims then
    return values.answer(result)
  end
  return result
end

-- median ------------------------------------------------------------------------------------------

local function float_of(dtype)
  local kind = dtypes.of(dtype).kind
  return (kind == "float" or kind == "complex") and dtype or "float64"
end

local function middle_places(m)
  if m == 0 then return nil end
  return { (m - 1) // 2 }, { m // 2 }, { 0.0 }
end

local OPTIONS = { "axis", "keepdims", "out", "stream" }

-- cuda.median(a [, options]), a:median([options])
local function median(given, options)
  local what = "median"
  local a, dtype = values.array(what, 1, "a", given)
  local opts = arguments.options(what, options, OPTIONS)
  arguments.boolean(what, opts, "keepdims")
  return answer(reduce(what, a, opts, middle_places, "middle", float_of(dtype), {}), opts, true)
end

-- quantile and percentile -------------------------------------------------------------------------

-- Rounded to the nearest integer, halves to the even one.
local function nearest(v)
  local down = v // 1
  local rest = v - down
  return (rest > 0.5 or rest == 0.5 and down % 2 == 1) and down + 1 or down
end

-- method -> its lower and upper neighbour among 0 to n - 1 for a place between them, and the weight
-- of the upper one
local METHODS = {
  linear = function(v) return v // 1, -(-v // 1), v % 1 end,
  lower = function(v) return v // 1, v // 1, 0.0 end,
  higher = function(v) return -(-v // 1), -(-v // 1), 0.0 end,
  nearest = function(v) return nearest(v), nearest(v), 0.0 end,
  midpoint = function(v) return v // 1, -(-v // 1), v % 1 == 0 and 0.0 or 0.5 end,
}

local function method_of(what, opts)
  local method = opts.method == nil and "linear" or opts.method
  if not METHODS[method] then
    fail(what, "option 'method': expected 'linear', 'lower', 'higher', 'nearest' or 'midpoint', "
      .. "got %s", type(method) == "string" and "'" .. method .. "'" or describe(method))
  end
  return method
end

-- The quantiles as fractions, the first axes of the result, the dtype of an array of them, and
-- whether there is just one number.
local function fractions(what, given, most)
  local list, shape, dtype, single = given, nil, nil, false
  given = core.foreign(given) or given
  if arguments.open_type(given) == "array" then
    dtype, shape = given.dtype, lists.copy(given.shape)
    local kind = dtypes.of(dtype) and dtypes.of(dtype).kind
    if kind == "complex" or kind == "bool" or not kind then
      fail(what, "argument 2 'q': expected real numbers, got an array of %s", tostring(dtype))
    end
    list = given:contiguous():reshape(given.size):totable()
  elseif math.type(given) then list, shape, single = { given }, {}, true
  elseif type(given) == "table" then
    core.list_check(given, what .. ": argument 2 'q'", what)
    shape = { #given }
  else
    fail(what, "argument 2 'q': expected a number, a list of numbers or an Array, got %s",
      describe(given))
  end
  local scaled = {}
  for k, q in ipairs(list) do
    if not math.type(q) then
      fail(what, "argument 2 'q': item %d: expected a number, got %s", k, describe(q))
    end
    if not (q >= 0 and q <= most) then
      fail(what, "argument 2 'q': expected numbers from 0 to %d, got %g", most, q)
    end
    scaled[k] = q / most
  end
  return scaled, shape, dtype, single
end

local Q_OPTIONS = { "axis", "keepdims", "out", "method", "stream" }

-- quantile (most = 1) or percentile (100)
local function quantiles(what, most)
  return function(given, q, options)
    local a, dtype = values.array(what, 1, "a", given)
    if dtypes.of(dtype).kind == "complex" then fail(what, "complex numbers have no order") end
    local list, shape, of_q, single = fractions(what, q, most)
    local opts = arguments.options(what, options, Q_OPTIONS)
    arguments.boolean(what, opts, "keepdims")
    local method = method_of(what, opts)
    local lerp = method == "linear" or method == "midpoint"
    local result = lerp and float_of(dtype) or dtype
    if lerp and of_q then result = dtypes.promote(result, float_of(of_q)) end
    local function places(m)
      if m == 0 then fail(what, "there are no elements") end
      local low, high, t = {}, {}, {}
      for k, fraction in ipairs(list) do
        local l, h, weight = METHODS[method]((m - 1) * fraction)
        low[k], high[k], t[k] = math.tointeger(l), math.tointeger(h), weight
      end
      return low, high, t
    end
    return answer(reduce(what, a, opts, places, lerp and "lerp" or "take", result, shape), opts,
      single)
  end
end

return { median = median, quantile = quantiles("quantile", 1),
  percentile = quantiles("percentile", 100) }

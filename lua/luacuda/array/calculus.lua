-- calculus.lua: gradient and trapezoid: NumPy's differences and integral of samples.

local core = require "luacuda.core"
local part_of = require("luacuda.array.axes").part
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local elementwise = require("luacuda.builder.elementwise").elementwise
local prelude = require "luacuda.builder.prelude"
local own = require("luacuda.builder.reduction").own

local fail = arguments.fail

local function numbers(what, a)
  a = arguments.array(what, 1, "a", a)
  if type(a.dtype) ~= "string" then
    fail(what, "argument 1 'a': expected numbers, got %s", tostring(a.dtype))
  end
  if a.ndim == 0 then fail(what, "argument 1 'a': an array without axes has no neighbours") end
  return a
end

-- The float or complex dtype of a result; float64 for integers.
local function inexact(dtype)
  local kind = dtypes.of(dtype).kind
  return (kind == "float" or kind == "complex") and dtype or "float64"
end

local function part(a, axis, first, last) return part_of(a, axis, { first, last }) end

-- Coordinates, one per element of the axis, as float64 that broadcast against `a`.
local function along_axis(what, name, given, a, axis, stream)
  local x = core.type(given) == "array" and given or core.foreign(given)
  if not x then
    fail(what, "option '%s': expected an Array, got %s", name, arguments.describe(given))
  end
  if type(x.dtype) ~= "string" or dtypes.of(x.dtype).kind == "complex" then
    fail(what, "option '%s': expected real numbers, got %s", name, tostring(x.dtype))
  end
  if x.device ~= a.device then
    arguments.apart(what, ("option '%s': it is"):format(name), x.device, "the array", a.device)
  end
  if x.ndim ~= 1 or x.size ~= a.shape[axis] then
    fail(what, "option '%s': expected %d coordinates, one per element of axis %d", name,
      a.shape[axis], axis)
  end
  local shape = {}
  for i = 1, a.ndim do shape[i] = i == axis and x.size or 1 end
  x = x:astype("float64", { stream = stream })
  return (x.is_contiguous and x or x:contiguous { stream = stream }):reshape(shape)
end

-- gradient ----------------------------------------------------------------------------------------

-- A value of the result from two or three neighbours, at equal distances `d` or at coordinates.
-- Quadratic interpolation through three of them gives `inner`, `first` and `last` (Fornberg,
-- "Generation of finite difference formulas on arbitrarily spaced grids", 1988).
local EQUAL = {
  inner = "y = (c - a) / (2 * d)",
  edge = "y = (b - a) / d",
  first = "y = (R(-1.5) / d) * a + (R(2) / d) * b + (R(-0.5) / d) * c",
  last = "y = (R(0.5) / d) * a + (R(-2) / d) * b + (R(1.5) / d) * c",
}
local UNEQUAL = {
  inner = "y = (-e / (d * (d + e))) * a + ((e - d) / (d * e)) * b + (d / (e * (d + e))) * c",
  edge = "y = (b - a) / d",
  first = "y = (-(2 * d + e) / (d * (d + e))) * a + ((d + e) / (d * e)) * b"
    .. " + (-d / (e * (d + e))) * c",
  last = "y = (e / (d * (d + e))) * a + (-(d + e) / (d * e)) * b"
    .. " + ((2 * e + d) / (e * (d + e))) * c",
}

local kept = {}

local function kernel(kind, dtype, out, unequal)
  local key = ("%s %s %s"):format(kind, dtype, unequal)
  if kept[key] then return kept[key] end
  local row = dtypes.of(out)
  local wide = unequal and (row.kind == "complex" and "complex128" or "float64")
    or dtypes.sum_of(out)
  local scale = dtypes.part_of(wide)
  local three = kind ~= "edge"
  local body = { ("const W a = (W)u, b = (W)v%s;"):format(three and ", c = (W)w" or "") }
  if unequal then
    body[#body + 1] = "const R d = x1 - x0" .. (three and ", e = x2 - x1;" or ";")
  end
  body[#body + 1] = (unequal and UNEQUAL or EQUAL)[kind]
  local inputs = ("X u, X v%s"):format(three and ", X w" or "")
  if unequal then inputs = inputs .. ", float64 x0, float64 x1" .. (three and ", float64 x2" or "")
  else inputs = inputs .. ", " .. scale .. " d" end
  kept[key] = elementwise { name = "luacuda_gradient", inputs = inputs:gsub("X", dtype),
    outputs = out .. " y",
    body = ("typedef %s W; typedef %s R;\n"):format(prelude.cname(wide), prelude.cname(scale))
      .. table.concat(body, "\n"), flags = { "--fmad=false" } }
  return kept[key]
end

-- Writes the elements from `first` to `last` of the axis; their first neighbours start at
-- `neighbour`.
local function differences(work, kind, first, last, neighbour)
  local a, axis = work.a, work.axis
  local given, reach = {}, last - first
  for k = 0, kind == "edge" and 1 or 2 do
    given[k + 1] = part(a, axis, neighbour + k, neighbour + k + reach)
  end
  if work.x then
    for k = 0, #given - 1 do
      given[#given + 1] = part(work.x, axis, neighbour + k, neighbour + k + reach)
    end
  else given[#given + 1] = work.spacing end
  given[#given + 1] = part(work.out, axis, first, last)
  given[#given + 1] = { stream = work.stream }
  kernel(kind, a.dtype, work.out.dtype, work.x ~= nil)(table.unpack(given))
end

local function derivative(a, axis, spacing, order, stream)
  local n = a.shape[axis]
  if n < order + 1 then
    fail("gradient", "axis %d has %d elements; edge_order %d takes %d or more", axis, n, order,
      order + 1)
  end
  local work = { a = a, axis = axis, stream = stream }
  if type(spacing) == "number" then work.spacing = spacing
  else work.x = along_axis("gradient", "spacing", spacing, a, axis, stream) end
  work.out = core.new(a, a, inexact(a.dtype), stream)
  if work.out.size == 0 then return work.out end
  if n > 2 then differences(work, "inner", 2, n - 1, 1) end
  if order == 1 then
    differences(work, "edge", 1, 1, 1)
    differences(work, "edge", n, n, n - 1)
  else
    differences(work, "first", 1, 1, 1)
    differences(work, "last", n, n, n - 2)
  end
  return work.out
end

local function axes_of(given, ndim)
  local list, seen = {}, {}
  if given == nil then
    for i = 1, ndim do list[i] = i end
    return list
  end
  if type(given) == "table" then core.list_check(given, "gradient: option 'axis'", "gradient") end
  for i, value in ipairs(type(given) == "table" and given or { given }) do
    list[i] = arguments.axis("gradient", value, ndim)
    if seen[list[i]] then fail("gradient", "option 'axis': axis %d is named twice", list[i]) end
    seen[list[i]] = true
  end
  if #list == 0 then fail("gradient", "option 'axis': the list is empty") end
  return list
end

-- One spacing per axis.
local function spacings(given, axes)
  if given == nil then given = 1 end
  local list = {}
  if type(given) == "table" and core.foreign(given) == nil then
    core.list_check(given, "gradient: option 'spacing'", "gradient")
    if #given ~= #axes then
      fail("gradient", "option 'spacing': %d for %d axes", #given, #axes)
    end
    return given
  end
  if type(given) ~= "number" and #axes > 1 then
    fail("gradient", "option 'spacing': expected a number, or a list with one item per axis")
  end
  for i = 1, #axes do list[i] = given end
  return list
end

-- cuda.gradient(a [, options]), a:gradient([options]) -> an array per axis
local function gradient(a, options)
  a = numbers("gradient", a)
  local opts = arguments.options("gradient", options, { "spacing", "axis", "edge_order", "stream" })
  local order = opts.edge_order == nil and 1 or opts.edge_order
  if order ~= 1 and order ~= 2 then
    fail("gradient", "option 'edge_order': expected 1 or 2, got %s", arguments.describe(order))
  end
  local axes = axes_of(opts.axis, a.ndim)
  local steps, results = spacings(opts.spacing, axes), {}
  for i, axis in ipairs(axes) do
    results[i] = derivative(a, axis, steps[i], order, opts.stream)
  end
  return table.unpack(results)
end

-- trapezoid ---------------------------------------------------------------------------------------

local function integral(dtype, out, by_x)
  local key = ("trapezoid %s %s %s"):format(dtype, out, by_x)
  if not kept[key] then
    local wide = by_x and (dtypes.of(out).kind == "complex" and "complex128" or "float64")
      or dtypes.sum_of(out)
    local ctype = prelude.cname(wide)
    kept[key] = own { name = "trapezoid", outputs = out .. " y", reduce = "a + b", identity = 0,
      post = "y = a", reduce_type = wide,
      inputs = ("%s u, %s v, %s"):format(dtype, dtype,
        by_x and "float64 x0, float64 x1" or dtypes.part_of(wide) .. " dx"),
      map = ("(%s) * ((%s)u + (%s)v) / %s(2)"):format(by_x and "x1 - x0" or "dx", ctype, ctype,
        prelude.cname(dtypes.part_of(wide))) }
  end
  return kept[key]
end

local OPTIONS = { "x", "dx", "axis", "out", "stream" }

-- cuda.trapezoid(a [, options]), a:trapezoid([options])
local function trapezoid(a, options)
  a = numbers("trapezoid", a)
  local opts = arguments.options("trapezoid", options, OPTIONS)
  local axis = arguments.axis("trapezoid", opts.axis == nil and -1 or opts.axis, a.ndim)
  local step, out = opts.dx == nil and 1 or opts.dx, inexact(a.dtype)
  if type(step) ~= "number" then
    fail("trapezoid", "option 'dx': expected a number, got %s", arguments.describe(step))
  end
  local n = math.max(a.shape[axis], 1)
  local given = { part(a, axis, 1, n - 1), part(a, axis, 2, n), step }
  if opts.x ~= nil then
    if opts.dx ~= nil then fail("trapezoid", "expected option 'x' or 'dx', got both") end
    local x = along_axis("trapezoid", "x", opts.x, a, axis, opts.stream)
    out = dtypes.promote(out, inexact(opts.x.dtype))
    given[3], given[4] = part(x, axis, 1, n - 1), part(x, axis, 2, n)
  end
  given[#given + 1] = { axis = axis, out = opts.out, stream = opts.stream }
  local y = integral(a.dtype, out, opts.x ~= nil)(table.unpack(given))
  if y.ndim > 0 or opts.out ~= nil then return y end
  local value = y:item()
  y:free()
  return value
end

return { gradient = gradient, trapezoid = trapezoid }

-- norm.lua: norms of vectors and matrices, as reductions.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local either = require("luacuda.base.either").either
local dtypes = require "luacuda.base.dtypes"
local prelude = require "luacuda.builder.prelude"
local own = require("luacuda.builder.reduction").own

local WHAT = "norm"
local OPTIONS = { "axis", "ord", "keepdims", "out", "stream" }
local INFINITY = "__int_as_float(0x7f800000)"

-- Types -------------------------------------------------------------------------------------------

-- The dtype of a norm of elements of `dtype`, and the dtype of the computation.
local function types_of(dtype)
  local kind = dtypes.of(dtype).kind
  local out = kind == "complex" and dtypes.part_of(dtype) or kind == "float" and dtype or "float64"
  return out, dtypes.sum_of(out)
end

-- Vector norms ------------------------------------------------------------------------------------

-- kind -> map in terms of ABS (the absolute value) or SQUARE, reduce, post, and the value without
-- elements
local NORMS = {
  one = { map = "ABS", reduce = "a + b", post = "y = a", identity = 0 },
  two = { map = "SQUARE", reduce = "a + b", post = "y = sqrt(a)", identity = 0 },
  power = { map = "pow(ABS, p)", reduce = "a + b", post = "y = pow(a, 1 / p)", identity = 0,
    power = true },
  zero = { map = "WIDE(bool(x))", reduce = "a + b", post = "y = a", identity = 0 },
  largest = { map = "ABS", reduce = "a > b || a != a ? a : b", post = "y = a", identity = 0 },
  smallest = { map = "ABS", reduce = "a < b || a != a ? a : b", post = "y = a",
    neutral = INFINITY },
}

local function expressions(dtype, wide)
  local ctype = prelude.cname(wide)
  if dtypes.of(dtype).kind == "complex" then
    return { ABS = "abs(x)", SQUARE = "norm(x)", WIDE = ctype }
  end
  return { ABS = ("fabs((%s)x)"):format(ctype), SQUARE = ("(%s)x * (%s)x"):format(ctype, ctype),
    WIDE = ctype }
end

local function declaration(kind, dtype, out, wide)
  local norm = NORMS[kind]
  return { inputs = dtype .. " x" .. (norm.power and ", " .. wide .. " p" or ""),
    outputs = out .. " y",
    map = norm.map:gsub("%u%u+", expressions(dtype, wide)), reduce = norm.reduce, post = norm.post,
      identity = norm.identity,
    neutral = norm.neutral, reduce_type = wide, name = WHAT }
end

local kept = {}

local function reduction(kind, dtype, out, wide)
  local key = ("%s %s %s"):format(kind, dtype, out)
  kept[key] = kept[key] or own(declaration(kind, dtype, out, wide))
  return kept[key]
end

-- The norm `kind` of x over options.axis, as an array of dtype `out`.
local function reduce(kind, x, out, wide, power, options)
  local r = reduction(kind, x.dtype, out, wide)
  if NORMS[kind].power then return r(x, power, options) end
  return r(x, options)
end

-- Options -----------------------------------------------------------------------------------------

local function wrong_ord(ord, label, what)
  arguments.fail(WHAT, "%s: %s is not a norm of %s", label, type(ord) == "number"
    and ("%.14g"):format(ord) or tostring(ord), what)
end

local function vector_kind(ord, label)
  if ord == nil or ord == 2 then return "two" end
  if ord == 1 then return "one" end
  if ord == 0 then return "zero" end
  if ord == math.huge then return "largest" end
  if ord == -math.huge then return "smallest" end
  if type(ord) ~= "number" or ord ~= ord then wrong_ord(ord, label, "vectors") end
  return "power"
end

-- ord -> along which of the two axes absolute values are summed, and how the sums are combined
local MATRIX = { [1] = { 1, "largest" }, [-1] = { 1, "smallest" }, [math.huge] = { 2, "largest" },
  [-math.huge] = { 2, "smallest" } }

local function check_axes(given, ndim)
  local list, seen = {}, {}
  if type(given) == "table" then core.list_check(given, WHAT .. ": option 'axis'", WHAT) end
  for i, value in ipairs(type(given) == "table" and given or { given }) do
    list[i] = arguments.axis(WHAT, value, ndim)
    if seen[list[i]] then arguments.fail(WHAT, "option 'axis': axis %d is named twice", list[i]) end
    seen[list[i]] = true
  end
  if #list < 1 or #list > 2 then
    arguments.fail(WHAT, "option 'axis': expected one axis or two, got %d", #list)
  end
  return list
end

-- The axes of the norm; nil: all of them, as one vector.
local function axes_of(x, ord, label, opts)
  if opts.axis ~= nil then return check_axes(opts.axis, x.ndim) end
  if ord == nil then return nil end
  if x.ndim < 1 or x.ndim > 2 then
    arguments.fail(WHAT, "%s with an array of %d axes: name one axis or two in 'axis'", label,
      x.ndim)
  end
  return x.ndim == 1 and { 1 } or { 1, 2 }
end

-- Norms -------------------------------------------------------------------------------------------

-- Sums along one axis, then the largest or smallest of them along the other.
local function matrix_norm(x, ord, label, axes, opts, out, wide)
  local first, kind = table.unpack(MATRIX[ord]
    or wrong_ord(ord, label, "matrices (1, -1, inf, -inf and \"fro\" are)"))
  local sums = reduce("one", x, wide, wide, nil,
    { axis = axes[first], keepdims = true, stream = opts.stream })
  local y = reduce(kind, sums, out, wide, nil,
    { axis = axes, keepdims = opts.keepdims, out = opts.out, stream = opts.stream })
  sums:free()
  return y
end

local function norm_array(x, ord, label, opts)
  local axes = axes_of(x, ord, label, opts)
  local out, wide = types_of(x.dtype)
  local passed = { axis = axes, keepdims = opts.keepdims, out = opts.out, stream = opts.stream }
  if axes and #axes == 2 then
    if ord == nil or ord == "fro" then return reduce("two", x, out, wide, nil, passed) end
    return matrix_norm(x, ord, label, axes, opts, out, wide)
  end
  local kind = vector_kind(ord, label)
  if x.size == 0 and kind == "smallest" then
    arguments.fail(WHAT, "an array without elements has no norm for this 'ord'")
  end
  return reduce(kind, x, out, wide, ord, passed)
end

-- cuda.norm(a [, ord] [, { axis =, keepdims =, out =, stream = }])
local function norm(a, ord, options)
  a = arguments.array(WHAT, 1, "a", a)
  if type(a.dtype) ~= "string" then
    arguments.fail(WHAT, "argument 1 'a': expected numbers, got %s", tostring(a.dtype))
  end
  local label
  ord, options, label = either(WHAT, "argument 2 'ord'", "ord", ord, options)
  local opts = arguments.options(WHAT, options, OPTIONS)
  arguments.boolean(WHAT, opts, "keepdims")
  local y = norm_array(a, ord, label, opts)
  if y.ndim > 0 or opts.out or opts.axis ~= nil or opts.keepdims then return y end
  local value = y:item()
  y:free()
  return value
end

return { norm = norm }

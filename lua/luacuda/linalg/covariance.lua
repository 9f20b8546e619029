-- covariance.lua: cov and corrcoef: products of the centered observations.

local core = require "luacuda.core"
local average = require("luacuda.array.average").average
local join = require "luacuda.array.join"
local conj = require("luacuda.array.math").conj
local operators = require "luacuda.array.operators"
local reductions = require "luacuda.array.reductions"
local values = require "luacuda.array.values"
local arguments = require "luacuda.base.arguments"
local either = require("luacuda.base.either").either
local dtypes = require "luacuda.base.dtypes"
local elementwise = require("luacuda.builder.elementwise").elementwise
local prelude = require "luacuda.builder.prelude"
local matmul = require("luacuda.linalg.products").matmul

local fail = arguments.fail

-- Arguments ---------------------------------------------------------------------------------------

-- An argument as a matrix with a variable in each row.
local function rows_of(what, arg, name, given, opts)
  local a = values.array(what, arg, name, given)
  if a.ndim > 2 then
    fail(what, "argument %d '%s': expected at most two axes, got %d", arg, name, a.ndim)
  end
  if a.ndim < 2 then return a:contiguous({ stream = opts.stream }):reshape { 1, a.size } end
  return opts.rowvar == false and a:transpose() or a
end

-- The variables of both arguments as an array {variables, observations}, and the dtype of their
-- covariances.
local function variables(what, m, y, label, opts)
  local first = rows_of(what, 1, "m", m, opts)
  local second = y ~= nil and rows_of(what, 2, "y", y, opts)
  local dtype = dtypes.promote(first.dtype, second and second.dtype or first.dtype)
  if opts.dtype == nil then dtype = dtypes.promote(dtype, "float64")
  else
    local given = dtypes.normal(opts.dtype, what .. ": option 'dtype'")
    local kind = dtypes.of(given).kind
    if kind ~= "float" and kind ~= "complex"
      or kind == "float" and dtypes.of(dtype).kind == "complex" then
      fail(what, "option 'dtype': %s does not hold covariances of %s", given, dtype)
    end
    dtype = given
  end
  if not second then return first, dtype end
  if second.shape[2] ~= first.shape[2] then
    fail(what, "%s: expected %d observations, got %d", label, first.shape[2], second.shape[2])
  end
  return join.concatenate({ first, second }, { axis = 1, stream = opts.stream }), dtype
end

-- Options fweights and aweights: real numbers, one for each observation.
local function weights_option(what, opts, name, x)
  local w = opts[name]
  if w == nil then return nil end
  w = values.list(what, ("option '%s'"):format(name), w, x.device)
  local kind = dtypes.of(w.dtype).kind
  if kind == "complex" or kind == "bool" or name == "fweights" and kind == "float" then
    fail(what, "option '%s': expected %s, got %s", name, name == "fweights" and "integers"
      or "real numbers", w.dtype)
  end
  if w.size ~= x.shape[2] then
    fail(what, "option '%s': expected %d weights, got %d", name, x.shape[2], w.size)
  end
  if w.device ~= x.device then
    arguments.apart(what, ("option '%s': it is"):format(name), w.device, "the array", x.device)
  end
  return operators.multiply(w, core.float64(1), { stream = opts.stream })
end

-- cov ---------------------------------------------------------------------------------------------

local function ddof_of(what, opts)
  local ddof = values.integer_option(what, opts, "ddof", math.mininteger, nil)
  return ddof or (opts.bias and 0 or 1)
end

local function as(a, dtype, s) return a.dtype == dtype and a or a:astype(dtype, s) end

-- What the sums are divided by: a number without weights, else an array of one element.
local function divisor(x, aweights, w, ddof, s)
  if not w then return math.max(x.shape[2] - ddof, 0) end
  local function sum(v) return reductions.sum(v, { keepdims = true, stream = s.stream }) end
  local total = sum(w)
  local fact = total
  if ddof ~= 0 and not aweights then fact = operators.subtract(total, ddof, s)
  elseif ddof ~= 0 then
    local of_both = operators.multiply(sum(operators.multiply(w, aweights, s)), ddof, s)
    fact = operators.subtract(total, operators.divide(of_both, total, s), s)
  end
  return operators.maximum(fact, 0, s)
end

-- The observations' distances from their means.
local function centered_rows(x, w, dtype, s)
  local mean = w and average(x, { axis = 2, keepdims = true, weights = w, stream = s.stream })
    or reductions.mean(x, { axis = 2, keepdims = true, dtype = dtype, stream = s.stream })
  return as(operators.subtract(x, mean, s), dtype, s)
end

-- The covariances as a matrix.
local function matrix(what, m, y, label, opts)
  arguments.boolean(what, opts, "rowvar")
  local x, dtype = variables(what, m, y, label, opts)
  local s, n = { stream = opts.stream }, x.shape[1]
  if n == 0 then return core.new(x, { 0, 0 }, dtype, s.stream) end
  local fweights = weights_option(what, opts, "fweights", x)
  local aweights = weights_option(what, opts, "aweights", x)
  local w = fweights and aweights and operators.multiply(fweights, aweights, s) or fweights
    or aweights
  local by = divisor(x, aweights, w, ddof_of(what, opts), s)
  local centered = centered_rows(x, w, dtype, s)
  local other = w and as(operators.multiply(centered, w, s), dtype, s) or centered
  if dtypes.of(dtype).kind == "complex" then other = conj(other, s) end
  local sums = matmul(centered, other:transpose(), s)
  if not rawequal(other, centered) then other:free() end
  centered:free()
  local scale = type(by) == "number" and 1 / (by + 0.0) or operators.divide(1.0, by, s)
  return as(operators.multiply(sums, scale, s), dtype, s)
end

-- NumPy's squeeze: one variable gives an array without axes.
local function squeezed(c) return c.size == 1 and c:reshape {} or c end

local OPTIONS = { "rowvar", "y", "bias", "ddof", "fweights", "aweights", "dtype", "stream" }

-- cuda.cov(m [, y] [, options])
local function cov(m, y, options)
  local label
  y, options, label = either("cov", "argument 2 'y'", "y", y, options)
  local opts = arguments.options("cov", options, OPTIONS)
  arguments.boolean("cov", opts, "bias")
  return squeezed(matrix("cov", m, y, label, opts))
end

-- corrcoef ----------------------------------------------------------------------------------------

local kept = {}

local WITHIN = [[
__device__ __forceinline__ REAL _lcu_within(const REAL v) { return v > 1 ? 1 : v < -1 ? -1 : v; }
]]
local DEVIATIONS = [[
const REAL p = sqrt((REAL)(c[i / width * (width + 1)]PART)),
    q = sqrt((REAL)(c[i % width * (width + 1)]PART));
]]

-- Covariances over the standard deviations of both variables, within -1 and 1.
local function scale_kernel(dtype)
  if kept[dtype] then return kept[dtype] end
  local complex = dtypes.of(dtype).kind == "complex"
  local real = dtypes.part_of(dtype)
  local words = { REAL = prelude.cname(dtypes.sum_of(real)),
    TYPE = prelude.cname(dtype), PART = complex and ".real()" or "" }
  local value = complex
    and "y = TYPE(_lcu_within(c[i].real() / p / q), _lcu_within(c[i].imag() / p / q));"
    or "y = _lcu_within((REAL)c[i] / p / q);"
  kept[dtype] = elementwise { inputs = ("raw %s c, int64 width"):format(dtype),
    outputs = dtype .. " y", name = "corrcoef", preamble = WITHIN:gsub("%u%u+", words),
    body = (DEVIATIONS .. value):gsub("%u%u+", words) }
  return kept[dtype]
end

-- cuda.corrcoef(m [, y] [, options])
local function corrcoef(m, y, options)
  local label
  y, options, label = either("corrcoef", "argument 2 'y'", "y", y, options)
  local opts = arguments.options("corrcoef", options, { "rowvar", "y", "dtype", "stream" })
  local c = matrix("corrcoef", m, y, label, opts)
  if c.size == 0 then return c end
  local out = core.new(c, c, c.dtype, opts.stream)
  scale_kernel(c.dtype)(c, c.shape[1], { out = out, stream = opts.stream })
  return squeezed(out)
end

return { cov = cov, corrcoef = corrcoef }

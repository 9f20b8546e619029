-- interp.lua: interp: linear interpolation between samples, as NumPy's.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local operands = require "luacuda.base.operands"
local elementwise = require("luacuda.builder.elementwise").elementwise

local fail = arguments.fail

-- Samples -----------------------------------------------------------------------------------------

-- An array of numbers, argument `arg`; a Lua table becomes one beside `like`.
local function numbers(arg, name, given, like, stream)
  if type(given) == "table" and like and core.foreign(given) == nil then
    local ok, made = pcall(core.array, given, "float64", { device = like.device, stream = stream })
    if ok then return made end
    if type(made) ~= "string" or core.is_error(made) then error(made, 0) end
    fail("interp", "argument %d '%s': %s", arg, name, operands.reason(made))
  end
  local a = arguments.array("interp", arg, name, given)
  if type(a.dtype) ~= "string" then
    fail("interp", "argument %d '%s': expected numbers, got %s", arg, name, tostring(a.dtype))
  end
  if like and a.device ~= like.device then
    arguments.apart("interp", ("argument %d '%s': it is"):format(arg, name), a.device, "'x'",
      like.device)
  end
  return a
end

local function real(arg, name, a)
  if dtypes.of(a.dtype).kind == "complex" then
    fail("interp", "argument %d '%s': complex numbers have no order", arg, name)
  end
end

local function check_samples(xp, fp)
  real(2, "xp", xp)
  for arg, a in pairs { [2] = xp, [3] = fp } do
    if a.ndim ~= 1 then
      fail("interp", "argument %d '%s': expected one axis, got %d", arg, arg == 2 and "xp" or "fp",
        a.ndim)
    end
  end
  if xp.size ~= fp.size then
    fail("interp", "'xp' has %d elements, 'fp' has %d", xp.size, fp.size)
  end
  if xp.size == 0 then fail("interp", "argument 2 'xp': there are no samples") end
end

-- The samples of one period, in order, with one more on either side.
local function periodic(xp, fp, period, opts)
  local operators, sort = require "luacuda.array.operators", require "luacuda.array.sort"
  local join, take = require "luacuda.array.join", require("luacuda.array.take").take
  xp = operators.mod(xp, period, opts)
  local order = sort.argsort(xp, opts)
  -- no index is out of range, and "wrap" does not wait
  local by = { mode = "wrap", stream = opts.stream }
  xp, fp = take(xp, order, by), take(fp, order, by)
  local first, last = xp:slice { 1, 1 }, xp:slice { -1, -1 }
  return join.concatenate({ operators.subtract(last, period, opts), xp,
    operators.add(first, period, opts) }, opts),
    join.concatenate({ fp:slice { -1, -1 }, fp, fp:slice { 1, 1 } }, opts)
end

-- The kernel --------------------------------------------------------------------------------------

-- j is the last sample at or before x.
local INTERP = [[
const long long _n = xp.size();
if (x != x) y = x;
else if (x < xp[0]) y = left;
else if (x > xp[_n - 1]) y = right;
else {
  long long j = 0, end = _n;
  while (end - j > 1) {
    const long long middle = j + (end - j) / 2;
    if (xp[middle] <= x) j = middle; else end = middle;
  }
  if (j == _n - 1 || x == xp[j]) y = fp[j];
  else y = _lcu_between(x, xp[j], xp[j + 1], fp[j], fp[j + 1]);
}
]]

-- As NumPy: from the other end where the first gives NaN, as it does beside an infinity.
local REAL = [[
__device__ __forceinline__ double _lcu_line(double x, double x0, double x1, double y0,
    double y1) {
  const double slope = (y1 - y0) / (x1 - x0);
  double y = slope * (x - x0) + y0;
  if (y != y) {
    y = slope * (x - x1) + y1;
    if (y != y && y0 == y1) y = y0;
  }
  return y;
}
]]
local BETWEEN = {
  float64 = REAL .. "#define _lcu_between _lcu_line\n",
  complex128 = REAL .. [[
__device__ __forceinline__ complex<double> _lcu_between(double x, double x0, double x1,
    complex<double> y0, complex<double> y1) {
  return complex<double>(_lcu_line(x, x0, x1, y0.real(), y1.real()),
      _lcu_line(x, x0, x1, y0.imag(), y1.imag()));
}
]],
}

local kept = {}

-- Products are rounded before they are added, as in NumPy.
local function interpolator(out)
  kept[out] = kept[out] or elementwise { name = "luacuda_interp", outputs = out .. " y",
    body = INTERP,
    inputs = ("float64 x, raw float64 xp, raw %s fp, %s left, %s right"):format(out, out, out),
    preamble = BETWEEN[out], flags = { "--fmad=false" } }
  return kept[out]
end

-- interp ------------------------------------------------------------------------------------------

local function period_of(opts)
  local period = opts.period
  if period == nil then return nil end
  if type(period) ~= "number" or period == 0 or period ~= period then
    fail("interp", "option 'period': expected a number other than 0, got %s",
      arguments.describe(period))
  end
  return math.abs(period)
end

local function side(opts, name, fp, at)
  local value = opts[name]
  if value == nil then return fp:slice { at, at } end
  if type(value) ~= "number" and core.type(value) ~= "complex" then
    fail("interp", "option '%s': expected a number, got %s", name, arguments.describe(value))
  end
  return value
end

local OPTIONS = { "left", "right", "period", "out", "stream" }

-- cuda.interp(x, xp, fp [, options])
local function interp(x, xp, fp, options)
  local opts = arguments.options("interp", options, OPTIONS)
  local stream, period = { stream = opts.stream }, period_of(opts)
  x = numbers(1, "x", x)
  real(1, "x", x)
  xp, fp = numbers(2, "xp", xp, x, opts.stream), numbers(3, "fp", fp, x, opts.stream)
  check_samples(xp, fp)
  local dtype = dtypes.of(fp.dtype).kind == "complex" and "complex128" or "float64"
  local out = operands.result("interp", opts, x, dtype, x)
  x, xp = x:astype("float64", stream), xp:astype("float64", stream)
  fp = fp:astype(dtype, stream)
  local left, right = side(opts, "left", fp, 1), side(opts, "right", fp, -1)
  if period then
    x = require("luacuda.array.operators").mod(x, period, stream)
    xp, fp = periodic(xp, fp, period, stream)
  end
  if operands.overlap(out, xp) then xp = xp:copy(stream) end
  if operands.overlap(out, fp) then fp = fp:copy(stream) end
  interpolator(dtype)(x, xp, fp, left, right, out, stream)
  return out
end

return { interp = interp }

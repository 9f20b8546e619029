-- random_variates.lua: methods of generators: exponential, gamma, poisson and binomial.

local fail = require("luacuda.base.arguments").fail
local parts = require "luacuda.array.random_parts"
local dtypes = require "luacuda.base.dtypes"

local fill, into, positive, target = parts.fill, parts.into, parts.positive, parts.target
local check_fits = parts.check_fits

local methods = {}

local FLOAT_OPTIONS = { "scale", "dtype", "out", "stream", "device" }

-- g:exponential(shape, { scale = 1, dtype = "float32", out =, stream =, device = })
function methods:exponential(shape, opts)
  opts = parts.options("exponential", 2, opts, FLOAT_OPTIONS)
  local scale = positive("exponential", "option 'scale'", opts.scale, 1)
  local out = target("exponential", 1, shape, opts, "float32", parts.FLOATS)
  check_fits("exponential", "option 'scale'", scale, out.dtype)
  return into(out, opts.stream, function(array)
    fill(self, "exponential", array, opts.stream, scale)
  end)
end

-- g:gamma(k, shape, { scale = 1, dtype = "float32", out =, stream =, device = })
function methods:gamma(k, shape, opts)
  opts = parts.options("gamma", 3, opts, FLOAT_OPTIONS)
  k = positive("gamma", "argument 1 'k'", k)
  local scale = positive("gamma", "option 'scale'", opts.scale, 1)
  local out = target("gamma", 2, shape, opts, "float32", parts.FLOATS)
  check_fits("gamma", "argument 1 'k'", k, parts.wide(out.dtype))
  check_fits("gamma", "option 'scale'", scale, out.dtype)
  check_fits("gamma", "argument 1 'k': the mean, k * scale", k * scale, out.dtype)
  local drawn = k < 1 and k + 1 or k
  local d = drawn - 1 / 3
  local c, power = 1 / math.sqrt(9 * d), k < 1 and k > 0 and 1 / k or 0.0
  if k == 0 then scale = 0.0 end
  return into(out, opts.stream, function(array)
    fill(self, "gamma", array, opts.stream, d, c, power, scale)
  end)
end

local INTEGER_OPTIONS = { "dtype", "out", "stream", "device" }

-- The largest value of an integer dtype that a double holds, at most 2^63 - 1024.
local function most_of(dtype)
  local most = dtypes.max(dtype)
  return dtypes.of(dtype).size == 8 and 0x1p63 - 1024 or most + 0.0
end

local LARGE = 10               -- means from which rejection is used
local MOST_MEAN = 0x1p62

-- g:poisson(mean, shape, { dtype = "int64", out =, stream =, device = })
function methods:poisson(mean, shape, opts)
  opts = parts.options("poisson", 3, opts, INTEGER_OPTIONS)
  mean = positive("poisson", "argument 1 'mean'", mean)
  if mean > MOST_MEAN then
    fail("poisson", "argument 1 'mean': expected at most 2^62, got %s", mean)
  end
  local out = target("poisson", 2, shape, opts, "int64", parts.INTEGERS)
  local most = most_of(out.dtype)
  return into(out, opts.stream, function(array)
    if mean < LARGE then
      return fill(self, "poisson_small", array, opts.stream, mean, math.exp(-mean), most)
    end
    local b = 0.931 + 2.53 * math.sqrt(mean)
    fill(self, "poisson_large", array, opts.stream, mean, math.log(mean), 0.02483 * b - 0.059, b,
      0.9277 - 3.6224 / (b - 2), math.log(1.1239 + 1.1328 / (b - 3.4)), most)
  end)
end

-- log(x!) by Stirling's series, for x of 5 or more.
local function log_factorial(x)
  if x < 5 then
    local y = 1
    for i = 2, x do y = y * i end
    return math.log(y)
  end
  local z = x + 1
  return (z - 0.5) * math.log(z) - z + 0.5 * math.log(2 * math.pi)
    + (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / (z * z)) / (z * z)) / (z * z)) / z
end

-- The numbers of BTRS for n trials of probability p <= 1/2.
local function rejection(n, p)
  local q = 1 - p
  local deviation, mode = math.sqrt(n * p * q), math.floor((n + 1) * p)
  local b = 1.15 + 2.53 * deviation
  local a = -0.0873 + 0.0248 * b + 0.01 * p
  return n * p + 0.5, a, b, 0.92 - 4.2 / b, (2.83 + 5.1 / b) * deviation,
    log_factorial(mode) + log_factorial(n - mode), mode + 0.0, math.log(p / q)
end

-- g:binomial(n, p, shape, { dtype = "int64", out =, stream =, device = })
function methods:binomial(n, p, shape, opts)
  opts = parts.options("binomial", 4, opts, INTEGER_OPTIONS)
  local trials = "argument 1 'n'"
  n = parts.integer("binomial", trials, n)
  p = positive("binomial", "argument 2 'p'", p)
  if n < 0 or n > 1 << 53 then fail("binomial", "%s: expected 0 to 2^53, got %d", trials, n) end
  if p > 1 then
    fail("binomial", "argument 2 'p': expected a probability, got %s", tostring(p))
  end
  local out = target("binomial", 3, shape, opts, "int64", parts.INTEGERS)
  check_fits("binomial", trials, n, out.dtype)
  local flip = p > 0.5
  if flip then p = 1 - p end
  return into(out, opts.stream, function(array)
    if n * p < LARGE then
      local none = p > 0 and math.exp(n * (p < 1e-4 and -p - p * p / 2 or math.log(1 - p))) or 1.0
      return fill(self, "binomial_small", array, opts.stream, n + 0.0, p / (1 - p), none, flip)
    end
    local center, a, b, vr, alpha, h, mode, log = rejection(n, p)
    fill(self, "binomial_large", array, opts.stream, n + 0.0, center, a, b, vr, alpha, h, mode, log,
      flip)
  end)
end

return methods

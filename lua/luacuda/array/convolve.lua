-- convolve.lua: convolve and correlate of sequences, by the sum of products.

local arguments = require "luacuda.base.arguments"
local either = require("luacuda.base.either").either
local dtypes = require "luacuda.base.dtypes"
local operands = require "luacuda.base.operands"
local elementwise = require("luacuda.builder.elementwise").elementwise
local prelude = require "luacuda.builder.prelude"
local own = require("luacuda.builder.reduction").own

local fail = arguments.fail

local function sequence(what, arg, name, given)
  local a = arguments.array(what, arg, name, given)
  if type(a.dtype) ~= "string" then
    fail(what, "argument %d '%s': expected numbers, got %s", arg, name, tostring(a.dtype))
  end
  if a.ndim > 1 then
    fail(what, "argument %d '%s': expected a sequence, got an array of %d axes", arg, name, a.ndim)
  end
  if a.size == 0 then fail(what, "argument %d '%s': it has no elements", arg, name) end
  return a
end

-- The first place of the full result, from 0, and the number of places.
local function window(what, label, mode, n, m)
  local long, short = math.max(n, m), math.min(n, m)
  if mode == "full" then return 0, n + m - 1 end
  if mode == "valid" then return short - 1, long - short + 1 end
  if mode ~= "same" then
    fail(what, "%s: expected 'full', 'same' or 'valid', got %s", label,
      type(mode) == "string" and "'" .. mode .. "'" or arguments.describe(mode))
  end
  local first = (short - 1) // 2
  -- correlate exchanges its arguments if the second one is longer, and turns the result around
  if what == "correlate" and n < m then first = n + m - 1 - first - long end
  return first, long
end

-- Kernels -----------------------------------------------------------------------------------------
-- Place p of the full result is the sum of u[p - k] * v[k]; correlate takes v from its end.

local function texts(what, v, out)
  local wide = dtypes.product_sum_of(out)
  local second = what == "convolve" and "v[k]" or "v[m - 1 - k]"
  local ctype = dtypes.of(wide).kind == "uint" and wide or prelude.cname(wide)
  second = ("(%s)%s"):format(ctype, second)
  if what == "correlate" and dtypes.of(v).kind == "complex" then
    second = ("conj(%s)"):format(second)
  end
  return wide, ctype, out == "bool" and "(bool)u[p - k] && (bool)" .. second
    or ("(%s)u[p - k] * %s"):format(ctype, second), out == "bool" and "||" or "+"
end

local kept = {}

-- A thread per place.
local function short_kernel(what, u, v, out)
  local _, ctype, product, plus = texts(what, v, out)
  return elementwise { name = "luacuda_" .. what, outputs = out .. " y",
    inputs = ("raw %s u, raw %s v, int64 first"):format(u, v), body = ([[
const long long N = u.size(), m = v.size(), p = first + i;
SUM a = SUM(0);
for (long long k = max(p - N + 1, 0ll), end = min(p, m - 1); k <= end; k++) a = a PLUS (PRODUCT);
y = a]]):gsub("%u%u+", { SUM = ctype, PLUS = plus, PRODUCT = product }) }
end

-- A reduction per place, where there are few places.
local function long_kernel(what, u, v, out)
  local wide, ctype, product, plus = texts(what, v, out)
  local map = ([[_lcu_product(u, v, first + (i - _j) / v.size(), _j)]])
  return own { name = what, outputs = out .. " y", post = "y = a", identity = 0,
    inputs = ("%s shape, raw %s u, raw %s v, int64 first"):format(v, u, v),
    map = map, reduce = "a " .. plus .. " b", reduce_type = wide,
    preamble = ([[
template <class A, class B> __device__ __forceinline__ SUM _lcu_product(const A &u, const B &v,
    long long p, long long k) {
  const long long m = v.size();
  return p - k < 0 || p - k >= u.size() ? SUM(0) : SUM(PRODUCT);
}
]]):gsub("%u%u+", { SUM = ctype, PRODUCT = product }) }
end

local FEW = 1024               -- places for which a thread each is too few

-- Writes the places from `first` on to y.
local function compute(what, u, v, y, first, stream)
  local few = y.size < FEW and v.size > y.size
  local key = ("%s %s %s %s %s"):format(what, u.dtype, v.dtype, y.dtype, few)
  kept[key] = kept[key] or (few and long_kernel or short_kernel)(what, u.dtype, v.dtype, y.dtype)
  if few then
    kept[key](v:broadcast_to { y.size, v.size }, u, v, first,
      { axis = 2, out = y, stream = stream })
  else
    kept[key](u, v, first, y, { stream = stream })
  end
end

-- Functions ---------------------------------------------------------------------------------------

local OPTIONS = { "out", "mode", "stream" }

-- cuda.convolve(a, v [, mode] [, options]), cuda.correlate(a, v [, mode] [, options])
local function method(what, default)
  return function(a, v, mode, options)
    a, v = sequence(what, 1, "a", a), sequence(what, 2, "v", v)
    if a.device ~= v.device then
      arguments.apart(what, "argument 1 'a' is", a.device, "argument 2 'v'", v.device)
    end
    local label
    mode, options, label = either(what, "argument 3 'mode'", "mode", mode, options)
    local opts = arguments.options(what, options, OPTIONS)
    local first, n = window(what, label, mode == nil and default or mode, a.size, v.size)
    local out = operands.result(what, opts, { n }, dtypes.promote(a.dtype, v.dtype), a)
    local stream = { stream = opts.stream }
    local u, w = a:contiguous(stream), v:contiguous(stream)
    operands.into(out, { u, w }, opts.stream, function(y)
      compute(what, u, w, y, first, opts.stream)
    end)
    return out
  end
end

return { convolve = method("convolve", "full"), correlate = method("correlate", "valid") }

-- softmax.lua: softmax, log_softmax and logsumexp. The greatest element and the sum of exponentials
-- relative to it come from one pass (Milakov and Gimelshein, "Online normalizer calculation for
-- softmax", 2018), so nothing overflows; a second pass makes the elements of the result. Rows that
-- fit in registers take a single pass (softmax_rows.lua).

local core = require "luacuda.core"
local axes_of = require("luacuda.array.axes").axes
local single_pass = require("luacuda.array.softmax_rows").plan
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local operands = require "luacuda.base.operands"
local plans = require "luacuda.base.plans"
local elementwise = require("luacuda.builder.elementwise").elementwise
local prelude = require "luacuda.builder.prelude"
local own = require("luacuda.builder.reduction").own

-- Types -------------------------------------------------------------------------------------------

-- The dtype of the result, and the dtype of the computation.
local function types_of(what, a)
  local row = type(a.dtype) == "string" and dtypes.of(a.dtype)
  if not row or row.kind == "complex" then
    arguments.fail(what, "argument 1 'a': expected real numbers, got %s", tostring(a.dtype))
  end
  local out = row.kind == "float" and row.name or "float64"
  return out, row.narrow and "float32" or out
end

-- The reduction -----------------------------------------------------------------------------------

-- The greatest element (NaN if there is one), and the sum of exp(x - greatest). Equal values are
-- joined without a difference, which would be NaN for infinities.
local STATE = [[
struct _lcu_exponentials {
  REAL most, sum;
};
__device__ __forceinline__ _lcu_exponentials _lcu_nothing() {
  _lcu_exponentials a;
  a.most = -__int_as_float(0x7f800000), a.sum = 0;
  return a;
}
__device__ __forceinline__ _lcu_exponentials _lcu_joined(const _lcu_exponentials &a,
    const _lcu_exponentials &b) {
  const bool swap = b.most > a.most || b.most != b.most;
  const _lcu_exponentials high = swap ? b : a, low = swap ? a : b;
  _lcu_exponentials y = high;
  y.sum += high.most == low.most ? low.sum : low.sum * exp(low.most - high.most);
  return y;
}
]]

-- A few values: their greatest first, so each takes one exponential. Without an infinity in the
-- difference, a sum of nothing else is 0 or infinite.
local FOLD = [[
template <int N>
__device__ __forceinline__ _lcu_exponentials _lcu_fold(const _lcu_exponentials &a,
    const REAL (&v)[N]) {
  _lcu_exponentials y;
  y.most = a.most, y.sum = 0;
  #pragma unroll
  for (int i = 0; i < N; i++) y.most = v[i] > y.most || v[i] != v[i] ? v[i] : y.most;
  const REAL base = isinf(y.most) ? (REAL)0 : y.most;
  #pragma unroll
  for (int i = 0; i < N; i++) y.sum += exp(v[i] - base);
  y.sum += a.most == y.most ? a.sum : a.sum * exp(a.most - base);
  return y;
}
]]

-- what the reduction stores -> outputs and expressions
local POSTS = {
  logsumexp = { outputs = "OUT y", post = "y = a.most + log(a.sum)" },
  -- a softmax with infinity is NaN
  softmax = { outputs = "WIDE most, WIDE sum",
    post = "most = a.most; sum = isinf(a.most) ? a.most - a.most : a.sum" },
  log_softmax = { outputs = "WIDE most, WIDE sum",
    post = "most = a.most; sum = isinf(a.most) ? 0 : log(a.sum)" },
}

local kept = {}

local function reduction(what, dtype, out, wide)
  local key = what .. " " .. dtype
  if not kept[key] then
    local post = POSTS[what]
    kept[key] = own { name = what, inputs = dtype .. " x",
      outputs = post.outputs:gsub("%u%u+", { OUT = out, WIDE = wide }), map = "x",
      reduce = "_lcu_joined(a, b)", post = post.post, identity = "_lcu_nothing()",
      preamble = STATE:gsub("REAL", prelude.cname(wide)), reduce_type = "_lcu_exponentials",
      bytes = 2 * dtypes.of(wide).size,
      fold = { item = prelude.cname(wide), text = FOLD:gsub("REAL", prelude.cname(wide)) } }
  end
  return kept[key]
end

-- The functions -----------------------------------------------------------------------------------

local LOG_OPTIONS, OPTIONS = { "axis", "keepdims", "out", "stream" }, { "axis", "out", "stream" }

-- cuda.logsumexp(a [, options]), a:logsumexp([options])
local function logsumexp(a, options)
  a = arguments.array("logsumexp", 1, "a", a)
  local opts = arguments.options("logsumexp", options, LOG_OPTIONS)
  local out, wide = types_of("logsumexp", a)
  arguments.boolean("logsumexp", opts, "keepdims")
  local y = reduction("logsumexp", a.dtype, out, wide)(a, opts)
  if opts.axis ~= nil or opts.out ~= nil or opts.keepdims then return y end
  local value = y:item()
  y:free()
  return value
end

local BODIES = {
  softmax = "y = exp((WIDE)x - most) / sum",
  log_softmax = "y = ((WIDE)x - most) - sum",
}

local function normalizer(what, dtype, out, wide)
  local key = what .. " second " .. dtype
  kept[key] = kept[key] or elementwise { name = "luacuda_" .. what,
    inputs = ("%s x, %s most, %s sum"):format(dtype, wide, wide), outputs = out .. " y",
    body = BODIES[what]:gsub("WIDE", prelude.cname(wide)) }
  return kept[key]
end

-- Two passes.
local function by_reduction(what, a, y, opts, out, wide)
  local stream = opts.stream
  local most, sum = reduction(what, a.dtype, out, wide)(a,
    { axis = opts.axis, keepdims = true, stream = stream })
  normalizer(what, a.dtype, out, wide)(a, most, sum, y, { stream = stream })
  most:free()
  sum:free()
end

local function normalized(what)
  local known = plans.new() -- of calls in one pass that make the result
  return function(a, options)
    a = arguments.array(what, 1, "a", a)
    local opts = arguments.options(what, options, OPTIONS)
    local key = opts.out == nil and core.call_key(a, opts.axis)
    local found = known:again(key, a, opts.stream)
    if found then return found end
    local out, wide = types_of(what, a)
    local y = operands.result(what, opts, a, out, a)
    local axes = opts.axis ~= nil and axes_of(what, "option 'axis'", opts.axis, a.ndim) or nil
    local plan = single_pass(what, a, y, axes, wide, opts.out ~= nil)
    if plan then
      known:keep(key, plan)
      plans.launch(plan, a, y, opts.stream)
    else by_reduction(what, a, y, opts, out, wide) end
    return y
  end
end

return { softmax = normalized "softmax", log_softmax = normalized "log_softmax",
  logsumexp = logsumexp }

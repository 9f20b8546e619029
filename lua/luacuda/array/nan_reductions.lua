-- nan_reductions.lua: reductions that leave out NaN: nansum, nanprod, nanmin, nanmax, nanmean,
-- nanvar, nanstd, nanargmin and nanargmax. Their declarations are those of the plain reductions
-- with another map; integers take the plain ones.

local moments = require "luacuda.array.moments_source"
local reductions = require "luacuda.array.reductions"
local plain = require "luacuda.array.reductions_source"
local fail = require("luacuda.base.arguments").fail
local dtypes = require "luacuda.base.dtypes"
local prelude = require "luacuda.builder.prelude"

local function has_nan(dtype)
  local kind = dtypes.of(dtype).kind
  return kind == "float" or kind == "complex"
end

-- The C++ type in which elements are compared.
local function ctype_of(dtype)
  return prelude.cname(dtypes.sum_of(dtype))
end

-- A map that gives `other` for NaN.
local function unless_nan(dtype, value, other)
  local ctype = ctype_of(dtype)
  return ("(%s)x != (%s)x ? %s : %s"):format(ctype, ctype, other, value)
end

-- The declaration of the plain reduction `name`, changed by `change` for dtypes that have NaN.
local function derived(name, change)
  return function(what, dtype, ...)
    local given = plain[name](what, dtype, ...)
    if has_nan(dtype) then change(given, dtype) end
    return given
  end
end

-- Sums and products -------------------------------------------------------------------------------

local function add_up(name)
  return derived(name, function(given, dtype)
    local ctype = prelude.cname(given.reduce_type)
    given.map = unless_nan(dtype, ("(%s)(x)"):format(ctype), ("(%s)(%d)"):format(ctype,
      given.identity))
  end)
end

-- Means and variances: the sum and the number of its terms ----------------------------------------

local PART = [[
struct _lcu_part { VALUE sum; long long count; };
__device__ __forceinline__ _lcu_part _lcu_make(VALUE sum, long long count) {
  _lcu_part a;
  a.sum = sum, a.count = count;
  return a;
}
]]

-- Values that a thread loads together are summed, pairs first, before they are added to the sum so
-- far: in the same order as in reductions_source.lua.
local PART_FOLD = [[
template <int N>
__device__ __forceinline__ _lcu_part _lcu_fold(const _lcu_part &a, const VALUE (&v)[N]) {
  VALUE t[N];
  int count = 0;
  #pragma unroll
  for (int i = 0; i < N; i++) {
    const bool counts = v[i] == v[i];
    t[i] = counts ? v[i] : (VALUE)0;
    count += counts;
  }
  #pragma unroll
  for (int d = 1; d < N; d *= 2) {
    #pragma unroll
    for (int i = 0; i + d < N; i += 2 * d) t[i] = t[i] + t[i + d];
  }
  return _lcu_make(a.sum + t[0], a.count + count);
}
]]

-- Changes a declaration that sums to one that also counts the elements that are no NaN. `post` sees
-- both, and REAL, the type of a divisor.
local function counted(given, post)
  local wide = given.reduce_type
  local ctype, real = prelude.cname(wide), prelude.cname(dtypes.part_of(wide))
  given.preamble = PART:gsub("VALUE", ctype)
  given.fold = { item = ctype, text = PART_FOLD:gsub("VALUE", ctype) }
  given.reduce = "_lcu_make(a.sum + b.sum, a.count + b.count)"
  given.post = post:gsub("REAL", real)
  given.identity = ("_lcu_make((%s)(0), 0)"):format(ctype)
  given.reduce_type = "_lcu_part"
  given.bytes = 2 * math.max(dtypes.of(wide).size, 8) -- aligned for the wider of the two
end

local function mean(name)
  return derived(name, function(given)
    given.map = ("(%s)(x)"):format(prelude.cname(given.reduce_type))
    counted(given, "y = a.sum / (REAL)a.count")
  end)
end

-- Extremes ----------------------------------------------------------------------------------------

-- `b` is taken where it is before `a`, or where `a` is NaN, as fmin and fmax do. A NaN starts, so
-- it stays only where there is nothing else.
local COMPLEX_PICK = [[
template <class T> __device__ __forceinline__ bool _lcu_precedes(const T a, const T b) {
  return a.real() OP b.real() || (a.real() == b.real() && a.imag() OP b.imag());
}
]]

local JOIN = { float = "fNAME(a, b)",
  complex = "a != a || (b == b && _lcu_precedes(b, a)) ? b : a" }

local function extreme(name, op)
  return derived(name, function(given, dtype)
    local kind = dtypes.of(dtype).kind
    local complex = kind == "complex"
    given.preamble = complex and COMPLEX_PICK:gsub("OP", op) or ""
    given.reduce, given.fold = JOIN[kind]:gsub("NAME", name), nil
    local nan = "__int_as_float(0x7fc00000)"
    given.neutral = ("%s(%s)"):format(ctype_of(dtype), complex and nan .. ", " .. nan or nan)
  end)
end

-- NaN gets the neutral value, whose index is larger than any other; 0 is the index of nothing.
local function position(name)
  return derived(name, function(given, dtype)
    local last = given.neutral:match "(%w+)%)$"
    given.map, given.seek = unless_nan(dtype, given.map, given.neutral), nil
    given.post = ("y = a.index == %s ? 0 : (long long)a.index + 1"):format(last)
  end)
end

-- Over all axes the call waits, so that it can tell.
local function found(what, run)
  return function(a, options)
    local index = run(a, options)
    if index == 0 then fail(what, "all elements are NaN") end
    return index
  end
end

local make, make_spread = reductions.method, reductions.spread_method

return {
  nansum = make("nansum", add_up "sum", true),
  nanprod = make("nanprod", add_up "prod", true),
  nanmean = make("nanmean", mean "mean", true),
  nanvar = make_spread("nanvar", moments.nanvar),
  nanstd = make_spread("nanstd", moments.nanstd),
  nanmin = make("nanmin", extreme("min", "<")),
  nanmax = make("nanmax", extreme("max", ">")),
  nanargmin = found("nanargmin", make("nanargmin", position "argmin", false, true)),
  nanargmax = found("nanargmax", make("nanargmax", position "argmax", false, true)),
}

-- searching.lua: searchsorted and digitize: places in sorted arrays, by binary search, one element
-- a thread.

local core = require "luacuda.core"
local values = require "luacuda.array.values"
local arguments = require "luacuda.base.arguments"
local either = require("luacuda.base.either").either
local dtypes = require "luacuda.base.dtypes"
local elementwise = require("luacuda.builder.elementwise").elementwise
local prelude = require "luacuda.builder.prelude"

local fail = arguments.fail

-- CUDA text ---------------------------------------------------------------------------------------

-- The order of sorted arrays: NaN comes last; complex numbers are ordered by the parts that are
-- NaN, then by their real and imaginary parts.
local LESS = {
  int = "return x < y;",
  float = "return x < y || (y != y && x == x);",
  complex = [[
  const int p = 2 * isnan(x.real()) + isnan(x.imag()), q = 2 * isnan(y.real()) + isnan(y.imag());
  if (p != q) return p < q;
  if (p < 2 && x.real() != y.real()) return x.real() < y.real();
  return !(p & 1) && x.imag() < y.imag();]],
}
LESS.bool, LESS.uint = LESS.int, LESS.int

-- Elements before `v` in an array of n that AT gives: those less than v (side "left"), or not
-- greater.
local SEARCH = [[
long long low = 0, high = AT_SIZE;
while (low < high) {
  const long long k = low + ((high - low) >> 1);
  if (TEST) low = k + 1;
  else high = k;
}
]]
local TESTS = { left = "_lcu_less(C(AT), w)", right = "!_lcu_less(w, C(AT))" }

-- The dtype in which both are compared, and that of a Lua number.
local OWN = { int = "int64", float = "float64", complex = "complex128" }

local function types_of(a, kind)
  local own = OWN[kind] or kind:match "[^=]+"
  return own, dtypes.promote(a, own)
end

-- Integer dtypes whose common dtype is float64, which cannot hold all of their values.
local function are_integers(a, own)
  local x, y = dtypes.of(a).kind, dtypes.of(own).kind
  return (x == "int" or x == "uint") and (y == "int" or y == "uint")
    and dtypes.promote(a, own) == "float64"
end

local LESS_INTEGER = require("luacuda.array.ufunc_source")._lcu_is_negative
  .. require("luacuda.array.operators_source")._lcu_lt_int .. [[
template <class X, class Y> __device__ __forceinline__ bool _lcu_less(const X x, const Y y) {
  return _lcu_lt_int(x, y);
}
]]

-- A name for the type, because `unsigned int(x)` is not an expression.
local function head(a, own, common)
  if are_integers(a, own) then return LESS_INTEGER end
  local calc = dtypes.sum_of(common)
  return ("typedef %s _lcu_calc;\n__device__ __forceinline__ bool _lcu_less(const _lcu_calc x, "
    .. "const _lcu_calc y) {\n%s\n}\n"):format(prelude.cname(calc), LESS[dtypes.of(calc).kind])
end

-- C++ text that converts an element; `other`: the dtype that it is compared with.
local function converted(text, from, other, common)
  if are_integers(from, other) then return text end
  local calc = dtypes.sum_of(common)
  if dtypes.of(calc).kind == "complex" and dtypes.of(from).kind ~= "complex" then
    return ("_lcu_calc((%s)%s)"):format(prelude.cname(dtypes.part_of(calc)), text)
  end
  return ("_lcu_calc(%s)"):format(text)
end

local function search_text(side, element, a, own, common, size)
  local at = converted(element, a, own, common)
  return ("const auto w = %s;\n"):format(converted("v", own, a, common))
    .. SEARCH:gsub("TEST", (TESTS[side]:gsub("C%(AT%)", (at:gsub("%%", "%%%%")))))
    :gsub("AT_SIZE", size)
end

-- Kernels -----------------------------------------------------------------------------------------

local kept = {}

local function search_kernel(a, kind, side, sorted)
  local key = ("%s %s %s %s"):format(a, kind, side, sorted)
  if not kept[key] then
    local own, common = types_of(a, kind)
    local element = sorted and "a[_lcu_place(order[k], a.size())]" or "a[k]"
    kept[key] = elementwise { inputs = ("%s v, raw %s a"):format(own, a)
      .. (sorted and ", raw int64 order" or ""), outputs = "int64 place", name = "searchsorted",
      preamble = head(a, own, common) .. [[
__device__ __forceinline__ long long _lcu_place(const long long k, const long long n) {
  const long long at = k < 0 ? k + n : k - 1;
  return at < 0 ? 0 : at >= n ? n - 1 : at;
}
]], body = search_text(side, element, a, own, common, "a.size()") .. "place = low + 1;" }
  end
  return kept[key]
end

-- Bins that descend are searched from the end.
local function digitize_kernel(bins, kind, side)
  local key = ("%s %s %s bins"):format(bins, kind, side)
  if not kept[key] then
    local own, common = types_of(bins, kind)
    kept[key] = elementwise { inputs = ("%s v, raw %s bins"):format(own, bins),
      outputs = "int64 place", name = "digitize", preamble = head(bins, own, common),
      body = "const long long count = bins.size();\n"
        .. ("const bool down = count > 1 && _lcu_less(%s, %s);\n"):format(
          converted("bins[count - 1]", bins, own, common), converted("bins[0]", bins, own, common))
        .. search_text(side, "bins[down ? count - 1 - k : k]", bins, own, common, "count")
        .. "place = (down ? count - low : low) + 1;" }
  end
  return kept[key]
end

-- Calls -------------------------------------------------------------------------------------------

-- Runs a kernel for `v` against `a`: an array, or for one number its place.
local function place(run, device, v, a, order, opts)
  local single = core.type(v) ~= "array"
  local out = opts.out
  if single and out == nil then
    out = core.empty({}, "int64", { device = device, stream = opts.stream })
  end
  local passed = { out = out, stream = opts.stream }
  local result = order and run(v, a, order, passed) or not order and run(v, a, passed)
  if single and opts.out == nil then return values.answer(result) end
  return result
end

local function sorter_of(opts, a)
  local order = opts.sorter
  if order == nil then return nil end
  local what = "searchsorted"
  order = core.foreign(order) or order
  if arguments.open_type(order) ~= "array" then
    fail(what, "option 'sorter': expected an Array, got %s", arguments.describe(order))
  end
  local row = dtypes.of(order.dtype)
  if not row or (row.kind ~= "int" and row.kind ~= "uint") or order.ndim ~= 1
    or order.size ~= a.size then
    fail(what, "option 'sorter': expected %d integers on one axis, got %s of %d axes and %d "
      .. "elements", a.size, tostring(order.dtype), order.ndim, order.size)
  end
  return order.dtype == "int64" and order or order:astype("int64", { stream = opts.stream })
end

local SEARCH_OPTIONS = { "sorter", "side", "out", "stream" }

-- cuda.searchsorted(a, v [, side] [, options]), a:searchsorted(v [, side] [, options])
local function searchsorted(sorted, wanted, side, options)
  local what = "searchsorted"
  local a, dtype = values.line(what, "argument 1 'a'", (values.array(what, 1, "a", sorted)))
  local v, kind = values.operand(what, 2, "v", wanted)
  local label
  side, options, label = either(what, "argument 3 'side'", "side", side, options)
  local opts = arguments.options(what, options, SEARCH_OPTIONS)
  if side == nil then side = "left" end
  if not TESTS[side] then
    fail(what, "%s: expected 'left' or 'right', got %s", label, type(side) == "string"
      and "'" .. side .. "'" or arguments.describe(side))
  end
  local order = sorter_of(opts, a)
  return place(search_kernel(dtype, kind, side, order ~= nil), a.device, v, a, order, opts)
end

-- The order of edges, in which NaN comes last.
local function is_less(a, b) return a < b or b ~= b and a == a end

-- Edges in a table, which must ascend or descend.
local function check_order(list)
  local up, down = false, false
  for i = 2, #list do
    local before, after = list[i - 1], list[i]
    up, down = up or is_less(before, after), down or is_less(after, before)
    if up and down then
      fail("digitize", "argument 2 'bins': the edges neither ascend nor descend: %g is followed "
        .. "by %g", before, after)
    end
  end
end

local DIGITIZE_OPTIONS = { "right", "out", "stream" }

-- cuda.digitize(x, bins [, options])
local function digitize(given, edges, options)
  local what = "digitize"
  local x, kind = values.operand(what, 1, "x", given)
  local opts = arguments.options(what, options, DIGITIZE_OPTIONS)
  local bins, dtype, made = values.list(what, "argument 2 'bins'", edges,
    core.type(x) == "array" and x.device, nil, opts.stream)
  if made then check_order(edges) end
  local _, common = types_of(dtype, kind)
  if dtypes.of(common).kind == "complex" then fail(what, "complex numbers have no bins") end
  local side = arguments.boolean(what, opts, "right") and "left" or "right"
  return place(digitize_kernel(dtype, kind, side), bins.device, x, bins, nil, opts)
end

return { searchsorted = searchsorted, digitize = digitize }

-- close.lua: isclose and allclose, which compare with a tolerance, array_equal, and nan_to_num.
-- Kernels are made at the first use for a pair of dtypes.

require "luacuda.array.operators"               -- its helpers compare integers of all types
local ufunc = require "luacuda.array.ufunc"
local values = require "luacuda.array.values"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local lists = require "luacuda.base.lists"
local elementwise = require("luacuda.builder.elementwise").elementwise
local prelude = require "luacuda.builder.prelude"
local own = require("luacuda.builder.reduction").own

local fail, traced_by = arguments.fail, arguments.traced_by
local operand, number_option, answer = values.operand, values.number_option, values.answer

local RTOL, ATOL = 1e-5, 1e-8

-- isclose and allclose ----------------------------------------------------------------------------

-- NumPy's test: |x - y| <= atol + rtol |y| for a finite y, or x == y. Y is a float or complex type,
-- S that of the tolerance, C that of the difference, R that of its absolute value.
local TEST = [[
__device__ __forceinline__ bool _lcu_close(const C x, const Y y, const double rtol,
    const double atol, const bool equal_nan) {
  const C z = C(y);
  if (x == z) return true;
  if (!isfinite(y)) return equal_nan && isnan(x) && isnan(y);
  return R(_lcu_size(x - z)) <= R(S(atol) + S(rtol) * S(_lcu_size(y)));
}
]]
local SIZE = [[
__device__ __forceinline__ float _lcu_size(const float v) { return fabs(v); }
__device__ __forceinline__ double _lcu_size(const double v) { return fabs(v); }
]]
local COMPLEX_SIZE = [[
template <class T> __device__ __forceinline__ T _lcu_size(const complex<T> v) { return abs(v); }
]]

-- The dtype that a Lua value of that kind takes when combined with `other`.
local function strong(kind, other)
  return kind:match "^=(.*)" or dtypes.of(kind) and kind or dtypes.result { other, kind }
end

-- The dtypes of a comparison: those of the parameters, of y and of the difference.
local function close_types(x, y)
  local weak = not dtypes.of(y:match "[^=]+")
  local as_float = weak and (y == "complex" and "complex128" or "float64")
    or dtypes.of(y:match "[^=]+").kind:find "^[fc]" and y:match "[^=]+" or "float64"
  local common = dtypes.result { x, weak and (y == "complex" and y or "float") or as_float }
  return { x = strong(x, common), y = weak and as_float or y:match "[^=]+", float = as_float,
    common = common }
end

-- The device functions of a comparison.
local function test_texts(types)
  local y, c = dtypes.sum_of(types.float), dtypes.sum_of(types.common)
  local function real(dtype) return prelude.cname(dtypes.part_of(dtype)) end
  local test = TEST:gsub("%f[%w_][CYSR]%f[^%w_]", { C = prelude.cname(c), Y = prelude.cname(y),
    S = real(y), R = real(c) })
  if (y .. c):find "complex" then return { SIZE, COMPLEX_SIZE, test } end
  return { SIZE, test }
end

-- The C++ text that converts a parameter.
local function cast(name, from, to)
  local row = dtypes.of(to)
  if row.kind == "complex" and dtypes.of(from).kind ~= "complex" then
    return ("%s(%s(%s))"):format(prelude.cname(to), prelude.cname(dtypes.part_of(to)), name)
  end
  return ("%s(%s)"):format(prelude.cname(to), name)
end

local function close_text(types)
  return ("_lcu_close(%s, %s, rtol, atol, equal_nan)"):format(
    cast("x", types.x, dtypes.sum_of(types.common)), cast("y", types.y, dtypes.sum_of(types.float)))
end

local SETTINGS = ", float64 rtol, float64 atol, bool equal_nan"

local function close_declaration(types)
  return { inputs = ("%s x, %s y"):format(types.x, types.y) .. SETTINGS,
    preamble = table.concat(test_texts(types)), flags = ufunc.OPTIONS.flags }
end

local kept = { isclose = {}, allclose = {}, array_equal = {}, nan_to_num = {} }

-- The kernel of a name for a key, made by `make` at its first use.
local function find(name, key, make, ...)
  local found = kept[name][key]
  if not found then
    found = make(...)
    kept[name][key] = found
  end
  return found
end

local function isclose_kernel(types)
  local given = close_declaration(types)
  given.outputs, given.body, given.name = "bool out", "out = " .. close_text(types) .. ";",
    "isclose"
  return elementwise(given)
end

local function allclose_kernel(types)
  local given = close_declaration(types)
  given.outputs, given.map, given.reduce, given.post = "bool z", close_text(types), "a && b",
    "z = a"
  given.identity, given.reduce_type, given.name = true, "bool", "allclose"
  return own(given)
end

-- Reads a call and runs its kernel; returns the result.
local function compare(what, make, a, b, given, known)
  local x, y, x_kind, y_kind
  x, x_kind = operand(what, 1, "a", a)
  y, y_kind = operand(what, 2, "b", b)
  local opts = arguments.options(what, given, known)
  local rtol = number_option(what, opts, "rtol", RTOL)
  local atol = number_option(what, opts, "atol", ATOL)
  local equal_nan = arguments.boolean(what, opts, "equal_nan") or false
  local run = find(what, x_kind .. " " .. y_kind,
    function() return make(close_types(x_kind, y_kind)) end)
  return run(x, y, rtol, atol, equal_nan, { out = opts.out, stream = opts.stream })
end

-- In a fused function ---------------------------------------------------------------------------

-- A row that traced.lua applies.
local FUSED = { name = "isclose", params = { "a", "b", "rtol", "atol", "equal_nan" } }

function FUSED.resolve(_, kinds)
  for i = 3, 4 do
    if kinds[i] ~= "int" and kinds[i] ~= "float" then
      fail("isclose", "option '%s': expected a number, got %s", FUSED.params[i],
        kinds[i]:match "%w+")
    end
  end
  local types = close_types(kinds[1], kinds[2])
  table.move({ types.x, types.y, "float64", "float64", "bool", "bool" }, 1, 6, 1, types)
  return types
end

function FUSED.functions(_, types)
  local shorts, texts = {}, test_texts(types)
  for i, name in ipairs { types.x, types.y, types.float, types.common } do
    shorts[i] = dtypes.of(name).short
  end
  local name = "_lcu_isclose_" .. table.concat(shorts, "_")
  texts[#texts + 1] = ("__device__ __forceinline__ bool %s(%s x, %s y, double rtol, double atol, "
    .. "bool equal_nan) {\n  return %s;\n}\n"):format(name, types.x, types.y, close_text(types))
  return name, texts
end

local CLOSE_OPTIONS = { "rtol", "atol", "equal_nan", "out", "stream" }

local function traced_isclose(traced, a, b, options)
  local opts = arguments.options("isclose", options, CLOSE_OPTIONS)
  if opts.out ~= nil or opts.stream ~= nil then
    fail("isclose", "options 'out' and 'stream' are not possible inside a fused function: give "
      .. "them to the fused function itself")
  end
  local equal_nan = arguments.boolean("isclose", opts, "equal_nan") or false
  local function tolerance(name, default)
    return traced_by(opts[name]) and opts[name] or number_option("isclose", opts, name, default)
  end
  return traced({ row = FUSED }, a, b, tolerance("rtol", RTOL), tolerance("atol", ATOL), equal_nan)
end

-- isclose and allclose of arrays ------------------------------------------------------------------

local ALL_OPTIONS = { "rtol", "atol", "equal_nan", "stream" }

-- cuda.isclose(a, b [, options]), a:isclose(b [, options])
local function isclose(a, b, options)
  local traced = traced_by(a) or traced_by(b)
  if traced then return traced_isclose(traced, a, b, options) end
  return compare("isclose", isclose_kernel, a, b, options, CLOSE_OPTIONS)
end

-- cuda.allclose(a, b [, options]), a:allclose(b [, options]) -> boolean
local function allclose(a, b, options)
  if traced_by(a) or traced_by(b) then
    fail("allclose", "cannot be fused: return cuda.isclose(a, b):all() as a result")
  end
  return answer(compare("allclose", allclose_kernel, a, b, options, ALL_OPTIONS))
end

-- array_equal -------------------------------------------------------------------------------------

local EQUAL = { name = "array_equal", key = "array_equal", params = { "x", "y" },
  result = "compare", int = "_lcu_eq_int(x, y)", float = "a == b", complex = "a == b",
  mixed = "_lcu_order(x, y) == 0" }
local EQUAL_NAN = { name = "array_equal", key = "array_equal_nan", params = { "x", "y" },
  result = "compare", int = "_lcu_eq_int(x, y)", float = "a == b || (isnan(a) && isnan(b))",
  complex = "a == b || (isnan(a) && isnan(b))", mixed = "_lcu_order(x, y) == 0" }

local function equal_kernel(row, x, y)
  local name, texts = ufunc.functions(row, ufunc.resolve(row, { x, y }))
  return own { inputs = ("%s x, %s y"):format(x, y), outputs = "bool z",
    map = ("%s(x, y)"):format(name), reduce = "a && b", post = "z = a", identity = true,
    reduce_type = "bool", preamble = table.concat(texts), name = "array_equal" }
end

-- cuda.array_equal(a, b [, options]) -> boolean
local function array_equal(a, b, options)
  local what = "array_equal"
  local x, y
  a, x = values.array(what, 1, "a", a)
  b, y = values.array(what, 2, "b", b)
  local opts = arguments.options(what, options, { "equal_nan", "stream" })
  local row = arguments.boolean(what, opts, "equal_nan") and EQUAL_NAN or EQUAL
  if not lists.same(a.shape, b.shape) then return false end
  local run = find(what, ("%s %s %s"):format(row.key, x, y), equal_kernel, row, x, y)
  return answer(run(a, b, { stream = opts.stream }))
end

-- nan_to_num --------------------------------------------------------------------------------------

local REPLACE = [[
__device__ __forceinline__ WIDE _lcu_number(const WIDE v, const double nan, const double posinf,
    const double neginf) {
  return WIDE(isnan(v) ? nan : isinf(v) ? (v > WIDE(0) ? posinf : neginf) : v);
}
]]

local function number_kernel(dtype)
  local kind, settings = dtypes.of(dtype).kind, "nan, posinf, neginf)"
  local wide = prelude.cname(dtypes.sum_of(dtypes.part_of(dtype)))
  local body = "y = x;"
  if kind == "float" then body = ("y = _lcu_number((%s)x, %s;"):format(wide, settings) end
  if kind == "complex" then
    body = ("y = %s(_lcu_number(x.real(), %s, _lcu_number(x.imag(), %s);"):format(
      prelude.cname(dtype), settings, settings)
  end
  return elementwise { inputs = dtype .. " x, float64 nan, float64 posinf, float64 neginf",
    outputs = dtype .. " y", body = body, name = "nan_to_num",
    preamble = kind:find "^[fc]" and (REPLACE:gsub("WIDE", wide)) or nil }
end

local NUMBER_OPTIONS = { "nan", "posinf", "neginf", "out", "stream" }

-- cuda.nan_to_num(a [, options]), a:nan_to_num([options])
local function nan_to_num(a, options)
  local what = "nan_to_num"
  local x, dtype = values.array(what, 1, "a", a)
  local opts = arguments.options(what, options, NUMBER_OPTIONS)
  local part = dtypes.of(dtype).kind:find "^[fc]" and dtypes.part_of(dtype)
  local nan = number_option(what, opts, "nan", 0.0)
  local posinf = number_option(what, opts, "posinf", part and dtypes.max(part) or 0.0)
  local neginf = number_option(what, opts, "neginf", part and dtypes.min(part) or 0.0)
  local run = find(what, dtype, number_kernel, dtype)
  return run(x, nan, posinf, neginf, { out = opts.out, stream = opts.stream })
end

return { isclose = isclose, allclose = allclose, array_equal = array_equal,
  nan_to_num = nan_to_num }

-- sums.lua: sums of products as reductions: scalar products, matrices times vectors without cuBLAS,
-- and sums of products in parts. They run at the speed of memory, which tiles made for matrices do
-- not reach.

local dtypes = require "luacuda.base.dtypes"
local prelude = require "luacuda.builder.prelude"
local own = require("luacuda.builder.reduction").own

local function declaration(a, b, dtype, conjugate)
  local given = { inputs = a .. " x, " .. b .. " y", outputs = dtype .. " z", post = "z = a",
    name = "dot" }
  if dtype == "bool" then
    given.map, given.reduce, given.identity, given.reduce_type = "x && y", "a || b", false, "bool"
    return given
  end
  local wide = dtypes.product_sum_of(dtype)
  local ctype = prelude.cname(wide)
  local x = ("(%s)x"):format(ctype)
  if conjugate and dtypes.of(dtype).kind == "complex" then x = ("conj(%s)"):format(x) end
  given.map, given.reduce, given.identity, given.reduce_type = ("%s * (%s)y"):format(x, ctype),
    "a + b", 0, wide
  return given
end

local kept = {}

local function reduction(a, b, dtype, conjugate)
  local key = ("%s %s %s %s"):format(a, b, dtype, conjugate and "conj" or "")
  kept[key] = kept[key] or own(declaration(a, b, dtype, conjugate))
  return kept[key]
end

-- sum_of_products(x, y, dtype, options [, conjugate]) -> an Array of the dtype: the sum of x * y,
-- broadcast, over options.axis (default: all axes); takes options.out and options.stream.
-- conjugate: of conj(x) * y.
local function sum_of_products(x, y, dtype, options, conjugate)
  return reduction(x.dtype, y.dtype, dtype, conjugate)(x, y, options)
end

local parts = {}

-- sum_of_parts(x, out, stream): out = the sum over the first axis of x, whose dtype is
-- dtypes.product_sum_of(out.dtype).
local function sum_of_parts(x, out, stream)
  local dtype, bool = out.dtype, out.dtype == "bool"
  parts[dtype] = parts[dtype] or own{ inputs = x.dtype .. " x", outputs = dtype .. " z", map = "x",
    reduce = bool and "a || b" or "a + b", identity = not bool and 0, reduce_type = x.dtype,
    post = "z = a", name = "sum_of_parts" }
  parts[dtype](x, { axis = 1, out = out, stream = stream })
end

return { sum_of_products = sum_of_products, sum_of_parts = sum_of_parts }

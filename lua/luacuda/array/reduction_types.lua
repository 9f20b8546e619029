-- reduction_types.lua: the dtypes of the results of reductions, which are NumPy's, and those in
-- which they are computed.

local fail = require("luacuda.base.arguments").fail
local dtypes = require "luacuda.base.dtypes"

local function kind_of(dtype) return dtypes.of(dtype).kind end
local function bytes_of(dtype) return dtypes.of(dtype).size end
local function is_complex(dtype) return kind_of(dtype) == "complex" end

local function is_inexact(dtype)
  local kind = kind_of(dtype)
  return kind == "float" or kind == "complex"
end

-- Half types are accumulated in float32.
local function wide_of(dtype)
  return kind_of(dtype) == "float" and bytes_of(dtype) == 2 and "float32" or dtype
end

local SUM_OF = { bool = "int64", int = "int64", uint = "uint64" }
local MEAN_OF = { bool = "float64", int = "float64", uint = "float64" }

-- Option dtype; it may not drop the imaginary part.
local function result_of(what, dtype, asked, table_of_kinds)
  if asked == nil then return table_of_kinds[kind_of(dtype)] or dtype end
  local name = dtypes.normal(asked, what .. ": option 'dtype'")
  if is_complex(dtype) and not is_complex(name) then
    fail(what, "option 'dtype': %s loses the imaginary part of %s", name, dtype)
  end
  return name
end

local function sum_type(what, dtype, asked) return result_of(what, dtype, asked, SUM_OF) end

local function mean_type(what, dtype, asked)
  local out = result_of(what, dtype, asked, MEAN_OF)
  if not is_inexact(out) then
    fail(what, "option 'dtype': expected a float or complex type, got %s", out)
  end
  return out
end

return { kind_of = kind_of, bytes_of = bytes_of, is_complex = is_complex, has_nan = is_inexact,
  wide_of = wide_of, real_of = dtypes.part_of, sum_type = sum_type, mean_type = mean_type }

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

local function float_of(dtype) return is_inexact(dtype) and dtype or "float64" end

-- Option dtype; it may not drop the imaginary part.
local function result_of(what, dtype, asked, usual)
  if asked == nil then return usual(dtype) end
  local name = dtypes.normal(asked, what .. ": option 'dtype'")
  if is_complex(dtype) and not is_complex(name) then
    fail(what, "option 'dtype': %s loses the imaginary part of %s", name, dtype)
  end
  return name
end

local function sum_type(what, dtype, asked)
  return result_of(what, dtype, asked, dtypes.total_of)
end

local function mean_type(what, dtype, asked)
  local out = result_of(what, dtype, asked, float_of)
  if not is_inexact(out) then
    fail(what, "option 'dtype': expected a float or complex type, got %s", out)
  end
  return out
end

return { kind_of = kind_of, bytes_of = bytes_of, is_complex = is_complex, has_nan = is_inexact,
  real_of = dtypes.part_of, sum_type = sum_type, mean_type = mean_type }

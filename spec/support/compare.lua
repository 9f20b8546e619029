-- Comparison of numbers within the precision of a dtype, and of shapes with tables.
local M = {}

-- assert.same({ 2, 3 }, a.shape): luassert looks into tables only.
local same = require("luassert.namespaces").assertion.same
local compare = same.callback
function same.callback(state, arguments, level)
  for k = 1, 2 do
    if require("luacuda.core").type(arguments[k]) == "shape" then
      arguments[k] = { table.unpack(arguments[k]) }
    end
  end
  return compare(state, arguments, level)
end

-- Relative tolerance by dtype: a few units in the last place; 0 compares exactly.
local PRECISION = {
  float16 = 2e-3, bfloat16 = 1.6e-2, float32 = 1e-6, float64 = 1e-14, complex64 = 1e-6,
  complex128 = 1e-14,
}

local function number_close(a, b, rtol, atol)
  if a == b then return true end
  if a ~= a and b ~= b then return true end -- both NaN
  local size = math.max(math.abs(a), math.abs(b))
  if size == math.huge then return false end -- any difference is within a share of infinity
  if rtol == 0 and atol == 0 then return false end
  return math.abs(a - b) <= atol + rtol * size
end

local function is_complex(v)
  return type(v) ~= "number" and type(v) ~= "boolean" and type(v) ~= "string" and v.re ~= nil
end

local function value_close(a, b, rtol, atol)
  if type(a) == "number" and type(b) == "number" then return number_close(a, b, rtol, atol) end
  if type(a) == "boolean" or type(b) == "boolean" or a == nil or b == nil then return a == b end
  if is_complex(a) or is_complex(b) then
    local ar, ai = is_complex(a) and a.re or a, is_complex(a) and a.im or 0
    local br, bi = is_complex(b) and b.re or b, is_complex(b) and b.im or 0
    return number_close(ar, br, rtol, atol) and number_close(ai, bi, rtol, atol)
  end
  return a == b
end

function M.close(a, b, dtype)
  local rtol = PRECISION[dtype] or 0
  return value_close(a, b, rtol, rtol)
end

-- The path of the first difference between two nested tables, or nil.
local function first_difference(want, got, rtol, atol, path)
  if type(want) == "table" and not is_complex(want) then
    if type(got) ~= "table" then return path, want, got end
    if #want ~= #got then return path .. " (length)", #want, #got end
    for i = 1, #want do
      local at, w, g = first_difference(want[i], got[i], rtol, atol, path .. "[" .. i .. "]")
      if at then return at, w, g end
    end
    return nil
  end
  if not value_close(want, got, rtol, atol) then
    return path == "" and "value" or path, want, got
  end
end

function M.assert_close(want, got, opts)
  opts = opts or {}
  local precision = opts.dtype and (PRECISION[opts.dtype] or 0) or 1e-6
  local rtol, atol = opts.rtol or precision, opts.atol or precision
  if type(got) == "userdata" then got = got:totable() end
  local at, w, g = first_difference(want, got, rtol, atol, "")
  if at then
    error(("%s: expected %s, got %s (rtol %g, atol %g)"):format(at, tostring(w),
      tostring(g), rtol, atol), 2)
  end
end

return M

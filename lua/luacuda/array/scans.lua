-- scans.lua: cumulative sums, products, maxima and minima: methods of Array and functions of the
-- module.

local core = require "luacuda.core"
local ufunc_source = require "luacuda.array.ufunc_source"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local operands = require "luacuda.base.operands"
local plans = require "luacuda.base.plans"
local prelude = require "luacuda.builder.prelude"
local scan = require "luacuda.builder.scan"
local call = require "luacuda.builder.scan_call"

local function same(dtype) return dtype end

-- How the value so far (a) and an element (b) are joined: `join`, and `float` for floats. A NaN
-- stays.
local SUM = { name = "cumsum", join = "a + b", result = dtypes.total_of, complex = true,
  initial = 0 }
local PRODUCT = { name = "cumprod", join = "a * b", result = dtypes.total_of, complex = true,
  initial = 1 }
local MAXIMUM = { name = "cummax", join = "a > b ? a : b",
  float = "_lcu_maximum(a, b)", text = ufunc_source._lcu_maximum, result = same }
local MINIMUM = { name = "cummin", join = "a < b ? a : b",
  float = "_lcu_minimum(a, b)", text = ufunc_source._lcu_minimum, result = same }

local scans = {} -- row -> accumulator's dtype -> state of a scan

local function scan_of(row, dtype)
  local acc = dtypes.sum_of(dtype)
  scans[row] = scans[row] or {}
  local float = dtypes.of(acc).kind == "float"
  local state = scans[row][acc] or scan.new_state{ inputs = "T x", outputs = "R out",
    map = ("(%s)x"):format(prelude.cname(acc)), scan = float and row.float or row.join,
    preamble = float and row.text or nil, scan_type = acc, name = row.name }
  scans[row][acc] = state
  return state
end

-- Checks the array and the dtype of the result; returns that dtype.
local function result_dtype(row, array, options)
  local from = type(array.dtype) == "string" and dtypes.of(array.dtype)
  if not from then
    arguments.fail(row.name, "arrays of structs (%s) have no %s", array.dtype.name, row.name)
  end
  local dtype = options.dtype and dtypes.normal(options.dtype, row.name .. ": option 'dtype'")
    or row.result(from.name)
  local to = dtypes.of(dtype)
  if to.kind == "complex" and not row.complex then
    arguments.fail(row.name, "complex numbers have no order")
  end
  if from.kind == "complex" and to.kind ~= "complex" then
    arguments.fail(row.name,
      "%s does not take complex numbers: give the result's dtype complex64 or complex128", dtype)
  end
  return dtype
end

local OPTIONS = { "axis", "dtype", "out", "stream", "include_initial" }

-- The result with the value before the first element in front, of which the scan, method(array,
-- options), writes the rest.
local function with_initial(row, method, array, options, dtype)
  if row.initial == nil then
    arguments.fail(row.name, "option 'include_initial': there is no value before the first element")
  end
  local axis = options.axis ~= nil and arguments.axis(row.name, options.axis, array.ndim)
  local shape = axis and { table.unpack(array.shape) } or { array.size }
  axis = axis or 1
  shape[axis] = shape[axis] + 1
  local out = operands.result(row.name, options, shape, dtype, array)
  local function part(first, last)
    local slices = {}
    for i = 1, #shape do slices[i] = i == axis and { first, last } or {} end
    return out:slice(table.unpack(slices))
  end
  if operands.overlap(out, array) then array = array:copy { stream = options.stream } end
  local initial = row.initial
  if dtype == "bool" then initial = initial ~= 0 end
  part(1, 1):fill(initial, { stream = options.stream })
  method(array, { axis = options.axis, dtype = options.dtype, stream = options.stream,
    out = part(2, shape[axis]) })
  return out
end

-- a:cumsum([options]): without `axis` over all elements, taken as one axis
local function method(row)
  local kept = plans.new()
  local function call_scan(array, options)
    array = arguments.array(row.name, 0, "a", array)
    options = arguments.options(row.name, options, OPTIONS)
    local key = options.out == nil and options.dtype == nil and options.include_initial == nil
      and core.call_key(array, options.axis)
    local found = scan.again(kept, key, array, options.stream)
    if found then return found end
    local dtype = result_dtype(row, array, options)
    if arguments.boolean(row.name, options, "include_initial") then
      return with_initial(row, call_scan, array, options, dtype)
    end
    local given = { axis = options.axis, out = options.out, stream = options.stream }
    local state = scan_of(row, dtype)
    local taken, values, kinds = call.read(row.name, state, array, given)
    if values[2] and kinds[2] ~= dtype then
      arguments.fail(row.name, "option 'out': expected %s array, got %s", dtype,
        type(kinds[2]) == "string" and kinds[2] or kinds[2].name)
    end
    kinds[2] = dtype
    return scan.run(row.name, state, taken, values, kinds, kept, key)
  end
  return call_scan
end

local methods = {}
for _, row in ipairs { SUM, PRODUCT, MAXIMUM, MINIMUM } do methods[row.name] = method(row) end
return methods

-- values.lua: arguments that are arrays or numbers, options that are numbers, results that are one
-- value.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"

local fail, describe = arguments.fail, arguments.describe

local WEAK = { integer = "int", float = "float" }

-- An array or a number, argument `arg` called `name`; returns it and its kind as dtypes.result
-- takes it.
local function operand(what, arg, name, value)
  value = core.foreign(value) or value
  local class = arguments.open_type(value)
  if class == "array" then
    if type(value.dtype) == "string" then return value, value.dtype end
    fail(what, "argument %d '%s': expected numbers, got an array of %s", arg, name,
      tostring(value.dtype))
  end
  if class == "scalar" then return value, "=" .. value.dtype end
  if class == "complex" then return value, "complex" end
  local kind = type(value) == "boolean" and "=bool" or WEAK[math.type(value)]
  return value, kind or arguments.no_array(what, value,
    "argument %d '%s': expected an Array or a number", arg, name, describe(value))
end

-- An array of numbers, argument `arg` called `name`; returns it and its dtype.
local function array(what, arg, name, value)
  return operand(what, arg, name, arguments.array(what, arg, name, value))
end

-- Raises unless an array has one axis; `label` names it. Returns the array and its dtype.
local function line(what, label, a)
  if a.ndim ~= 1 then
    fail(what, "%s: expected an array of one axis, got %d axes", label, a.ndim)
  end
  return a, a.dtype
end

-- An array of numbers with one axis, or a list of numbers, which becomes one on the device, of that
-- dtype or else of int64 or float64, as work of the stream. Returns the array, its dtype, and
-- whether it was made here.
local function list(what, label, value, device, wanted, stream)
  value = core.foreign(value) or value
  if arguments.open_type(value) == "array" then
    if type(value.dtype) ~= "string" then
      fail(what, "%s: expected numbers, got an array of %s", label, tostring(value.dtype))
    end
    return line(what, label, value)
  end
  if type(value) ~= "table" then
    fail(what, "%s: expected an Array or a list of numbers, got %s", label, describe(value))
  end
  core.list_check(value, what .. ": " .. label, what)
  local dtype = "int64"
  for i = 1, #value do
    if not math.type(value[i]) then
      fail(what, "%s: item %d: expected a number, got %s", label, i, describe(value[i]))
    end
    if math.type(value[i]) == "float" then dtype = "float64" end
  end
  if #value == 0 then dtype = "float64" end
  dtype = wanted or dtype
  return core.array(value, dtype, { device = device or nil, stream = stream }), dtype, true
end

-- An option that is a number, as a float; `default` where it is not given.
local function number_option(what, opts, name, default)
  local value = opts[name]
  if value == nil then return default end
  if type(value) ~= "number" then
    fail(what, "option '%s': expected a number, got %s", name, describe(value))
  end
  return value + 0.0
end

-- An option that is an integer from `least` on; `default` where it is not given.
local function integer(what, label, value, least, default)
  if value == nil then return default end
  local whole = math.type(value) and math.tointeger(value)
  if not whole or whole < least then
    fail(what, "%s: expected an integer from %d on, got %s", label, least, describe(value))
  end
  return whole
end

local function integer_option(what, opts, name, least, default)
  return integer(what, ("option '%s'"):format(name), opts[name], least, default)
end

-- The Lua value of an array of one element; waits and frees the array.
local function answer(result)
  local value = result:item()
  result:free()
  return value
end

return { operand = operand, array = array, line = line, list = list, number_option = number_option,
  integer = integer, integer_option = integer_option, answer = answer }

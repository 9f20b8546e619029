-- random_parts.lua: what the methods of generators share: kernels, arguments, results.

local core = require "luacuda.core"
local source = require "luacuda.array.random_source"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local operands = require "luacuda.base.operands"
local kernels = require "luacuda.kernel.kernel"

local fail = arguments.fail

-- Kernels -----------------------------------------------------------------------------------------

local made = {} -- kind of device and numbers -> dtype -> { kernel =, shape = }

local function kernel_for(kind, dtype, device)
  local key = device .. kind
  local of_kind = made[key] or {}
  made[key] = of_kind
  if not of_kind[dtype] then
    local text, name, shape = source.text(kind, dtype, device)
    of_kind[dtype] = { kernel = kernels.own { source = text, name = name }, shape = shape }
  end
  return of_kind[dtype]
end

local function rounded_up(n, step) return (n + step - 1) // step * step end

-- Fills a contiguous array with the next numbers of the generator.
local function fill(self, kind, out, stream, ...)
  local one = kernel_for(kind, out.dtype, out.device.kind)
  local shape, offset = one.shape, self.offset
  local blocks = rounded_up(out.size, shape.per * shape.group) // shape.per
  self.offset = offset + blocks
  if blocks == 0 then return end
  local each = source.BLOCK * shape.each
  one.kernel({ grid = rounded_up(blocks, each) // each, block = source.BLOCK, stream = stream },
    out, out.size, offset, self.seed_low, self.seed_high, ...)
end

-- Arguments ---------------------------------------------------------------------------------------

-- The options, argument `arg`: the last one, after the shape.
local function options(what, arg, given, names)
  if type(given) == "number" then
    fail(what,
      "argument %d 'options': expected a table such as { %s = ... }, got %s; a shape of "
      .. "several axes is a list: {2, 3}",
      arg, names[1], arguments.describe(given))
  end
  return arguments.options(what, given, names)
end

-- A finite number; `label` names it in messages: "option 'mean'" or "argument 1 'k'".
local function number(what, label, value, default)
  if value == nil then return default end
  if type(value) ~= "number" then
    fail(what, "%s: expected a number, got %s", label, arguments.describe(value))
  end
  if value - value ~= 0 then
    fail(what, "%s: expected a finite number, got %s", label,
      value ~= value and "nan" or tostring(value))
  end
  return value
end

-- A number of 0 or more.
local function positive(what, label, value, default)
  local x = number(what, label, value, default)
  if x == nil then fail(what, "%s: expected a number, got nil", label) end
  if x < 0 then fail(what, "%s: expected 0 or more, got %s", label, tostring(x)) end
  return x + 0.0
end

-- An integer; `other` says what else the caller takes.
local function integer(what, label, value, other)
  local n = math.type(value) and math.tointeger(value)
  if not n then
    fail(what, "%s: expected an integer%s, got %s", label, other and " or " .. other or "",
      arguments.describe(value))
  end
  return n
end

-- Argument 1, an array with rows or a number of them -> the array or nil, the number.
local function rows_of(what, name, value)
  local array = core.foreign(value) or type(value) == "userdata"
    and arguments.array(what, 1, name, value)
  if array and array.ndim == 0 then
    fail(what, "argument 1 '%s': an array without axes has no rows", name)
  end
  if array then return array, #array end
  return nil, integer(what, ("argument 1 '%s'"):format(name), value, "an Array")
end

local function one_of(what, given, default, allowed)
  if given == nil then return default end
  local row = type(given) == "string" and dtypes.of(given)
  local name = row and row.name
  for _, one in ipairs(allowed) do
    if one == name then return name end
  end
  fail(what, "option 'dtype': expected %s, got %s", table.concat(allowed, ", "),
    tostring(given))
end

-- Raises for an array in place of the shape; the message lists what the caller may have meant.
local function refuse_array(what, arg, shape)
  if core.type(shape) ~= "array" then return end
  fail(what,
    "argument %d 'shape': expected an integer or a list of integers, got an Array; %s(array.shape) "
    .. "makes one like it, "
    .. "%s(nil, { out = array }) fills it", arg, what, what)
end

-- The array to fill: a new one, or options.out, which then gives the default dtype. The shape is
-- argument `arg`.
local function target(what, arg, shape, opts, default, allowed)
  local out = opts.out
  refuse_array(what, arg, shape)
  if out == nil then
    local plain, place = math.type(shape) == "integer" and shape >= 0, nil
    if opts.device ~= nil or opts.stream ~= nil then
      place = { device = opts.device, stream = opts.stream }
    end
    return core.empty(plain and shape or core.shape_list(shape, what, arg),
      one_of(what, opts.dtype, default, allowed), place)
  end
  out = core.foreign(out) or out
  local kind = core.type(out)
  if kind ~= "array" and kind ~= "closed array" then
    fail(what, "option 'out': expected an Array, got %s", arguments.describe(out))
  end
  local dtype = one_of(what, opts.dtype or out.dtype, nil, allowed)
  local list = shape == nil and out.shape or core.shape_list(shape, what, arg)
  return operands.result(what, opts, list, dtype, out)
end

-- Fills `out`, which may be any view, by make(array), which fills a contiguous array.
local function into(out, stream, make)
  if out.is_contiguous then
    make(out)
    return out
  end
  local whole = core.new(out, out, out.dtype, stream)
  make(whole)
  core.copy(out, whole, { stream = stream })
  return out
end

-- Raises for a number that the dtype does not hold.
local function check_fits(what, label, value, dtype)
  local why = core.misfit(value, dtype)
  if why then fail(what, "%s: %s", label, why) end
end

-- The dtype that floats of a dtype are computed in.
local function wide(dtype) return dtype == "float64" and dtype or "float32" end

return {
  fill = fill, options = options, number = number, positive = positive, integer = integer,
  rows_of = rows_of, target = target, into = into, check_fits = check_fits, wide = wide,
  FLOATS = { "float16", "bfloat16", "float32", "float64" },
  INTEGERS = dtypes.of_kinds("int", "uint"),
}

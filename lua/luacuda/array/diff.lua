-- diff.lua: diff: differences of neighbours along an axis.

local core = require "luacuda.core"
local join = require "luacuda.array.join"
local axes = require "luacuda.array.axes"
local operators = require "luacuda.array.operators"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local either = require("luacuda.base.either").either
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"

local fail = arguments.fail

-- Checks that a part goes before or after `a` along the axis.
local function check_part(a, axis, name, part)
  if part.device ~= a.device then
    arguments.apart("diff", ("option '%s': it is"):format(name), part.device, "the array",
      a.device)
  end
  local fits = part.ndim == a.ndim and type(part.dtype) == "string"
  for d, n in ipairs(fits and a.shape or {}) do
    fits = fits and (d == axis or part.shape[d] == n)
  end
  if not fits then
    fail("diff", "option '%s': an array of shape %s does not fit one of shape %s along axis %d",
      name, lists.shape_text(part.shape), lists.shape_text(a.shape), axis)
  end
  return part
end

-- An option `prepend` or `append` as an array of one element along the axis, or as it is.
local function end_part(a, axis, name, value, stream)
  value = core.foreign(value) or value
  if arguments.open_type(value) ~= "array" then
    local ok, made = pcall(core.array, value,
      dtypes.result { a.dtype, math.type(value) == "integer" and "int" or math.type(value) or nil },
      { device = a.device, stream = stream })
    if not ok then
      if type(made) ~= "string" or core.is_error(made) then error(made, 0) end
      fail("diff", "option '%s': %s", name, operands.reason(made))
    end
    value = made
  end
  if value.ndim > 0 then return check_part(a, axis, name, value) end
  local shape = lists.copy(a.shape)
  shape[axis] = 1
  return check_part(a, axis, name, value:broadcast_to(shape))
end

-- The array with what goes before and after it.
local function extended(a, axis, opts)
  if opts.prepend == nil and opts.append == nil then return a end
  local parts = {}
  if opts.prepend ~= nil then
    parts[1] = end_part(a, axis, "prepend", opts.prepend, opts.stream)
  end
  parts[#parts + 1] = a
  if opts.append ~= nil then
    parts[#parts + 1] = end_part(a, axis, "append", opts.append, opts.stream)
  end
  return join.concatenate(parts, { axis = axis, stream = opts.stream })
end

-- The slices of all elements but the first, and all but the last.
local function neighbours(x, axis)
  return axes.part(x, axis, { 2 }), axes.part(x, axis, { 1, math.max(x.shape[axis] - 1, 0) })
end

local function difference(x, axis, opts)
  local later, earlier = neighbours(x, axis)
  local subtract = x.dtype == "bool" and operators.ne or operators.subtract
  local out = operands.result("diff", opts, later, x.dtype, x)
  operands.into(out, { x }, opts.stream, function(dst)
    subtract(later, earlier, { out = dst, stream = opts.stream })
  end)
  later:free()
  earlier:free()
  return out
end

local OPTIONS = { "axis", "n", "prepend", "append", "out", "stream" }

-- cuda.diff(a [, n] [, options]), a:diff([n] [, options])
local function diff(a, n, given)
  a = arguments.array("diff", 1, "a", a)
  local label
  n, given, label = either("diff", "argument 2 'n'", "n", n, given)
  n = n == nil and 1 or axes.integer("diff", label, n)
  if n < 0 then fail("diff", "%s: %d is negative", label, n) end
  local opts = arguments.options("diff", given, OPTIONS)
  if a.ndim == 0 then fail("diff", "an array without axes has no neighbours") end
  if type(a.dtype) ~= "string" then
    fail("diff", "elements of %s have no difference", tostring(a.dtype))
  end
  local axis = arguments.axis("diff", opts.axis or -1, a.ndim)
  if n == 0 then return a end
  local x = extended(a, axis, opts)
  n = math.min(n, math.max(x.shape[axis], 1)) -- more leave the axis empty
  for i = 1, n do
    local y = difference(x, axis, i == n and opts or { stream = opts.stream })
    if not rawequal(x, a) then x:free() end
    x = y
  end
  return x
end

return { diff = diff }

-- tensordot.lua: tensordot and kron: products over any axes, and the Kronecker product.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local either = require("luacuda.base.either").either
local dtypes = require "luacuda.base.dtypes"
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"
local contraction = require "luacuda.linalg.contraction"

local fail, shape_text = arguments.fail, lists.shape_text

-- Two arrays of numbers on one device.
local function both(what, a, b)
  a, b = arguments.array(what, 1, "a", a), arguments.array(what, 2, "b", b)
  for arg, x in ipairs { a, b } do
    if type(x.dtype) ~= "string" then
      fail(what, "argument %d '%s': expected numbers, got %s", arg, arg == 1 and "a" or "b",
        tostring(x.dtype))
    end
  end
  if a.device ~= b.device then
    arguments.apart(what, "argument 1 'a' is", a.device, "argument 2 'b'", b.device)
  end
  return a, b
end

-- tensordot ---------------------------------------------------------------------------------------

local function axis_list(label, given, side, array)
  if type(given) ~= "table" then given = { given } end
  core.list_check(given, "tensordot: " .. label, "tensordot")
  local axes, seen = {}, {}
  for i, value in ipairs(given) do
    local at = type(value) == "number" and math.tointeger(value)
    if at and at < 0 then at = at + array.ndim + 1 end
    if not at or at < 1 or at > array.ndim then
      fail("tensordot", "%s: %s is not an axis of '%s', which has %d", label,
        arguments.describe(value), side, array.ndim)
    end
    if seen[at] then
      fail("tensordot", "%s: axis %d of '%s' is named twice", label, at, side)
    end
    axes[i], seen[at] = at, true
  end
  return axes
end

-- The axes of each array that are summed over.
local function axes_of(label, given, a, b)
  if given == nil then given = 2 end
  local n = type(given) == "number" and math.tointeger(given)
  if n then
    if n < 0 or n > a.ndim or n > b.ndim then
      fail("tensordot", "%s: shapes %s and %s do not have %d axes to sum over", label,
        shape_text(a.shape), shape_text(b.shape), n)
    end
    local last, first = {}, {}
    for i = 1, n do last[i], first[i] = a.ndim - n + i, i end
    return last, first
  end
  if type(given) ~= "table" or #given ~= 2 then
    fail("tensordot", "%s: expected a number of axes or a list of two lists, got %s", label,
      arguments.describe(given))
  end
  local left, right = axis_list(label, given[1], "a", a), axis_list(label, given[2], "b", b)
  if #left ~= #right then
    fail("tensordot", "%s: %d axes of 'a', %d of 'b'", label, #left, #right)
  end
  return left, right
end

-- Labels: 1 to a.ndim for a, larger ones for b; summed axes share those of a.
local function labels_of(a, b, left, right)
  local la, lb, result, summed = {}, {}, {}, {}
  for i = 1, a.ndim do la[i] = i end
  for i = 1, b.ndim do lb[i] = a.ndim + i end
  for i, axis in ipairs(left) do
    if a.shape[axis] ~= b.shape[right[i]] then
      fail("tensordot", "shapes %s and %s do not fit: %d elements of axis %d against %d of axis %d",
        shape_text(a.shape), shape_text(b.shape), a.shape[axis], axis, b.shape[right[i]], right[i])
    end
    lb[right[i]], summed[axis] = axis, true
  end
  for _, list in ipairs { la, lb } do
    for _, label in ipairs(list) do
      if not summed[label] then result[#result + 1] = label end
    end
  end
  return la, lb, result
end

local OPTIONS = { "out", "axes", "stream", "backend", "tf32" }

-- The product of vectors and matrices over one axis, without further options, as core.matmul knows
-- it; else nil.
local function usual_product(a, b, axes, options)
  if axes == 1 and options == nil then return core.matmul(a, b, nil, "dot") or nil end
  options = axes
  if type(options) ~= "table" or options.axes ~= 1 or getmetatable(options) then return nil end
  local key = next(options)
  return key == "axes" and next(options, key) == nil and core.matmul(a, b, nil, "dot") or nil
end

-- cuda.tensordot(a, b [, axes] [, options])
local function tensordot(a, b, summed, options)
  local usual = usual_product(a, b, summed, options)
  if usual then return usual end
  a, b = both("tensordot", a, b)
  local name
  summed, options, name = either("tensordot", "argument 3 'axes'", "axes", summed, options)
  local opts = arguments.options("tensordot", options, OPTIONS)
  local left, right = axes_of(name, summed, a, b)
  local la, lb, labels = labels_of(a, b, left, right)
  local work = { what = "tensordot", dtype = dtypes.promote(a.dtype, b.dtype), made = {},
    stream = opts.stream, backend = opts.backend, tf32 = opts.tf32, order = {} }
  local needed, shape = {}, {}
  for i, label in ipairs(labels) do
    work.order[label], needed[label] = i, true
    local at = contraction.position(la, label)
    shape[i] = at and a.shape[at] or b.shape[label - a.ndim]
  end
  local out = opts.out ~= nil
    and operands.result("tensordot", opts, shape, work.dtype, a) or nil
  local term = contraction.pair(work, { array = a, labels = la }, { array = b, labels = lb },
    needed)
  return contraction.deliver(work, term, labels, out)
end

-- kron --------------------------------------------------------------------------------------------

-- cuda.kron(a, b [, options])
local function kron(a, b, options)
  a, b = both("kron", a, b)
  local opts = arguments.options("kron", options, { "out", "stream" })
  local n = math.max(a.ndim, b.ndim)
  local as, bs = lists.padded(a.shape, n), lists.padded(b.shape, n)
  local shape, apart, x, y = {}, {}, {}, {}
  for i = 1, n do
    shape[i] = as[i] * bs[i]
    apart[2 * i - 1], apart[2 * i] = as[i], bs[i]
    x[2 * i - 1], x[2 * i], y[2 * i - 1], y[2 * i] = as[i], 1, 1, bs[i]
  end
  local dtype = dtypes.promote(a.dtype, b.dtype)
  local out = operands.result("kron", opts, shape, dtype, a)
  require("luacuda.array.operators").multiply(a:reshape(x), b:reshape(y),
    { out = out:reshape(apart), stream = opts.stream })
  if n > 0 or opts.out ~= nil then return out end
  local value = out:item()
  out:free()
  return value
end

return { tensordot = tensordot, kron = kron }

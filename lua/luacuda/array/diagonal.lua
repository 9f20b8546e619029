-- diagonal.lua: diagonals and triangles of matrices: diagonal, diag, tril, triu.

local axes = require "luacuda.array.axes"
local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local either = require("luacuda.base.either").either
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"
local elementwise = require "luacuda.builder.elementwise"

local fail = arguments.fail

local MOST_ROWS = 1 << 31

-- Reads the offset, given before the options or as one. Returns it, the options, and its label.
local function offset_of(what, name, value, given)
  local label
  value, given, label = either(what, ("argument 2 '%s'"):format(name), name, value, given)
  return value == nil and 0 or axes.integer(what, label, value), given, label
end

-- diagonal, diag ----------------------------------------------------------------------------------

-- cuda.diagonal(a [, offset] [, options]), a:diagonal([offset] [, options])
local function diagonal(a, offset, given)
  a = arguments.array("diagonal", 1, "a", a)
  offset, given = offset_of("diagonal", "offset", offset, given)
  local opts = arguments.options("diagonal", given, { "axis1", "axis2", "offset" })
  if a.ndim < 2 then
    fail("diagonal", "an array of %d axes has no diagonal; cuda.diag makes a matrix", a.ndim)
  end
  local row = axes.axis("diagonal", "option 'axis1'", opts.axis1 or 1, a.ndim)
  local column = axes.axis("diagonal", "option 'axis2'", opts.axis2 or 2, a.ndim)
  if row == column then fail("diagonal", "options 'axis1' and 'axis2' name the same axis") end
  return core.diagonal(a, offset, row, column)
end

-- A matrix of zeros with `a` on a diagonal.
local function matrix_of(a, k, label, opts)
  local n = a.size + math.max(k, -k)
  if n < 0 or n > MOST_ROWS then
    fail("diag", "%s: the matrix for %d is more than any memory holds", label, k)
  end
  local out = operands.result("diag", opts, { n, n }, a.dtype, a)
  if out.size == 0 then return out end
  operands.into(out, { a }, opts.stream, function(dst)
    core.memset(dst, 0, { stream = opts.stream })
    local place = core.diagonal(dst, k, 1, 2)
    if place.size > 0 then place:set(a, { stream = opts.stream }) end
    place:free()
  end)
  return out
end

-- cuda.diag(a [, k] [, options]), a:diag([k] [, options])
local function diag(a, k, given)
  a = arguments.array("diag", 1, "a", a)
  local label
  k, given, label = offset_of("diag", "k", k, given)
  if a.ndim == 2 then
    arguments.options("diag", given, { "k", "stream" })
    return core.diagonal(a, k, 1, 2)
  end
  local opts = arguments.options("diag", given, { "out", "k", "stream" })
  if a.ndim ~= 1 then
    fail("diag", "argument 1 'a': expected one axis or two, got shape %s; cuda.diagonal takes more",
      lists.shape_text(a.shape))
  end
  return matrix_of(a, k, label, opts)
end

-- tril, triu --------------------------------------------------------------------------------------

-- I: the type of indices. Elements on and below (above) diagonal k stay.
local function triangle_kernel(what, comparison)
  return elementwise.elementwise("T x, I rows, I columns, int64 k", "T y",
    ("const I at = I(i) / columns, column = I(i) - at * columns;"
      .. " y = column - at %% rows %s k ? x : T(0);"):format(comparison), what)
end

local kernels = {}

local function triangle(what, comparison)
  return function(a, k, given)
    a = arguments.array(what, 1, "a", a)
    k, given = offset_of(what, "k", k, given)
    local opts = arguments.options(what, given, { "out", "k", "stream" })
    if a.ndim == 0 then fail(what, "an array without axes has no triangle") end
    if type(a.dtype) ~= "string" then
      fail(what, "elements of %s have no zero", tostring(a.dtype))
    end
    local shape = a.shape
    if a.ndim == 1 then shape = { a.size, a.size } end
    local src = a.ndim == 1 and a:broadcast_to(shape) or a
    local out = operands.result(what, opts, shape, a.dtype, a)
    if out.size == 0 then return out end
    local index = out.size < 1 << 31 and core.int32 or core.int64
    kernels[what] = kernels[what] or triangle_kernel(what, comparison)
    operands.into(out, out ~= a and { a } or {}, opts.stream, function(dst)
      kernels[what](src, index(shape[#shape - 1]), index(shape[#shape]), k,
        { out = dst, stream = opts.stream })
    end)
    return out
  end
end

return { diagonal = diagonal, diag = diag, tril = triangle("tril", "<="),
  triu = triangle("triu", ">=") }

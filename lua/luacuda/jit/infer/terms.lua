-- terms.lua: constants, variables, indices, fields and methods.

local core = require "luacuda.core"
local dtypes = require "luacuda.base.dtypes"
local hints = require "luacuda.jit.names.replacements"
local infer = require "luacuda.jit.infer.walk"
local meanings = require "luacuda.jit.names.meanings"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local rows = require "luacuda.jit.typed.rows"
local structs = require "luacuda.jit.typed.structs"
local types = require "luacuda.jit.typed.value_types"

local expressions = infer.expressions
local fail = report.fail

function expressions.number(_, node) return nodes.literal(node.value) end
function expressions.string(_, node) return nodes.literal(node.value) end
expressions["true"] = function() return nodes.literal(true) end
expressions["false"] = function() return nodes.literal(false) end
expressions["nil"] = function() return { op = "static", static = true, value = nil } end

function expressions.paren(ctx, node) return infer.expression(ctx, node.inner) end

function expressions.table(ctx, node)
  fail(ctx, node, "a table cannot be made on a device: write array(\"float32\", n) for an array of "
    .. "each thread, or shared(\"float32\", n) for one of the thread block")
end

expressions["function"] = function(ctx, node)
  return { op = "function", node = node, home = ctx, name = node.name or "function" }
end

-- Names -------------------------------------------------------------------------------------------

expressions["local"] = function(ctx, node)
  local slot = infer.slot(ctx, node.var)
  if slot.fixed then return slot.fixed end
  if slot.type == nil or infer.is_missing(ctx, node.var) then
    fail(ctx, node, "'%s' may have no value here: give it one where it is declared, line %d",
      node.var.name, node.var.line)
  end
  local e = nodes.var(slot)
  e.origin = slot.origin
  return e
end

function expressions.free(ctx, node) return meanings.of(ctx, node) end

-- Fields ------------------------------------------------------------------------------------------

local FIELDS = { "ndim", "dtype", "shape", "size" }
infer.array_fields = {}
for _, name in ipairs(FIELDS) do infer.array_fields[name] = true end

local function array_field(ctx, node, e, name)
  local t = e.type
  if structs.is_record(t) then return structs.field(ctx, node, e, name) end
  local lane = structs.lane(e, name)
  if lane then return lane end
  if name == "ndim" then return nodes.literal(t.ndim) end
  if name == "dtype" then return nodes.literal(types.name(types.element(t.dtype))) end
  if name == "shape" then return { op = "shape", array = e } end
  if name == "size" then
    local size = nodes.literal(1)
    for axis = 1, t.ndim do
      size = infer.arithmetic(ctx, node, "*", size, nodes.extent(e, axis))
    end
    return size
  end
  local words = hints.array(name)
  if words then fail(ctx, node, "arrays have no field '%s' in kernels: %s", name, words) end
  fail(ctx, node, "arrays have no field '%s' in kernels%s", name, core.near(name, FIELDS))
end

local function shape_item(ctx, node, e)
  local k = infer.expression(ctx, node.key)
  local n = e.array.type.ndim
  local axis = k.op == "const" and math.tointeger(k.value)
  if axis and axis < 0 then axis = axis + n + 1 end
  if not axis then
    fail(ctx, node.key, "the number of an axis is known when the kernel is made: a number from 1 "
      .. "to %d, or an upvalue", n)
  end
  if axis < 1 or axis > n then
    fail(ctx, node.key, "there is no axis %d: axes are counted from 1 to %d", k.value, n)
  end
  return nodes.extent(e.array, axis)
end

-- Indices -----------------------------------------------------------------------------------------

-- Operations on narrow integers whose result may be too large for them.
local WRAPS = { add = true, subtract = true, multiply = true, negative = true, power = true,
  left_shift = true }

-- `bytes[i] + 1` is a uint8, so 255 + 1 would be index 0.
local function check_width(ctx, node, k)
  if not WRAPS[k.row] or dtypes.of(types.dtype_of(k.type)).size >= 4 then return end
  fail(ctx, node, "this index is computed in %s, where it wraps around: convert first, as in "
    .. "int32(v) + 1", k.type)
end

local SUMS = { add = "add", subtract = "sub" }
local SUM_TYPES = { int32 = true, uint32 = true, int64 = true }

-- Sums of a dtype wrap around, and such an index is wrong in any case, so they are computed as
-- those of Lua: then the 1 of `counts[int32(v) + 1]` disappears.
local function of_sum(k)
  if not SUMS[k.row] or not SUM_TYPES[k.type] then return k end
  return nodes.int("int", SUMS[k.row], nodes.convert(k.args[1], "int"),
    nodes.convert(k.args[2], "int"))
end

-- index(ctx, node, k, array, axis) -> the index `k` of an axis, from 1; constant ones below 0 count
-- from the end
function infer.index(ctx, node, k, array, axis)
  if k.op == "const" and type(k.value) == "number" then
    local i = math.tointeger(k.value)
    if not i then fail(ctx, node, "%s is not an index: write math.floor(i)", k.value) end
    if i == 0 then fail(ctx, node, "index 0: arrays begin at 1") end
    if i > 0 then return nodes.const("int!", i) end
    return infer.arithmetic(ctx, node, "+", nodes.extent(array, axis), nodes.literal(i + 1))
  end
  if types.is_integer(k.type) then
    check_width(ctx, node, k)
    return of_sum(k)
  end
  if types.is_float(k.type) then
    fail(ctx, node, "an index is an integer, and this is %s: use // in place of /, or "
      .. "math.floor(i)", types.name(k.type))
  end
  fail(ctx, node, "an index is an integer, and this is %s", report.described(k))
end

local function element(ctx, node, e)
  local t = e.type
  if t.ndim == 0 then fail(ctx, node, "an array without axes has no index: pass x:reshape{ 1 }") end
  if node.key.kind == "table" then fail(ctx, node, "indices follow each other: write x[i][j]") end
  local array, indices = nodes.unfolded(e)
  indices[#indices + 1] = infer.index(ctx, node.key,
    infer.expression(ctx, node.key), e, 1)
  local result
  if t.ndim == 1 and type(t.dtype) == "string" then
    ctx.unit:mention(t.dtype)
    result = nodes.load(types.element(t.dtype), array, indices)
  else
    local shape = t.shape and table.move(t.shape, 2, t.ndim, 1, {})
    result = nodes.row(types.array{ dtype = t.dtype, ndim = t.ndim - 1, layout = t.layout,
      shape = shape, space = t.space }, array, indices)
    result.origin = array.origin
  end
  return result
end

local function name_of_key(ctx, node)
  if node.key.kind == "string" then return node.key.value end
  local k = infer.expression(ctx, node.key)
  return k.op == "const" and k.type == "string" and k.value or nil, k
end

-- The fields of a complex value, as those of Lua's.
local COMPLEX_PARTS = { re = "real", im = "imag" }

function expressions.index(ctx, node)
  local e = infer.expression(ctx, node.object)
  if e.op == "shape" then return shape_item(ctx, node, e) end
  if e.kind then infer.no_field(ctx, node, e, name_of_key(ctx, node)) end
  if e.static or e.op == "builtin" then
    return meanings.field(ctx, node, e, name_of_key(ctx, node))
  end
  if types.is_array(e.type) then
    local name = node.key.kind == "string" and node.key.value
    if name then return array_field(ctx, node, e, name) end
    return element(ctx, node, e)
  end
  if type(e.type) == "table" then infer.no_field(ctx, node, e, name_of_key(ctx, node)) end
  local part = types.kind_of(e.type) == "complex" and COMPLEX_PARTS[name_of_key(ctx, node)]
  if part then return rows.call(ctx, node, part, { e }) end
  fail(ctx, node, "this cannot be indexed: it is %s%s", report.described(e),
    types.kind_of(e.type) == "complex" and ", with the parts z.re and z.im" or "")
end

return infer

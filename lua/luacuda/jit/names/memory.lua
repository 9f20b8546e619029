-- memory.lua: arrays of a thread block or of a thread, and atomic operations.

local infer = require "luacuda.jit.infer.walk"
local meanings = require "luacuda.jit.names.meanings"
local gpu = require "luacuda.jit.names.gpu"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"
local dtypes = require "luacuda.base.dtypes"

local fail = report.fail

-- Arrays ------------------------------------------------------------------------------------------

local function constant_integer(ctx, node, name, k, e)
  local v = e.op == "const" and math.tointeger(e.value)
  if v and v >= 1 and v < 2 ^ 31 then return v end
  fail(ctx, node, "%s: argument %d: expected an extent that is known when the kernel is made (a "
    .. "number or an upvalue)%s", name, k, name == "shared" and "; dynamic_shared takes its size "
    .. "from the launch" or "")
end

local function dtype_argument(ctx, node, name, e)
  local dtype = e.op == "const" and e.type == "string" and dtypes.of(e.value)
    or e.op == "builtin" and e.row.dtype and dtypes.of(e.row.dtype)
  if dtype then return dtype.name end
  fail(ctx, node, "%s: argument 1: expected the name of a dtype, as in %s(\"float32\", 16), got %s",
    name, name, report.described(e))
end

infer.dtype_argument = dtype_argument

-- The arguments of a call with the items of a table in its place: shared("float32", { 16, 16 }).
function infer.flat(list)
  local flat = {}
  for _, one in ipairs(list) do
    local items = one.kind == "table" and one.items or { { value = one } }
    for _, item in ipairs(items) do flat[#flat + 1] = item.key and one or item.value end
  end
  return flat
end

-- The extents in place of a table around the kernel.
local function with_items(ctx, node, args)
  local last = args[#args]
  if #args ~= 2 or not last.static or type(last.value) ~= "table" then return args end
  local shape = last.value
  ctx.unit:guard(function() return #shape end, #shape)
  local list = { args[1] }
  for k = 1, #shape do list[k + 1] = meanings.field(ctx, node, last, k) end
  return list
end

-- shared("float32", 16, 16): the extents are known when the kernel is made.
local function memory(name, op, space)
  gpu.define(name, { takes_shape = true, call = function(ctx, node, args)
    args = with_items(ctx, node, args)
    infer.check_count(ctx, node, name, args, 2, 5)
    local dtype, shape = dtype_argument(ctx, node, name, args[1]), {}
    for k = 2, #args do shape[k - 1] = constant_integer(ctx, node, name, k, args[k]) end
    ctx.unit:mention(dtype)
    local t = types.array{ dtype = dtype, ndim = #shape, layout = "contiguous", shape = shape,
      space = space }
    local origin = { written = true }
    if space == "private" then infer.at_home(origin, ctx) end
    return { op = op, type = t, origin = origin, effect = true,
      slot = { name = ctx.unit:name(op), type = t, origin = origin, var = { name = name } } }
  end })
end

memory("shared", "shared", "shared")
memory("array", "private", "private")

-- Atomic operations -------------------------------------------------------------------------------

local ALL = { int32 = true, uint32 = true, int64 = true, uint64 = true, float32 = true,
  float64 = true }
local ADD = { float16 = true, bfloat16 = true }

-- The element that an atomic operation changes: array, indices ..., then `values` values.
local function element(ctx, node, name, args, values)
  local e = args[1]
  if not types.is_array(e.type) then
    fail(ctx, node, "%s: argument 1: expected an array, got %s", name, report.described(e))
  end
  if #args ~= 1 + e.type.ndim + values then
    fail(ctx, node, "%s: expected the array, %d indices and %d values, got %d arguments", name,
      e.type.ndim, values, #args)
  end
  local array, indices = nodes.unfolded(e)
  for k = 2, 1 + e.type.ndim do
    indices[#indices + 1] = infer.index(ctx, node, args[k], e, k - 1)
  end
  infer.mark_written(e)
  return nodes.load(e.type.dtype, array, indices)
end

local function check_dtype(ctx, node, name, dtype, known)
  if ALL[dtype] or known and known[dtype] then return end
  fail(ctx, node, "%s: there is no such operation for %s: use int32 or float32", name,
    types.name(types.element(dtype)))
end

local function atomic(name, known)
  gpu.define("atomic_" .. name, { call = function(ctx, node, args)
    local place = element(ctx, node, "atomic_" .. name, args, 1)
    check_dtype(ctx, node, "atomic_" .. name, place.type, known)
    local value = infer.stored(ctx, args[#args], place.type, node)
    local fn = "_lcu_atomic_" .. name
    return { op = "atomic", type = place.type, fn = fn, place = place, values = { value },
      effect = true }
  end })
end

for _, name in ipairs{ "add", "sub" } do atomic(name, ADD) end
for _, name in ipairs{ "max", "min", "exch" } do atomic(name) end

local INTEGERS = { "and", "or", "xor" }
for _, name in ipairs(INTEGERS) do
  gpu.define("atomic_" .. name, { call = function(ctx, node, args)
    local place = element(ctx, node, "atomic_" .. name, args, 1)
    if not types.is_integer(place.type) or dtypes.of(place.type).size < 4 then
      fail(ctx, node, "atomic_%s: expected an array of int32, uint32, int64 or uint64, got %s",
        name, place.type)
    end
    local value = infer.stored(ctx, args[#args], place.type, node)
    return { op = "atomic", type = place.type, fn = "_lcu_atomic_" .. name, place = place,
      values = { value }, effect = true }
  end })
end

gpu.define("atomic_cas", { call = function(ctx, node, args)
  local place = element(ctx, node, "atomic_cas", args, 2)
  check_dtype(ctx, node, "atomic_cas", place.type)
  local n = #args
  local values = { infer.stored(ctx, args[n - 1], place.type, node),
    infer.stored(ctx, args[n], place.type, node) }
  return { op = "atomic", type = place.type, fn = "_lcu_atomic_cas", place = place,
    values = values, effect = true }
end })

return gpu

-- memory.lua: arrays of a thread block or of a thread, and atomic operations.

local dtypes = require "luacuda.base.dtypes"
local access = require "luacuda.jit.typed.access"
local checks = require "luacuda.jit.typed.argument_checks"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local slots = require "luacuda.jit.typed.slots"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local rows = {}

-- Arrays ------------------------------------------------------------------------------------------

local function constant_integer(ctx, node, name, k, e)
  local v = e.op == "const" and math.tointeger(e.value)
  if v and v >= 1 and v < 2 ^ 31 then return v end
  fail(ctx, node, "%s: argument %d: expected an extent that is known when the kernel is made (a "
    .. "number or an upvalue)%s", name, k, name == "shared" and "; dynamic_shared takes its size "
    .. "from the launch" or "")
end

-- shared("float32", 16, 16): the extents are known when the kernel is made.
local function memory(name, op, space)
  local of_threads = space == "shared"
  rows[name] = { takes_shape = true, of_threads = of_threads, call = function(ctx, node, args)
    checks.count(ctx, node, name, args, 2, 5)
    local dtype, shape = checks.dtype(ctx, node, name, args[1]), {}
    for k = 2, #args do shape[k - 1] = constant_integer(ctx, node, name, k, args[k]) end
    ctx.unit:mention(dtype)
    local t = types.array{ dtype = dtype, ndim = #shape, layout = "contiguous", shape = shape,
      space = space }
    local origin = { written = true }
    if space == "private" then slots.at_home(origin, ctx) end
    return { op = op, type = t, origin = origin, effect = true,
      slot = { name = ctx.unit:name(op), type = t, origin = origin, var = { name = name } } }
  end }
end

memory("shared", "shared", "shared")
memory("array", "private", "private")

-- dynamic_shared(dtype [, offset]): the shared memory whose size a launch gives.
local DYNAMIC = [[
extern __shared__ __align__(16) unsigned char _lcu_dynamic[];
__device__ __forceinline__ int _lcu_dynamic_size() {
  int size;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
  return size;
}
__device__ __forceinline__ int _lcu_dynamic_extent(int64 offset, int size) {
  const int64 bytes = _lcu_dynamic_size() - offset;
  return offset < 0 || bytes < 0 ? 0 : (int)(bytes / size);
}
]]

rows.dynamic_shared = { of_threads = true, call = function(ctx, node, args)
  checks.count(ctx, node, "dynamic_shared", args, 1, 2)
  local dtype = checks.dtype(ctx, node, "dynamic_shared", args[1])
  local offset = args[2] or nodes.literal(0)
  checks.integer(ctx, node, "dynamic_shared", 2, offset)
  local size = dtypes.of(dtype).size
  if offset.op == "const" and offset.value % size ~= 0 then
    fail(ctx, node, "dynamic_shared: argument 2: %d is no multiple of the %d bytes of a %s",
      offset.value, size, dtype)
  end
  ctx.unit:mention(dtype)
  ctx.unit:need{ DYNAMIC }
  local t = types.array{ dtype = dtype, ndim = 1, layout = "contiguous", space = "shared" }
  local origin = { written = true }
  return { op = "dynamic", type = t, origin = origin, effect = true, size = size,
    offset = nodes.convert(offset, "int"), slot = { name = ctx.unit:name "dynamic", type = t,
      origin = origin, small = true, var = { name = "dynamic_shared" } } }
end }

-- Atomic operations -------------------------------------------------------------------------------

local ALL = { int32 = true, uint32 = true, int64 = true, uint64 = true, float32 = true,
  float64 = true }
local ADD = {}
for _, row in ipairs(dtypes.list) do ADD[row.name] = row.half or nil end

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
    indices[#indices + 1] = access.index(ctx, node, args[k], e, k - 1)
  end
  slots.mark_written(e)
  return nodes.load(e.type.dtype, array, indices)
end

local function check_dtype(ctx, node, name, dtype, known)
  if ALL[dtype] or known and known[dtype] then return end
  fail(ctx, node, "%s: there is no such operation for %s: use int32 or float32", name,
    types.name(types.element(dtype)))
end

local function atomic(name, known)
  rows["atomic_" .. name] = { call = function(ctx, node, args)
    local place = element(ctx, node, "atomic_" .. name, args, 1)
    check_dtype(ctx, node, "atomic_" .. name, place.type, known)
    local value = access.stored(ctx, args[#args], place.type, node)
    local fn = "_lcu_atomic_" .. name
    return { op = "atomic", type = place.type, fn = fn, place = place, values = { value },
      effect = true }
  end }
end

for _, name in ipairs{ "add", "sub" } do atomic(name, ADD) end
for _, name in ipairs{ "max", "min", "exch" } do atomic(name) end

local INTEGERS = { "and", "or", "xor" }
for _, name in ipairs(INTEGERS) do
  rows["atomic_" .. name] = { call = function(ctx, node, args)
    local place = element(ctx, node, "atomic_" .. name, args, 1)
    if not types.is_integer(place.type) or dtypes.of(place.type).size < 4 then
      fail(ctx, node, "atomic_%s: expected an array of int32, uint32, int64 or uint64, got %s",
        name, place.type)
    end
    local value = access.stored(ctx, args[#args], place.type, node)
    return { op = "atomic", type = place.type, fn = "_lcu_atomic_" .. name, place = place,
      values = { value }, effect = true }
  end }
end

rows.atomic_cas = { call = function(ctx, node, args)
  local place = element(ctx, node, "atomic_cas", args, 2)
  check_dtype(ctx, node, "atomic_cas", place.type)
  local n = #args
  local values = { access.stored(ctx, args[n - 1], place.type, node),
    access.stored(ctx, args[n], place.type, node) }
  return { op = "atomic", type = place.type, fn = "_lcu_atomic_cas", place = place,
    values = values, effect = true }
end }

return { rows = rows }

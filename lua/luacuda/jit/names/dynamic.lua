-- dynamic.lua: dynamic_shared(dtype [, offset]): the shared memory whose size a launch gives.

local dtypes = require "luacuda.base.dtypes"
local gpu = require "luacuda.jit.names.gpu"
local infer = require "luacuda.jit.infer.walk"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local TEXT = [[
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

gpu.define("dynamic_shared", { call = function(ctx, node, args)
  infer.check_count(ctx, node, "dynamic_shared", args, 1, 2)
  local dtype = infer.dtype_argument(ctx, node, "dynamic_shared", args[1])
  local offset = args[2] or nodes.literal(0)
  infer.integer_argument(ctx, node, "dynamic_shared", 2, offset)
  local size = dtypes.of(dtype).size
  if offset.op == "const" and offset.value % size ~= 0 then
    fail(ctx, node, "dynamic_shared: argument 2: %d is no multiple of the %d bytes of a %s",
      offset.value, size, dtype)
  end
  ctx.unit:mention(dtype)
  ctx.unit:need{ TEXT }
  local t = types.array{ dtype = dtype, ndim = 1, layout = "contiguous", space = "shared" }
  local origin = { written = true }
  return { op = "dynamic", type = t, origin = origin, effect = true, size = size,
    offset = nodes.convert(offset, "int"), slot = { name = ctx.unit:name "dynamic", type = t,
      origin = origin, small = true, var = { name = "dynamic_shared" } } }
end })

gpu.of_threads.dynamic_shared = true

return gpu

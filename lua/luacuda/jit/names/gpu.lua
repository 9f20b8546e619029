-- gpu.lua: the names of the kernel's language: one row each. A row has `call(ctx, node, args)`,
-- which gives the expression of a call, or `fields`, or `value(ctx, node)`.

local infer = require "luacuda.jit.infer.walk"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local tile_source = require "luacuda.jit.emit.tile_source"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local rows = {}

-- The row's value alone, and functions of the row's name in messages.
local function define(name, row)
  row.name = name
  rows[name] = row
end

local function check_count(ctx, node, name, args, least, most)
  if #args >= least and #args <= most then return end
  local wanted = least == most and tostring(least) or ("%d to %d"):format(least, most)
  fail(ctx, node, "%s takes %s %s, and got %d", name, wanted,
    wanted == "1" and "argument" or "arguments", #args)
end

local function integer(ctx, node, name, k, e)
  if not types.is_integer(e.type) then
    fail(ctx, node, "%s: argument %d: expected an integer, got %s", name, k, report.described(e))
  end
  return e
end

-- Places of threads -------------------------------------------------------------------------------

local LARGEST = { threadIdx = 1023.0, blockDim = 1024.0, blockIdx = 2.0 ^ 31 - 2,
  gridDim = 2.0 ^ 31 - 1 }
local AT_Y_AND_Z = 65535.0

-- The largest value; kernels for few blocks know a lower one.
local function largest(unit, name, axis)
  local most = LARGEST[name]
  if most < AT_Y_AND_Z then return most end
  if axis ~= "x" then return AT_Y_AND_Z end
  return unit.few_blocks and nodes.FEW_BLOCKS or most
end

for name in pairs(LARGEST) do
  local fields, lo = {}, name:find "Dim" and 1.0 or 0.0
  for axis in ("xyz"):gmatch "." do
    fields[axis] = function(ctx)
      return nodes.text("int", ("(int)%s.%s"):format(name, axis), lo,
        largest(ctx.unit, name, axis))
    end
  end
  define(name, { fields = fields })
end

define("warpSize", { value = function() return nodes.const("int", 32) end })
local LANEID = [[
__device__ __forceinline__ int _lcu_laneid() {
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
]]

define("laneid", { value = function(ctx)
  ctx.unit:need{ LANEID }
  return nodes.text("int", "_lcu_laneid()", 0.0, 31.0)
end })

-- The extents in place of a shape: grid(x.shape).
local function extents_of(args)
  local shape = args[1]
  if #args ~= 1 or shape.op ~= "shape" then return args end
  local list = {}
  for axis = 1, shape.array.type.ndim do list[axis] = nodes.extent(shape.array, axis) end
  return list
end

define("grid", { call = function(ctx, node, args)
  args = extents_of(args)
  check_count(ctx, node, "grid", args, 1, 3)
  local extents = {}
  for k, e in ipairs(args) do
    extents[k] = nodes.convert(integer(ctx, node, "grid", k, e), "int")
  end
  return { op = "grid", extents = extents }
end })

-- Barriers ----------------------------------------------------------------------------------------

local function barrier(name, fn)
  define(name, { call = function(ctx, node, args)
    check_count(ctx, node, name, args, 0, 0)
    return nodes.call(nil, fn, {}, nil, true)
  end })
end
barrier("syncthreads", "__syncthreads")
barrier("threadfence", "__threadfence")
barrier("threadfence_block", "__threadfence_block")
barrier("threadfence_system", "__threadfence_system")

local function mask_of(ctx, node, name, e)
  return nodes.convert(integer(ctx, node, name, 1, e), "uint32")
end

-- Does a mask name all lanes, so that no two lanes have different ones?
local function is_whole(e)
  return e.op == "const" and math.type(e.value) == "integer"
    and e.value & 0xffffffff == 0xffffffff
end

define("syncwarp", { call = function(ctx, node, args)
  check_count(ctx, node, "syncwarp", args, 0, 1)
  local mask = { args[1] and mask_of(ctx, node, "syncwarp", args[1]) }
  return nodes.call(nil, "__syncwarp", mask, nil, true)
end })

local function bool(ctx, node, name, k, e)
  if e.type ~= "bool" then
    fail(ctx, node, "%s: argument %d: expected a boolean, got %s", name, k, report.described(e))
  end
  return e
end

for name, row in pairs{ syncthreads_and = "bool", syncthreads_or = "bool",
  syncthreads_count = "int" } do
  define(name, { call = function(ctx, node, args)
    check_count(ctx, node, name, args, 1, 1)
    local e = nodes.call("int", "__" .. name, { bool(ctx, node, name, 1, args[1]) }, nil, true)
    return row == "int" and e or nodes.infix("bool", "!=", e, nodes.const("int", 0))
  end })
end

-- Votes and exchanges of a warp -------------------------------------------------------------------


for name, result in pairs{ any_sync = "bool", all_sync = "bool", ballot_sync = "uint32" } do
  local part = "_lcu_part_" .. name:match "%a+"
  define(name, { call = function(ctx, node, args)
    check_count(ctx, node, name, args, 2, 2)
    local mask = mask_of(ctx, node, name, args[1])
    local given = { mask, bool(ctx, node, name, 2, args[2]) }
    if not is_whole(args[1]) then
      return nodes.call(result, part, given, { tile_source.parts }, true)
    end
    if result ~= "bool" then return nodes.call(result, "__" .. name, given, nil, true) end
    return nodes.infix("bool", "!=", nodes.call("int", "__" .. name, given, nil, true),
      nodes.const("int", 0))
  end })
end

define("activemask", { call = function(ctx, node, args)
  check_count(ctx, node, "activemask", args, 0, 0)
  return nodes.call("uint32", "__activemask", {}, nil, true)
end })

-- The type in which a value, argument k, goes through the warp.
local function exchanged(ctx, node, name, e, k)
  local kind = types.kind_of(e.type)
  local size = kind and require("luacuda.base.dtypes").of(types.dtype_of(e.type)).size
  if kind == nil or kind == "complex" then
    fail(ctx, node, "%s: argument %d: expected a real number, got %s", name, k or 2,
      report.described(e))
  end
  if size >= 4 then return e end
  return nodes.convert(e, kind == "float" and "float32" or "int32")
end

for _, name in ipairs{ "shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync" } do
  define(name, { call = function(ctx, node, args)
    check_count(ctx, node, name, args, 3, 4)
    local value = exchanged(ctx, node, name, args[2])
    local given = { mask_of(ctx, node, name, args[1]), value }
    for k = 3, #args do
      given[k] = nodes.convert(integer(ctx, node, name, k, args[k]), "int32")
    end
    local e = nodes.call(value.type == "int!" and "int" or value.type, "__" .. name, given, nil,
      true)
    return nodes.convert(e, args[2].type == "int!" and "int" or args[2].type)
  end })
end

-- The lanes with the same value: those of the mask, or none, for match_all_sync.
for _, name in ipairs{ "match_any_sync", "match_all_sync" } do
  local part = "_lcu_part_" .. name:match "(.*)_sync"
  define(name, { call = function(ctx, node, args)
    check_count(ctx, node, name, args, 2, 2)
    local value = exchanged(ctx, node, name, args[2])
    return nodes.call("uint32", part, { mask_of(ctx, node, name, args[1]), value },
      { tile_source.parts }, true)
  end })
end

-- Bits
for name, row in pairs{ popc = { "__popc", "__popcll" }, clz = { "__clz", "__clzll" } } do
  define(name, { call = function(ctx, node, args)
    check_count(ctx, node, name, args, 1, 1)
    local e = integer(ctx, node, name, 1, args[1])
    local wide = require("luacuda.base.dtypes").of(types.dtype_of(e.type)).size == 8
    return nodes.call("int", row[wide and 2 or 1],
      { nodes.convert(e, wide and "int64" or "uint32") })
  end })
end

-- Names that have a meaning only where several threads run a kernel.
local OF_THREADS = [[threadIdx blockIdx blockDim gridDim warpSize laneid grid shared syncthreads
  syncwarp threadfence threadfence_block threadfence_system syncthreads_and syncthreads_or
  syncthreads_count any_sync all_sync ballot_sync activemask match_any_sync match_all_sync shfl_sync
  shfl_up_sync shfl_down_sync shfl_xor_sync]]

local of_threads = {}
for name in OF_THREADS:gmatch "%S+" do of_threads[name] = true end

-- The names, for suggestions.
local function names()
  local list = {}
  for name in pairs(rows) do list[#list + 1] = name end
  return list
end

infer.check_count, infer.integer_argument, infer.bool_argument = check_count, integer, bool
infer.exchanged = exchanged

return { rows = rows, of_threads = of_threads, of_marker = {}, define = define, names = names,
  LANEID = LANEID }

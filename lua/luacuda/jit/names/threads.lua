-- threads.lua: where a thread is, barriers of a block, fences, and the time of threads.

local tile_source = require "luacuda.jit.emit.tile_source"
local checks = require "luacuda.jit.typed.argument_checks"
local nodes = require "luacuda.jit.typed.nodes"

local rows = {}

-- A name that has a meaning only where several threads run a kernel.
local function define(name, row)
  row.of_threads = true
  rows[name] = row
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

define("laneid", { value = function(ctx)
  ctx.unit:need{ tile_source.laneid }
  return nodes.text("int", "_lcu_laneid()", 0.0, 31.0)
end })

-- Barriers ----------------------------------------------------------------------------------------

local function barrier(name, fn)
  define(name, { call = function(ctx, node, args)
    checks.count(ctx, node, name, args, 0, 0)
    return nodes.call(nil, fn, {}, nil, true)
  end })
end

barrier("syncthreads", "__syncthreads")
barrier("threadfence", "__threadfence")
barrier("threadfence_block", "__threadfence_block")
barrier("threadfence_system", "__threadfence_system")

for name, result in pairs{ syncthreads_and = "bool", syncthreads_or = "bool",
  syncthreads_count = "int" } do
  define(name, { call = function(ctx, node, args)
    checks.count(ctx, node, name, args, 1, 1)
    local given = { checks.boolean(ctx, node, name, 1, args[1]) }
    local e = nodes.call("int", "__" .. name, given, nil, true)
    return result == "int" and e or nodes.infix("bool", "!=", e, nodes.const("int", 0))
  end })
end

-- Time --------------------------------------------------------------------------------------------

rows.clock = { call = function(ctx, node, args)
  checks.count(ctx, node, "clock", args, 0, 0)
  return nodes.call("int", "clock64", {}, nil, true)
end }

rows.nanosleep = { call = function(ctx, node, args)
  checks.count(ctx, node, "nanosleep", args, 1, 1)
  local ns = checks.integer(ctx, node, "nanosleep", 1, args[1])
  return nodes.call(nil, "__nanosleep", { nodes.convert(ns, "uint32") }, nil, true)
end }

return { rows = rows }

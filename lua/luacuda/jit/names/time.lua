-- time.lua: clock() and nanosleep(ns) in kernels.

local gpu = require "luacuda.jit.names.gpu"
local infer = require "luacuda.jit.infer.walk"
local nodes = require "luacuda.jit.typed.nodes"

gpu.define("clock", { call = function(ctx, node, args)
  infer.check_count(ctx, node, "clock", args, 0, 0)
  return nodes.call("int", "clock64", {}, nil, true)
end })

gpu.define("nanosleep", { call = function(ctx, node, args)
  infer.check_count(ctx, node, "nanosleep", args, 1, 1)
  local ns = infer.integer_argument(ctx, node, "nanosleep", 1, args[1])
  return nodes.call(nil, "__nanosleep", { nodes.convert(ns, "uint32") }, nil, true)
end })

return gpu

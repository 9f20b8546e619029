-- math_functions.lua: functions of CUDA's math library that kernels have besides those of arrays,
-- and ffs.

local gpu = require "luacuda.jit.names.gpu"
local infer = require "luacuda.jit.infer.walk"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

-- The float type of a result: a Lua float of Lua numbers, float64 of integers.
local function float_type(ctx, node, name, args)
  local t
  for k, e in ipairs(args) do
    local kind = types.kind_of(e.type)
    if kind ~= "int" and kind ~= "uint" and kind ~= "float" then
      fail(ctx, node, "%s: argument %d: expected a real number, got %s", name, k,
        report.described(e))
    end
    t = t and types.join(t, e.type) or e.type
  end
  if types.is_float(t) then return t end
  return types.is_lua(t) and "float" or "float64"
end

-- Floats of 16 bits are computed as float32.
local function computed_in(t) return types.dtype_of(t) == "float64" and "float64" or "float32" end

-- Name -> arguments and functions for float32 and float64.
local ROWS = {
  fma = { 3, "fmaf", "fma" }, rsqrt = { 1, "rsqrtf", "rsqrt" }, exp10 = { 1, "exp10f", "exp10" },
  sinpi = { 1, "sinpif", "sinpi" }, cospi = { 1, "cospif", "cospi" },
}

for name, row in pairs(ROWS) do
  gpu.define(name, { call = function(ctx, node, args)
    infer.check_count(ctx, node, name, args, row[1], row[1])
    local t = float_type(ctx, node, name, args)
    local dtype = computed_in(t)
    ctx.unit:mention(t)
    local list = {}
    for k, e in ipairs(args) do list[k] = nodes.convert(nodes.convert(e, t), dtype) end
    local e = nodes.call(dtype, row[dtype == "float64" and 3 or 2], list)
    return nodes.convert(e, t)
  end })
end

-- The place of the lowest bit that is set, from 1; 0 where none is.
gpu.define("ffs", { call = function(ctx, node, args)
  infer.check_count(ctx, node, "ffs", args, 1, 1)
  local e = infer.integer_argument(ctx, node, "ffs", 1, args[1])
  local wide = require("luacuda.base.dtypes").of(types.dtype_of(e.type)).size == 8
  return nodes.call("int", wide and "__ffsll" or "__ffs", { nodes.convert(e, wide and "int64"
    or "int32") })
end })

return gpu

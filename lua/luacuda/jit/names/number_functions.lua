-- number_functions.lua: functions of numbers that kernels have besides those of arrays:
-- conversions, CUDA's math library, bits.

local dtypes = require "luacuda.base.dtypes"
local checks = require "luacuda.jit.typed.argument_checks"
local arithmetic = require "luacuda.jit.typed.arithmetic"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local rows = {}

-- Conversions -------------------------------------------------------------------------------------

-- float32(v); complex64(re, im)
local function conversion(name)
  local kind = dtypes.of(name).kind
  local most = kind == "complex" and 2 or 1
  return { name = name, dtype = name, call = function(ctx, node, args)
    checks.count(ctx, node, name, args, 1, most)
    ctx.unit:mention(name)
    for k, e in ipairs(args) do
      local from = types.kind_of(e.type)
      if not from then
        fail(ctx, node, "%s: argument %d: expected a number, got %s", name, k,
          report.described(e))
      end
      if from == "complex" and (kind ~= "complex" or most == #args) then
        fail(ctx, node, "%s: argument %d is complex: take its part with cuda.real(z)", name, k)
      end
    end
    if #args == 2 then
      local part = dtypes.part_of(name)
      return nodes.call(name, name, { nodes.convert(args[1], part), nodes.convert(args[2], part) })
    end
    if kind == "bool" and args[1].type ~= "bool" then
      return arithmetic.compare(ctx, node, "~=", args[1], nodes.literal(0))
    end
    return nodes.convert(args[1], name)
  end }
end

for _, row in ipairs(dtypes.list) do rows[row.name] = conversion(row.name) end

-- CUDA's math library -----------------------------------------------------------------------------

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
local FUNCTIONS = {
  fma = { 3, "fmaf", "fma" }, rsqrt = { 1, "rsqrtf", "rsqrt" }, exp10 = { 1, "exp10f", "exp10" },
  sinpi = { 1, "sinpif", "sinpi" }, cospi = { 1, "cospif", "cospi" },
}

for name, row in pairs(FUNCTIONS) do
  rows[name] = { call = function(ctx, node, args)
    checks.count(ctx, node, name, args, row[1], row[1])
    local t = float_type(ctx, node, name, args)
    local dtype = computed_in(t)
    ctx.unit:mention(t)
    local list = {}
    for k, e in ipairs(args) do list[k] = nodes.convert(nodes.convert(e, t), dtype) end
    local e = nodes.call(dtype, row[dtype == "float64" and 3 or 2], list)
    return nodes.convert(e, t)
  end }
end

-- Bits --------------------------------------------------------------------------------------------

for name, row in pairs{ popc = { "__popc", "__popcll" }, clz = { "__clz", "__clzll" } } do
  rows[name] = { call = function(ctx, node, args)
    checks.count(ctx, node, name, args, 1, 1)
    local e = checks.integer(ctx, node, name, 1, args[1])
    local wide = dtypes.of(types.dtype_of(e.type)).size == 8
    return nodes.call("int", row[wide and 2 or 1],
      { nodes.convert(e, wide and "int64" or "uint32") })
  end }
end

-- The place of the lowest bit that is set, from 1; 0 where none is.
rows.ffs = { call = function(ctx, node, args)
  checks.count(ctx, node, "ffs", args, 1, 1)
  local e = checks.integer(ctx, node, "ffs", 1, args[1])
  local wide = dtypes.of(types.dtype_of(e.type)).size == 8
  return nodes.call("int", wide and "__ffsll" or "__ffs", { nodes.convert(e, wide and "int64"
    or "int32") })
end }

return { rows = rows }

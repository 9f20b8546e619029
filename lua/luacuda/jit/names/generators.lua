-- generators.lua: random(seed, sequence [, offset]): generators of random numbers in kernels.

local source = require "luacuda.jit.emit.generator_source"
local checks = require "luacuda.jit.typed.argument_checks"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local rows = {}

rows.random = { call = function(ctx, node, args)
  checks.count(ctx, node, "random", args, 2, 3)
  local given = {}
  for k = 1, 3 do
    local e = args[k] or nodes.literal(0)
    given[k] = nodes.convert(checks.integer(ctx, node, "random", k, e), "uint64")
  end
  ctx.unit:need{ source.generator }
  return { op = "generator", type = types.generator, args = given, effect = true }
end }

-- Methods -----------------------------------------------------------------------------------------

local methods = {}

-- The dtype float32 or float64 that an argument names.
local function float_argument(ctx, node, name, e)
  if e == nil then return "float32" end
  local dtype = e.op == "const" and e.type == "string" and e.value
    or e.op == "builtin" and e.row.dtype
  if dtype == "float32" or dtype == "float64" then return dtype end
  fail(ctx, node, "%s: argument 1: expected float32 or float64", name)
end

local function floats(name, texts, fn)
  methods[name] = function(ctx, node, g, args)
    checks.count(ctx, node, name, args, 0, 1)
    local dtype = float_argument(ctx, node, name, args[1])
    local bits = dtype:match "%d+$"
    return nodes.call(dtype, fn .. bits, { g }, { texts(bits) }, true)
  end
end

floats("uniform", function() return source.uniform end, "_lcu_uniform")
floats("normal", function(bits) return source["normal" .. bits] end, "_lcu_normal")

function methods.bits(ctx, node, g, args)
  checks.count(ctx, node, "bits", args, 0, 0)
  return nodes.call("uint32", "_lcu_word", { g }, nil, true)
end

function methods.integer(ctx, node, g, args)
  checks.count(ctx, node, "integer", args, 2, 2)
  local given = { g }
  for k, e in ipairs(args) do
    given[k + 1] = nodes.convert(checks.integer(ctx, node, "integer", k, e), "int")
  end
  local low, high = args[1], args[2]
  if low.op == "const" and high.op == "const" and low.value > high.value then
    fail(ctx, node, "integer: there is no integer from %d to %d", low.value, high.value)
  end
  return nodes.call("int", "_lcu_integer", given, { source.integer }, true)
end

return { rows = rows,
  methods = { generator = { name = "a generator of random numbers", methods = methods } } }

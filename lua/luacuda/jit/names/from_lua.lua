-- from_lua.lua: functions of Lua in kernels, one row each by name: the math library, print, assert
-- and error.

local checks = require "luacuda.jit.typed.argument_checks"
local arithmetic = require "luacuda.jit.typed.arithmetic"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local rows = require "luacuda.jit.typed.rows"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local M = {}            -- of the math library

local function numbers(ctx, node, name, args, least, most)
  checks.count(ctx, node, "math." .. name, args, least, most)
  for k, e in ipairs(args) do
    if not types.is_number(e.type) then
      fail(ctx, node, "math.%s: argument %d: expected a number, got %s", name, k,
        report.described(e))
    end
  end
end

local function constant(e) return e.op == "const" and types.is_lua(e.type) end

-- The value of a function of Lua's library for constants; what it refuses is an error.
local function value_of(ctx, node, name, list)
  local ok, v = pcall(math[name], table.unpack(list))
  if ok then return nodes.literal(v) end
  fail(ctx, node, "math.%s: %s", name, (v:gsub("^bad argument #(%d+) to '.-'", "argument %1")))
end

-- A function whose value for constants is computed when the kernel is made.
local function define(name, least, most, call)
  M[name] = { name = "math." .. name, call = function(ctx, node, args)
    numbers(ctx, node, name, args, least, most)
    local list, all = {}, true
    for k, e in ipairs(args) do list[k], all = e.value, all and constant(e) end
    local literal = all and value_of(ctx, node, name, list)
    return literal or call(ctx, node, args, name)
  end }
end

for name, row in pairs{ sqrt = "sqrt", exp = "exp", sin = "sin", cos = "cos", tan = "tan",
  asin = "asin", acos = "acos", deg = "rad2deg", rad = "deg2rad",
  -- those of Lua 5.2, which a Lua may still have
  cosh = "cosh", sinh = "sinh", tanh = "tanh", log10 = "log10" } do
  define(name, 1, 1, function(ctx, node, args) return rows.call(ctx, node, row, args) end)
end

define("abs", 1, 1, function(ctx, node, args)
  local result = rows.call(ctx, node, "abs", args)
  if args[1].type == "int!" then
    return nodes.convert(result, ctx.unit.of_arrays and "int" or "int!")
  end
  return result
end)

define("atan", 1, 2, function(ctx, node, args)
  return rows.call(ctx, node, #args == 2 and "atan2" or "atan", args)
end)

define("log", 1, 2, function(ctx, node, args)
  local base = args[2]
  if not base then return rows.call(ctx, node, "log", args) end
  if constant(base) and (base.value == 2 or base.value == 10) then
    return rows.call(ctx, node, base.value == 2 and "log2" or "log10", { args[1] })
  end
  return arithmetic.binary(ctx, node, "/", rows.call(ctx, node, "log", { args[1] }),
    rows.call(ctx, node, "log", { base }))
end)

define("pow", 2, 2, function(ctx, node, args)
  return arithmetic.binary(ctx, node, "^", args[1], args[2])
end)

define("fmod", 2, 2, function(ctx, node, args) return rows.call(ctx, node, "fmod", args) end)

-- A Lua integer from a float.
for name, fn in pairs{ floor = "_lcu_floor_int", ceil = "_lcu_ceil_int" } do
  define(name, 1, 1, function(ctx, node, args)
    local e = args[1]
    if types.is_integer(e.type) then return e end
    if types.kind_of(e.type) == "complex" then
      fail(ctx, node, "math.%s: argument 1 is complex: take its part with cuda.real(z)", name)
    end
    if types.dtype_of(e.type) ~= "float64" then e = nodes.convert(e, "float32") end
    return nodes.call("int", fn, { e }, { fn })
  end)
end

-- Of two: the second where it is smaller (larger), as Lua does it.
local function extreme(ctx, node, name, symbol, a, b)
  local ia, ib = types.is_integer(a.type), types.is_integer(b.type)
  if ia and ib and types.is_lua(a.type) and types.is_lua(b.type) then
    local weak = a.type == "int!" and b.type == "int!" and not ctx.unit.of_arrays
    return nodes.int(weak and "int!" or "int", name, a, b)
  end
  local t = types.join(a.type, b.type)
  if types.kind_of(t) == "complex" then fail(ctx, node, "math.%s takes real numbers", name) end
  ctx.unit:mention(t)
  return nodes.call(t, "_lcu_lua_" .. name .. "<" .. types.dtype_of(t) .. ">",
    { nodes.convert(a, t), nodes.convert(b, t) }, { "_lcu_lua_" .. name }), symbol
end

for name, symbol in pairs{ max = ">", min = "<" } do
  define(name, 1, 100, function(ctx, node, args)
    local e = args[1]
    for k = 2, #args do e = extreme(ctx, node, name, symbol, e, args[k]) end
    return e
  end)
end

define("tointeger", 1, 1, function(ctx, node, args)
  if types.is_integer(args[1].type) then return args[1] end
  fail(ctx, node, "math.tointeger gives nil for other numbers, and kernels have no nil: write "
    .. "math.floor(x)")
end)

define("ult", 2, 2, function(ctx, node, args)
  for k = 1, 2 do checks.integer(ctx, node, "math.ult", k, args[k]) end
  return nodes.infix("bool", "<", nodes.convert(args[1], "uint64"),
    nodes.convert(args[2], "uint64"))
end)

-- math.type(x) is known when the kernel is made.
M.type = { name = "math.type", call = function(ctx, node, args)
  checks.count(ctx, node, "math.type", args, 1, 1)
  local e = args[1]
  if types.is_integer(e.type) then return nodes.literal("integer") end
  return types.is_float(e.type) and nodes.literal("float")
    or { op = "static", static = true, value = nil }
end }

for name, words in pairs{
  random = "local r = random(seed, i) makes a generator, and r:uniform() draws",
  randomseed = "random(seed, i) takes the seed",
  modf = "write math.floor(x) and x - math.floor(x)" } do
  M[name] = { call = function(ctx, node)
    fail(ctx, node, "'math.%s' cannot run on a device: %s", name, words)
  end }
end

-- Messages ----------------------------------------------------------------------------------------

local globals = {}

-- The part of printf's format for a value, and its argument.
local function shown(ctx, node, k, e)
  local kind = types.kind_of(e.type)
  if e.op == "const" and e.type == "string" then return "%s", e end
  if kind == "bool" then
    return "%s", nodes.select("string", e, nodes.const("string", "true"),
      nodes.const("string", "false"))
  end
  if kind == "int" then return "%lld", nodes.prefix("int64", "(int64)", e) end
  if kind == "uint" then return "%llu", nodes.convert(e, "uint64") end
  if kind == "float" then return "%.14g", nodes.convert(e, "float64") end
  fail(ctx, node, "print: argument %d: expected a number, a boolean or a text, got %s", k,
    report.described(e))
end

globals.print = { call = function(ctx, node, args)
  local formats, list = {}, {}
  for k, e in ipairs(args) do formats[k], list[k + 1] = shown(ctx, node, k, e) end
  list[1] = nodes.const("string", table.concat(formats, "\t") .. "\n")
  return nodes.call(nil, "printf", list, nil, true)
end }

local function message_of(ctx, node, name, e, default)
  if e == nil then return default end
  if e.op == "const" and type(e.value) == "string" then return e.value end
  fail(ctx, node, "%s: the message is a text that is known when the kernel is made", name)
end

-- assert(condition [, message]) ends the kernel with a fault unless the condition holds.
globals.assert = { call = function(ctx, node, args)
  checks.count(ctx, node, "assert", args, 1, 2)
  local cond = checks.boolean(ctx, node, "assert", 1, args[1])
  local message = message_of(ctx, node, "assert", args[2], "assertion failed!")
  return { op = "assert", cond = cond, message = message, effect = true }
end }

-- error(message [, level]): a message of a device has the line of the call in any case.
globals.error = { call = function(ctx, node, args)
  checks.count(ctx, node, "error", args, 1, 2)
  local message = message_of(ctx, node, "error", args[1])
  return { op = "assert", message = message, effect = true }
end }

return { math = M, globals = globals }

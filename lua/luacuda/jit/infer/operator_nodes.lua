-- operator_nodes.lua: the rules of operators.

local walk = require "luacuda.jit.infer.walk"
local arithmetic = require "luacuda.jit.typed.arithmetic"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local rows = require "luacuda.jit.typed.rows"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail
local fold, is_constant = arithmetic.fold, arithmetic.is_constant
local check_operand, is_plain_float = arithmetic.check_operand, arithmetic.is_plain_float

local expressions = {}

local COMPARISONS = { ["=="] = true, ["~="] = true, ["<"] = true, ["<="] = true, [">"] = true,
  [">="] = true }

local function concatenation(ctx, node, a, b)
  if is_constant(a) and is_constant(b) and a.type ~= "bool" and b.type ~= "bool" then
    return fold(ctx, node, "a .. b", a.value, b.value)
  end
  fail(ctx, node, "text cannot be made on a device: give print several arguments")
end

function expressions.binary(ctx, node)
  local a, b = walk.expression(ctx, node.left), walk.expression(ctx, node.right)
  if node.op == ".." then return concatenation(ctx, node, a, b) end
  local rule = COMPARISONS[node.op] and arithmetic.compare or arithmetic.binary
  return walk.elementwise(ctx, node, { a, b }, function(x, y)
    return rule(ctx, node, node.op, x, y)
  end)
end

local unary = {}

unary["not"] = function(ctx, node, e)
  e = walk.condition(ctx, node.operand, e)
  if e.op == "const" then return nodes.const("bool", not e.value) end
  return nodes.prefix("bool", "!", e)
end

unary["-"] = function(ctx, node, e)
  if is_constant(e) and types.is_number(e.type) then return fold(ctx, node, "-a", e.value) end
  check_operand(ctx, node.operand, "-", e)
  if is_plain_float(e.type) then return nodes.prefix(e.type, "-", e) end
  if types.is_lua(e.type) then
    local t = ctx.unit.of_arrays and "int" or e.type
    return nodes.int(t, "sub", nodes.const(e.type, 0), e)
  end
  return rows.call(ctx, node, "negative", { e })
end

unary["~"] = function(ctx, node, e)
  if is_constant(e) and types.is_number(e.type) then return fold(ctx, node, "~a", e.value) end
  check_operand(ctx, node.operand, "~", e)
  if not types.is_integer(e.type) then
    fail(ctx, node, "'~' takes integers, and this is %s: write math.floor(x)", types.name(e.type))
  end
  if types.is_lua(e.type) then return nodes.prefix(e.type, "~", e) end
  return rows.call(ctx, node, "bitwise_not", { e })
end

unary["#"] = function(ctx, node, e)
  if types.is_array(e.type) and e.type.ndim > 0 then return nodes.extent(e, 1) end
  if e.op == "const" and e.type == "string" then return nodes.literal(#e.value) end
  if e.static and type(e.value) == "table" then return nodes.literal(#e.value) end
  if e.op == "shape" then return nodes.literal(e.array.type.ndim) end
  fail(ctx, node, "'#' takes an array, and this is %s", report.described(e))
end

-- Raises for `#` of a tile, and `not` of one of numbers.
local function check_tile(ctx, node, e)
  if not types.is_tile(e.type) then return end
  if node.op == "#" then
    fail(ctx, node, "'#' takes an array, and this is %s: its extents are the constants that it was "
      .. "made with", types.name(e.type))
  elseif node.op == "not" and e.type.dtype ~= "bool" then
    fail(ctx, node, "'not' takes a tile of booleans, and this is %s: compare it, as in t == 0",
      types.name(e.type))
  end
end

function expressions.unary(ctx, node)
  local operand = walk.expression(ctx, node.operand)
  check_tile(ctx, node, operand)
  return walk.elementwise(ctx, node, { operand }, function(e)
    return unary[node.op](ctx, node, e)
  end)
end

return { expressions = expressions }

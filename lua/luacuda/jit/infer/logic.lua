-- logic.lua: `and`, `or`, and selections.

local walk = require "luacuda.jit.infer.walk"
local arithmetic = require "luacuda.jit.typed.arithmetic"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local slots = require "luacuda.jit.typed.slots"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local expressions = {}

-- An operand that is evaluated at times.
local function sometimes(ctx, node) return walk.at_times(ctx, node, walk.expression) end

-- Selection ---------------------------------------------------------------------------------------

local function joined(ctx, node, a, b)
  local t = a.type and b.type and slots.join(ctx, a.type, b.type)
  if not t or type(t) ~= "string" or t == "string" then
    fail(ctx, node, "'%s' has %s on the left and %s on the right, which have no type in common",
      node.kind, report.described(a), report.described(b))
  end
  if a.type == "int!" and b.type == "int!" then return ctx.unit.of_arrays and "int" or "int!" end
  if ctx.unit.of_arrays then
    for _, e in ipairs{ a, b } do
      if e.op == "const" then arithmetic.check_constant(ctx, node, e, t) end
    end
  end
  return t
end

-- A selection between arrays becomes a variable before the statement.
local function selected_array(ctx, node, cond, a, b)
  local t = types.join(a.type, b.type)
  if not t then
    fail(ctx, node, "'or' has %s on the left and %s on the right: a selection takes arrays of one "
      .. "dtype and number of axes", report.described(a), report.described(b))
  end
  local e = nodes.select(t, cond, a, b)
  e.effect, e.origin = true, slots.unite(a.origin, b.origin)
  e.slot = { name = ctx.unit:own_name "_t", type = t, origin = e.origin, var = { name = "or" },
    small = nodes.is_small(a) and nodes.is_small(b) }
  return e
end

-- The logic of two booleans, or of tiles of booleans.
local function both(ctx, node, symbol, a, b)
  return walk.elementwise(ctx, node, { a, b }, function(x, y) return nodes.logic(symbol, x, y) end)
end

local function is_boolean(e)
  return e.type == "bool" or types.is_tile(e.type) and e.type.dtype == "bool"
end

local function no_tiles(ctx, node, cond, a, b)
  for _, e in ipairs{ cond, a, b } do
    if types.is_tile(e.type) then
      fail(ctx, node, "a selection of tiles takes each element of one of them: write where(c, a, "
        .. "b) in place of c and a or b")
    end
  end
end

-- `c and a or b`: a selection where a is no boolean, else logic.
local function selection(ctx, node, left_node)
  local cond = walk.operand(ctx, left_node.left)
  if cond.op == "const" and not cond.value then return walk.expression(ctx, node.right) end
  local read = cond.op == "const" and walk.expression or sometimes
  local a = read(ctx, left_node.right)
  if is_boolean(a) then
    local left = cond.op == "const" and a or both(ctx, node, "&&", cond, a)
    if left.op == "const" then return left.value and left or walk.expression(ctx, node.right) end
    return both(ctx, node, "||", left, walk.at_times(ctx, node.right, walk.operand))
  end
  if cond.op == "const" then return a end
  local b = sometimes(ctx, node.right)
  no_tiles(ctx, node, cond, a, b)
  if types.is_array(a.type) and types.is_array(b.type) then
    return selected_array(ctx, node, cond, a, b)
  end
  local t = joined(ctx, node, a, b)
  return nodes.select(t, cond, nodes.convert(a, t), nodes.convert(b, t))
end

-- Logic -------------------------------------------------------------------------------------------

local function without_parens(node)
  while node.kind == "paren" do node = node.inner end
  return node
end

-- `a or b or c` is read as `a or (b or c)`, which has the same value, so that each `c and a or` is
-- a selection.
local function reassociated(node, left)
  local right = { kind = "or", line = node.line, from = left.from, to = node.to,
    left = left.right, right = node.right }
  return { kind = "or", line = node.line, from = node.from, to = node.to, left = left.left,
    right = right }
end

expressions["or"] = function(ctx, node)
  local left = without_parens(node.left)
  if left.kind == "or" then return expressions["or"](ctx, reassociated(node, left)) end
  if left.kind == "and" then return selection(ctx, node, left) end
  local a = walk.expression(ctx, node.left)
  if a.static then return walk.expression(ctx, a.value and node.left or node.right) end
  if types.is_tile(a.type) then
    walk.check_tile(ctx, node.left, a)
  elseif a.type ~= "bool" then
    if ctx.unit.of_arrays then return a end
    fail(ctx, node, "'or' takes booleans, and this is %s, which is always true: the right side is "
      .. "never used", report.described(a))
  end
  if a.op == "const" then
    return a.value and a or walk.expression(ctx, node.right)
  end
  return both(ctx, node, "||", a, walk.at_times(ctx, node.right, walk.operand))
end

expressions["and"] = function(ctx, node)
  local a = walk.operand(ctx, node.left)
  if a.op == "const" then
    return a.value and walk.expression(ctx, node.right) or a
  end
  local b = sometimes(ctx, node.right)
  if not is_boolean(b) then
    fail(ctx, node, "'and' gives false or %s here, which have no type in common: write c and a or "
      .. "b", report.described(b))
  end
  return both(ctx, node, "&&", a, b)
end

return { expressions = expressions }

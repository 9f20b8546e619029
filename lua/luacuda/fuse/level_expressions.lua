-- level_expressions.lua: levels of expressions, and the decisions in them.

local levels = require "luacuda.fuse.levels"
local known_of = require "luacuda.fuse.known"

local expressions = {}
local level, decide, condition = levels.level, levels.decide, levels.condition

function expressions.paren(ctx, node) return level(ctx, node.inner) end
function expressions.vararg(ctx) return ctx.vararg end

-- A function that is used as a value may be called with anything.
local function value_level(ctx, known)
  local record = known and (known.record
    or known.value ~= nil and known_of.record_of_value(ctx, known.value))
  return record and levels.escapes(ctx, record) or 0
end

expressions["local"] = function(ctx, node)
  return math.max(ctx.state.vars[node.var] or 0, value_level(ctx, ctx.state.known[node.var]))
end

function expressions.free(ctx, node)
  return math.max(ctx.state.written[node.name] or 0, value_level(ctx, known_of.resolve(ctx, node)))
end

expressions["function"] = function(ctx, node)
  return levels.escapes(ctx, known_of.record(ctx.state, node, ctx.source))
end

function expressions.index(ctx, node)
  local own = math.max(level(ctx, node.object), level(ctx, node.key))
  if own > 0 and node.key.kind == "string" and node.key.value == "dtype" then return 0 end
  return math.max(own, value_level(ctx, known_of.resolve(ctx, node)))
end

function expressions.table(ctx, node)
  local most = 0
  for _, item in ipairs(node.items) do
    if item.key then most = math.max(most, level(ctx, item.key)) end
    most = math.max(most, level(ctx, item.value))
  end
  return most
end

local COMPARE = { ["=="] = true, ["~="] = true, ["<"] = true, ["<="] = true, [">"] = true,
  [">="] = true }
local BITS = { ["&"] = true, ["|"] = true, ["~"] = true }

local function is_nil(node) return node.kind == "nil" end

function expressions.binary(ctx, node)
  local most = math.max(level(ctx, node.left), level(ctx, node.right))
  if most == 0 then return 0 end
  if COMPARE[node.op] then
    if is_nil(node.left) or is_nil(node.right) then return 0 end
    decide(ctx, node)
    return 2
  end
  return BITS[node.op] and most or 1
end

function expressions.unary(ctx, node)
  local own = level(ctx, node.operand)
  if node.op == "not" then
    if own == 2 then decide(ctx, node) end
    return own == 2 and 2 or 0
  end
  return node.op == "~" and own or math.min(own, 1)
end

expressions["and"] = function(ctx, node)
  condition(ctx, node.left)
  return math.max(level(ctx, node.left), level(ctx, node.right))
end
expressions["or"] = expressions["and"]

return { expressions = expressions }

-- method_calls.lua: calls of methods, which values of some kinds have (type.kind, or `kind` of an
-- expression that is known when the kernel is made): infer.methods[kind] is { name = what messages
-- call it, methods = name -> function(ctx, node, object, args) }.

local core = require "luacuda.core"
local hints = require "luacuda.jit.names.replacements"
local infer = require "luacuda.jit.infer.walk"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local function names_of(own)
  local list = {}
  for name in pairs(own.methods) do list[#list + 1] = name end
  table.sort(list)
  return list
end

-- The methods of a value, or nil.
local function methods_of(e)
  return infer.methods[e.kind or type(e.type) == "table" and e.type.kind] or nil
end

-- no_field(ctx, node, e, name) raises where e has methods only.
function infer.no_field(ctx, node, e, name)
  local own = methods_of(e)
  if not own then return end
  fail(ctx, node, "%s has no field '%s': call a method (%s)", own.name, tostring(name),
    table.concat(names_of(own), ", "))
end

-- What to write in place of a method that needs Lua.
local function instead(object, name)
  if object.type == "string" then return hints.TEXT end
  if infer.array_fields[name] then return ("it is a field, x.%s"):format(name) end
  if types.is_number(object.type) then return hints.name(name) or "numbers have no methods" end
  return hints.array(name) or "a kernel computes element by element"
end

function infer.expressions.method(ctx, node)
  local object = infer.expression(ctx, node.object)
  local own = methods_of(object)
  if not own and ctx.unit.of_arrays then
    return ctx.unit.of_arrays.method(ctx, node, object, infer.values(ctx, node.args))
  end
  if not own then
    fail(ctx, node, "method '%s' cannot be called on a device: %s", node.name,
      instead(object, node.name))
  end
  local method = own.methods[node.name]
  if not method then
    fail(ctx, node, "%s has no method '%s'%s", own.name, node.name,
      core.near(node.name, names_of(own), "kernel"))
  end
  local e = method(ctx, node, object, infer.values(ctx, node.args))
  if e.effect then ctx.effects = true end
  return e
end

return infer

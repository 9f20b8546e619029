-- tile_selection.lua: where(condition, a, b) of one element.

local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"

-- select(ctx, node, c, a, b) -> c ? a : b, of the type that a and b have in common
local function choose(ctx, node, c, a, b)
  if c.type ~= "bool" then
    report.fail(ctx, node, "where: argument 1: expected booleans, got %s", report.described(c))
  end
  local t = types.join_weak(a.type, b.type) or types.join(a.type, b.type)
  if not types.dtype_of(t) then
    report.fail(ctx, node, "where: %s and %s have no type in common", report.described(a),
      report.described(b))
  end
  return nodes.select(t, c, nodes.convert(a, t), nodes.convert(b, t))
end

return { select = choose }

-- body_text.lua: the C++ texts of builders that call functions written in Lua.

local emit = require "luacuda.jit.emit.program_text"
local callee = require "luacuda.jit.infer.callee"

local M = {}

local SPACE = "_lcu_lua"

-- functions(unit) -> the device functions, in a namespace of their own
function M.functions(unit) return emit.functions(unit, SPACE) end

-- call(ctx, args) -> the call of a function, after M.functions; `args`: C++ arguments for its
-- parameters
function M.call(ctx, args)
  local list = table.move(args, 1, #args, 1, {})
  for _, slot in ipairs(ctx.captured_list) do
    local parts = callee.parts(slot.name, slot.type)
    table.move(parts, 1, #parts, #list + 1, list)
  end
  return ("%s::%s(%s)"):format(SPACE, ctx.name, table.concat(list, ", "))
end

-- assign(outs, call) -> statements that assign the results of a call to outputs
function M.assign(outs, call)
  if #outs == 0 then return call .. ";\n" end
  if #outs == 1 then return ("%s = %s;\n"):format(outs[1], call) end
  local lines = { ("const auto _lcu_values = %s;\n"):format(call) }
  for k, out in ipairs(outs) do lines[k + 1] = ("%s = _lcu_values.v%d;\n"):format(out, k) end
  return table.concat(lines)
end

return M

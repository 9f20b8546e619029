-- free_names.lua: what the free names of a function mean to Lua: upvalues, constants and globals.

local arguments = require "luacuda.base.arguments"

local fail = arguments.fail

local M = {}

-- The value of a global, which may come from a metamethod; nil where that raises.
local function global(env, name)
  local ok, value = pcall(function() return env[name] end)
  if ok then return value end
end

-- Raises where names do not mean what they seem to.
local function check(found, what)
  local node = found.node
  if node.shadows_env then
    fail(what, "%s:%d: a variable '_ENV' gives all globals another meaning: give it another name",
      found.file, node.shadows_env)
  elseif node.declares_global then
    fail(what, "%s:%d: a declaration of globals has no meaning on a device: put it before the "
      .. "function", found.file, node.declares_global)
  end
end

-- names.of(found, what) -> name -> { kind = "upvalue", index =, value = now }, { kind = "constant",
-- value = } or { kind = "global", value = now }, each with `line`, that of its first use; for the
-- free names of what text.of has found, those of its inner functions included. A function without
-- the upvalue _ENV has no globals.
function M.of(found, what)
  check(found, what or "jit")
  local index = {}
  for i, name in ipairs(found.upvalues) do index[name] = i end
  local env = index._ENV and select(2, debug.getupvalue(found.fn, index._ENV))
  local names = {}
  for name, use in pairs(found.node.free) do
    local row = { kind = "global", line = use.line }
    if found.constants[name] then
      row.kind, row.value = "constant", found.constants[name].value
    elseif index[name] then
      row.kind, row.index = "upvalue", index[name]
      row.value = select(2, debug.getupvalue(found.fn, index[name]))
    else
      row.value = global(env, name)
    end
    names[name] = row
  end
  return names
end

return M

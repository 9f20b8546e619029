-- Levels of x86-64 that the CPU device can be asked for (LUACUDA_CPU_ISA).
--
--   levels.all                 their names
--   levels.take(name, opts)    opens the CPU device with a level in a fresh process: ok, output;
--                              opts as for child.lua
--   levels.has(name)           do this build and this processor have it?
local child = require "spec.support.child"

local M = { all = { "v2", "v3", "v4" } }
local known = {}

function M.take(name, opts)
  local given = { env = { LUACUDA_CPU_ISA = name, LUACUDA_DEVICE = "cpu" } }
  for key, value in pairs(opts or {}) do given[key] = value end
  return child.lua("print(require('luacuda').ones(3):sum())", given)
end

function M.has(name)
  if known[name] == nil then known[name] = M.take(name) end
  return known[name]
end

return M

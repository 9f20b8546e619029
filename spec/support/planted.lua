-- Kernels with planted mistakes: what LUACUDA_CPU_CHECK=all reports. Each list of launches runs in
-- a process of its own, because the setting is read once.
local assert = require "luassert"
local helper = require "spec.helper"

-- The faults of one process, in order: "none", or kind, line, block, thread and the other access.
local PRELUDE = [[
  local cuda = require "luacuda"
  local source = %s
  local m = cuda.module(source)
  local function launch(name, shape, ...)
    local ok, e = pcall(function(...)
      m:kernel(name)(shape, ...)
      cuda.synchronize()
    end, ...)
    print(ok and "none" or e.fault and ("%%s:%%d %%s"):format(e.fault, e.line, e.message) or e)
  end
]]

local function faults(source, code, env)
  local all = { LUACUDA_DEVICE = "cpu", LUACUDA_CPU_CHECK = "all" }
  for name, value in pairs(env or {}) do all[name] = value end
  local ok, text = helper.lua(PRELUDE:format(("%q"):format(source)) .. code, { env = all })
  assert.is_true(ok, text)
  local list = {}
  for line in text:gmatch "[^\n]+" do list[#list + 1] = line end
  return list
end

local function check(wanted, got)
  assert.equal(#wanted, #got, table.concat(got, "\n"))
  for i, want in ipairs(wanted) do
    assert.truthy(got[i]:find(want, 1, true), ("%d: %s\nis not %s"):format(i, got[i], want))
  end
end

return { faults = faults, check = check }

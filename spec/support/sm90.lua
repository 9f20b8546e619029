-- sm90.lua: code that runs in a process of its own, where the CPU device has compute capability
-- 9.0: the plans of kernels over tiles are for devices that have it.
local helper = require "spec.helper"

local M = {}

local HEAD = [[
local cuda = require "luacuda"
cuda.use(tonumber(arg[1]) or arg[1])
local function wide(x) return x:astype "float64" end
]]

-- for_each_device(fn) calls fn(device) for each device that has plans.
function M.for_each_device(fn)
  helper.for_each_device(function(device)
    if device.kind == "cpu" or device.cc == 90 then fn(device) end
  end)
end

-- run(device, code [, env [, ...]]) -> what the code prints, with all checks unless the environment
-- `env` says otherwise. It has cuda, on the device, and wide; its arguments are from arg[2] on.
function M.run(device, code, env, ...)
  local all = { LUACUDA_CPU_ARCH = "90", LUACUDA_CPU_CHECK = "all" }
  for name, value in pairs(env or {}) do all[name] = value end
  local ok, out = helper.lua(HEAD .. code, { timeout = 7200, env = all,
    args = { device.kind == "cpu" and "cpu" or tostring(device.ordinal), ... } })
  assert(ok, out)
  return out
end

return M

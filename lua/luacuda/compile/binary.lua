-- binary.lua: the artifact (build.lua) of code that was given.

local core = require "luacuda.core"
local entries = require "luacuda.compile.entries"

-- binary.artifact(spec) -> artifact; the kernels of machine code are not known yet
local function artifact(spec)
  local a = { kind = spec.binary_kind, code = spec.binary, log = "", flags = {},
    has_variables = true, kernels = {}, variables = {}, binary = true }
  if spec.binary_kind ~= "ptx" then return a end
  for _, name in ipairs(core.entry_names(spec.binary)) do
    if not entries.is_carrier(name) then
      a.kernels[#a.kernels + 1] = { lowered = name }
    end
  end
  return a
end

return { artifact = artifact }

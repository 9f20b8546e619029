-- markers.lua: cuda.gpu: the names of the kernel's language as Lua values, so that a script can
-- name them (`local gpu = cuda.gpu`). Outside of kernels they do nothing but raise.

local core = require "luacuda.core"
local language = require "luacuda.jit.names.language"

local markers = {}

local function refuse(name)
  core.misuse(("gpu.%s: has a meaning only in kernels written in Lua (cuda.jit)"):format(name))
end

local function field_of(_, name)
  core.misuse(("gpu has no '%s'%s"):format(tostring(name), core.near(tostring(name),
    language.names(), "gpu")))
end

for name, row in pairs(language.rows) do
  if row.call and not row.dtype then
    markers[name] = function() refuse(name) end
  elseif not row.dtype then
    markers[name] = setmetatable({}, { __name = "luacuda.gpu." .. name,
      __index = function() refuse(name) end })
  end
  if markers[name] then language.of_marker[markers[name]] = row end
end

return { gpu = setmetatable(markers, { __index = field_of,
  __newindex = function() core.misuse "gpu: names of the kernel's language cannot be set" end }) }

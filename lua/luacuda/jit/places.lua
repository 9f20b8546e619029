-- places.lua: lets messages of compilers and faults of kernels name the file and line of a script.

local origins = require "luacuda.source.origins"

-- register(source) gives the text of a Lua function a name for #line marks: source.token.
local function register(source)
  local origin = origins.register(source.text, "function")
  origin.file, origin.first = source.path or source.file, source.line
  source.origin, source.token = origin, origin.token
end

return { register = register }

-- declared.lua: the name that a function is given where it is declared in a script.

local core = require "luacuda.core"

-- The name in `local saxpy = cuda.jit(function` and `function saxpy(`; nil: there is none.
local function name_of(source)
  local body = source.path and core.file_read(source.path)
  local n = 0
  for line in ((body or "") .. "\n"):gmatch "(.-)\r?\n" do
    n = n + 1
    if n == source.line then
      return line:match "([%a_][%w_]*)%s*=%s*[%w_.]+%s*[({]?%s*function"
        or line:match "function%s+[%w_.:]-([%a_][%w_]*)%s*%("
    end
  end
end

return { name_of = name_of }

-- declared.lua: the name that a function is given where it is declared in a script.

-- The name in `local saxpy = cuda.jit(function` and `function saxpy(`; nil: there is none.
local function name_of(source)
  local n = 0
  for line in (source.chunk .. "\n"):gmatch "(.-)\r?\n" do
    n = n + 1
    if n == source.line then
      return line:match "([%a_][%w_]*)%s*=%s*[%w_.]+%s*[({]?%s*function"
        or line:match "function%s+[%w_.:]-([%a_][%w_]*)%s*%("
    end
  end
end

return { name_of = name_of }

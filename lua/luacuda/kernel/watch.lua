-- watch.lua: which modules a function makes.

local list -- of the states of modules made during a call of `run`, else nil

-- watch.add(state) is called for every module that is made.
local function add(state)
  if list then list[#list + 1] = state end
end

-- watch.run(fn, ...) -> the states of the modules that the call makes, and its first two results.
-- An outer call has them as well.
local function run(fn, ...)
  local outer, mine = list, {}
  list = mine
  local ok, result, more = pcall(fn, ...)
  list = outer
  for _, state in ipairs(mine) do add(state) end
  if not ok then error(result, 0) end
  return mine, result, more
end

return { add = add, run = run }

-- either.lua: parameters that can be given by position or as options, like the keyword arguments of
-- NumPy: a:diff(2) and a:diff{ n = 2 }.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"

-- Is the value a table of options, not a list or an object?
local function is_options(value)
  return type(value) == "table" and not arguments.traced_by(value) and value[1] == nil
    and core.type(value) == nil and core.foreign(value) == nil
end

-- The options without one name.
local function without(options, name)
  local rest = {}
  for key, value in pairs(options) do
    if key ~= name then rest[key] = value end
  end
  return rest
end

-- either("diff", "argument 2 'n'", "n", n, options) -> n, the options without it, and its label in
-- messages. `value` may be the options.
local function either(what, place, name, value, options)
  if options == nil and is_options(value) then value, options = nil, value end
  if type(options) ~= "table" or options[name] == nil then return value, options, place end
  if value ~= nil then
    arguments.fail(what, "'%s' is given twice, as %s and as an option", name,
      place:match "^argument %d+")
  end
  return options[name], without(options, name), ("option '%s'"):format(name)
end

return { either = either, is_options = is_options }

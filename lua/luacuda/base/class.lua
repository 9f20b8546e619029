-- class.lua: metatables for objects that are made in Lua. Reading or setting an unknown field is an
-- error that lists the near names.

local core = require "luacuda.core"

-- A function for __index or __newindex; `kind`: "field or method".
local function unknown(class, kind, names)
  return function(_, key)
    local name = type(key) == "string" and key or ("[%s]"):format(math.type(key) or type(key))
    core.misuse(("%s has no %s '%s'%s"):format(class, kind, name, core.near(name, names,
      class)))
  end
end

-- class.new("Pool", methods, names) -> metatable; `names`: its fields and methods.
local function new(class, methods, names)
  local add = core.methods(class)     -- methods that files above the class's own define
  if add then add(methods) end
  return {
    __name = "luacuda." .. class,
    __index = setmetatable(methods, { __index = unknown(class, "field or method", names) }),
    __newindex = unknown(class, "settable field", names),
    __complete = function() return { table.unpack(names) } end,
  }
end

return { new = new, unknown = unknown }

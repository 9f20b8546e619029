-- builders.lua: cuda.elementwise, cuda.reduction and cuda.scan: C++ texts, or Lua functions in
-- their places.

local arguments = require "luacuda.base.arguments"
local views = require "luacuda.jit.body_views"

local CALLED = { DeviceFunction = true, Vectorized = true, Jit = true, Elementwise = true,
  Fused = true }

-- What made by this library can be called, but is no Lua function.
local function refuse_objects(what, given)
  for _, view in ipairs(views.of[what]) do
    local value = given[view.key]
    if type(value) == "table" or type(value) == "userdata" then
      local name = tostring(value):match "^luacuda%.(%a+)"
      arguments.fail(what, "%s: expected C++ (a string) or a Lua function, got %s%s", view.key,
        name or type(value), CALLED[name] and ": write function(x) ... end, which may call "
        .. "functions in Lua and cuda.device_function" or "")
    end
  end
end

-- Does a declaration have a Lua function in the place of a text, or several values that are
-- combined together (body_fields.lua)?
local function needs_bodies(what, given)
  if views.has_several(what, given) then return true end
  for _, view in ipairs(views.of[what]) do
    if type(given[view.key]) == "function" then return true end
  end
  return false
end

local function made(what, builder, ...)
  local given = builder.read(...)
  refuse_objects(what, given)
  if not needs_bodies(what, given) then return builder.make(given) end
  return builder.make(given, require("luacuda.jit.bodies").new(what, given))
end

-- cuda.elementwise(inputs, outputs, body, name [, options]), or all in one table
local function elementwise(...)
  return made("elementwise", require "luacuda.builder.elementwise", ...)
end

-- cuda.reduction(inputs, outputs, map, reduce, post, identity, name [, options]), or all in one
-- table
local function reduction(...) return made("reduction", require "luacuda.builder.reduction", ...) end

-- cuda.scan(inputs, outputs, map, scan, identity, name [, options]), or all in one table
local function scan(...) return made("scan", require "luacuda.builder.scan", ...) end

return { elementwise = elementwise, reduction = reduction, scan = scan }

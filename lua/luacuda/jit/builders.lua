-- builders.lua: cuda.elementwise, cuda.reduction and cuda.scan: C++ texts, or Lua functions in
-- their places.

local views = require "luacuda.jit.body_views"

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

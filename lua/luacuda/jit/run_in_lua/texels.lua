-- texels.lua: textures and surfaces for a run in Lua: one thread of their device reads or
-- writes a texel.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail
local kernels = require "luacuda.kernel.kernel"
local prelude = require "luacuda.builder.prelude"
local textures = require "luacuda.jit.typed.textures"

local M = {}

local LANES = { "x", "y", "z", "w" }

-- The parameters for coordinates, and their names.
local function coordinates(t)
  local params, args = {}, {}
  for k = 1, t.ndim do
    params[k], args[k] = textures.coordinate_type(t, k) .. " at" .. k, "at" .. k
  end
  return table.concat(params, ", "), table.concat(args, ", ")
end

-- Kernels that store the channels of a texel, and that write one.
local function read_text(t)
  local params, args = coordinates(t)
  local stores = {}
  for k = 1, t.channels do
    stores[k] = ("out[%d] = v%s;"):format(k - 1, t.channels > 1 and "." .. LANES[k] or "")
  end
  return ("(%s *out, %s t, %s) {\n  %s v = %s(t, %s);\n  %s\n}\n"):format(t.element,
    textures.handle(t), params, textures.ctype(t), textures.read(t), args,
    table.concat(stores, " "))
end

local function write_text(t)
  local params, args = coordinates(t)
  local values, names = {}, {}
  for k = 1, t.channels do values[k], names[k] = ("%s v%d"):format(t.element, k), "v" .. k end
  return ("(int8 *, %s t, %s, %s) {\n  %s(t, %s, %s);\n}\n"):format(textures.handle(t),
    table.concat(values, ", "), params, textures.write(t), table.concat(names, ", "), args)
end

local function kernel_of(t, name, text_of)
  local key = name .. " " .. t.key
  return kernels.find(name, key, function()
    return prelude.text { t.element } .. table.concat(textures.texts(t))
      .. ('extern "C" __global__ void %s'):format(name) .. text_of(t)
  end)
end

local function type_of(name, value, surface)
  local t = textures.type_of(value)
  if not t or t.surface ~= surface then
    fail(name, "argument 1: expected a %s, got %s", surface and "surface" or "texture",
      core.type(value) or type(value))
  end
  local problem = textures.problem(t)
  if problem then fail(name, "%s", problem) end
  return t
end

local ONCE = { grid = 1, block = 1 }

local function reader(name, surface)
  return function(object, ...)
    local t = type_of(name, object, surface)
    local kernel = kernel_of(t, "luacuda_" .. name, read_text)
    local out = core.zeros({ t.channels }, t.element, { device = object.device })
    kernel(ONCE, out, object, ...)
    return table.unpack(out:totable())
  end
end

local function write(object, ...)
  local t = type_of("surf_write", object, true)
  local out = core.zeros({ 1 }, "int8", { device = object.device })
  kernel_of(t, "luacuda_surf_write", write_text)(ONCE, out, object, ...)
end

-- add(names) adds the functions.
function M.add(names)
  names.tex, names.surf_read, names.surf_write = reader("tex", false), reader("surf_read", true),
    write
end

return M

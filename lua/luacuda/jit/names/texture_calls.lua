-- texture_calls.lua: tex(t, x, y), surf_read(s, x, y) and surf_write(s, v, x, y): textures and
-- surfaces in kernels. Coordinates are C's: x first, from 0.

local access = require "luacuda.jit.typed.access"
local checks = require "luacuda.jit.typed.argument_checks"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local textures = require "luacuda.jit.typed.textures"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local rows = {}

-- The texture or surface among the arguments.
local function object(ctx, node, name, e, surface)
  local t = e and e.type
  local fits = type(t) == "table" and t.kind == "texture" and t.surface == surface
  if not fits then
    fail(ctx, node, "%s: argument 1: expected a %s, got %s", name,
      surface and "surface" or "texture", e and report.described(e) or "nothing")
  end
  local problem = textures.problem(t)
  if problem then fail(ctx, node, "%s: %s", name, problem) end
  return t
end

-- The coordinates from argument `first` on: those of a layer and of texels are integers.
local function coordinates(ctx, node, name, t, args, first)
  local list = {}
  for k = first, #args do
    local e, axis = args[k], k - first + 1
    if textures.coordinate_type(t, axis) == "int" then
      list[axis] = nodes.convert(checks.integer(ctx, node, name, k, e), "int32")
    else
      if not types.is_integer(e.type) and not types.is_float(e.type) then
        fail(ctx, node, "%s: argument %d: expected a number, got %s", name, k, report.described(e))
      end
      list[axis] = nodes.convert(e, "float32")
    end
  end
  return list
end

local function check_count(ctx, node, name, t, args, others)
  local wanted = 1 + others + t.ndim
  if #args == wanted then return end
  fail(ctx, node, "%s: expected the %s%s and %s, got %d arguments", name,
    t.surface and "surface" or "texture", others > 0 and ", the value" or "", textures.axes(t),
    #args)
end

-- A texel: one value, or a value for each channel.
local function texel(node, t, fn, args)
  local call = nodes.call(t.element, fn, args, nil, true)
  if t.channels == 1 then return call end
  call.ctype = textures.ctype(t)
  local all = {}
  for k = 1, t.channels do
    all[k] = { op = "channel", call = call, index = k, type = t.element, effect = true }
  end
  all[1].all, all[1].from = all, node
  return all[1]
end

local function reader(name, surface)
  rows[name] = { call = function(ctx, node, args)
    local t = object(ctx, node, name, args[1], surface)
    check_count(ctx, node, name, t, args, 0)
    ctx.unit:need(textures.texts(t))
    ctx.unit:mention(t.element)
    local list = coordinates(ctx, node, name, t, args, 2)
    table.insert(list, 1, args[1])
    return texel(node, t, textures.read(t), list)
  end }
end

reader("tex", false)
reader("surf_read", true)

rows.surf_write = { call = function(ctx, node, args)
  local t = object(ctx, node, "surf_write", args[1], true)
  check_count(ctx, node, "surf_write", t, args, t.channels)
  ctx.unit:need(textures.texts(t))
  ctx.unit:mention(t.element)
  local list = coordinates(ctx, node, "surf_write", t, args, 2 + t.channels)
  for k = t.channels, 1, -1 do
    table.insert(list, 1, access.stored(ctx, args[1 + k], t.element, node))
  end
  table.insert(list, 1, args[1])
  return nodes.call(nil, textures.write(t), list, nil, true)
end }

return { rows = rows }

-- warps.lua: votes of the lanes of a warp, and exchanges between them.

local dtypes = require "luacuda.base.dtypes"
local tile_source = require "luacuda.jit.emit.tile_source"
local checks = require "luacuda.jit.typed.argument_checks"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local rows = {}

local function define(name, row)
  row.of_threads = true
  rows[name] = row
end

local function mask_of(ctx, node, name, e)
  return nodes.convert(checks.integer(ctx, node, name, 1, e), "uint32")
end

-- Does a mask name all lanes, so that no two lanes have different ones?
local function is_whole(e)
  return e.op == "const" and math.type(e.value) == "integer"
    and e.value & 0xffffffff == 0xffffffff
end

define("syncwarp", { call = function(ctx, node, args)
  checks.count(ctx, node, "syncwarp", args, 0, 1)
  local mask = { args[1] and mask_of(ctx, node, "syncwarp", args[1]) }
  return nodes.call(nil, "__syncwarp", mask, nil, true)
end })

for name, result in pairs{ any_sync = "bool", all_sync = "bool", ballot_sync = "uint32" } do
  local part = "_lcu_part_" .. name:match "%a+"
  define(name, { call = function(ctx, node, args)
    checks.count(ctx, node, name, args, 2, 2)
    local mask = mask_of(ctx, node, name, args[1])
    local given = { mask, checks.boolean(ctx, node, name, 2, args[2]) }
    if not is_whole(args[1]) then
      return nodes.call(result, part, given, { tile_source.parts }, true)
    end
    if result ~= "bool" then return nodes.call(result, "__" .. name, given, nil, true) end
    return nodes.infix("bool", "!=", nodes.call("int", "__" .. name, given, nil, true),
      nodes.const("int", 0))
  end })
end

define("activemask", { call = function(ctx, node, args)
  checks.count(ctx, node, "activemask", args, 0, 0)
  return nodes.call("uint32", "__activemask", {}, nil, true)
end })

-- The type in which a value, argument k, goes through the warp.
local function exchanged(ctx, node, name, e, k)
  local kind = types.kind_of(e.type)
  local size = kind and dtypes.of(types.dtype_of(e.type)).size
  if kind == nil or kind == "complex" then
    fail(ctx, node, "%s: argument %d: expected a real number, got %s", name, k or 2,
      report.described(e))
  end
  if size >= 4 then return e end
  return nodes.convert(e, kind == "float" and "float32" or "int32")
end

for _, name in ipairs{ "shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync" } do
  define(name, { call = function(ctx, node, args)
    checks.count(ctx, node, name, args, 3, 4)
    local value = exchanged(ctx, node, name, args[2])
    local given = { mask_of(ctx, node, name, args[1]), value }
    for k = 3, #args do
      given[k] = nodes.convert(checks.integer(ctx, node, name, k, args[k]), "int32")
    end
    local e = nodes.call(value.type == "int!" and "int" or value.type, "__" .. name, given, nil,
      true)
    return nodes.convert(e, args[2].type == "int!" and "int" or args[2].type)
  end })
end

-- The lanes with the same value: those of the mask, or none, for match_all_sync.
for _, name in ipairs{ "match_any_sync", "match_all_sync" } do
  local part = "_lcu_part_" .. name:match "(.*)_sync"
  define(name, { call = function(ctx, node, args)
    checks.count(ctx, node, name, args, 2, 2)
    local value = exchanged(ctx, node, name, args[2])
    return nodes.call("uint32", part, { mask_of(ctx, node, name, args[1]), value },
      { tile_source.parts }, true)
  end })
end

return { rows = rows, exchanged = exchanged }

-- warp_parts.lua: tile(n), the part of a warp that a lane belongs to, and syncgrid().

local source = require "luacuda.jit.emit.tile_source"
local warps = require "luacuda.jit.names.warps"
local checks = require "luacuda.jit.typed.argument_checks"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local rows = {}

-- Tiles -------------------------------------------------------------------------------------------

local SIZES = { [1] = true, [2] = true, [4] = true, [8] = true, [16] = true, [32] = true }

-- One value for each size: a tile is known when the kernel is made.
local tiles = {}
for n in pairs(SIZES) do tiles[n] = { size = n } end

rows.tile = { of_threads = true, call = function(ctx, node, args)
  checks.count(ctx, node, "tile", args, 1, 1)
  local n = args[1].op == "const" and math.tointeger(args[1].value)
  if not SIZES[n] then
    fail(ctx, node, "tile: argument 1: expected 1, 2, 4, 8, 16 or 32 lanes, known when the kernel "
      .. "is made")
  end
  ctx.unit:need{ source.laneid, source.mask }
  return { op = "static", static = true, kind = "tile", value = tiles[n], name = "tile" }
end }

local methods = {}

local function method(name, least, most, call)
  methods[name] = function(ctx, node, tile, args)
    checks.count(ctx, node, name, args, least, most)
    return call(ctx, node, tile.value.size, args)
  end
end

local function mask(n) return nodes.text("uint32", ("_lcu_tile_mask<%d>()"):format(n)) end

-- Places ------------------------------------------------------------------------------------------

method("size", 0, 0, function(_, _, n) return nodes.const("int", n) end)
method("thread_rank", 0, 0, function(_, _, n)
  return nodes.text("int", ("(_lcu_laneid() & %d)"):format(n - 1), 0.0, n - 1.0)
end)

local LINEAR = [[
__device__ __forceinline__ int _lcu_linear() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
]]

method("meta_group_rank", 0, 0, function(ctx, _, n)
  ctx.unit:need{ LINEAR }
  return nodes.text("int", ("(_lcu_linear() / %d)"):format(n), 0.0, 1024.0 // n)
end)
method("meta_group_size", 0, 0, function(_, _, n)
  return nodes.text("int", ("(int)((blockDim.x * blockDim.y * blockDim.z + %d) / %d)"):format(n - 1,
    n), 1.0, 1024.0 // n)
end)

-- Exchanges ---------------------------------------------------------------------------------------

method("sync", 0, 0, function(_, _, n)
  return nodes.call(nil, "__syncwarp", { mask(n) }, nil, true)
end)

-- A value in the type in which it goes through the warp, and a function that gives it its own type.
local function exchanged(ctx, node, name, e)
  local own = e.type == "int!" and "int" or e.type
  local value = warps.exchanged(ctx, node, name, e, 1)
  local t = value.type == "int!" and "int" or value.type
  ctx.unit:mention(t)
  return nodes.convert(value, t), t, function(result) return nodes.convert(result, own) end
end

for _, name in ipairs{ "shfl", "shfl_up", "shfl_down", "shfl_xor" } do
  method(name, 2, 2, function(ctx, node, n, args)
    local value, t, back = exchanged(ctx, node, name, args[1])
    local by = nodes.convert(checks.integer(ctx, node, name, 2, args[2]), "int32")
    return back(nodes.call(t, "__" .. name .. "_sync", { mask(n), value, by,
      nodes.const("int32", n) }, nil, true))
  end)
end

for _, name in ipairs{ "any", "all" } do
  method(name, 1, 1, function(ctx, node, n, args)
    local given = { mask(n), checks.boolean(ctx, node, name, 1, args[1]) }
    return nodes.call("bool", "_lcu_part_" .. name, given, { source.parts }, true)
  end)
end

method("ballot", 1, 1, function(ctx, node, n, args)
  return nodes.call("uint32", ("_lcu_tile_ballot<%d>"):format(n),
    { checks.boolean(ctx, node, "ballot", 1, args[1]) }, { source.parts, source.votes }, true)
end)

method("match_any", 1, 1, function(ctx, node, n, args)
  local value = exchanged(ctx, node, "match_any", args[1])
  return nodes.call("uint32", ("_lcu_tile_match_any<%d>"):format(n), { value },
    { source.parts, source.votes }, true)
end)

-- Sums --------------------------------------------------------------------------------------------

local OF_INTEGERS = { ["and"] = true, ["or"] = true, xor = true }
local NAMES = "'add', 'mul', 'min', 'max', 'and', 'or' or 'xor'"

local function operation(ctx, node, name, e, t)
  if e == nil then return "add" end
  local op = e.op == "const" and e.type == "string" and e.value
  if not source.reduce[op] then fail(ctx, node, "%s: argument 2: expected %s", name, NAMES) end
  if OF_INTEGERS[op] and not types.is_integer(t) then
    fail(ctx, node, "%s: '%s' takes integers, got %s", name, op, types.name(t))
  end
  return op
end

for name, kind in pairs{ reduce = "reduce", inclusive_scan = "scan" } do
  method(name, 1, 2, function(ctx, node, n, args)
    local value, t, back = exchanged(ctx, node, name, args[1])
    local op = operation(ctx, node, name, args[2], args[1].type)
    return back(nodes.call(t, ("_lcu_tile_%s_%s<%d>"):format(kind, op, n), { value },
      { source[kind][op] }, true))
  end)
end

-- The grid ----------------------------------------------------------------------------------------

rows.syncgrid = { of_threads = true, call = function(ctx, node, args)
  checks.count(ctx, node, "syncgrid", args, 0, 0)
  ctx.unit.cooperative = true
  return nodes.call(nil, "_lcu_syncgrid", {}, { source.syncgrid }, true)
end }

return { rows = rows, methods = { tile = { name = "a tile", methods = methods } } }

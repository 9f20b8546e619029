-- builtins.lua: functions of Lua and of this library that kernels can call, found by identity: so
-- `local floor = math.floor` and `cuda.sqrt` work.

local core = require "luacuda.core"
local dtypes = require "luacuda.base.dtypes"
local device_calls = require "luacuda.jit.names.device_calls"
local infer = require "luacuda.jit.infer.walk"
local gpu = require "luacuda.jit.names.gpu"
local hints = require "luacuda.jit.names.replacements"
local math_rows = require "luacuda.jit.names.from_lua"
local messages = require "luacuda.jit.names.messages"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local rows = require "luacuda.jit.typed.rows"
local types = require "luacuda.jit.typed.value_types"

local exports = { require "luacuda.array.math", require "luacuda.array.operators" }

local M = {}

local known = {}        -- function -> row

for name, row in pairs(math_rows) do
  if math[name] then known[math[name]] = row end
end

for name, row in pairs(messages) do known[_G[name]] = row end

-- Conversions -------------------------------------------------------------------------------------

-- float32(v); complex64(re, im)
local function conversion(name)
  local kind = dtypes.of(name).kind
  local most = kind == "complex" and 2 or 1
  return { name = name, dtype = name, call = function(ctx, node, args)
    infer.check_count(ctx, node, name, args, 1, most)
    ctx.unit:mention(name)
    for k, e in ipairs(args) do
      local from = types.kind_of(e.type)
      if not from then
        report.fail(ctx, node, "%s: argument %d: expected a number, got %s", name, k,
          report.described(e))
      end
      if from == "complex" and (kind ~= "complex" or most == #args) then
        report.fail(ctx, node, "%s: argument %d is complex: take its part with cuda.real(z)", name,
          k)
      end
    end
    if #args == 2 then
      local part = dtypes.part_of(name)
      return nodes.call(name, name, { nodes.convert(args[1], part), nodes.convert(args[2], part) })
    end
    if kind == "bool" and args[1].type ~= "bool" then
      return infer.compare(ctx, node, "~=", args[1], nodes.literal(0))
    end
    return nodes.convert(args[1], name)
  end }
end

for _, row in ipairs(dtypes.list) do
  local made = conversion(row.name)
  known[core[row.name]] = made
  gpu.rows[row.name] = made
end

-- Functions of arrays, for one element ------------------------------------------------------------

local by_name = {}

local function elementwise(name)
  if by_name[name] then return by_name[name] end
  local count = #rows.find(name).params
  local row = { name = "cuda." .. name, call = function(ctx, node, args)
    infer.check_count(ctx, node, name, args, count, count)
    for k, e in ipairs(args) do
      if not types.kind_of(e.type) then
        report.fail(ctx, node, "%s: argument %d: expected a number, got %s", name, k,
          report.described(e))
      end
    end
    return rows.call(ctx, node, name, args, nil, ctx.unit.of_arrays ~= nil)
  end }
  by_name[name] = row
  return row
end

-- The name of a function of the library's rows, or nil.
local function name_of(value)
  for _, list in ipairs(exports) do
    for name, own in pairs(list) do
      if own == value and rows.find(name) then return name end
    end
  end
end

-- A function that needs Lua.
local function refused(name, words)
  return { name = name, call = function(ctx, node)
    report.fail(ctx, node, "'%s' cannot run on a device: %s", name, words)
  end }
end

-- of(value) -> the row of a function that kernels know, or nil
function M.of(value)
  if gpu.of_marker[value] then return gpu.of_marker[value] end
  if type(value) == "table" then return device_calls.row_of(value) end
  if type(value) ~= "function" then return nil end
  if known[value] then return known[value] end
  local no = hints.lua_function(value)
  if no then return refused(no.name, no.words) end
  local name = name_of(value)
  return name and elementwise(name) or nil
end

-- Is the table Lua's math or this library, whose fields do not change?
function M.is_library(from)
  local mt = getmetatable(from)
  if rawequal(from, math) then return true end
  return type(mt) == "table" and mt.__name == "luacuda"
end

return M

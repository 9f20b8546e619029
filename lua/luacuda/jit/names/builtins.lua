-- builtins.lua: functions of Lua and of this library that kernels can call, found by identity: so
-- `local floor = math.floor` and `cuda.sqrt` work.

local core = require "luacuda.core"
local dtypes = require "luacuda.base.dtypes"
local device_calls = require "luacuda.jit.names.device_calls"
local from_lua = require "luacuda.jit.names.from_lua"
local language = require "luacuda.jit.names.language"
local hints = require "luacuda.jit.names.replacements"
local checks = require "luacuda.jit.typed.argument_checks"
local report = require "luacuda.jit.typed.report"
local rows = require "luacuda.jit.typed.rows"
local types = require "luacuda.jit.typed.value_types"

local M = {}

local known = {}        -- function -> row

for name, row in pairs(from_lua.math) do
  if math[name] then known[math[name]] = row end
end

for name, row in pairs(from_lua.globals) do known[_G[name]] = row end

for _, dtype in ipairs(dtypes.list) do known[core[dtype.name]] = language.rows[dtype.name] end

-- Functions of arrays, for one element ------------------------------------------------------------

local by_name = {}

local function elementwise(name)
  if by_name[name] then return by_name[name] end
  local count = #rows.find(name).params
  local row = { name = "cuda." .. name, call = function(ctx, node, args)
    checks.count(ctx, node, name, args, count, count)
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
  for _, list in ipairs(rows.exports) do
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
  if language.of_marker[value] then return language.of_marker[value] end
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

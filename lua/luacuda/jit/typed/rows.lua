-- rows.lua: calls of the rows of array/operators.lua and array/math.lua, so that operators and
-- functions give the same values in kernels as they give for whole arrays.

local dtypes = require "luacuda.base.dtypes"
local functions = require "luacuda.array.math"
local operators = require "luacuda.array.operators"
local ufunc = require "luacuda.array.ufunc"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"

local M = {}

-- The functions of arrays that are such rows, beside others.
M.exports = { functions, operators }

-- A row of that name, or nil.
function M.find(name) return ufunc.row(name) end

-- Does a Lua integer adapt to the dtypes of the other arguments?
local function integer_kind(e, others)
  if e.type == "int!" then return "int" end
  for _, other in ipairs(others) do
    local kind = not types.is_lua(other.type) and types.kind_of(other.type)
    if kind == "float" or kind == "complex" or other.type == "uint64" then return "int" end
  end
  return "int64"
end

-- The kinds of arguments as dtypes.result takes them. Lua numbers alone are int64 and float64.
local function kinds_of(args, weak)
  local kinds, alone = {}, not weak
  for _, e in ipairs(args) do
    if not types.is_lua(e.type) then alone = false end
  end
  for k, e in ipairs(args) do
    if alone then kinds[k] = types.dtype_of(e.type)
    elseif e.type == "float" then kinds[k] = "float"
    elseif e.type == "int" or e.type == "int!" then kinds[k] = integer_kind(e, args)
    else kinds[k] = e.type end
  end
  return kinds, alone
end

-- The Lua type of a result of Lua numbers alone.
local function lua_type(dtype)
  if dtype == "int64" then return "int" end
  return dtype == "float64" and "float" or dtype
end

-- The row for a constant number as the second argument.
local function for_number(row, args)
  local second = args[2]
  if not row.numbers or not second or second.op ~= "const" or not types.is_lua(second.type) then
    return row
  end
  row.with_numbers = row.with_numbers or ufunc.by_number(row)
  return row.with_numbers[second.value] or row.with_numbers.other
end

-- call(ctx, node, name, args [, type]) -> the call of a row for arguments of these types; `type`:
-- that of all arguments and of the result; `weak`: Lua numbers alone give what the function of
-- arrays gives for them
function M.call(ctx, node, name, args, type, weak)
  local tiles = ctx.unit.of_tiles
  local row = for_number(tiles and tiles.functions[name] or ufunc.row(name), args)
  local kinds, alone = kinds_of(args, weak)
  if type then
    for k in ipairs(args) do kinds[k] = types.dtype_of(type) end
  end
  local ok, found = pcall(ufunc.resolve, row, kinds)
  if not ok then report.pass_on(ctx, node, found) end
  local fn, texts = ufunc.functions(row, found)
  local converted = {}
  for k, e in ipairs(args) do converted[k] = nodes.convert(e, found[k]) end
  local result = found[#args + 1]
  for _, dtype in ipairs(found) do ctx.unit:mention(dtype) end
  local made = nodes.call(alone and lua_type(result) or result, fn, converted, texts)
  made.row = name
  return made
end

-- exact(row name, dtype) -> name and texts of a row's function of equal dtypes
function M.exact(name, dtype)
  local row = ufunc.row(name)
  local list = {}
  for k = 1, #row.params + 1 do list[k] = dtype end
  return ufunc.functions(row, list)
end

M.kind = function(name) return dtypes.of(name).kind end

return M

-- argument_checks.lua: checks of the arguments of functions that kernels can call. Messages begin
-- with the name of the function.

local core = require "luacuda.core"
local dtypes = require "luacuda.base.dtypes"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

-- The number of arguments.
local function count(ctx, node, name, args, least, most)
  if #args >= least and #args <= most then return end
  local wanted = least == most and tostring(least) or ("%d to %d"):format(least, most)
  fail(ctx, node, "%s takes %s %s, and got %d", name, wanted,
    wanted == "1" and "argument" or "arguments", #args)
end

-- Argument number k.
local function integer(ctx, node, name, k, e)
  if not types.is_integer(e.type) then
    fail(ctx, node, "%s: argument %d: expected an integer, got %s", name, k, report.described(e))
  end
  return e
end

local function boolean(ctx, node, name, k, e)
  if e.type ~= "bool" then
    fail(ctx, node, "%s: argument %d: expected a boolean, got %s", name, k, report.described(e))
  end
  return e
end

-- The name of the dtype that the first argument names.
local function dtype_name(ctx, node, name, e)
  local dtype = e.op == "const" and e.type == "string" and dtypes.of(e.value)
    or e.op == "builtin" and e.row.dtype and dtypes.of(e.row.dtype)
  if dtype then return dtype.name end
  if e.op == "const" and e.type == "string" then
    local list = {}
    for k, row in ipairs(dtypes.list) do list[k] = row.name end
    fail(ctx, node, "%s: there is no dtype '%s'%s", name, e.value,
      core.near(e.value, list, "dtype"))
  end
  fail(ctx, node, "%s: argument 1: expected the name of a dtype, as in %s(\"float32\", 16), got %s",
    name, name, report.described(e))
end

return { count = count, integer = integer, boolean = boolean, dtype = dtype_name }

-- of_elements.lua: the language of fused functions, for the compiler of Lua functions. Values stand
-- for arrays and have their methods; a function may call functions of arrays and other fused
-- functions.

local core = require "luacuda.core"
local dtypes = require "luacuda.base.dtypes"
local conversion = require "luacuda.array.conversion"
local builtins = require "luacuda.jit.names.builtins"
local checks = require "luacuda.jit.typed.argument_checks"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local rows = require "luacuda.jit.typed.rows"
local types = require "luacuda.jit.typed.value_types"
local watch = require "luacuda.fuse.guards"

local fail = report.fail

local M = {}

local WHOLE = "'%s' cannot be called here: it works on whole arrays. In a fused function that "
  .. "decides by elements, reductions stand in its own statements, outside of branches, loops and "
  .. "other functions; call others outside of the fused function"

-- Methods -----------------------------------------------------------------------------------------

local methods = {}

-- x:astype(dtype)
function methods.astype(ctx, node, args)
  checks.count(ctx, node, "astype", args, 2, 2)
  local e, wanted = args[1], args[2]
  if wanted.op ~= "const" or wanted.type ~= "string" then
    fail(ctx, node, "astype: expected the name of a dtype, known when the kernel is made")
  end
  local ok, name = pcall(dtypes.normal, wanted.value, "astype")
  if not ok then report.pass_on(ctx, node, name) end
  local from = types.dtype_of(e.type)
  ctx.unit:mention(name)
  if from == name then return nodes.convert(e, name) end
  ctx.unit:mention(from)
  local fn, texts = conversion.functions(dtypes.of(name), dtypes.of(from))
  return nodes.call(name, fn, { nodes.convert(e, from) }, texts)
end

function methods.copy(_, _, args) return args[1] end
methods.contiguous = methods.copy

local NOT_METHODS = { round_fraction = true, round_tens = true }

local function row_of(name)
  if NOT_METHODS[name] then return nil end
  for _, list in ipairs(rows.exports) do
    if list[name] then return builtins.of(list[name]) end
  end
end

function M.method(ctx, node, object, values)
  if not types.kind_of(object.type) then
    fail(ctx, node, "'%s' is called as a method of %s: call a function in its place, f(x)",
      node.name, report.described(object))
  end
  local args = { object }
  table.move(values, 1, #values, 2, args)
  if methods[node.name] then return methods[node.name](ctx, node, args) end
  local row = row_of(node.name)
  if not row then
    local names = core.class "Array"
    if names[node.name] then fail(ctx, node, WHOLE, node.name) end
    fail(ctx, node, "arrays have no '%s'%s", node.name, core.near(node.name,
      { "astype", "exp", "sqrt", "abs", "where", "maximum", "minimum" }))
  end
  return row.call(ctx, node, args)
end

-- Functions ---------------------------------------------------------------------------------------

-- The Lua function behind a value that is called.
function M.callee(ctx, node, value, label)
  if core.type(value) == "fused" then value = core.fused_function(value) end
  if type(value) == "function" and debug.getinfo(value, "S").what ~= "C"
    and not watch.is_open(value) then
    fail(ctx, node, WHOLE, label)
  end
  return value
end

return M

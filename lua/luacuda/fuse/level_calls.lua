-- level_calls.lua: levels of calls: of functions that are read too, of this library, and of others.

local original = require("luacuda.base.arity").original
local known_of = require "luacuda.fuse.known"
local levels = require "luacuda.fuse.levels"
local tree = require "luacuda.fuse.tree"

local expressions = {}
local level, raise, decide = levels.level, levels.raise, levels.decide

-- Functions of the library ------------------------------------------------------------------------

local BOOLEAN = {}
for name in ("eq ne lt le gt ge isnan isinf isfinite signbit isclose any all logical_and "
  .. "logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor bitwise_not")
  :gmatch "%S+" do
  BOOLEAN[name] = true
end

local FILES = { "luacuda.array.operators", "luacuda.array.math", "luacuda.array.reductions",
  "luacuda.array.close" }

local boolean_functions

local function is_boolean(fn)
  if not boolean_functions then
    boolean_functions = {}
    for _, file in ipairs(FILES) do
      local exports = require(file)
      for name in pairs(BOOLEAN) do
        if exports[name] then boolean_functions[exports[name]] = true end
      end
    end
  end
  return boolean_functions[original(fn)] == true
end

local function where_function() return require("luacuda.array.math").where end

-- Calls -------------------------------------------------------------------------------------------

local SEVERAL = { call = true, method = true, vararg = true }

-- The level of argument k; the last one may stand for several values.
local function argument_level(ctx, args, k)
  local last = args[#args]
  if args[k] then return level(ctx, args[k]) end
  return last and SEVERAL[last.kind] and level(ctx, last) or 0
end

-- What the parameters of a function stand for in a call.
local function learn_params(ctx, record, args, object)
  for k, var in ipairs(record.node.params) do
    local arg = object and k == 1 and object or args[object and k - 1 or k]
    known_of.learn(ctx.state, var, arg and known_of.resolve(ctx, arg) or false)
  end
end

-- `first`: the level of the object before a ":"
local function call_record(ctx, record, args, first, object)
  local most = levels.of_list(ctx, args)
  learn_params(ctx, record, args, object)
  levels.raise_params(ctx, record, function(k)
    if first then return k == 1 and first or argument_level(ctx, args, k - 1) end
    return argument_level(ctx, args, k)
  end)
  if record.node.vararg then raise(ctx.state, record, "rest", math.max(most, first or 0)) end
  return record.result
end

local OF_LUA = { [type] = true }
for _, fn in pairs(math) do OF_LUA[fn] = type(fn) == "function" end

-- Lua's own functions of numbers have no meaning for traced values either.
local function of_library(ctx, fn, node, most)
  local args = node.args
  if most == 0 then return 0 end
  if OF_LUA[fn] then
    decide(ctx, node)
    return 1
  end
  if is_boolean(fn) then return 2 end
  if original(fn) == where_function() and #args == 3 then
    return math.max(1, level(ctx, args[2]), level(ctx, args[3]))
  end
  return most
end

local function call_known(ctx, known, node)
  if known.record then return call_record(ctx, known.record, node.args) end
  local record = known_of.record_of_value(ctx, known.value)
  if record then return call_record(ctx, record, node.args) end
  return of_library(ctx, known.value, node, levels.of_list(ctx, node.args))
end

-- A call of a function that is known only when it runs.
local function call_unknown(ctx, node, most)
  if most == 0 then return 0 end
  ctx.state.unseen = ctx.state.unseen or ("%s:%d calls what is known only when it runs"):format(
    ctx.source.file, node.line)
  return 2
end

-- The function that calls of a table with a metatable run.
local function call_metamethod(value)
  local mt = type(value) == "table" and getmetatable(value)
  return type(mt) == "table" and type(rawget(mt, "__call")) == "function" and mt.__call or nil
end

function expressions.call(ctx, node)
  local known = known_of.resolve(ctx, node.fn)
  local called = known and call_metamethod(known.value)
  local record = called and known_of.record_of_value(ctx, called)
  if record then return call_record(ctx, record, node.args, 0, node.fn) end
  if known and (known.record or known.value ~= nil) then return call_known(ctx, known, node) end
  return call_unknown(ctx, node, math.max(level(ctx, node.fn), levels.of_list(ctx, node.args)))
end

-- A method of an array, or of a table of the script.
function expressions.method(ctx, node)
  local own = level(ctx, node.object)
  if own > 0 then
    if BOOLEAN[node.name] then return 2 end
    return math.max(own, levels.of_list(ctx, node.args))
  end
  local known = known_of.resolve(ctx, node.object)
  local value = known and type(known.value) == "table" and tree.field(known.value, node.name)
  local record = value and known_of.record_of_value(ctx, value)
  if record then return call_record(ctx, record, node.args, own, node.object) end
  return call_unknown(ctx, node, levels.of_list(ctx, node.args))
end

return { expressions = expressions }

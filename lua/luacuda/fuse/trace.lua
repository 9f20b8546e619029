-- trace.lua: records what a Lua function does to its arguments. The function runs once on traced
-- values (traced.lua); the nodes of its results are the record. fuse.lua makes kernels of the
-- nodes.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail
local dtypes = require "luacuda.base.dtypes"
local record = require "luacuda.fuse.trace_record"
local traced = require "luacuda.fuse.traced"

local nodes, value_of, add_node = record.nodes, traced.value_of, record.add_node
local trace_of, host_parameter = record.trace_of, record.host_parameter

-- The value that stands for an argument of this kind. Booleans stand for themselves.
local function argument(trace, k, name, kind)
  if kind == "true" or kind == "false" then return kind == "true" end
  if kind == "int" or kind == "float" or kind == "complex" then
    return value_of(add_node(trace, { host_kind = kind, arg = k, name = name, shown = name,
      code = "a" .. k }))
  end
  local typed = kind:match "^=(.*)"
  local node = { arg = k, typed = typed ~= nil, arrays = typed and {} or { [k] = true } }
  return value_of(record.add_parameter(trace, name, typed or kind, node))
end

-- A result: a node (of an array, or reduced).
local function result(trace, name, k, v)
  if nodes[v] then
    trace_of(name, { v }, 1)
    if nodes[v].trace ~= trace then
      fail(name, "result %d belongs to another function that is being fused", k)
    end
    local node = nodes[v]
    if not node.host_kind then return node end
    if node.staged then
      record.code_of_number(node)
      return node
    end
    return host_parameter(trace, node, dtypes.result { node.host_kind })
  end
  local kind = record.constant_kind(v)
  if not kind then
    local words = type(v) == "table" and "a table; return several values instead"
      or core.type(v) == "array" and "an array that is not an argument; pass it as one"
      or core.type(v) or type(v)
    fail(name, "result %d of the fused function is %s", k, words)
  end
  local dtype = dtypes.result { kind }
  local text = record.element(dtype, v, function(why) fail(name, "result %d: %s", k, why) end)
  local node = add_node(trace, { dtype = dtype, args = {}, arrays = {}, expr = text, texts = {},
    shown = tostring(v) })
  node.var = "_t" .. node.order
  return node
end

-- A trace ends with its function, whether the function returns or raises.
local TRACE = {
  __close = function(trace) trace.open, trace.known, trace.names = false, nil, nil end,
}

-- run(name, fn, kinds, why) -> { results = nodes of fn's results, arguments = nodes of its
-- arguments by number, constants = list of those in the code of numbers, stages = reduced nodes
-- that other nodes take }; for arguments of these kinds: a dtype for an array, "=dtype" for a typed
-- scalar, "int", "float" or "complex" for numbers, "true" and "false". `why`: the reason why the
-- function was not read, or nil.
local function run(name, fn, kinds, why)
  local trace <close> = setmetatable({ open = true, count = 0, known = {}, names = {},
    constants = {}, stages = {}, why = why }, TRACE)
  local args, results, arguments = {}, {}, {}
  for k, kind in ipairs(kinds) do
    args[k] = argument(trace, k, debug.getlocal(fn, k) or "arg" .. k, kind)
    arguments[k] = nodes[args[k]]
  end
  local values = table.pack(fn(table.unpack(args, 1, #kinds)))
  if values.n == 0 then fail(name, "the fused function returned nothing") end
  for k = 1, values.n do results[k] = result(trace, name, k, values[k]) end
  return { results = results, arguments = arguments, constants = trace.constants,
    stages = trace.stages }
end

return { run = run }

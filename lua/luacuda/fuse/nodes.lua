-- nodes.lua: the record of a trace: nodes, the values that stand for them while a function runs,
-- and constants as C++ text.
--
-- Node: { trace =, shown = text for messages } and one of
--   array    { dtype =, var =, args = nodes, order =, expr = C++ text, texts = functions it needs,
--            arrays = set of the arguments that are arrays }; without expr a parameter:
--            { ..., arg = number of the argument } or { ..., host = node }
--   number   { host_kind = "int" "float" "complex", code = Lua expression }: computed from Lua
--            numbers among the arguments, by Lua before the kernel runs. In the expression a1, a2
--            ... are the arguments, k the constants
--   reduced  { reduced = { name =, make =, ... }, of = node, options = }

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail
local dtypes = require "luacuda.base.dtypes"
local number = require "luacuda.base.number"

local nodes = setmetatable({}, { __mode = "k" })       -- traced value -> node
-- metatable of traced values; traced.lua fills it
local Traced = { __name = "luacuda.Traced value" }

local function value_of(node)
  local value = setmetatable({}, Traced)
  nodes[value] = node
  return value
end

-- Constants ---------------------------------------------------------------------------------------

-- The kind of a constant, as operators take it: "int", "float", "bool", "complex", "=float32"; nil
-- for other values.
local function constant_kind(v)
  if type(v) == "number" then return math.type(v) == "integer" and "int" or "float" end
  if type(v) == "boolean" then return "bool" end
  local kind = type(v) == "userdata" and core.type(v)
  if kind == "complex" then return "complex" end
  return kind == "scalar" and "=" .. v.dtype or nil
end

local function integer_text(v)
  return v == math.mininteger and number.integer_text(v) or ("%dLL"):format(v)
end

-- C++ text of a value of the dtype, given as core.<dtype>(v).value.
local function literal(dtype, value)
  local kind = dtypes.of(dtype).kind
  if kind == "bool" then return tostring(value) end
  if kind == "float" then return ("%s(%s)"):format(dtype, number.float_text(value)) end
  if kind == "complex" then
    local part = dtypes.part_of(dtype)
    return ("%s(%s, %s)"):format(dtype, literal(part, value.re), literal(part, value.im))
  end
  return ("%s(%s)"):format(dtype, integer_text(value))
end

-- The constant as an element; complain(why) is called where it cannot be one.
local function element(dtype, v, complain)
  if core.type(v) == "scalar" then v = v.value end
  local ok, typed = pcall(core[dtype], v)
  if not ok then complain(tostring(typed):match "'value': (.*)$" or tostring(typed)) end
  return literal(dtype, typed.value)
end

local function shown(v)
  local node = nodes[v]
  if node then return node.shown end
  if core.type(v) == "scalar" then return tostring(v.value) end
  return tostring(v)
end

local MOST_SHOWN = 60

local function call_text(name, args)
  local words = {}
  for i, v in ipairs(args) do words[i] = shown(v) end
  local text = ("%s(%s)"):format(name, table.concat(words, ", "))
  return #text > MOST_SHOWN and name .. "(...)" or text
end

-- The trace ---------------------------------------------------------------------------------------

-- A C++ variable for the name `wanted` in Lua. It ends with '_', as no name of C++, CUDA or
-- generated code does.
local function fresh_name(trace, wanted)
  local name = wanted .. "_"
  while trace.names[name] do name = name .. "_" end
  trace.names[name] = true
  return name
end

local function add_node(trace, node)
  trace.count = trace.count + 1
  node.trace, node.order = trace, trace.count
  return node
end

-- A parameter of the kernel.
local function add_parameter(trace, name, dtype, node)
  node.dtype, node.args, node.arrays, node.shown = dtype, {}, node.arrays or {}, name
  node.var = fresh_name(trace, name)
  return add_node(trace, node)
end

-- The parameter that passes a Lua number to the kernel in a dtype.
local function host_parameter(trace, host, dtype)
  host.parameters = host.parameters or {}
  if not host.parameters[dtype] then
    local first = next(host.parameters) == nil
    host.parameters[dtype] = add_parameter(trace, first and host.name or host.name .. "_" .. dtype,
      dtype, { host = host })
  end
  return host.parameters[dtype]
end

-- The node of the element-wise operation `expr` (C++ text, %s per argument) of nodes and literals.
-- Equal operations share a node.
local function add_operation(trace, dtype, call, args, texts, text)
  local words, list, arrays = {}, {}, {}
  for i, arg in ipairs(args) do
    words[i] = type(arg) == "string" and arg or arg.var
    if type(arg) ~= "string" then
      list[#list + 1] = arg
      for k in pairs(arg.arrays) do arrays[k] = true end
    end
  end
  local expr = ("%s(%s)"):format(call, table.concat(words, ", "))
  local node = trace.known[expr]
  if not node then
    node = add_node(trace, { dtype = dtype, args = list, arrays = arrays, expr = expr,
      texts = texts, shown = text })
    node.var = "_t" .. node.order
    trace.known[expr] = node
  end
  return value_of(node)
end

-- Arguments of operations -------------------------------------------------------------------------

-- The trace that the arguments belong to; raises for values of another trace, or of one that has
-- ended.
local function trace_of(what, args, n)
  local trace
  for i = 1, n do
    local node = nodes[args[i]]
    if node then
      if trace and node.trace ~= trace then
        fail(what, "argument %d: %s belongs to another fused function", i, node.shown)
      end
      trace = node.trace
    end
  end
  if not trace.open then
    fail(what, "%s stood for an argument while its function was fused: it has no meaning outside "
      .. "of that function", shown(args[1]))
  end
  return trace
end

local function check_operand(what, i, param, v)
  local node = nodes[v]
  if node and node.reduced then
    fail(what, "argument %d '%s': %s is already reduced, which ends a fused function; compute "
      .. "with its result outside", i, param, node.shown)
  end
  if node or constant_kind(v) ~= nil then return end
  if core.type(v) == "array" then
    fail(what, "argument %d '%s': the array is not an argument of the fused function: pass it as "
      .. "one", i, param)
  end
  fail(what, "argument %d '%s': expected an array or a number, got %s", i, param,
    core.type(v) or type(v))
end

local function kind_of(v)
  local node = nodes[v]
  if not node then return constant_kind(v) end
  return node.host_kind or node.typed and "=" .. node.dtype or node.dtype
end

-- Are there only Lua numbers, without an array or typed scalar?
local function only_numbers(args, n)
  for i = 1, n do
    local node = nodes[args[i]]
    if node and not node.host_kind or not node and kind_of(args[i]):sub(1, 1) == "=" then
      return false
    end
  end
  return true
end

return {
  nodes = nodes, Traced = Traced, value_of = value_of, constant_kind = constant_kind,
  element = element, shown = shown, call_text = call_text, add_node = add_node,
  add_parameter = add_parameter, host_parameter = host_parameter, add_operation = add_operation,
  trace_of = trace_of, check_operand = check_operand,
    kind_of = kind_of, only_numbers = only_numbers,
}

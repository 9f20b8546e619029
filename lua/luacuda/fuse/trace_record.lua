-- trace_record.lua: the record of a trace: nodes, the values that stand for them while a function
-- runs, and constants as C++ text.
--
-- Node: { trace =, shown = text for messages } and one of
--   array    { dtype =, var =, args = nodes, order =, expr = C++ text, texts = functions it needs,
--            arrays = set of the arguments that are arrays }; without expr a parameter:
--            { ..., arg = number of the argument }, { ..., host = node } or { ..., stage = number }
--   number   { host_kind = "int" "float" "complex", code = Lua expression }: computed by Lua before
--            the kernel runs, from Lua numbers among the arguments, from shapes and from reductions
--            over all elements. In the expression a1, a2 ... are the arguments, v the reduced
--            values, k the constants
--   reduced  { reduced = declaration, of = node, options = }; once it is an operand also { stage =
--            its number, inner = the node of its value, wants_array =, wants_value = }
--
-- `staged`: the value depends on a reduction.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail
local dtypes = require "luacuda.base.dtypes"
local number = require "luacuda.base.number"

local nodes = setmetatable({}, { __mode = "k" })       -- traced value -> node
-- metatable of traced values; traced.lua fills it
local Traced = { __name = "luacuda.Traced value" }

local function value_of(node)
  local value = setmetatable({}, Traced)
  nodes[value], node.value = node, value
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
    if host.of_stage then host.of_stage.wants_value = true end
    host.parameters[dtype] = add_parameter(trace, first and host.name or host.name .. "_" .. dtype,
      dtype, { host = host, staged = host.staged })
  end
  return host.parameters[dtype]
end

-- Reduced values in operations --------------------------------------------------------------------

-- Arrays that are reduced along an axis have shapes of their own: their numbers in sets of arrays.
local FIRST_STAGE = 1000

local HOST_KINDS = { int = "int", uint = "int", float = "float", complex = "complex" }

local function dtype_of(made) return made.outputs:match "^%s*(%S+)" end

-- The array that a stage makes, as a parameter.
local function stage_array(trace, node)
  node.wants_array = true
  if not node.array then
    local single = node.options.axis == nil and not node.options.keepdims
    node.array = add_parameter(trace, "reduced", dtype_of(node.reduced), { stage = node.stage,
      staged = true, arrays = single and {} or { [FIRST_STAGE + node.stage] = true } })
  end
  return node.array
end

-- The node that stands for a reduced value as an operand: over all elements a number of Lua, along
-- an axis an array.
local function inner_of(trace, node)
  if node.inner then return node.inner end
  table.insert(trace.stages, node)
  node.stage = #trace.stages
  local kind = HOST_KINDS[dtypes.of(dtype_of(node.reduced)).kind]
  if kind and node.options.axis == nil and not node.options.keepdims then
    node.inner = add_node(trace, { host_kind = kind, staged = true, of_stage = node,
      shown = node.shown, name = "number", code = ("v[%d]"):format(node.stage) })
  else node.inner = stage_array(trace, node) end
  return node.inner
end

-- The node of an operand, or nil for other values.
local function node_of(v)
  local node = nodes[v]
  if node and node.reduced then return inner_of(node.trace, node) end
  return node
end

-- Lua's expression for a number; the values of stages that it takes are made.
local function code_of_number(node)
  if node.of_stage then node.of_stage.wants_value = true end
  return node.code
end

-- The node of the element-wise operation `expr` (C++ text, %s per argument) of nodes and literals.
-- Equal operations share a node.
-- `close` ends the call where that is not ")" alone.
local function add_operation(trace, dtype, call, args, texts, text, close)
  local words, list, arrays, staged = {}, {}, {}, nil
  for i, arg in ipairs(args) do
    words[i] = type(arg) == "string" and arg or arg.var
    if type(arg) ~= "string" then
      list[#list + 1], staged = arg, staged or arg.staged
      for k in pairs(arg.arrays) do arrays[k] = true end
    end
  end
  local expr = ("%s(%s)%s"):format(call, table.concat(words, ", "), close or "")
  local node = trace.known[expr]
  if not node then
    node = add_node(trace, { dtype = dtype, args = list, arrays = arrays, expr = expr,
      texts = texts, shown = text, staged = staged })
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
  if node or constant_kind(v) ~= nil then return end
  if core.type(v) == "array" then
    fail(what, "argument %d '%s': the array is not an argument of the fused function: pass it as "
      .. "one", i, param)
  end
  fail(what, "argument %d '%s': expected an array or a number, got %s", i, param,
    core.type(v) or type(v))
end

local function kind_of(v)
  local node = node_of(v)
  if not node then return constant_kind(v) end
  return node.host_kind or node.typed and "=" .. node.dtype or node.dtype
end

-- Are there only Lua numbers, without an array or typed scalar? A function of arrays takes reduced
-- values alone, too (`among_numbers`: they are numbers like others).
local function only_numbers(args, n, among_numbers)
  for i = 1, n do
    local node = node_of(args[i])
    local is_array = node and (not node.host_kind or node.staged and not among_numbers)
    if is_array or not node and kind_of(args[i]):sub(1, 1) == "=" then
      return false
    end
  end
  return true
end

return {
  nodes = nodes, Traced = Traced, value_of = value_of, constant_kind = constant_kind,
  element = element, shown = shown, call_text = call_text, add_node = add_node,
  add_parameter = add_parameter, host_parameter = host_parameter, add_operation = add_operation,
  trace_of = trace_of, check_operand = check_operand, kind_of = kind_of,
  only_numbers = only_numbers, node_of = node_of, stage_array = stage_array,
  code_of_number = code_of_number,
}

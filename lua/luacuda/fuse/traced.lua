-- traced.lua: the values that stand for arrays and numbers while a function runs: every operation
-- on them becomes a node (trace_record.lua) with an expression in CUDA C++.

local core = require "luacuda.core"
local conversion = require "luacuda.array.conversion"
local functions = require "luacuda.array.math"
local operators = require "luacuda.array.operators"
local ufunc = require "luacuda.array.ufunc"
local fail = require("luacuda.base.arguments").fail
local dtypes = require "luacuda.base.dtypes"
local record = require "luacuda.fuse.trace_record"
local numbers = require "luacuda.fuse.traced_numbers"
local reduced = require "luacuda.fuse.reduced"
local shapes = require "luacuda.fuse.traced_shape"

local nodes, Traced, call_text = record.nodes, record.Traced, record.call_text
local add_operation, host_parameter = record.add_operation, record.host_parameter
local trace_of, check_operand, kind_of, only_numbers = record.trace_of, record.check_operand,
  record.kind_of, record.only_numbers
local node_of, stage_array = record.node_of, record.stage_array

-- Operations --------------------------------------------------------------------------------------

-- A float that is reduced over all elements, in a float dtype: the kernel reads it from the device,
-- so that nothing waits for it.
local function from_device(trace, node, dtype)
  local stage = node.of_stage
  if not stage or node.host_kind ~= "float" or dtypes.of(dtype).kind ~= "float" then
    return nil
  end
  local array = stage_array(trace, stage)
  if array.dtype == dtype then return array end
  return nodes[add_operation(trace, dtype, ("%s((double)"):format(dtype), { array }, {}, node.shown,
    ")")]
end

-- Argument i in C++: a node or text.
local function operand(trace, row, i, v, dtype)
  local node = node_of(v)
  local direct = node and from_device(trace, node, dtype)
  if direct then return direct end
  if node and node.host_kind then return host_parameter(trace, node, dtype) end
  if node then return node end
  return record.element(dtype, v, function(why)
    fail(row.name, "argument %d '%s': %s", i, row.params[i], why)
  end)
end

-- The operation of a row of ufunc.lua, or of one that has these functions of its own.
local function apply(row, ...)
  local n, args = #row.params, { ... }
  local given = select("#", ...)
  while given > n and args[given] == nil do given = given - 1 end
  if given > n and type(args[given]) == "table" and not nodes[args[given]] then
    fail(row.name, "options are not possible inside a fused function: give them to the fused "
      .. "function itself")
  end
  if given ~= n then
    fail(row.name, "expected %d argument%s, got %d", n, n == 1 and "" or "s", given)
  end
  local trace, kinds, operands = trace_of(row.name, args, n), {}, {}
  for i = 1, n do
    check_operand(row.name, i, row.params[i], args[i])
    kinds[i] = kind_of(args[i])
  end
  if only_numbers(args, n) then
    fail(row.name, "%s are numbers, not arrays: use Lua's operators, or compute outside of the "
      .. "fused function", call_text("", args))
  end
  local types = (row.resolve or ufunc.resolve)(row, kinds)
  local call, texts = (row.functions or ufunc.functions)(row, types)
  for i = 1, n do operands[i] = operand(trace, row, i, args[i], types[i]) end
  return add_operation(trace, types[n + 1], call, operands, texts, call_text(row.name, args))
end

-- Numbers -----------------------------------------------------------------------------------------

for event, row in pairs(numbers.ARITHMETIC) do
  local name = row[2]
  Traced[event] = function(x, y)
    check_operand(name, 1, "x", x)
    check_operand(name, 2, "y", y)
    if only_numbers({ x, y }, 2, true) then return numbers.apply(event, x, y) end
    return operators[event](x, y)
  end
end

-- Functions of arrays call this for traced values; `state` says which function it is.
function Traced.__traced(state, ...)
  if state.row then return apply(state.row, ...) end
  if state.reduction then return reduced.reduce(state.reduction, ...) end
  fail(state.name, "it has a kernel and cannot be fused: call it outside of the fused function")
end

-- Methods and fields ------------------------------------------------------------------------------

local methods = {}

-- p:astype(dtype)
function methods.astype(x, dtype)
  local trace, node = trace_of("astype", { x }, 1), node_of(x)
  check_operand("astype", 1, "a", x)
  local name = dtypes.normal(dtype, "astype")
  if node.dtype == name then return x end
  local call, texts = conversion.functions(dtypes.of(name), dtypes.of(node.dtype))
  return add_operation(trace, name, call, { node }, texts, call_text("astype", { x, name }))
end

-- Every operation already gives a new array.
function methods.copy(x) return x end
methods.contiguous = methods.copy

function methods.isclose(...) return require("luacuda.array.close").isclose(...) end

local NOT_METHODS = { round_fraction = true, round_tens = true }

local function find_method(name)
  if methods[name] then return methods[name] end
  if reduced.FILES[name] then return require(reduced.FILES[name])[name] end
  if NOT_METHODS[name] or name:find "^__" then return nil end
  return operators[name] or functions[name]
end

local FIELDS = { "shape", "strides", "size", "nbytes", "ndim", "device", "memory", "pointer",
  "is_contiguous" }
local UNSEEN = {}
for _, name in ipairs(FIELDS) do UNSEEN[name] = true end

local function unknown(node, name)
  if UNSEEN[name] then
    fail("fuse", "%s has no '%s' while a function is fused, because one kernel serves all shapes: "
      .. "read it outside, or pass a number", node.shown, name)
  end
  if core.class "Array"[name] then
    fail("fuse", "%s cannot be fused: only element-wise operations and a reduction at the end can; "
      .. "call it outside of the fused function", name)
  end
  local names = { "dtype" }
  for key in pairs(core.class "Array") do
    if find_method(key) then names[#names + 1] = key end
  end
  fail("fuse", "%s has no '%s'%s", node.shown, name, core.near(name, names))
end

function Traced.__index(x, name)
  local node = nodes[x]
  if type(name) ~= "string" then
    fail("fuse", "%s cannot be indexed while a function is fused, because it stands for all "
      .. "elements: use cuda.where, or slices outside", node.shown)
  end
  if node.reduced then node = node_of(x) end
  if node.host_kind then fail("fuse", "%s is a number and has no '%s'", node.shown, name) end
  if name == "dtype" then return node.dtype end
  local size = shapes.of(node, name)
  if size then return size end
  return find_method(name) or unknown(node, name)
end

-- What cannot be traced ---------------------------------------------------------------------------

local function refuse(event, text)
  Traced[event] = function(x, y)
    local node = nodes[x] or nodes[y]
    fail("fuse", text, node.shown)
  end
end

-- Comparisons are compiled where the function's text is known.
local function refuse_comparison(event, text)
  Traced[event] = function(x, y)
    local node = nodes[x] or nodes[y]
    local why = node.trace.why and "; the function was traced, because " .. node.trace.why or ""
    fail("fuse", "%s%s", text:format(node.shown), why)
  end
end

-- Lua turns a > b into b < a before it calls __lt.
local COMPARED = "%s has no value yet: %s makes one boolean of all elements; use %s, and "
  .. "cuda.where to choose"
refuse_comparison("__lt", COMPARED:format("%s", "'<' or '>'", "cuda.lt(a, b) or cuda.gt(a, b)"))
refuse_comparison("__le", COMPARED:format("%s", "'<=' or '>='", "cuda.le(a, b) or cuda.ge(a, b)"))
refuse_comparison("__eq", COMPARED:format("%s", "'=='", "cuda.eq(a, b)"))

function Traced.__len(x)
  return shapes.of(nodes[x], "#")
    or fail("fuse", "%s has no length while a function is fused, because one kernel serves all "
    .. "shapes: write # of an argument, or pass the number", nodes[x].shown)
end

refuse("__concat", "%s cannot become text while a function is fused: it has no value yet")
refuse("__call", "%s is not a function")
refuse("__pairs", "%s cannot be iterated over while a function is fused: it stands for all "
  .. "elements")
refuse("__newindex",
  "%s cannot be assigned to while a function is fused: return the new value instead, "
  .. "and give 'out'")

function Traced.__tostring(x)
  local node = nodes[x]
  if node.reduced then return "luacuda.Traced " .. node.shown end
  return ("luacuda.Traced %s %s"):format(node.host_kind or node.dtype, node.shown)
end

-- value_of(node) -> the value that stands for a node
return { value_of = record.value_of }

-- host_numbers.lua: numbers of a compiled function that depend on the call but not on elements:
-- Lua's operators on number arguments and sizes of arrays. Lua computes them before the kernel
-- runs, as in a trace, so that they adapt to dtypes as arguments do.

local tree = require "luacuda.fuse.tree"

local M = {}

-- Sizes -------------------------------------------------------------------------------------------

-- The number of the argument that a node names, if its value there is still the argument.
local function argument_number(program, node)
  if node.kind ~= "local" or node.var.assigned > 0 then return nil end
  for k, var in ipairs(program.arguments) do
    if var == node.var then return k end
  end
end

local function array_argument(program, node)
  local k = argument_number(program, node)
  return k and program.is_array(k) and k or nil
end

-- Lua's expression for a number that belongs to the shape of an argument: #x, x.size, x.ndim,
-- x.shape[k].
local function size_code(program, node)
  if node.kind == "unary" and node.op == "#" then
    local k = array_argument(program, node.operand)
    return k and ("#a%d"):format(k)
  end
  if node.kind ~= "index" then return nil end
  local key, object = tree.constant_key(node), node.object
  if key == "size" or key == "ndim" then
    local k = array_argument(program, object)
    return k and ("a%d.%s"):format(k, key)
  end
  if math.type(key) == "integer" and object.kind == "index"
    and tree.constant_key(object) == "shape" then
    local k = array_argument(program, object.object)
    return k and ("a%d.shape[%d]"):format(k, key)
  end
end

-- Numbers -----------------------------------------------------------------------------------------
-- A number: { code =, kind = "int" or "float", of_shape =, varies = does it depend on the call? }

local number

local function constant(v)
  if math.type(v) == "float" then
    if v ~= v or math.abs(v) == math.huge then return nil end
    return { code = ("(%a)"):format(v), kind = "float" }
  end
  return v ~= math.mininteger and { code = ("(%d)"):format(v), kind = "int" } or nil
end

local forms = {}

function forms.paren(program, node) return number(program, node.inner) end
function forms.number(_, node) return constant(node.value) end

function forms.free(program, node)
  local value = tree.free(program.source, node.name)
  return type(value) == "number" and constant(value) or nil
end

forms["local"] = function(program, node)
  local k = argument_number(program, node)
  local kind = k and program.kinds[k]
  if kind ~= "int" and kind ~= "float" then return nil end
  return { code = "a" .. k, kind = kind, varies = true }
end

function forms.unary(program, node)
  local a = node.op == "-" and number(program, node.operand)
  return a and { code = ("(-%s)"):format(a.code), kind = a.kind, varies = a.varies,
    of_shape = a.of_shape }
end

-- Operators that never raise for numbers.
local FLOAT = { ["/"] = true, ["^"] = true }
local SAFE = { ["+"] = true, ["-"] = true, ["*"] = true, ["/"] = true, ["^"] = true }

-- Integers are divided by constants only, which are not 0.
local function is_safe(node)
  if SAFE[node.op] then return true end
  local by = node.right
  return (node.op == "//" or node.op == "%") and by.kind == "number" and by.value ~= 0
end

function forms.binary(program, node)
  local a = is_safe(node) and number(program, node.left)
  local b = a and number(program, node.right)
  if not b then return nil end
  local is_float = FLOAT[node.op] or a.kind == "float" or b.kind == "float"
  return { code = ("(%s %s %s)"):format(a.code, node.op, b.code),
    kind = is_float and "float" or "int", varies = a.varies or b.varies,
    of_shape = a.of_shape or b.of_shape }
end

function number(program, node)
  local size = size_code(program, node)
  if size then return { code = size, kind = "int", of_shape = true, varies = true } end
  return forms[node.kind] and forms[node.kind](program, node)
end

-- of(program, node) -> the number that an expression is, if it depends on the call; nil for
-- arguments themselves
function M.of(program, node)
  if node.kind == "local" then return nil end
  local found = number(program, node)
  return found and found.varies and found or nil
end

return M

-- constants.lua: the values of constants that Lua puts in place of their names
-- (`local N <const> = 2 * 128`). A function that uses one has no upvalue for it.

local M = {}

local operators = {}
for operator in ("+ - * / // % ^ & | ~ << >>"):gmatch "%S+" do
  operators[operator] = load(("local a, b = ... return a %s b"):format(operator))
end
local unary = {}
for operator in ("- ~ not"):gmatch "%S+" do
  unary[operator] = load(("local a = ... return %s a"):format(operator))
end

local values = {}                       -- kind of a node -> function(node): is it constant, value

function values.number(node) return true, node.value end
function values.string(node) return true, node.value end
values["nil"] = function() return true, nil end
values["true"] = function() return true, true end
values["false"] = function() return true, false end

function values.paren(node) return M.value(node.inner) end

-- A variable's value.
values["local"] = function(node) return M.of(node.var) end

function values.unary(node)
  local known, operand = M.value(node.operand)
  if not known or not unary[node.op] then return false end
  return pcall(unary[node.op], operand)
end

function values.binary(node)
  local known, left = M.value(node.left)
  local known_too, right = M.value(node.right)
  if not (known and known_too and operators[node.op]) then return false end
  return pcall(operators[node.op], left, right)
end

values["and"] = function(node)
  local known, left = M.value(node.left)
  if not known or not left then return known, left end
  return M.value(node.right)
end

values["or"] = function(node)
  local known, left = M.value(node.left)
  if not known or left then return known, left end
  return M.value(node.right)
end

-- constants.value(node) -> is the expression constant, its value
function M.value(node)
  local value = values[node.kind]
  if not value then return false end
  local known, result = value(node)
  if not known then return false end
  return true, result
end

-- constants.of(var) -> is the variable such a constant, its value
function M.of(var)
  if var.attrib ~= "const" or not var.init then return false end
  return M.value(var.init)
end

return M

-- slices.lua: parts of a fused function (program.lua) that compute what one kernel gives: the
-- statements that some expressions depend on, as a function that returns them.

local dtypes = require "luacuda.base.dtypes"
local tree = require "luacuda.fuse.tree"

local M = {}

local function add_vars(node, set)
  if node.kind == "local" and node.var then set[node.var] = true end
  for _, var in ipairs(node.vars or {}) do set[var] = true end
  if node.kind == "localfunction" or node.kind == "fornum" then set[node.var] = true end
  tree.each(node, function(child) add_vars(child, set) end)
  return set
end

-- Do these nodes contain one of this kind, outside of inner functions?
local function contains(node, kinds)
  if kinds[node.kind] then return true end
  if node.kind == "function" then return false end
  local found = false
  tree.each(node, function(child) found = found or contains(child, kinds) end)
  return found
end

local JUMPS, CALLS = { ["return"] = true, ["goto"] = true }, { callstat = true }

-- Does an inner function assign variables around it? Then calls have effects.
local function assigns_outside(node, inside)
  local found = false
  if node.kind == "assign" and inside then
    for _, target in ipairs(node.targets) do
      if target.kind == "local" and target.var.captured then found = true end
    end
  end
  inside = inside or node.kind == "function"
  tree.each(node, function(child) found = found or assigns_outside(child, inside) end)
  return found
end

-- first_jump(body) -> the number of the first statement that may end the function or jump.
function M.first_jump(body)
  for k, statement in ipairs(body) do
    if contains(statement, JUMPS) then return k end
  end
  return #body + 1
end

-- has_hidden_assignments(body): do inner functions assign variables around them?
function M.has_hidden_assignments(body)
  for _, statement in ipairs(body) do
    if assigns_outside(statement) then return true end
  end
  return false
end

local function assigned_vars(node, set)
  for _, var in ipairs(node.vars or {}) do set[var] = true end
  if node.kind == "localfunction" then set[node.var] = true end
  for _, target in ipairs(node.targets or {}) do
    if target.kind == "local" then set[target.var] = true end
  end
  tree.each(node, function(child) assigned_vars(child, set) end)
  return set
end

-- The statements before `at` that the variables in the expressions depend on.
local function needed_statements(program, expressions, at)
  local needed, kept = {}, {}
  for _, node in ipairs(expressions) do add_vars(node, needed) end
  for k = at - 1, 1, -1 do
    local statement, counts = program.body[k], false
    for var in pairs(assigned_vars(statement, {})) do counts = counts or needed[var] end
    if counts or program.keeps_all or contains(statement, CALLS) then
      table.insert(kept, 1, statement)
      add_vars(statement, needed)
    end
  end
  return kept, needed
end

local function function_node(program, body, params)
  local own = {}
  for key, value in pairs(program.fn) do own[key] = value end
  own.body, own.params = body, {}
  for k, param in ipairs(params) do own.params[k] = param.var end
  return own
end

-- The parameters that are needed. If no array is among them, and nothing that is reduced, all
-- arrays give the shape of the results.
local function used(program, needed)
  local list, shaped = {}, false
  for _, param in ipairs(program.params) do
    shaped = shaped or needed[param.var] and (param.stage or param.of_shape
      or param.arg and program.is_array(param.arg))
  end
  for _, param in ipairs(program.params) do
    if not shaped and param.arg and program.is_array(param.arg) then needed[param.var] = true end
  end
  for _, param in ipairs(program.params) do
    if needed[param.var] then list[#list + 1] = param end
  end
  return list
end

-- slice(program, expressions, at) -> { node = a function of the parameters that the expressions
-- need, which returns them, params = these parameters }; `at`: number of the statement they stand
-- in
function M.slice(program, expressions, at)
  local body, needed = needed_statements(program, expressions, at)
  local line = expressions[1].line
  body[#body + 1] = { kind = "return", values = expressions, line = line }
  local params = used(program, needed)
  return { node = function_node(program, body, params), params = params }
end

-- whole(program) -> the same for the function as it is
function M.whole(program)
  local needed = {}
  for _, statement in ipairs(program.body) do add_vars(statement, needed) end
  local params = used(program, needed)
  return { node = function_node(program, program.body, params), params = params }
end

-- is_array(param, kinds): does a parameter give a shape to results?
function M.is_array(param, kinds)
  if param.arg then return dtypes.of(kinds[param.arg] or "") ~= nil end
  local options = param.stage and param.stage.options
  return options ~= nil and (options.axis ~= nil or options.keepdims == true)
end

-- is_uniform(slice, kinds): is there one result for all elements, made of reduced values?
function M.is_uniform(slice, kinds)
  local reduced = false
  for _, param in ipairs(slice.params) do
    if M.is_array(param, kinds) then return false end
    reduced = reduced or param.stage ~= nil or param.of_shape == true
  end
  return reduced
end

return M

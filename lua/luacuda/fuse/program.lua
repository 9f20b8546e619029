-- program.lua: a fused function that decides by elements, prepared for the compiler: sizes of
-- arguments and reductions become parameters, and slices of it compute what one kernel gives.
--
-- A parameter: { var =, arg = number of an argument }, { var =, code = Lua expression of a number,
-- type =, of_shape = does it depend on shapes? } or { var =, stage = the Stage that gives its value
-- }. A stage is a reduction: { node =, value = the expression that is reduced, reduction =, options
-- =, at = number of its statement }.

local host_numbers = require "luacuda.fuse.host_numbers"
local reductions = require "luacuda.fuse.reduction_calls"
local slices = require "luacuda.fuse.slices"
local tree = require "luacuda.fuse.tree"
local versions = require "luacuda.fuse.versions"

local M = {}

-- Parameters --------------------------------------------------------------------------------------

local function new_parameter(program, name, node, fields)
  fields.var = { name = name, line = node.line, fn = program.fn, assigned = 0 }
  program.params[#program.params + 1] = fields
  return fields
end

local function use_of(var, node)
  return { kind = "local", var = var, line = node.line, from = node.from, to = node.to }
end

local TYPES = { int = "int!", float = "float" }

local function number_parameter(program, node, found)
  local known = program.numbers[found.code]
  if not known then
    known = new_parameter(program, "number", node, { code = found.code, type = TYPES[found.kind],
      of_shape = found.of_shape })
    program.numbers[found.code] = known
  end
  return use_of(known.var, node)
end

-- Stages ------------------------------------------------------------------------------------------

-- Replaces the reductions in an expression that is always evaluated, innermost first.
local function with_stages(program, expression, at)
  local function replace(node)
    if node.kind == "function" then return node end
    if node.kind == "and" or node.kind == "or" then
      local own = {}
      for key, value in pairs(node) do own[key] = value end
      own.left = tree.copy(node.left, replace)
      return own
    end
    local found = reductions.find(program, node)
    if not found then return nil end
    local stage = { node = node, at = at, name = found.name, reduction = found.reduction,
      options = found.options, value = tree.copy(found.value, replace) }
    program.stages[#program.stages + 1] = stage
    stage.parameter = new_parameter(program, found.name, node, { stage = stage })
    return use_of(stage.parameter.var, node)
  end
  return tree.copy(expression, replace)
end

local OWN = { ["local"] = "values", assign = "values", ["return"] = "values" }

-- Of a branch, the first condition is always evaluated.
local function with_stages_in_if(program, statement, at)
  local own, clauses, first = {}, {}, {}
  for key, value in pairs(statement) do own[key] = value end
  for k, clause in ipairs(statement.clauses) do clauses[k] = clause end
  for key, value in pairs(clauses[1]) do first[key] = value end
  first.cond = with_stages(program, first.cond, at)
  own.clauses, clauses[1] = clauses, first
  return own
end

local function with_stages_in(program, statement, at)
  if statement.kind == "if" then return with_stages_in_if(program, statement, at) end
  local field = OWN[statement.kind]
  if not field then return statement end
  local own = {}
  for key, value in pairs(statement) do own[key] = value end
  own[field] = {}
  for k, node in ipairs(statement[field]) do own[field][k] = with_stages(program, node, at) end
  return own
end

-- The program -------------------------------------------------------------------------------------

-- new(source, kinds, is_array) -> program { fn =, source =, body =, params =, stages =, straight =
-- does every call end at the last statement, so that results can be computed apart?, keeps_all =
-- statements may not be left out }; is_array(k): is argument k an array?
function M.new(source, kinds, is_array)
  local arguments, body = versions.of(source.node)
  local program = { fn = source.node, source = source, kinds = kinds, is_array = is_array,
    params = {}, arguments = arguments, stages = {}, numbers = {}, body = {} }
  for k, var in ipairs(arguments) do program.params[k] = { var = var, arg = k } end
  local function numbers(node)
    local found = host_numbers.of(program, node)
    return found and number_parameter(program, node, found)
  end
  local jump, last = slices.first_jump(body), body[#body]
  for k, statement in ipairs(body) do
    local own = tree.copy(statement, numbers)
    program.body[k] = k <= jump and with_stages_in(program, own, k) or own
  end
  program.keeps_all = slices.has_hidden_assignments(body)
  program.straight = last ~= nil and last.kind == "return" and jump == #body
  return program
end

return M

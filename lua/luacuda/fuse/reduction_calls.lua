-- reduction_calls.lua: calls of reductions in the text of a fused function, as x:sum() or
-- cuda.sum(x, { axis = 1 }).

local core = require "luacuda.core"
local original = require("luacuda.base.arity").original
local fail = require("luacuda.base.arguments").fail
local reduced = require "luacuda.fuse.reduced"
local tree = require "luacuda.fuse.tree"

local M = {}

-- Descriptions ------------------------------------------------------------------------------------

local function reduction_function(name) return require(reduced.FILES[name])[name] end

local PROBE = setmetatable({}, { __traced = function(state) return state.reduction end })

-- What reductions.lua says about a reduction: it hands it on for values that are traced.
local function described(name) return reduction_function(name)(PROBE) end

local by_function

local function name_of(fn)
  if not by_function then
    by_function = {}
    for name in pairs(reduced.FILES) do by_function[reduction_function(name)] = name end
  end
  return fn ~= nil and by_function[original(fn)] or nil
end

-- Values in the text ------------------------------------------------------------------------------

local function wrong(program, node)
  fail("fuse", "%s:%d: an option of a reduction is a constant, an upvalue or a global here",
    program.source.file, node.line)
end

local values = {}

local function value_of(program, node)
  local fn = values[node.kind] or wrong(program, node)
  return fn(program, node)
end

function values.number(_, node) return node.value end
function values.string(_, node) return node.value end
values["true"] = function() return true end
values["false"] = function() return false end
values["nil"] = function() return nil end
function values.paren(program, node) return value_of(program, node.inner) end
function values.free(program, node) return (tree.free(program.source, node.name)) end

function values.unary(program, node)
  local v = value_of(program, node.operand)
  if node.op ~= "-" or type(v) ~= "number" then wrong(program, node) end
  return -v
end

function values.index(program, node)
  local from, key = value_of(program, node.object), value_of(program, node.key)
  if type(from) ~= "table" or key == nil then wrong(program, node) end
  return tree.field(from, key)
end

function values.table(program, node)
  local list, count = {}, 0
  for _, item in ipairs(node.items) do
    if item.key then list[value_of(program, item.key)] = value_of(program, item.value)
    else
      count = count + 1
      list[count] = value_of(program, item.value)
    end
  end
  return list
end

-- Calls -------------------------------------------------------------------------------------------

local function known_function(program, node)
  if node.kind == "free" then return (tree.free(program.source, node.name)) end
  if node.kind ~= "index" then return nil end
  local from, key = known_function(program, node.object), tree.constant_key(node)
  if type(from) == "table" and key ~= nil then return tree.field(from, key) end
end

-- Is a method of the object one of an array?
local function is_array(program, node)
  local known = known_function(program, node)
  return known == nil or core.type(known) == "array"
end

-- find(program, node) -> { name =, reduction =, options =, value = the node that is reduced }, or
-- nil
function M.find(program, node)
  local name, value, options
  if node.kind == "method" then
    if not reduced.FILES[node.name] or not is_array(program, node.object) then return nil end
    name, value, options = node.name, node.object, node.args[1]
  elseif node.kind == "call" then
    name, value, options = name_of(known_function(program, node.fn)), node.args[1], node.args[2]
  end
  if not name or not value then return nil end
  return { name = name, value = value, reduction = described(name),
    options = options and value_of(program, options) or nil }
end

return M

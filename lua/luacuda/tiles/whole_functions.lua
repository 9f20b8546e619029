-- whole_functions.lua: which Lua functions take, make or return whole tiles. All others compute one
-- element (lift.lua).
--
-- A function is one of whole tiles if it uses a name of kernels over tiles, such as sum, or a tile
-- of the kernel around it; if it calls such a function, or gets one as an argument; or if it
-- returns several values.

local core = require "luacuda.core"
local tree = require "luacuda.tiles.function_tree"
local builtins = require "luacuda.jit.names.builtins"
local hints = require "luacuda.jit.names.replacements"
local names = require "luacuda.jit.read.free_names"
local types = require "luacuda.jit.typed.value_types"

local M = {}

-- source_of(ctx, callee) -> the text that has the function
function M.source_of(ctx, callee)
  return callee.home and callee.home.source or ctx.unit:source(callee.fn)
end

-- A Lua function that a kernel could call, as a callee.
local function as_callee(value, name)
  if type(value) ~= "function" or builtins.of(value) then return nil end
  if debug.getinfo(value, "S").what == "C" or hints.is_own(value) then return nil end
  return { op = "function", fn = value, name = name }
end

-- What a node with names after dots stands for, if it begins with the name of this value.
local function field_of(node, name, value)
  if node.kind == "free" then return node.name == name and value or nil end
  if node.kind ~= "index" or not node.dot then return nil end
  local from = field_of(node.object, name, value)
  if type(from) ~= "table" or core.type(from) or builtins.is_library(from) then return nil end
  return rawget(from, node.key.value)
end

-- The functions among the fields of a table around the function: tools.softmax.
local function callees_in(node, name, value)
  local list = {}
  tree.each(node.body, function(n)
    if n.kind == "index" then
      list[#list + 1] = as_callee(field_of(n, name, value), name)
    end
  end, true)
  return list
end

local uses_tiles

-- Does a variable of the function around make a function one of whole tiles?
local function is_of_tiles(ctx, home, var, seen)
  while home and not home.slots[var] do home = home.outer end
  local slot = home and home.slots[var]
  if not slot then return false end
  local e = slot.fixed
  if e and e.op == "function" then return uses_tiles(ctx, e, seen) end
  return types.is_tile((e or slot).type)
end

local function uses_free(ctx, node, name, row, seen)
  if row.kind == "global" and ctx.unit.of_tiles.rows[name] then return true end
  local list = type(row.value) == "table" and callees_in(node, name, row.value)
    or { as_callee(row.value, name) }
  for _, callee in ipairs(list) do
    if uses_tiles(ctx, callee, seen) then return true end
  end
  return false
end

function uses_tiles(ctx, callee, seen)
  local known, source = pcall(M.source_of, ctx, callee)
  if not known then return false end -- calls.lua says why it has no text
  local node = callee.node or source.node
  if seen[node] then return false end
  seen[node] = true
  local all = names.of(source, ctx.unit.what)
  for name, use in pairs(node.free) do
    local found
    if use.var then found = is_of_tiles(ctx, callee.home, use.var, seen)
    else found = uses_free(ctx, node, name, all[name] or { kind = "global" }, seen) end
    if found then return true end
  end
  return tree.returns_several(node)
end

-- is_whole(ctx, callee, args) -> is it a function of whole tiles?
function M.is_whole(ctx, callee, args)
  if uses_tiles(ctx, callee, {}) then return true end
  for _, e in ipairs(args) do
    if e.op == "function" and uses_tiles(ctx, e, {}) then return true end
  end
  return false
end

return M

-- inline.lua: Lua functions that take, make or return whole tiles. A call becomes the statements of
-- the function, before the one that calls it, with variables of its own.
--
-- All other functions compute one element (lift.lua). A function is one of whole tiles if it uses a
-- name of kernels over tiles, such as sum, or a tile of the kernel around it; if it calls such a
-- function, or gets one as an argument; or if it returns several values.

local core = require "luacuda.core"
local calls = require "luacuda.jit.infer.calls"
local walk = require "luacuda.jit.infer.walk"
local builtins = require "luacuda.jit.names.builtins"
local hints = require "luacuda.jit.names.replacements"
local names = require "luacuda.jit.read.free_names"
local report = require "luacuda.jit.typed.report"
local slots = require "luacuda.jit.typed.slots"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local M = {}

-- Functions of whole tiles ------------------------------------------------------------------------

local function source_of(ctx, callee)
  return callee.home and callee.home.source or ctx.unit:source(callee.fn)
end

local function node_of(ctx, callee) return callee.node or source_of(ctx, callee).node end

-- Fields of nodes that have no nodes.
local LEAVES = { var = true, vars = true, params = true, free = true, target = true,
  vararg_table = true }

-- Calls visit(node) for each node of a tree; `within`: also for those of functions in it.
local function each_node(node, visit, within)
  if node.kind then visit(node) end
  if node.kind == "function" and not within then return end
  for field, inner in pairs(node) do
    if type(inner) == "table" and not LEAVES[field] then each_node(inner, visit, within) end
  end
end

local function returns_several(node)
  local found = false
  each_node(node.body, function(n)
    found = found or n.kind == "return" and #n.values > 1
  end)
  return found
end

-- A Lua function that a kernel could call, as a callee.
local function as_callee(value, name)
  if type(value) ~= "function" or builtins.of(value) then return nil end
  if debug.getinfo(value, "S").what == "C" or hints.is_own(value) then return nil end
  return { op = "function", fn = value, name = name }
end

-- The functions among the fields of a table around the function: tools.softmax.
local function callees_in(node, name, value)
  local list = {}
  if core.type(value) or builtins.is_library(value) then return list end
  each_node(node.body, function(n)
    if n.kind == "index" and n.dot and n.object.kind == "free" and n.object.name == name then
      list[#list + 1] = as_callee(rawget(value, n.key.value), n.key.value)
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
  if slot.fixed then return slot.fixed.op == "function" and uses_tiles(ctx, slot.fixed, seen) end
  return types.is_tile(slot.type)
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
  local known, source = pcall(source_of, ctx, callee)
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
  return returns_several(node)
end

-- is_whole(ctx, callee, args) -> is it a function of whole tiles?
function M.is_whole(ctx, callee, args)
  if uses_tiles(ctx, callee, {}) then return true end
  for _, e in ipairs(args) do
    if e.op == "function" and uses_tiles(ctx, e, {}) then return true end
  end
  return false
end

-- Parameters --------------------------------------------------------------------------------------

-- Does the argument stand for the parameter wherever it is used? A row of an array does not in
-- functions within.
local function stays(var, e)
  if var.assigned > 0 then return false end
  if not e.type or e.type == "string" or e.op == "const" or e.op == "var" then return true end
  return types.is_array(e.type) and not e.effect and not var.captured
end

local function bind(own, var, e)
  local slot = slots.slot(own, var)
  own.given[var], slot.fixed = true, nil
  if stays(var, e) then
    slot.fixed = e
    return
  end
  if not e.type or e.type == "string" then
    fail(own, own.fn, "parameter '%s' is a function or a text and cannot be assigned", var.name)
  end
  local value = slots.bind(own, var, e, own.fn)
  walk.add(own, { op = "declare", slot = slot, value = value }, own.fn)
end

-- Results -----------------------------------------------------------------------------------------

-- Is the return the last statement of the function itself?
local function is_last(own, node) return own.list[#own.list] == node end

-- The variable for one result of several returns.
local function result_slot(own, k, e, node)
  if not e.type or e.type == "string" or types.is_array(e.type) then
    fail(own, node, "%s cannot be the result of one of several returns: return it at the end",
      report.described(e))
  end
  own.vars[k] = own.vars[k] or { name = "result", line = node.line, fn = own.fn, assigned = 1 }
  return slots.bind(own, own.vars[k], e, node), slots.slot(own, own.vars[k])
end

local function assigned(own, values, node)
  local pairs_of = {}
  for k, e in ipairs(values) do
    local value, slot = result_slot(own, k, e, node)
    pairs_of[k] = { slot = slot, value = value }
  end
  if #values > 0 then walk.add(own, { op = "assign", pairs = pairs_of }, node) end
end

-- What a return of the function does (blocks.lua).
local function returned(own, values, node)
  if own.count and own.count ~= #values then
    fail(own, node, "the function returns %d values here, and %d elsewhere", #values, own.count)
  end
  own.count = #values
  if own.returns == 1 and is_last(own, node) then own.direct = values
  else assigned(own, values, node) end
  own.given = false
end

-- Returns at the ends of branches -----------------------------------------------------------------

local function has_return(node)
  local found = false
  each_node(node, function(n) found = found or n.kind == "return" end)
  return found
end

local function joined(list, rest)
  local all = table.move(list, 1, #list, 1, {})
  return table.move(rest, 1, #rest, #all + 1, all)
end

local at_ends

-- A branch, and what follows it unless it returns.
local function branch(list, rest)
  local last = list[#list]
  return at_ends(last and last.kind == "return" and list or joined(list, rest))
end

local function spread(s, rest)
  local own = setmetatable({}, { __index = s })
  if s.kind == "do" then own.body = branch(s.body, rest)
  else
    own.clauses = {}
    for k, clause in ipairs(s.clauses) do
      own.clauses[k] = setmetatable({ body = branch(clause.body, rest) }, { __index = clause })
    end
    own.orelse = branch(s.orelse or {}, rest)
  end
  return own
end

-- The statements with each return where a branch ends: what follows such a branch moves into the
-- others.
function at_ends(list)
  for k, s in ipairs(list) do
    if (s.kind == "if" or s.kind == "do") and has_return(s) then
      local all = table.move(list, 1, k - 1, 1, {})
      all[k] = spread(s, table.move(list, k + 1, #list, 1, {}))
      return all
    end
  end
  return list
end

local function count_returns(own)
  local n = 0
  each_node(own.fn.body, function(s)
    if s.kind == "return" then n = n + 1 end
    if s.kind == "fornum" or s.kind == "while" or s.kind == "repeat" or s.kind == "forin" then
      if has_return(s.body) then
        fail(own, s, "'%s' works on whole tiles and returns within a loop: let it end the loop "
          .. "with break, and return at its end", own.name)
      end
    end
  end)
  return n
end

-- Calls -------------------------------------------------------------------------------------------

-- The context of this call, which is read again with the caller.
local function context(ctx, node, callee)
  local fn = node_of(ctx, callee)
  ctx.inlined = ctx.inlined or {}
  local own = ctx.inlined[node]
  if not own or own.fn ~= fn or own.outer ~= callee.home then
    own = { unit = ctx.unit, source = source_of(ctx, callee), fn = fn, name = callee.name,
      slots = {}, results = {}, result_origins = {}, vars = {}, outer = callee.home,
      is_inlined = true, on_return = returned }
    own.returns = count_returns(own)
    own.list = own.returns > 0 and at_ends(fn.body) or fn.body
    ctx.inlined[node] = own
  end
  own.given, own.loops, own.labels, own.captured, own.block = {}, {}, {}, {}, {}
  own.direct, own.count, own.stores = nil, nil, nil
  return own
end

-- A function that stores is called where nothing else of the statement could come after it.
local function check_order(ctx, node, own)
  local s = ctx.statement
  local alone = s.call == node or s.values and #s.values == 1 and s.values[1] == node
  if alone then return end
  fail(ctx, node, "'%s' stores tiles: call it in a statement of its own, or as the only value of "
    .. "one", own.name)
end

-- Has each way through the function reached a return, or none?
local function check_end(own)
  if own.given and (own.count or 0) > 0 then
    fail(own, own.fn, "'%s' returns a value, and may also end without one", own.name)
  end
end

local function values_of(own)
  if own.direct then return own.direct end
  local list = {}
  for k = 1, own.count or 0 do
    local slot = slots.slot(own, own.vars[k])
    list[k] = { op = "var", type = slot.type, slot = slot }
  end
  return list
end

-- The variables of the results, then the statements.
local function add_all(ctx, own, body)
  if not own.direct then
    for k = 1, own.count or 0 do
      walk.add(ctx, { op = "declare", slot = slots.slot(own, own.vars[k]) }, own.fn)
    end
  end
  table.move(own.block, 1, #own.block, #ctx.block + 1, ctx.block)
  table.move(body, 1, #body, #ctx.block + 1, ctx.block)
end

-- call(ctx, node, callee, args) -> the first value, with the others in `all`, as those of calls.lua
function M.call(ctx, node, callee, args)
  local fn, stack = node_of(ctx, callee), ctx.unit.stack
  calls.check_arguments(ctx, node, fn, callee, args)
  calls.check_recursion(ctx, node, fn)
  local own = context(ctx, node, callee)
  stack[#stack + 1] = { node = fn, name = callee.name }
  for k, var in ipairs(fn.params) do bind(own, var, args[k]) end
  local body = walk.block(own, own.list)
  stack[#stack] = nil
  check_end(own)
  if own.stores then
    check_order(ctx, node, own)
    ctx.stores = true
  end
  ctx.effects, ctx.has_goto = ctx.effects or own.effects, ctx.has_goto or own.has_goto
  add_all(ctx, own, body)
  local values = values_of(own)
  if #values == 0 then return { op = "text", text = "" } end
  if #values == 1 then return values[1] end
  local first = setmetatable({ all = values, from = node }, { __index = values[1] })
  values[1] = first
  return first
end

return M

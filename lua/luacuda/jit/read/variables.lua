-- variables.lua: which variable a name means, and which label a goto. Its functions are methods of
-- the parser. A scope of a function is { node =, outer =, count = variables in scope, most upvalues
-- }, a block is { fn = scope, outer =, names = name -> VAR, count = variables before it, is_loop =,
-- labels = name -> label, gotos = those whose label is still to come }.

local M = {}

local MOST_LOCALS, MOST_UPVALUES = 200, 255

-- In place of a VAR: the name was declared global (Lua 5.5).
local GLOBAL = {}

-- Functions and blocks ----------------------------------------------------------------------------

-- A function node gets `free`: name -> { line = of its first use, var = the VAR of an outer
-- function, or nil for a global }.
function M.open_function(p, node)
  node.free = {}
  p.fn = { node = node, outer = p.fn, count = 0, upvalues = 0 }
  p:open_block(false)
end

function M.close_function(p)
  p:close_block()
  p.fn = p.fn.outer
end

function M.open_block(p, is_loop)
  p.block = { fn = p.fn, outer = p.block, names = {}, count = p.fn.count, is_loop = is_loop,
    labels = {}, gotos = {} }
end

-- The gotos of a block that ends become those of the block around it.
local function pass_gotos_on(p, block)
  local outer = block.outer
  for _, jump in ipairs(block.gotos) do
    if not outer or outer.fn ~= block.fn then
      p:fail_at(jump.node.line, ("no visible label '%s' for goto"):format(jump.node.label))
    end
    jump.count = math.min(jump.count, block.count)
    outer.gotos[#outer.gotos + 1] = jump
  end
end

function M.close_block(p)
  local block = p.block
  pass_gotos_on(p, block)
  p.fn.count = block.count
  p.block = block.outer
end

function M.is_in_loop(p)
  local block = p.block
  while block and block.fn == p.fn do
    if block.is_loop then return true end
    block = block.outer
  end
  return false
end

-- Variables ---------------------------------------------------------------------------------------

-- Makes room for variables of a function, among them those that Lua keeps for loops.
function M.reserve(p, count)
  p.fn.count = p.fn.count + count
  if p.fn.count > MOST_LOCALS then
    p:fail(("too many local variables (limit is %d)"):format(MOST_LOCALS))
  end
end

-- A variable, which `show` puts in scope.
function M.declare(p, name, line, attrib)
  p:reserve(1)
  local node = p.fn.node
  if name == "_ENV" then p:mark("shadows_env", line) end
  return { name = name, line = line, attrib = attrib, fn = node, assigned = 0 }
end

function M.show(p, var) p.block.names[var.name] = var end

function M.show_global(p, name) p.block.names[name] = GLOBAL end

-- Notes the first line of something in the current function and those around it.
function M.mark(p, field, line)
  local scope = p.fn
  while scope do
    scope.node[field] = scope.node[field] or line
    scope = scope.outer
  end
end

local function find_variable(p, name)
  local block = p.block
  while block do
    local var = block.names[name]
    if var then return var ~= GLOBAL and var or nil end
    block = block.outer
  end
end

-- Notes the name in the functions between its use and its variable (nil: a global).
local function note_free(p, name, line, var)
  local scope = p.fn
  while scope and not (var and scope.node == var.fn) do
    local free = scope.node.free
    if not free[name] then
      free[name] = { line = line, var = var }
      if var and var.attrib ~= "const" then scope.upvalues = scope.upvalues + 1 end
      if scope.upvalues > MOST_UPVALUES then
        p:fail(("too many upvalues (limit is %d)"):format(MOST_UPVALUES))
      end
    end
    scope = scope.outer
  end
end

-- Makes `node` (with its place) the use of a name.
function M.resolve(p, node, name)
  local var = find_variable(p, name)
  if not var or var.fn ~= p.fn.node then note_free(p, name, node.line, var) end
  if var then
    node.kind, node.var = "local", var
    if var.fn ~= p.fn.node then var.captured = true end
  else
    node.kind, node.name = "free", name
  end
  return node
end

-- Counts an assignment to what a node names.
function M.assign(p, node)
  local var = node.kind == "local" and node.var
  if not var then return end
  if var.attrib then
    p:fail_at(node.line, ("attempt to assign to const variable '%s'"):format(var.name))
  end
  var.assigned = var.assigned + 1
end

-- Labels ------------------------------------------------------------------------------------------

local function visible_label(p, name)
  local block = p.block
  while block and block.fn == p.fn do
    if block.labels[name] then return block.labels[name] end
    block = block.outer
  end
end

-- Raises where a label of this name is visible.
function M.check_label(p, name)
  local label = visible_label(p, name)
  if label then p:fail(("label '%s' already defined on line %d"):format(name, label.line)) end
end

-- A label in the current block; at the block's end its variables are out of scope.
function M.add_label(p, node, at_end)
  local block = p.block
  block.labels[node.name] = node
  local count, waiting = at_end and block.count or p.fn.count, {}
  for _, jump in ipairs(block.gotos) do
    if jump.node.label ~= node.name then waiting[#waiting + 1] = jump
    elseif jump.count < count then
      p:fail_at(jump.node.line, ("the goto '%s' jumps into the scope of a local"):format(node.name))
    else jump.node.target = node end
  end
  block.gotos = waiting
end

-- A goto gets `target`, its label's node.
function M.add_goto(p, node)
  node.target = visible_label(p, node.label)
  if not node.target then
    table.insert(p.block.gotos, { node = node, count = p.fn.count })
  end
end

return M

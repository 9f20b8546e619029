-- statements.lua: parses statements, except for those that declare something. Its functions are
-- methods of the parser.

local M = {}

local ENDS = { ["else"] = true, ["elseif"] = true, ["end"] = true, ["end of text"] = true }

local function ends_block(kind) return ENDS[kind] or kind == "until" end

local statements = {}                   -- kind of the first token -> function(p, node)

-- p:statements() -> list of the nodes up to the end of the block
function M.statements(p)
  local list = {}
  while not ends_block(p.kind) do
    local is_return = p.kind == "return"
    p:enter()
    local node = p:statement()
    p:leave()
    if node then list[#list + 1] = node end
    if is_return then break end
  end
  return list
end

-- A block with a scope of its own.
local function block(p, is_loop)
  p:open_block(is_loop)
  local list = p:statements()
  p:close_block()
  return list
end

-- Blocks and branches -----------------------------------------------------------------------------

statements["local"] = function(p, node) p:local_statement(node) end
statements["function"] = function(p, node) p:function_statement(node) end

statements["do"] = function(p, node)
  p:next()
  node.body = block(p)
  p:expect_close("end", "do", node.line)
end

statements["while"] = function(p, node)
  p:next()
  node.cond = p:expression()
  p:expect "do"
  node.body = block(p, true)
  p:expect_close("end", "while", node.line)
end

-- The condition is in the scope of the body.
statements["repeat"] = function(p, node)
  p:next()
  p:open_block(true)
  p:open_block(false)
  node.body = p:statements()
  p:expect_close("until", "repeat", node.line)
  node.cond = p:expression()
  p:close_block()
  p:close_block()
end

statements["if"] = function(p, node)
  node.clauses = {}
  repeat
    local clause = { line = p:line() }
    p:next()
    clause.cond = p:expression()
    p:expect "then"
    clause.body = block(p)
    table.insert(node.clauses, clause)
  until p.kind ~= "elseif"
  if p:take "else" then node.orelse = block(p) end
  p:expect_close("end", "if", node.line)
end

-- Loops -------------------------------------------------------------------------------------------

local function loop_body(p, node, vars)
  p:expect "do"
  p:open_block(false)
  for i, name in ipairs(vars) do
    -- Lua 5.5: the first variable cannot be assigned
    local attrib = i == 1 and p.release >= 5.5 and "const" or nil
    vars[i] = p:declare(name, node.line, attrib)
    p:show(vars[i])
  end
  node.body = p:statements()
  p:close_block()
end

local function for_numbers(p, node, name)
  node.kind = "fornum"
  p:expect "="
  p:reserve(p.release >= 5.5 and 2 or 3)
  node.first = p:expression()
  p:expect ","
  node.last = p:expression()
  if p:take "," then node.step = p:expression() end
  local vars = { name }
  loop_body(p, node, vars)
  node.var = vars[1]
end

local function for_in(p, node, name)
  node.kind, node.vars = "forin", { name }
  while p:take "," do table.insert(node.vars, p:expect_name()) end
  p:expect "in"
  p:reserve(p.release >= 5.5 and 3 or 4)
  node.exprs = p:expression_list()
  loop_body(p, node, node.vars)
end

statements["for"] = function(p, node)
  p:next()
  p:open_block(true)
  local name = p:expect_name()
  if p.kind == "=" then for_numbers(p, node, name)
  elseif p.kind == "," or p.kind == "in" then for_in(p, node, name)
  else p:fail "'=' or 'in' expected" end
  p:expect_close("end", "for", node.line)
  p:close_block()
end

-- Jumps -------------------------------------------------------------------------------------------

statements["return"] = function(p, node)
  p:next()
  node.values = {}
  if not ends_block(p.kind) and p.kind ~= ";" then node.values = p:expression_list() end
  p:take ";"
end

statements["break"] = function(p)
  if not p:is_in_loop() then p:fail "break outside a loop" end
  p:next()
end

statements["goto"] = function(p, node)
  p:next()
  node.label = p:expect_name()
  p:add_goto(node)
end

-- Does nothing but labels and ";" come before the end of the block?
local function is_last(p)
  local kinds, at = p.tokens.kinds, p.at
  while kinds[at] == ";" or kinds[at] == "::" do at = at + (kinds[at] == ";" and 1 or 3) end
  return ENDS[kinds[at]] or kinds[at] == nil
end

statements["::"] = function(p, node)
  node.kind = "label"
  p:next()
  node.name = p:expect_name()
  p:expect "::"
  p:check_label(node.name)
  p:add_label(node, is_last(p))
end

-- Assignments and calls ---------------------------------------------------------------------------

local CAN_BE_ASSIGNED = { ["local"] = true, free = true, index = true }

local function add_target(p, node, target)
  if not CAN_BE_ASSIGNED[target.kind] then p:fail "syntax error" end
  p:assign(target)
  table.insert(node.targets, target)
end

local function assignment(p, node, first)
  node.kind, node.targets = "assign", {}
  add_target(p, node, first)
  while p:take "," do add_target(p, node, p:suffixed()) end
  p:expect "="
  node.values = p:expression_list()
  local names = {}
  for i, target in ipairs(node.targets) do
    names[i] = target.name or target.var and target.var.name or target.dot and target.key.value
  end
  p:name_values(names, node.values)
end

local function expression_statement(p, node)
  local first = p:suffixed()
  if p.kind == "=" or p.kind == "," then return assignment(p, node, first) end
  if first.kind ~= "call" and first.kind ~= "method" then p:fail "syntax error" end
  node.kind, node.call = "callstat", first
end

-- p:statement() -> node; nil for ";"
function M.statement(p)
  if p:take ";" then return nil end
  local node = p:begin(p.kind)
  local parse = statements[p.kind]
  if p:is_global_declaration() then parse = p.global_statement end
  (parse or expression_statement)(p, node)
  return p:finish(node)
end

return M

-- declarations.lua: parses the statements that declare variables and functions. Its functions are
-- methods of the parser.

local M = {}

local function attrib(p)
  if not p:take "<" then return nil end
  local name, line = p:expect_name(), p:line()
  if name ~= "const" and name ~= "close" then
    p:fail_at(line, ("unknown attribute '%s'"):format(name))
  end
  p:expect ">"
  return name
end

local function check_attribs(p, vars)
  local closes = 0
  for _, var in ipairs(vars) do closes = closes + (var.attrib == "close" and 1 or 0) end
  if closes > 1 then p:fail "multiple to-be-closed variables in local list" end
end

local function local_function(p, node)
  node.kind = "localfunction"
  local fn = p:begin "function"
  p:next()
  local line = p:line()
  local name = p:expect_name()
  node.var = p:declare(name, line)
  p:show(node.var)
  node.fn = p:body(fn, name)
end

-- Names the functions among the values after the variables that take them.
function M.name_values(p, names, values)
  for i, value in ipairs(values) do
    if names[i] then p:name_function(value, names[i]) end
  end
end

local function local_variables(p, node)
  node.vars, node.values = {}, {}
  local common = p.release >= 5.5 and attrib(p) or nil
  local names = {}
  repeat
    local line = p:line()
    local name = p:expect_name()
    names[#names + 1] = name
    table.insert(node.vars, p:declare(name, line, attrib(p) or common))
  until not p:take ","
  if p:take "=" then node.values = p:expression_list() end
  check_attribs(p, node.vars)
  p:name_values(names, node.values)
  -- the initializer of a constant, which Lua may have put in place of its uses
  local last = node.vars[#node.vars]
  if last.attrib == "const" and #node.values == #node.vars then last.init = node.values[#names] end
  for _, var in ipairs(node.vars) do p:show(var) end
end

function M.local_statement(p, node)
  p:next()
  if p.kind == "function" then local_function(p, node) else local_variables(p, node) end
end

-- function a.b:c() is an assignment.
function M.function_statement(p, node)
  node.kind = "assign"
  local fn = p:begin "function"
  fn.first = fn.line
  p:next()
  local target = p:begin "free"
  local name, is_method = p:expect_name(), false
  target = p:finish(p:resolve(target, name))
  while p.kind == "." or p.kind == ":" do
    is_method = p.kind == ":"
    local index = p:begin("index", target)
    name = name .. p.kind
    p:next()
    index.object, index.key, index.dot = target, p:name_as_string(), true
    name, target = name .. index.key.value, p:finish(index)
    if is_method then break end
  end
  node.targets, node.values = { target }, { p:body(fn, name, is_method) }
  p:assign(target)
end

local function global_attrib(p)
  if attrib(p) == "close" then p:fail "global variables cannot be to-be-closed" end
end

-- Lua 5.5: a declaration of globals. "global" is also a name.
function M.global_statement(p, node)
  node.kind, node.names = "global", {}
  p:mark("declares_global", node.line)
  p:next()
  if p.kind == "function" then
    local fn = p:begin "function"
    p:next()
    local name = p:expect_name()
    p:show_global(name)
    node.names[1], node.fn = name, p:body(fn, name)
    return
  end
  global_attrib(p)
  if p:take "*" then return end
  repeat
    table.insert(node.names, p:expect_name())
    global_attrib(p)
  until not p:take ","
  if p:take "=" then node.values = p:expression_list() end
  for _, name in ipairs(node.names) do p:show_global(name) end
end

local AFTER_GLOBAL = { name = true, ["function"] = true, ["*"] = true, ["<"] = true }

function M.is_global_declaration(p)
  return p.release >= 5.5 and p.kind == "name" and p.tokens.values[p.at] == "global"
    and AFTER_GLOBAL[p:peek()]
end

return M

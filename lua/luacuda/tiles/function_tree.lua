-- function_tree.lua: the tree of a Lua function (jit/read/parser.lua): its nodes, and its returns.

local M = {}

-- Fields of nodes that have no nodes.
local LEAVES = { var = true, vars = true, params = true, free = true, target = true,
  vararg_table = true }

-- each(node, visit [, within]) calls visit(node) for each node of a tree; `within`: also for those
-- of functions in it
local function each(node, visit, within)
  if node.kind then visit(node) end
  if node.kind == "function" and not within then return end
  for field, inner in pairs(node) do
    if type(inner) == "table" and not LEAVES[field] then each(inner, visit, within) end
  end
end
M.each = each

function M.returns_several(node)
  local found = false
  each(node.body, function(n)
    found = found or n.kind == "return" and #n.values > 1
  end)
  return found
end

-- Returns at the ends of branches -----------------------------------------------------------------

local function has_return(node)
  local found = false
  each(node, function(n) found = found or n.kind == "return" end)
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
M.at_ends = at_ends

local LOOPS = { fornum = true, forin = true, ["while"] = true, ["repeat"] = true }

-- returns(node) -> how many returns the function has; a loop with one, or nil; a jump, or nil
function M.returns(node)
  local count, loop, jump = 0, nil, nil
  each(node.body, function(n)
    if n.kind == "return" then count = count + 1 end
    if n.kind == "goto" then jump = n end
    if LOOPS[n.kind] and has_return(n.body) then loop = loop or n end
  end)
  return count, loop, jump
end

return M

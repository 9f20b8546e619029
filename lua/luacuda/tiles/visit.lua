-- visit.lua: walks over the typed tree of a kernel over tiles.

local M = {}

-- Calls fn(e) for each expression directly inside of one.
function M.inside(e, fn)
  for _, field in ipairs{ "a", "b", "cond", "tile", "left", "right", "sum", "body", "value",
    "index", "other", "array", "call", "mask" } do
    if type(e[field]) == "table" then fn(e[field]) end
  end
  for _, input in ipairs(e.inputs or {}) do fn(input.tile) end
  for _, field in ipairs{ "args", "indices", "values", "extents" } do
    for _, item in ipairs(e[field] or {}) do
      fn(type(item.value) == "table" and item.value or item)
    end
  end
  if e.part then
    for _, place in ipairs(e.part.places) do fn(place.index) end
    for _, place in ipairs(e.part.outer) do fn(place.index) end
  end
end

-- Calls fn(e, parent) for an expression and all inside of it.
function M.all(e, fn, parent)
  fn(e, parent)
  M.inside(e, function(inner) M.all(inner, fn, e) end)
end

-- Calls fn(e) for the expressions of a statement, without those of statements in it.
function M.of_statement(s, fn)
  if s.value then fn(s.value) end
  for _, pair in ipairs(s.pairs or {}) do
    if pair.place then fn(pair.place) end
    fn(pair.value)
  end
  for _, clause in ipairs(s.clauses or {}) do fn(clause.cond) end
  for _, field in ipairs{ "cond", "first", "last", "step" } do
    if type(s[field]) == "table" then fn(s[field]) end
  end
  for _, e in ipairs(s.values or {}) do fn(e) end
  for _, e in ipairs(s.extents or {}) do fn(e) end
end

-- Calls fn(s, loops) for each statement of a list and of those in it; loops: how many are around
-- it.
function M.statements(list, fn, loops)
  loops = loops or 0
  for _, s in ipairs(list) do
    fn(s, loops)
    local inner = loops + ((s.op == "fornum" or s.op == "while" or s.op == "repeat") and 1 or 0)
    if s.body then M.statements(s.body, fn, inner) end
    if s.orelse then M.statements(s.orelse, fn, loops) end
    for _, clause in ipairs(s.clauses or {}) do M.statements(clause.body, fn, loops) end
  end
end

-- Calls fn(e, parent) for each expression of the statements of a list.
function M.expressions(list, fn)
  M.statements(list, function(s)
    M.of_statement(s, function(root) M.all(root, fn) end)
  end)
end

-- How often a variable is read in an expression.
function M.reads(root, slot)
  local n = 0
  M.all(root, function(e)
    if e.op == "var" and e.slot == slot then n = n + 1 end
  end)
  return n
end

-- extends(dot, slot): does a product add to the variable as it is?
function M.extends(dot, slot)
  return dot.sum ~= nil and dot.sum.op == "var" and dot.sum.slot == slot
end

-- can_hold(slot, dot): can the sum of a product be in the registers of a variable before its
-- factors are read?
function M.can_hold(slot, dot)
  return M.extends(dot, slot) or M.reads(dot.left, slot) == 0 and M.reads(dot.right, slot) == 0
end

-- How often it is read in a list of statements.
function M.all_reads(list, slot)
  local n = 0
  M.statements(list, function(s)
    M.of_statement(s, function(root) n = n + M.reads(root, slot) end)
  end)
  return n
end

-- How often it is assigned there.
function M.all_assigned(list, slot)
  local n = 0
  M.statements(list, function(s)
    for _, pair in ipairs(s.pairs or {}) do
      if pair.slot == slot then n = n + 1 end
    end
  end)
  return n
end

return M

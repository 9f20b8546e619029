-- level_statements.lua: levels of what statements assign and return, and the decisions in them.

local known_of = require "luacuda.fuse.known"
local levels = require "luacuda.fuse.levels"

local statements = {}
local level, raise, decide, condition = levels.level, levels.raise, levels.decide, levels.condition

local function root_of(node)
  while node.kind == "index" or node.kind == "paren" do node = node.object or node.inner end
  return node
end

local function assign(ctx, target, value)
  local root = root_of(target)
  if root.kind == "local" then raise(ctx.state, ctx.state.vars, root.var, value)
  elseif root.kind == "free" then
    if ctx.state.written[root.name] == nil then ctx.state.changed = true end
    ctx.state.written[root.name] = math.max(ctx.state.written[root.name] or 0, value)
  end
  if target.kind == "index" then level(ctx, target.key) end
end

-- The level of value k of a list, whose last one may be several.
local function value_at(ctx, values, k)
  local node = values[math.min(k, #values)]
  return node and level(ctx, node) or 0
end

-- A variable that is one function, or one value that is known.
local function know(ctx, var, node)
  if var.assigned > 0 or not node then return end
  local known = known_of.resolve(ctx, node)
  if known and (known.record or type(known.value) == "table"
    or type(known.value) == "function") then
    ctx.state.known[var] = known
  end
end

statements["local"] = function(ctx, node)
  for k, var in ipairs(node.vars) do
    know(ctx, var, node.values[k])
    if not ctx.state.known[var] then
      raise(ctx.state, ctx.state.vars, var, value_at(ctx, node.values, k))
    end
  end
  for k, value in ipairs(node.values) do
    local var = node.vars[k]
    -- what a variable is known to stand for counts where the variable is used
    if not (var and ctx.state.known[var]) then level(ctx, value) end
  end
end

function statements.localfunction(ctx, node)
  ctx.state.known[node.var] = { record = known_of.record(ctx.state, node.fn, ctx.source) }
end

function statements.assign(ctx, node)
  for k, target in ipairs(node.targets) do assign(ctx, target, value_at(ctx, node.values, k)) end
end

function statements.callstat(ctx, node) level(ctx, node.call) end

statements["return"] = function(ctx, node)
  raise(ctx.state, ctx.record, "result", levels.of_list(ctx, node.values))
end

statements["do"] = function(ctx, node) levels.block(ctx, node.body) end

statements["if"] = function(ctx, node)
  for _, clause in ipairs(node.clauses) do
    condition(ctx, clause.cond)
    levels.block(ctx, clause.body)
  end
  if node.orelse then levels.block(ctx, node.orelse) end
end

statements["while"] = function(ctx, node)
  condition(ctx, node.cond)
  levels.block(ctx, node.body)
end

statements["repeat"] = function(ctx, node)
  levels.block(ctx, node.body)
  condition(ctx, node.cond)
end

function statements.fornum(ctx, node)
  for _, bound in ipairs{ node.first, node.last, node.step } do
    if level(ctx, bound) > 0 then decide(ctx, bound) end
  end
  levels.block(ctx, node.body)
end

function statements.forin(ctx, node)
  local most = levels.of_list(ctx, node.exprs)
  for _, var in ipairs(node.vars) do raise(ctx.state, ctx.state.vars, var, most) end
  levels.block(ctx, node.body)
end

return { statements = statements }

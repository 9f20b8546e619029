-- first_thread.lua: finds indices that are below 1 in the first thread of every launch. That thread
-- has the places 0 and takes the index 1 of a loop over the grid, so much is known about it: a
-- kernel that forgets to add 1 to threadIdx is noticed when it is made.
--
-- A walk (w) follows the statements that the first thread runs for certain; `values` has what its
-- variables are that are assigned once.

local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"

-- Values ------------------------------------------------------------------------------------------

local of = {}

-- The value of an integer in the first thread, or nil.
local function first(w, e)
  local fn = of[e.op]
  if fn and types.is_integer(e.type) then return fn(w, e) end
end

function of.const(_, e) return math.tointeger(e.value) end
function of.var(w, e) return w.values[e.slot] end
function of.convert(w, e) return first(w, e.a) end

function of.text(_, e)
  return (e.text:find "threadIdx" or e.text:find "blockIdx" or e.text:find "laneid") and 0 or nil
end

local OPERATIONS = {
  add = function(a, b) return a and b and a + b end,
  sub = function(a, b) return a and b and a - b end,
  mul = function(a, b)
    if a == 0 or b == 0 then return 0 end
    return a and b and a * b
  end,
  idiv = function(a, b) return a and (a == 0 and 0 or b and b ~= 0 and a // b) or nil end,
  mod = function(a, b) return a and (a == 0 and 0 or b and b ~= 0 and a % b) or nil end,
}

function of.int(w, e)
  local fn = OPERATIONS[e.fn]
  return fn and fn(first(w, e.a), first(w, e.b)) or nil
end

-- Conditions --------------------------------------------------------------------------------------

-- Is it a size: an extent, or a number that the launch passes? Sizes are taken to be at least 1.
local function is_size(w, e)
  if e.op == "convert" then return is_size(w, e.a) end
  if e.op == "var" then return w.sizes[e.slot] == true end
  return e.op == "extent"
end

local COMPARE = {
  ["<"] = function(a, b) return a < b end, ["<="] = function(a, b) return a <= b end,
  [">"] = function(a, b) return a > b end, [">="] = function(a, b) return a >= b end,
  ["=="] = function(a, b) return a == b end, ["!="] = function(a, b) return a ~= b end,
}
local MIRROR = { ["<"] = ">", ["<="] = ">=", [">"] = "<", [">="] = "<=" }

-- `v <symbol> size`
local function against_size(v, symbol)
  if symbol == "<" or symbol == ">=" then v = v + 1 end
  if v > 1 then return nil end
  if symbol == "<" or symbol == "<=" then return true end
  if symbol == ">" or symbol == ">=" then return false end
end

local function compared(w, e)
  local a, b = first(w, e.a), first(w, e.b)
  if a and b then return COMPARE[e.symbol](a, b) end
  if a and is_size(w, e.b) then return against_size(a, e.symbol) end
  if b and is_size(w, e.a) then return against_size(b, MIRROR[e.symbol]) end
end

-- Is the condition true in the first thread? nil: that is not known.
local function truth(w, e)
  if e.op == "const" then return e.value end
  if e.op == "infix" and COMPARE[e.symbol] then return compared(w, e) end
  if e.op == "prefix" and e.symbol == "!" then
    local t = truth(w, e.a)
    if t ~= nil then return not t end
  elseif e.op == "logic" then
    local a, b = truth(w, e.a), truth(w, e.b)
    local decisive = e.symbol == "||"
    if a == decisive or b == decisive then return decisive end
    if a ~= nil and b ~= nil then return not decisive end
  end
end

-- Expressions -------------------------------------------------------------------------------------

local WORDS = "this index is %d in the first thread, and arrays begin at 1 (threadIdx and blockIdx "
  .. "count from 0, grid(n) from 1)"

local function check(w, index)
  local v = first(w, index)
  if v and v < 1 then report.fail(w.ctx, w.line, WORDS, v) end
end

local visit

local function visit_all(w, list)
  for _, e in ipairs(list or {}) do visit(w, type(e.value) == "table" and e.value or e) end
end

-- What of an expression is evaluated for certain.
function visit(w, e)
  for _, index in ipairs(e.indices or {}) do check(w, index) end
  visit_all(w, e.indices)
  visit_all(w, e.args)
  visit_all(w, e.values)
  for _, field in ipairs { "cond", "call", "place", "index" } do
    if type(e[field]) == "table" then visit(w, e[field]) end
  end
  if type(e.array) == "table" then visit(w, e.array) end
  if e.op == "select" then
    local t = truth(w, e.cond)
    if t ~= nil then visit(w, t and e.a or e.b) end
  elseif type(e.a) == "table" then
    visit(w, e.a)
    local b = e.op ~= "logic" or truth(w, e.a) == (e.symbol == "&&")
    if b and type(e.b) == "table" then visit(w, e.b) end
  end
end

-- Statements --------------------------------------------------------------------------------------

local statements = {}

-- Follows the statements as long as the first thread runs them for certain; tells whether it comes
-- to their end.
local function walk(w, list)
  for _, s in ipairs(list) do
    w.line = s.line
    local fn = statements[s.op]
    if not fn or fn(w, s) == false then return false end
  end
  return true
end

-- May a statement of the list leave it?
local function may_leave(list)
  for _, s in ipairs(list) do
    if s.op == "return" or s.op == "goto" or s.op == "break" or s.op == "label" then return true end
    if s.body and may_leave(s.body) or s.orelse and may_leave(s.orelse) then return true end
    for _, clause in ipairs(s.clauses or {}) do
      if may_leave(clause.body) then return true end
    end
  end
  return false
end

function statements.declare(w, s)
  if not s.value then return end
  visit(w, s.value)
  if not s.slot.assigned and types.is_integer(s.slot.type) then
    w.values[s.slot] = first(w, s.value)
  end
end

function statements.assign(w, s)
  for _, pair in ipairs(s.pairs) do
    if pair.place then visit(w, pair.place) end
    visit(w, pair.value)
  end
end

-- A call; error(...) ends the kernel.
function statements.effect(w, s)
  visit(w, s.value)
  return s.value.op ~= "assert" or s.value.cond ~= nil
end

statements["do"] = function(w, s) return walk(w, s.body) end

statements["if"] = function(w, s)
  for k, clause in ipairs(s.clauses) do
    visit(w, clause.cond)
    local t = truth(w, clause.cond)
    if t then return walk(w, clause.body) end
    if t == nil then
      local rest = { clauses = table.move(s.clauses, k, #s.clauses, 1, {}), orelse = s.orelse }
      return not may_leave { rest }
    end
  end
  return not s.orelse or walk(w, s.orelse)
end

-- A loop whose first round is certain; later ones may leave the function.
local function loop(w, s, is_certain)
  if is_certain then walk(w, s.body) end
  return not may_leave(s.body)
end

statements["while"] = function(w, s)
  visit(w, s.cond)
  return loop(w, s, truth(w, s.cond))
end

statements["repeat"] = function(w, s) return loop(w, s, true) end

function statements.grid(w, s)
  for _, slot in ipairs(s.slots) do
    if not slot.assigned then w.values[slot] = 1 end
  end
  return loop(w, s, true)
end

function statements.fornum(w, s)
  local up = s.step.op == "const" and s.step.value > 0
  local test = { op = "infix", symbol = "<=", a = s.first, b = s.last }
  if not s.slot.assigned then w.values[s.slot] = first(w, s.first) end
  return loop(w, s, up and truth(w, test))
end

statements["return"] = function(w, s)
  visit_all(w, s.values)
  return false
end
statements["break"] = function() return false end

-- check(ctx) raises for an index of a kernel that is below 1 in the first thread.
local function check_kernel(ctx)
  local w = { ctx = ctx, values = {}, sizes = {}, line = 1 }
  for _, slot in ipairs(ctx.parameters) do w.sizes[slot] = not slot.assigned or nil end
  walk(w, ctx.body)
end

return { check = check_kernel }

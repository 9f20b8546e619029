-- counters.lua: the range of variables that count: `n = n + 1` in loops of known length, and in
-- `while n < limit`, where `n = 2 * n` also counts. Such a variable needs no 64 bits.
--
-- A counter is at most what it is assigned elsewhere, or what the condition of a `while` lets pass,
-- plus all changes that can follow: in loops of known length all of them, in the bodies of `while`
-- those of one round of each. A multiplication happens at most once after the last condition above
-- it has let the variable pass, so all of them together are one factor. It is not a variable that
-- another function changes, nor one of a function with jumps.

local nodes = require "luacuda.jit.typed.nodes"
local types = require "luacuda.jit.typed.value_types"

local M = {}

local INF = math.huge

-- A variable's record: depth, the number of loops around its declaration; lo, hi, of the values
-- that it is assigned and that conditions let pass; up, down, of the changes that can follow;
-- factor, the product of all that it is multiplied by; positive: the range holds only for variables
-- that are never below 0.

local function widen(row, lo, hi) row.lo, row.hi = math.min(row.lo, lo), math.max(row.hi, hi) end

local function plain(e)
  while e.op == "convert" and e.bare do e = e.a end
  return e
end

local function is_slot(e, slot)
  e = plain(e)
  return e.op == "var" and e.slot == slot
end

-- The constant c of `slot + c`, or nil.
local function change_of(e, slot)
  e = plain(e)
  if e.op ~= "int" or e.fn ~= "add" and e.fn ~= "sub" then return nil end
  local a, b = e.a, plain(e.b)
  if e.fn == "add" and is_slot(b, slot) then a, b = b, plain(a) end
  if not is_slot(a, slot) or b.op ~= "const" then return nil end
  return e.fn == "add" and b.value or -b.value
end

local SCALES = {
  mul = function(c) return c >= 1 and c + 0.0 end,
  shl = function(c) return c >= 0 and c < 32 and 2.0 ^ c end,
  idiv = function(c) return c >= 1 and 1.0 end,
  shr = function(c) return c >= 0 and c < 64 and 1.0 end,
}

-- By what `slot * c`, `slot << c`, `slot // c` or `slot >> c` can grow, 1.0 for those that shrink;
-- nil for other expressions. It holds where the variable is not below 0.
local function scale_of(e, slot)
  e = plain(e)
  local scale = e.op == "int" and SCALES[e.fn]
  if not scale then return nil end
  local a, b = e.a, plain(e.b)
  if e.fn == "mul" and is_slot(b, slot) then a, b = b, plain(a) end
  if not is_slot(a, slot) or b.op ~= "const" or math.type(b.value) ~= "integer" then return nil end
  return scale(b.value) or nil
end

-- Loops -------------------------------------------------------------------------------------------

local function rounds(first, last, step)
  if not (types.is_integer(first.type) and types.is_integer(last.type)) then return INF end
  local from, to = nodes.range(first)
  local low, high = nodes.range(last)
  local by = step.op == "const" and step.value
  if not by then return INF end
  local way = by > 0 and high - from or to - low
  return math.max(0, way // math.abs(by) + 1)
end

local BELOW, ABOVE = { ["<"] = 1, ["<="] = 0 }, { [">"] = 1, [">="] = 0 }

-- limits(cond, slot) -> the least and the most that a condition lets pass of a variable
local function limits(e, slot)
  if e.op == "logic" and e.symbol == "&&" then
    local lo, hi = limits(e.a, slot)
    local least, most = limits(e.b, slot)
    return math.max(lo, least), math.min(hi, most)
  end
  if e.op ~= "infix" then return -INF, INF end
  local below, above, other = BELOW[e.symbol], ABOVE[e.symbol], e.b
  if is_slot(e.b, slot) then below, above, other = above, below, e.a
  elseif not is_slot(e.a, slot) then return -INF, INF end
  if not types.is_integer(other.type) then return -INF, INF end
  local lo, hi = nodes.range(other)
  return above and lo + above or -INF, below and hi - below or INF
end

-- Walking -----------------------------------------------------------------------------------------

local Walk = {}
Walk.__index = Walk

local forms = {}

function Walk:block(list)
  for _, s in ipairs(list) do
    local form = forms[s.op]
    if form then form(self, s)
    elseif s.body then self.unknown = true end
  end
end

-- A body that runs at most so often each time; `cond`: that of a `while`.
function Walk:loop(list, most, cond)
  self.loops[#self.loops + 1] = { most = most, cond = cond, changes = {} }
  self:block(list)
  self:leave(table.remove(self.loops))
end

-- The end of a loop: what changes of counters in the body of a `while` come to.
function Walk:leave(loop)
  for slot, change in pairs(loop.changes) do
    local row = self.rows[slot]
    local least, most = limits(loop.cond, slot)
    if change.factor > 1 then
      row.hi, row.factor = math.max(row.hi, most), row.factor * change.factor
    end
    if change.up > 0 then row.hi, row.up = math.max(row.hi, most), row.up + change.up end
    if change.down < 0 then row.lo, row.down = math.min(row.lo, least), row.down + change.down end
  end
end

function forms.declare(walk, s)
  local slot = s.slot
  if not (s.value and slot.assigned and slot.type == "int") or slot.outside then return end
  local lo, hi = nodes.range(s.value)
  walk.rows[slot] = { depth = #walk.loops, lo = lo, hi = hi, up = 0, down = 0, factor = 1.0 }
end

-- The innermost loop, if it is a `while` within the scope of the variable.
local function inner_while(walk, row)
  local inner = walk.loops[#walk.loops]
  return inner and inner.cond and #walk.loops > row.depth and inner
end

local function changes_in(loop, slot)
  local known = loop.changes[slot] or { up = 0, down = 0, factor = 1.0 }
  loop.changes[slot] = known
  return known
end

-- The variable changes by a constant.
local function change(walk, slot, by)
  local row = walk.rows[slot]
  local up, down = math.max(by, 0), math.min(by, 0)
  local inner = inner_while(walk, row)
  if inner then
    local known = changes_in(inner, slot)
    known.up, known.down = known.up + up, known.down + down
    return
  end
  local times = 1
  for k = row.depth + 1, #walk.loops do times = times * walk.loops[k].most end
  if times > 0 then row.up, row.down = row.up + up * times, row.down + down * times end
end

-- The variable is multiplied by a constant or, where `factor` is 1, divided. In a loop that is no
-- `while` nothing says how large it becomes.
local function scale(walk, slot, factor)
  local row = walk.rows[slot]
  local inner = inner_while(walk, row)
  row.positive, row.lo = true, math.min(row.lo, 0.0)
  if factor == 1 then return end
  if inner then
    local known = changes_in(inner, slot)
    known.factor = known.factor * factor
  else row.factor = #walk.loops > row.depth and INF or row.factor * factor end
end

function forms.assign(walk, s)
  for _, pair in ipairs(s.pairs) do
    local row = pair.slot and walk.rows[pair.slot]
    local by = row and change_of(pair.value, pair.slot)
    local factor = row and scale_of(pair.value, pair.slot)
    if by then change(walk, pair.slot, by)
    elseif factor then scale(walk, pair.slot, factor)
    elseif row then widen(row, nodes.range(pair.value)) end
  end
end

forms["do"] = function(walk, s) walk:block(s.body) end

forms["if"] = function(walk, s)
  for _, clause in ipairs(s.clauses) do walk:block(clause.body) end
  walk:block(s.orelse or {})
end

forms["while"] = function(walk, s) walk:loop(s.body, INF, s.cond) end
forms["repeat"] = function(walk, s) walk:loop(s.body, INF) end
function forms.fornum(walk, s) walk:loop(s.body, rounds(s.first, s.last, s.step)) end

function forms.grid(walk, s)
  local most = 1
  for _, e in ipairs(s.extents) do most = most * math.max(0, (select(2, nodes.range(e)))) end
  walk:loop(s.body, most)
end

-- note(ctx) sets lo and hi of the slots of a function whose typed tree is ready.
function M.note(ctx)
  if ctx.has_goto then return end
  local walk = setmetatable({ rows = {}, loops = {} }, Walk)
  walk:block(ctx.body)
  if walk.unknown then return end
  for slot, row in pairs(walk.rows) do
    local lo, hi = row.lo + row.down, (row.hi + row.up) * row.factor
    local known = not row.positive or lo >= 0
    if known and lo >= -2.0 ^ 31 and hi < 2.0 ^ 31 then slot.lo, slot.hi = lo, hi end
  end
end

return M

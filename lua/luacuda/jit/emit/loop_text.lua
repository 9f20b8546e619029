-- loop_text.lua: C++ loops for Lua's numeric `for`. Bounds are computed once and no counter
-- overflows. grid_text.lua has loops over the grid.

local nodes = require "luacuda.jit.typed.nodes"
local types = require "luacuda.jit.typed.value_types"

local forms = {}

-- bound(em, e) -> a bound that a loop may compare with again and again
local function bound(em, e)
  if nodes.is_stable(e) then return (em:atom(e)) end
  return em:temporary(em:ctype(e), (em:expression(e)))
end

local function body(em, s, own, counter)
  if own ~= counter then em:declare(em:slot_type(s.slot), own, counter) end
  em:block(s.body)
  em:close "}"
end

-- The name of the counter: the variable itself unless the body assigns it.
local function counter_of(em, s)
  return s.slot.assigned and em.unit:own_name "_i" or s.slot.name
end

local function counter_type(em, s) return em:slot_type(s.slot) end

-- Tells the compiler how many rounds to write out. To write out some of a loop whose step is not
-- known costs a division at its start, and most such loops have few rounds.
local function pragma(em, s)
  local factor = s.factor or s.step.op ~= "const" and 1
  if factor then em:line("#pragma unroll" .. (factor == "all" and "" or " " .. factor)) end
end

-- `for (int64 i = 1; i <= n; i++)`
local function simple(em, s, up)
  local counter, ctype = counter_of(em, s), counter_type(em, s)
  local first = em:expression(s.first)
  local last, by = bound(em, s.last), bound(em, s.step)
  local one = s.step.op == "const" and (s.step.value == 1 and "++" or s.step.value == -1 and "--")
  local change = counter .. (one or " += " .. by)
  local start = ("%s %s = %s"):format(ctype, counter, first)
  if em.hoisted then
    em:declare(ctype, counter)
    start = ("%s = %s"):format(counter, first)
  end
  pragma(em, s)
  em:open(("for (%s; %s %s %s; %s) {"):format(start, counter, up and "<=" or ">=", last, change))
  body(em, s, s.slot.name, counter)
end

-- The counter stays in range: the loop counts its rounds, as Lua does.
local function counted(em, s)
  local first, last = em:variable("int64", (em:expression(s.first))), bound(em, s.last)
  local step = bound(em, s.step)
  local rounds = "_lcu_rounds"
  em.unit:need{ rounds }
  if types.is_float(s.last.type) then
    rounds = "_lcu_rounds_to_float"
    em.unit:need{ "_lcu_floor_int", "_lcu_ceil_int", rounds }
  end
  local left = em:variable("uint64", ("%s(%s, %s, %s)"):format(rounds, first, last, step))
  pragma(em, s)
  em:open(("for (; %s != 0; %s--, %s = (int64)((uint64)%s + (uint64)%s)) {"):format(left, left,
    first, first, step))
  em:declare(em:slot_type(s.slot), s.slot.name, first)
  em:block(s.body)
  em:close "}"
end

local function floats(em, s)
  local ctype = em:slot_type(s.slot)
  local first = em:variable(ctype, (em:expression(s.first)))
  local last, step = bound(em, s.last), bound(em, s.step)
  local known = s.step.op == "const" and s.step.value
  local test = known and ("%s %s %s"):format(first, known > 0 and "<=" or ">=", last)
    or ("%s > 0 ? %s <= %s : %s < 0 && %s >= %s"):format(step, first, last, step, first, last)
  em:open(("for (; %s; %s += %s) {"):format(test, first, step))
  em:declare(ctype, s.slot.name, first)
  em:block(s.body)
  em:close "}"
end

-- Can the counter pass the limit by one step without wrapping around, in its own C++ type? Nil
-- where that is not known; else: does it count up?
local function direction(em, s)
  local down, up = nodes.range(s.step)
  if down <= 0 and up >= 0 then return nil end
  local lo, hi = nodes.range(s.last)
  local first_lo, first_hi = nodes.range(s.first)
  local most = counter_type(em, s) == "int32" and 2.0 ^ 31 - 1 or 2.0 ^ 62
  local far = down > 0 and math.max(hi, first_hi) + up or math.min(lo, first_lo) + down
  if math.abs(far) <= most then return down > 0 end
end

function forms.fornum(em, s)
  if types.is_float(s.slot.type) then return floats(em, s) end
  local up = direction(em, s)
  if up ~= nil then return simple(em, s, up) end
  counted(em, s)
end

return { statements = forms, bound = bound }

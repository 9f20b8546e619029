-- Random statements for jit_fuzz. The generator `g` has rng, lines, the visible variables, the
-- functions that can be called, the depth that blocks may still have, and the loop around.
local expressions = require "spec.support.jit_fuzz.expressions"

local pick, chance, value = expressions.pick, expressions.chance, expressions.expression

local M = {}

local KINDS = { "I", "I", "E", "F", "D", "B", "C" }

local function put(g, text, ...) g.lines[#g.lines + 1] = text:format(...) end


local function new_name(g, letter)
  g.count = g.count + 1
  return letter .. g.count
end

local function declare(g, name, kind, const)
  g.vars[#g.vars + 1] = { name = name, kind = kind, const = const }
end

-- statements.forget(g, count) leaves the first variables only.
function M.forget(g, count)
  for k = #g.vars, count + 1, -1 do g.vars[k] = nil end
end

-- Runs fn with the variables of an inner block.
local function inside(g, fn)
  local count, depth = #g.vars, g.depth
  g.depth = depth - 1
  fn()
  g.depth = depth
  M.forget(g, count)
end

local block

-- Operations that can share an element, a row of `at` each.
M.COMMUTATIVE = { { "add", "sub" }, { "max" }, { "min" }, { "and" }, { "or" }, { "xor" } }

local statements = {}
local function add(count, make)
  for _ = 1, count do statements[#statements + 1] = make end
end

-- The kind that a variable of this kind can be assigned beside its own.
local function assignable(g, kind)
  if kind == "E" and chance(g, 20) then return "I" end
  if kind == "D" and chance(g, 20) then return "F" end
  return kind
end

local function any_kind(g)
  if g.narrow and chance(g, 25) then
    return pick(g, chance(g, 70) and expressions.NARROW or expressions.SMALL_OTHERS)
  end
  return pick(g, KINDS)
end

add(4, function(g)
  local kind, name = any_kind(g), new_name(g, "v")
  put(g, "local %s = %s", name, value(g, kind, 3))
  declare(g, name, kind)
end)

add(1, function(g)
  local kinds, names, values = {}, {}, {}
  for k = 1, 2 + g.rng(2) do
    kinds[k], names[k] = any_kind(g), new_name(g, "v")
    values[k] = value(g, kinds[k], 2)
  end
  put(g, "local %s = %s", table.concat(names, ", "), table.concat(values, ", "))
  for k, name in ipairs(names) do declare(g, name, kinds[k]) end
end)

add(5, function(g)
  local kind = any_kind(g)
  local name = expressions.variable(g, kind, true)
  if name then put(g, "%s = %s", name, value(g, assignable(g, kind), 3)) end
end)

-- Several variables at once, which may be the same in another order.
add(1, function(g)
  local kind = any_kind(g)
  local x, y = expressions.variable(g, kind, true), expressions.variable(g, kind, true)
  if x and x ~= y then put(g, "%s, %s = %s, %s", x, y, value(g, kind, 1), value(g, kind, 1)) end
end)

add(3, function(g)
  put(g, "t[(%s & 7) + 1] = %s", value(g, "I", 1), value(g, "E", 2))
end)
add(1, function(g) put(g, "w[(%s & 7) + 1] = %s", value(g, "I", 1), value(g, "D", 2)) end)

-- Stores to what only this thread has, and atomic operations whose order does not matter.
local function add_store(make)
  add(1, function(g)
    if not g.of_elements then make(g) end
  end)
end

add_store(function(g) put(g, "s[i] = %s", value(g, pick(g, { "I", "E" }), 2)) end)
add_store(function(g) put(g, "sf[i] = %s", value(g, pick(g, { "F", "D" }), 2)) end)
add_store(function(g) put(g, "zc[i] = %s", value(g, pick(g, { "C", "C", "D" }), 2)) end)
add_store(function(g)
  local row = g.rng(#M.COMMUTATIVE) + 1
  local at = pick(g, { "at[%d], ", "at, %d, " }):format(row)
  put(g, "atomic_%s(%s(%s & 7) + 1, %s ~ n[i])", pick(g, M.COMMUTATIVE[row]), at, value(g, "I", 1),
    value(g, pick(g, { "I", "E" }), 2))
end)
add_store(function(g)
  if not g.narrow then return end
  -- not a constant, which would have to fit
  put(g, "x_%s[i] = %s ~ n[i]", pick(g, expressions.NARROW), value(g, pick(g, { "I", "E" }), 2))
end)
add_store(function(g)
  if not g.narrow then return end
  put(g, "x_float32[i] = %s", value(g, pick(g, { "F", "D", "float32" }), 2))
end)

add(2, function(g)
  local fn, x, y = pick(g, g.functions), new_name(g, "v"), new_name(g, "v")
  put(g, "local %s, %s = %s(%s, %s)", x, y, fn, value(g, "I", 2), value(g, "F", 2))
  declare(g, x, "I")
  declare(g, y, "F")
end)

-- A function of the variables around it.
add(1, function(g)
  if g.depth < 1 then return end
  local name, x, kind = new_name(g, "g"), new_name(g, "v"), pick(g, KINDS)
  put(g, "local function %s(%s)", name, x)
  inside(g, function()
    local fenced = g.loop
    g.loop = nil
    declare(g, x, "I")
    if chance(g, 60) then block(g, 2) end
    put(g, "return %s", value(g, kind, 2))
    g.loop = fenced
  end)
  put(g, "end")
  local result = new_name(g, "v")
  put(g, "local %s = %s(%s)", result, name, value(g, "I", 1))
  declare(g, result, kind)
end)

add(3, function(g)
  if g.depth < 1 then return end
  put(g, "if %s then", value(g, "B", 2))
  inside(g, function() block(g, 3) end)
  for _ = 1, g.rng(3) do
    put(g, "elseif %s then", value(g, "B", 2))
    inside(g, function() block(g, 2) end)
  end
  if chance(g, 50) then
    put(g, "else")
    inside(g, function() block(g, 2) end)
  end
  put(g, "end")
end)

local function loop_body(g, size)
  inside(g, function()
    local outer = g.loop
    g.loop = { label = new_name(g, "l") }
    put(g, "do") -- a jump to the end must not enter the scope of a variable
    block(g, size)
    put(g, "end")
    if g.loop.used then put(g, "::%s::", g.loop.label) end
    g.loop = outer
  end)
end

local function small(g) return ("(%s & 7)"):format(value(g, "I", 1)) end

local STEPS = { "", "", ", 1", ", 2", ", -1", ", -3", ", p & 3 | 1", ", 3 - 5", ", -(i & 1 | 2)" }

add(3, function(g)
  if g.depth < 1 then return end
  local name = new_name(g, "v")
  local from, to, step = small(g), small(g), pick(g, STEPS)
  if chance(g, 10) then
    from, to, step = "math.maxinteger - " .. from, "math.maxinteger", pick(g, { "", ", 2" })
  elseif chance(g, 10) then
    from, to, step = "math.mininteger + " .. from, "math.mininteger", pick(g, { ", -1", ", -4" })
  end
  put(g, "for %s = %s, %s%s do", name, from, to, step)
  inside(g, function()
    declare(g, name, "I", true)
    loop_body(g, 3)
  end)
  put(g, "end")
end)

add(1, function(g)
  if g.depth < 1 then return end
  local name = new_name(g, "v")
  put(g, "for %s = %s, %s, %s do", name, pick(g, { "0.5", "-1.25", "2.0" }),
    pick(g, { "3.5", "-4.0", "i * 0.25" }), pick(g, { "0.75", "-0.5", "1.0" }))
  inside(g, function()
    declare(g, name, "F", true)
    loop_body(g, 2)
  end)
  put(g, "end")
end)

add(2, function(g)
  if g.depth < 1 then return end
  local count = new_name(g, "n")
  put(g, "local %s = 0", count)
  local is_while = chance(g, 50)
  if is_while then put(g, "while %s < %d and %s do", count, 1 + g.rng(5), value(g, "B", 2))
  else put(g, "repeat") end
  put(g, "%s = %s + 1", count, count)
  declare(g, count, "I", true)
  loop_body(g, 3)
  put(g, is_while and "end" or ("until %s > %d or %s"):format(count, g.rng(5), value(g, "B", 1)))
end)

add(1, function(g)
  if g.loop then put(g, "if %s then break end", value(g, "B", 2)) end
end)
add(1, function(g)
  if not g.loop then return end
  put(g, "if %s then goto %s end", value(g, "B", 2), g.loop.label)
  g.loop.used = true
end)
add(1, function(g)
  if g.depth < 1 then return end
  put(g, "do")
  inside(g, function() block(g, 2) end)
  put(g, "end")
end)

function block(g, most)
  for _ = 1, 1 + g.rng(most) do pick(g, statements)(g) end
end

-- statements.helper(g, name): a function of an integer and a float
function M.helper(g, name)
  local x, y = new_name(g, "v"), new_name(g, "v")
  put(g, "local function %s(%s, %s)", name, x, y)
  inside(g, function()
    declare(g, x, "I")
    declare(g, y, "F")
    put(g, "return %s, %s", value(g, "I", 2), value(g, "F", 2))
  end)
  put(g, "end")
end

M.put, M.new_name, M.declare, M.any_kind, M.block = put, new_name, declare, any_kind, block

return M

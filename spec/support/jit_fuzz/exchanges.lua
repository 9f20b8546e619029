-- Random statements of threads that exchange values, for jit_fuzz: shared memory, barriers, and
-- the exchanges of a warp. All threads of a block run them. `tid`, `size`, `lane`, `lanes` (of this
-- warp), `present` (their mask), `shi` and `shf` are names of the kernel.
local expressions = require "spec.support.jit_fuzz.expressions"
local statements = require "spec.support.jit_fuzz.statements"

local chance, pick, value = expressions.chance, expressions.pick, expressions.expression
local declare, new_name, put = statements.declare, statements.new_name, statements.put

local M = {}

M.MOST = 96     -- threads of a block, and elements of a shared array

-- exchanges.memory(g): the shared arrays of a function
function M.memory(g)
  g.shared = { E = "shi", D = "shf" }
  put(g, "local shi = %s", chance(g, 30) and "dynamic_shared('int64')"
    or ("shared('int64', %d)"):format(M.MOST))
  put(g, "local shf = shared('float64', %d)", M.MOST)
  if not g.narrow then return end
  local dtype = pick(g, expressions.NARROW)
  put(g, "local shn = shared('%s', %d)", dtype, M.MOST)
  g.shared[dtype] = "shn"
end

local function shared(g)
  local kinds = {}
  for kind in pairs(g.shared) do kinds[#kinds + 1] = kind end
  table.sort(kinds)
  local kind = pick(g, kinds)
  return g.shared[kind], kind
end

-- Stores a variable, so that what was exchanged is seen.
local function note(g, kind, name)
  if kind == "F" or kind == "D" then put(g, "sf[i] = sf[i] * 0.5 + %s", name)
  elseif kind == "B" then put(g, "s[i] = s[i] * 3 + (%s and 1 or 2)", name)
  else put(g, "s[i] = s[i] * 5 ~ %s", name) end
end

local function new_variable(g, kind, text, ...)
  local name = new_name(g, "v")
  put(g, "local %s = " .. text, name, ...)
  declare(g, name, kind)
  return name
end

local function barrier(g) put(g, "syncthreads()") end

-- A thread of the block: its index from 1.
local function thread(g)
  return pick(g, { "tid + 1", "size - tid", "(tid + 1) % size + 1", "(tid * 7 + 3) % size + 1",
    ("(%s & 127) %% size + 1"):format(value(g, "I", 1)) })
end

local collective = {}
local function add(count, make)
  for _ = 1, count do collective[#collective + 1] = make end
end

-- Elements of other threads.
add(4, function(g)
  local array, kind = shared(g)
  put(g, "%s[%s] = %s", array, pick(g, { "tid + 1", "size - tid" }), value(g, kind, 2))
  barrier(g)
  for _ = 1, 1 + g.rng(2) do new_variable(g, kind, "%s[%s]", array, thread(g)) end
  barrier(g)
end)

local COMBINE = { E = { "+", "*", "&", "|", "~" }, D = { "+", "*" } }

-- A tree.
add(2, function(g)
  local kind, step = pick(g, { "E", "D" }), new_name(g, "n")
  local array, op = g.shared[kind], pick(g, COMBINE[kind])
  put(g, "%s[tid + 1] = %s", array, value(g, kind, 2))
  barrier(g)
  local down = chance(g, 50)
  put(g, down and "local %s = 64" or "local %s = 1", step)
  put(g, down and "while %s > 0 do" or "while %s < size do", step)
  put(g, "if %s and tid + %s < size then", down and "tid < " .. step
    or ("tid %% (2 * %s) == 0"):format(step), step)
  put(g, "%s[tid + 1] = %s[tid + 1] %s %s[tid + 1 + %s]", array, array, op, array, step)
  put(g, "end")
  barrier(g)
  put(g, "%s = %s %s 2\nend", step, step, down and "//" or "*")
  new_variable(g, kind, "%s[1]", array)
  barrier(g)
end)

-- Atomic operations on shared memory.
add(2, function(g)
  local names = pick(g, statements.COMMUTATIVE)
  put(g, "for z = tid, 7, size do shi[z + 1] = z * 5 end")
  barrier(g)
  for _ = 1, 1 + g.rng(2) do
    put(g, "if %s then", value(g, "B", 1))
    put(g, "atomic_%s(shi, (%s & 7) + 1, %s)\nend", pick(g, names), value(g, "I", 1),
      value(g, pick(g, { "I", "E" }), 2))
  end
  barrier(g)
  new_variable(g, "E", "shi[(%s & 7) + 1]", value(g, "I", 1))
  barrier(g)
end)

add(1, function(g)
  local name, kind = pick(g, { "and", "or", "count" }), "B"
  if name == "count" then kind = "I" end
  new_variable(g, kind, "syncthreads_%s(%s)", name, value(g, "B", 2))
end)

-- A mask names lanes that exist: the compiler takes it that a warp is whole if all lanes are named.
local function mask(g)
  return g.size % 32 == 0 and pick(g, { "0xffffffff", "-1", "present" }) or "present"
end

local function exchanged_kind(g)
  if g.narrow and chance(g, 40) then return pick(g, expressions.NARROW) end
  return pick(g, { "I", "E", "F", "D" })
end

-- Where the lane to read from is not there, the result is zero.
local function shuffle(g, name, by, is_there)
  local kind, at = exchanged_kind(g), new_name(g, "n")
  put(g, "local %s = %s", at, by)
  local v = new_variable(g, kind, "%s_sync(%s, %s, %s)", name, mask(g), value(g, kind, 2), at)
  if is_there then
    put(g, "if not (%s) then %s = %s(0) end", is_there:format(at), v, ({ I = "math.tointeger",
      E = "int64", F = "0.0 + ", D = "float64" })[kind] or kind)
  end
end

add(2, function(g) shuffle(g, "shfl", ("(%s & 31) %% lanes"):format(value(g, "I", 1))) end)
add(1, function(g) shuffle(g, "shfl_up", g.rng(32)) end)
add(1, function(g) shuffle(g, "shfl_down", g.rng(32), "lane + %s < lanes") end)
add(1, function(g) shuffle(g, "shfl_xor", g.rng(32), "lane ~ %s < lanes") end)

add(2, function(g)
  local name, kind = pick(g, { "any", "all", "ballot" }), "B"
  if name == "ballot" then kind = "E" end
  new_variable(g, kind, kind == "E" and "int64(%s_sync(%s, %s))" or "%s_sync(%s, %s)", name,
    mask(g), value(g, "B", 2))
end)

-- A value that several threads have.
local function common(g)
  local kind = exchanged_kind(g)
  if kind == "F" then return ("((%s & 3) * 0.5)"):format(value(g, "I", 1)) end
  if kind == "D" then return ("float64(%s & 3)"):format(value(g, "I", 1)) end
  if kind == "I" or kind == "E" then return ("(%s & %d)"):format(value(g, kind, 1), g.rng(4)) end
  return ("%s(%s & 3)"):format(kind, value(g, "I", 1))
end

add(2, function(g)
  new_variable(g, "E", "int64(match_%s_sync(present, %s))", pick(g, { "any", "all" }), common(g))
end)

-- Exchanges of a part of a warp, in a branch.
add(2, function(g)
  local is_in, lanes, v = new_name(g, "v"), new_name(g, "n"), new_variable(g, "E", "int64(i)")
  put(g, "local %s = %s", is_in, value(g, "B", 2))
  put(g, "local %s = ballot_sync(present, %s)", lanes, is_in)
  put(g, "if %s%s then", chance(g, 30) and "not " or "", is_in)
  if g.lines[#g.lines]:find "not" then put(g, "%s = present & ~int64(%s)", v, lanes)
  else put(g, "%s = int64(%s)", v, lanes) end
  local count, form = #g.vars, g.rng(3)
  if form == 0 then put(g, "%s = int64(ballot_sync(%s, %s))", v, v, value(g, "B", 2))
  elseif form == 1 then put(g, "%s = int64(match_any_sync(%s, %s))", v, v, common(g))
  else put(g, "if any_sync(%s, %s) then %s = %s end", v, value(g, "B", 2), v, value(g, "E", 1)) end
  if chance(g, 50) then statements.block(g, 1) end
  statements.forget(g, count)
  put(g, "end")
end)

local OPERATIONS = { "add", "mul", "min", "max", "and", "or", "xor" }

-- Tiles of a size that divides the block's.
add(3, function(g)
  local n = 1 << g.rng(6)
  while g.size % n ~= 0 do n = n // 2 end
  local kind = exchanged_kind(g)
  local v = value(g, kind, 2)
  local form = g.rng(4)
  if form == 0 then
    local name = pick(g, { "any", "all", "ballot" })
    new_variable(g, name == "ballot" and "E" or "B", name == "ballot" and "int64(tile(%d):%s(%s))"
      or "tile(%d):%s(%s)", n, name, value(g, "B", 2))
  elseif form == 1 then
    new_variable(g, kind, "tile(%d):shfl%s(%s, %d)", n, pick(g, { "", "_up", "_down", "_xor" }), v,
      g.rng(n))
  elseif form == 2 then new_variable(g, "E", "int64(tile(%d):match_any(%s))", n, common(g))
  else
    new_variable(g, "E", "tile(%d):%s(%s, '%s')", n, pick(g, { "reduce", "inclusive_scan" }),
      value(g, "E", 2), pick(g, OPERATIONS))
  end
end)

-- Exchanges again and again.
add(1, function(g)
  if g.repeated then return end
  local u, count = new_name(g, "v"), #g.vars
  put(g, "for %s = 1, %d do", u, 1 + g.rng(3))
  declare(g, u, "I", true)
  g.repeated = true
  for _ = 1, 1 + g.rng(2) do pick(g, collective)(g) end
  g.repeated = false
  statements.forget(g, count)
  put(g, "end")
end)

-- exchanges.block(g, most): statements of both kinds
function M.block(g, most)
  for _ = 1, 1 + g.rng(most) do
    if chance(g, 50) then statements.block(g, 2) end
    local count = #g.vars
    pick(g, collective)(g)
    for k = count + 1, #g.vars do note(g, g.vars[k].kind, g.vars[k].name) end
  end
end

return M

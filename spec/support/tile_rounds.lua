-- tile_rounds.lua: random loops of products over tiles, whose plan decides when each is complete:
--   lua5.4 spec/support/tile_rounds.lua DEVICE FIRST COUNT
-- for the seeds FIRST to FIRST + COUNT - 1. The text of a kernel runs once more as plain Lua, where
-- a tile is an array of float64 with all rows.
local cuda = require "luacuda"

local K, ROWS, DEPTH = 64, 160, 248 -- of a round; of the arrays; what is summed
local ROUNDS = (DEPTH + K - 1) // K

-- A generator of numbers from 1 to n.
local function numbers(seed)
  local state = seed * 2654435761 % 2 ^ 32 // 1
  return function(n)
    state = (state * 1664525 + 1013904223) % (1 << 32)
    return (state >> 8) % n + 1
  end
end

-- Texts -------------------------------------------------------------------------------------------

local LOADS = {
  left = { "load(a, { i, k }, { M, 64 })", "transpose(load(ta, { k, i }, { 64, M }))",
    "load(d, { i, k }, { M, 64 })", "before" },
  right = { "load(b, { k, 1 }, { 64, 64 })", "transpose(load(tb, { 1, k }, { 64, 64 }))",
    "load(e, { k, 1 }, { 64, 64 })" },
  vector = { "load(f, { k }, { 64 })", "load(g, { at(2), k }, { 64 })" },
}

local function pick(rng, list) return list[rng(#list)] end

local SUMS = { "one", "two", "three" }

-- A tile that a statement may read.
local function value(rng, state)
  local n = #state.kept
  return n > 0 and rng(3) > 1 and state.kept[rng(n)] or pick(rng, SUMS)
end

local function product(rng, state)
  local left = pick(rng, LOADS.left)
  if rng(4) == 1 then left = ("float16(%s * 0.05)"):format(value(rng, state)) end
  return left .. ", " .. pick(rng, LOADS.right)
end

local kinds = {
  function(rng, state) -- a product of its own
    state.kept[#state.kept + 1] = "s" .. #state.kept + 1
    local text = ("local s%d = dot(%s)"):format(#state.kept, product(rng, { kept = {
      table.unpack(state.kept, 1, #state.kept - 1) } }))
    return rng(4) == 1 and text .. " * 0.5" or text
  end,
  function(rng, state)
    local sum = pick(rng, SUMS)
    return ("%s = dot(%s, %s)"):format(sum, product(rng, state), rng(4) == 1 and sum .. " * 0.5"
      or sum)
  end,
  function(rng, state)
    return ("%s = %s + %s"):format(pick(rng, SUMS), pick(rng, SUMS), value(rng, state))
  end,
  function(rng, state)
    return ("%s = %s * %s"):format(pick(rng, SUMS), value(rng, state), pick(rng, LOADS.vector))
  end,
  function(rng, state)
    local text = ("if %s %s %d then %s = %s * 0.5"):format(pick(rng, { "k", "n" }),
      pick(rng, { "==", ">" }), rng(ROUNDS), pick(rng, SUMS), value(rng, state))
    if rng(3) > 1 then return text .. " end" end
    return ("%s else n, %s = n + 1, %s end"):format(text, pick(rng, SUMS), value(rng, state))
  end,
  function(rng) return "n = n + k % " .. 1 + rng(2) end,
}

-- The text of a kernel. There is a product in each loop.
local function text_of(rng)
  local state, lines = { kept = {} }, {}
  for k = 1, 1 + rng(5) do lines[k] = "    " .. kinds[rng(#kinds)](rng, state) end
  table.insert(lines, rng(#lines + 1), "    " .. kinds[2](rng, { kept = {} }))
  return table.concat({
    "return function(x, y, z, a, ta, b, tb, d, e, f, g)",
    "  local i = program(1)",
    "  local before = load(a, { i, 1 }, { M, 64 })",
    "  local one, two = zeros('float32', M, 64), zeros('float32', M, 64)",
    "  local three, n = full('float32', 1, M, 64), 0",
    "  for k = 1, " .. pick(rng, { "tiles(a, 2, 64)", "i + 1", tostring(rng(ROUNDS)) }) .. " do",
    table.concat(lines, "\n"),
    "  end",
    "  store(x, { i, 1 }, one)",
    "  store(y, { i, 1 }, two)",
    "  store(z, { i, 1 }, three)",
    "end" }, "\n")
end

-- Plain Lua ---------------------------------------------------------------------------------------

local function wide(x) return x:astype "float64" end

-- The part of 64 along an axis, with 0 outside of the array.
local function part(x, axis, k)
  local n, ranges, pads = x.shape[axis], {}, {}
  local last = math.min(k * K, n)
  for own = 1, x.ndim do ranges[own], pads[own] = {}, { 0, 0 } end
  ranges[axis], pads[axis] = { k * K - K + 1, last }, { 0, k * K - last }
  return cuda.pad(wide(x:slice(table.unpack(ranges))), pads)
end

-- What the names of the language mean for one program's rows, of M each.
local function meanings(M, i)
  local function rows_of(x, axis)
    local ranges, last = { {}, {} }, math.min(i * M, x.shape[axis])
    ranges[axis] = { (i - 1) * M + 1, last }
    return x:slice(table.unpack(ranges))
  end
  local own = { M = "rows", stored = {} }
  function own.program() return i end
  function own.tiles() return ROUNDS end
  function own.at(n) return n end
  function own.full(_, v, _, columns)
    local n = math.min(i * M, ROWS) - (i - 1) * M
    return cuda.full({ n, columns }, v, "float64")
  end
  function own.zeros(dtype, m, n) return own.full(dtype, 0, m, n) end
  function own.transpose(x) return x:transpose() end
  function own.float16(x) return wide(x:astype "float16") end
  function own.dot(x, y, sum)
    local p = cuda.matmul(x, y)
    return sum and sum + p or p
  end
  function own.load(x, places, extents)
    if #extents == 1 then
      if #places == 2 then x = x[places[1]] end
      return part(x, 1, places[#places])
    end
    for axis = 1, 2 do
      x = extents[axis] == "rows" and rows_of(x, axis) or part(x, axis, places[axis])
    end
    return wide(x)
  end
  function own.store(to, _, t) own.stored[to] = t end
  return own
end

-- Checks ------------------------------------------------------------------------------------------

local function half(...) return (cuda.random.normal{ ... } * 0.25):astype "float16" end

local function check(seed)
  local rng = numbers(seed)
  local warps = pick(rng, { 4, 8, 12 })
  local M = 16 * warps
  local text = text_of(rng)
  local out = {}
  for k = 1, 3 do out[k] = cuda.empty({ ROWS, 64 }, "float32") end
  local inputs = { half(ROWS, DEPTH), half(DEPTH, ROWS), half(DEPTH, 64), half(64, DEPTH),
    half(ROWS, DEPTH), half(DEPTH, 64), cuda.random.normal(DEPTH - 3),
    cuda.random.normal{ 3, DEPTH + 1 } }
  local arguments = table.move(inputs, 1, #inputs, 4, { table.unpack(out) })
  local fn = assert(load(text, text, "t", setmetatable({ M = M }, { __index = _G })))()
  local kernel = cuda.tiled(fn, { warps = warps })
  local programs = (ROWS + M - 1) // M
  kernel({ programs = programs }, table.unpack(arguments))
  for i = 1, programs do
    local env = meanings(M, i)
    assert(load(text, text, "t", env))()(table.unpack(arguments))
    for k = 1, 3 do
      local rows = { (i - 1) * M + 1, math.min(i * M, ROWS) }
      local got, expected = wide(out[k]:slice(rows)), env.stored[out[k]]
      local most = cuda.maximum(cuda.abs(expected), 1)
      local off = (cuda.abs(got - expected) / cuda.abs(most):max()):max()
      if off >= 4e-3 or off ~= off then
        error(("seed %d, %d warps, sum %d of program %d is off by %g\n%s"):format(seed, warps, k, i,
          off, text))
      end
    end
  end
  return kernel:pipeline().reason == nil
end

local device, first, count = table.unpack(arg)
cuda.use(tonumber(device) or device)
local planned, large = 0, 0
for seed = tonumber(first), tonumber(first) + tonumber(count) - 1 do
  local ok, result = pcall(check, seed)
  if ok then planned = planned + (result and 1 or 0)
  elseif tostring(result):find "need more shared memory" then large = large + 1
  else error(("seed %d: %s"):format(seed, result), 0) end
end
print(("%d kernels, %d with a plan, %d too large"):format(tonumber(count), planned, large))

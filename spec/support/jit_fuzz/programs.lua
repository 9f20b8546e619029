-- Random functions for jit_fuzz: a kernel of several functions, each of which computes an integer
-- and a float for an index i from numbers, arrays, tables and other functions.
local exchanges = require "spec.support.jit_fuzz.exchanges"
local expressions = require "spec.support.jit_fuzz.expressions"
local statements = require "spec.support.jit_fuzz.statements"

local chance, pick, put, value = expressions.chance, expressions.pick, statements.put,
  expressions.expression

local M = {}

local UPVALUES = "local K, R, T, H, cuda, m = ..."

-- What stands before and after the functions of a kernel.
local GRID = { UPVALUES, [[
return function(oi, of, at, n, m, f, c, s, sf, zc, %s p, q, a, b)
for i in grid(#oi) do]], "end\nend" }
local BLOCKS = { UPVALUES, [[
return function(oi, of, at, n, m, f, c, s, sf, zc, %s p, q, a, b)
local size = blockDim.x * blockDim.y
local tid = threadIdx.y * blockDim.x + threadIdx.x
local i = blockIdx.x * size + tid + 1
local lane, lanes = laneid, math.min(32, size - tid // 32 * 32)
local present = (1 << lanes) - 1]], "end" }

-- Elements: the arrays of the other kernels are numbers.
local ELEMENTS = { UPVALUES, [[
return function(n, f, c, s, sf, zc, %s p, q, a, b)
local i = math.floor((n & 7) * 1.0) + 1]] }

local function begin(g, head)
  local more = {}
  for _, list in ipairs(g.narrow and { expressions.NARROW, expressions.SMALL_OTHERS } or {}) do
    for _, name in ipairs(list) do more[#more + 1] = "x_" .. name .. "," end
  end
  put(g, "%s", head[1])
  put(g, "%s", head[2]:format(table.concat(more, " ")))
end

-- The functions f1, f2 ...; `before` writes what comes first in each.
local function functions(g, count, before)
  for k = 1, count do
    put(g, "local function f%d()", k)
    put(g, "local t, w = array('int64', 8), array('float64', 8)")
    put(g, "for z = 1, 8 do t[z], w[z] = z * i, z * 0.5 end")
    g.vars, g.depth, g.functions, g.loop = {}, 3, { "H" }, nil
    if before then before(g) end
    if chance(g, 60) then put(g, "%s", "local p, q, a, b = p, q, a, b") end
    statements.helper(g, "h" .. k)
    g.functions = { "H", "h" .. k }
    if g.of_blocks then exchanges.block(g, 5)
    else statements.block(g, 6) end
    local results = { value(g, pick(g, { "I", "E" }), 3), value(g, pick(g, { "F", "D" }), 3) }
    if g.of_elements then
      g.kinds[k] = g.narrow and pick(g, expressions.NARROW) or pick(g, { "B", "C" })
      results[3] = value(g, g.kinds[k], 3)
    end
    put(g, "return %s", table.concat(results, ", "))
    put(g, "end")
    if not g.of_elements then put(g, "oi[i][%d], of[i][%d] = f%d()", k, k, k) end
  end
end

local function new(rng, narrow)
  return { rng = rng, narrow = narrow, lines = {}, count = 0, vars = {}, functions = { "H" } }
end

local function finish(g, head)
  put(g, "%s", head[3])
  return table.concat(g.lines, "\n")
end

-- programs.make(rng, count, narrow) -> the text of a chunk that takes the upvalues and returns the
-- kernel. `narrow`: with dtypes other than int64, float64, complex128 and bool.
function M.make(rng, count, narrow)
  local g = new(rng, narrow)
  begin(g, GRID)
  functions(g, count)
  return finish(g, GRID)
end

-- programs.blocks(rng, count, narrow, size) -> a kernel whose threads exchange values; `size`: of
-- a block
function M.blocks(rng, count, narrow, size)
  local g = new(rng, narrow)
  g.of_blocks, g.size = true, size
  begin(g, BLOCKS)
  functions(g, count, exchanges.memory)
  return finish(g, BLOCKS)
end

-- programs.elements(rng, count, narrow) -> a function for cuda.vectorize, and the kinds of each
-- third result
function M.elements(rng, count, narrow)
  local g = new(rng, narrow)
  g.of_elements, g.kinds = true, {}
  begin(g, ELEMENTS)
  functions(g, count)
  local names = {}
  for k = 1, count do
    local three = ("a%d, b%d, c%d"):format(k, k, k)
    put(g, "local %s = f%d()", three, k)
    names[k] = three
  end
  put(g, "return %s\nend", table.concat(names, ", "))
  local text = table.concat(g.lines, "\n"):gsub("%f[%w_]([%w_]+)%[i%]", function(name)
    if name ~= "m" then return name end
  end)
  return text:gsub("#oi", "#T"), g.kinds
end

return M

-- Random functions, run by plain Lua and as kernels.
local cuda = require "luacuda"
local helper = require "spec.helper"

local ROUNDS, N = helper.sanitized and 5 or 25, 12

local rng
local function chance(p) return rng(1000) < 1000 * p end
local function pick(list) return list[rng(#list) + 1] end

local INTEGERS = { "0", "1", "2", "3", "7", "8", "(-1)", "(-5)", "16", "1000", "2147483647",
  "math.maxinteger", "math.mininteger", "i", "i", "i", "p", "q", "n[i]", "#out" }
local FLOATS = { "0.5", "2.0", "(-1.25)", "1e10", "a", "b", "f[i]", "i * 0.5", "1e308" }

local integer, float, condition

-- Forms of integer expressions whose operands may be any.
local INTEGER_FORMS = {
  function(d) return ("(%s %s %s)"):format(integer(d), pick{ "+", "-", "*", "&", "|", "~" },
    integer(d)) end,
  function(d) return ("(%s %s %s)"):format(integer(d), pick{ "//", "%" },
    pick{ "2", "3", "-7", "16", "5" }) end,
  function() return ("(%s %s %s)"):format(pick{ "i", "p", "q", "(i - 4)", "(q + i)", "-7" },
    pick{ "<<", ">>" }, pick{ "1", "3", "63", "64", "-2", "i", "p" }) end,
  function(d) return ("(- %s)"):format(integer(d)) end,
  function(d) return ("(~%s)"):format(integer(d)) end,
  function(d) return ("math.%s(%s, %s)"):format(pick{ "max", "min" }, integer(d), integer(d)) end,
  function(d) return ("(%s and %s or %s)"):format(condition(d), integer(d), integer(d)) end,
}

local FLOAT_FORMS = {
  function(d) return ("(%s %s %s)"):format(float(d), pick{ "+", "-", "*", "/" },
    chance(0.3) and integer(d) or float(d)) end,
  function(d) return ("(%s / %s)"):format(integer(d), pick{ "3", "i", "7" }) end,
  function(d) return ("math.%s(%s)"):format(pick{ "sqrt", "abs", "sin", "cos" }, float(d)) end,
  function(d) return ("math.%s(%s, %s)"):format(pick{ "max", "min" }, float(d), float(d)) end,
  function(d) return ("(%s %s %s)"):format(float(d), pick{ "//", "%" },
    pick{ "2.5", "-3.0", "7" }) end,
  function(d) return ("(%s and %s or %s)"):format(condition(d), float(d), float(d)) end,
}

function integer(d)
  if d == 0 or chance(0.15) then return pick(INTEGERS) end
  return pick(INTEGER_FORMS)(d - 1)
end

function float(d)
  if d == 0 or chance(0.15) then return pick(FLOATS) end
  return pick(FLOAT_FORMS)(d - 1)
end

function condition(d)
  local op = pick{ "<", "<=", ">", ">=", "==", "~=" }
  if chance(0.4) or d <= 0 then return ("(%s %s %s)"):format(integer(d), op, integer(d)) end
  if chance(0.4) then
    return ("(%s %s %s)"):format(float(d), op, chance(0.5) and integer(d) or float(d))
  end
  if chance(0.3) then return ("(not %s)"):format(condition(d - 1)) end
  return ("(%s %s %s)"):format(condition(d - 1), pick{ "and", "or" }, condition(d - 1))
end

local function loop(value)
  local inner = value(2):gsub("%[i%]", "[I]"):gsub("%f[%w]i%f[%W]", "k"):gsub("%[I%]", "[i]")
  return ("for k = %s, %s%s do v = v %s %s end"):format(pick{ "1", "i", "-3" },
    pick{ "5", "i", "i + 3", "#out" }, pick{ "", ", 2", ", -1" }, pick{ "+", "-", "*" }, inner)
end

-- The text of a function whose results are integers or floats.
local function random_function(value)
  local lines = { "local v = " .. value(3) }
  if chance(0.7) then lines[2] = loop(value) end
  if chance(0.5) then
    lines[#lines + 1] = ("if %s then v = %s else v = v + 1 end"):format(condition(2), value(2))
  end
  return ("function(out, n, f, p, q, a, b)\nfor i in grid(#out) do\n%s\nout[i] = v\nend\nend")
    :format(table.concat(lines, "\n"))
end

local function host_grid(n)
  local i = 0
  return function()
    i = i + 1
    if i <= n then return i end
  end
end

local function run_host(text, ...)
  local fn = assert(load("return " .. text, "=host", "t", { math = math, grid = host_grid }))()
  local out = {}
  for i = 1, N do out[i] = 0 end
  fn(out, ...)
  return out
end

local function is_close(want, got)
  return want == got or want ~= want and got ~= got
    or math.type(got) == "float" and math.abs(want - got) <= 1e-11 * math.abs(want)
end

local function compare(text, want, got)
  for i = 1, N do
    if not is_close(want[i], got[i]) then
      error(("item %d: Lua %s, kernel %s\n%s"):format(i, want[i], got[i], text), 0)
    end
  end
end

local function integers()
  local list = {}
  for i = 1, N do list[i] = chance(0.5) and rng(201) - 100 or rng(2 ^ 31) << rng(34) end
  return list
end

local function floats()
  local list = {}
  for i = 1, N do list[i] = (rng(100001) - 50000) / 997 end
  return list
end

-- The result is an integer where Lua's are; `v` may become a float on the way in neither.
local function round(value, dtype)
  local text = random_function(value)
  local n, f = integers(), floats()
  local p, q, a, b = rng(101) - 50, rng(2 ^ 31) << 31, rng(1000) / 99, rng(1000) * 97.5
  local want = run_host(text, n, f, p, q, a, b)
  local out = cuda.zeros(N, dtype)
  cuda.jit(text)({ threads = N }, out, cuda.array(n, "int64"), cuda.array(f, "float64"), p, q, a, b)
  compare(text, want, out:totable())
end

helper.for_each_device(function()
  describe("kernels written in Lua", function()
    it("compute integers as Lua does", function()
      rng = helper.random(11)
      for _ = 1, ROUNDS do round(integer, "int64") end
    end)

    it("compute floats as Lua does", function()
      rng = helper.random(12)
      for _ = 1, ROUNDS do round(float, "float64") end
    end)
  end)
end)

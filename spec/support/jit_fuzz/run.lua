-- Runs the programs of jit_fuzz in plain Lua and as kernels, and compares.
local cuda = require "luacuda"
local expressions = require "spec.support.jit_fuzz.expressions"
local oracle = require "spec.support.jit_fuzz.oracle"

local M = {}

local N, COLUMNS, MOST = 12, 8, 20000000
local FLOATS = { 0.0, -0.0, 1.0, -2.5, 1e300, math.huge, 3.0, 0.1, -7.0 }
local INTEGERS = { 0, 1, -1, 7, math.maxinteger, math.mininteger, -64, 255, 1 << 53 | 1 }

local function integers(rng, dtype)
  local list = {}
  for k = 1, N do
    local v = rng(3) == 0 and INTEGERS[rng(#INTEGERS) + 1]
      or rng(2) == 0 and rng(201) - 100 or rng(2 ^ 31) << rng(34)
    list[k] = oracle.conversions[dtype](v)
  end
  return list
end

local function floats(rng, dtype)
  local list = {}
  for k = 1, N do
    local v = rng(4) == 0 and FLOATS[rng(#FLOATS) + 1] or (rng(100001) - 50000) / 997
    list[k] = oracle.conversions[dtype](v)
  end
  return list
end

local function booleans(rng)
  local list = {}
  for k = 1, N do list[k] = rng(2) == 0 end
  return list
end

-- run.data(rng, count, narrow) -> what a program of `count` functions is run with
function M.data(rng, count, narrow)
  local rows = {}
  for k = 1, N do
    rows[k] = table.move(integers(rng, "int64"), 1, COLUMNS, 1, {})
  end
  local data = { count = count, rows = rows, turned = rng(2) == 0, arrays = {}, numbers = {
    rng(101) - 50, rng(2 ^ 31) << 31, rng(1000) / 99, rng(1000) * -97.5 },
    upvalues = { rng(41) - 20, rng(1000) / 64, integers(rng, "int64"), function(i, x)
      return i ~ 5, x * 0.5
    end } }
  local function add(name, dtype, values)
    table.insert(data.arrays, { name = name, dtype = dtype, values = values,
      stepped = rng(3) == 0 })
  end
  add("f", "float64", floats(rng, "float64"))
  add("c", "bool", booleans(rng))
  add("s", "int64", integers(rng, "int64"))
  add("sf", "float64", floats(rng, "float64"))
  for _, dtype in ipairs(narrow and expressions.NARROW or {}) do
    add("x_" .. dtype, dtype, integers(rng, dtype))
  end
  for _, dtype in ipairs(narrow and expressions.SMALL_FLOATS or {}) do
    add("x_" .. dtype, dtype, floats(rng, dtype))
  end
  data.n = integers(rng, "int64")
  return data
end

local function table_of(make, n)
  local list = {}
  for k = 1, n do list[k] = make(k) end
  return list
end

-- fn(...), which may take this many instructions of Lua.
local function within(most, fn, ...)
  debug.sethook(function() error("the program does not end", 0) end, "", most)
  local ok, why = pcall(fn, ...)
  debug.sethook()
  if not ok then error(why, 0) end
end

-- run.plain(text, data) -> name -> list of the elements afterwards
function M.plain(text, data)
  local fn = oracle.load(text, table.unpack(data.upvalues))
  local oi = table_of(function() return oracle.array("int64", data.count) end, N)
  local of = table_of(function() return oracle.array("float64", data.count) end, N)
  local rows = table_of(function(k) return oracle.array("int64", COLUMNS, data.rows[k]) end, N)
  local list, results = {}, {}
  for k, array in ipairs(data.arrays) do
    list[k] = oracle.array(array.dtype, N, array.values)
    results[array.name] = oracle.values(list[k])
  end
  table.move(data.numbers, 1, 4, #list + 1, list)
  within(MOST, fn, oi, of, oracle.array("int64", N, data.n), rows, table.unpack(list))
  results.oi, results.of = table_of(function(k) return oracle.values(oi[k]) end, N),
    table_of(function(k) return oracle.values(of[k]) end, N)
  return results
end

-- An array of these values, contiguous or every second element of a longer one.
local function device_array(array)
  if not array.stepped then return cuda.array(array.values, array.dtype) end
  local wide = cuda.zeros({ N, 2 }, array.dtype)
  local view = wide:transpose()[1]
  view:set(array.values)
  return view
end

local function arguments(data)
  local m = cuda.array(data.rows, "int64")
  if data.turned then m = m:transpose():copy():transpose() end
  local list = { cuda.zeros({ N, data.count }, "int64"), cuda.zeros({ N, data.count }, "float64"),
    cuda.array(data.n, "int64"), m }
  for _, array in ipairs(data.arrays) do list[#list + 1] = device_array(array) end
  local arrays = #list
  table.move(data.numbers, 1, 4, #list + 1, list)
  return list, arrays
end

-- run.kernel(text, data) -> the Jit, its arguments
function M.kernel(text, data)
  local k = cuda.jit(assert(load(text, text, "t"))(table.unpack(data.upvalues)))
  return k, arguments(data)
end

-- run.compiled(text, data [, in_lua]) -> name -> list, from the compiled kernel or from run_in_lua
function M.compiled(text, data, in_lua)
  local k, list, arrays = M.kernel(text, data)
  if in_lua then k:run_in_lua({ threads = N }, table.unpack(list))
  else k({ threads = N }, table.unpack(list)) end
  local results = { oi = list[1]:totable(), of = list[2]:totable() }
  for i, array in ipairs(data.arrays) do results[array.name] = list[4 + i]:totable() end
  for i = 1, arrays do list[i]:free() end
  return results
end

local function same(x, y)
  if type(x) == "table" then
    for k = 1, #x do
      if not same(x[k], y[k]) then return false, k end
    end
    return true
  end
  return x == y or x ~= x and y ~= y
end

local function exactly(x) return math.type(x) == "float" and ("%.17g"):format(x) or tostring(x) end

-- run.difference(want, got) -> nil, or words about the first difference
function M.difference(want, got)
  for name, list in pairs(want) do
    for i = 1, N do
      local equal, k = same(list[i], got[name][i])
      if not equal then
        local x, y = list[i], got[name][i]
        if k then x, y = x[k], y[k] end
        return ("%s[%d]%s: Lua %s, kernel %s"):format(name, i, k and ("[%d]"):format(k) or "",
          exactly(x), exactly(y))
      end
    end
  end
end

return M

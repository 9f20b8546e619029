-- Runs the programs of jit_fuzz in plain Lua and as kernels, and compares. `data` has the arrays
-- and numbers that a program is run with, for `size` threads, and the launch.
local cuda = require "luacuda"
local expressions = require "spec.support.jit_fuzz.expressions"
local complex = require "spec.support.jit_fuzz.complex"
local oracle = require "spec.support.jit_fuzz.oracle"
local statements = require "spec.support.jit_fuzz.statements"
local threads = require "spec.support.jit_fuzz.threads"

local M = {}

local SIZE, COLUMNS, MOST = 12, 8, 20000000
local FLOATS = { 0.0, -0.0, 1.0, -2.5, 1e300, math.huge, 3.0, 0.1, -7.0 }
local INTEGERS = { 0, 1, -1, 7, math.maxinteger, math.mininteger, -64, 255, 1 << 53 | 1 }

local function integers(rng, dtype, n)
  local list = {}
  for k = 1, n do
    local v = rng(3) == 0 and INTEGERS[rng(#INTEGERS) + 1]
      or rng(2) == 0 and rng(201) - 100 or rng(2 ^ 31) << rng(34)
    list[k] = oracle.conversions[dtype](v)
  end
  return list
end

local function float(rng)
  return rng(4) == 0 and FLOATS[rng(#FLOATS) + 1] or (rng(100001) - 50000) / 997
end

local function floats(rng, dtype, n)
  local list = {}
  for k = 1, n do
    local v = float(rng)
    if dtype:find "complex" then v = complex.new(v, float(rng)) end
    list[k] = oracle.conversions[dtype](v)
  end
  return list
end

local function booleans(rng, _, n)
  local list = {}
  for k = 1, n do list[k] = rng(2) == 0 end
  return list
end

-- The arrays that have an element for each thread, as { name, dtype }.
local function columns(narrow)
  local list = { { "f", "float64" }, { "c", "bool" }, { "s", "int64" }, { "sf", "float64" },
    { "zc", "complex128" } }
  for _, names in ipairs(narrow and { expressions.NARROW, expressions.SMALL_OTHERS } or {}) do
    for _, dtype in ipairs(names) do list[#list + 1] = { "x_" .. dtype, dtype } end
  end
  return list
end

local function values(rng, dtype, n)
  local make = dtype == "bool" and booleans or dtype:find "int" and integers or floats
  return make(rng, dtype, n)
end
M.values = values

-- run.upvalues(rng) -> the values K, R, T, H
function M.upvalues(rng)
  return { rng(41) - 20, rng(1000) / 64, integers(rng, "int64", SIZE), function(i, x)
    return i ~ 5, x * 0.5
  end }
end

-- run.numbers(rng) -> the arguments p, q, a, b
function M.numbers(rng)
  return { rng(101) - 50, rng(2 ^ 31) << 31, rng(1000) / 99, rng(1000) * -97.5 }
end

-- run.rows(rng, n) -> the rows of the matrix m
function M.rows(rng, n)
  local rows = {}
  for k = 1, n do rows[k] = integers(rng, "int64", COLUMNS) end
  return rows
end

-- run.data(rng, count, narrow [, launch]) -> what a program of `count` functions is run with
function M.data(rng, count, narrow, launch)
  local size = launch and launch.grid * launch.block[1] * launch.block[2] or SIZE
  local data = { count = count, size = size, launch = launch, rows = M.rows(rng, size),
    turned = rng(2) == 0, arrays = {}, numbers = M.numbers(rng), upvalues = M.upvalues(rng) }
  for k, row in ipairs(columns(narrow)) do
    data.arrays[k] = { name = row[1], dtype = row[2], values = values(rng, row[2], size),
      stepped = rng(3) == 0 }
  end
  data.n = integers(rng, "int64", size)
  data.at = narrow and expressions.pick({ rng = rng }, { "int32", "uint32" }) or "int64"
  return data
end

-- Plain Lua ---------------------------------------------------------------------------------------

local function table_of(make, n)
  local list = {}
  for k = 1, n do list[k] = make(k) end
  return list
end

-- run.within(fn, ...): fn(...), which may take so many instructions of Lua
function M.within(fn, ...)
  debug.sethook(function() error("the program does not end", 0) end, "", MOST)
  local ok, why = pcall(fn, ...)
  debug.sethook()
  if not ok then error(why, 0) end
end

local function rows_of(dtype, n, width)
  return table_of(function() return oracle.array(dtype, width) end, n)
end

local function values_of(rows)
  return table_of(function(k) return oracle.values(rows[k]) end, #rows)
end

-- The function, and how it is run in threads.
local function loaded(text, data)
  local rows = table_of(function(k) return oracle.array("int64", COLUMNS, data.rows[k]) end,
    data.size)
  local upvalues = table.move(data.upvalues, 1, 4, 1, {})
  upvalues[5], upvalues[6] = complex.library, rows
  local names, in_threads = {}, nil
  if data.launch then names, in_threads = threads.names(data.launch, oracle.array) end
  local fn = oracle.load(text, names, table.unpack(upvalues))
  return in_threads and function(...) in_threads(fn, ...) end or fn, rows
end

-- run.plain(text, data) -> name -> list of the elements afterwards
function M.plain(text, data)
  local fn, rows = loaded(text, data)
  local oi, of = rows_of("int64", data.size, data.count), rows_of("float64", data.size, data.count)
  local at = rows_of(data.at, #statements.COMMUTATIVE, COLUMNS)
  local list, results = {}, {}
  for k, array in ipairs(data.arrays) do
    list[k] = oracle.array(array.dtype, data.size, array.values)
    results[array.name] = oracle.values(list[k])
  end
  table.move(data.numbers, 1, 4, #list + 1, list)
  M.within(fn, oi, of, at, oracle.array("int64", data.size, data.n), rows, table.unpack(list))
  results.oi, results.of, results.at = values_of(oi), values_of(of), values_of(at)
  return results
end

-- Kernels -----------------------------------------------------------------------------------------

-- The values as the library takes them.
local function given(list)
  return table_of(function(k)
    local v = list[k]
    return type(v) == "table" and cuda.complex(v.re, v.im) or v
  end, #list)
end
M.given = given

-- An array of these values, contiguous or every second element of a longer one.
local function device_array(array)
  local list = given(array.values)
  if not array.stepped then return cuda.array(list, array.dtype) end
  local wide = cuda.zeros({ #list, 2 }, array.dtype)
  local view = wide:transpose()[1]
  view:set(list)
  return view
end

local function arguments(data)
  local m = cuda.array(data.rows, "int64")
  if data.turned then m = m:transpose():copy():transpose() end
  local list = { cuda.zeros({ data.size, data.count }, "int64"),
    cuda.zeros({ data.size, data.count }, "float64"),
    cuda.zeros({ #statements.COMMUTATIVE, COLUMNS }, data.at), cuda.array(data.n, "int64"), m }
  for _, array in ipairs(data.arrays) do list[#list + 1] = device_array(array) end
  local arrays = #list
  table.move(data.numbers, 1, 4, #list + 1, list)
  return list, arrays
end

-- run.kernel(text, data) -> the Jit, its arguments
function M.kernel(text, data)
  local K, R, T, H = table.unpack(data.upvalues)
  local k = cuda.jit(assert(load(text, text, "t"))(K, R, T, H, cuda))
  return k, arguments(data)
end

-- run.compiled(text, data [, in_lua]) -> name -> list, from the compiled kernel or from run_in_lua
function M.compiled(text, data, in_lua)
  local k, list, arrays = M.kernel(text, data)
  local launch = data.launch or { threads = data.size }
  if in_lua then k:run_in_lua(launch, table.unpack(list))
  else k(launch, table.unpack(list)) end
  local results = { oi = list[1]:totable(), of = list[2]:totable(), at = list[3]:totable() }
  for i, array in ipairs(data.arrays) do results[array.name] = list[5 + i]:totable() end
  for i = 1, arrays do list[i]:free() end
  return results
end

-- Comparison --------------------------------------------------------------------------------------

local function same(x, y)
  if type(y) == "userdata" then return same(x.re, y.re) and same(x.im, y.im) end
  if type(x) == "table" then
    for k = 1, #x do
      if not same(x[k], y[k]) then return false, k end
    end
    return true
  end
  return x == y or x ~= x and y ~= y
end

local function exactly(x)
  if math.type(x) == "float" then return ("%.17g"):format(x) end
  return type(x) == "table" and ("%.17g%+.17gi"):format(x.re, x.im) or tostring(x)
end

-- run.difference(want, got) -> nil, or words about the first difference
function M.difference(want, got)
  for name, list in pairs(want) do
    for i = 1, #list do
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

-- Runs the functions of elements of jit_fuzz: in plain Lua, element by element, and by
-- cuda.vectorize. Arguments are numbers, or arrays of shapes that are broadcast.
local cuda = require "luacuda"
local complex = require "spec.support.jit_fuzz.complex"
local expressions = require "spec.support.jit_fuzz.expressions"
local oracle = require "spec.support.jit_fuzz.oracle"
local run = require "spec.support.jit_fuzz.run"

local M = {}

local ROWS, COLUMNS = 3, 5
local SHAPES = { { ROWS, COLUMNS }, { COLUMNS }, { 1, COLUMNS }, { ROWS, 1 }, { 1 } }

-- The dtypes of results, by kind.
local DTYPES = { I = "int64", E = "int64", F = "float64", D = "float64", B = "bool",
  C = "complex128" }

local NAMES = { { "n", "int64" }, { "f", "float64" }, { "c", "bool" }, { "s", "int64" },
  { "sf", "float64" }, { "zc", "complex128" } }

local function argument(rng, dtype, is_first)
  local shape = SHAPES[is_first and 1 or rng(#SHAPES) + 1]
  local rows, columns = shape[2] and shape[1] or 1, shape[2] or shape[1]
  return { dtype = dtype, shape = shape, rows = rows, columns = columns,
    values = run.values(rng, dtype, rows * columns), turned = rng(3) == 0 }
end

-- elements.data(rng, kinds, narrow) -> what a function is called with; `kinds`: of each third
-- result
function M.data(rng, kinds, narrow)
  local data = { kinds = kinds, arrays = {}, numbers = run.numbers(rng),
    upvalues = run.upvalues(rng), rows = run.rows(rng, 8) }
  local list = table.move(NAMES, 1, #NAMES, 1, {})
  for _, names in ipairs(narrow and { expressions.NARROW, expressions.SMALL_OTHERS } or {}) do
    for _, dtype in ipairs(names) do list[#list + 1] = { dtype, dtype } end
  end
  for k, row in ipairs(list) do data.arrays[k] = argument(rng, row[2], k == 1) end
  return data
end

-- The element of an argument that is used for a row and a column of the result.
local function element(array, row, column)
  row, column = math.min(row, array.rows), math.min(column, array.columns)
  return array.values[(row - 1) * array.columns + column]
end

local function evaluate(fn, data, results)
  for row = 1, ROWS do
    for column = 1, COLUMNS do
      local list = {}
      for k, array in ipairs(data.arrays) do list[k] = element(array, row, column) end
      table.move(data.numbers, 1, 4, #list + 1, list)
      results[(row - 1) * COLUMNS + column] = { fn(table.unpack(list)) }
    end
  end
end

-- elements.plain(text, data) -> name -> list of the elements
function M.plain(text, data)
  local K, R, T, H = table.unpack(data.upvalues)
  local rows = {}
  for k, list in ipairs(data.rows) do rows[k] = oracle.array("int64", #list, list) end
  local fn, results, columns = oracle.load(text, {}, K, R, T, H, complex.library, rows), {}, {}
  run.within(evaluate, fn, data, results)
  for k = 1, 3 * #data.kinds do
    columns[k] = {}
    for i, row in ipairs(results) do columns[k][i] = row[k] end
  end
  return columns
end

local function device_array(array)
  local a = cuda.array(run.given(array.values), array.dtype):reshape(array.shape)
  return array.turned and #array.shape == 2 and a:transpose():copy():transpose() or a
end

local function check_dtypes(data, results)
  for k, kind in ipairs(data.kinds) do
    local want = { "int64", "float64", DTYPES[kind] or kind }
    for i = 1, 3 do
      local got = results[3 * k - 3 + i].dtype
      if got ~= want[i] then
        error(("result %d is of %s, not of %s"):format(3 * k - 3 + i, got, want[i]), 0)
      end
    end
  end
end

-- elements.compiled(text, data) -> name -> list, from cuda.vectorize
function M.compiled(text, data)
  local K, R, T, H = table.unpack(data.upvalues)
  local m = cuda.array(data.rows, "int64")
  local fn = cuda.vectorize(assert(load(text, text, "t"))(K, R, T, H, cuda, m))
  local list, columns = {}, {}
  for k, array in ipairs(data.arrays) do list[k] = device_array(array) end
  table.move(data.numbers, 1, 4, #list + 1, list)
  local results = { fn(table.unpack(list)) }
  check_dtypes(data, results)
  for k, array in ipairs(results) do columns[k] = array:reshape{ ROWS * COLUMNS }:totable() end
  return columns
end

return M

-- Random kernels over tiles, as text and with the arrays that they take.
--
--   make(rng) -> { text =, warps =, programs =, inputs = { shape, dtype, ... }, outputs = ... }
--
-- The parameters are the outputs, then the inputs, then a number. Programs are numbered along two
-- axes, and each writes tiles of its own.

local M = {}

local FLOATS = { "float32", "float32", "float32", "float16", "bfloat16", "float64",
  "float8_e4m3fn", "float8_e5m2" }
local INTEGERS = { "int32", "int8", "uint8", "int64" }
local EXTENTS = { 1, 2, 4, 8, 8, 16, 16, 24, 32, 32, 40, 64 }
local MOST = 1536 -- elements of a tile

local methods = {}
methods.__index = methods

function methods.one_of(g, list) return list[1 + g.rng(#list)] end
function methods.chance(g, percent) return g.rng(100) < percent end

function methods.line(g, text, ...)
  g.lines[#g.lines + 1] = ("  "):rep(g.depth) .. text:format(...)
end

-- A variable for an expression: { text =, dtype =, rows, columns }.
function methods.variable(g, e)
  g.count = g.count + 1
  local name = "t" .. g.count
  g:line("local %s = %s", name, e.text)
  local own = { text = name, dtype = e.dtype, e[1], e[2] }
  g.variables[#g.variables + 1] = own
  return own
end

local IS_FLOAT = { float8_e4m3fn = true, float8_e5m2 = true, float16 = true,
  bfloat16 = true, float32 = true, float64 = true }

function methods.dtype(g) return g:one_of(g:chance(75) and FLOATS or INTEGERS) end

function methods.shape(g)
  local rows, columns
  repeat rows, columns = g:one_of(EXTENTS), g:one_of(EXTENTS) until rows * columns <= MOST
  return rows, columns
end

-- Loads -------------------------------------------------------------------------------------------

-- Extents of an array that tiles cover in two programs, more or less.
function methods.extent(g, n)
  local way = g.rng(4)
  if way == 0 then return 2 * n end
  return math.max(1, way == 1 and n - g.rng(3) or 2 * n - g.rng(n) + g.rng(3))
end

function methods.input(g, dtype, rows, columns, ndim)
  local shape = { g:extent(rows), g:extent(columns) }
  if ndim == 1 then shape = { shape[2] } end
  if ndim == 3 then table.insert(shape, 1, 2) end
  local input = { name = "x" .. #g.inputs + 1, shape = shape, dtype = dtype, way = g.rng(5) }
  g.inputs[#g.inputs + 1] = input
  return input
end

function methods.place(g, name)
  local way = g.rng(10)
  if way < 6 then return name end
  if way == 6 then return "1" end
  if way == 7 then return ("at(%d)"):format(g.rng(20) - 4) end
  if way == 8 then return ("at(%s * %d)"):format(name, 1 + g.rng(9)) end
  return name .. " + 1"
end

function methods.load(g, dtype, rows, columns, column_place)
  local ndim = rows == 1 and g:chance(40) and 1 or g:chance(15) and 3 or 2
  local input = g:input(dtype, rows, columns, ndim)
  local places = { g:place "i", column_place or g:place "j" }
  if ndim == 1 then places = { places[2] } end
  if ndim == 3 then table.insert(places, 1, g:one_of{ "1", "at(2)", "i", "at(j)" }) end
  local extents = ndim == 1 and { columns } or { rows, columns }
  local other = g:chance(25) and ", " .. g:one_of{ "1", "-3", "0" } or ""
  if other == ", -3" and dtype == "uint8" then other = ", 3" end
  return { text = ("load(%s, { %s }, { %s }%s)"):format(input.name, table.concat(places, ", "),
    table.concat(extents, ", "), other), dtype = dtype, rows, columns }
end

-- Expressions -------------------------------------------------------------------------------------

local function fits(v, rows, columns)
  return (v[1] == rows or v[1] == 1) and (v[2] == columns or v[2] == 1)
end

-- cast(e, dtype): an expression of that dtype.
local function cast(e, dtype)
  if e.dtype == dtype then return e end
  return { text = ("%s(%s)"):format(dtype, e.text), dtype = dtype, e[1], e[2] }
end

-- A tile of the dtype that fits into this shape.
function methods.leaf(g, dtype, rows, columns)
  local list = {}
  for _, v in ipairs(g.variables) do
    -- Floats as integers depend on rounding.
    if fits(v, rows, columns) and (v.dtype == dtype or IS_FLOAT[dtype]) then list[#list + 1] = v end
  end
  if #list > 0 and g:chance(80) then return cast(g:one_of(list), dtype) end
  if g:chance(15) and dtype ~= "int8" and dtype ~= "uint8" then
    return cast({ text = ("iota(%d)"):format(columns), dtype = "int32", 1, columns }, dtype)
  end
  if g:chance(15) then
    return { text = ('full("%s", %d, %d, %d)'):format(dtype, g.rng(5), rows, columns),
      dtype = dtype, rows, columns }
  end
  local own_rows = g:chance(25) and 1 or rows
  local own_columns = g:chance(25) and 1 or columns
  return g:load(dtype, own_rows, own_columns)
end

local function number(g, dtype)
  if IS_FLOAT[dtype] and g:chance(50) then
    return g:one_of{ "0.5", "1.25", "-0.75", "0.3", "s", "i", "(i + 2 * j)" }
  end
  return tostring(1 + g.rng(4))
end

local function spread(a, b) return math.max(a[1], b[1]), math.max(a[2], b[2]) end

function methods.mask(g, a, b)
  return ("%s(%s %s %s)"):format(g:chance(20) and "not " or "", a.text,
    g:one_of{ "<", "<=", ">", ">=", "==", "~=" }, b.text)
end

local FUNCTIONS = { "math.exp(-math.abs(%s))", "math.sqrt(math.abs(%s))", "math.abs(%s)",
  "math.sin(%s)", "cuda.tanh(%s)", "-%s", "cuda.floor(%s)", "twice(%s)" }

function methods.expression(g, dtype, rows, columns, depth)
  if depth == 0 then return g:leaf(dtype, rows, columns) end
  local a = g:expression(dtype, rows, columns, depth - 1)
  local way = g.rng(10)
  local text
  if way < 2 and IS_FLOAT[dtype] then
    text = g:one_of(FUNCTIONS):format(a.text)
    return { text = text:gsub("^%-%-", "- -"), dtype = dtype, a[1], a[2] }
  elseif way < 4 then
    text = ("(%s %s %s)"):format(a.text, g:one_of{ "+", "-", "*" }, number(g, dtype))
    return { text = text, dtype = dtype, a[1], a[2] }
  end
  local b = g:expression(dtype, rows, columns, depth - 1)
  local own = { dtype = dtype, spread(a, b) }
  if way < 7 then
    local signs = IS_FLOAT[dtype] and { "+", "-", "*" } or { "+", "-", "*", "&", "|", "~" }
    own.text = ("(%s %s %s)"):format(a.text, g:one_of(signs), b.text)
  elseif way == 7 then
    own.text = ("math.%s(%s, %s)"):format(g:one_of{ "max", "min" }, a.text, b.text)
  elseif way == 8 and IS_FLOAT[dtype] then
    own.text = ("(%s / (1 + math.abs(%s)))"):format(a.text, b.text)
  else
    local mask = g:mask(a, b)
    if g:chance(40) then
      local c = g:leaf(dtype, rows, columns)
      mask = ("%s %s %s"):format(mask, g:one_of{ "and", "or" },
        g:mask(c, { text = number(g, dtype) }))
      own[1], own[2] = spread(own, c)
    end
    own.text = ("where(%s, %s, %s)"):format(mask, g:chance(50) and a.text or b.text,
      g:chance(50) and b.text or number(g, dtype))
  end
  return own
end

-- Statements --------------------------------------------------------------------------------------

local statements = {}

function statements.load(g)
  local rows, columns = g:shape()
  g:variable(g:load(g:dtype(), rows, columns))
end

function statements.compute(g)
  local rows, columns = g:shape()
  local v = #g.variables > 0 and g:one_of(g.variables)
  local dtype = g:dtype()
  if v and g:chance(80) then
    rows, columns = v[1], v[2]
    if g:chance(60) or not IS_FLOAT[dtype] then dtype = v.dtype end
  end
  g:variable(g:expression(dtype, rows, columns, 1 + g.rng(3)))
end

function statements.transpose(g)
  if #g.variables == 0 then return end
  local v = g:one_of(g.variables)
  g:variable{ text = ("transpose(%s)"):format(v.text), dtype = v.dtype, v[2], v[1] }
end

local WIDE = { float8_e4m3fn = "float32", float8_e5m2 = "float32", float16 = "float32",
  bfloat16 = "float32", int8 = "int32", uint8 = "int32" }

function statements.reduce(g)
  if #g.variables == 0 then return end
  local v = g:one_of(g.variables)
  if v[1] * v[2] > 1200 then return end
  local name, axis = g:one_of{ "sum", "max", "min" }, 1 + g.rng(2)
  local dtype = name == "sum" and WIDE[v.dtype] or v.dtype
  if g:chance(20) then axis = axis - 3 end
  local e = { text = ("%s(%s, %d)"):format(name, v.text, axis), dtype = dtype, v[1], v[2] }
  e[axis < 0 and axis + 3 or axis] = 1
  g:variable(e)
end

function statements.total(g)
  if #g.variables == 0 then return end
  local v = g:one_of(g.variables)
  if v[1] * v[2] > 1200 then return end
  local name = g:one_of{ "sum", "max", "min" }
  local dtype = name == "sum" and WIDE[v.dtype] or v.dtype
  g.count = g.count + 1
  g:line("local t%d = %s(%s)", g.count, name, v.text)
  g.numbers[#g.numbers + 1] = { text = "t" .. g.count, dtype = dtype }
  g:variable{ text = ('full("%s", t%d, 1, 8)'):format(dtype, g.count), dtype = dtype, 1, 8 }
end

-- How many elements are true.
function statements.count(g)
  if #g.variables == 0 then return end
  local v = g:one_of(g.variables)
  if v[1] * v[2] > 1200 then return end
  local e = { text = ("sum(%s, 2)"):format(g:mask(v, { text = number(g, v.dtype) })),
    dtype = "int32", v[1], 1 }
  g:variable(e)
end

-- A function of whole tiles, or of elements if it happens to use no name of tiles.
local function body(g, v, values)
  local function value()
    local e = g:expression(v.dtype, v[1], v[2], 1 + g.rng(2))
    return e[1] == v[1] and e[2] == v[2] and e.text or "a"
  end
  local function result()
    local list = {}
    for k = 1, values do list[k] = value() end
    return table.concat(list, ", ")
  end
  if g:chance(50) then g:variable(g:expression(v.dtype, v[1], v[2], 1)) end
  if g:chance(40) then statements.reduce(g) end
  if g:chance(20) then statements.store(g) end
  if g:chance(40) then g:line("if n > 1 then return %s end", result()) end
  g:line("return %s", result())
end

statements["function"] = function(g)
  if #g.variables == 0 then return end
  local v = g:one_of(g.variables)
  local values = g:chance(30) and 2 or 1
  local variables, numbers = g.variables, g.numbers
  g.count = g.count + 1
  local name, n = "f" .. g.count, g:one_of{ "i", "j", "s", "2" }
  g:line("local function %s(a, n)", name)
  g.depth = g.depth + 1
  g.variables, g.numbers = { { text = "a", dtype = v.dtype, v[1], v[2] } }, {}
  if g:chance(40) then g.variables[2] = g:one_of(variables) end
  body(g, v, values)
  g.variables, g.numbers, g.depth = variables, numbers, g.depth - 1
  g:line "end"
  for _ = 1, 1 + g.rng(2) do
    local list = {}
    for k = 1, values do
      g.count = g.count + 1
      list[k] = "t" .. g.count
    end
    g:line("local %s = %s(%s, %s)", table.concat(list, ", "), name, v.text, n)
    for k = 1, values do
      g.variables[#g.variables + 1] = { text = list[k], dtype = v.dtype, v[1], v[2] }
    end
  end
end

local MULTIPLIED = { "float16", "float16", "bfloat16", "float32", "float64", "int8", "uint8",
  "float8_e4m3fn", "float8_e5m2" }

function methods.factors(g)
  local dtype = g:one_of(MULTIPLIED)
  local a
  for _, v in ipairs(g.variables) do
    if (WIDE[v.dtype] or IS_FLOAT[v.dtype]) and g:chance(40) then a = v break end
  end
  if not a then
    local m, k = g:shape()
    a = g:leaf(dtype, m, k)
  end
  local columns
  repeat columns = g:one_of(EXTENTS) until a[1] * columns <= MOST and a[1] * a[2] * columns <= 30000
    and a[2] * columns <= MOST
  return a, columns
end

function statements.dot(g)
  local a, columns = g:factors()
  local b
  repeat b = g:leaf(a.dtype, a[2], columns) until b[1] == a[2] and b[2] == columns
    or not g:chance(99)
  if b[1] ~= a[2] or b[2] ~= columns then return end
  local own = { dtype = WIDE[a.dtype] or a.dtype, a[1], columns }
  local third = ""
  for _, v in ipairs(g.variables) do
    if v.dtype == own.dtype and v[1] == own[1] and v[2] == own[2] then third = ", " .. v.text end
  end
  local precision = a.dtype == "float32" and g:chance(50)
    and g:one_of{ ', "tf32"', ', "tf32x3"' } or ""
  own.text = ("dot(%s, %s%s%s)"):format(a.text, b.text, third, precision)
  g:variable(own)
end

function statements.loop(g)
  local a, columns = g:factors()
  local sum_dtype = WIDE[a.dtype] or a.dtype
  local sum = g:variable{ text = ('zeros("%s", %d, %d)'):format(sum_dtype, a[1], columns),
    dtype = sum_dtype, a[1], columns }
  g:line("for k = 1, %s do", g:one_of{ "2", "j", "3", "programs(1)" })
  g.depth = g.depth + 1
  local known = #g.variables
  local left = g:variable(g:load(a.dtype, a[1], a[2], "k"))
  local right = g:load(a.dtype, a[2], columns)
  if g:chance(40) then left = g:variable(g:expression(a.dtype, a[1], a[2], 1)) end
  if left[1] == a[1] and left[2] == a[2] then
    g:line("%s = dot(%s, %s, %s)", sum.text, left.text, right.text, sum.text)
  end
  if g:chance(30) then g:line("%s = %s * 0.5", sum.text, sum.text) end
  for k = #g.variables, known + 1, -1 do g.variables[k] = nil end
  g.depth = g.depth - 1
  g:line "end"
end
-- An integer tile times 0.5 would be another dtype.
local loop = statements.loop
function statements.loop(g)
  local first = #g.lines
  loop(g)
  for k = first + 1, #g.lines do
    if g.lines[k]:find "%* 0%.5$" and not IS_FLOAT[g.variables[#g.variables].dtype] then
      g.lines[k] = g.lines[k]:gsub("0%.5$", "2")
    end
  end
end

statements["if"] = function(g)
  if #g.variables == 0 then return end
  local v = g:one_of(g.variables)
  local e = g:expression(v.dtype, v[1], v[2], 1)
  if e[1] ~= v[1] or e[2] ~= v[2] then return end
  local own = g:variable(e)
  local condition = g:one_of{ "i == 1", "i > j", "s > 0", "i + j < 4" }
  if #g.numbers > 0 and g:chance(50) then condition = g:one_of(g.numbers).text .. " > 1" end
  g:line("if %s then", condition)
  g:line("  %s = %s + 1", own.text, own.text)
  local other = g:expression(v.dtype, v[1], v[2], 1)
  g:line "else"
  g:line("  %s = %s", own.text, other[1] == v[1] and other[2] == v[2] and other.text or v.text)
  g:line "end"
end

function statements.swap(g)
  for _, a in ipairs(g.variables) do
    for _, b in ipairs(g.variables) do
      if a ~= b and a.dtype == b.dtype and a[1] == b[1] and a[2] == b[2] and g:chance(30) then
        g:line("%s, %s = %s, %s", a.text, b.text, b.text, a.text)
        return
      end
    end
  end
end

function methods.output(g, v)
  local shape = { g:extent(v[1]), g:extent(v[2]) }
  if v[1] == 1 and g:chance(30) then shape = { shape[2] } end
  local dtype = v.dtype
  if IS_FLOAT[dtype] and g:chance(30) then dtype = g:one_of(FLOATS) end
  local out = { name = "o" .. #g.outputs + 1, shape = shape, dtype = dtype, way = g.rng(5),
    rows = v[1] }
  g.outputs[#g.outputs + 1] = out
  return out
end

function statements.store(g)
  if #g.variables == 0 then return end
  local v = g:one_of(g.variables)
  local out = g:output(v)
  if #out.shape == 1 then
    g:line("if i == 1 then store(%s, { j }, %s) end", out.name, v.text)
    return
  end
  local mask = g:chance(25) and ", " .. g:mask(v, { text = number(g, v.dtype) }) or ""
  g:line("store(%s, { i, j }, %s%s)", out.name, v.text, mask)
  if v.dtype ~= out.dtype or not g:chance(40) then return end
  local rows, columns = v[1], v[2]
  if g:chance(50) then
    g:variable{ text = ("load(%s, { i, j }, { %d, %d })"):format(out.name, rows, columns),
      dtype = v.dtype, rows, columns }
  elseif rows == columns then
    g:line("store(%s, { i, j }, transpose(load(%s, { i, j }, { %d, %d })))", out.name, out.name,
      rows, columns)
  end
end

function statements.add(g)
  local v = #g.variables > 0 and g:one_of(g.variables)
  if not v or v.dtype ~= "float32" and v.dtype ~= "int32" then return end
  local out = g:output(v)
  out.dtype = v.dtype
  local places = #out.shape == 1 and "j" or g:one_of{ "i, j", "1, j", "at(i), at(j)" }
  local mask = g:chance(25) and (", iota(%d) > 3"):format(v[2]) or ""
  g:line("atomic_add(%s, { %s }, %s%s)", out.name, places, v.text, mask)
end

local KINDS = { "load", "load", "compute", "compute", "compute", "transpose", "reduce", "reduce",
  "total", "count", "function", "function", "dot", "dot", "loop", "if", "swap", "store", "store",
  "add" }

function M.make(rng)
  local g = setmetatable({ rng = rng, lines = {}, depth = 1, variables = {}, numbers = {},
    inputs = {}, outputs = {}, count = 0 }, methods)
  g:line "local i, j = program(1), program(2)"
  for _ = 1, 4 + rng(8) do statements[g:one_of(KINDS)](g) end
  for _ = 1, 2 do statements.store(g) end
  if #g.outputs == 0 then return M.make(rng) end
  local params = {}
  for _, list in ipairs{ g.outputs, g.inputs } do
    for _, array in ipairs(list) do params[#params + 1] = array.name end
  end
  params[#params + 1] = "s"
  g.text = ("function(%s)\n%s\nend"):format(table.concat(params, ", "), table.concat(g.lines, "\n"))
  g.warps = g:one_of{ 1, 2, 4, 4, 8, 16 }
  return g
end

return M

-- Kernels over tiles in plain Lua: what a kernel computes, with bounds of its rounding.
--
--   kernel(text, env)       -> the function `text` ("function(...) end"), which sees `env` and the
--                              names of kernels over tiles
--   launch(fn, counts, ...) runs it for each program, one after the other
--   array(a)                -> an Array of the library as one of this file, which kernels read and
--                              write: { dtype =, shape =, v = values, e = bounds }
--
-- A tile is { dtype =, [1] = rows, [2] = columns, v = values, e = bounds of their errors }; a
-- number with a dtype is a tile of one element with `scalar`. What is computed in double precision
-- and exact has the bound 0. What depends on rounding, such as a comparison of numbers that are
-- nearly equal, has the bound infinity.

local cuda = require "luacuda"
local parser = require "luacuda.jit.read.parser"
local printer = require "spec.support.lua_printer"

local M = {}

local HUGE = math.huge
local abs, max = math.abs, math.max

-- Dtypes ------------------------------------------------------------------------------------------

-- Relative errors of one rounding, and the least that is rounded to.
local UNIT = { float64 = 2.0 ^ -53, float32 = 2.0 ^ -24, float16 = 2.0 ^ -11, bfloat16 = 2.0 ^ -8,
  float8_e4m3fn = 2.0 ^ -4, float8_e5m2 = 2.0 ^ -3 }
local LEAST = { float64 = 0.0, float32 = 2.0 ^ -149, float16 = 2.0 ^ -24, bfloat16 = 2.0 ^ -133,
  float8_e4m3fn = 2.0 ^ -9, float8_e5m2 = 2.0 ^ -16 }
-- From here on, what is not exact may be rounded to infinity or NaN.
local LARGE = { float8_e4m3fn = 400, float8_e5m2 = 50000 }
local BITS = { int8 = 8, uint8 = 8, int16 = 16, int32 = 32, int64 = 64 }

local function to_precision(v, digits, least)
  if v == 0 or v ~= v or abs(v) == HUGE then return v end
  local exponent = ((("<I8"):unpack(("<d"):pack(v)) >> 52) & 0x7ff) - 1023
  local step = max(2.0 ^ (exponent - digits), least)
  local n = v / step
  return (n + 0x1.8p52 - 0x1.8p52) * step
end

local rounders = {
  float64 = function(v) return v + 0.0 end,
  float32 = function(v)
    local r = to_precision(v + 0.0, 23, LEAST.float32)
    return abs(r) > 0x1.fffffep127 and r * HUGE or r
  end,
  float16 = function(v)
    local r = to_precision(v + 0.0, 10, LEAST.float16)
    return abs(r) > 65504 and r * HUGE or r
  end,
  bfloat16 = function(v)
    local r = to_precision(v + 0.0, 7, LEAST.bfloat16)
    return abs(r) > 0x1.fep127 and r * HUGE or r
  end,
  float8_e4m3fn = function(v)
    local r = to_precision(v + 0.0, 3, LEAST.float8_e4m3fn)
    return abs(r) > 448 and 0.0 / 0.0 or r
  end,
  float8_e5m2 = function(v)
    local r = to_precision(v + 0.0, 2, LEAST.float8_e5m2)
    return abs(r) > 57344 and r * HUGE or r
  end,
  bool = function(v) return v end,
}

local function wrapped(v, dtype)
  local bits = BITS[dtype]
  local n = v & (bits == 64 and -1 or (1 << bits) - 1)
  if dtype ~= "uint8" and bits < 64 and n >= 1 << (bits - 1) then n = n - (1 << bits) end
  return n
end

-- An integer of a number with this bound, and the bound of that.
local function to_integer(v, e, dtype)
  if math.type(v) == "float" then
    if v ~= v or e ~= e or abs(v) + e >= 2.0 ^ (BITS[dtype] - 1) then return 0, HUGE end
    local function cut(x) return x < 0 and math.ceil(x) or math.floor(x) end
    local n = cut(v)
    return n, max(abs(cut(v + e) - n), abs(cut(v - e) - n)) + 0.0
  end
  local n = wrapped(v, dtype)
  if n ~= v and e > 0 then return n, HUGE end
  return n, e
end

-- rounded(v, e, dtype [, errors]) -> the value in the dtype, its bound; `errors`: of the operation,
-- in units
local function rounded(v, e, dtype, errors)
  if dtype == "bool" then return v, e end
  if BITS[dtype] then return to_integer(v, e, dtype) end
  local r = rounders[dtype](v)
  if r ~= r or e ~= e then return r, HUGE end
  if LARGE[dtype] and abs(v) > LARGE[dtype] - e and (e > 0 or errors) then return r, HUGE end
  if r == v and (e == 0 or abs(v) == HUGE) and not errors then return r, e end
  if abs(r) == HUGE then return r, r == v and e or HUGE end
  return r, e + (2 + (errors or 0)) * UNIT[dtype] * abs(r) + LEAST[dtype]
end

-- Tiles -------------------------------------------------------------------------------------------

local Tile = {}

local function tile(dtype, rows, columns, scalar)
  return setmetatable({ dtype = dtype, rows, columns, v = {}, e = {}, scalar = scalar }, Tile)
end

local function is_tile(x) return getmetatable(x) == Tile end

-- A Lua number or boolean as a tile of one element.
local function one(v, dtype)
  local t = tile(dtype, 1, 1, true)
  t.v[1], t.e[1] = rounded(v, 0.0, dtype)
  return t
end

local function extents(a, b, axis)
  local n, m = a[axis], b[axis]
  assert(n == m or n == 1 or m == 1, "extents")
  return max(n, m)
end

-- zipped(dtype, fn, ...) -> the tile of fn(v1, e1, v2, e2, ...) -> value, bound, errors
local function zipped(dtype, fn, a, b, c)
  b = b or a
  c = c or b
  local rows = max(extents(a, b, 1), extents(b, c, 1))
  local columns = max(extents(a, b, 2), extents(b, c, 2))
  local t = tile(dtype, rows, columns, a.scalar and b.scalar and c.scalar)
  local n = 0
  for i = 0, rows - 1 do
    for j = 0, columns - 1 do
      local p = (a[1] == 1 and 0 or i) * a[2] + (a[2] == 1 and 0 or j) + 1
      local q = (b[1] == 1 and 0 or i) * b[2] + (b[2] == 1 and 0 or j) + 1
      local r = (c[1] == 1 and 0 or i) * c[2] + (c[2] == 1 and 0 or j) + 1
      n = n + 1
      local v, e, errors = fn(a.v[p], a.e[p], b.v[q], b.e[q], c.v[r], c.e[r])
      t.v[n], t.e[n] = rounded(v, e, dtype, errors)
    end
  end
  return t
end

local function cast(a, dtype)
  if a.dtype == dtype then return a end
  return zipped(dtype, function(v, e) return v, e end, a)
end

-- Operators ---------------------------------------------------------------------------------------

local joins = {}

local function dtype_of(x) return is_tile(x) and x.dtype or math.type(x) or "bool" end

-- The dtype in which two values meet: that of arrays.
local function joined(a, b, divides)
  local p, q = dtype_of(a), dtype_of(b)
  if p == "bool" and q == "bool" then return "bool" end
  local key = p .. q .. tostring(divides)
  if not joins[key] then
    local function sample(x) return is_tile(x) and cuda.ones({ 1 }, x.dtype) or x end
    local x, y = sample(a), sample(b)
    local t = divides and x / y or x + y
    joins[key] = math.type(t) == "integer" and "int64"
      or type(t) == "number" and "float64" or t.dtype
  end
  return joins[key]
end

local function lifted(x, dtype)
  if is_tile(x) then return cast(x, dtype) end
  return one(x, dtype)
end

local function binary(fn, divides)
  return function(a, b)
    local dtype = joined(a, b, divides)
    return zipped(dtype, fn, lifted(a, dtype), lifted(b, dtype))
  end
end

Tile.__add = binary(function(a, ea, b, eb) return a + b, ea + eb end)
Tile.__sub = binary(function(a, ea, b, eb) return a - b, ea + eb end)
-- 0 times an infinite bound is an infinite bound: what is unknown may be infinite.
local function share(v, e) return e == 0 and 0.0 or e == HUGE and HUGE or abs(v) * e end
Tile.__mul = binary(function(a, ea, b, eb)
  return a * b, share(a, eb) + share(b, ea) + share(ea, eb)
end)
Tile.__div = binary(function(a, ea, b, eb)
  if b ~= b or abs(b) <= eb then return a / b, (eb > 0 or b == 0) and HUGE or 0.0 end
  local q = a / b
  return q, (ea + share(q, eb)) / (abs(b) - eb)
end, true)
Tile.__unm = function(a) return zipped(a.dtype, function(v, e) return -v, e end, a) end

local function exact(fn)
  return binary(function(a, ea, b, eb) return fn(a, b), (ea > 0 or eb > 0) and HUGE or 0.0 end)
end
Tile.__idiv = exact(function(a, b) return a // b end)
Tile.__mod = exact(function(a, b) return a % b end)
Tile.__band = exact(function(a, b) return a & b end)
Tile.__bor = exact(function(a, b) return a | b end)
Tile.__bxor = exact(function(a, b) return a ~ b end)

local COMPARE = {
  ["<"] = function(a, b) return a < b end, ["<="] = function(a, b) return a <= b end,
  [">"] = function(a, b) return a > b end, [">="] = function(a, b) return a >= b end,
  ["=="] = function(a, b) return a == b end, ["~="] = function(a, b) return a ~= b end,
}

-- A condition that depends on rounding: the program says nothing about the kernel.
M.UNCERTAIN = setmetatable({}, { __tostring = function() return "a condition is uncertain" end })

-- A condition of numbers is a boolean of Lua.
local function decided(t)
  if not t.scalar then return t end
  if t.e[1] > 0 then error(M.UNCERTAIN, 0) end
  return t.v[1]
end

local function compare(symbol, a, b)
  local fn = COMPARE[symbol]
  if not is_tile(a) and not is_tile(b) then return fn(a, b) end
  local dtype = joined(a, b)
  return decided(zipped("bool", function(x, ex, y, ey)
    local bound = ex + ey
    return fn(x, y), bound == 0 and 0.0 or abs(x - y) > bound and 0.0 or HUGE
  end, lifted(a, dtype), lifted(b, dtype)))
end

local function negated(x)
  if not is_tile(x) then return not x end
  return zipped("bool", function(v, e) return not v, e end, x)
end

-- `and` and `or`; decisive: the value of one side that decides.
local function combined(decisive)
  return function(x, y)
    if not is_tile(x) and not is_tile(y) then
      if decisive then return x or y end
      return x and y
    end
    return zipped("bool", function(v, ev, w, ew)
      if ev == 0 and v == decisive or ew == 0 and w == decisive then return decisive, 0.0 end
      return not decisive, max(ev, ew)
    end, lifted(x, "bool"), lifted(y, "bool"))
  end
end

-- Functions ---------------------------------------------------------------------------------------

-- unary(fn, bound, errors): bound(v, e) -> the error of the result for an error e of v
local function unary(fn, bound, errors)
  return function(x)
    if not is_tile(x) then return fn(x) end
    return zipped(x.dtype, function(v, e)
      return fn(v), e == 0 and 0.0 or bound(v, e), errors
    end, x)
  end
end

local function extreme(fn)
  return function(a, b)
    if not is_tile(a) and not is_tile(b) then return fn(a, b) end
    local dtype = joined(a, b)
    return zipped(dtype, function(x, ex, y, ey) return fn(x, y), max(ex, ey) end,
      lifted(a, dtype), lifted(b, dtype))
  end
end

local function same_error(_, e) return e end

local function tanh(x)
  if abs(x) < 1e-4 then return x - x * x * x / 3 end
  local p = math.exp(-2 * abs(x))
  local r = (1 - p) / (1 + p)
  return x < 0 and -r or r
end

local functions = {
  exp = unary(math.exp, function(v, e) return math.exp(v) * (math.exp(e) - 1) end, 8),
  sqrt = unary(math.sqrt, function(v, e)
    if v <= e then return math.sqrt(abs(v) + e) end
    return e / math.sqrt(v - e)
  end, 4),
  abs = unary(abs, same_error),
  sin = unary(math.sin, same_error, 16),
  tanh = unary(tanh, same_error, 16),
  floor = unary(math.floor, function(v, e)
    return max(math.floor(v + e) - math.floor(v), math.floor(v) - math.floor(v - e)) + 0.0
  end),
  max = extreme(math.max), min = extreme(math.min),
}

local function where(c, a, b)
  local dtype = joined(a, b)
  return zipped(dtype, function(v, e, x, ex, y, ey)
    if e == 0 then
      if v then return x, ex end
      return y, ey
    end
    if type(x) == "boolean" then return x, HUGE end
    return x, x == y and max(ex, ey) or abs(x - y) + ex + ey
  end, lifted(c, "bool"), lifted(a, dtype), lifted(b, dtype))
end

local SUMS = { float8_e4m3fn = "float32", float8_e5m2 = "float32", float16 = "float32",
  bfloat16 = "float32", float32 = "float32", float64 = "float64",
  int8 = "int32", uint8 = "int32" }

-- A sum in any order of n terms, whose magnitudes and errors are added up as well.
local function total(v, e, size, n, dtype)
  if UNIT[dtype] then
    return rounded(v, e + (2 * n + 2) * UNIT[dtype] * size, dtype)
  end
  return rounded(v, e, dtype)
end

-- What a precision takes from each product, of its size.
local LOST = { tf32 = 2.0 ^ -10, tf32x3 = 2.0 ^ -20 }

local function dot(a, b, sum, precision)
  if type(sum) == "string" then sum, precision = nil, sum end
  local lost = LOST[precision] or 0.0
  assert(a.dtype == b.dtype and a[2] == b[1])
  local dtype, depth, columns = SUMS[a.dtype], a[2], b[2]
  local t = tile(dtype, a[1], columns)
  for i = 0, a[1] - 1 do
    for j = 1, columns do
      local n = i * columns + j
      local v, e = sum and sum.v[n] or 0, sum and sum.e[n] or 0.0
      local size, terms = abs(v), 0.0
      for k = 0, depth - 1 do
        local p, q = i * depth + k + 1, k * columns + j
        local x, y = a.v[p], b.v[q]
        local product, ex, ey = x * y, a.e[p], b.e[q]
        v, terms = v + product, terms + abs(product)
        if ex > 0 or ey > 0 then e = e + share(x, ey) + share(y, ex) + share(ex, ey) end
      end
      if lost > 0 then e = e + share(lost, terms) end
      t.v[n], t.e[n] = total(v, e, size + terms, depth + 1, dtype)
    end
  end
  return t
end

local function transpose(a)
  local t = tile(a.dtype, a[2], a[1])
  for i = 0, a[1] - 1 do
    for j = 0, a[2] - 1 do
      t.v[j * a[1] + i + 1], t.e[j * a[1] + i + 1] = a.v[i * a[2] + j + 1], a.e[i * a[2] + j + 1]
    end
  end
  return t
end

-- reduction(fn) -> a function of kernels; fn(values, bounds, dtype) -> value, bound
local function reduction(fn, widens)
  return function(a, axis)
    if axis and axis < 0 then axis = axis + 3 end
    local dtype = widens and SUMS[a.dtype] or a.dtype
    local rows, columns = axis == 2 and a[1] or 1, axis == 1 and a[2] or 1
    local t = tile(dtype, rows, columns, not axis)
    local v, e = {}, {}
    for n = 1, rows * columns do v[n], e[n] = {}, {} end
    for i = 0, a[1] - 1 do
      for j = 0, a[2] - 1 do
        local n = (axis == 2 and i or 0) * columns + (axis == 1 and j or 0) + 1
        local k = #v[n] + 1
        v[n][k], e[n][k] = a.v[i * a[2] + j + 1], a.e[i * a[2] + j + 1]
      end
    end
    for n = 1, rows * columns do t.v[n], t.e[n] = fn(v[n], e[n], dtype) end
    return t
  end
end

local sum = reduction(function(v, e, dtype)
  local s, bound, size = 0, 0.0, 0
  for k = 1, #v do s, bound, size = s + v[k], bound + e[k], size + abs(v[k]) end
  return total(s, bound, size, #v, dtype)
end, true)

-- Of booleans: how many are true.
local function sum_or_count(a, axis)
  if a.dtype ~= "bool" then return sum(a, axis) end
  local ones = zipped("int32", function(v, e) return v and 1 or 0, e end, a)
  return sum(ones, axis)
end

local function extremes(fn)
  return reduction(function(v, e) return fn(table.unpack(v)), max(table.unpack(e)) end)
end

-- `known` decides where it is certain: any true, all false.
local function truth(known)
  local of = reduction(function(v, e)
    local bound = 0.0
    for k = 1, #v do
      if e[k] > 0 then bound = HUGE elseif v[k] == known then return known, 0.0 end
    end
    return not known, bound
  end)
  return function(a, axis) return decided(of(a, axis)) end
end

-- Arrays ------------------------------------------------------------------------------------------

local Array = {}

local function flat(list, out)
  for _, v in ipairs(list) do
    if type(v) == "table" then flat(v, out) else out[#out + 1] = v end
  end
  return out
end

function M.array(a)
  local own = { dtype = a.dtype, shape = { table.unpack(a.shape) }, v = {}, e = {} }
  if a.size > 0 then own.v = flat(a:totable(), own.v) end
  for k = 1, #own.v do own.e[k] = 0.0 end
  return setmetatable(own, Array)
end

local function is_at(place) return type(place) == "table" and not is_tile(place) end

-- Where the elements of a tile are: fn(index of the tile, index of the array or nil).
local function places_of(a, places, shape, fn)
  local n = #a.shape
  local rank = math.min(#shape, n)
  local base, outside = 0, false
  for k = 1, n - rank do
    local p = places[k]
    p = (is_at(p) and p.at or p) - 1
    if p < 0 or p >= a.shape[k] then outside = true end
    base = base * a.shape[k] + p
  end
  local rows, columns = #shape == 2 and shape[1] or 1, shape[#shape]
  local function start(k, extent)
    local p = places[k]
    if k < 1 or not p then return 0 end
    return is_at(p) and p.at - 1 or (p - 1) * extent
  end
  local first_row = rank == 2 and start(n - 1, rows) or 0
  local first_column = start(n, columns)
  local height, width = rank == 2 and a.shape[n - 1] or 1, a.shape[n]
  for i = 0, rows - 1 do
    for j = 0, columns - 1 do
      local r, c = first_row + i, first_column + j
      local inside = not outside and r >= 0 and r < height and c >= 0 and c < width
      fn(i * columns + j + 1, inside and (base * height + r) * width + c + 1 or nil)
    end
  end
end

local function load_tile(a, places, shape, other)
  local t = tile(a.dtype, #shape == 2 and shape[1] or 1, shape[#shape])
  local missing = a.dtype ~= "bool" and rounded(other or 0, 0.0, a.dtype)
  places_of(a, places, shape, function(k, at)
    if at then t.v[k], t.e[k] = a.v[at], a.e[at]
    else t.v[k], t.e[k] = missing, 0.0 end
  end)
  return t
end

local function stored_shape(a, t)
  if #a.shape > 1 then return { t[1], t[2] } end
  return { max(t[1], t[2]) }
end

-- Calls fn(k, at) for each element of the tile that is stored. Where the mask is uncertain, so is
-- the array.
local function each_stored(a, places, t, mask, fn)
  local m = mask ~= nil and zipped("bool", function(_, _, v, e) return v, e end, t,
    lifted(mask, "bool"))
  places_of(a, places, stored_shape(a, t), function(k, at)
    if not at then return end
    if m and m.e[k] > 0 then a.e[at] = HUGE
    elseif not m or m.v[k] then fn(k, at) end
  end)
end

local function store(a, places, t, mask)
  t = cast(t, a.dtype)
  each_stored(a, places, t, mask, function(k, at) a.v[at], a.e[at] = t.v[k], t.e[k] end)
end

local function atomic_add(a, places, t, mask)
  t = cast(t, a.dtype)
  each_stored(a, places, t, mask, function(k, at)
    local size = abs(a.v[at]) + abs(t.v[k])
    a.v[at], a.e[at] = total(a.v[at] + t.v[k], a.e[at] + t.e[k], size, 4, a.dtype)
  end)
end

-- Kernels -----------------------------------------------------------------------------------------

local now, counts

local names = {
  program = function(axis) return now[axis or 1] end,
  programs = function(axis) return counts[axis or 1] end,
  tiles = function(a, axis, n) return (a.shape[axis] + n - 1) // n end,
  at = function(i) return { at = i } end,
  load = load_tile, store = store, atomic_add = atomic_add,
  where = where, dot = dot, transpose = transpose, sum = sum_or_count,
  max = extremes(math.max), min = extremes(math.min), any = truth(true), all = truth(false),
  _compare = compare, _not = negated, _and = combined(false), _or = combined(true),
  math = setmetatable({ huge = HUGE }, { __index = functions }),
  cuda = functions,
}

local function filled(dtype, value, rows, columns)
  local t = tile(dtype, columns and rows or 1, columns or rows)
  local v, e
  if is_tile(value) then
    local c = cast(value, dtype)
    v, e = c.v[1], c.e[1]
  else v, e = rounded(value, 0.0, dtype) end
  for k = 1, t[1] * t[2] do t.v[k], t.e[k] = v, e end
  return t
end
names.full = filled
function names.zeros(dtype, rows, columns)
  local zero = 0
  if dtype == "bool" then zero = false end
  return filled(dtype, zero, rows, columns)
end

function names.iota(n)
  local t = tile("int32", 1, n)
  for k = 1, n do t.v[k], t.e[k] = k, 0.0 end
  return t
end

for _, dtype in ipairs{ "float8_e4m3fn", "float8_e5m2", "float16", "bfloat16", "float32",
  "float64", "int8", "uint8", "int16", "int32", "int64" } do
  names[dtype] = function(x) return lifted(x, dtype) end
end

-- Comparisons of tables give booleans in Lua, and `and` and `or` one of the tables: calls take
-- their place. Kernels have no selections `c and a or b`.
local function without_comparisons(node)
  for _, child in pairs(node) do
    if type(child) == "table" and not child.seen then
      child.seen = true
      without_comparisons(child)
    end
  end
  local called
  if node.kind == "binary" and COMPARE[node.op] then
    called = { "_compare", { kind = "string", value = node.op, line = node.line }, node.left,
      node.right }
  elseif node.kind == "unary" and node.op == "not" then called = { "_not", node.operand }
  elseif node.kind == "and" or node.kind == "or" then
    called = { "_" .. node.kind, node.left, node.right }
  end
  if not called then return end
  node.kind, node.fn = "call", { kind = "free", name = called[1], line = node.line }
  node.args = table.move(called, 2, #called, 1, {})
end

function M.kernel(text, env)
  local tree = parser.chunk("return " .. text, "kernel")
  without_comparisons(tree)
  local own = setmetatable({}, { __index = function(_, name)
    if names[name] ~= nil then return names[name] end
    return env and env[name]
  end })
  return assert(load(printer.text(tree), "=tiles in Lua", "t", own))()
end

function M.launch(fn, programs, ...)
  counts = { programs[1], programs[2] or 1, programs[3] or 1 }
  for k = 1, counts[3] do
    for j = 1, counts[2] do
      for i = 1, counts[1] do
        now = { i, j, k }
        fn(...)
      end
    end
  end
end

-- difference(own, a) -> the first element of the array that is not within its bound, as text, and
-- how many elements are known
function M.difference(own, a)
  local got, known, first = flat(a:totable(), {}), 0, nil
  for k, v in ipairs(own.v) do
    local e = own.e[k]
    if e < HUGE and v == v then
      known = known + 1
      local g = got[k]
      local equal = g == v or type(g) == "number" and abs(g - v) <= 1.01 * e
      if not equal and not first then
        first = ("element %d is %s, not %s (within %g)"):format(k, g, v, e)
      end
    end
  end
  return first, known, #own.v
end

return M

-- dtypes.lua: the element types as data, and the type of a computation on several of them, by NumPy
-- 2's promotion. docs/design/promotion.md shows the rules as a table.

local core = require "luacuda.core"

local list, of, names = {}, {}, {}
for i, row in ipairs(core.dtypes()) do
  list[i] = row
  row.half = row.kind == "float" and row.size == 2
  row.narrow = row.kind == "float" and row.size <= 2
  -- in generated kernels; narrow floats and complex numbers are types of prelude.lua
  row.ctype = row.narrow and row.name or row.cuda:gsub("^cuda::std::", "")
  of[row.name], of[row.short] = row, row
  names[#names + 1], names[#names + 2] = row.name, row.short
end

-- Kinds in the order of promotion: a later one can hold an earlier one.
local RANK = { bool = 0, int = 1, uint = 1, float = 2, complex = 3 }

local NAMED = {} -- kind -> size -> the first such dtype
for _, row in ipairs(list) do
  local sizes = NAMED[row.kind] or {}
  NAMED[row.kind] = sizes
  sizes[row.size] = sizes[row.size] or row.name
end

-- Promotion of two --------------------------------------------------------------------------------

local function promote_integers(a, b)
  if a.kind == b.kind then return a.size >= b.size and a.name or b.name end
  local int, uint = a, b
  if a.kind == "uint" then int, uint = b, a end
  if int.size > uint.size then return int.name end
  return NAMED.int[2 * uint.size] or "float64"      -- no integer type holds both int64 and uint64
end

-- The smallest float that can hold an integer type; for 8 bits the 16-bit type `half`.
local function float_of(row, half)
  if row.kind == "bool" or row.size == 1 then return half end
  return row.size == 2 and "float32" or "float64"
end

local function promote_floats(a, b)
  if a.name == b.name then return a.name end
  -- neither of two types of one size holds the other
  if a.size == b.size then return a.size == 1 and "float16" or "float32" end
  return a.size > b.size and a.name or b.name
end

-- The type of the parts of a complex type; a float type itself.
local function part_of(row)
  return row.kind == "complex" and of[NAMED.float[row.size // 2]] or row
end

local function complex_of(float)
  return of[float].size == 8 and "complex128" or "complex64"
end

-- The promotion of a and b, where b is a float or complex type and a is not of a higher kind.
local function promote_inexact(a, b)
  if a.kind == "bool" then return b.name end
  local part = part_of(b)
  local half = part.size == 2 and part.name or "float16"
  local float = RANK[a.kind] < RANK.float and of[float_of(a, half)] or part_of(a)
  local joined = promote_floats(float, part)
  return b.kind == "complex" and complex_of(joined) or joined
end

local function promote_rows(a, b)
  if a == b then return a.name end
  if RANK[a.kind] > RANK[b.kind] then a, b = b, a end
  if RANK[b.kind] >= RANK.float then return promote_inexact(a, b) end
  if a.kind == "bool" then return b.name end
  return promote_integers(a, b)
end

local table_of_two = {}
for _, a in ipairs(list) do
  table_of_two[a.name] = {}
  for _, b in ipairs(list) do table_of_two[a.name][b.name] = promote_rows(a, b) end
end

-- promote(a, b) -> the name of the dtype that can hold values of both. It takes long names only.
local function promote(a, b) return table_of_two[a][b] end

-- Promotion of many, Lua values among them --------------------------------------------------------

local WEAK = { int = true, float = true, complex = true }

-- Types of higher kind come first: int8 and uint8 stay 8 bits wide each when combined with float16.
local function promote_all(strong)
  table.sort(strong, function(a, b) return RANK[of[a].kind] > RANK[of[b].kind] end)
  local result = strong[1]
  for i = 2, #strong do result = promote(result, strong[i]) end
  return result
end

local ONLY_WEAK = { int = "int64", float = "float32", complex = "complex128" }
-- for a Lua value of a higher kind than the dtype
local WITH_BELOW = { int = "int64", float = "float64", complex = "complex128" }

local function join_weak(strong, weak)
  local row = of[strong]
  if RANK[row.kind] >= RANK[weak] then return strong end
  if weak == "complex" and row.kind == "float" then return complex_of(strong) end
  return WITH_BELOW[weak]
end

-- result(kinds) -> dtype name. A kind is "float32" (an array of that dtype), "=float32" (a typed
-- scalar or, as "=bool", a Lua boolean), "int", "float" or "complex" (a Lua number or complex
-- value, which are weak), or false (nothing). Lua numbers alone give int64, float32 or complex128;
-- no kinds give nil.
local function result(kinds)
  local strong, weak = {}, nil
  for _, kind in ipairs(kinds) do
    local name = kind and kind:match "^=?(.*)$"
    if name and WEAK[name] then
      if weak == nil or RANK[name] > RANK[weak] then weak = name end
    elseif name then
      strong[#strong + 1] = name
    end
  end
  if #strong == 0 then return ONLY_WEAK[weak] end
  local joined = promote_all(strong)
  return weak and join_weak(joined, weak) or joined
end

-- Names and ranges --------------------------------------------------------------------------------

-- What is expected in place of `value`: for cuda.float32 itself the name that it stands for.
local function expected(value)
  for _, own in ipairs(list) do
    if rawequal(value, core[own.name]) then return ('the string "%s"'):format(own.name) end
  end
  return "the name of a dtype"
end

-- normal(name [, where]) -> the long name; raises for an unknown dtype. `where` begins the message
-- ("sum: option 'dtype'").
local function normal(name, where)
  local row = of[name]
  if row then return row.name end
  local before = where and where .. ": " or ""
  if type(name) ~= "string" then
    local given = core.type(name) or type(name)
    core.misuse(("%sexpected %s, got %s"):format(before, expected(name), given))
  end
  core.misuse(("%sunknown dtype '%s'%s"):format(before, name, core.near(name, names, "dtype")))
end

-- The largest value: an integer (for uint64 its bits, -1), the largest finite number, or true; nil
-- for complex types.
local function max(name)
  local row = of[name]
  if row.kind == "bool" then return true end
  if row.kind == "int" then return math.maxinteger >> (64 - 8 * row.size) end
  if row.kind == "uint" then return -1 >> (64 - 8 * row.size) end
  if row.kind == "float" then
    local last = row.finite and 1 - row.mantissa or -row.mantissa
    return (2 - 2.0 ^ last) * 2.0 ^ row.exponent
  end
end

-- The smallest value, likewise.
local function min(name)
  local row = of[name]
  if row.kind == "bool" then return false end
  if row.kind == "int" then return ~max(name) end
  if row.kind == "uint" then return 0 end
  return row.kind == "float" and -max(name) or nil
end

return {
  -- rows of cuda.dtypes() with `ctype` (in generated kernels), `half` (is it a 16-bit float?) and
  -- `narrow` (is it a float of 8 or 16 bits?)
  list = list,
  of = function(name) return of[name] end,         -- the row of a long or short name, or nil
  promote = promote, result = result, normal = normal, min = min, max = max,
  -- float_of(name, half) -> the float type in which NumPy's functions compute with an integer type
  float_of = function(name, half) return float_of(of[name], half or "float16") end,
  part_of = function(name) return part_of(of[name]).name end,
  is_half = function(name) return of[name] ~= nil and of[name].half end,
  is_narrow = function(name) return of[name] ~= nil and of[name].narrow end,
  -- sum_of(name) -> the dtype that sums are computed in: float32 for narrow floats
  sum_of = function(name) return of[name] and of[name].narrow and "float32" or name end,
  -- product_sum_of(name) -> the same for sums of products: unsigned, which wraps, for integers
  product_sum_of = function(name)
    local row = of[name]
    if row.kind ~= "int" and row.kind ~= "uint" then return row.narrow and "float32" or name end
    return row.size == 8 and "uint64" or "uint32"
  end,
  -- total_of(name) -> the dtype of NumPy's sums: 64 bits for integers
  total_of = function(name)
    local kind = of[name].kind
    return kind == "uint" and "uint64" or (kind == "int" or kind == "bool") and "int64" or name
  end,
  -- names of the dtypes of these kinds
  of_kinds = function(...)
    local found = {}
    for _, kind in ipairs { ... } do
      for _, row in ipairs(list) do
        if row.kind == kind then found[#found + 1] = row.name end
      end
    end
    return found
  end,
}

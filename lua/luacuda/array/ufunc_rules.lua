-- ufunc_rules.lua: the dtypes of a ufunc's parameters, result and computation, from the kinds of
-- its arguments ("float32", "=float32", "int", ...: as dtypes.result takes them).
-- docs/design/promotion.md states the rules in words.

local dtypes = require "luacuda.base.dtypes"

local of = dtypes.of
local WEAK = { int = true, float = true, complex = true }

-- The first n kinds as dtypes: Lua numbers and complex values become `weak`, a dtype or a table of
-- one per kind.
local function inputs_of(kinds, n, weak)
  local types = {}
  for i = 1, n do
    local kind = kinds[i]
    if WEAK[kind] then types[i] = type(weak) == "table" and weak[kind] or weak
    else types[i] = kind:match "[^=]+" end
  end
  return types
end

local function first(kinds, n) return table.move(kinds, 1, n, 1, {}) end

local function is_integral(name)
  local kind = of(name).kind
  return kind == "bool" or kind == "int" or kind == "uint"
end

-- The float type for functions that convert integers: float16 for 8 bits, float32 for 16, else
-- float64.
local function float_result(kinds, n)
  local floats, strong = {}, {}
  for i = 1, n do
    local kind = kinds[i]
    local name = not WEAK[kind] and kind:match "[^=]+"
    if name then strong[#strong + 1] = name end
    floats[i] = name and is_integral(name) and dtypes.float_of(name) or kind
  end
  if #strong == 0 then return dtypes.result { "float", table.unpack(floats) } end
  local joined, common = dtypes.result(first(kinds, n)), dtypes.result(strong)
  -- so bfloat16 with int8 is bfloat16, as in all promotion
  if not is_integral(common) then return joined end
  if joined == common then return dtypes.result(floats) end
  return of(joined).kind == "complex" and joined or "float64"      -- a Lua number of a higher kind
end

-- The dtypes of Lua values that stay as they are.
local OWN = { int = "int64", float = "float64", complex = "complex128" }

-- Rules: kinds of the inputs -> dtypes of the inputs, dtype of the result.
local rules = {}

-- NumPy's common type.
function rules.same(kinds, n)
  local common = dtypes.result(first(kinds, n))
  return inputs_of(kinds, n, common), common
end

-- The same, but int8 for booleans.
function rules.number(kinds, n)
  local common = dtypes.result(first(kinds, n))
  if common == "bool" then common = "int8" end
  return inputs_of(kinds, n, common), common
end

function rules.float(kinds, n)
  local common = float_result(kinds, n)
  return inputs_of(kinds, n, common), common
end

-- The quotient of integers is float64.
function rules.quotient(kinds, n)
  local common = dtypes.result(first(kinds, n))
  if is_integral(common) then common = "float64" end
  return inputs_of(kinds, n, common), common
end

-- The truth value of each argument separately.
function rules.truth(kinds, n) return inputs_of(kinds, n, OWN), "bool" end

-- Integers are compared exactly, whatever their types: a Lua integer keeps its value.
function rules.compare(kinds, n)
  local common = dtypes.result(first(kinds, n))
  return inputs_of(kinds, n, is_integral(common) and "int64" or common), "bool"
end

-- A Lua number as a shift or an exponent does not need to fit the type of the other operand.
local function second_apart(second)
  return function(kinds, n)
    local types, common = rules.number(kinds, n)
    if WEAK[kinds[2]] and is_integral(common) then types[2] = second end
    return types, common
  end
end
rules.shift = second_apart "int64"
rules.power = second_apart "uint32"           -- so negative Lua numbers are refused

-- The second argument is a Lua number that controls the operation.
function rules.scaled(kinds)
  local common = dtypes.result { kinds[1] }
  return { inputs_of(kinds, 1, common)[1], is_integral(common) and "int64" or "float64" }, common
end

-- condition, x, y
function rules.choice(kinds)
  local common = dtypes.result { kinds[2], kinds[3] }
  local types = inputs_of(kinds, 3, common)
  types[1] = WEAK[kinds[1]] and OWN[kinds[1]] or types[1]
  return types, common
end

-- The real type of complex arguments.
function rules.part(kinds, n)
  local types, common = rules.same(kinds, n)
  return types, of(common).kind == "complex" and dtypes.part_of(common) or common
end

function rules.float_part(kinds, n)
  local types, common = rules.float(kinds, n)
  return types, of(common).kind == "complex" and dtypes.part_of(common) or common
end

local function all_integral(types, n)
  for i = 1, n do
    if not is_integral(types[i]) then return false end
  end
  return true
end

-- Are integers compared with floats that cannot hold all of them?
local function is_mixed(row, types)
  if row.result ~= "compare" then return false end
  local integers, floats = false, false
  for i = 1, #row.params do
    local one = of(types[i])
    integers = integers or one.size == 8 and (one.kind == "int" or one.kind == "uint")
    floats = floats or one.kind == "float"
  end
  return integers and floats
end

-- The computation type: the result type, unless the arguments need a wider one.
local function calc_of(row, types)
  local n = #row.params
  local result = types[n + 1]
  if row.result == "choice" or row.result == "scaled" then return result end
  local common = dtypes.result(first(types, n))
  if row.result == "compare" and all_integral(types, n) then return "int64" end
  if row.result == "truth" or row.result == "compare" or of(common).kind == "complex" then
    return common
  end
  return result
end

-- types_of(row, kinds) -> list of dtypes, those of the inputs and the result's
local function types_of(row, kinds)
  local n = #row.params
  local types, result = rules[row.result](kinds, n)
  types[n + 1] = result
  return types
end

return { types_of = types_of, calc_of = calc_of, is_mixed = is_mixed,
  is_weak = function(kind) return WEAK[kind] ~= nil end }

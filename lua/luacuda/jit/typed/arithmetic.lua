-- arithmetic.lua: arithmetic, bits and comparison of typed values. Lua's own numbers follow Lua;
-- values with a dtype follow the rows of array/operators.lua, as operators of arrays do.

local dtypes = require "luacuda.base.dtypes"
local ufunc_source = require "luacuda.array.ufunc_source"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local rows = require "luacuda.jit.typed.rows"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local NAMES = {
  ["+"] = "add", ["-"] = "subtract", ["*"] = "multiply", ["/"] = "divide", ["//"] = "floor_divide",
  ["%"] = "mod", ["^"] = "power", ["&"] = "bitwise_and", ["|"] = "bitwise_or",
  ["~"] = "bitwise_xor", ["<<"] = "left_shift", [">>"] = "right_shift",
  ["=="] = "eq", ["~="] = "ne", ["<"] = "lt", ["<="] = "le", [">"] = "gt", [">="] = "ge",
}
local COMPARE = { ["=="] = "==", ["~="] = "!=", ["<"] = "<", ["<="] = "<=", [">"] = ">",
  [">="] = ">=" }
local BITS = { ["&"] = true, ["|"] = true, ["~"] = true, ["<<"] = true, [">>"] = true }
-- operators of equal float dtypes that are the same in C++
local PLAIN = { ["+"] = "+", ["-"] = "-", ["*"] = "*", ["/"] = "/" }
local LUA_INT = { ["+"] = "add", ["-"] = "sub", ["*"] = "mul", ["//"] = "idiv", ["%"] = "mod",
  ["&"] = "band", ["|"] = "bor", ["~"] = "bxor", ["<<"] = "shl", [">>"] = "shr" }

-- Constants ---------------------------------------------------------------------------------------

local folds = {}

local function fold(ctx, node, code, ...)
  folds[code] = folds[code] or load("local a, b = ... return " .. code)
  local ok, v = pcall(folds[code], ...)
  if ok then return nodes.literal(v) end
  report.pass_on(ctx, node, (v:gsub("^[^:]*:%d+: ", ""):gsub(" %(local '[ab]'%)", "")))
end

local function is_constant(e)
  return e.op == "const" and (types.is_lua(e.type) or e.type == "string" or e.type == "bool")
end

-- Numbers of Lua alone ----------------------------------------------------------------------------

local function both_int(a, b) return types.is_integer(a.type) and types.is_integer(b.type) end

local function check_integers(ctx, node, op, a, b)
  if both_int(a, b) then return end
  local float = types.is_integer(a.type) and b or a
  fail(ctx, node, "'%s' takes integers, and this is %s: write math.floor(x)", op,
    types.name(float.type))
end

local function lua_arithmetic(ctx, node, op, a, b)
  if both_int(a, b) and LUA_INT[op] then
    local weak = a.type == "int!" and b.type == "int!" and not ctx.unit.of_arrays
    return nodes.int(weak and "int!" or "int", LUA_INT[op], a, b)
  end
  a, b = nodes.convert(a, "float"), nodes.convert(b, "float")
  if PLAIN[op] then return nodes.infix("float", op, a, b) end
  if op == "//" then
    return nodes.call("float", "floor", { nodes.infix("float", "/", a, b) })
  end
  if op == "%" and not ctx.unit.of_arrays then
    return nodes.call("float", "_lcu_lua_mod", { a, b }, { ufunc_source._lcu_fmod, "_lcu_lua_mod" })
  end
  return rows.call(ctx, node, NAMES[op], { a, b }, "float")
end

-- Values with a dtype -----------------------------------------------------------------------------

local function is_plain_float(t) return t == "float32" or t == "float64" or t == "float" end

-- The dtype in which both are computed, if that is one of C++'s own float types and nothing else
-- needs a row.
local function common_float(a, b)
  local t = types.join(a.type, b.type)
  if t == "float32" or t == "float64" then
    local weak_or_same = (types.is_lua(a.type) or a.type == t)
      and (types.is_lua(b.type) or b.type == t)
    return weak_or_same and t
  end
end

local function check_operand(ctx, node, op, e)
  if types.is_number(e.type) then return end
  local got = report.described(e)
  if e.type == "bool" then
    fail(ctx, node, BITS[op] and "'%s' takes integers, and this is %s: use and, or, not"
      or "'%s' takes numbers, and this is %s: write c and 1 or 0", op, got)
  end
  if types.is_array(e.type) and e.type.ndim == 0 and type(e.type.dtype) ~= "string" then
    fail(ctx, node, "'%s' takes numbers, and this is a struct '%s': name one of its fields", op,
      e.type.dtype.name)
  elseif types.is_array(e.type) then
    fail(ctx, node, "'%s' takes numbers, and this is %s: a kernel computes element by element, "
      .. "x[i]", op, got)
  end
  fail(ctx, node, "'%s' takes numbers, and this is %s", op, got)
end

-- In fused functions, as of arrays, a float that is too large for a dtype is not infinity.
local function check_float(ctx, node, e, name)
  local v, kind = e.value, types.kind_of(name)
  if math.type(v) ~= "float" or kind ~= "float" or math.abs(v) == math.huge then return end
  if math.abs(v) > dtypes.max(types.dtype_of(name)) then
    fail(ctx, node, "%s is out of range for %s", v, name)
  end
end

-- Raises for a constant integer that an integer dtype does not hold.
local function check_constant(ctx, node, e, name, words)
  if ctx.unit.of_arrays then check_float(ctx, node, e, name) end
  if math.type(e.value) ~= "integer" or not types.is_integer(name) then return end
  if name == "uint64" or types.dtype_of(name) == "int64" then return end
  if e.value < dtypes.min(name) or e.value > dtypes.max(name) then
    fail(ctx, node, "%d does not fit %s%s", e.value, name, words or "")
  end
end

local function check_fits(ctx, node, e, other)
  if e.op ~= "const" or not types.is_lua(e.type) or types.is_lua(other.type) then return end
  check_constant(ctx, node, e, other.type,
    ": convert the other operand first, as in int64(x)")
end

-- Division of an integer dtype by a constant power of two, which rounds down as a shift does.
local function by_power_of_two(op, a, b)
  local v = b.op == "const" and types.is_lua(b.type) and b.value
  if math.type(v) ~= "integer" or v <= 0 or v & (v - 1) ~= 0 or not types.is_integer(a.type)
    or dtypes.of(a.type).size < 4 then
    return nil
  end
  if op == "%" then return nodes.infix(a.type, "&", a, nodes.const(a.type, v - 1)) end
  if op == "//" then
    local n = 0
    while v >> n > 1 do n = n + 1 end
    return nodes.infix(a.type, ">>", a, nodes.const("int", n))
  end
end

local function binary(ctx, node, op, a, b)
  if is_constant(a) and is_constant(b) and types.is_number(a.type) and types.is_number(b.type)
  then
    return fold(ctx, node, "a " .. op .. " b", a.value, b.value)
  end
  check_operand(ctx, node.left or node, op, a)
  check_operand(ctx, node.right or node, op, b)
  if BITS[op] then check_integers(ctx, node, op, a, b) end
  if types.is_lua(a.type) and types.is_lua(b.type) then
    return lua_arithmetic(ctx, node, op, a, b)
  end
  if op ~= "^" and op ~= "<<" and op ~= ">>" then
    check_fits(ctx, node.left or node, a, b)
    check_fits(ctx, node.right or node, b, a)
  end
  local shifted = by_power_of_two(op, a, b)
  if shifted then return shifted end
  local t = PLAIN[op] and common_float(a, b)
  if t then return nodes.infix(t, op, nodes.convert(a, t), nodes.convert(b, t)) end
  return rows.call(ctx, node, NAMES[op], { a, b })
end

-- Comparison --------------------------------------------------------------------------------------

local function is_nil(e) return e.static == true and e.value == nil end

-- the comparison of an integer with a float, from either side
local EXACT = { ["=="] = "eq", ["~="] = "ne", ["<"] = "lt", ["<="] = "le", [">"] = "gt",
  [">="] = "ge" }
local MIRROR = { ["<"] = ">", ["<="] = ">=", [">"] = "<", [">="] = "<=" }

-- Is the first a constant of Lua that the second's dtype holds?
local function fits(a, b)
  if a.op ~= "const" or not types.is_lua(a.type) or math.type(a.value) ~= "integer" then return end
  local t = types.dtype_of(b.type)
  if t == "int64" then return true end
  if t == "uint64" then return a.value >= 0 end
  return a.value >= dtypes.min(t) and a.value <= dtypes.max(t)
end

local function compare_numbers(ctx, node, op, a, b)
  local ia, ib = types.is_integer(a.type), types.is_integer(b.type)
  if ia and ib and (types.is_lua(a.type) and types.is_lua(b.type) or a.type == b.type) then
    return nodes.infix("bool", COMPARE[op], a, b)
  end
  if ia and ib and (fits(a, b) or fits(b, a)) then
    local t = fits(a, b) and b.type or a.type
    return nodes.infix("bool", COMPARE[op], nodes.convert(a, t), nodes.convert(b, t))
  end
  if ia and ib then return rows.call(ctx, node, NAMES[op], { a, b }) end
  local t = common_float(a, b)
  if not ia and not ib and (t or is_plain_float(a.type) and a.type == b.type) then
    t = t or a.type
    return nodes.infix("bool", COMPARE[op], nodes.convert(a, t), nodes.convert(b, t))
  end
  local float = ia and b or a
  if ia ~= ib and types.is_float(float.type) then
    local int = ia and a or b
    local wide = is_plain_float(float.type) and float or nodes.convert(float, "float32")
    if int.op == "const" and math.abs(int.value) <= 2 ^ 11 then
      local c = nodes.convert(int, wide.type)
      return nodes.infix("bool", COMPARE[op], ia and c or wide, ia and wide or c)
    end
    local fn = "_lcu_exact_" .. EXACT[ia and op or MIRROR[op] or op]
    return nodes.call("bool", fn, { int, wide }, { fn })
  end
  return rows.call(ctx, node, NAMES[op], { a, b })
end

-- The dtype that a conversion such as float32 names where it is not called.
local function named_dtype(e) return e.op == "builtin" and e.row.dtype end

-- Raises for values that have no order and no equality.
local function check_comparable(ctx, node, op, a, b)
  if types.is_number(a.type) and types.is_number(b.type) then return end
  local dtype = named_dtype(a) or named_dtype(b)
  if dtype and (a.type == "string" or b.type == "string") then
    fail(ctx, node, "dtypes are strings in a comparison: write x.dtype == \"%s\"", dtype)
  end
  if a.type and b.type then
    fail(ctx, node, "%s and %s cannot be compared", report.described(a), report.described(b))
  end
  fail(ctx, node, "'%s' compares numbers, and this is %s", op, report.described(a.type and b or a))
end

local function compare(ctx, node, op, a, b)
  if is_constant(a) and is_constant(b) then
    return fold(ctx, node, "a " .. op .. " b", a.value, b.value)
  end
  if is_nil(a) or is_nil(b) then
    if ctx.unit.of_arrays and (op == "==" or op == "~=") then
      local equal = is_nil(a) == is_nil(b)
      return nodes.literal(equal == (op == "=="))
    end
    fail(ctx, node, "values of a kernel are never nil")
  end
  local equality = op == "==" or op == "~="
  if equality and a.type == "bool" and b.type == "bool" then
    return nodes.infix("bool", COMPARE[op], a, b)
  end
  check_comparable(ctx, node, op, a, b)
  return compare_numbers(ctx, node, op, a, b)
end

return { binary = binary, compare = compare, check_constant = check_constant,
  check_operand = check_operand, fold = fold, is_constant = is_constant,
  is_plain_float = is_plain_float }

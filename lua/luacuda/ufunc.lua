-- ufunc.lua: functions applied element by element whose result type follows from the types of their arguments (NumPy calls
-- them ufuncs): from a row of texts to a callable. operators.lua and math.lua have the rows.
--
-- A row: { name =, params = { "x", "y" }, result = rule, bool =, int =, uint =, float =, complex = }. The texts, one for each
-- kind of the type computed in, are C++ expressions, or bodies where they have a `return`. They see a, b, c: the arguments
-- converted to the type computed in, T (float for float16 and bfloat16); x, y, w: the arguments as they are; U: T without sign,
-- of at least 32 bits, in which arithmetic wraps around; R: the result's type. `uint` is `int` unless given; `any`: all others.
-- `refuse[kind]`: words for arguments of a kind that has no text on purpose.

local core = require "luacuda.core"
local dtypes = require "luacuda.dtypes"

local of = dtypes.of
local WEAK = { int = true, float = true, complex = true }

-- Types of parameters and result -----------------------------------------------------------------------------------------

-- The first n kinds as dtypes: Lua numbers and complex values are taken as `weak`, a dtype or a table of one per kind.
local function inputs_of(kinds, n, weak)
  local types = {}
  for i = 1, n do
    local kind = kinds[i]
    if WEAK[kind] then types[i] = type(weak) == "table" and weak[kind] or weak else types[i] = kind:match "[^=]+" end
  end
  return types
end

local function first(kinds, n) return table.move(kinds, 1, n, 1, {}) end

local function is_integral(name)
  local kind = of(name).kind
  return kind == "bool" or kind == "int" or kind == "uint"
end

-- The float type for functions that integers are converted for: float16 for 8 bits, float32 for 16, float64 else.
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
  if not is_integral(common) or joined == common then return dtypes.result(floats) end
  return of(joined).kind == "complex" and joined or "float64"      -- a Lua number of a higher kind
end

-- What plain Lua values are when they stay what they are.
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

-- Truth values of each argument on its own.
function rules.truth(kinds, n) return inputs_of(kinds, n, OWN), "bool" end

-- Integers are compared exactly, whatever their types.
function rules.compare(kinds, n)
  local common = dtypes.result(first(kinds, n))
  local exact = common == "uint64" and "uint64" or "int64"
  return inputs_of(kinds, n, is_integral(common) and exact or common), "bool"
end

-- A Lua number as a shift or an exponent does not need to fit the type of what is shifted or raised.
local function second_apart(second)
  return function(kinds, n)
    local types, common = rules.number(kinds, n)
    if WEAK[kinds[2]] and is_integral(common) then types[2] = second end
    return types, common
  end
end
rules.shift = second_apart "int64"
rules.power = second_apart "uint32"           -- so negative Lua numbers are refused

-- The second argument is a Lua number that says how the first is changed.
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

-- The type that the elements are computed in: the result's, unless that says less than the arguments.
local function calc_of(row, types)
  local n = #row.params
  local result = types[n + 1]
  if row.result == "choice" or row.result == "scaled" then return result end
  local common = dtypes.result(first(types, n))
  if row.result == "compare" and all_integral(types, n) then return "int64" end
  if row.result == "truth" or row.result == "compare" or of(common).kind == "complex" then return common end
  return result
end

-- Refusals ------------------------------------------------------------------------------------------------------------------

local function text_of(row, kind) return row[kind] or row.any or (kind == "uint" and row.int) end

local WORDS = { { "bool", "bool" }, { "int", "integer" }, { "float", "float" }, { "complex", "complex" } }
local FROM_INTEGERS = { float = true, float_part = true, quotient = true }

-- Does the function take elements of that kind, at the price of a conversion perhaps?
local function takes(row, kind)
  if row.refuse and row.refuse[kind] then return false end
  if text_of(row, kind) or (kind == "bool" and row.int) then return true end
  return kind ~= "complex" and row.float and FROM_INTEGERS[row.result]
end

local function wanted(row)
  local words = {}
  for _, word in ipairs(WORDS) do
    if takes(row, word[1]) then words[#words + 1] = word[2] end
  end
  local last = table.remove(words)
  return #words == 0 and last or table.concat(words, ", ") .. " or " .. last
end

local function fail(row, i, fmt, ...)
  core.misuse(("%s: argument %d '%s': %s"):format(row.name, i, row.params[i], fmt:format(...)))
end

local function kind_of(kind) return WEAK[kind] and kind or of(kind:match "[^=]+").kind end

local function described(kind)
  if WEAK[kind] then return kind == "int" and "an integer" or kind == "float" and "a float" or "a complex value" end
  local scalar = kind:match "^=(.*)"
  return scalar and "a " .. scalar .. " scalar" or kind
end

local function refuse(row, kinds, calc)
  for i in ipairs(row.params) do
    local kind = kind_of(kinds[i])
    if row.refuse and row.refuse[kind] then fail(row, i, "%s", row.refuse[kind]) end
    if not takes(row, kind) then
      fail(row, i, "expected %s elements, got %s", wanted(row), described(kinds[i]))
    end
  end
  local parts = {}
  for i in ipairs(row.params) do parts[i] = described(kinds[i]) end
  core.misuse(("%s: %s together are %s, which it does not take; convert with astype"):format(row.name,
    table.concat(parts, " and "), calc))
end

local function check_out(row, kind, result)
  local dtype = kind:match "[^=]+"
  if dtype ~= result then
    core.misuse(("%s: out: expected %s, which is the result's dtype, got %s"):format(row.name, result, dtype))
  end
end

-- resolve(row, kinds) -> dtypes of the parameters, the result's last; raises for arguments that do not fit.
local function resolve(row, kinds)
  local n = #row.params
  local types, result = rules[row.result](kinds, n)
  types[n + 1] = result
  local calc = calc_of(row, types)
  if not text_of(row, of(calc).kind) then refuse(row, kinds, calc) end
  if kinds[n + 1] then check_out(row, kinds[n + 1], result) end
  return types
end

-- CUDA text -------------------------------------------------------------------------------------------------------------------

-- Name of a device function -> its text.
local helpers = {
  -- `v < 0` that no compiler warns about where T has no sign
  _lcu_is_negative = [[
template <class T> __device__ __forceinline__ bool _lcu_is_negative(T v) { return T(-1) < T(0) && (long long)v < 0; }
]],
}

-- add_helpers { name = text }: functions that texts of rows may call.
local function add_helpers(texts)
  for name, text in pairs(texts) do helpers[name] = text end
end

local function helpers_for(text, list, seen)
  for name in text:gmatch "_lcu_[%w_]+" do
    if helpers[name] and not seen[name] then
      seen[name] = true
      helpers_for(helpers[name], list, seen)
      list[#list + 1] = helpers[name]
    end
  end
  return list
end

-- Types have one word: `unsigned int(x)` is no expression.
local function calc_cname(row)
  if row.kind == "float" and row.size == 2 then return "float" end
  return row.name
end

local function converted(name, from, to)
  local cname = calc_cname(to)
  if from == to then return (from.kind == "float" and from.size == 2) and cname .. "(" .. name .. ")" or name end
  if to.kind == "complex" and from.kind ~= "complex" then
    return ("%s(%s(%s))"):format(cname, dtypes.part_of(to.name), name)
  end
  return ("(%s)%s"):format(cname, name)
end

local RAW, CONVERTED = { "x", "y", "w" }, { "a", "b", "c" }

local function replace_word(text, word, by) return (text:gsub("%f[%w_]" .. word .. "%f[^%w_]", by)) end

-- functions(row, types) -> name of a device function; its text behind those of the helpers it needs, as a list. The function takes
-- and gives elements of exactly these dtypes. Equal names have equal texts.
local function functions(row, types)
  local n, calc = #row.params, of(calc_of(row, types))
  local result = types[n + 1]
  local text = text_of(row, calc.kind)
  if not text:find "%f[%w_]return%f[^%w_]" then text = "return R(" .. text .. ");" end
  local shorts, params, lines = {}, {}, {}
  for i = 1, n + 1 do shorts[i] = of(types[i]).short end
  for i = 1, n do
    params[i] = types[i] .. " " .. RAW[i]
    if text:find("%f[%w_]" .. CONVERTED[i] .. "%f[^%w_]") then
      lines[#lines + 1] = ("  const T %s = %s;"):format(CONVERTED[i], converted(RAW[i], of(types[i]), calc))
    end
  end
  lines[#lines + 1] = "  " .. text
  local body = table.concat(lines, "\n")
  body = replace_word(body, "R", result)
  body = replace_word(body, "T", calc_cname(calc))
  body = replace_word(body, "U", calc.size == 8 and "uint64" or "uint32")
  local name = ("_lcu_%s_%s"):format(row.key, table.concat(shorts, "_"))
  local list = helpers_for(body, {}, {})
  list[#list + 1] = ("__device__ __forceinline__ %s %s(%s) {\n%s\n}\n"):format(result, name, table.concat(params, ", "), body)
  return name, list
end

-- Callables --------------------------------------------------------------------------------------------------------------------

local function parameters(row)
  local list = {}
  for i, name in ipairs(row.params) do list[i] = { name = name, raw = false } end
  list[#list + 1] = { name = "out", raw = false }
  return list
end

-- What elementwise.lua makes a kernel of for parameters of these types. The kernel's name must not be that of a C++ function.
local function variant(state, types)
  local name, texts = functions(state.row, types)
  local body = ("out = %s(%s);"):format(name, table.concat(state.row.params, ", "))
  return { name = "luacuda_" .. state.name, params = state.params, nin = state.nin, body = body, preamble = table.concat(texts) }
end

-- A product is rounded before something is added to it, here as in fused kernels, so that they agree.
local OPTIONS = { flags = { "--fmad=false" } }

-- new(row) -> the Elementwise of a row
local function new(row)
  require "luacuda.elementwise"
  local n = #row.params
  local state = { name = row.name, row = row, params = parameters(row), nin = n, variants = {}, variant = variant, options = OPTIONS }
  function state.resolve(_, kinds) return resolve(row, kinds) end
  return core.elementwise_new(state, { inputs = n, outputs = 1 })
end

local ALL = 100     -- arguments: more than there may be, so that too many are refused

-- exports(rows [, events]) -> a table that makes the function of a row when it is first asked for; `events` has the names of
-- metamethods with those of their rows, which take as many arguments as the row has parameters.
local function exports(rows, events)
  for name, row in pairs(rows) do row.name, row.key = row.name or name, name end
  local kernels = {}
  local function kernel(name)
    kernels[name] = kernels[name] or new(rows[name])
    return kernels[name]
  end
  return setmetatable({}, { __index = function(own, name)
    local event = events and events[name]
    if event then own[name] = core.operator(kernel(event), #rows[event].params)
    elseif rows[name] then own[name] = core.operator(kernel(name), ALL) end
    return rawget(own, name)
  end })
end

return { resolve = resolve, functions = functions, OPTIONS = OPTIONS, add_helpers = add_helpers, new = new, exports = exports }

-- ufunc.lua: functions that are applied element by element and whose result type follows from the
-- types of their arguments (NumPy calls them ufuncs): from a row of texts to a callable.
-- operators.lua and math.lua have the rows.
--
-- A row: { name =, params = { "x", "y" }, result = rule, bool =, int =, uint =, float =, complex =
-- }. The texts, one for each kind of the computation type, are C++ expressions, or bodies where
-- they contain `return`. They see a, b, c: the arguments converted to the computation type T (float
-- for narrow floats); x, y, w: the arguments unconverted; U: the unsigned variant of T with
-- at least 32 bits, in which arithmetic wraps around; R: the result type. `uint` is `int` unless
-- given; `any`: all other kinds; `mixed`: comparisons of 64-bit integers with floats.
-- `refuse[kind]`: the message for arguments of a kind that deliberately has no text. `numbers`: the
-- texts that replace `float` for Lua numbers as the second argument, by number; `other`: for all
-- other numbers.

local core = require "luacuda.core"
local rules = require "luacuda.array.ufunc_rules"
local fail = require("luacuda.base.arguments").fail
local dtypes = require "luacuda.base.dtypes"

local of = dtypes.of
local calc_of = rules.calc_of

-- Refusals ----------------------------------------------------------------------------------------

local function text_of(row, kind) return row[kind] or row.any or (kind == "uint" and row.int) end

local WORDS = { { "bool", "bool" }, { "int", "integer" }, { "float", "float" },
  { "complex", "complex" } }
local FROM_INTEGERS = { float = true, float_part = true, quotient = true }

-- Does the function take elements of that kind, perhaps by converting them?
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

local function fail_argument(row, i, text, ...)
  fail(row.name, "argument %d '%s': " .. text, i, row.params[i], ...)
end

local function kind_of(kind) return rules.is_weak(kind) and kind or of(kind:match "[^=]+").kind end

local function described(kind)
  if rules.is_weak(kind) then
    return kind == "int" and "an integer" or kind == "float" and "a float" or "a complex value"
  end
  local scalar = kind:match "^=(.*)"
  return scalar and "a " .. scalar .. " scalar" or kind
end

local function refuse(row, kinds, calc)
  for i in ipairs(row.params) do
    local kind = kind_of(kinds[i])
    if row.refuse and row.refuse[kind] then fail_argument(row, i, "%s", row.refuse[kind]) end
    if not takes(row, kind) then
      fail_argument(row, i, "expected %s elements, got %s", wanted(row), described(kinds[i]))
    end
  end
  local parts = {}
  for i in ipairs(row.params) do parts[i] = described(kinds[i]) end
  fail(row.name, "%s together are %s, which it does not take; convert with astype",
    table.concat(parts, " and "), calc)
end

local function check_out(row, kind, result)
  local dtype = kind:match "[^=]+"
  if dtype ~= result then
    fail(row.name, "out: expected %s, which is the result's dtype, got %s", result, dtype)
  end
end

-- resolve(row, kinds) -> dtypes of the parameters, the result's last; raises for arguments that do
-- not fit
local function resolve(row, kinds)
  local n, types = #row.params, rules.types_of(row, kinds)
  local calc = calc_of(row, types)
  if not text_of(row, of(calc).kind) then refuse(row, kinds, calc) end
  if kinds[n + 1] then check_out(row, kinds[n + 1], types[n + 1]) end
  return types
end

-- CUDA text ---------------------------------------------------------------------------------------

local helpers = {} -- name of a device function -> its text
for name, text in pairs(require "luacuda.array.ufunc_source") do helpers[name] = text end

-- add_helpers { name = text }: functions that texts of rows may call
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

-- The C++ name of a type as one word, because `unsigned int(x)` is not an expression.
local function calc_cname(row)
  if row.narrow then return "float" end
  return row.name
end

local function converted(name, from, to)
  local cname = calc_cname(to)
  if from == to then
    return from.narrow and cname .. "(" .. name .. ")" or name
  end
  if to.kind == "complex" and from.kind ~= "complex" then
    return ("%s(%s(%s))"):format(cname, dtypes.part_of(to.name), name)
  end
  return ("(%s)%s"):format(cname, name)
end

local RAW, CONVERTED = { "x", "y", "w" }, { "a", "b", "c" }

local function replace_word(text, word, by)
  return (text:gsub("%f[%w_]" .. word .. "%f[^%w_]", by))
end

-- functions(row, types) -> name of a device function; list of its text after those of the helpers
-- it needs. The function takes and returns elements of exactly these dtypes. Equal names have equal
-- texts.
local function functions(row, types)
  local n, calc = #row.params, of(calc_of(row, types))
  local result = types[n + 1]
  local text = rules.is_mixed(row, types) and row.mixed or text_of(row, calc.kind)
  if not text:find "%f[%w_]return%f[^%w_]" then text = "return R(" .. text .. ");" end
  local shorts, params, lines = {}, {}, {}
  for i = 1, n + 1 do shorts[i] = of(types[i]).short end
  for i = 1, n do
    params[i] = types[i] .. " " .. RAW[i]
    if text:find("%f[%w_]" .. CONVERTED[i] .. "%f[^%w_]") then
      lines[#lines + 1] = ("  const T %s = %s;"):format(CONVERTED[i],
        converted(RAW[i], of(types[i]), calc))
    end
  end
  lines[#lines + 1] = "  " .. text
  local body = table.concat(lines, "\n")
  body = replace_word(body, "R", result)
  body = replace_word(body, "T", calc_cname(calc))
  body = replace_word(body, "U", calc.size == 8 and "uint64" or "uint32")
  local name = ("_lcu_%s_%s"):format(row.key, table.concat(shorts, "_"))
  local list = helpers_for(body, {}, {})
  list[#list + 1] = ("__device__ __forceinline__ %s %s(%s) {\n%s\n}\n"):format(result, name,
    table.concat(params, ", "), body)
  return name, list
end

-- Callables ---------------------------------------------------------------------------------------

local function parameters(row)
  local list = {}
  for i, name in ipairs(row.params) do
    list[i] = { name = name, raw = false, misfit = row.misfit and row.misfit[name] }
  end
  list[#list + 1] = { name = "out", raw = false }
  return list
end

-- The kernel for parameters of these types, for elementwise.lua. Its name must differ from those of
-- C++ functions.
local function variant(state, types)
  local name, texts = functions(state.row, types)
  local body = ("out = %s(%s);"):format(name, table.concat(state.row.params, ", "))
  return { name = "luacuda_" .. state.name, params = state.params, nin = state.nin, body = body,
    preamble = table.concat(texts) }
end

-- A product is rounded before something is added to it, here and in fused kernels, so that both
-- agree.
local OPTIONS = { flags = { "--fmad=false" } }

-- new(row) -> the Elementwise of a row
local function new(row)
  local n = #row.params
  local state = { name = row.name, row = row, params = parameters(row), nin = n, variants = {},
    variant = variant, options = OPTIONS }
  function state.resolve(_, kinds) return resolve(row, kinds) end
  return require("luacuda.builder.elementwise").new(state, { inputs = n, outputs = 1 })
end

-- by_number(row) -> for each key of row.numbers the row for that number
local function by_number_of(row)
  local list = {}
  for number, text in pairs(row.numbers) do
    local own = {}
    for key, value in pairs(row) do own[key] = value end
    own.float, own.key = text, ("%s_%s"):format(row.key, number):gsub("%W", "_")
    list[number] = own
  end
  return list
end

-- The Elementwise of a row for each key of row.numbers.
local function new_by_number(row)
  local list = by_number_of(row)
  for number, own in pairs(list) do list[number] = new(own) end
  return list
end

local ALL = 100     -- arguments: more than any function takes, so that too many are refused

local known = {} -- key of a row -> row

-- row(key) -> the row of that name, or nil
local function row_of(key) return known[key] end

-- exports(rows [, events]) -> a table that makes the function of a row at its first use; `events`:
-- names of metamethods -> names of their rows, which take as many arguments as the row has
-- parameters
local function exports(rows, events)
  for name, row in pairs(rows) do
    row.name, row.key, known[name] = row.name or name, name, row
  end
  local kernels = {}
  local function kernel(name)
    kernels[name] = kernels[name] or new(rows[name])
    return kernels[name]
  end
  local by_number = {}
  local function callable(name, most)
    local row = rows[name]
    if not row.numbers then return core.operator(kernel(name), most) end
    by_number[name] = by_number[name] or new_by_number(row)
    return core.operator(kernel(name), most, by_number[name])
  end
  return setmetatable({}, { __index = function(own, name)
    local event = events and events[name]
    if event then own[name] = callable(event, #rows[event].params)
    elseif rows[name] then own[name] = callable(name, ALL) end
    return rawget(own, name)
  end })
end

return { resolve = resolve, functions = functions, row = row_of, by_number = by_number_of,
  OPTIONS = OPTIONS, add_helpers = add_helpers,
  new = new, exports = exports }

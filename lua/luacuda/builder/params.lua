-- params.lua: the parameter language of the kernel builders, and the types that a call gives to
-- type placeholders.
--
--   "float32 x, T y, raw T z, const int32 n2"
--
-- A declaration is [raw] [const] type name; a name alone repeats the type.
--
-- A parsed parameter is { name =, raw = bool, and one of: dtype = "float32", placeholder = "T",
-- struct = "Particle" }.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail
local dtypes = require "luacuda.base.dtypes"

-- Names -------------------------------------------------------------------------------------------

local function set(words)
  local t = {}
  for word in words:gmatch "%S+" do t[word] = true end
  return t
end

local KEYWORDS = set [[
  alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
  char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr
  constinit continue decltype default delete do double dynamic_cast else enum explicit export extern
  false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr
  operator or or_eq private protected public register reinterpret_cast requires return short signed
  sizeof static static_assert static_cast struct switch template this thread_local throw true try
  typedef typeid typename union unsigned using
  virtual void volatile wchar_t while xor xor_eq ]]

local OWN = set "complex float16 bfloat16 threadIdx blockIdx blockDim gridDim warpSize"

for _, row in ipairs(dtypes.list) do OWN[row.name] = true end

-- Raises unless `name` can be the name of a variable in generated code. `label` says what it is
-- ("parameter", "kernel name").
local function check_identifier(what, label, name)
  if not name:find "^[%a_][%w_]*$" then
    fail(what, "%s '%s' is not a name (letters, digits and _)", label, name)
  end
  if KEYWORDS[name] then fail(what, "%s '%s' is a keyword of C++", label, name) end
  if OWN[name] then fail(what, "%s '%s' is a name of CUDA or of generated code", label, name) end
  if name:sub(1, 1) == "_" then
    fail(what, "%s '%s' begins with '_', which is reserved for generated code", label, name)
  end
end

-- params.check_kernel_name(what, name) -> name, or `what` where there is none. Raises for a text
-- that cannot be the name of a kernel.
local function check_kernel_name(what, name)
  if name == nil then return what end
  if type(name) ~= "string" then
    fail(what, "expected a kernel name (string), got %s", type(name))
  end
  check_identifier(what, "kernel name", name)
  if name == "main" then fail(what, "kernel name 'main' is reserved by C++") end
  return name
end

local PLACEHOLDER = "^%u%d*$"

local function check_parameter_name(what, name, reserved)
  check_identifier(what, "parameter", name)
  if reserved[name] then
    fail(what, "parameter '%s' has a name that bodies use for something else (%s)", name,
      reserved[name])
  end
end

-- Types -------------------------------------------------------------------------------------------

local C_TYPES = {
  ["char"] = "int8", ["signed char"] = "int8", ["unsigned char"] = "uint8",
  ["short"] = "int16", ["short int"] = "int16", ["unsigned short"] = "uint16",
    ["unsigned short int"] = "uint16",
  ["int"] = "int32", ["signed"] = "int32", ["signed int"] = "int32", ["unsigned"] = "uint32",
    ["unsigned int"] = "uint32",
  ["long"] = "int64", ["long int"] = "int64", ["unsigned long"] = "uint64",
    ["unsigned long int"] = "uint64",
  ["long long"] = "int64", ["long long int"] = "int64", ["unsigned long long"] = "uint64",
  ["unsigned long long int"] = "uint64",
  ["size_t"] = "uint64", ["ptrdiff_t"] = "int64", ["float"] = "float32", ["double"] = "float64",
  ["half"] = "float16", ["__half"] = "float16", ["__nv_bfloat16"] = "bfloat16",
  ["complex<float>"] = "complex64", ["complex<double>"] = "complex128",
}
for _, bits in ipairs { 8, 16, 32, 64 } do
  C_TYPES[("int%d_t"):format(bits)], C_TYPES[("uint%d_t"):format(bits)] = "int" .. bits,
    "uint" .. bits
end

local type_names = {}
for name in pairs(C_TYPES) do type_names[#type_names + 1] = name end
for _, row in ipairs(dtypes.list) do
  table.move({ row.name, row.short }, 1, 2, #type_names + 1, type_names)
end
table.sort(type_names)

-- The type that `text` names: a table with one field, dtype, placeholder or struct.
local function parse_type(what, text, name, raw)
  local row = dtypes.of(text)
  local dtype = row and row.name or C_TYPES[text]
  if dtype then return { dtype = dtype } end
  if text:find(PLACEHOLDER) then return { placeholder = text } end
  local struct = text:match "^struct ([%a_][%w_]*)$"
  if struct and not raw then
    fail(what, "parameter '%s': only raw parameters take structs: raw %s %s", name, text,
      name)
  end
  if struct then return { struct = struct } end
  if text:find "[*&]" then
    fail(what, "parameter '%s': pointers cannot be declared: an element is 'T %s', the whole array "
      .. "'raw T %s'", name, name, name)
  end
  fail(what, "parameter '%s': unknown type '%s'%s (placeholders are single capitals, structs "
    .. "'raw struct Name')", name, text,
    core.near(text, type_names))
end

-- Declarations ------------------------------------------------------------------------------------

local function words_of(text)
  local words = {}
  for word in text:gsub("%s*<%s*", "<"):gsub("%s*>", "> "):gsub("[*&]", " %0 "):gmatch "%S+" do
    words[#words + 1] = word
  end
  return words
end

-- One declaration -> parameter. `previous` is the parameter before it, whose type a name alone
-- repeats.
local function parse_one(what, text, previous)
  local words, raw = words_of(text), false
  if #words == 0 then fail(what, "a parameter is missing between two commas") end
  local name = table.remove(words)
  if #words == 0 then
    if not previous then fail(what, "parameter '%s' has no type (or a type has no name)", name) end
    return { name = name, raw = previous.raw, dtype = previous.dtype,
      placeholder = previous.placeholder, struct = previous.struct }
  end
  local kept = {}
  for _, word in ipairs(words) do
    if word == "raw" then raw = true
    elseif word ~= "const" then kept[#kept + 1] = word end
  end
  if #kept == 0 then fail(what, "parameter '%s' has no type (or a type has no name)", name) end
  local param = parse_type(what, table.concat(kept, " "), name, raw)
  param.name, param.raw = name, raw
  return param
end

local function split(text)
  local parts = {}
  for part in (text .. ","):gmatch "([^,]*)," do parts[#parts + 1] = part end
  return parts
end

-- Adds the parameters that `text` declares to `list`.
local function parse_list(what, text, label, list)
  if type(text) ~= "string" then fail(what, "expected %s (a string), got %s", label, type(text)) end
  if not text:find "%S" then return 0 end
  local previous, count = nil, 0
  for _, part in ipairs(split(text)) do
    previous = parse_one(what, part, previous)
    count = count + 1
    list[#list + 1] = previous
  end
  return count
end

local RESERVED = { n = "the number of elements", i = "the index" }

-- params.parse(what, inputs, outputs [, reserved]) -> list of parameters, inputs first; number of
-- inputs; number of outputs. Messages begin with `what`; `reserved`: name -> its meaning in bodies,
-- besides n and i.
local function parse(what, inputs, outputs, reserved)
  local list, seen, placeholders = {}, {}, {}
  local nin = parse_list(what, inputs, "input parameters", list)
  local nout = parse_list(what, outputs, "output parameters", list)
  for _, p in ipairs(list) do
    check_parameter_name(what, p.name, RESERVED)
    if reserved then check_parameter_name(what, p.name, reserved) end
    if seen[p.name] then fail(what, "parameter '%s' is declared twice", p.name) end
    seen[p.name] = true
    if p.placeholder then placeholders[p.placeholder] = p.name end
  end
  for name, user in pairs(placeholders) do
    if seen[name] then
      fail(what, "'%s' is both a parameter and the type of parameter '%s'", name, user)
    end
  end
  return list, nin, nout
end

-- params.check_count(what, n) raises for more parameters than elementwise kernels and reductions
-- take.
local function check_count(what, n)
  if n > core.most_params then
    fail(what, "%d parameters are more than the %d that a kernel takes", n, core.most_params)
  end
end

-- params.declaration(param) -> "raw T x": a parameter as users declare it
local function declaration(p)
  return (p.raw and "raw " or "") .. (p.dtype or p.placeholder or "struct " .. p.struct) .. " "
    .. p.name
end

-- Types of a call ---------------------------------------------------------------------------------

local WEAK = { int = true, float = true, complex = true }

local function describe(kind)
  if not kind then return "nothing" end
  local scalar = kind:match "^=(.*)$"
  if scalar then return scalar .. " scalar" end
  return WEAK[kind] and "a Lua " .. (kind == "complex" and "complex value" or "number")
    or kind .. " array"
end

local function mismatch(what, k, p, wanted, kind, because)
  fail(what, "argument %d '%s': expected %s array (%s%s), got %s", k, p.name, wanted,
    declaration(p), because or "", describe(kind))
end

-- The struct or dtype name of an array; nil for Lua values, typed scalars and missing arguments.
local function array_type(kind)
  if kind and not WEAK[kind] and kind:sub(1, 1) ~= "=" then return kind end
end

-- Binds placeholders to the dtypes of arrays, outputs first. Returns placeholder -> { dtype =, by =
-- index }.
local function bind_arrays(what, list, nin, kinds)
  local bound = {}
  local function visit(first, last)
    for k = first, last do
      local p, dtype = list[k], array_type(kinds[k])
      local t = dtype and p.placeholder
      if t and not bound[t] then
        bound[t] = { dtype = dtype, by = k }
      elseif t and bound[t].dtype ~= dtype then
        local other = bound[t]
        mismatch(what, k, p, other.dtype, kinds[k],
          (", %s as in argument %d '%s'"):format(t, other.by, list[other.by].name))
      end
    end
  end
  visit(nin + 1, #list)
  visit(1, nin)
  return bound
end

-- Raises for a placeholder without a type and names the parameters whose arguments could determine
-- it.
local function undetermined(what, list, nin, placeholder, k)
  local names = {}
  for j, p in ipairs(list) do
    if p.placeholder == placeholder then
      names[#names + 1] = ("%s '%s'"):format(j > nin and "output" or "input", p.name)
    end
  end
  fail(what, "type %s of '%s' is not determined by the arguments: give an array for %s",
    placeholder, list[k].name,
    table.concat(names, " or "))
end

-- The type of a placeholder that no array binds, from the Lua values and typed scalars given for
-- it.
local function scalar_type(list, nin, kinds, placeholder)
  local own = {}
  for k = 1, nin do
    if list[k].placeholder == placeholder and kinds[k] then own[#own + 1] = kinds[k] end
  end
  return dtypes.result(own)
end

local function check_fixed(what, k, p, kind)
  local given, wanted = array_type(kind), p.dtype or p.struct
  if given and given ~= wanted then mismatch(what, k, p, wanted, kind) end
  return wanted
end

local function check_element(what, k, p, dtype)
  if not p.raw and not dtypes.of(dtype) then
    fail(what, "argument %d '%s': only raw parameters take arrays of structs (%s)", k,
      p.name, dtype)
  end
end

-- params.resolve(what, list, nin, kinds) -> dtype (or struct) name per parameter. `list` and `nin`
-- are those of params.parse. `kinds` has per parameter: "float32" for an array, "=float32" for a
-- typed scalar ("=bool" also for a Lua boolean), "int", "float", "complex" for Lua numbers, false
-- for an output that is not given. Outputs bind placeholders first, then inputs; Lua numbers take
-- the types that arrays bind. Raises when arrays disagree with a declaration or with each other,
-- and when a placeholder remains without a type.
local function resolve(what, list, nin, kinds)
  local bound, types = bind_arrays(what, list, nin, kinds), {}
  for k, p in ipairs(list) do
    local t = p.placeholder
    if not t then
      types[k] = check_fixed(what, k, p, kinds[k])
    else
      if not bound[t] then
        local dtype = scalar_type(list, nin, kinds, t) or undetermined(what, list, nin, t, k)
        bound[t] = { dtype = dtype, by = k }
      end
      types[k] = bound[t].dtype
      check_element(what, k, p, types[k])
    end
  end
  return types
end

-- params.fixed(list) -> the dtype per parameter; nil where a placeholder is among them
local function fixed(list)
  local types = {}
  for k, p in ipairs(list) do
    if p.placeholder then return nil end
    types[k] = p.dtype or p.struct
  end
  return types
end

return {
  parse = parse, resolve = resolve, fixed = fixed, declaration = declaration,
  check_kernel_name = check_kernel_name, check_count = check_count,
}

-- params.lua: the parameter language of the kernel builders:
--
--   "float32 x, T y, raw T z, const int32 n2"
--
-- A declaration is [raw] [const] type name; a name alone repeats the type.
--
-- A parsed parameter is { name =, raw = bool, and one of: dtype = "float32", placeholder = "T",
-- struct = "Particle" }. A texture or surface is an integer that also has handle =
-- "cudaTextureObject_t" or "cudaSurfaceObject_t", and alias = "U" if it was declared with a
-- placeholder.

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

local OWN = set "complex threadIdx blockIdx blockDim gridDim warpSize"

for _, row in ipairs(dtypes.list) do OWN[row.name] = true end

local GENERATED = set "_ind _j _plan _partials"

-- The reason why generated code cannot declare a name; nil: it can.
local function misnamed(name)
  if not name:find "^[%a_][%w_]*$" then return "is not a name (letters, digits and _)" end
  if KEYWORDS[name] then return "is a keyword of C++" end
  if OWN[name] or name:find "^__" or name:lower():find "^_lcu_" or GENERATED[name]
    or name:find "^_p%d+$" then
    return "is a name of CUDA or of generated code"
  end
end

-- params.is_free_name(name): can generated code declare it?
local function is_free_name(name) return misnamed(name) == nil end

-- params.is_member_name(name): can a struct have a field of this name in C++?
local function is_member_name(name)
  return name:find "^[%a_][%w_]*$" ~= nil and not KEYWORDS[name] and not name:lower():find "^_lcu_"
end

-- Raises unless `name` can be the name of a variable in generated code. `label` says what it is
-- ("parameter", "kernel name").
local function check_identifier(what, label, name)
  local problem = misnamed(name)
  if problem then fail(what, "%s '%s' %s", label, name, problem) end
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

local function is_placeholder(text)
  return text:find "^%u%d*$" ~= nil or text:find "^%l$" ~= nil
end

local function check_parameter_name(what, name, reserved)
  check_identifier(what, "parameter", name)
  if reserved[name] then
    fail(what, "parameter '%s' has a name that bodies use for something else (%s)", name,
      reserved[name])
  end
end

-- Types -------------------------------------------------------------------------------------------

local C_TYPES = require("luacuda.base.c_types").names

local HANDLES = {
  cudaTextureObject_t = "cudaTextureObject_t", CUtexObject = "cudaTextureObject_t",
  cudaSurfaceObject_t = "cudaSurfaceObject_t", CUsurfObject = "cudaSurfaceObject_t",
}

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
  if HANDLES[text] and raw then
    fail(what, "parameter '%s': a %s is not an array: leave out 'raw'", name, HANDLES[text])
  end
  if HANDLES[text] then return { dtype = "uint64", handle = HANDLES[text] } end
  if is_placeholder(text) and text ~= "i" then return { placeholder = text } end
  local struct = text:match "^struct ([%a_][%w_]*)$"
  if struct then return { struct = struct } end
  if text:find "[*&]" then
    fail(what, "parameter '%s': pointers cannot be declared: an element is 'T %s', the whole array "
      .. "'raw T %s'", name, name, name)
  end
  fail(what, "parameter '%s': unknown type '%s'%s (placeholders are single letters, structs "
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
      placeholder = previous.placeholder, struct = previous.struct, handle = previous.handle }
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

local RESERVED = { i = "the index" }

-- params.parse(what, inputs, outputs [, reserved]) -> list of parameters, inputs first; number of
-- inputs; number of outputs. Messages begin with `what`; `reserved`: name -> its meaning in bodies,
-- besides i.
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

-- params.refuse_handles(what, list [, first, hint]) raises for a texture or surface among the
-- parameters from `first` (1) on.
local function refuse_handles(what, list, first, hint)
  for k = first or 1, #list do
    if list[k].handle then
      fail(what, "parameter '%s': %s", list[k].name, hint or "textures and surfaces are not "
        .. "supported here; cuda.elementwise takes them")
    end
  end
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
  local type_name = p.handle or p.dtype or p.placeholder or "struct " .. p.struct
  return (p.raw and "raw " or "") .. type_name .. " " .. p.name
end

return {
  parse = parse, declaration = declaration, is_free_name = is_free_name,
  is_member_name = is_member_name, check_kernel_name = check_kernel_name,
  check_count = check_count, refuse_handles = refuse_handles,
}

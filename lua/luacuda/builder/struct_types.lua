-- struct_types.lua: declares the structs of the arrays in a call in the text of a builder's kernel:
-- their C++ names, and their definitions unless the user's texts contain them.

local fail = require("luacuda.base.arguments").fail
local dtypes = require "luacuda.base.dtypes"
local mentions = require "luacuda.builder.mentions"
local params = require "luacuda.builder.params"
local struct_source = require "luacuda.kernel.struct_source"

-- Functions may have the name of a struct.
local TAG = "struct "

-- Fields have the types that elements of arrays have.
local TYPES = setmetatable({}, { __index = struct_source.TYPES })
for _, row in ipairs(dtypes.list) do
  if row.ctype ~= row.cuda then TYPES[row.name] = { "::" .. row.ctype } end
end

-- A field whose name is not valid in C++ gets one that no text uses.
local function field_name(name, k)
  return params.is_member_name(name) and name or "_lcu_field" .. k
end

-- Equality ----------------------------------------------------------------------------------------

-- Names and layouts of a struct and of nested structs, as text.
local function description(struct)
  local list, count = { struct.name, "\n" }, 0
  struct_source.define(struct, list, { names = {}, types = TYPES, inner = "", tag = "",
    field = function(name) return name end, name = function(one)
    count = count + 1
    return one.name .. count
  end })
  return table.concat(list)
end

-- same(a, b): do two Structs declare one type?
local function same(a, b)
  return a == b or a.name == b.name and a.size == b.size and description(a) == description(b)
end

-- Who defines a struct ----------------------------------------------------------------------------

local function has_word(text, name)
  return text:find("%f[%w_]" .. name .. "%f[^%w_]") ~= nil
end

local CLASS_KEYS = { "struct", "class", "union" }

-- Does the text contain a visible definition of `name`?
local function shows_definition(text, name)
  local word = "%f[%w_]" .. name .. "%f[^%w_]"
  for _, key in ipairs(CLASS_KEYS) do
    if text:find("%f[%w_]" .. key .. "%f[^%w_][^;{}:>=]*" .. word .. "%s*%l*%s*[{:]") then
      return true
    end
  end
  return text:find("}%s*" .. word .. "%s*;") ~= nil
    or text:find("%f[%w_]using%s+" .. word .. "%s*=") ~= nil
end

-- Patterns of the names of types that CUDA itself defines.
local function may_be_built_in(name)
  return name:find "^%l+[1-4]$" or name:find "^dim3$" or name:find "^cuda" or name:find "^CU"
    or name:find "^__" or name:find "^%l+Reference$"
end

-- Could the text define `name` in a way that is not visible in it?
local function may_define(state, text, name)
  return has_word(text, name) or text:find "#%s*include"
    or text:find("##", 1, true) or #(state.options.flags or {}) > 0 or may_be_built_in(name)
end

-- Asks the compiler: does C++ know `name` after the preamble?
local function is_known(state, before, name)
  local options = require("luacuda.source.options").read(state.name, before, state.options)
  local ok, size = pcall(require("luacuda.compile.reflect").size, options, name)
  return ok and size ~= nil
end

-- Do the user's texts or CUDA define a struct of this name? `before()`: the text of a kernel up to
-- the preamble.
local function is_users(state, before, name)
  local known = state.users_structs or {}
  state.users_structs = known
  if known[name] ~= nil then return known[name] end
  local text = mentions.bare(table.concat(state.texts.defining, "\n"))
  local plain = name:find "^[%a_][%w_]*$"
  known[name] = plain and shows_definition(text, name)
    or (not plain or may_define(state, text, name)) and is_known(state, before(), name) or false
  return known[name]
end

-- Names -------------------------------------------------------------------------------------------

-- Is it the name of a type in C++, perhaps of a template or in a namespace?
local function is_type_name(name) return name:find "^[%a_][%w_:<>, ]*$" and name ~= "struct" end

-- Do the user's texts name it?
local function is_mentioned(state, name)
  return has_word(mentions.bare(table.concat(state.texts.all, "\n")), name)
end

-- Names of values in generated code, which would hide a struct's.
local VALUES = { a = true, b = true, i = true, n = true }

local function is_hidden(state, name)
  for _, p in ipairs(state.params) do
    if p.placeholder == name or p.name == name then return true end
  end
  return VALUES[name] or name == state.name and not is_mentioned(state, name)
end

local function clash(state, name)
  fail(state.name, "the arrays have two different structs called %s: give one another name in "
    .. "cuda.struct", name)
end

-- Is the name free for a Struct? If no text uses it, another Struct with this name keeps it.
local function can_have(state, own, struct, name)
  if name == "struct" or not params.is_free_name(name) or is_hidden(state, name) then
    return false
  end
  local other = own.owners[name]
  if other and is_mentioned(state, name) then clash(state, name) end
  own.owners[name] = other or struct
  return not other
end

-- The C++ name for a Struct that the text of the kernel defines.
local function name_for(state, own, struct)
  local name = struct.name
  if own.is_users(struct) then
    fail(state.name, "the C++ text defines the struct %s, but not one that contains it: define "
      .. "both or neither", name)
  end
  if can_have(state, own, struct, name) then return name end
  own.private = own.private + 1
  return ("_lcu_struct%d"):format(own.private)
end

-- Adds the dtypes of all fields.
local function add_dtypes(struct, list)
  for _, field in ipairs(struct_source.fields(struct)) do
    if type(field.dtype) ~= "string" then add_dtypes(field.dtype, list)
    else
      list[#list + 1] = field.pointee
      list[#list + 1] = not field.pointer and field.dtype or nil
    end
  end
end

-- Struct -> C++ name; one that equals a known one has its name.
local function new_names()
  return setmetatable({}, { __index = function(names, struct)
    for known, name in pairs(names) do
      if same(known, struct) then return name end
    end
  end })
end

-- The lines keep the library's own text out of messages.
local CHECK = [[
#line 1 "struct %s"
static_assert(sizeof(%s) == %d, "the arrays have %d bytes for each %s");
#line 1 "luacuda"
]]

local function add_users(state, own, struct)
  local name = struct.name
  if own.owners[name] then clash(state, name) end
  own.owners[name], own.names[struct] = struct, name
  if state.bodies then return end
  own.checks[#own.checks + 1] = CHECK:format(name, name, struct.size, struct.size, name)
end

local function add(state, own, struct)
  if own.names[struct] then return end
  if own.is_users(struct) then
    add_users(state, own, struct)
    return
  end
  struct_source.define(struct, own.definitions, own)
  add_dtypes(struct, own.dtypes)
  own.defined[TAG .. own.names[struct]] = true
end

-- structs.of(state, types, given, before) -> nil without structs; else { types = with the C++ names
-- of structs, definitions = and checks = text before and after the preamble, defined = the names in
-- `definitions`, as keys, dtypes = names for prelude.lua }. state: name, params, bodies, options
-- and texts (compiler_options.lua); given[k]: the Struct of parameter k, or nil; before() -> the
-- text of a kernel up to the preamble, for the compiler.
local function of(state, types, given, before)
  if next(given) == nil then return nil end
  local own = { names = new_names(), owners = {}, private = 0, definitions = {}, checks = {},
    defined = {}, dtypes = {}, types = TYPES, inner = TAG .. "::", tag = TAG, field = field_name }
  function own.is_users(struct)
    return #state.texts.all > 0 and is_type_name(struct.name)
      and is_users(state, before, struct.name)
  end
  function own.name(struct) return name_for(state, own, struct) end
  local named = table.move(types, 1, #types, 1, {})
  for k = 1, #types do
    if given[k] then
      add(state, own, given[k])
      local name = own.names[given[k]]
      named[k] = own.defined[TAG .. name] and TAG .. name or name
    end
  end
  return { types = named, definitions = table.concat(own.definitions),
    checks = table.concat(own.checks), defined = own.defined, dtypes = own.dtypes }
end

return { of = of, same = same }

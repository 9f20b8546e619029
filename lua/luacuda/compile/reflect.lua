-- reflect.lua: single questions to the compiler: the layout of a struct, the size of a type, the
-- lowered name of a variable, the types of a function. The answers are read from lowered names of
-- templates that are instantiated with the subject.

local sorted_keys = require("luacuda.base.lists").sorted_keys
local cache = require "luacuda.compile.cache"
local compiler = require "luacuda.compile.compiler"
local dependencies = require "luacuda.compile.dependencies"
local entries = require "luacuda.compile.entries"
local target = require "luacuda.compile.target"
local toolchain = require "luacuda.compile.toolchain"
local fields = require "luacuda.source.fields"

-- The arguments of a kernel template must have names: luacuda_inner stands for an unnamed type in
-- the types of fields. Macros of the source may have any other name.
local LAYOUT_TEXT = [[

#line 1 "luacuda"
template<class luacuda_T, unsigned long... luacuda_N> __global__ void luacuda_lay() {}
struct luacuda_inner;
template<class luacuda_T> struct luacuda_unnamed {
  typedef luacuda_T type;
  typedef luacuda_inner shape;
};
template<class luacuda_T, unsigned long luacuda_N> struct luacuda_unnamed<luacuda_T[luacuda_N]> {
  typedef typename luacuda_unnamed<luacuda_T>::type type;
  typedef typename luacuda_unnamed<luacuda_T>::shape shape[luacuda_N];
};
]]

-- Compiles the source and `text` with name expressions; keeps and returns answer(result).
local function ask(spec, deps, keep, text, expressions, answer)
  local tools = toolchain.known(spec)
  local flags = target.flags(spec, { kind = "ptx", arch = tostring(tools.archs[1]) }, tools)
  local key = dependencies.key(spec, flags, expressions, tools, deps)
  local found = keep and cache.get(key, true)
  if found then return found end
  found = answer(compiler.run(spec, flags, expressions, compiler.text_of(spec) .. text, "ptx"))
  if keep and found then cache.put(key, found, true) end
  return found
end

-- Structs -----------------------------------------------------------------------------------------

-- The names of the fields of a struct as the source or one of the user's headers declares it.
local function field_names(spec, deps, class)
  local names = fields.of(spec.text, class)
  if names then return names end
  for _, path in ipairs(sorted_keys(deps)) do
    names = fields.of(deps[path], class)
    if names then return names end
  end
end

-- Expressions for the size of a class and for type, offset and size of each of its fields.
local function layout_expressions(class, names)
  local list = { ("luacuda_lay<void,sizeof(%s),alignof(%s)>"):format(class, class) }
  for i, field in ipairs(names) do
    local form = names.inner[field] and "luacuda_unnamed<decltype($C::$F)>::shape"
      or "decltype($C::$F)"
    list[i + 1] = ("luacuda_lay<" .. form .. ",__INTADDR__(&(($C*)0)->$F),sizeof((($C*)0)->$F)>")
      :gsub("%$C", class):gsub("%$F", field)
  end
  return list
end

-- The two numbers that the lowered name of a luacuda_lay ends with.
local function numbers_of(lowered)
  local a, b = (lowered or ""):match "JLm(%d+)ELm(%d+)EEEvv$"
  return math.tointeger(tonumber(a)), math.tointeger(tonumber(b))
end

local function inner_of(class, field, names)
  if not names then return nil end
  return { class = ("luacuda_unnamed<decltype(%s::%s)>::type"):format(class, field), names = names }
end

local function layout_of(class, names, expressions, result)
  if not result.ok then return nil end
  local size, align = numbers_of(result.lowered[expressions[1]])
  if not size then return nil end
  local list = {}
  for i, field in ipairs(names) do
    local carrier = result.lowered[expressions[i + 1]]
    local offset, bytes = numbers_of(carrier)
    if not offset then return nil end
    list[i] = { name = field, type = carrier, offset = offset, size = bytes,
      inner = inner_of(class, field, names.inner[field]) }
  end
  return { size = size, align = align, fields = list }
end

local M = {}

-- The answer of the first source of a linked module that has one.
local function from_units(fn, spec, ...)
  for _, unit in ipairs(spec.link.units) do
    local answer = fn(unit, ...)
    if answer then return answer end
  end
end

-- reflect.struct(spec, class [, names]) -> { size, align, fields = { { name, type (name of its
-- carrier), offset, size, inner } } } for a plain struct, as the compiler lays it out; nil where it
-- is not a plain struct or cannot be found. Unless `names` has the names of the fields, the source
-- is searched for them. A field whose struct has no name has `inner`: that struct's class (an
-- expression) and the names of its fields.
function M.struct(spec, class, names)
  if spec.link then return from_units(M.struct, spec, class, names) end
  if not spec.text then return nil end
  local deps = dependencies.of(spec)
  names = names or field_names(spec, deps, class)
  if not names or #names == 0 then return nil end
  local expressions = layout_expressions(class, names)
  return ask(spec, deps, spec.cache, LAYOUT_TEXT, expressions, function(result)
    return layout_of(class, names, expressions, result)
  end)
end

local SIZE_TEXT = LAYOUT_TEXT
  .. "template<class luacuda_T> using luacuda_type = luacuda_T;\n"

-- Why there is no answer, in the compiler's words; raises for a source that does not compile.
local function no_answer(spec, result)
  local bad, others = entries.unresolved(result.log)
  local _, why = next(bad)
  if others and not why then compiler.fail(spec, {}, result.log) end
  return { why = why or "the compiler gives no answer" }
end

-- reflect.size(spec, type_name) -> the size and the alignment of a type that the source can name.
-- For any other name: nil and the compiler's message.
function M.size(spec, type_name)
  if spec.link then
    local why
    for _, unit in ipairs(spec.link.units) do
      local size, other = M.size(unit, type_name)
      if size then return size, other end
      why = why or other
    end
    return nil, why
  end
  local deps, complete = dependencies.of(spec)
  local expressions = { ("luacuda_lay<void,sizeof(luacuda_type<%s>),alignof(luacuda_type<%s>)>")
    :format(type_name, type_name) }
  local found = ask(spec, deps, spec.cache and complete, SIZE_TEXT, expressions, function(result)
    local size, align = numbers_of(result.lowered and result.lowered[expressions[1]])
    return size and { size = size, align = align } or no_answer(spec, result)
  end)
  return found.size, found.align or found.why
end

local CARRIER_TEXT = [[

#line 1 "luacuda"
template<class luacuda_T> __global__ void luacuda_sig() {}
]]

-- reflect.enum(spec, class) -> the underlying type of an enumeration, as the name of its carrier;
-- nil for other classes.
function M.enum(spec, class)
  if spec.link then return from_units(M.enum, spec, class) end
  if not spec.text then return nil end
  local deps, complete = dependencies.of(spec)
  local expressions = { ("luacuda_sig<__underlying_type(%s)>"):format(class) }
  local found = ask(spec, deps, spec.cache and complete, CARRIER_TEXT, expressions,
    function(result) return { lowered = result.ok and result.lowered[expressions[1]] or nil } end)
  return found.lowered
end

-- reflect.variable(spec, name) -> the lowered name of an instance of a variable template, however
-- it is spelled; nil for other variables.
function M.variable(spec, name)
  if spec.link then return from_units(M.variable, spec, name) end
  if not spec.text or not name:find("<", 1, true) then return nil end
  local deps, complete = dependencies.of(spec)
  local expressions = { "&" .. name }
  local found = ask(spec, deps, spec.cache and complete, "", expressions, function(result)
    return { lowered = result.ok and result.lowered[expressions[1]] or nil }
  end)
  return found.lowered
end

-- Functions ---------------------------------------------------------------------------------------

-- luacuda_part<decltype(&f), 0>::type is the type of its result, those of 1, 2 ... are its
-- parameters'.
local FUNCTION_TEXT = CARRIER_TEXT .. [[
template<int luacuda_K, class... luacuda_T> struct luacuda_pick;
template<class luacuda_T, class... luacuda_L> struct luacuda_pick<0, luacuda_T, luacuda_L...> {
  typedef luacuda_T type;
};
template<int luacuda_K, class luacuda_T, class... luacuda_L>
struct luacuda_pick<luacuda_K, luacuda_T, luacuda_L...> : luacuda_pick<luacuda_K - 1,
    luacuda_L...> {};
template<class luacuda_T, int luacuda_K> struct luacuda_part;
template<class luacuda_R, class... luacuda_A, int luacuda_K>
struct luacuda_part<luacuda_R (*)(luacuda_A...), luacuda_K>
    : luacuda_pick<luacuda_K, luacuda_R, luacuda_A...> {};
#if __cpp_noexcept_function_type
template<class luacuda_R, class... luacuda_A, int luacuda_K>
struct luacuda_part<luacuda_R (*)(luacuda_A...) noexcept, luacuda_K>
    : luacuda_pick<luacuda_K, luacuda_R, luacuda_A...> {};
#endif
]]

local function types_of(expressions, spec, result)
  if not result.ok then return no_answer(spec, result) end
  local list = {}
  for k, expression in ipairs(expressions) do list[k] = result.lowered[expression] end
  return list
end

-- reflect.signature(spec, name, count) -> the types of the result of a device function and of its
-- `count` parameters, as names of carriers. If the function has no such signature: nil and the
-- compiler's message. Raises if the source does not compile.
function M.signature(spec, name, count)
  local deps, complete = dependencies.of(spec)
  local expressions = {}
  for k = 0, count do
    expressions[k + 1] = ("luacuda_sig<luacuda_part<decltype(&%s),%d>::type>"):format(name, k)
  end
  local found = ask(spec, deps, spec.cache and complete, FUNCTION_TEXT, expressions,
    function(result) return types_of(expressions, spec, result) end)
  if found.why then return nil, found.why end
  return found
end

return M

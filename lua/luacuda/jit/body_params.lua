-- body_params.lua: the parameters of Lua functions that stand for the C++ texts of builders: which
-- of the builder's values each takes, its type in a call, and its C++ text.

local fail = require("luacuda.base.arguments").fail
local callee = require "luacuda.jit.infer.callee"
local types = require "luacuda.jit.typed.value_types"

local M = {}

-- Declarations ------------------------------------------------------------------------------------

-- The names of the values that the first parameters take, and the C++ texts of those that are
-- combined. Of several values that are combined together each is one.
local function first_names(view, params, nin, fields)
  local names, texts = {}, {}
  if view.takes ~= "inputs" then
    for _, name in ipairs(view.takes) do
      for _, field in ipairs(fields or { {} }) do
        texts[#texts + 1] = field.name and name .. "." .. field.name or name
        names[#texts] = #view.takes == 1 and field.name or texts[#texts]
      end
    end
    return names, texts
  end
  for k = 1, nin do names[k] = params[k].name end
  return names
end

local function is_output(k, nin) return k > nin end

-- Is parameter k of the builder one that further parameters of the function may name?
local function may_name(view, params, nin, k)
  local output = is_output(k, nin)
  if params[k].raw then
    return view.arrays == "all" or view.arrays == (output and "outputs" or "inputs")
  end
  return view.scalars and not output
end

-- Name -> what it stands for: { name = }, or { number = } of a parameter of the builder.
local function further(view, params, nin)
  local meanings, list = {}, {}
  local function add(name, meaning)
    if meanings[name] then return end
    meanings[name], list[#list + 1] = meaning, name
  end
  for k, p in ipairs(params) do
    if may_name(view, params, nin, k) then add(p.name, { number = k }) end
  end
  for _, name in ipairs(view.names) do add(name, { name = name }) end
  return meanings, list
end

local function words_of(names, none)
  if #names == 0 then return none end
  return #names == 1 and names[1]
    or table.concat(names, ", ", 1, #names - 1) .. " and " .. names[#names]
end

-- A name that stands for another value at this place.
local function check_first(refuse, k, var, names, meanings)
  if var.name == names[k] then return end
  for _, name in ipairs(names) do
    if name == var.name then
      refuse("parameter %d '%s' takes '%s': parameters take %s in this order; give it another name",
        k, name, names[k], words_of(names))
    end
  end
  if meanings[var.name] and meanings[var.name].name then
    refuse("parameter %d '%s' takes '%s': '%s' comes after %s", k, var.name, names[k], var.name,
      words_of(names))
  end
end

-- bind(what, view, params, nin, fields, source) -> for each parameter of the function { number = of
-- a parameter of the builder }, { name = }, or { value = C++ text, field = } of a value that is
-- combined. Raises for parameters that take nothing. `fields`: of body_fields.lua, or nil
function M.bind(what, view, params, nin, fields, source)
  local names, texts = first_names(view, params, nin, fields)
  local list = {}
  local meanings, others = further(view, params, nin)
  local function refuse(text, ...)
    fail(what, "%s:%d: %s: " .. text, source.file, source.line, view.key, ...)
  end
  if source.node.vararg then refuse "'...' cannot run on a device: name the parameters" end
  for k, var in ipairs(source.node.params) do
    if k <= #names then
      check_first(refuse, k, var, names, meanings)
      list[k] = view.takes == "inputs" and { number = k }
        or { value = texts[k], field = fields and (k - 1) % #fields + 1 or 1 }
    else
      list[k] = meanings[var.name]
        or refuse("parameter %d '%s' takes nothing: the function takes %s, then by these names %s",
          k, var.name, words_of(names, "nothing"), words_of(others, "nothing"))
    end
  end
  if view.alone and #list < #names then
    refuse("the function takes the two values that it combines%s", fields and (": "
      .. words_of(names)) or "")
  end
  return list
end

-- Types of a call ---------------------------------------------------------------------------------

local MOST = 2.0 ^ 48           -- no array has as many elements

-- The names of generated code, where indices are from 0. uses: C++ text that names the same.
local NAMED = {
  i = { type = "int", parts = { "i + 1" }, uses = "i", lo = 1.0, hi = MOST },
  j = { type = "int", parts = { "_j + 1" }, uses = "_j", lo = 1.0, hi = MOST },
  n = { type = "int", parts = { "n" }, uses = "n", lo = 0.0, hi = MOST },
  ind = { type = types.array{ dtype = "int64", ndim = 1, layout = "contiguous" },
    parts = { "_lcu_places", "_ind.ndim" }, uses = "_ind.get()", before = [[
int64 _lcu_places[_ind.ndim > 0 ? _ind.ndim : 1];
#pragma unroll
for (int _d = 0; _d < _ind.ndim; _d++) _lcu_places[_d] = _ind.get()[_d] + 1;
]] },
}

-- A struct that a function reads through a pointer to its own type of the same layout.
local COPY = [[
template <class T> struct _lcu_copy {
  T _value;
  template <class U> __device__ __forceinline__ _lcu_copy(const U &v) {
    memcpy(&_value, &v, sizeof(T));
  }
  __device__ __forceinline__ operator const T *() const { return &_value; }
};
]]

-- struct_value(unit, struct) -> the type of an element that is a struct; a format for its C++
-- argument
function M.struct_value(unit, struct)
  unit:need{ COPY }
  return types.array{ dtype = struct, ndim = 0, layout = "contiguous", space = "value" },
    ("_lcu_copy<%s>(%%s)"):format(unit:struct_name(struct))
end

local function raw_array(p, given, dtype, unit)
  local struct = given.struct
  local t = types.array{ dtype = struct or dtype, ndim = given.ndim,
    layout = given.contiguous and "contiguous" or "strided" }
  local parts = callee.parts(p.name, t)
  if struct then parts[1] = ("(%s *)%s._data"):format(unit:struct_name(struct), p.name) end
  return { type = t, parts = parts }
end

local function value_of(view, p, given, dtype, unit, refuse)
  if p.handle then
    refuse("'%s' is a texture or surface, which Lua functions of builders do not take: write a "
      .. "kernel in C++", p.name)
  end
  if given.kind == "raw" then return raw_array(p, given, dtype, unit) end
  if view.takes ~= "inputs" and given.kind == "array" then
    refuse("'%s' has many elements here: the function sees raw inputs and inputs for which a call "
      .. "gives a number", p.name)
  end
  if not given.struct then return { type = dtype, parts = { p.name } } end
  local t, argument = M.struct_value(unit, given.struct)
  return { type = t, parts = { argument:format(p.name) } }
end

-- resolve(view, takes, params, desc, combined, unit, refuse) -> for each parameter of the function
-- { type =, parts = C++ arguments, and lo =, hi =, before = C++ statements }. `combined`: the
-- dtypes of the values that are combined together
function M.resolve(view, takes, params, desc, combined, unit, refuse)
  local list = {}
  for k, one in ipairs(takes) do
    if one.value then list[k] = { type = combined[one.field], parts = { one.value } }
    elseif one.name then
      local row = NAMED[one.name]
      list[k] = { type = row.type, parts = row.parts, lo = row.lo, hi = row.hi,
        before = row.before }
    else
      list[k] = value_of(view, params[one.number], desc.params[one.number],
        desc.types[one.number], unit, refuse)
    end
  end
  return list
end

-- sketch(takes, params) -> C++ text that uses the same names of generated code
function M.sketch(takes, params)
  local words = { "lua" }
  for _, one in ipairs(takes) do
    if one.name then words[#words + 1] = NAMED[one.name].uses
    elseif one.number and params[one.number].raw then
      words[#words + 1] = params[one.number].name .. ".shape(0)"
    end
  end
  return table.concat(words, " ")
end

return M

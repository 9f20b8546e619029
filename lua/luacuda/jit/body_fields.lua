-- body_fields.lua: several values that reductions and scans combine together, such as a value and
-- its index: reduce_type = "T value, int64 at". Lua functions take and return them one by one; C++
-- sees a struct.

local fail = require("luacuda.base.arguments").fail
local number = require "luacuda.base.number"
local params_of = require "luacuda.builder.params"
local views = require "luacuda.jit.body_views"

local M = {}

local STRUCT, MAKER = "_lcu_values", "_lcu_values_of"

local function check_fields(what, option, fields)
  for _, field in ipairs(fields) do
    if field.raw or field.handle or field.struct then
      fail(what, "option '%s': '%s' is no number: its type is a dtype or a placeholder", option,
        field.name)
    end
  end
end

local function check_identity(what, fields, list)
  for k, field in ipairs(fields) do
    if not number.text(list[k]) then
      fail(what, "the identity has no number or boolean for '%s', value %d of %d", field.name, k,
        #fields)
    end
  end
  if #list > #fields then
    fail(what, "the identity has %d values, and %d are combined", #list, #fields)
  end
end

-- read(what, given) -> { list of the values as parameters, identity = list or nil }, or nil where
-- there is one value. Changes `given` so that the builder reads a C++ struct.
function M.read(what, given)
  if not views.has_several(what, given) then
    if type(given.identity) == "table" then
      fail(what, "the identity is a list, and one value is combined: give a number, or option "
        .. "'%s' the types of several values", views.type_options[what])
    end
    return nil
  end
  local option = views.type_options[what]
  local fields = params_of.parse(what, given[option], "")
  check_fields(what, option, fields)
  given[option] = STRUCT
  if type(given.identity) == "table" then
    check_identity(what, fields, given.identity)
    fields.identity, given.identity = given.identity, "lua"
  end
  return fields
end

-- dtypes(fields, params, desc) -> the dtype of each value in a call
function M.dtypes(what, fields, params, desc)
  local list = {}
  for k, field in ipairs(fields) do
    list[k] = field.dtype
    for j, p in ipairs(field.placeholder and params or {}) do
      if p.placeholder == field.placeholder then list[k] = desc.types[j] end
    end
    if not list[k] then
      fail(what, "option '%s': no parameter has the type %s of '%s'", views.type_options[what],
        field.placeholder, field.name)
    end
  end
  return list
end

-- text(fields, dtypes) -> the struct, and a function that makes it of the results of a function
function M.text(fields, dtypes)
  local members, values = {}, {}
  for k, field in ipairs(fields) do
    members[k], values[k] = ("%s %s;"):format(dtypes[k], field.name), "r.v" .. k
  end
  return ("struct %s { %s };\ntemplate <class R> __device__ __forceinline__ %s %s(const R &r) {\n"
    .. "  return { %s };\n}\n"):format(STRUCT, table.concat(members, " "), STRUCT, MAKER,
    table.concat(values, ", "))
end

-- made(call) -> C++ text of the struct that a call gives
function M.made(call) return ("%s(%s)"):format(MAKER, call) end

-- identity(fields, dtypes) -> C++ text, or nil
function M.identity(fields, dtypes)
  if not fields.identity then return nil end
  local values = {}
  for k, v in ipairs(fields.identity) do
    values[k] = ("%s(%s)"):format(dtypes[k], number.text(v))
  end
  return ("%s{ %s }"):format(STRUCT, table.concat(values, ", "))
end

return M

-- types.lua: the types that a call gives to the parameters of a builder's kernel.

local fail = require("luacuda.base.arguments").fail
local dtypes = require "luacuda.base.dtypes"
local params = require "luacuda.builder.params"
local struct_types = require "luacuda.builder.struct_types"

local WEAK = { int = true, float = true, complex = true }

-- The name of a dtype or a Struct.
local function name_of(dtype) return type(dtype) == "string" and dtype or dtype.name end

local function describe(kind)
  if not kind then return "nothing" end
  if type(kind) ~= "string" then return kind.name .. " array" end
  local scalar = kind:match "^=(.*)$"
  if scalar then return scalar .. " scalar" end
  return WEAK[kind] and "a Lua " .. (kind == "complex" and "complex value" or "number")
    or kind .. " array"
end

local function mismatch(what, k, p, wanted, kind, because)
  fail(what, "argument %d '%s': expected %s array (%s%s), got %s", k, p.name, wanted,
    params.declaration(p), because or "", describe(kind))
end

-- The Struct or dtype name of an array; nil for Lua values, typed scalars and missing arguments.
local function array_type(kind)
  if type(kind) == "userdata" then return kind end
  if kind and not WEAK[kind] and kind:sub(1, 1) ~= "=" then return kind end
end

local function is_same(a, b)
  return a == b or type(a) ~= "string" and type(b) ~= "string" and struct_types.same(a, b)
end

-- Raises an error for an array whose type differs from that of its placeholder.
local function mistyped(what, list, k, bound, kind)
  local p, other = list[k], list[bound.by]
  local wanted = name_of(bound.dtype)
  if wanted == name_of(kind) then
    fail(what, "argument %d '%s': its struct %s differs from that of argument %d '%s': give one "
      .. "another name in cuda.struct", k, p.name, wanted, bound.by, other.name)
  end
  mismatch(what, k, p, wanted, kind,
    (", %s as in argument %d '%s'"):format(p.placeholder, bound.by, other.name))
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
      elseif t and not is_same(bound[t].dtype, dtype) then
        mistyped(what, list, k, bound[t], kinds[k])
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
    placeholder, list[k].name, table.concat(names, " or "))
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

-- The type of an output `struct Name` that is not given: that of an array of such structs.
local function struct_named(kinds, name)
  for _, kind in ipairs(kinds) do
    if type(kind) == "userdata" and kind.name == name then return kind end
  end
  return name
end

local function check_fixed(what, k, p, kinds)
  local given, wanted = array_type(kinds[k]), p.dtype or p.struct
  if given and (name_of(given) ~= wanted or p.dtype and type(given) ~= "string") then
    mismatch(what, k, p, wanted, kinds[k])
  end
  return given or p.struct and struct_named(kinds, wanted) or wanted
end

-- Only arrays have elements that are structs.
local function check_value(what, k, p, dtype, kind)
  if type(dtype) == "string" and not p.struct or not kind or array_type(kind) then return end
  fail(what, "argument %d '%s': expected an array of the struct %s (%s), got %s", k, p.name,
    name_of(dtype), params.declaration(p), describe(kind))
end

-- types.resolve(what, list, nin, kinds) -> dtype name or Struct per parameter. `list` and `nin` are
-- those of params.parse. `kinds` has per parameter: "float32" or a Struct for an array, "=float32"
-- for a typed scalar ("=bool" also for a Lua boolean), "int", "float", "complex" for Lua numbers,
-- false for an output that is not given. Outputs bind placeholders first, then inputs; Lua numbers
-- take the types that arrays bind. Raises when arrays disagree with a declaration or with each
-- other, and when a placeholder remains without a type.
local function resolve(what, list, nin, kinds)
  local bound, types = bind_arrays(what, list, nin, kinds), {}
  for k, p in ipairs(list) do
    local t = p.placeholder
    if not t then
      types[k] = check_fixed(what, k, p, kinds)
    else
      if not bound[t] then
        local dtype = scalar_type(list, nin, kinds, t) or undetermined(what, list, nin, t, k)
        bound[t] = { dtype = dtype, by = k }
      end
      types[k] = bound[t].dtype
    end
    check_value(what, k, p, types[k], kinds[k])
  end
  return types
end

-- types.fixed(list) -> the dtype or the name of a struct per parameter; nil where a placeholder is
-- among them
local function fixed(list)
  local types = {}
  for k, p in ipairs(list) do
    if p.placeholder then return nil end
    types[k] = p.dtype or p.struct
  end
  return types
end

return { resolve = resolve, fixed = fixed }

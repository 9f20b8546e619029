-- reductions.lua: sum, prod, min, max, mean, var, std, any, all, count_nonzero, argmin and argmax
-- of arrays, with NumPy's result types and rules. Each is a reduction, made at its first use for a
-- dtype.

local core = require "luacuda.core"
local moments = require "luacuda.array.moments_source"
local makers = require "luacuda.array.reductions_source"
local arguments = require "luacuda.base.arguments"
local own = require("luacuda.builder.reduction").own

local fail, traced_by = arguments.fail, arguments.traced_by

-- Calls -------------------------------------------------------------------------------------------

local function describe(v) return core.type(v) or type(v) end

local _, _, ARRAY = core.class "Array"  -- the metatable
local MOST_INT = 0x7fffffff             -- elements that indices of 32 bits count

-- The array and its dtype; raises for anything but an array of numbers. An object of another
-- library becomes an array.
local function array_of(what, a)
  if getmetatable(a) ~= ARRAY then
    a = core.foreign(a) or fail(what, "argument 1 'a': expected an Array, got %s", describe(a))
  end
  local dtype = a.dtype
  if type(dtype) ~= "string" then
    fail(what, "argument 1 'a': an array of structs has no %s", what)
  end
  return a, dtype
end

local TYPED, UNTYPED = { "axis", "out", "dtype", "stream" }, { "axis", "out", "stream" }

local function check_options(what, options, typed)
  if options ~= nil then arguments.check_table(what, options, typed and TYPED or UNTYPED) end
end

-- The options without `key`, which C does not take.
local function without(options, key)
  if options == nil or options[key] == nil then return options end
  local rest = {}
  for k, v in pairs(options) do rest[k] = v end
  rest[key] = nil
  return rest
end

-- Finds or makes the reduction for a dtype, an option dtype and a width of indices; the second
-- result has those for a dtype alone. `takes`: "dtype", "ddof" (and dtype) or nil.
local function cached(what, make, takes)
  local kept = {}
  return function(dtype, asked, long)
    local key = asked == nil and not long and dtype or ("%s %s %s"):format(dtype, asked, long)
    local r = kept[key]
    if not r then
      local given = make(what, dtype, asked, long)
      given.takes_dtype, given.takes_ddof = takes ~= nil, takes == "ddof"
      r = own(given)
      kept[key] = r
    end
    return r
  end, kept
end

-- Is the result of the call a Lua value?
local function is_single(options)
  return options == nil or (options.axis == nil and options.out == nil and not options.keepdims)
end

-- The result for the user: the array, or the one value it holds.
local function answer(y, options)
  if not is_single(options) then return y end
  local value = y:item()
  y:free()
  return value
end

-- a:what{ options } from the maker of its declarations (reductions_source.lua); `typed`: takes
-- option dtype; `indexed`: gives indices.
local function method(what, make, typed, indexed)
  local find, kept = cached(what, make, typed and "dtype" or nil)
  local reduction = { name = what, make = make, typed = typed, indexed = indexed }
  return function(a, options)
    if type(options) == "table" and (options.axis or options.out) and options.dtype == nil
      and options.segments == nil and getmetatable(a) == ARRAY then
      -- the short path: calls like an earlier one, with an array as the result
      local r = kept[a.dtype]
      if r and not (indexed and a.size > MOST_INT) then return r(a, options) end
    end
    local traced = traced_by(a)
    if traced then return traced({ reduction = reduction }, a, options) end
    local dtype
    a, dtype = array_of(what, a)
    check_options(what, options, typed)
    if options and options.segments ~= nil and not indexed then
      return require("luacuda.array.segments").reduce(what, make, a, options, typed)
    end
    local asked
    if typed and options then asked = options.dtype end
    local y = find(dtype, asked, indexed and a.size > MOST_INT or false)(a,
      without(options, asked and "dtype"))
    return answer(y, options)
  end
end

local function ddof_of(what, options)
  local ddof = options and options.ddof
  if ddof == nil then return 0.0 end
  if type(ddof) ~= "number" then
    fail(what, "option 'ddof': expected a number, got %s", describe(ddof))
  end
  return ddof + 0.0
end

-- a:var{ ddof =, ... }, a:std
local function spread_method(what, make)
  local find, kept = cached(what, make, "ddof")
  local reduction = { name = what, make = make, typed = true, ddof_of = ddof_of }
  return function(a, options)
    local r = getmetatable(a) == ARRAY and type(options) == "table"
      and (options.axis or options.out) and options.ddof == nil and options.dtype == nil
      and kept[a.dtype]
    if r then return r(a, 0.0, options) end             -- the short path, as above
    local traced = traced_by(a)
    if traced then return traced({ reduction = reduction }, a, options) end
    local dtype
    a, dtype = array_of(what, a)
    check_options(what, options, true)
    local ddof, asked = ddof_of(what, options), options and options.dtype
    return answer(find(dtype, asked)(a, ddof, without(without(options, "ddof"), "dtype")), options)
  end
end

local M = { method = method, spread_method = spread_method }
M.var, M.std = spread_method("var", moments.var), spread_method("std", moments.std)
for name in ("sum prod mean"):gmatch "%S+" do M[name] = method(name, makers[name], true) end
for name in ("min max any all count_nonzero"):gmatch "%S+" do
  M[name] = method(name, makers[name])
end
for name in ("argmin argmax"):gmatch "%S+" do M[name] = method(name, makers[name], false, true) end
return M

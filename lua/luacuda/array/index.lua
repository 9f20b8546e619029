-- index.lua: arrays as keys of arrays: a[mask], a[indices] and assignments to them. C calls these
-- functions.

local core = require "luacuda.core"
local compress = require("luacuda.array.select").compress
local assign = require("luacuda.array.select").assign
local take = require("luacuda.array.take")

local FIRST = { axis = 1 }

-- a[key]: the elements that a bool array selects, or rows (of one axis: elements) by indices
local function get(a, key)
  if key.dtype == "bool" then return compress(a, key) end
  return take.take(a, key, FIRST)
end

-- a[key] = values
local function set(a, key, values)
  if key.dtype == "bool" then return assign(a, key, values) end
  if a.ndim ~= 1 then
    core.misuse(("a[indices] = v: the array has %d axes; a:put(indices, v) counts its elements in "
      .. "C order"):format(a.ndim))
  end
  return take.put(a, key, values)
end

return { get = get, set = set }

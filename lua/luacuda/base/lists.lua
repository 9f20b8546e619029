-- lists.lua: small functions on lists and tables.

local function comes_before(a, b)
  local kind, other = type(a), type(b)
  if kind ~= other then return kind < other end
  if kind == "string" or kind == "number" then return a < b end
  return tostring(a) < tostring(b)
end

-- The keys of a table in a fixed order, by type and value.
local function sorted_keys(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys, comes_before)
  return keys
end

-- The product of list[first] to list[last].
local function product(list, first, last)
  local n = 1
  for i = first, last do n = n * list[i] end
  return n
end

local function same(a, b)
  if #a ~= #b then return false end
  for i = 1, #a do
    if a[i] ~= b[i] then return false end
  end
  return true
end

-- A new list with the same items.
local function copy(list) return { table.unpack(list) } end

-- The list, padded with ones in front to n items.
local function padded(list, n)
  local more, out = n - #list, {}
  for i = 1, n do out[i] = i > more and list[i - more] or 1 end
  return out
end

local function shape_text(shape) return "{" .. table.concat(shape, ", ") .. "}" end

-- Adds what another table has under its names, if there is such a table. One name has one value:
-- `what` says what these are.
local function unite(into, from, what)
  for name, value in pairs(from or {}) do
    if into[name] ~= nil then error(("two %s are called '%s'"):format(what, tostring(name))) end
    into[name] = value
  end
end

return {
  sorted_keys = sorted_keys, product = product, same = same, copy = copy, padded = padded,
  shape_text = shape_text, unite = unite,
}

-- structs.lua: random structs for specs: their declaration, values of them, and every number in
-- them as C++ and as Lua reach it.
local cuda = require "luacuda"

local M = {}

local DTYPES = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
  "float16", "bfloat16", "float32", "float64", "complex64", "complex128" }
local VECTORS = { "float2", "float3", "float4", "short2", "short4", "uchar3", "double2", "int4",
  "longlong2" }

-- A number that every dtype can hold.
local function value_of(rng, dtype)
  if dtype == "bool" then return rng(2) == 1 end
  if dtype:find "complex" then return cuda.complex(rng(100), rng(100)) end
  return rng(100)
end

local function follow(value, keys)
  for _, key in ipairs(keys) do value = value[key] end
  return value
end

-- Adds one number to the leaves: its C++ text after an element, and its value in a table.
local function add_leaf(leaves, dtype, text, keys)
  local function add(part, fn)
    leaves[#leaves + 1] = { text = text .. part, get = function(row)
      return fn(follow(row, keys))
    end }
  end
  if dtype:find "complex" then
    add(".real()", function(z) return z.re end)
    add(".imag()", function(z) return z.im end)
  else
    add("", function(v) return v == true and 1 or v == false and 0 or v end)
  end
end

-- One field: the entry for cuda.struct, a function that makes a value, and its leaves.
local KINDS = {}

function KINDS.scalar(rng, name, leaves)
  local dtype = DTYPES[1 + rng(#DTYPES)]
  add_leaf(leaves, dtype, "." .. name, { name })
  return { name, dtype }, function() return value_of(rng, dtype) end
end

function KINDS.list(rng, name, leaves)
  local dtype, n, m = DTYPES[1 + rng(#DTYPES)], 1 + rng(2), 1 + rng(3)
  for k = 1, n do
    for j = 1, m do
      add_leaf(leaves, dtype, (".%s[%d][%d]"):format(name, k - 1, j - 1), { name, k, j })
    end
  end
  return { name, dtype, { n, m } }, function()
    local rows = {}
    for k = 1, n do
      rows[k] = {}
      for j = 1, m do rows[k][j] = value_of(rng, dtype) end
    end
    return rows
  end
end

function KINDS.vector(rng, name, leaves)
  local type_name = VECTORS[1 + rng(#VECTORS)]
  local lanes = tonumber(type_name:match "%d$")
  for k = 1, lanes do
    add_leaf(leaves, "float32", (".%s.%s"):format(name, ("xyzw"):sub(k, k)), { name, k })
  end
  return { name, type_name }, function()
    local list = {}
    for k = 1, lanes do list[k] = rng(100) end
    return list
  end
end

function KINDS.struct(rng, name, leaves, options)
  local inner = M.random(rng, { depth = options.depth - 1, named = options.named })
  for _, leaf in ipairs(inner.leaves) do
    leaves[#leaves + 1] = { text = "." .. name .. leaf.text,
      get = function(row) return leaf.get(row[name]) end }
  end
  return { name, inner.struct }, inner.make
end

local count = 0

-- random(rng [, { depth = of structs in structs, named = has it a name in C++?, most = fields }])
-- -> { struct = Struct, make() -> a table of values, leaves = list of { text =, get(table) } }
function M.random(rng, options)
  options = options or {}
  local depth, fields, makers, leaves = options.depth or 0, {}, {}, {}
  local kinds = { "scalar", "scalar", "list", "vector", depth > 0 and "struct" or "scalar" }
  for k = 1, 1 + rng(options.most or 4) do
    local name = "f" .. k
    fields[k], makers[name] = KINDS[kinds[1 + rng(#kinds)]](rng, name, leaves, { depth = depth,
      named = options.named })
  end
  count = count + 1
  local struct = options.named and cuda.struct("Random" .. count, fields) or cuda.struct(fields)
  return { struct = struct, leaves = leaves, make = function()
    local row = {}
    for _, field in ipairs(fields) do row[field[1]] = makers[field[1]]() end
    return row
  end }
end

-- rows(made, n) -> a list of n values
function M.rows(made, n)
  local list = {}
  for k = 1, n do list[k] = made.make() end
  return list
end

-- numbers(made, row) -> the values of all leaves
function M.numbers(made, row)
  local list = {}
  for k, leaf in ipairs(made.leaves) do list[k] = leaf.get(row) end
  return list
end

-- Views ------------------------------------------------------------------------------------------

local function shuffled(rng, n)
  local list = {}
  for k = 1, n do list[k] = k end
  for k = n, 2, -1 do
    local j = 1 + rng(k)
    list[k], list[j] = list[j], list[k]
  end
  return list
end

-- The part of an axis that has n elements, and the extent of the axis.
local function random_part(rng, n)
  if n == 0 or rng(2) == 0 then return {}, n end
  local step, before = 1 + rng(2), rng(3)
  local last = before + 1 + (n - 1) * step
  if n > 1 and rng(3) == 0 then return { last, before + 1, -step }, last end
  return { before + 1, last, step }, last + rng(2)
end

local function flatten(list, out)
  for _, item in ipairs(list) do
    if type(item) == "table" then flatten(item, out) else out[#out + 1] = item end
  end
  return out
end

-- view(rng, made, shape [, wide]) -> a strided view of an array of these structs, of this shape or,
-- with `wide`, of one that broadcasts to it; and the list of its elements' tables in C order, as
-- broadcast. The view of an array of integers says which elements these are.
function M.view(rng, made, shape, wide)
  local ndim, axes = #shape, shuffled(rng, #shape)
  local extents, parts, places = {}, {}, {}
  for k, d in ipairs(axes) do
    local n = wide and shape[d] > 0 and rng(4) == 0 and 1 or shape[d]
    parts[k], extents[k] = random_part(rng, n)
    places[d] = k
  end
  local total = 1
  for _, n in ipairs(extents) do total = total * n end
  local rows = M.rows(made, total)
  local function seen(array)
    if ndim == 0 then return array:reshape{} end
    return array:reshape(extents):slice(table.unpack(parts)):transpose(places)
  end
  local numbers = seen(total > 0 and cuda.arange(1, total + 1) or cuda.zeros(0, "int64"))
  local elements = {}
  for k, n in ipairs(flatten({ numbers:broadcast_to(shape):totable() }, {})) do
    elements[k] = rows[n]
  end
  return seen(count > 0 and cuda.array(rows, made.struct) or cuda.zeros(0, made.struct)), elements
end

M.flatten = flatten

return M

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

return M

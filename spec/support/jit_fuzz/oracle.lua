-- What plain Lua needs to run the programs of jit_fuzz: conversions that round and wrap around,
-- and arrays that do so when they are written.
local M = {}

local complex = require "spec.support.jit_fuzz.complex"

local BITS = { int8 = 8, int16 = 16, int32 = 32, int64 = 64, uint8 = 8, uint16 = 16, uint32 = 32 }

-- Rounds to a multiple of the distance between the halves around x.
local function round_half(x)
  if x ~= x or x == math.huge or x == -math.huge or x == 0 then return x end
  local quantum, size = 2.0 ^ -24, math.abs(x)
  while size >= quantum * 2048 and quantum <= 32 do quantum = quantum * 2 end
  local q = x / quantum
  local low = q - q % 1.0
  local rest = q - low
  if rest > 0.5 or rest == 0.5 and low % 2.0 == 1.0 then low = low + 1.0 end
  local rounded = low * quantum
  return math.abs(rounded) >= 65520.0 and (x > 0 and math.huge or -math.huge) or rounded
end

local function round_float(x)
  if x ~= x or x == math.huge or x == -math.huge then return x end
  if math.abs(x) >= 0x1.ffffffp127 then return x > 0 and math.huge or -math.huge end
  return (string.unpack("f", string.pack("f", x)))
end

-- conversions.NAME(v): the value with that dtype, as a number of Lua
local conversions = { -- products, since -0.0 + 0.0 is 0.0
  float16 = function(x) return round_half(x * 1.0) end,
  float32 = function(x) return round_float(x * 1.0) end,
  float64 = function(x) return x * 1.0 end,
  bool = function(x) return x end,
  complex128 = function(x, im) return type(x) == "table" and x or complex.new(x, im) end,
  complex64 = function(v)
    local z = type(v) == "table" and v or complex.new(v)
    return complex.new(round_float(z.re), round_float(z.im))
  end,
}
for name, bits in pairs(BITS) do
  local shift, signed = 64 - bits, not name:find "^u"
  conversions[name] = function(x)
    x = x << shift
    if signed and bits < 64 then return (x >> shift ~ (1 << bits - 1)) - (1 << bits - 1) end
    return x >> shift
  end
end
M.conversions = conversions

local function place(n, k)
  if math.type(k) ~= "integer" or k < -n or k > n or k == 0 then
    error(("index %s of %d elements"):format(k, n), 2)
  end
  return k < 0 and n + 1 + k or k
end

-- oracle.array(dtype, n [, values]) -> an array of n elements, zeros or those of the list
function M.array(dtype, n, values)
  local list, convert = {}, assert(conversions[dtype])
  for k = 1, n do
    if values then list[k] = values[k]
    else list[k] = convert(0) end
  end
  return setmetatable({}, {
    list = list, convert = convert,
    __len = function() return n end,
    __index = function(_, k) return list[place(n, k)] end,
    __newindex = function(_, k, v) list[place(n, k)] = convert(v) end,
  })
end

-- oracle.values(array) -> the list of its elements
function M.values(array) return getmetatable(array).list end

local function grid(n)
  local i = 0
  return function()
    i = i + 1
    if i <= n then return i end
  end
end

-- Atomic operations: array, indices, then the values. Plain Lua runs one thread at a time.
local changes = {
  add = function(x, y) return x + y end, sub = function(x, y) return x - y end,
  max = math.max, min = math.min, ["and"] = function(x, y) return x & y end,
  ["or"] = function(x, y) return x | y end, xor = function(x, y) return x ~ y end,
  exch = function(_, y) return y end,
}

local function add_atomics(names)
  local function place_of(array, count, first, second)
    if count == 1 then return array, first end
    return array[first], second
  end
  for name, change in pairs(changes) do
    names["atomic_" .. name] = function(array, ...)
      local n = select("#", ...)
      local row, k = place_of(array, n - 1, ...)
      local old = row[k]
      row[k] = change(old, getmetatable(row).convert((select(n, ...))))
      return old
    end
  end
  function names.atomic_cas(array, k, compare, v)
    local old = array[k]
    if old == compare then array[k] = v end
    return old
  end
end

local function popc(v)
  local n = 0
  for bit = 0, 63 do n = n + (v >> bit & 1) end
  return n
end

local function clz(v)
  local n = 0
  while n < 64 and v << n >= 0 do n = n + 1 end
  return n
end

-- `more`: names that may change from thread to thread
local function names_of(more)
  local names = { math = math, grid = grid, array = M.array, popc = popc, clz = clz }
  add_atomics(names)
  for name, convert in pairs(conversions) do names[name] = convert end
  return setmetatable(names, { __index = function(_, name)
    if more[name] ~= nil then return more[name] end
    error("undefined: " .. name, 2)
  end })
end

-- oracle.load(text, names, ...) -> the function that the chunk makes of these upvalues, in plain
-- Lua; `names`: more globals
function M.load(text, names, ...)
  return assert(load(text, "=plain", "t", names_of(names)))(...)
end

return M

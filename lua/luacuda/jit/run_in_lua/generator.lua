-- generator.lua: random(seed, sequence) for a run in Lua: the numbers of generator_source.lua, bit
-- for bit.

local arguments = require "luacuda.base.arguments"
local class = require "luacuda.base.class"
local numbers = require "luacuda.base.number"
local source = require "luacuda.jit.emit.generator_source"

local fail = arguments.fail

local LOW = 0xffffffff

-- Words -------------------------------------------------------------------------------------------

-- Four words of Philox4x32-10 for a counter of two integers.
local function philox(low, high, seed)
  local c0, c1, c2, c3 = low & LOW, low >> 32, high & LOW, high >> 32
  local k0, k1 = seed & LOW, seed >> 32
  for _ = 1, 10 do
    local p, q = 0xD2511F53 * c0, 0xCD9E8D57 * c2
    c0, c1, c2, c3 = q >> 32 ~ c1 ~ k0, q & LOW, p >> 32 ~ c3 ~ k1, p & LOW
    k0, k1 = k0 + 0x9E3779B9 & LOW, k1 + 0xBB67AE85 & LOW
  end
  return { [0] = c0, c1, c2, c3 }
end

local function word(g)
  local k = g.at & 3
  if k == 0 or not g.block then g.block = philox(g.at >> 2, g.sequence, g.seed) end
  g.at = g.at + 1
  return g.block[k]
end

local function two_words(g)
  local low = word(g)
  return word(g) << 32 | low
end

-- Numbers -----------------------------------------------------------------------------------------

local uniform = {
  float32 = function(g) return (word(g) >> 8) * 0x1p-24 end,
  float64 = function(g) return (two_words(g) >> 11) * 0x1p-53 end,
}

-- The high half of the product of two unsigned integers.
local function high_product(a, b)
  local a0, a1, b0, b1 = a & LOW, a >> 32, b & LOW, b >> 32
  local middle = a1 * b0 + (a0 * b0 >> 32)
  local other = a0 * b1 + (middle & LOW)
  return a1 * b1 + (middle >> 32) + (other >> 32)
end

local function integer(g, low, high)
  local range = high - low + 1
  if range > 0 and range <= LOW then
    local refused, x = (LOW + 1 - range) % range, word(g)
    while (x * range & LOW) < refused do x = word(g) end
    return low + (x * range >> 32)
  end
  local x = two_words(g)
  if range == 0 then return low + x end
  local refused = numbers.unsigned_mod(-range, range)
  while math.ult(x * range, refused) do x = two_words(g) end
  return low + high_product(x, range)
end

-- Horner's rule with a rounding after each operation.
local function polynomial(x, list, round)
  local sum = list[#list]
  for k = #list - 1, 1, -1 do sum = round(round(sum * x) + list[k]) end
  return sum
end

-- -2 log(m 2^e) for m from sqrt(1/2) to sqrt(2), under a root.
local function radius(m, e, own)
  local round = own.round
  local s = round((m - 1) / round(m + 1))
  local log = polynomial(round(s * s), own.log, round)
  local r = round(round(e * own.ln2) + round(s * log))
  return round(math.sqrt(-2 * (r > 0 and 0.0 or r)))
end

-- The products of r with cosine and sine of an angle of so many bits.
local function turned(r, angle, bits, own)
  local round, half = own.round, 1 << bits - 3
  local turn = angle + half
  local x = round(round((turn & (1 << bits - 2) - 1) - half + 0.0) * own.step)
  local y = round(x * x)
  local sine = round(x * polynomial(y, own.sine, round))
  local cosine = polynomial(y, own.cosine, round)
  if turn >> bits - 2 & 1 ~= 0 then sine, cosine = cosine, -sine end
  if turn >> bits - 2 & 2 ~= 0 then sine, cosine = -sine, -cosine end
  return round(r * cosine), round(r * sine)
end

-- A number from 1 on as m 2^e, with m from sqrt(1/2) to sqrt(2).
local function split(u, root)
  local e = 0
  while u >= 2 do u, e = u * 0.5, e + 1 end
  if u > root then return u * 0.5, e + 1 end
  return u, e
end

-- The largest significands that are not halved, as in generator_source.lua.
local ROOT32, ROOT64 = ("<f"):unpack(("<I4"):pack(0x3fb504f3)), ("<d"):unpack(("<I8"):pack(
  0x3ff6a09e667f3bcd))

local normal = {
  float32 = function(g)
    local m, e = split((word(g) >> 8) + 1.0, ROOT32)
    return turned(radius(m, e - 24, source.numbers32), word(g), 32, source.numbers32)
  end,
  float64 = function(g)
    local m, e = split((two_words(g) >> 11) + 1.0, ROOT64)
    return turned(radius(m, e - 53, source.numbers64), two_words(g), 64, source.numbers64)
  end,
}

-- Generators --------------------------------------------------------------------------------------

local methods = {}

-- The name of a dtype that is given as text or as float32 of the kernel's language.
local function dtype_of(what, given)
  local name = given == nil and "float32" or type(given) == "table" and given.dtype or given
  if uniform[name] then return name end
  fail(what, "argument 1: expected float32 or float64, got %s", tostring(name))
end

function methods.bits(g) return word(g) end
function methods.uniform(g, dtype) return uniform[dtype_of("uniform", dtype)](g) end

function methods.normal(g, given)
  local dtype = dtype_of("normal", given)
  local spare = g.spares[dtype]
  g.spares[dtype] = nil
  if spare then return spare end
  local first, second = normal[dtype](g)
  g.spares[dtype] = second
  return first
end

function methods.integer(g, low, high)
  if math.type(low) ~= "integer" or math.type(high) ~= "integer" or low > high then
    fail("integer", "expected two integers, the lower one first, got %s and %s", tostring(low),
      tostring(high))
  end
  return integer(g, low, high)
end

local Generator = class.new("generator", methods, { "bits", "integer", "normal", "uniform" })
Generator.__newindex = nil

-- random(seed, sequence [, offset]) -> generator
local function random(seed, sequence, offset)
  for k, v in ipairs{ seed, sequence, offset or 0 } do
    if math.type(v) ~= "integer" then
      fail("random", "argument %d: expected an integer, got %s", k, tostring(v))
    end
  end
  return setmetatable({ seed = seed, sequence = sequence, at = offset or 0, block = false,
    spares = {} }, Generator)
end

return { random = random }

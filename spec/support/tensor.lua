-- What specs of matrix products by a warp share: elements as bits, matrices in memory, products.
local M = {}

local function sign_extend(v, bits) return v >= 1 << (bits - 1) and v - (1 << bits) or v end

-- A float of `man` mantissa bits and the given bias, without infinities.
local function small_float(v, exp, man, bias)
  local sign = v >> (exp + man) & 1 == 1 and -1 or 1
  local e, m = v >> man & ((1 << exp) - 1), v & ((1 << man) - 1)
  if e == 0 then return sign * m * 2.0 ^ (1 - bias - man) end
  return sign * (m + (1 << man)) * 2.0 ^ (e - bias - man)
end

local function floats(low, high) -- random bits of a float32 with exponents in a range
  return function()
    return math.random(0, 1) << 31 | math.random(127 + low, 127 + high) << 23
      | math.random(0, (1 << 23) - 1)
  end
end
local function any(bits) return function() return math.random(0, (1 << bits) - 1) end end
local function f32(v) return (string.unpack("<f", string.pack("<I4", v & 0xffffffff))) end

-- bits: of an element; random: bits; value: the number that they are.
M.types = {
  f16 = { bits = 16, value = function(v) return small_float(v, 5, 10, 15) end, random = function()
    return math.random(0, 1) << 15 | math.random(0, 18) << 10 | math.random(0, 1023)
  end },
  bf16 = { bits = 16, value = function(v) return f32(v << 16) end,
    random = function() return floats(-6, 4)() >> 16 end },
  tf32 = { bits = 32, value = function(v) return f32(v & 0xffffe000) end, random = floats(-6, 4) },
  f32 = { bits = 32, value = f32, random = floats(-6, 6) },
  f64 = { bits = 64, value = function(v) return (string.unpack("<d", string.pack("<i8", v))) end,
    random = function()
      local x = (math.random() - 0.5) * 2.0 ^ math.random(-3, 3)
      return (string.unpack("<i8", string.pack("<d", x)))
    end },
  s8 = { bits = 8, value = function(v) return sign_extend(v, 8) end, random = any(8) },
  u8 = { bits = 8, value = function(v) return v end, random = any(8) },
  s4 = { bits = 4, value = function(v) return sign_extend(v, 4) end, random = any(4) },
  u4 = { bits = 4, value = function(v) return v end, random = any(4) },
  b1 = { bits = 1, value = function(v) return v end, random = any(1) },
  s32 = { bits = 32, value = function(v) return sign_extend(v, 32) end, random = any(32) },
  e4m3 = { bits = 8, value = function(v) return small_float(v, 4, 3, 7) end, random = function()
    return math.random(0, 1) << 7 | math.random(0, 0x5f)
  end },
  e5m2 = { bits = 8, value = function(v) return small_float(v, 5, 2, 15) end, random = function()
    return math.random(0, 1) << 7 | math.random(0, 0x4b)
  end },
  -- of 6 bits, and of 4 in the middle of a byte
  e3m2 = { bits = 8, value = function(v) return small_float(v, 3, 2, 3) end, random = any(6) },
  e2m3 = { bits = 8, value = function(v) return small_float(v, 2, 3, 1) end, random = any(6) },
  e2m1 = { bits = 8, value = function(v) return small_float(v >> 2, 2, 1, 1) end,
    random = function() return math.random(0, 15) << 2 end },
  -- the same, two in a byte
  e2m1x2 = { bits = 4, value = function(v) return small_float(v, 2, 1, 1) end, random = any(4) },
  -- scales of blocks
  ue8m0 = { bits = 8, value = function(v) return 2.0 ^ (v - 127) end,
    random = function() return math.random(117, 137) end },
  ue4m3 = { bits = 8, value = function(v) return small_float(v, 4, 3, 7) end,
    random = function() return math.random(0, 0x7e) end },
}

-- A matrix of random elements: m[row][column] are bits.
function M.random(rows, columns, type_)
  local m = {}
  for r = 1, rows do
    m[r] = {}
    for c = 1, columns do m[r][c] = M.types[type_].random() end
  end
  return m
end

-- Words of 32 bits (as uint32) with zeros, and elements in them.
function M.words(n)
  local w = {}
  for i = 1, n do w[i] = 0 end
  return w
end
function M.put(words, bits, i, v)
  local at = i * bits
  if bits == 64 then
    words[at // 32 + 1], words[at // 32 + 2] = v & 0xffffffff, v >> 32 & 0xffffffff
    return
  end
  local k = at // 32 + 1
  words[k] = words[k] & ~(((1 << bits) - 1) << at % 32) | v << at % 32
end
function M.get(words, bits, i)
  local at = i * bits
  if bits == 64 then return words[at // 32 + 1] | words[at // 32 + 2] << 32 end
  return words[at // 32 + 1] >> at % 32 & ((1 << bits) - 1)
end

-- Element k of a column or row, and the products: a is m x k, b is k x n, c is m x n. Returns the
-- sums and what they may differ by. op: of single bits. scale(r, col, k): of a product, if given.
function M.product(a, b, c, types, op, scale)
  local va, vb, vc = M.types[types.a].value, M.types[types.b].value, M.types[types.c].value
  local sums, sizes = {}, {}
  for r = 1, #a do
    sums[r], sizes[r] = {}, {}
    for col = 1, #b[1] do
      local start = vc(c[r][col])
      local sum, size = start, math.abs(start)
      for k = 1, #b do
        local x, y = va(a[r][k]), vb(b[k][col])
        local p = op == "xor" and x ~ y or x * y
        if scale then p = p * scale(r, col, k) end
        sum, size = sum + p, size + math.abs(p)
      end
      sums[r][col], sizes[r][col] = sum, size
    end
  end
  return sums, sizes
end

local STEPS = { f16 = 2.0 ^ -10, f32 = 2.0 ^ -21, f64 = 2.0 ^ -51 }

-- Whether bits of type d are the sum; how far they may be from it is a matter of the type.
function M.is_sum(bits, d, sum, size, satfinite)
  local got = M.types[d].value(bits)
  if d == "s32" then
    if satfinite then return got == math.max(-2147483648, math.min(2147483647, sum)) end
    return got == sign_extend(sum & 0xffffffff, 32)
  end
  -- Sums of f16 products are of single precision; only the result is rounded to f16.
  local slack = size * (d == "f64" and STEPS.f64 or STEPS.f32) * 16
  if d == "f16" then slack = slack + math.abs(sum) * STEPS.f16 + 2.0 ^ -24 end
  return math.abs(got - sum) <= slack
end

return M

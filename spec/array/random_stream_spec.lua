-- The numbers of a generator, one by one, over calls of all kinds, against Philox4x32-10 and the
-- distributions written in Lua: consecutive calls continue where the last one ended, and no word is
-- used twice.
local cuda = require "luacuda"
local helper = require "spec.helper"

local function multiply_high(a, b) -- the upper half of the unsigned 128-bit product
  local al, ah, bl, bh = a & 0xffffffff, a >> 32, b & 0xffffffff, b >> 32
  local low, middle, other = al * bl, ah * bl, al * bh
  local carry = (low >> 32) + (middle & 0xffffffff) + (other & 0xffffffff)
  return ah * bh + (middle >> 32) + (other >> 32) + (carry >> 32)
end

-- Words 0 to 3 of block `at` of a seed.
local function philox(at, attempt, seed)
  local c0, c1, c2, c3 = at & 0xffffffff, at >> 32, attempt, 0
  local k0, k1 = seed & 0xffffffff, seed >> 32
  for _ = 1, 10 do
    local p, q = 0xD2511F53 * c0, 0xCD9E8D57 * c2
    c0, c1, c2, c3 = (q >> 32) ~ c1 ~ k0, q & 0xffffffff, (p >> 32) ~ c3 ~ k1, p & 0xffffffff
    k0, k1 = (k0 + 0x9E3779B9) & 0xffffffff, (k1 + 0xBB67AE85) & 0xffffffff
  end
  return { [0] = c0, c1, c2, c3 }
end

local function pair(words, k) return words[2 * k + 1] << 32 | words[2 * k] end

-- 2^64 mod range, digit by digit.
local function power_mod(range)
  local rest = 1
  for _ = 1, 64 do
    local overflows = rest < 0
    rest = rest << 1
    if overflows or not math.ult(rest, range) then rest = rest - range end
  end
  return rest
end

local function signed(word) return word >= 1 << 31 and word - (1 << 32) or word end

-- kind -> numbers per block, function of a block's words, position in it, and the kind's parameters
local KINDS = {
  ["bits uint32"] = { 4, function(w, k) return w[k] end },
  ["bits uint64"] = { 2, function(w, k) return pair(w, k) end },
  ["uniform float32"] = { 4, function(w, k) return (w[k] >> 8) * 0x1p-24 end },
  ["uniform float16"] = { 4, function(w, k) return (w[k] >> 21) * 0x1p-11 end },
  ["uniform bfloat16"] = { 4, function(w, k) return (w[k] >> 24) * 0x1p-8 end },
  ["uniform float64"] = { 2, function(w, k) return (pair(w, k) >> 11) * 0x1p-53 end },
  ["normal float32"] = { 4, function(w, k)
    local at = k & 2
    local radius = math.sqrt(-2 * math.log(((w[at] >> 8) + 1) * 0x1p-24))
    local angle = signed(w[at + 1]) * math.pi / 2 ^ 31
    return radius * (k & 1 == 0 and math.cos(angle) or math.sin(angle))
  end, 1e-5 },
  ["normal float64"] = { 2, function(w, k)
    local radius = math.sqrt(-2 * math.log(((pair(w, 0) >> 11) + 1) * 0x1p-53))
    local angle = pair(w, 1) * 0x1p-63 * math.pi
    return radius * (k == 0 and math.cos(angle) or math.sin(angle))
  end, 1e-12 },
}

local RANGES = { { 1, 6 }, { -5, 5 }, { 7, 7 }, { 0, math.maxinteger }, { -1, math.maxinteger },
  { math.mininteger, math.maxinteger }, { math.mininteger, 1 }, { -(1 << 62), 1 << 62 },
  { math.maxinteger - 2, math.maxinteger } }
for i, range in ipairs(RANGES) do
  local low, size = range[1], range[2] - range[1] + 1
  local refused = size == 0 and 0 or power_mod(size)
  KINDS["integers " .. i] = { 2, function(w, k, at, seed)
    local x, attempt = pair(w, k), 0
    while size ~= 0 and math.ult(x * size, refused) do
      attempt = attempt + 1
      x = pair(philox(at, attempt, seed), k)
    end
    return (size == 0 and x or multiply_high(x, size)) + low
  end }
end

local NAMES = {}
for name in pairs(KINDS) do NAMES[#NAMES + 1] = name end
table.sort(NAMES)

local function draw(generator, name, n)
  local method, what = name:match "(%S+) (%S+)"
  if method == "integers" then
    return generator:integers(RANGES[tonumber(what)][1], RANGES[tonumber(what)][2], n)
  end
  return generator[method](generator, n, { dtype = what })
end

local function check(name, got, offset, seed)
  local per, value, tolerance = table.unpack(KINDS[name])
  local words
  for i = 0, #got - 1 do
    local at = offset + i // per
    if i % per == 0 then words = philox(at, 0, seed) end
    local want = value(words, i % per, at, seed)
    local close = tolerance and math.abs(want - got[i + 1]) <= tolerance * math.max(1,
      math.abs(want)) or want == got[i + 1]
    assert.is_true(close, ("%s: number %d of block %d, seed %d: expected %s, got %s")
      :format(name, i, offset, seed, want, got[i + 1]))
  end
  return offset + (#got + per - 1) // per
end

helper.for_each_device(function()
  it("a generator consumes the words of Philox in order, whatever it generates", function()
    math.randomseed(20)
    for _, seed in ipairs { 0, 1, -1, 0x123456789abcdef0, math.mininteger, math.maxinteger } do
      local generator, offset = cuda.random.generator(seed), 0
      for _ = 1, 25 do
        local name = NAMES[math.random(#NAMES)]
        offset = check(name, draw(generator, name, math.random(0, 40)):totable(), offset, seed)
      end
    end
  end)

  it("every kind of number is computed from its words", function()
    for _, name in ipairs(NAMES) do
      for _, n in ipairs { 1, 300, 1025 } do
        check(name, draw(cuda.random.generator(n), name, n):totable(), 0, n)
      end
    end
  end)

  it("numbers within bounds are numbers from 0 to 1, scaled", function()
    local unit = cuda.random.generator(4):uniform(100, { dtype = "float64" }):totable()
    local wide = cuda.random.generator(4):uniform(100,
      { dtype = "float64", low = -3, high = 5 }):totable()
    local one = cuda.random.generator(4):normal(100, { dtype = "float64" }):totable()
    local moved = cuda.random.generator(4):normal(100,
      { dtype = "float64", mean = 7, std = 3 }):totable()
    for i = 1, 100 do
      assert.near(unit[i] * 8 - 3, wide[i], 1e-14)
      assert.near(one[i] * 3 + 7, moved[i], 1e-13)
    end
  end)

  it("a given result consumes as many words as a new one", function()
    local generator, other = cuda.random.generator(3), cuda.random.generator(3)
    local view = cuda.zeros({ 5, 7 }):transpose()
    generator:uniform(nil, { out = view })
    assert.same(other:uniform({ 7, 5 }):totable(), view:totable())
    assert.same(other:bits(9):totable(), generator:bits(9):totable())
    generator:permutation(7)
    -- 9 blocks, 3, and 4 for the 7 keys
    check("bits uint32", generator:bits(4):totable(), 12 + 4, 3)
  end)

  it("the functions of cuda.random also continue from call to call", function()
    cuda.random.seed(12)
    local first, second = cuda.random.bits(6):totable(), cuda.random.bits(6):totable()
    check("bits uint32", second, check("bits uint32", first, 0, 12), 12)
  end)
end)

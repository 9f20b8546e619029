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

-- Ranges whose integers take two words each.
local RANGES = { { 1, 3000000000 }, { -5, 1 << 32 }, { 0, math.maxinteger },
  { -1, math.maxinteger },
  { math.mininteger, math.maxinteger }, { math.mininteger, 1 }, { -(1 << 62), 1 << 62 } }

-- An integer from a word: the word, and what is refused of it.
local function from_word(x, range, k, at, seed, refused)
  local attempt = 0
  while (x * range & 0xffffffff) < refused do
    attempt = attempt + 1
    x = philox(at, attempt, seed)[k]
  end
  return x
end

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
  end, range = range, dtype = "int64" }
end

-- Ranges of which few words are refused take a word for each element: at most 2^20 of 2^32.
local NARROW = { { 1, 6 }, { -5, 5, "int32" }, { 7, 7 }, { 0, 0xffffffff },
  { 0, 0xffffffff, "uint32" }, { -(1 << 31), (1 << 31) - 1, "int32" }, { 0, 1 << 20 },
  { -30000, 30000, "int16" }, { 1 << 40, (1 << 40) + 999999 }, { 0, 1048831 },
  { math.maxinteger - 2, math.maxinteger }, { math.mininteger, math.mininteger + 99999 } }
for i, range in ipairs(NARROW) do
  local low, size = range[1], range[2] - range[1] + 1
  KINDS["integers word" .. i] = { 4, function(w, k, at, seed)
    return (from_word(w[k], size, k, at, seed, (1 << 32) % size) * size >> 32) + low
  end, range = range, dtype = range[3] or "int64", turns = range[3] == nil }
end

-- Bytes take half a word each.
local BYTES = { { 0, 255, "uint8" }, { -128, 127, "int8" }, { 0, 254, "uint8" }, { 3, 3, "int8" },
  { -7, 90, "int8" }, { 1, 6, "uint8" }, { 0, 1, "uint8" }, { 10, 210, "uint8" } }
for i, range in ipairs(BYTES) do
  local low, size = range[1], range[2] - range[1] + 1
  KINDS["integers byte" .. i] = { 8, function(w, k, at, seed)
    local x = from_word(w[k >> 1], size * size, k >> 1, at, seed, (1 << 32) % (size * size))
    local both = x * (size * size) >> 32
    return (k & 1 == 0 and both // size or both % size) + low
  end, range = range, dtype = range[3] }
end

local NAMES = {}
for name in pairs(KINDS) do NAMES[#NAMES + 1] = name end
table.sort(NAMES)

local function draw(generator, name, n)
  local method, what = name:match "(%S+) (%S+)"
  if method == "integers" then
    local range = KINDS[name].range
    return generator:integers(range[1], range[2], n, { dtype = KINDS[name].dtype })
  end
  return generator[method](generator, n, { dtype = what })
end

-- The block of element i, from 0, and its place there. Elements of 8 bytes, four per block, are in
-- turns of two from each of two blocks.
local function place(kind, i)
  if kind.turns then return i // 8 * 2 + (i >> 1 & 1), (i & 1) + (i >> 2 & 1) * 2 end
  return i // kind[1], i % kind[1]
end

local function blocks_of(kind, n)
  if kind.turns then return (n + 7) // 8 * 2 end
  return (n + kind[1] - 1) // kind[1]
end

local function check(name, got, offset, seed)
  local kind = KINDS[name]
  local _, value, tolerance = table.unpack(kind)
  local blocks = {}
  for i = 0, #got - 1 do
    local block, k = place(kind, i)
    local at = offset + block
    blocks[at] = blocks[at] or philox(at, 0, seed)
    local want = value(blocks[at], k, at, seed)
    local close = tolerance and math.abs(want - got[i + 1]) <= tolerance * math.max(1,
      math.abs(want)) or want == got[i + 1]
    assert.is_true(close, ("%s: number %d of block %d, seed %d: expected %s, got %s")
      :format(name, i, offset, seed, want, got[i + 1]))
  end
  return offset + blocks_of(kind, #got)
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

  it("words that are refused are drawn again", function()
    -- elements per word, least and most, dtype, words that have some to refuse
    for _, row in ipairs { { 1, 0, 1 << 20, "int32", 40000 }, { 2, 1, 245, "uint8", 500000 } } do
      local per, low, high, dtype, n = table.unpack(row)
      local range = high - low + 1
      local size = per == 1 and range or range * range
      local refused, found = (1 << 32) % size, 0
      local drawn = cuda.random.generator(8):integers(low, high, per * n, { dtype = dtype })
      for i, word in ipairs(cuda.random.generator(8):bits(n):totable()) do
        if (word * size & 0xffffffff) < refused then
          found = found + 1
          local at, k = (i - 1) // 4, (i - 1) % 4
          local both = from_word(word, size, k, at, 8, refused) * size >> 32
          local want = per == 1 and { both } or { both // range, both % range }
          for j = 1, per do assert.equal(want[j] + low, drawn:item(per * (i - 1) + j)) end
        end
      end
      assert.is_true(found > 0)
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
    -- 9 blocks, 3, and 8 for the 32 keys of the permutation
    check("bits uint32", generator:bits(4):totable(), 12 + 8, 3)
  end)

  it("the functions of cuda.random also continue from call to call", function()
    cuda.random.seed(12)
    local first, second = cuda.random.bits(6):totable(), cuda.random.bits(6):totable()
    check("bits uint32", second, check("bits uint32", first, 0, 12), 12)
  end)
end)
